// Blocked and coalesced layouts. That they fill their tile is tested with the laws of every layout.
#include "ir/Layout/Constructors.h"

#include <gtest/gtest.h>

using namespace tile;

TEST(BlockedLayout, PlacesElementsThreadsAndWarpsInOrder) {
  Layout layout = blockedLayout({32, 64}, {2, 4}, {8, 4}, {2, 2}, {1, 0});
  for (int64_t warp = 0; warp < 4; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t reg = 0; reg < 16; ++reg) {
        int64_t row = reg / 4 % 2 + 2 * (lane / 4 + 8 * (warp / 2));
        int64_t column = reg % 4 + 4 * (lane % 4 + 4 * (warp % 2)) + 32 * (reg / 8);
        ASSERT_EQ(layout.coords(reg, lane, warp), (Coords{row, column}));
      }
}

TEST(BlockedLayout, ReplicatesWhereTheTileIsSmaller) {
  Layout layout = blockedLayout({16}, {4}, {32}, {2}, {0});
  EXPECT_EQ(layout.str(), "16: reg a1 a2; lane a4 a8 0 0 0; warp 0");
  EXPECT_EQ(layout.freeDigits(HwDim::Lane).bits, 0b11100u);
  EXPECT_EQ(layout.freeDigits(HwDim::Warp).bits, 1u);
}

TEST(BlockedLayout, PutsAnOddFactorOnItsWarps) {
  EXPECT_EQ(blockedLayout({192, 64}, {1, 8}, {4, 8}, {12, 1}, {1, 0}).str(),
            "192x64: reg b1 b2 b4 a16 a32; lane b8 b16 b32 a1 a2; warp a4 a8 a*3");
  EXPECT_EQ(blockedLayout({64, 96}, {1, 8}, {8, 4}, {12, 1}, {1, 0}).str(),
            "64x96: reg b1 b2 b4 a32 b*3; lane b8 b16 a1 a2 a4; warp a8 a16 0*3");
}

TEST(CoalescedLayout, UsesSixteenByteVectorsWhereContiguityAllows) {
  auto vector = [](int elementBits, int64_t contiguity) {
    return maxVector(coalescedLayout({128, 128}, elementBits, {1, contiguity}, {1, 0}, 4), 1);
  };
  EXPECT_EQ(vector(32, 128), 4);
  EXPECT_EQ(vector(16, 128), 8);
  EXPECT_EQ(vector(8, 128), 16);
  EXPECT_EQ(vector(64, 128), 2);
  EXPECT_EQ(vector(16, 4), 4);
  EXPECT_EQ(vector(16, 12), 4);
  EXPECT_EQ(vector(16, 1), 1);
}

TEST(CoalescedLayout, KeepsEveryThreadBusyBeforeVectors) {
  Layout layout = coalescedLayout({256}, 32, {256}, {0}, 4);
  EXPECT_EQ(maxVector(layout, 0), 2);
  EXPECT_TRUE(layout.isInjective());
  EXPECT_EQ(coalescedLayout({64}, 32, {64}, {0}, 4).str(), "64: reg; lane a1 a2 a4 a8 a16; warp a32 0");
}

TEST(CoalescedLayout, GivesWholeRowsToAWarp) {
  Layout layout = coalescedLayout({8, 1024}, 16, {1, 1024}, {1, 0}, 4);
  EXPECT_EQ(layout.str(), "8x1024: reg b1 b2 b4 b256 b512 a4; lane b8 b16 b32 b64 b128; warp a1 a2");
}

TEST(CoalescedLayout, FollowsTheOrder) {
  EXPECT_EQ(maxVector(coalescedLayout({64, 64}, 16, {64, 64}, {0, 1}, 4), 0), 8);
  EXPECT_EQ(coalescedLayout({96, 32}, 32, {96, 32}, {0, 1}, 12).str(),
            "96x32: reg a1 a2 b16; lane a4 a8 a16 b1 b2; warp b4 b8 a*3");
}

TEST(CoalescedLayout, HandlesTilesOfOneElement) {
  EXPECT_EQ(coalescedLayout({}, 32, {}, {}, 4).str(), "scalar: reg; lane 0 0 0 0 0; warp 0 0");
  EXPECT_EQ(coalescedLayout({1, 1}, 32, {1, 1}, {1, 0}, 1).str(), "1x1: reg; lane 0 0 0 0 0; warp");
}
