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

TEST(Arithmetic, ProductsOf24Bits) {
  EXPECT_EQ(wordsOf("mov.u32 %r5, 0xff800001; mul24.lo.u32 %r1, %r5, 2; mul24.hi.s32 %r2, %r5, %r5;"
                    "mad24.lo.s32 %r3, %r5, 3, 1; mad24.hi.sat.s32 %r4, 0x7fffff, 0x7fffff, 0x7fffffff;"),
            (Words{0x1000002, 0x3fffff00, 0xfe800004, 0x7fffffff}));
}

TEST(Arithmetic, APredicateThatJoinsAComparisonMayBeNegated) {
  EXPECT_EQ(wordsOf(R"(
    setp.eq.s32 %p1, 0, 0;
    setp.eq.and.s32 %p2, 0, 0, !%p1;
    selp.u32 %r1, 1, 0, %p2;
    set.eq.or.u32.s32 %r2, 0, 1, %p1;
    set.eq.xor.u32.s32 %r3, 0, 1, !%p1;
    setp.eq.xor.s32 %p2|%p3, 0, 0, !%p1;
    selp.u32 %r4, 1, 0, %p3;)"),
            (Words{0, 0xffffffff, 0, 0}));
}

TEST(Arithmetic, PackedComparisonsHaveAResultForEachHalf) {
  EXPECT_EQ(wordsOf(R"(
    mov.u32 %r5, 0x3c007e00; // 1 and a NaN
    mov.u32 %r6, 0x40003c00; // 2 and 1
    setp.lt.f16x2 %p1|%p2, %r5, %r6;
    selp.u32 %r1, 1, 0, %p1;
    selp.u32 %r2, 1, 0, %p2;
    set.geu.f16x2.f16x2 %r3, %r5, %r6;
    set.lt.u32.f16x2 %r4, %r5, %r6;)"),
            (Words{0, 1, 0x3c00, 0xffff0000}));
}

TEST(Arithmetic, ALookUpOfBitsJoinsAPredicate) {
  EXPECT_EQ(wordsOf("setp.eq.s32 %p1, 0, 0; lop3.and.b32 %r1|%p2, 12, 10, 0, 0xc0, %p1; selp.u32 %r2, 1, 0, %p2;"
                    "lop3.or.b32 %r3|%p3, 12, 3, 0, 0xc0, !%p1; selp.u32 %r4, 1, 0, %p3;"),
            (Words{8, 1, 0, 0}));
}

TEST(Arithmetic, IntegersThatAreNotNegative) {
  EXPECT_EQ(
      wordsOf("min.relu.s32 %r1, -5, 7; max.relu.s32 %r2, -5, 7; mov.u32 %r5, 0xfffe0003; mov.u32 %r6, 0xffff0002;"
              "max.relu.s16x2 %r3, %r5, %r6; min.relu.s16x2 %r4, %r5, %r6;"),
      (Words{0, 7, 3, 2}));
}

TEST(Arithmetic, ASignChooses) {
  EXPECT_EQ(wordsOf("mov.f32 %f1, 0f80000000; mov.f32 %f2, 0f80000001; mov.f32 %f3, 0f7fc00000;"
                    "slct.u32.s32 %r1, 1, 2, -1; slct.u32.f32 %r2, 1, 2, %f1; slct.ftz.u32.f32 %r3, 1, 2, %f2;"
                    "slct.u32.f32 %r4, 1, 2, %f3;"),
            (Words{2, 1, 1, 2}));
}

TEST(Arithmetic, AConversionToTheSameTypeKeepsANaN) {
  EXPECT_EQ(wordsOf("mov.f32 %f1, 0f7f800001; cvt.f32.f32 %f2, %f1; mov.b32 %r1, %f2; cvt.sat.f32.f32 %f3, %f1;"
                    "mov.b32 %r2, %f3; cvt.ftz.f64.f32 %d1, %f1; mov.b64 {%r3, %r4}, %d1;"),
            (Words{0x7f800001, 0, 0xe0000000, 0x7fffffff}));
}

TEST(Arithmetic, AMatrixInRegistersIsTransposed) {
  // Element (row, column) is 8 row + column: lane 4 row + column / 2 has two of them.
  KernelRun run(kThread + "shl.b32 %r1, %r0, 1; add.u32 %r2, %r1, 1; shl.b32 %r2, %r2, 16; or.b32 %r1, %r1, %r2;"
                          "movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r1; st.global.u32 [%d0], %r3;");
  run.addOutput<uint32_t>(32);
  EXPECT_EQ(summary(run.run()), "");
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(run.get<uint16_t>(0)[2 * lane + 1], 8 * (lane % 4 * 2 + 1) + lane / 4) << lane;
}

TEST(Arithmetic, RegistersOf128BitsMove) {
  KernelRun run("mov.u64 %d1, 7; mov.u64 %d2, 9; mov.b128 %q1, {%d1, %d2}; mov.b128 %q2, %q1;"
                "mov.b128 {%d3, %d4}, %q2; st.global.v2.u64 [%d50], {%d4, %d3}; st.global.b128 [%d50+16], %q2;"
                "ld.global.b128 %q3, [%d50]; st.global.b128 [%d50+32], %q3;",
                ".reg .b128 %q<4>;");
  run.block = {1, 1, 1};
  run.addOutput<uint64_t>(6);
  EXPECT_EQ(summary(run.run()), "");
  EXPECT_EQ(run.get<uint64_t>(0), (std::vector<uint64_t>{9, 7, 7, 9, 9, 7}));
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
  run.options.checks = kNoChecks; // the counter starts undefined
  run.notComparable = "the lanes take their turns in any order";
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
  run.notComparable = "any lane may be the first";
  run.addOutput<uint32_t>(32);
  run.add(std::vector<uint32_t>{7});
  EXPECT_EQ(summary(run.run()), "");
  std::vector<uint32_t> found = run.get<uint32_t>(0);
  EXPECT_EQ(std::count(found.begin(), found.end(), 7u), 1);
}

TEST(Atomic, SumsOfF32FlushInGlobalMemoryAlone) {
  KernelRun run("mov.f32 %f1, 0f00000001; st.shared.f32 [cell], %f1; red.shared.add.f32 [cell], %f1;"
                "ld.shared.f32 %f2, [cell]; st.global.f32 [%d50], %f2; red.global.add.f32 [%d50+4], %f1;",
                ".shared .f32 cell;");
  run.block = {1, 1, 1};
  run.add(std::vector<uint32_t>{0, 1});
  EXPECT_EQ(summary(run.run()), "");
  EXPECT_EQ(run.get<uint32_t>(0), (Words{2, 0}));
}

TEST(Atomic, TheElementsOfAVectorAreEachAdded) {
  KernelRun run("mov.f32 %f1, 0f3f800000; atom.global.add.v2.f32 {%f3, %f4}, [%d50], {%f1, %f1};"
                "mov.u32 %r1, 0x3f803f80; red.global.add.noftz.v2.bf16x2 [%d50+8], {%r1, %r1};"
                "st.global.v2.f32 [%d50+16], {%f3, %f4};");
  run.block = {1, 1, 1};
  run.add(std::vector<uint32_t>{0x40000000, 0, 0x3f803f80, 0x40004000, 0, 0});
  EXPECT_EQ(summary(run.run()), "");
  EXPECT_EQ(run.get<uint32_t>(0), (Words{0x40400000, 0x3f800000, 0x40004000, 0x40404040, 0x40000000, 0}));
}

TEST(Arithmetic, AReductionOfF32IsOfLaterTargets) {
  EXPECT_EQ(KernelRun("redux.sync.min.f32 %f1, %f2, -1;").refusal().message,
            "`redux.sync.min.f32`: `.f32` needs sm_100; up to sm_90 it reduces integers alone");
}

TEST(Atomic, AVectorOutsideGlobalMemoryIsRefused) {
  KernelRun run("red.shared.add.v2.f32 [cell], {%f1, %f1};", ".shared .align 8 .b8 cell[8];");
  EXPECT_EQ(run.refusal().message, "`red.shared.add.v2.f32`: a vector lies in `.global` memory alone");
}

TEST(Atomic, SwapsOf128Bits) {
  KernelRun run("mov.u64 %d1, 1; mov.u64 %d2, 2; mov.b128 %q1, {%d1, %d2}; mov.b128 %q2, {%d2, %d1};"
                "atom.global.cas.b128 %q3, [%d50], %q2, %q1; atom.global.cas.b128 %q3, [%d50], %q1, %q2;"
                "atom.global.exch.b128 %q0, [%d50], %q1; st.global.b128 [%d50+16], %q0;",
                ".reg .b128 %q<4>;");
  run.block = {1, 1, 1};
  run.add(std::vector<uint64_t>{1, 2, 0, 0});
  EXPECT_EQ(summary(run.run()), "");
  EXPECT_EQ(run.get<uint64_t>(0), (std::vector<uint64_t>{1, 2, 2, 1}));
}

} // namespace tile::sim::test
