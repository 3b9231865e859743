/// The assembler's log as data: resources, remarks and faults, from the library and from ptxas.
#include "backend/ptx/AssemblerLog.h"

#include <gtest/gtest.h>

namespace tile {

TEST(AssemblerLogTest, ResourcesOfEachKernel) {
  AssemblerLog log = parseAssemblerLog(R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_90a'
ptxas info    : Function properties for first
ptxas         .     16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 16 bytes cumulative stack size, 1024 bytes smem, 388 bytes cmem[0]
ptxas info    : Compile time = 2.217 ms
ptxas info    : Compiling entry function 'second' for 'sm_90a'
ptxas info    : Function properties for second
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
)");
  ASSERT_EQ(log.kernels.size(), 2u);
  EXPECT_EQ(log.kernels[0].name, "first");
  EXPECT_EQ(log.kernels[0].registers, 40u);
  EXPECT_EQ(log.kernels[0].barriers, 1u);
  EXPECT_EQ(log.kernels[0].staticSharedBytes, 1024u);
  EXPECT_EQ(log.kernels[0].stackBytes, 16u);
  EXPECT_EQ(log.kernels[0].spillStoreBytes, 8u);
  EXPECT_EQ(log.kernels[0].spillLoadBytes, 12u);
  EXPECT_EQ(log.kernels[1].name, "second");
  EXPECT_EQ(log.kernels[1].registers, 8u);
  EXPECT_EQ(log.kernels[1].staticSharedBytes, 0u);
  EXPECT_TRUE(log.faults.empty());
}

TEST(AssemblerLogTest, ResourcesFromExternalPtxas) {
  AssemblerLog log = parseAssemblerLog(R"(ptxas info    : Compiling entry function 'k' for 'sm_80'
ptxas info    : Function properties for k
    0 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 12 registers, used 1 barriers, 372 bytes cmem[0]
)");
  ASSERT_EQ(log.kernels.size(), 1u);
  EXPECT_EQ(log.kernels[0].registers, 12u);
  EXPECT_EQ(log.kernels[0].spillStoreBytes, 4u);
}

TEST(AssemblerLogTest, SyntaxFaultHasItsLine) {
  AssemblerLog log = parseAssemblerLog(R"(ptxas application ptx input, line 16; error   : Unknown modifier '.sink'
ptxas application ptx input, line 17; error   : Not a name of any known instruction: 'foo'
ptxas fatal   : Ptx assembly aborted due to errors
)");
  ASSERT_EQ(log.faults.size(), 2u);
  EXPECT_EQ(log.faults[0].kind, AssemblerFault::Kind::Syntax);
  EXPECT_EQ(log.faults[0].line, 16u);
  EXPECT_EQ(log.faults[0].text, "Unknown modifier '.sink'");
  EXPECT_EQ(log.faults[1].line, 17u);
}

TEST(AssemblerLogTest, SharedMemoryFaultHasKernelAndSizes) {
  AssemblerLog log = parseAssemblerLog(
      "ptxas error   : Entry function 'add' uses too much shared data (0x493e0 bytes, 0x38c00 max)\n");
  ASSERT_EQ(log.faults.size(), 1u);
  EXPECT_EQ(log.faults[0].kind, AssemblerFault::Kind::SharedMemory);
  EXPECT_EQ(log.faults[0].kernel, "add");
  EXPECT_EQ(log.faults[0].foundBytes, 300000u);
  EXPECT_EQ(log.faults[0].limitBytes, 232448u);
}

TEST(AssemblerLogTest, ParameterSpaceFaultHasKernelAndSizes) {
  AssemblerLog log = parseAssemblerLog("ptxas application ptx input, line 5657; error   : Entry function 'k$fast' uses "
                                       "too much parameter space (0x1f50 bytes, 0x1100 max).\n");
  ASSERT_EQ(log.faults.size(), 1u);
  EXPECT_EQ(log.faults[0].kind, AssemblerFault::Kind::ParameterSpace);
  EXPECT_EQ(log.faults[0].kernel, "k$fast");
  EXPECT_EQ(log.faults[0].foundBytes, 8016u);
  EXPECT_EQ(log.faults[0].limitBytes, 4352u);
}

TEST(AssemblerLogTest, UnknownFaultKeepsItsText) {
  AssemblerLog log = parseAssemblerLog("ptxas fatal   : Value 'sm_77a' is not defined for option 'gpu-name'\n");
  ASSERT_EQ(log.faults.size(), 1u);
  EXPECT_EQ(log.faults[0].kind, AssemblerFault::Kind::Other);
  EXPECT_EQ(log.faults[0].text, "Value 'sm_77a' is not defined for option 'gpu-name'");
}

TEST(AssemblerLogTest, AdvisoryNoteKeepsItsCode) {
  AssemblerLog log = parseAssemblerLog(
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized\n"
      "ptxas warning : Value of threads per SM for entry k is out of range\n"
      "ptxas info    : 0 bytes gmem\n");
  ASSERT_EQ(log.remarks.size(), 2u);
  EXPECT_EQ(log.remarks[0].code, "C7510");
  EXPECT_EQ(log.remarks[0].text, "Potential Performance Loss: wgmma.mma_async instructions are serialized");
  EXPECT_EQ(log.remarks[0].serial, "");
  EXPECT_EQ(log.remarks[1].code, "");
}

TEST(AssemblerLogTest, InstructionThatNeedsMoreRegistersIsRecognised) {
  AssemblerLog log = parseAssemblerLog(
      "ptxas fatal   : (C7602) Insufficient registers (128) to compile instruction at line 1706 in function mm$fast. "
      "Try to compile with register target of 154 or higher.\nptxas fatal   : Ptx assembly aborted due to errors\n");
  ASSERT_EQ(log.faults.size(), 1u);
  EXPECT_EQ(log.faults[0].kind, AssemblerFault::Kind::InstructionRegisters);
  EXPECT_EQ(log.faults[0].kernel, "mm$fast");
  EXPECT_EQ(log.faults[0].foundRegisters, 128u);
  EXPECT_EQ(log.faults[0].neededRegisters, 154u);
}

TEST(AssemblerLogTest, WhyProductsAreSerialized) {
  AssemblerLog log = parseAssemblerLog(
      "ptxas info    : (C7511) Potential Performance Loss: wgmma.mma_async instructions are serialized due to "
      "insufficient register resources for the wgmma pipeline in the function 'k$fast' in line 19\n"
      "ptxas info    : (C7517) wgmma.wait_group is injected in around line 24 by compiler to allow use of registers "
      "defined by GMMA in function 'k'\n");
  ASSERT_EQ(log.remarks.size(), 2u);
  EXPECT_EQ(log.remarks[0].serial, "insufficient register resources for the wgmma pipeline");
  EXPECT_EQ(log.remarks[0].kernel, "k$fast");
  EXPECT_EQ(log.remarks[1].serial, "a use of a product's registers before the wait for it");
  EXPECT_EQ(log.remarks[1].kernel, "k");
}

} // namespace tile
