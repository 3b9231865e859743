/// The report of a kernel, word for word.
#include "backend/pipeline/Report.h"

#include <gtest/gtest.h>

namespace tile {

static std::string report(const KernelReport &kernel, llvm::StringRef target) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printReport(kernel, *findTarget(target.str()), stream);
  return text;
}

TEST(ReportTest, KernelOnAmpere) {
  KernelReport kernel;
  kernel.resources.name = kernel.code.name = "matmul";
  kernel.resources.registers = 128;
  kernel.resources.barriers = 1;
  kernel.dynamicSharedBytes = 32768;
  kernel.code.threads = 128;
  kernel.code.globalLoads = {{2, 1}, {16, 8}};
  kernel.code.globalStores = {{1, 1}};
  kernel.code.matrixMultiplies = {{"m16n8k16 bf16", 64}};
  kernel.code.matrixLoads = 16;
  kernel.code.shuffles = 2;
  kernel.code.barriers = 1;
  EXPECT_EQ(report(kernel, "sm_80"), R"(kernel `matmul` on sm_80
  threads         128 per block
  registers       128 per thread; spills none
  shared memory   32768 of 166912 bytes per block
  occupancy       16 of 64 warps, limited by registers
  global loads    8 instructions move 16 bytes per thread, 1 moves 2 bytes
  async copies    none
  global stores   1 instruction moves 1 byte per thread
  mma             64 x m16n8k16 bf16; ldmatrix 16
  exchange        2 shuffles, 1 barrier
)");
}

TEST(ReportTest, ChoicesOfTheCompiler) {
  KernelReport kernel;
  kernel.code.threads = 256;
  kernel.areWarpsChosen = true;
  kernel.boundSpillBytes = 92;
  kernel.code.asyncCopies = {{16, 12}};
  kernel.stages = 3;
  std::string text = report(kernel, "sm_90a");
  EXPECT_NE(text.find("  threads         256 per block, chosen by the compiler\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  async copies    12 instructions move 16 bytes per thread; loops of 3 stages\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("                  a bound for more resident blocks was taken back: it spilled 92 bytes\n"),
            std::string::npos)
      << text;
}

TEST(ReportTest, ProductsOfWarpgroups) {
  KernelReport kernel;
  kernel.code.warpgroupMultiplies = {{"m64n128k16 bf16", 4}};
  std::string text = report(kernel, "sm_90a");
  EXPECT_NE(text.find("  mma             none; ldmatrix 0\n  wgmma           4 x m64n128k16 bf16\n"), std::string::npos)
      << text;
}

TEST(ReportTest, SpillsAndWhatIsUnused) {
  KernelReport kernel;
  kernel.resources.spillStoreBytes = 8;
  kernel.resources.spillLoadBytes = 12;
  std::string text = report(kernel, "sm_100");
  EXPECT_NE(text.find("spills 8 bytes stored, 12 loaded\n"), std::string::npos) << text;
  EXPECT_NE(text.find("not used of sm_100 yet: tcgen05 and tensor memory, "), std::string::npos) << text;
}

} // namespace tile
