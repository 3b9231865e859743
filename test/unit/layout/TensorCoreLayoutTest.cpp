// Fragments against the formulas of the PTX ISA, written down again here.
#include "ir/Layout/ShapeOps.h"
#include "test/unit/layout/SmallLayouts.h"

#include <gtest/gtest.h>

#include <set>

using namespace tile;

using Formula = std::function<Coords(int i, int group, int thread)>;

/// Registers `[first, first + count)` of warp 0 lie at `origin` plus the formula.
static void expectFragment(const Layout &layout, int64_t first, int count, const Coords &origin,
                           const Formula &formula) {
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < count; ++i) {
      Coords expected = formula(i, lane / 4, lane % 4);
      expected[0] += origin[0];
      expected[1] += origin[1];
      ASSERT_EQ(layout.coords(first + i, lane, 0), expected) << layout.str() << " lane " << lane << " element " << i;
    }
}

static Coords accumulator(int i, int group, int thread) { return {group + (i < 2 ? 0 : 8), thread * 2 + (i & 1)}; }

TEST(MmaAccumulator, IsTheFragmentOfM16N8) {
  Layout one = mmaAccumulatorLayout({16, 8}, {1, 1});
  EXPECT_EQ(one.numRegisters(), 4);
  expectFragment(one, 0, 4, {0, 0}, accumulator);
  // Tiles follow each other along N, then along M.
  Layout many = mmaAccumulatorLayout({32, 16}, {1, 1});
  expectFragment(many, 4, 4, {0, 8}, accumulator);
  expectFragment(many, 8, 4, {16, 0}, accumulator);
}

TEST(MmaOperand, A16BitIsTheFragmentOfK16) {
  Formula a = [](int i, int group, int thread) {
    bool upper = (i >= 2 && i < 4) || i >= 6;
    return Coords{group + (upper ? 8 : 0), thread * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
  };
  Layout layout = mmaOperandLayout(DotOperand::A, {32, 32}, {1, 1}, 16);
  expectFragment(layout, 0, 8, {0, 0}, a);
  expectFragment(layout, 8, 8, {0, 16}, a);
  expectFragment(layout, 16, 8, {16, 0}, a);
}

TEST(MmaOperand, B16BitIsTheFragmentOfK16) {
  Formula b = [](int i, int group, int thread) { return Coords{thread * 2 + (i & 1) + (i >= 2 ? 8 : 0), group}; };
  Layout layout = mmaOperandLayout(DotOperand::B, {32, 16}, {1, 1}, 16);
  expectFragment(layout, 0, 4, {0, 0}, b);
  expectFragment(layout, 4, 4, {16, 0}, b);
  expectFragment(layout, 8, 4, {0, 8}, b);
}

TEST(MmaOperand, A8BitIsTheFragmentOfK32) {
  Formula a = [](int i, int group, int thread) {
    bool upper = (i >= 4 && i < 8) || i >= 12;
    return Coords{group + (upper ? 8 : 0), thread * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
  };
  expectFragment(mmaOperandLayout(DotOperand::A, {16, 64}, {1, 1}, 8), 16, 16, {0, 32}, a);
}

TEST(MmaOperand, B8BitIsTheFragmentOfK32) {
  Formula b = [](int i, int group, int thread) { return Coords{thread * 4 + (i & 3) + (i >= 4 ? 16 : 0), group}; };
  expectFragment(mmaOperandLayout(DotOperand::B, {32, 8}, {1, 1}, 8), 0, 8, {0, 0}, b);
}

TEST(MmaOperand, Tf32IsTheFragmentOfK8) {
  Formula a = [](int i, int group, int thread) { return Coords{group + (i % 2 ? 8 : 0), thread + (i >= 2 ? 4 : 0)}; };
  Formula b = [](int i, int group, int thread) { return Coords{thread + (i ? 4 : 0), group}; };
  expectFragment(mmaOperandLayout(DotOperand::A, {16, 16}, {1, 1}, 32), 4, 4, {0, 8}, a);
  expectFragment(mmaOperandLayout(DotOperand::B, {16, 8}, {1, 1}, 32), 2, 2, {8, 0}, b);
}

/// The values that dim `dim` takes in the registers of one warp.
static std::set<int64_t> extentOfWarp(const Layout &layout, int64_t warp, int dim) {
  std::set<int64_t> values;
  for (int64_t lane = 0; lane < layout.numLanes(); ++lane)
    for (int64_t reg = 0; reg < layout.numRegisters(); ++reg)
      values.insert(layout.coords(reg, lane, warp)[dim]);
  return values;
}

TEST(MmaOperand, EachWarpHoldsTheRowsAndColumnsOfItsAccumulator) {
  struct Case {
    int64_t m, n, k;
    std::vector<int> warps;
  };
  for (const Case &c : {Case{64, 64, 32, {2, 2}},
                        {128, 96, 64, {4, 2}},
                        {48, 80, 16, {1, 4}},
                        {192, 64, 32, {12, 1}},
                        {16, 8, 16, {2, 2}},
                        {32, 24, 48, {4, 3}}}) {
    Layout acc = mmaAccumulatorLayout({c.m, c.n}, c.warps);
    Layout a = mmaOperandLayout(DotOperand::A, {c.m, c.k}, c.warps, 16);
    Layout b = mmaOperandLayout(DotOperand::B, {c.k, c.n}, c.warps, 16);
    for (const Layout *layout : {&acc, &a, &b}) {
      EXPECT_TRUE(layout->isSurjective()) << layout->str();
      EXPECT_EQ(layout->numWarps(), c.warps[0] * c.warps[1]);
    }
    for (int64_t warp = 0; warp < acc.numWarps(); ++warp) {
      EXPECT_EQ(extentOfWarp(acc, warp, 0), extentOfWarp(a, warp, 0)) << acc.str() << "\n" << a.str();
      EXPECT_EQ(extentOfWarp(acc, warp, 1), extentOfWarp(b, warp, 1)) << acc.str() << "\n" << b.str();
      EXPECT_EQ(int64_t(extentOfWarp(a, warp, 1).size()), c.k);
      EXPECT_EQ(int64_t(extentOfWarp(b, warp, 0).size()), c.k);
    }
  }
}

TEST(MmaOperand, BatchesGoToRegistersOrTheirWarps) {
  Layout acc = mmaAccumulatorLayout({2, 3, 32, 16}, {2, 1, 2, 1});
  Layout a = mmaOperandLayout(DotOperand::A, {2, 3, 32, 16}, {2, 1, 2, 1}, 16);
  EXPECT_TRUE(acc.isInjective() && acc.isSurjective());
  for (int64_t warp = 0; warp < 4; ++warp)
    for (int dim : {0, 1, 2})
      EXPECT_EQ(extentOfWarp(acc, warp, dim), extentOfWarp(a, warp, dim));
}

TEST(MmaOperand, AccumulatorOfOneProductIsOperandAOfTheNext) {
  // The 16-bit accumulator with whole rows in a warp differs from operand A by registers alone.
  Layout acc = mmaAccumulatorLayout({64, 32}, {4, 1});
  Layout a = mmaOperandLayout(DotOperand::A, {64, 32}, {4, 1}, 16);
  EXPECT_TRUE(matchRegisters(acc, a));
  EXPECT_FALSE(matchRegisters(mmaAccumulatorLayout({64, 32}, {2, 2}), a));
}

TEST(MmaOperand, KWidthIsContiguousInAThread) {
  Layout wide = mmaOperandLayout(DotOperand::A, {16, 64}, {1, 1}, 16, 8);
  EXPECT_EQ(maxVector(wide, 1), 8);
  EXPECT_TRUE(wide.isInjective() && wide.isSurjective());
}

TEST(WgmmaAccumulator, IsTheFragmentOfM64) {
  for (int64_t n : {8, 16, 24, 64, 96, 160, 176, 192, 256}) {
    Layout layout = wgmmaAccumulatorLayout({64, n}, {4, 1});
    ASSERT_EQ(layout.numRegisters(), n / 2);
    for (int warp = 0; warp < 4; ++warp)
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < n / 2; ++i)
          ASSERT_EQ(layout.coords(i, lane, warp),
                    (Coords{16 * warp + lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + lane % 4 * 2 + i % 2}));
  }
}

TEST(WgmmaAccumulator, WarpgroupsAreApartInMOrN) {
  EXPECT_EQ(wgmmaAccumulatorLayout({128, 64}, {8, 1}).coords(0, 0, 4), (Coords{64, 0}));
  EXPECT_EQ(wgmmaAccumulatorLayout({64, 128}, {4, 2}).coords(0, 0, 4), (Coords{0, 64}));
  EXPECT_EQ(wgmmaAccumulatorLayout({192, 64}, {12, 1}).coords(0, 0, 8), (Coords{128, 0}));
}

TEST(WgmmaOperandA, MatchesTheAccumulatorsRows) {
  Layout acc = wgmmaAccumulatorLayout({128, 64}, {8, 1});
  Layout a = wgmmaOperandLayout(DotOperand::A, {128, 64}, {8, 1}, 16);
  EXPECT_TRUE(matchRegisters(acc, a));
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 8; ++i)
      ASSERT_EQ(a.coords(i, lane, 1), (Coords{16 + lane / 4 + 8 * (i / 2 % 2), lane % 4 * 2 + i % 2 + 8 * (i / 4)}));
}
