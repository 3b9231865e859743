// Layouts under shape operations, over every small layout.
#include "ir/Layout/ShapeOps.h"
#include "test/unit/layout/SmallLayouts.h"

#include <gtest/gtest.h>

#include <set>

using namespace tile;

static void forEachMatrix(const std::function<void(const Layout &)> &fn) {
  for (int numWarps : {1, 2, 3, 4})
    forEachSmallShape(kMaxSmallExtent, [&](const Shape &shape) {
      if (shape.size() == 2)
        for (const Layout &layout : smallLayouts(shape, numWarps))
          fn(layout);
    });
}

TEST(PermuteLayout, PermutesTheCoordinatesOfEveryRegister) {
  forEachMatrix([](const Layout &layout) {
    Layout transposed = permuteLayout(layout, {1, 0});
    forEachRegister(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
      Coords coords = layout.coords(reg, lane, warp);
      ASSERT_EQ(transposed.coords(reg, lane, warp), (Coords{coords[1], coords[0]})) << layout.str();
    });
    ASSERT_EQ(permuteLayout(transposed, {1, 0}), layout);
  });
}

TEST(PermuteLayout, ResultDimIIsOperandDimPermutationI) {
  std::string error;
  Layout layout = *Layout::parse("2x4x24: reg a1 b1 b2 c1 c2 c4 c*3; lane; warp", error);
  EXPECT_EQ(permuteLayout(layout, {2, 0, 1}).str(), "24x2x4: reg b1 c1 c2 a1 a2 a4 a*3; lane; warp");
}

TEST(ReshapeLayout, KeepsTheRowMajorPositionOfEveryRegister) {
  int64_t reshaped = 0;
  forEachMatrix([&](const Layout &layout) {
    int64_t count = layout.numElements();
    for (int64_t rows = 1; rows <= count; ++rows) {
      if (count % rows != 0 || physicalShape({rows, count / rows}) != Shape{rows, count / rows})
        continue;
      std::optional<Layout> result = reshapeLayout(layout, {rows, count / rows});
      if (!result)
        continue;
      ++reshaped;
      forEachRegister(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
        ASSERT_EQ(position(result->shape(), result->coords(reg, lane, warp)),
                  position(layout.shape(), layout.coords(reg, lane, warp)))
            << layout.str();
      });
    }
  });
  EXPECT_GT(reshaped, 100);
}

TEST(ReshapeLayout, RefusesToMoveAnOddFactor) {
  auto reshapes = [](const Shape &from, const Shape &to) {
    std::vector<int> ones(from.size(), 1);
    return reshapeLayout(blockedLayout(from, ones, ones, ones, rowMajorOrder(int(from.size()))), to).has_value();
  };
  EXPECT_TRUE(reshapes({12, 8}, {96}));
  EXPECT_TRUE(reshapes({96}, {3, 32}));
  EXPECT_TRUE(reshapes({2, 24}, {2, 3, 8}));
  EXPECT_TRUE(reshapes({64, 32}, {8, 256}));
  EXPECT_TRUE(reshapes({1, 6}, {6}));
  EXPECT_FALSE(reshapes({4, 6}, {24}));
  EXPECT_FALSE(reshapes({96}, {32, 3}));
  EXPECT_FALSE(reshapes({3, 5}, {15}));
}

TEST(SliceLayout, HoldsTheRemainingCoordinatesWithoutRepeatedRegisters) {
  forEachMatrix([](const Layout &parent) {
    for (int dim : {0, 1}) {
      Layout slice = sliceLayout(parent, dim);
      ASSERT_TRUE(slice.isSurjective());
      ASSERT_TRUE(slice.freeDigits(HwDim::Register).empty()) << slice.str();
      std::vector<int64_t> registers = sliceRegisters(parent, dim);
      std::set<int64_t> used(registers.begin(), registers.end());
      ASSERT_EQ(int64_t(used.size()), slice.numRegisters());
      forEachRegister(parent, [&](int64_t reg, int64_t lane, int64_t warp) {
        ASSERT_EQ(slice.coords(registers[reg], lane, warp), (Coords{parent.coords(reg, lane, warp)[1 - dim]}))
            << parent.str();
      });
    }
  });
}

TEST(BroadcastLayout, SliceExpandedAndBroadcastServesItsParent) {
  // The way back from a reduction: every register of the parent finds the reduced value in its own thread.
  forEachMatrix([](const Layout &parent) {
    for (int dim : {0, 1}) {
      Layout expanded = expandDimsLayout(sliceLayout(parent, dim), dim);
      std::optional<std::vector<int64_t>> from = matchRegisters(expanded, collapseLayout(parent, expanded.shape()));
      ASSERT_TRUE(from) << parent.str();
      ASSERT_EQ(*from, sliceRegisters(parent, dim));
    }
  });
}

TEST(BroadcastLayout, EveryThreadHoldsTheWholeNewDim) {
  forEachSmallShape(kMaxSmallExtent, [](const Shape &shape) {
    if (shape.size() != 1)
      return;
    for (const Layout &layout : smallLayouts(shape, 3)) {
      Layout wide = broadcastLayout(expandDimsLayout(layout, 1), 1, 12);
      ASSERT_EQ(wide.numRegisters(), layout.numRegisters() * 12);
      ASSERT_TRUE(wide.isSurjective());
      ASSERT_TRUE(matchRegisters(expandDimsLayout(layout, 1), collapseLayout(wide, {shape[0], 1})));
    }
  });
}

TEST(ExpandDimsLayout, AddsACoordinateZero) {
  forEachMatrix([](const Layout &layout) {
    for (int dim : {0, 1, 2}) {
      Layout expanded = expandDimsLayout(layout, dim);
      forEachRegister(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
        Coords expected = layout.coords(reg, lane, warp);
        expected.insert(expected.begin() + dim, 0);
        ASSERT_EQ(expanded.coords(reg, lane, warp), expected);
      });
    }
  });
}
