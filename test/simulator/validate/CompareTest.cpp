// What counts as a difference between the simulator and a GPU.
#include "test/simulator/validate/Compare.h"

#include <gtest/gtest.h>

namespace tile::sim::validate {
namespace {

/// The difference of one f32 for an operand, of an instruction with this bound.
Difference differenceOf(const std::string &bound, uint32_t operand, uint32_t simulated, uint32_t real) {
  auto bytes = [](uint32_t word) {
    return Bytes{uint8_t(word), uint8_t(word >> 8), uint8_t(word >> 16), uint8_t(word >> 24)};
  };
  Kernel kernel;
  kernel.inputs = {bytes(operand)};
  kernel.operandBytes = {4};
  Result result{"it", 0, 1, 4, bound};
  return compare(kernel, result, bytes(simulated), bytes(real));
}

TEST(Compare, WithoutABoundEveryBitCounts) {
  Difference difference = differenceOf("", 1, 0x7fffffff, 0x7fc00000);
  EXPECT_EQ(difference.differing, 1u);
  EXPECT_EQ(difference.some, std::vector<std::string>{"element 0: 1 gives 7fc00000, simulated 7fffffff"});
  EXPECT_EQ(differenceOf("", 1, 5, 5).differing, 0u);
}

TEST(Compare, ABoundIsMetOrExceeded) {
  // Two units in the last place, and half of one for the simulator's rounding.
  EXPECT_EQ(differenceOf("ex2.approx.f32", 0x3f800000, 0x40000000, 0x40000002).beyond, 0u);
  EXPECT_EQ(differenceOf("ex2.approx.f32", 0x3f800000, 0x40000000, 0x40000003).beyond, 1u);
  EXPECT_EQ(differenceOf("ex2.approx.f32", 0x3f800000, 0x40000000, 0x7f800000).beyond, 1u);
}

TEST(Compare, NaNsAreAlikeWhereThereIsABound) {
  Difference difference = differenceOf("ex2.approx.f32", 0x7fc00000, 0x7fffffff, 0x7fc00000);
  EXPECT_EQ(difference.differing, 1u);
  EXPECT_EQ(difference.beyond, 0u);
}

} // namespace
} // namespace tile::sim::validate
