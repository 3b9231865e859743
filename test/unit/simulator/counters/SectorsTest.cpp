// Sectors and lines of requests whose count follows from 32 and 128 bytes alone.
#include "backend/simulator/counters/Sectors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace tile::sim::test {

static SectorCount count(unsigned bytes, const std::function<uint64_t(unsigned)> &addressOf,
                         uint32_t lanes = kAllLanes) {
  uint64_t addresses[kLanes];
  uint32_t amounts[kLanes];
  std::fill(std::begin(amounts), std::end(amounts), bytes);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    addresses[lane] = addressOf(lane);
  return countSectors(addresses, amounts, lanes);
}

static SectorCount countStride(unsigned bytes, unsigned stride, uint64_t start = 1 << 20, uint32_t lanes = kAllLanes) {
  return count(bytes, [&](unsigned lane) { return start + uint64_t(lane) * stride; }, lanes);
}

static std::string text(const SectorCount &count) {
  return std::to_string(count.sectors) + " of " + std::to_string(count.ideal) + ", " + std::to_string(count.lines) +
         " lines, " + std::to_string(count.bytes) + " bytes";
}

TEST(Sectors, NeighboursShareThem) {
  EXPECT_EQ(text(countStride(4, 4)), "4 of 4, 1 lines, 128 bytes");
  EXPECT_EQ(text(countStride(2, 2)), "2 of 2, 1 lines, 64 bytes");
  EXPECT_EQ(text(countStride(1, 1)), "1 of 1, 1 lines, 32 bytes");
  EXPECT_EQ(text(countStride(16, 16)), "16 of 16, 4 lines, 512 bytes");
}

TEST(Sectors, AStrideLeavesHolesInThem) {
  EXPECT_EQ(text(countStride(4, 8)), "8 of 4, 2 lines, 128 bytes");
  EXPECT_EQ(text(countStride(4, 128)), "32 of 4, 32 lines, 128 bytes");
  EXPECT_EQ(text(countStride(16, 32)), "32 of 16, 8 lines, 512 bytes");
}

TEST(Sectors, AStartThatIsNoMultipleTakesOneMore) {
  EXPECT_EQ(text(countStride(4, 4, 4)), "5 of 4, 2 lines, 128 bytes");
  EXPECT_EQ(text(countStride(4, 4, 32)), "4 of 4, 2 lines, 128 bytes");
  EXPECT_EQ(text(countStride(16, 16, 16)), "17 of 16, 5 lines, 512 bytes");
}

TEST(Sectors, LanesThatAskForTheSameAskOnce) {
  EXPECT_EQ(text(count(4, [](unsigned) { return 256; })), "1 of 1, 1 lines, 4 bytes");
  EXPECT_EQ(text(count(8, [](unsigned lane) { return lane % 2 * 4; })), "1 of 1, 1 lines, 12 bytes");
}

TEST(Sectors, LanesThatAreMaskedOrMoveNothingTouchNothing) {
  EXPECT_EQ(text(countStride(4, 4, 0, 0xff)), "1 of 1, 1 lines, 32 bytes");
  EXPECT_EQ(text(countStride(4, 4, 0, 0x101)), "2 of 1, 1 lines, 8 bytes");
  uint64_t addresses[kLanes] = {0, 1000};
  uint32_t bytes[kLanes] = {16, 0};
  EXPECT_EQ(text(countSectors(addresses, bytes, 3)), "1 of 1, 1 lines, 16 bytes");
}

TEST(Sectors, ScatteredLanesTakeOneEach) {
  EXPECT_EQ(text(count(4, [](unsigned lane) { return (lane * 37 % 32) * 4096 + 8; })), "32 of 4, 32 lines, 128 bytes");
}

TEST(Sectors, AtomicsOnAnAddressTakeTurns) {
  auto atomic = [](const std::function<uint64_t(unsigned)> &addressOf) {
    uint64_t addresses[kLanes];
    uint32_t bytes[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      addresses[lane] = addressOf(lane);
      bytes[lane] = 4;
    }
    return text(countSectors(addresses, bytes, kAllLanes, SameAddress::InTurns));
  };
  EXPECT_EQ(atomic([](unsigned lane) { return lane * 4; }), "4 of 4, 1 lines, 128 bytes");
  EXPECT_EQ(atomic([](unsigned) { return 64; }), "32 of 1, 1 lines, 4 bytes");
  EXPECT_EQ(atomic([](unsigned lane) { return lane / 2 * 4; }), "4 of 2, 1 lines, 64 bytes");
  EXPECT_EQ(atomic([](unsigned lane) { return lane % 2 * 128; }), "32 of 1, 2 lines, 8 bytes");
}

TEST(Sectors, LocalMemoryIsInterleaved) {
  uint64_t same[kLanes], apart[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    same[lane] = 64;
    apart[lane] = lane * 4;
  }
  EXPECT_EQ(text(countLocalSectors(same, 4, kAllLanes)), "4 of 4, 1 lines, 128 bytes");
  EXPECT_EQ(text(countLocalSectors(same, 16, kAllLanes)), "16 of 16, 4 lines, 512 bytes");
  EXPECT_EQ(text(countLocalSectors(apart, 4, kAllLanes)), "32 of 4, 32 lines, 128 bytes");
  EXPECT_EQ(text(countLocalSectors(same, 1, kAllLanes)), "4 of 1, 1 lines, 32 bytes");
}

} // namespace tile::sim::test
