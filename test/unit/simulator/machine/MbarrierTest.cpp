// mbarriers: phases, arrivals, bytes, and rings that lack one of them.
#include "test/unit/simulator/machine/RunPtx.h"

namespace tile::sim::test {

static const std::string kMbarriers = ".shared .align 8 .b64 full[2];\n.shared .align 8 .b64 empty[2];\n"
                                      ".shared .align 16 .b8 buffer[4096];";

/// Thread 0 makes the mbarriers; `%r20` and `%r21` are the addresses of `full` and `empty`, `%r0` the thread.
static std::string initBarriers(unsigned full, unsigned empty) {
  return R"(
    mov.u32 %r0, %tid.x;
    mov.u32 %r20, full;
    mov.u32 %r21, empty;
    setp.ne.u32 %p1, %r0, 0;
    @%p1 bra READY;
    mbarrier.init.shared::cta.b64 [%r20], )" +
         std::to_string(full) + ";\nmbarrier.init.shared::cta.b64 [%r20+8], " + std::to_string(full) +
         ";\nmbarrier.init.shared.b64 [%r21], " + std::to_string(empty) + ";\nmbarrier.init.shared.b64 [%r21+8], " +
         std::to_string(empty) + ";\nREADY:\n";
}

namespace {
/// Warp 0 writes eight tiles of 32 words into two stages, warp 1 reads them, each lane what another one wrote.
struct Ring {
  unsigned fullCount = 32;
  std::string ready = "bar.sync 0;";
  std::string producerParity = "xor.b32 %r5, %r5, 1;", consumerParity = "";
  std::string full = "mbarrier.arrive.shared::cta.b64 %d10, [%r6];";
  std::string empty = "mbarrier.arrive.release.cta.shared::cta.b64 _, [%r7];";
  std::string acquire = "acquire", stageOfRead = "";

  KernelRun kernel() const {
    KernelRun run(initBarriers(fullCount, 32) + ready + R"(
      mov.u32 %r1, 0;
      mov.u32 %r2, 0;
      and.b32 %r15, %r0, 31;
      mov.u32 %r11, buffer;
      setp.ge.u32 %p2, %r0, 32;
      LOOP:
      and.b32 %r3, %r1, 1;
      shr.u32 %r5, %r1, 1;
      and.b32 %r5, %r5, 1;
      mad.lo.u32 %r6, %r3, 8, %r20;
      mad.lo.u32 %r7, %r3, 8, %r21;
      @%p2 bra CONSUMER;
      )" + producerParity +
                      R"(
      WAIT1: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r7], %r5;
      @!%p3 bra WAIT1;
      shl.b32 %r8, %r3, 7;
      mad.lo.u32 %r8, %r15, 4, %r8;
      add.u32 %r8, %r8, %r11;
      mad.lo.u32 %r9, %r1, 100, %r15;
      st.shared.u32 [%r8], %r9;
      )" + full +
                      R"(
      bra NEXT;
      CONSUMER:
      )" + consumerParity +
                      R"(
      WAIT2: mbarrier.try_wait.parity.)" +
                      acquire +
                      R"(.cta.shared::cta.b64 %p3, [%r6], %r5, 1000;
      @!%p3 bra WAIT2;
      )" + stageOfRead +
                      R"(
      xor.b32 %r8, %r15, 31;
      shl.b32 %r8, %r8, 2;
      mad.lo.u32 %r8, %r3, 128, %r8;
      add.u32 %r8, %r8, %r11;
      ld.shared.u32 %r9, [%r8];
      add.u32 %r2, %r2, %r9;
      )" + empty +
                      R"(
      NEXT:
      add.u32 %r1, %r1, 1;
      setp.lt.u32 %p4, %r1, 8;
      @%p4 bra LOOP;
      mul.wide.u32 %d1, %r0, 4;
      add.s64 %d1, %d50, %d1;
      st.global.u32 [%d1], %r2;)",
                  kMbarriers);
    run.block = {64, 1, 1};
    run.addOutput<uint32_t>(64);
    return run;
  }
};
} // namespace

TEST(Mbarrier, RingGivesTheSumWithoutFindings) {
  for (unsigned seed = 1; seed < 30; ++seed) {
    KernelRun run = Ring().kernel();
    run.options.seed = seed;
    ASSERT_EQ(summary(run.run()), "") << seed;
    for (uint32_t lane = 0; lane < 32; ++lane)
      EXPECT_EQ(run.get<uint32_t>(0)[32 + lane], 2800 + 8 * (lane ^ 31));
  }
}

TEST(Mbarrier, RingWithOneFaultIsFoundInEveryInterleaving) {
  struct Mutant {
    const char *name;
    Ring ring;
    std::vector<Fault> faults; ///< one of them
  };
  std::vector<Mutant> mutants(9);
  mutants[0] = {"producer does not arrive", {}, {Fault::Deadlock}};
  mutants[0].ring.full = "";
  mutants[1] = {"a lane does not arrive", {}, {Fault::Deadlock}};
  mutants[1].ring.empty = "setp.ne.u32 %p5, %r15, 3; @%p5 mbarrier.arrive.shared::cta.b64 _, [%r7];";
  mutants[2] = {"consumer's parity", {}, {Fault::Race, Fault::Deadlock}};
  mutants[2].ring.consumerParity = "xor.b32 %r5, %r5, 1;";
  mutants[3] = {"producer's parity", {}, {Fault::Deadlock}};
  mutants[3].ring.producerParity = "";
  mutants[4] = {"half the arrivals are waited for", {}, {Fault::Race, Fault::Deadlock}};
  mutants[4].ring.fullCount = 16;
  mutants[5] = {"arrives before it writes", {}, {Fault::Race}};
  mutants[5].ring.full = "mbarrier.arrive.shared::cta.b64 _, [%r6]; st.shared.u32 [%r8], %r9;";
  mutants[6] = {"relaxed arrival", {}, {Fault::Race}};
  mutants[6].ring.full = "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r6];";
  mutants[7] = {"stages swapped", {}, {Fault::Race, Fault::Undefined}};
  mutants[7].ring.stageOfRead = "xor.b32 %r3, %r3, 1;";
  mutants[8] = {"mbarriers used before they are made", {}, {Fault::Race, Fault::BadOperand}};
  mutants[8].ring.ready = "";
  for (const Mutant &mutant : mutants)
    for (unsigned seed = 1; seed < 12; ++seed) {
      KernelRun run = mutant.ring.kernel();
      run.options.seed = seed;
      RunResult result = run.run();
      bool found = false;
      for (Fault fault : mutant.faults)
        found |= has(result, fault);
      EXPECT_TRUE(found) << mutant.name << ", seed " << seed << ": " << summary(result);
    }
}

TEST(Mbarrier, FencesOrderRelaxedArrivalsAndWaits) {
  const std::string fence = "fence.acq_rel.cta;";
  Ring ring;
  ring.full = fence + "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r6];";
  ring.empty = fence + "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r7];";
  ring.acquire = "relaxed";
  ring.stageOfRead = fence;
  for (unsigned seed = 1; seed < 12; ++seed) {
    auto findings = [seed](const Ring &ring) {
      KernelRun run = ring.kernel();
      run.options.seed = seed;
      return summary(run.run()).substr(0, 4);
    };
    EXPECT_EQ(findings(ring), "");
    Ring mutant = ring;
    mutant.stageOfRead = "";
    EXPECT_EQ(findings(mutant), "race");
    mutant = ring;
    mutant.full = "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r6];";
    EXPECT_EQ(findings(mutant), "race");
    mutant.full = "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r6];" + fence; // too late
    EXPECT_EQ(findings(mutant), "race");
  }
}

TEST(Mbarrier, DeadlockSaysWhatIsLacking) {
  Ring ring;
  ring.full = "setp.ne.u32 %p5, %r15, 3; @%p5 mbarrier.arrive.shared::cta.b64 _, [%r6];";
  RunResult result = ring.kernel().run();
  std::string message;
  for (const Finding &finding : result.findings)
    if (finding.fault == Fault::Deadlock)
      message = finding.message;
  EXPECT_NE(message.find("wait at `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64`"), std::string::npos)
      << message;
  EXPECT_NE(message.find("where the mbarrier at byte 0 lacks 1 arrivals and 0 bytes in phase 0"), std::string::npos)
      << message;
}

/// One thread runs `body` on the mbarrier `full[0]` of `count` arrivals.
static KernelRun alone(unsigned count, const std::string &body) {
  KernelRun run(initBarriers(count, 1) + body, kMbarriers);
  run.block = {1, 1, 1};
  run.addOutput<uint32_t>(8);
  return run;
}

TEST(Mbarrier, StatesNameTheirPhase) {
  KernelRun run = alone(3, R"(
    mbarrier.arrive.shared.b64 %d1, [%r20], 2;
    mbarrier.test_wait.shared.b64 %p1, [%r20], %d1;
    mbarrier.pending_count.b64 %r1, %d1;
    mbarrier.arrive.shared.b64 %d2, [%r20];
    mbarrier.test_wait.shared.b64 %p2, [%r20], %d1;
    mbarrier.pending_count.b64 %r2, %d2;
    mbarrier.test_wait.parity.shared.b64 %p3, [%r20], 0;
    mbarrier.test_wait.parity.shared.b64 %p4, [%r20], 1;
    mbarrier.arrive_drop.shared.b64 %d3, [%r20];
    mbarrier.arrive.noComplete.release.cta.shared.b64 %d3, [%r20], 1;
    mbarrier.arrive.shared.b64 %d3, [%r20];
    mbarrier.arrive.shared.b64 %d4, [%r20];
    mbarrier.pending_count.b64 %r3, %d4;
    selp.u32 %r4, 1, 0, %p1;
    selp.u32 %r5, 2, 0, %p2;
    selp.u32 %r6, 4, 0, %p3;
    selp.u32 %r7, 8, 0, %p4;
    add.u32 %r4, %r4, %r5;
    add.u32 %r4, %r4, %r6;
    add.u32 %r4, %r4, %r7;
    st.global.v4.u32 [%d50], {%r1, %r2, %r3, %r4};)");
  EXPECT_EQ(summary(run.run()), "");
  EXPECT_EQ(run.get<uint32_t>(0)[0], 3u);
  EXPECT_EQ(run.get<uint32_t>(0)[1], 1u);
  EXPECT_EQ(run.get<uint32_t>(0)[2], 2u); // one has dropped out
  EXPECT_EQ(run.get<uint32_t>(0)[3], 2u + 4u);
}

TEST(Mbarrier, BytesKeepAPhaseOpen) {
  KernelRun run = alone(1, R"(
    mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r20], 128;
    mbarrier.test_wait.parity.shared.b64 %p1, [%r20], 0;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r20], 64;
    mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r20], 64;
    mbarrier.test_wait.parity.shared.b64 %p2, [%r20], 0;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r20], 128;
    mbarrier.test_wait.parity.shared.b64 %p3, [%r20], 0;
    selp.u32 %r1, 1, 0, %p1;
    selp.u32 %r2, 1, 0, %p2;
    selp.u32 %r3, 1, 0, %p3;
    st.global.v4.u32 [%d50], {%r1, %r2, %r3, %r3};)");
  EXPECT_EQ(summary(run.run()), "");
  EXPECT_EQ(run.get<uint32_t>(0)[0], 0u);
  EXPECT_EQ(run.get<uint32_t>(0)[1], 0u);
  EXPECT_EQ(run.get<uint32_t>(0)[2], 1u);
}

TEST(Mbarrier, AShortExpectationIsADeadlock) {
  RunResult result = alone(1, R"(
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r20], 64;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r20], 128;
    WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%r20], 0;
    @!%p1 bra WAIT;)")
                         .run();
  ASSERT_EQ(result.findings.size(), 1u) << summary(result);
  EXPECT_NE(result.findings[0].message.find("lacks 0 arrivals and -64 bytes in phase 0"), std::string::npos);
}

TEST(Mbarrier, CountsThatDoNotAddUpAreFound) {
  auto only = [](const std::string &body) {
    RunResult result = alone(2, body).run();
    EXPECT_EQ(result.findings.size(), 1u) << body << summary(result);
    return summary(result);
  };
  EXPECT_EQ(only("mbarrier.arrive.shared.b64 _, [%r20], 3;"),
            "arrival-count: 3 arrive where the mbarrier at byte 0 lacks 2 arrivals and 0 bytes in phase 0");
  EXPECT_EQ(only("mbarrier.arrive.shared.b64 _, [%r20], 0;"),
            "arrival-count: 0 arrive where the mbarrier at byte 0 lacks 2 arrivals and 0 bytes in phase 0");
  EXPECT_EQ(only("mbarrier.arrive.noComplete.shared.b64 %d1, [%r20], 2;"),
            "arrival-count: the arrival ends phase 0 of the mbarrier at byte 0, which `.noComplete` promises that it "
            "does not");
  EXPECT_EQ(only("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r20], 1048576;"),
            "arrival-count: 1048576 bytes are expected where the mbarrier at byte 0 lacks 2 arrivals and 0 bytes in "
            "phase 0");
  EXPECT_EQ(only("mbarrier.arrive_drop.shared.b64 _, [%r20], 3;").substr(0, 52),
            "arrival-count: 3 drop out of 2 where the mbarrier at");
  EXPECT_EQ(only("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r20], 1048576;"),
            "arrival-count: 1048576 bytes come where the mbarrier at byte 0 lacks 2 arrivals and 0 bytes in phase 0");
  EXPECT_EQ(only("mov.u32 %r1, 1048575; mbarrier.init.shared.b64 [%r20+64], %r1;\n"
                 "cp.async.mbarrier.arrive.shared.b64 [%r20+64];"),
            "arrival-count: one more is to arrive where the mbarrier at byte 64 lacks 1048575 arrivals and 0 bytes in "
            "phase 0");
  EXPECT_EQ(only("mbarrier.arrive.expect_tx.shared.b64 _, [%r20], 16;"),
            "arrival-count: the kernel ends while the mbarrier at byte 0 lacks 1 arrivals and 16 bytes in phase 0");
  EXPECT_EQ(only("mbarrier.init.shared.b64 [%r20+64], 0;"), "arrival-count: the count is 0; expected 1 to 1048575");
}

TEST(Mbarrier, OperandsThatNameNoPhaseAreFound) {
  auto only = [](const std::string &body) { return summary(alone(1, body).run()); };
  EXPECT_EQ(only("mbarrier.test_wait.parity.shared.b64 %p1, [%r20], 2;"),
            "bad-operand: the parity is 2; expected 0 or 1");
  EXPECT_EQ(only("mbarrier.arrive.shared.b64 %d1, [%r20]; mbarrier.arrive.shared.b64 %d2, [%r20];\n"
                 "mbarrier.test_wait.shared.b64 %p1, [%r20], %d1;"),
            "bad-operand: the state is of phase 0 and the mbarrier at byte 0 lacks 1 arrivals and 0 bytes in phase 2; "
            "expected a state of this phase or the one before");
  EXPECT_EQ(only("mbarrier.arrive.shared.b64 _, [%r20+64];"),
            "bad-operand: no mbarrier is at byte 64 of shared memory; `mbarrier.init` makes one");
  EXPECT_EQ(only("mbarrier.arrive.b64 _, [%d50];"), "bad-operand: the address lies in `p0`; expected shared memory");
  EXPECT_EQ(only("mbarrier.arrive.shared.b64 _, [%r20+4];"),
            "misaligned: address 0x404 in `shared memory` is no multiple of 8 bytes");
}

TEST(Mbarrier, UndefinedOperandsAreFound) {
  auto only = [](const std::string &body) { return summary(alone(1, body).run()); };
  EXPECT_EQ(only("mbarrier.arrive.shared.b64 _, [%r20], %r30;").substr(0, 33), "undefined: the count is undefined");
  EXPECT_EQ(only("mbarrier.expect_tx.relaxed.cta.shared.b64 [%r20], %r30;").substr(0, 44),
            "undefined: the number of bytes is undefined");
  EXPECT_EQ(only("mbarrier.test_wait.parity.shared.b64 %p1, [%r20], %r30;"), "undefined: the parity is undefined");
  EXPECT_EQ(only("mbarrier.test_wait.shared.b64 %p1, [%r20], %d30;"), "undefined: the state is undefined");
}

TEST(Mbarrier, OtherFormsAreRefused) {
  auto refusal = [](const std::string &body) { return alone(1, body).refusal().message; };
  EXPECT_EQ(refusal("mbarrier.init.shared.b32 [%r20], 1;"), "`mbarrier.init.shared.b32`: expected `.b64`");
  EXPECT_EQ(refusal("mbarrier.arrive.expect_tx.shared.b64 %d1, [%r20];"),
            "`mbarrier.arrive.expect_tx.shared.b64`: it has 2 operands");
  EXPECT_EQ(refusal("mbarrier.test_wait.parity.shared.b64 %p1, [%r20], 0, 100;"),
            "`mbarrier.test_wait.parity.shared.b64`: it has 4 operands");
  EXPECT_EQ(refusal("mbarrier.pending_count.u64 %r1, %d1;"),
            "`mbarrier.pending_count.u64`: expected `mbarrier.pending_count.b64 count, state`");
  EXPECT_EQ(refusal("cp.async.mbarrier.wait.shared.b64 [%r20];"),
            "`cp.async.mbarrier.wait.shared.b64`: expected `.arrive`");
  EXPECT_EQ(refusal("cp.async.mbarrier.arrive.shared [%r20];"),
            "`cp.async.mbarrier.arrive.shared`: expected `.b64` and an address");
}

TEST(Mbarrier, OrdinaryAccessesMustNotTouchIt) {
  auto only = [](const std::string &body) { return summary(alone(1, body).run()); };
  EXPECT_EQ(only("st.shared.u32 [%r20+4], 0;"),
            "bad-operand: a write to bytes 4 to 7 of `shared memory`, where an mbarrier is; expected an instruction on "
            "mbarriers");
  EXPECT_EQ(only("ld.shared.u8 %r1, [%r21+15];"),
            "bad-operand: a read of byte 31 of `shared memory`, where an mbarrier is; expected an instruction "
            "on mbarriers");
  EXPECT_EQ(only("mbarrier.init.shared.b64 [%r20], 1;"),
            "bad-operand: the mbarrier at byte 0 lacks 1 arrivals and 0 bytes in phase 0; expected `mbarrier.inval` "
            "before its memory is used again");
  EXPECT_EQ(only("mbarrier.inval.shared.b64 [%r20]; st.shared.u32 [%r20], 0; ld.shared.u32 %r1, [%r20];"), "");
}

/// Two warps copy with `cp.async`; the last thread's arrival of each lets warp 0 read what warp 1 copied.
static KernelRun copies(unsigned count, const std::string &arrival, const std::string &wait) {
  KernelRun run(initBarriers(count, 1) + R"(
    bar.sync 0;
    mov.u32 %r11, buffer;
    mad.lo.u32 %r10, %r0, 16, %r11;
    mul.wide.u32 %d1, %r0, 16;
    add.s64 %d1, %d51, %d1;
    cp.async.cg.shared.global [%r10], [%d1], 16;
    )" + arrival + "\n" +
                    wait + R"(
    xor.b32 %r12, %r0, 32;
    mad.lo.u32 %r12, %r12, 16, %r11;
    ld.shared.u32 %r1, [%r12];
    mul.wide.u32 %d2, %r0, 4;
    add.s64 %d2, %d50, %d2;
    st.global.u32 [%d2], %r1;)",
                kMbarriers);
  run.block = {64, 1, 1};
  run.addOutput<uint32_t>(64);
  std::vector<uint32_t> source(256);
  for (uint32_t i = 0; i < source.size(); ++i)
    source[i] = i + 7;
  run.add(source);
  return run;
}
static const std::string kWaitForCopies = "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%r20], 0;\n@!%p1 bra WAIT;";

TEST(Mbarrier, CopiesArrive) {
  for (unsigned seed = 1; seed < 20; ++seed) {
    KernelRun direct = copies(64, "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r20];", kWaitForCopies);
    KernelRun added = copies(64, "cp.async.mbarrier.arrive.shared.b64 [%r20];\nmbarrier.arrive.shared.b64 _, [%r20];",
                             kWaitForCopies);
    for (KernelRun *run : {&direct, &added}) {
      run->options.seed = seed;
      EXPECT_EQ(summary(run->run()), "");
      for (uint32_t thread = 0; thread < 64; ++thread)
        EXPECT_EQ(run->get<uint32_t>(0)[thread], (thread ^ 32) * 4 + 7);
    }
    // A thread's own arrival does not wait for its copies.
    KernelRun early = copies(64, "mbarrier.arrive.shared.b64 _, [%r20];", kWaitForCopies);
    early.options.seed = seed;
    EXPECT_TRUE(has(early.run(), Fault::AsyncNotAwaited));
  }
}

TEST(Mbarrier, MustOutliveTheCopiesThatArrive) {
  bool found = false;
  for (unsigned seed = 1; seed < 20; ++seed) {
    KernelRun run = copies(1,
                           "setp.eq.u32 %p6, %r0, 0; @%p6 cp.async.mbarrier.arrive.noinc.shared.b64 [%r20];\n"
                           "@%p6 mbarrier.inval.shared.b64 [%r20];\ncp.async.wait_all;\nbar.sync 0;",
                           "");
    run.options.seed = seed;
    found |= summary(run.run()).find("arrival-count: no mbarrier is at byte 0 of shared memory when the copies have "
                                     "ended") != std::string::npos;
  }
  EXPECT_TRUE(found);
}

} // namespace tile::sim::test
