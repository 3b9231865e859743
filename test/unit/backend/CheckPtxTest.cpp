/// The rules that emitted PTX keeps.
#include "backend/ptx/CheckPtx.h"

#include <gtest/gtest.h>

namespace tile {

static std::vector<std::string> messages(llvm::StringRef ptx) {
  std::vector<std::string> result;
  for (const PtxProblem &problem : checkPtx(ptx))
    result.push_back(std::to_string(problem.line) + ": " + problem.message);
  return result;
}

TEST(CheckPtxTest, FloatArithmeticNeedsARoundingMode) {
  EXPECT_EQ(messages("\tmul.f32 %f1, %f2, %f3;\n\t@%p1 add.ftz.f32 %f1, %f2, %f3;\n\tfma.f64 %d1, %d2, %d3, %d4;\n"),
            (std::vector<std::string>{"1: `mul.f32` has no rounding mode: the assembler may fuse it",
                                      "2: `add.ftz.f32` has no rounding mode: the assembler may fuse it",
                                      "3: `fma.f64` has no rounding mode: the assembler may fuse it"}));
}

TEST(CheckPtxTest, InstructionsInsideInlineAssemblyAreSeen) {
  EXPECT_EQ(messages("\t{ mov.b32 %r1, %r2; sub.bf16x2 %r3, %r1, %r4; }\n"),
            (std::vector<std::string>{"1: `sub.bf16x2` has no rounding mode: the assembler may fuse it"}));
}

TEST(CheckPtxTest, RoundedAndIntegerArithmeticPass) {
  EXPECT_TRUE(messages("\tadd.rn.f32 %f1, %f2, %f3;\n\tfma.rn.bf16x2 %r1, %r2, %r3, %r4;\n\tmul.lo.s32 %r1, %r2, %r3;\n"
                       "\tred.global.add.f32 [%rd1], %f1;\n\tmax.NaN.f32 %f1, %f2, %f3; // add.f32\n")
                  .empty());
}

TEST(CheckPtxTest, DebugTargetIsAProblem) {
  EXPECT_EQ(messages(".version 8.0\n.target sm_90a, debug\n"),
            (std::vector<std::string>{"2: `.target` has `debug`: the assembler optimises nothing"}));
  EXPECT_TRUE(messages(".target sm_90a\n").empty());
}

} // namespace tile
