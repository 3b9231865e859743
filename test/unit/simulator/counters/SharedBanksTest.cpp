// Passes over the banks, for patterns whose count follows from 32 banks of 4 bytes alone.
#include "backend/simulator/counters/SharedBanks.h"

#include <gtest/gtest.h>

#include <functional>

namespace tile::sim::test {

static BankPasses count(unsigned bytes, const std::function<uint64_t(unsigned)> &addressOf, uint32_t lanes = kAllLanes,
                        BankAccess access = BankAccess::Store) {
  uint64_t addresses[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    addresses[lane] = addressOf(lane);
  return countBankPasses(addresses, lanes, bytes, access);
}

static BankPasses countStride(unsigned bytes, unsigned stride, uint64_t start = 0, uint32_t lanes = kAllLanes) {
  return count(bytes, [&](unsigned lane) { return start + uint64_t(lane) * stride; }, lanes);
}

TEST(SharedBanks, AStrideOfWordsSharesBanksByItsGreatestCommonDivisor) {
  struct {
    unsigned words, wavefronts;
  } cases[] = {{1, 1}, {2, 2}, {3, 1}, {4, 4}, {8, 8}, {16, 16}, {17, 1}, {32, 32}, {33, 1}, {48, 16}};
  for (auto [words, wavefronts] : cases) {
    BankPasses passes = countStride(4, 4 * words);
    EXPECT_EQ(passes.wavefronts, wavefronts) << "stride " << words;
    EXPECT_EQ(passes.ideal, 1u);
  }
}

TEST(SharedBanks, TheSameWordIsFree) {
  EXPECT_EQ(count(4, [](unsigned) { return 128; }).wavefronts, 1u);
  // Two words of one bank, each for half of the lanes.
  EXPECT_EQ(count(4, [](unsigned lane) { return lane % 2 * 128; }).wavefronts, 2u);
  // Bytes and halves of one word are one word.
  EXPECT_EQ(countStride(1, 1).wavefronts, 1u);
  EXPECT_EQ(countStride(2, 2).wavefronts, 1u);
  EXPECT_EQ(countStride(2, 128).wavefronts, 32u);
}

TEST(SharedBanks, EightBytesGoByHalfWarps) {
  EXPECT_EQ(countStride(8, 8).wavefronts, 2u);
  EXPECT_EQ(countStride(8, 8).ideal, 2u);
  EXPECT_EQ(countStride(8, 16).wavefronts, 4u);
  // Lanes 0 and 16 share a bank, in different passes.
  EXPECT_EQ(count(8, [](unsigned lane) { return lane % 16 * 8 + lane / 16 * 4096; }).wavefronts, 2u);
  EXPECT_EQ(countStride(8, 8, 0, 0xffff).ideal, 1u);
}

TEST(SharedBanks, SixteenBytesGoByQuarterWarps) {
  EXPECT_EQ(countStride(16, 16).wavefronts, 4u);
  EXPECT_EQ(countStride(16, 16).ideal, 4u);
  // Each lane in a row of 128 bytes of its own: eight rows meet in four banks.
  EXPECT_EQ(countStride(16, 128).wavefronts, 32u);
  // Rows that are 16 bytes longer are all in different banks.
  EXPECT_EQ(countStride(16, 144).wavefronts, 4u);
}

TEST(SharedBanks, ASwizzleSpreadsTheRowsOfAColumn) {
  auto column = [](unsigned chunk, bool swizzled) {
    return [=](unsigned row) { return uint64_t(row) * 128 + (swizzled ? chunk ^ (row % 8) : chunk) * 16; };
  };
  for (unsigned chunk = 0; chunk < 8; ++chunk) {
    EXPECT_EQ(count(16, column(chunk, false)).wavefronts, 32u);
    EXPECT_EQ(count(16, column(chunk, true)).wavefronts, 4u);
  }
  // Rows of 64 bytes lie two to a pass, so that their swizzle has to turn with every second row.
  EXPECT_EQ(count(16, [](unsigned row) { return row * 64 + (row % 4) * 16; }).wavefronts, 4u * 2);
  EXPECT_EQ(count(16, [](unsigned row) { return row * 64 + (row / 2 % 4) * 16; }).wavefronts, 4u);
}

TEST(SharedBanks, AStartInTheMiddleOfARowChangesNothing) {
  EXPECT_EQ(countStride(4, 4, 52).wavefronts, 1u);
  EXPECT_EQ(countStride(16, 16, 48).wavefronts, 4u);
}

TEST(SharedBanks, LanesThatAreMaskedAskForNothing) {
  EXPECT_EQ(countStride(4, 128, 0, 0b1011).wavefronts, 3u);
  EXPECT_EQ(countStride(4, 128, 0, 0).wavefronts, 0u);
  EXPECT_EQ(countStride(4, 128, 0, 0).ideal, 0u);
  EXPECT_EQ(countStride(16, 16, 0, 0xff00).wavefronts, 1u);
}

TEST(SharedBanks, GroupsOfALoadWhoseLanesAreAlikeInPairsGoTogether) {
  auto load = [](unsigned bytes, auto addressOf, uint32_t lanes = kAllLanes) {
    return count(bytes, addressOf, lanes, BankAccess::Load);
  };
  auto same = [](unsigned) { return 64u; };
  EXPECT_EQ(load(8, same).wavefronts, 1u);
  EXPECT_EQ(load(16, same).wavefronts, 2u);
  EXPECT_EQ(load(16, same).ideal, 2u);
  EXPECT_EQ(load(16, [](unsigned lane) { return lane / 2 * 16; }).wavefronts, 2u);
  EXPECT_EQ(load(8, [](unsigned lane) { return lane % 2 * 128; }).wavefronts, 2u); // the next but one
  EXPECT_EQ(load(8, [](unsigned lane) { return lane % 2 * 128; }).ideal, 1u);
  // Alike in other ways does not help.
  EXPECT_EQ(load(8, [](unsigned lane) { return lane % 16 * 8; }).wavefronts, 2u);
  EXPECT_EQ(load(16, [](unsigned lane) { return lane % 4 * 16; }).wavefronts, 4u);
  EXPECT_EQ(load(16, [](unsigned lane) { return (lane < 16 ? lane / 2 : lane) * 16; }).wavefronts, 4u); // half of them
  // A lane whose partner is masked is alone, and so is like it.
  EXPECT_EQ(load(8, [](unsigned lane) { return lane * 4; }, 0x55555555).wavefronts, 1u);
  EXPECT_EQ(load(16, [](unsigned lane) { return lane * 16; }, 0x01010101).wavefronts, 4u);
  EXPECT_EQ(load(16, [](unsigned lane) { return lane * 16; }, 0x01010101).ideal, 2u);
  // Stores and matrices do not go together.
  EXPECT_EQ(count(16, same, kAllLanes, BankAccess::Store).wavefronts, 4u);
  EXPECT_EQ(count(16, same, kAllLanes, BankAccess::Matrix).wavefronts, 4u);
  // Four bytes are one group anyway.
  EXPECT_EQ(load(4, [](unsigned lane) { return lane / 2 * 4; }).wavefronts, 1u);
}

TEST(SharedBanks, AtomicsOnAWordTakeTurns) {
  auto atomic = [](auto addressOf) { return count(4, addressOf, kAllLanes, BankAccess::Atomic); };
  EXPECT_EQ(atomic([](unsigned lane) { return lane * 4; }).wavefronts, 1u);
  EXPECT_EQ(atomic([](unsigned) { return 64; }).wavefronts, 32u);
  EXPECT_EQ(atomic([](unsigned lane) { return lane / 4 * 4; }).wavefronts, 4u);
  EXPECT_EQ(atomic([](unsigned) { return 64; }).ideal, 1u);
}

} // namespace tile::sim::test
