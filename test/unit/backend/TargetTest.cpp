/// The table of targets: look-up, the choice for a device, features and occupancy.
#include "backend/target/Target.h"
#include "backend/target/Throughput.h"

#include <gtest/gtest.h>

namespace tile {

TEST(TargetTest, FindsEveryRowByName) {
  for (const Target &target : allTargets())
    EXPECT_EQ(findTarget(target.name), &target);
  EXPECT_NE(findTarget("sm_80"), nullptr);
}

TEST(TargetTest, UnknownNameListsTheKnownOnes) {
  EXPECT_EQ(findTarget("sm_70"), nullptr);
  EXPECT_EQ(findTarget("sm_90"), nullptr);
  std::string names;
  for (const Target &target : allTargets())
    names += (names.empty() ? "" : ", ") + std::string(target.name);
  EXPECT_EQ(unknownTargetMessage("sm_70"), "unknown architecture `sm_70`; known: " + names);
}

TEST(TargetTest, ProductsAndGenerationsHaveAnArchitecture) {
  for (const char *name : {"h100", "H200", "hopper", "NVIDIA H100 80GB HBM3", "gh200"})
    EXPECT_EQ(architectureOf(name), "sm_90a") << name;
  EXPECT_EQ(architectureOf("a100"), "sm_80");
  EXPECT_EQ(architectureOf("a10"), "sm_86");
  EXPECT_EQ(architectureOf("NVIDIA GeForce RTX 3090"), "sm_86");
  EXPECT_EQ(architectureOf("l40s"), "sm_89");
  EXPECT_EQ(architectureOf("rtx-4090"), "sm_89");
  EXPECT_EQ(architectureOf("b200"), "sm_100");
  EXPECT_EQ(architectureOf("rtx 5090"), "sm_120");
}

TEST(TargetTest, OtherNamesHaveNoArchitecture) {
  for (const char *name : {"", "v100", "t4", "mi300", "sm_90", "90", "x100"})
    EXPECT_EQ(architectureOf(name), "") << name;
}

TEST(TargetTest, DeviceGetsItsOwnGeneration) {
  EXPECT_EQ(findTargetFor(80)->name, "sm_80");
  EXPECT_EQ(findTargetFor(86)->name, "sm_86");
  EXPECT_EQ(findTargetFor(90)->name, "sm_90a");
  EXPECT_EQ(findTargetFor(120)->name, "sm_120");
}

TEST(TargetTest, DeviceBetweenRowsGetsTheOlderOneOfItsMajorVersion) {
  EXPECT_EQ(findTargetFor(87)->name, "sm_86");
  EXPECT_EQ(findTargetFor(103)->name, "sm_100");
  EXPECT_EQ(findTargetFor(121)->name, "sm_120");
}

TEST(TargetTest, NoCodeRunsAcrossMajorVersions) {
  EXPECT_EQ(findTargetFor(75), nullptr);
  EXPECT_EQ(findTargetFor(110), nullptr);
  EXPECT_EQ(findTargetFor(91), nullptr); // sm_90a code runs on 9.0 alone
}

TEST(TargetTest, FeaturesFollowTheGeneration) {
  EXPECT_TRUE(findTarget("sm_80")->has(Feature::CpAsync));
  EXPECT_FALSE(findTarget("sm_80")->has(Feature::MmaF8));
  EXPECT_FALSE(findTarget("sm_89")->has(Feature::StMatrix));
  EXPECT_TRUE(findTarget("sm_90a")->has(Feature::StMatrix));
  EXPECT_TRUE(findTarget("sm_90a")->has(Feature::Wgmma));
  EXPECT_FALSE(findTarget("sm_100")->has(Feature::Wgmma));
}

TEST(TargetTest, LaterTargetNeverNeedsOlderPtx) {
  PtxVersion before{0, 0};
  for (const Target &target : allTargets()) {
    EXPECT_TRUE(before < target.lowestPtx) << target.name;
    EXPECT_FALSE(kNewestPtx < target.lowestPtx) << target.name;
    before = target.lowestPtx;
  }
}

/// "16 blocks, limited by threads"
static std::string describe(Occupancy occupancy) {
  return std::to_string(occupancy.blocks) + " blocks, limited by " + std::string(occupancy.limit);
}

TEST(TargetTest, OccupancyIsLimitedByTheScarcestResource) {
  const Target &hopper = *findTarget("sm_90a");
  EXPECT_EQ(describe(occupancy(hopper, 128, 32, 0)), "16 blocks, limited by threads");
  EXPECT_EQ(describe(occupancy(hopper, 32, 16, 0)), "32 blocks, limited by blocks");
  EXPECT_EQ(describe(occupancy(hopper, 128, 128, 0)), "4 blocks, limited by registers");
  EXPECT_EQ(describe(occupancy(hopper, 128, 32, 100 * 1024)), "2 blocks, limited by shared memory");
  EXPECT_EQ(describe(occupancy(hopper, 128, 32, 227 * 1024)), "1 blocks, limited by shared memory");
  EXPECT_EQ(describe(occupancy(*findTarget("sm_86"), 256, 32, 0)), "6 blocks, limited by threads");
}

TEST(TargetTest, BlockOverALimitIsNeverResident) {
  const Target &ada = *findTarget("sm_89");
  EXPECT_EQ(describe(occupancy(ada, 2048, 16, 0)), "0 blocks, limited by threads");
  EXPECT_EQ(describe(occupancy(ada, 128, 256, 0)), "0 blocks, limited by registers");
  EXPECT_EQ(describe(occupancy(ada, 128, 32, 100 * 1024)), "0 blocks, limited by shared memory");
  EXPECT_EQ(describe(occupancy(ada, 1024, 128, 0)), "0 blocks, limited by registers");
}

TEST(ThroughputTest, EveryTargetHasARow) {
  for (const Target &target : allTargets())
    EXPECT_EQ(throughputOf(target).capability, target.capability) << target.name;
}

} // namespace tile
