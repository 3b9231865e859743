// Instructions on registers: widths, carries, predicates, and atomics, which combine with memory.
#include "test/unit/simulator/machine/RunPtx.h"

#include <algorithm>

namespace tile::sim::test {

static const std::string kThread = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.s64 %d0, %d50, %d1;\n";

/// The words that `body` leaves in %r1 to %r4, in one thread.
static std::vector<uint32_t> wordsOf(const std::string &body) {
  KernelRun run(body + "\nst.global.v4.u32 [%d50], {%r1, %r2, %r3, %r4};");
  run.block = {1, 1, 1};
  run.addOutput<uint32_t>(4);
  EXPECT_EQ(summary(run.run()), "");
  return run.get<uint32_t>(0);
}

using Words = std::vector<uint32_t>;

TEST(Arithmetic, ConversionsTakeTheLowBitsOfAWiderRegister) {
  EXPECT_EQ(wordsOf(R"(
    mov.u64 %d1, 0x12345678fffffff6;
    cvt.s64.s32 %d2, %d1;
    mov.b64 {%r1, %r2}, %d2;
    cvt.u32.u8 %r3, %d1;
    mov.b16 %h1, -2;
    cvt.s32.s8 %r4, %h1;)"),
            (Words{0xfffffff6, 0xffffffff, 0xf6, 0xfffffffe}));
}

TEST(Arithmetic, ANarrowResultFillsItsRegister) {
  EXPECT_EQ(wordsOf("mov.u32 %r0, 0x1ff; cvt.s8.s32 %r1, %r0; cvt.u8.u32 %r2, %r0; cvt.s16.s32 %h1, 0x18001;"
                    "cvt.s32.s16 %r3, %h1; cvt.sat.u8.s32 %r4, -5;"),
            (Words{0xffffffff, 0xff, 0xffff8001, 0}));
}

TEST(Arithmetic, CarriesGoFromSumToSum) {
  EXPECT_EQ(wordsOf(R"(
    mov.u32 %r5, 0xffffffff;
    add.cc.u32 %r1, %r5, 1;
    addc.u32 %r2, 7, 0;
    sub.cc.u32 %r6, 0, 1;
    subc.u32 %r3, 7, 0;
    mad.lo.cc.u32 %r6, %r5, %r5, %r5;
    madc.hi.u32 %r4, %r5, %r5, 0;)"),
            (Words{0, 8, 6, 0xffffffff}));
}

TEST(Arithmetic, PredicatesAreConstantsAndRegisters) {
  EXPECT_EQ(wordsOf(R"(
    mov.pred %p1, -1;
    mov.pred %p2, 0;
    not.pred %p3, %p2;
    and.pred %p4, %p1, %p3;
    selp.u32 %r1, 1, 0, %p1;
    selp.u32 %r2, 1, 0, %p2;
    selp.u32 %r3, 1, 0, %p4;
    setp.lt.and.s32 %p5|%p6, -1, 1, %p1;
    selp.u32 %r4, 1, 0, %p6;)"),
            (Words{1, 0, 1, 0}));
}

TEST(Arithmetic, PartsOfARegisterComeApartAndTogether) {
  EXPECT_EQ(wordsOf(R"(
    mov.u32 %r0, 0x80017fff;
    mov.b32 {%h1, %h2}, %r0;
    mov.b32 %r1, {%h2, %h1};
    prmt.b32 %r2, %r0, %r0, 0x0123;
    lop3.b32 %r3, 0xff00, 0x0ff0, 0x00ff, 0x96;
    shf.l.wrap.b32 %r4, %r0, %r0, 8;)"),
            (Words{0x7fff8001, 0xff7f0180, 0xf00f, 0x017fff80}));
}

TEST(Atomic, EveryThreadOfEveryCtaCounts) {
  KernelRun run(R"(
    mov.u32 %r0, %tid.x;
    and.b32 %r1, %r0, 7;
    mul.wide.u32 %d1, %r1, 4;
    add.s64 %d0, %d50, %d1;
    atom.global.add.u32 %r2, [%d0], 1;
    red.global.max.u32 [%d51], %r2;)");
  run.grid = {5, 1, 1};
  run.block = {64, 1, 1};
  run.add(std::vector<uint32_t>(8, 0));
  run.add(std::vector<uint32_t>(1, 0));
  EXPECT_EQ(summary(run.run()), "");
  EXPECT_EQ(run.get<uint32_t>(0), std::vector<uint32_t>(8, 40));
  EXPECT_EQ(run.get<uint32_t>(1)[0], 39u);
}

TEST(Atomic, LanesTakeTurns) {
  // The old values are 0 to 31 in some order.
  KernelRun run(kThread + "atom.shared.inc.u32 %r1, [counter], 99;\nst.global.u32 [%d0], %r1;",
                ".shared .u32 counter;");
  run.options.checks = false; // the counter starts undefined
  run.addOutput<uint32_t>(32);
  run.run();
  std::vector<uint32_t> found = run.get<uint32_t>(0), sorted = found;
  std::sort(sorted.begin(), sorted.end());
  for (unsigned i = 1; i < 32; ++i)
    EXPECT_NE(sorted[i], sorted[i - 1]);
}

TEST(Atomic, OneSwapOfManySucceeds) {
  KernelRun run(kThread +
                "add.u32 %r2, %r0, 100;\natom.global.cas.b32 %r1, [%d51], 7, %r2;\nst.global.u32 [%d0], %r1;");
  run.addOutput<uint32_t>(32);
  run.add(std::vector<uint32_t>{7});
  EXPECT_EQ(summary(run.run()), "");
  std::vector<uint32_t> found = run.get<uint32_t>(0);
  EXPECT_EQ(std::count(found.begin(), found.end(), 7u), 1);
}

} // namespace tile::sim::test
