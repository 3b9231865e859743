/// What a PTX text does, counted.
#include "backend/ptx/PtxSummary.h"

#include <gtest/gtest.h>

namespace tile {

/// The summary of a kernel whose body is `body`.
static PtxKernel summary(llvm::StringRef body) {
  std::vector<PtxKernel> kernels =
      summarizePtx((".visible .entry k(\n\t.param .u64 a\n)\n.reqntid 64, 2, 1\n{\n" + body + "\n\tret;\n}\n").str());
  EXPECT_EQ(kernels.size(), 1u);
  return kernels.front();
}

using Widths = std::map<unsigned, unsigned>;

TEST(PtxSummaryTest, NameAndThreads) {
  EXPECT_EQ(summary("").name, "k");
  EXPECT_EQ(summary("").threads, 128u);
}

TEST(PtxSummaryTest, DirectivesLabelsAndCommentsAreNoInstructions) {
  EXPECT_EQ(summary("\t.reg .b32 \t%r<5>;\n$L__BB0_1:\n\t// begin inline asm\n\tadd.s32 \t%r1, %r2, 1; // a\n"
                    "\t.loc\t1 3 42\n\t@%p1 bra \t$L__BB0_1;")
                .instructions,
            3u); // with `ret`
}

TEST(PtxSummaryTest, WidthsOfGlobalAccesses) {
  PtxKernel kernel = summary("\tld.global.v4.b32 \t{%r1, %r2, %r3, %r4}, [%rd1];\n"
                             "\t@%p1 ld.global.nc.v2.b64 \t{%rd2, %rd3}, [%rd1];\n"
                             "\tld.global.b16 \t%rs1, [%rd1];\n"
                             "\tld.shared.v4.b32 \t{%r1, %r2, %r3, %r4}, [%r5];\n"
                             "\tst.global.v2.f32 \t[%rd1], {%f1, %f2};\n"
                             "$L__BB0_1:\n"
                             "\tst.global.b8 \t[%rd1], %r1;");
  EXPECT_EQ(kernel.globalLoads, (Widths{{2, 1}, {16, 2}}));
  EXPECT_EQ(kernel.globalStores, (Widths{{1, 1}, {8, 1}}));
}

TEST(PtxSummaryTest, AsyncCopiesHaveTheirBytesAsAnOperand) {
  PtxKernel kernel = summary("\tcp.async.cg.shared.global [%r1], [%rd1], 16, %r2;\n"
                             "\tcp.async.ca.shared.global [%r1+16], [%rd1], 4;\n"
                             "\tcp.async.commit_group;");
  EXPECT_EQ(kernel.asyncCopies, (Widths{{4, 1}, {16, 1}}));
}

TEST(PtxSummaryTest, KindsOfMatrixMultiplies) {
  PtxKernel kernel =
      summary("\tmma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r1}, {%r2}, {%f1};\n"
              "\tmma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r1}, {%r2}, {%f1};\n"
              "\tmma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1}, {%r1}, {%r2}, {%f1};\n"
              "\tmma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%r1}, {%r1}, {%r2}, {%r1};\n"
              "\tldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];");
  EXPECT_EQ(kernel.matrixMultiplies,
            (std::map<std::string, unsigned>{{"m16n8k16 bf16", 2}, {"m16n8k32 s8", 1}, {"m16n8k8 tf32", 1}}));
  EXPECT_EQ(kernel.matrixLoads, 1u);
}

TEST(PtxSummaryTest, ProductsOfWarpgroupsInOneText) {
  PtxKernel kernel =
      summary("\t{ .reg .pred add; setp.eq.u32 add, 0, 0; wgmma.fence.sync.aligned; "
              "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, "
              "add, 1, 1, 0, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, "
              "{%r1, %r2, %r3, %r4}, %rd2, add, 1, 1, 0; }");
  EXPECT_EQ(kernel.warpgroupMultiplies, (std::map<std::string, unsigned>{{"m64n8k16 bf16", 2}}));
  EXPECT_TRUE(kernel.matrixMultiplies.empty());
  EXPECT_EQ(kernel.instructions, 5u); // with `ret`
}

TEST(PtxSummaryTest, BarriersAndShuffles) {
  PtxKernel kernel = summary("\tbar.sync 0;\n\tbarrier.sync 0;\n\tshfl.sync.bfly.b32 %r1, %r2, 16, 31, -1;");
  EXPECT_EQ(kernel.barriers, 2u);
  EXPECT_EQ(kernel.shuffles, 1u);
}

TEST(PtxSummaryTest, KernelsAreApartAndDeviceFunctionsLeftOut) {
  std::vector<PtxKernel> kernels = summarizePtx(".visible .entry a()\n{\n\tbar.sync 0;\n}\n"
                                                ".func (.param .b32 r) helper()\n{\n\tbar.sync 0;\n}\n"
                                                ".visible .entry b()\n{\n\tret;\n}\n");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].barriers, 1u);
  EXPECT_EQ(kernels[1].name, "b");
  EXPECT_EQ(kernels[1].barriers, 0u);
}

} // namespace tile
