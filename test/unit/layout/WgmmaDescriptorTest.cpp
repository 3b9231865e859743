// Plans of descriptors against the strides that the PTX ISA's figures of canonical layouts give, written down again
// here.
#include "ir/Layout/WgmmaDescriptor.h"

#include <gtest/gtest.h>

using namespace tile;

TEST(WgmmaDescriptor, KMajorAtomsFollowByEightRows) {
  Layout shared = nvmmaSharedLayout({128, 64}, 16, 128);
  std::optional<DescriptorPlan> plan = planDescriptor(DotOperand::A, shared, {4, 1}, 16, 64);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->swizzle, 128);
  EXPECT_EQ(plan->order, MatrixOrder::RowMajor);
  EXPECT_EQ(plan->stride, 8 * 128);
  EXPECT_EQ(plan->blocks, (std::vector<int64_t>{0, 64}));
  EXPECT_EQ(plan->steps, (std::vector<int64_t>{0, 16, 32, 48}));
  // A step along K is 32 bytes further within the atom.
  EXPECT_EQ(plan->starts, (std::vector<int64_t>{0, 32, 64, 96, 8192, 8224, 8256, 8288}));
}

TEST(WgmmaDescriptor, MnMajorAtomsFollowAlongBothDims) {
  Layout shared = nvmmaSharedLayout({64, 256}, 16, 128);
  std::optional<DescriptorPlan> plan = planDescriptor(DotOperand::B, shared, {4, 1}, 16, 256);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->order, MatrixOrder::Transposed);
  EXPECT_EQ(plan->leading, 64 * 128); // 64 columns, 128 bytes in each of 64 rows of K
  EXPECT_EQ(plan->stride, 8 * 128);
  EXPECT_EQ(plan->starts, (std::vector<int64_t>{0, 2048, 4096, 6144}));
}

TEST(WgmmaDescriptor, NarrowTilesHaveNarrowSwizzles) {
  for (int swizzle : {32, 64}) {
    Layout shared = nvmmaSharedLayout({64, swizzle / 2}, 16, swizzle);
    std::optional<DescriptorPlan> plan = planDescriptor(DotOperand::A, shared, {4, 1}, 16, 64);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->swizzle, swizzle);
    EXPECT_EQ(plan->stride, 8 * swizzle);
  }
}

TEST(WgmmaDescriptor, WarpgroupsHaveTheirOwnPieces) {
  std::optional<DescriptorPlan> rows =
      planDescriptor(DotOperand::A, nvmmaSharedLayout({256, 64}, 16, 128), {8, 1}, 16, 64);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->blocks, (std::vector<int64_t>{0, 64}));
  EXPECT_EQ(rows->threadTerms, (std::vector<CoordTerm>{{HwDim::Warp, 4, 2, 128 * 64}}));
  std::optional<DescriptorPlan> columns =
      planDescriptor(DotOperand::B, nvmmaSharedLayout({64, 256}, 16, 128), {4, 2}, 16, 128);
  ASSERT_TRUE(columns);
  EXPECT_EQ(columns->threadTerms, (std::vector<CoordTerm>{{HwDim::Warp, 4, 2, 2 * 64 * 64}}));
}

TEST(WgmmaDescriptor, OddFactorsLieAboveAllElse) {
  // Columns 0 to 63, 64 to 127 and 128 to 191 follow each other as any two neighbouring atoms do.
  EXPECT_TRUE(planDescriptor(DotOperand::B, nvmmaSharedLayout({64, 192}, 16, 128), {4, 1}, 16, 192));
  // Along K, where there is a second tile of it, eight rows of each follow in turn, so that all groups have one
  // distance.
  Layout twoTiles = nvmmaSharedLayout({128, 192}, 16, 128, MatrixOrder::Transposed);
  std::optional<DescriptorPlan> plan = planDescriptor(DotOperand::B, twoTiles, {4, 1}, 16, 192);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->stride, 2 * 8 * 128);
  EXPECT_EQ(plan->starts, (std::vector<int64_t>{0, 32, 64, 96, 1024, 1056, 1088, 1120}));
}

TEST(WgmmaDescriptor, OddFactorsOfBothDimsLeaveGroupsOfRowsUneven) {
  auto plan = [](int64_t rows) {
    Layout tile = nvmmaSharedLayout({192, rows}, 16, 128, MatrixOrder::Transposed);
    return planDescriptor(DotOperand::B, tile, {4, 1}, 16, rows);
  };
  EXPECT_FALSE(plan(48)) << "rows 0, 8, 16 begin at 0, 1024, 6144";
  EXPECT_TRUE(plan(24)) << "the odd digit alone numbers the groups";
}

TEST(WgmmaDescriptor, RefusesWhatNoDescriptorSays) {
  EXPECT_FALSE(planDescriptor(DotOperand::A, sharedLayout({64, 64}, {1, 0}), {4, 1}, 16, 64)) << "no swizzle";
  EXPECT_FALSE(planDescriptor(DotOperand::B, nvmmaSharedLayout({64, 64}, 8, 64), {4, 1}, 8, 64)) << "bytes across K";
  EXPECT_TRUE(
      planDescriptor(DotOperand::B, nvmmaSharedLayout({64, 64}, 8, 64, MatrixOrder::Transposed), {4, 1}, 8, 64));
}
