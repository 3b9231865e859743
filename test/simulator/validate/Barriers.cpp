// mbarriers step by step, as one thread drives them and as a CTA does, and `cp.async` with its groups.
#include "test/simulator/validate/Elementwise.h"

namespace tile::sim::validate {

/// Appends the bit that `wait` gives, a `test_wait` without its predicate, to $d.
static std::string test(const std::string &wait) {
  return " mbarrier.test_wait" + wait + "; selp.b32 %r31, 1, 0, %p1; shl.b32 $d, $d, 1; or.b32 $d, $d, %r31;";
}
static const std::string kPhases =
    test(".parity.shared.b64 %p1, [%r40], 0") + test(".parity.shared.b64 %p1, [%r40], 1");

static std::string init(unsigned count) {
  return "mov.b32 $d, 0; mbarrier.init.shared.b64 [%r40], " + std::to_string(count) + ";" + kPhases;
}
static const std::string kEnd = " mbarrier.inval.shared.b64 [%r40];";
/// Appends how many arrivals the state in %d30 was short of.
static const std::string kPending = " mbarrier.pending_count.b64 %r31, %d30; mad.lo.u32 $d, $d, 8, %r31;";

/// Each thread has an mbarrier of its own.
static std::vector<FormText> scripts() {
  const std::string arrive = " mbarrier.arrive.shared.b64 %d30, [%r40];";
  const std::string arriveTwice = " mbarrier.arrive.noComplete.shared.b64 %d30, [%r40], 2;";
  const std::string drop = " mbarrier.arrive_drop.shared.b64 %d30, [%r40];";
  const std::string expect = " mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r40], 48;";
  const std::string complete = " mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r40], 24;";
  const std::string arriveExpect = " mbarrier.arrive.expect_tx.shared.b64 %d30, [%r40], 24;";
  return {
      {"mbarrier.arrive", init(2) + arrive + kPhases + arrive + kPhases + arrive + kPhases + arrive + kPhases + kEnd},
      {"mbarrier.arrive of a count", init(3) + arriveTwice + kPending + kPhases + arrive + kPending + kPhases + kEnd},
      {"mbarrier.arrive_drop",
       init(2) + drop + kPending + kPhases + arrive + kPhases + arrive + kPhases + arrive + kPhases + kEnd},
      {"mbarrier.expect_tx",
       init(1) + expect + kPhases + arrive + kPhases + complete + kPhases + complete + kPhases + kEnd},
      {"mbarrier.complete_tx first", init(1) + expect + complete + complete + kPhases + arrive + kPhases + kEnd},
      {"mbarrier.arrive.expect_tx", init(1) + arriveExpect + kPhases + complete + kPhases + arrive + kPhases + kEnd},
      {"mbarrier.test_wait of a state", init(1) + arrive + test(".shared.b64 %p1, [%r40], %d30") + arrive +
                                            test(".shared.b64 %p1, [%r40], %d30") + kEnd},
      {"mbarrier.pending_count", init(7) + arrive + kPending + arrive + kPending + arrive + kPending + kEnd},
  };
}

/// %r40: the mbarrier of the thread.
static Kernel give(const std::string &name, std::vector<FormText> forms) {
  forms[0].code = "mov.u32 %r40, cells; mad.lo.u32 %r40, %r0, 8, %r40; " + forms[0].code;
  Kernel kernel = elementwise({name, {4}, 4, forms}, operandColumns({{nullptr, 4}}, 256, 256, 3));
  kernel.declarations = ".shared .align 8 .b8 cells[1024];\n.shared .align 16 .b8 copied[4096];\n";
  return kernel;
}

void giveBarriers(const Sink &sink) {
  sink(give("mbarrier", scripts()));

  // One mbarrier for the CTA: all arrive, and wait in the two ways.
  const std::string begin = "setp.eq.u32 %p4, %r0, 0; @%p4 mbarrier.init.shared.b64 [cells], 128; bar.sync 0;\n";
  const std::string end = " bar.sync 0; @%p4 mbarrier.inval.shared.b64 [cells]; bar.sync 0;";
  std::vector<FormText> together;
  unsigned number = 0;
  for (std::string wait : {"try_wait.shared.b64 %p1, [cells], %d30", "try_wait.parity.shared.b64 %p1, [cells], 0",
                           "test_wait.acquire.cta.shared.b64 %p1, [cells], %d30"}) {
    std::string label = "wait" + std::to_string(number++);
    together.push_back({"mbarrier." + wait.substr(0, wait.find(' ')) + " of 128 threads",
                        begin + "mbarrier.arrive.shared.b64 %d30, [cells];\n" + label + ":\nmbarrier." + wait +
                            ";\n@!%p1 bra " + label + ";\nmov.b32 $d, $a;" + end});
  }
  sink(give("mbarrier-together", together));

  // Copies of 4, 8 and 16 bytes, whole and in part; the source is the thread's operand and those behind it, the place
  // is 32 bytes of its own. The words that arrive are folded into one.
  const std::string place =
      "mov.u32 %r41, copied; mad.lo.u32 %r41, %r0, 32, %r41; and.b32 %r42, %r2, -4; mad.wide.u32 %d31, "
      "%r42, 4, %d100; st.shared.v4.b32 [%r41], {$a, $a, $a, $a}; ";
  const std::string fold =
      " ld.shared.v4.b32 {%r43, %r44, %r45, %r46}, [%r41]; mad.lo.u32 %r43, %r43, 31, %r44; mad.lo.u32 "
      "%r45, %r45, 31, %r46; mad.lo.u32 $d, %r43, 961, %r45;";
  std::vector<FormText> copies;
  for (unsigned bytes : {4u, 8u, 16u})
    for (int taken : {-1, 0, 1, 3, int(bytes)}) {
      std::string cache = bytes == 16 ? "cg" : "ca", count = std::to_string(bytes);
      std::string name = "cp.async." + cache + ".shared.global";
      std::string copy = name + " [%r41], [%d31], " + count + (taken < 0 ? "" : ", " + std::to_string(taken)) + "; ";
      std::string what = name + " of " + count + (taken < 0 ? "" : " from " + std::to_string(taken));
      copies.push_back({what, place + copy + "cp.async.commit_group; cp.async.wait_group 0;" + fold});
      if (taken < 0)
        copies.push_back({what + ", all awaited", place + copy + "cp.async.wait_all;" + fold});
    }
  copies.push_back(
      {"cp.async ignore-src", place +
                                  "setp.lt.s32 %p1, $a, 0; cp.async.ca.shared.global [%r41], [%d31], 8, %p1; "
                                  "cp.async.wait_all;" +
                                  fold});
  for (std::string kept : {"", ".noinc"})
    copies.push_back(
        {"cp.async.mbarrier.arrive" + kept,
         place +
             "mov.b32 $d, 0; mbarrier.init.shared.b64 [%r40], 1; cp.async.cg.shared.global [%r41], [%d31], 16; "
             "cp.async.mbarrier.arrive" +
             kept + ".shared.b64 [%r40]; cp.async.wait_all;" +
             (kept.empty() ? " mbarrier.arrive.shared.b64 %d30, [%r40];" : "") + "\nwaitcopy" + std::to_string(number) +
             ":\nmbarrier.try_wait.parity.shared.b64 %p1, [%r40], 0;\n@!%p1 bra waitcopy" + std::to_string(number) +
             ";\n" + fold + kEnd}),
        ++number;
  sink(give("cp.async", copies));
}

} // namespace tile::sim::validate
