/// \file
/// Comparisons: each is true for the orders that its name lists.
#include "backend/simulator/numerics/Compare.h"

#include "gtest/gtest.h"

#include <cmath>

namespace tile::sim::numerics {
namespace {

/// For a < b, a = b, a > b and unordered.
struct Row {
  Comparison comparison;
  bool less, equal, greater, unordered;
};
const Row kRows[] = {
    {Comparison::Eq, false, true, false, false}, {Comparison::Ne, true, false, true, false},
    {Comparison::Lt, true, false, false, false}, {Comparison::Le, true, true, false, false},
    {Comparison::Gt, false, false, true, false}, {Comparison::Ge, false, true, true, false},
    {Comparison::Equ, false, true, false, true}, {Comparison::Neu, true, false, true, true},
    {Comparison::Ltu, true, false, false, true}, {Comparison::Leu, true, true, false, true},
    {Comparison::Gtu, false, false, true, true}, {Comparison::Geu, false, true, true, true},
    {Comparison::Num, true, true, true, false},  {Comparison::Nan, false, false, false, true},
};

TEST(Compare, FloatsByTheTable) {
  for (const Row &row : kRows) {
    EXPECT_EQ(compareFloats(row.comparison, -1.0f, 1.0f), row.less);
    EXPECT_EQ(compareFloats(row.comparison, 0.0, -0.0), row.equal);
    EXPECT_EQ(compareFloats(row.comparison, Half{0x3c01}, Half{0x3c00}), row.greater);
    EXPECT_EQ(compareFloats(row.comparison, BFloat{0x7fff}, BFloat{0}), row.unordered);
    EXPECT_EQ(compareFloats(row.comparison, 1.0f, NAN), row.unordered);
  }
}

TEST(Compare, FtzTakesSubnormalsForZeros) {
  EXPECT_FALSE(compareFloats(Comparison::Eq, 0x1p-130f, 0.0f));
  EXPECT_TRUE(compareFloats(Comparison::Eq, 0x1p-130f, -0x1p-140f, true));
}

TEST(Compare, IntegersByTheTable) {
  for (const Row &row : kRows) {
    if (row.comparison > Comparison::Ge)
      break;
    EXPECT_EQ(compareIntegers(row.comparison, -1, 1), row.less);
    EXPECT_EQ(compareIntegers(row.comparison, ~0u, 1u), row.greater);
    EXPECT_EQ(compareIntegers<int64_t>(row.comparison, 7, 7), row.equal);
  }
}

} // namespace
} // namespace tile::sim::numerics
