// Counts of matrices: rows in shared memory, asynchronous copies, the work of tensor cores.
#include "test/unit/simulator/counters/CountKernel.h"
#include "test/unit/simulator/machine/WgmmaKernels.h"

namespace tile::sim::test {

/// Lane l's row of 128 bytes, its chunk 3, swizzled by the row or not.
static Counters countMatrixAccess(const std::string &instruction, bool isSwizzled, unsigned rowBytes = 128) {
  KernelRun run(kThread + R"(
    mov.u32 %r11, buffer;
    and.b32 %r12, %r0, 7;
    xor.b32 %r12, %r12, 3;
    )" + std::string(isSwizzled ? "" : "mov.u32 %r12, 3;\n") +
                    "mad.lo.u32 %r10, %r0, " + std::to_string(rowBytes) +
                    ", %r11;\nmad.lo.u32 %r10, %r12, 16, %r10;\nmov.u32 %r1, 0;\nmov.u32 %r2, 0;\n"
                    "mov.u32 %r3, 0;\nmov.u32 %r4, 0;\n" +
                    instruction + ";\n",
                ".shared .align 128 .b8 buffer[8192];");
  return countRun(run).of(instruction.substr(0, 8));
}

TEST(MatrixCounters, EightRowsOfAMatrixAreAPass) {
  std::string load = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r10]";
  EXPECT_EQ(countMatrixAccess(load, false).sharedWavefronts, 32u);
  EXPECT_EQ(countMatrixAccess(load, false).sharedIdeal, 4u);
  EXPECT_EQ(countMatrixAccess(load, true).sharedWavefronts, 4u);
  // Rows padded by 16 bytes need no swizzle.
  EXPECT_EQ(countMatrixAccess(load, false, 144).sharedWavefronts, 4u);
  EXPECT_EQ(countMatrixAccess(load, true).sharedBytes, 512u);
  std::string store = "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r10], {%r1, %r2, %r3, %r4}";
  EXPECT_EQ(countMatrixAccess(store, false).sharedWavefronts, 32u);
  EXPECT_EQ(countMatrixAccess(store, true).sharedWavefronts, 4u);
}

TEST(MatrixCounters, OnlyTheLanesWhoseRowsAreReadCount) {
  EXPECT_EQ(countMatrixAccess("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r10]", false).sharedWavefronts, 8u);
  EXPECT_EQ(countMatrixAccess("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%r10]", true).sharedBytes, 256u);
}

TEST(MatrixCounters, ACopyReadsWhatItsSizeSaysAndWritesTheRest) {
  KernelRun run(kThread + R"(
    mov.u32 %r11, buffer;
    mad.lo.u32 %r10, %r0, 16, %r11;
    mul.wide.u32 %d2, %r0, 16;
    add.s64 %d2, %d50, %d2;
    setp.lt.u32 %p1, %r0, 10;
    selp.u32 %r1, 16, 0, %p1;
    cp.async.cg.shared.global [%r10], [%d2], 16, %r1;
    cp.async.ca.shared.global [%r10+1024], [%d2+4], 4;
    cp.async.wait_all;)",
                ".shared .align 16 .b8 buffer[2048];");
  run.add(std::vector<uint32_t>(128));
  Counted counted = countRun(run);
  Counters sized = counted.of("cp.async.cg"), whole = counted.of("cp.async.ca");
  EXPECT_EQ(sized.globalBytes, 160u);
  EXPECT_EQ(sized.globalSectors, 5u);
  EXPECT_EQ(sized.asyncBytes, 512u);
  EXPECT_EQ(sized.sharedWavefronts, 4u);
  EXPECT_EQ(whole.globalBytes, 128u);
  EXPECT_EQ(whole.globalSectors, 16u);
  EXPECT_EQ(whole.sharedWavefronts, 4u); // every fourth word
  EXPECT_EQ(whole.sharedIdeal, 1u);
  EXPECT_EQ(counted.of("cp.async.wait_all").waits, 1u);
}

TEST(MatrixCounters, MatrixInstructionsCountTheirWork) {
  KernelRun run("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0, %f1, %f2, %f3}, {%r1, %r2, %r3, %r4}, "
                "{%r5, %r6}, {%f0, %f1, %f2, %f3};");
  run.block = {64, 1, 1};
  Counted counted = countRun(run);
  EXPECT_EQ(counted.of("mma").mmas, 2u);
  EXPECT_EQ(counted.of("mma").flops, 2u * 2 * 16 * 8 * 16);
  bool isNamed = false;
  for (const CountedInstruction &instruction : counted.instructions)
    isNamed |= instruction.matrixTypes == "bf16 x bf16 -> f32" && instruction.kind == InstructionClass::TensorCore;
  EXPECT_TRUE(isNamed);
}

TEST(MatrixCounters, AWarpgroupReadsItsOperandsOnce) {
  for (bool aInRegisters : {false, true}) {
    Product wanted;
    wanted.aInRegisters = aInRegisters;
    KernelRun run = wanted.kernel();
    Counters counters = countRun(run).of("wgmma.mma_async");
    EXPECT_EQ(counters.mmas, 4u * 4);
    EXPECT_EQ(counters.flops, 2u * 64 * 64 * 64);
    EXPECT_EQ(counters.matrixBytes, 64u * 64 * 2 * (aInRegisters ? 1 : 2));
    EXPECT_EQ(counters.sharedWavefronts, 0u);
  }
}

TEST(MatrixCounters, APollThatFindsNothingIsNoWait) {
  KernelRun run(R"(
    mov.u32 %r0, %tid.x;
    mov.u32 %r20, full;
    setp.ne.u32 %p1, %r0, 0;
    @!%p1 mbarrier.init.shared::cta.b64 [%r20], 1;
    bar.sync 0;
    WAIT: mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r20], 0;
    @!%p1 mbarrier.arrive.shared::cta.b64 %d10, [%r20];
    setp.eq.u32 %p1, %r0, 99;
    not.pred %p1, %p1;
    @!%p3 bra WAIT;)",
                ".shared .align 8 .b64 full;");
  Counted counted = countRun(run);
  EXPECT_EQ(counted.of("mbarrier.test_wait").failedPolls, 1u);
  EXPECT_EQ(counted.of("mbarrier.test_wait").waits, 1u);
  EXPECT_EQ(counted.of("mbarrier.arrive").barriers, 0u);
}

} // namespace tile::sim::test
