// Overlap of tensors: named cases, and random small tensors against the sets of their bytes.

#include "runtime/launch/Overlap.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace tile {
namespace {

struct Tensor {
  uint64_t address;
  std::vector<int64_t> extents, strides;
  int64_t elementBytes = 4;

  Footprint memory() const {
    return {address, elementBytes, static_cast<int>(extents.size()), extents.data(), strides.data()};
  }
};

bool share(const Tensor &a, const Tensor &b) {
  bool result = overlap(a.memory(), b.memory());
  EXPECT_EQ(result, overlap(b.memory(), a.memory()));
  return result;
}

TEST(Overlap, NeighboursAreApart) {
  EXPECT_FALSE(share({1000, {10}, {1}}, {1040, {10}, {1}}));
  EXPECT_TRUE(share({1000, {11}, {1}}, {1040, {10}, {1}}));
}

TEST(Overlap, EmptyTensorsShareNothing) { EXPECT_FALSE(share({1000, {4, 0}, {8, 1}}, {1000, {4}, {1}})); }

TEST(Overlap, ColumnBlocksOfOneBufferAreApart) {
  EXPECT_FALSE(share({1000, {100, 4}, {8, 1}}, {1016, {100, 4}, {8, 1}}));
  EXPECT_TRUE(share({1000, {100, 5}, {8, 1}}, {1016, {100, 4}, {8, 1}}));
}

TEST(Overlap, EvenAndOddElementsAreApart) {
  EXPECT_FALSE(share({1000, {1000000}, {2}}, {1004, {1000000}, {2}}));
  EXPECT_TRUE(share({1000, {1000000}, {2}}, {1004, {1000000}, {3}}));
}

TEST(Overlap, PartsOfAnElementCount) { EXPECT_TRUE(share({1000, {4}, {1}}, {1014, {4}, {1}, 2})); }

TEST(Overlap, TransposedViewsOfOneBufferShare) { EXPECT_TRUE(share({1000, {8, 8}, {8, 1}}, {1000, {8, 8}, {1, 8}})); }

TEST(Overlap, LargeTensorsDoNotWrap) {
  int64_t huge = int64_t(1) << 40;
  EXPECT_FALSE(share({16, {huge, 4}, {1 << 18, 1}}, {32, {huge, 4}, {1 << 18, 1}}));
}

TEST(Overlap, TensorThatRepeatsAnElementOverlapsItself) {
  EXPECT_TRUE(overlapsItself(Tensor{0, {4, 3}, {0, 1}}.memory()));
  EXPECT_TRUE(overlapsItself(Tensor{0, {4, 3}, {2, 1}}.memory()));
  EXPECT_FALSE(overlapsItself(Tensor{0, {4, 2}, {2, 1}}.memory()));
  EXPECT_FALSE(overlapsItself(Tensor{0, {2, 3}, {3, 2}}.memory())); // 0 2 4 3 5 7: apart though not nested.
  EXPECT_FALSE(overlapsItself(Tensor{0, {1, 3}, {0, 1}}.memory()));
  EXPECT_FALSE(overlapsItself(Tensor{0, {4, 0}, {0, 1}}.memory()));
}

std::set<uint64_t> bytesOf(const Tensor &tensor, size_t axis = 0, int64_t offset = 0) {
  std::set<uint64_t> bytes;
  if (axis == tensor.extents.size()) {
    for (int64_t i = 0; i < tensor.elementBytes; ++i)
      bytes.insert(tensor.address + static_cast<uint64_t>(offset * tensor.elementBytes + i));
    return bytes;
  }
  for (int64_t i = 0; i < tensor.extents[axis]; ++i)
    bytes.merge(bytesOf(tensor, axis + 1, offset + i * tensor.strides[axis]));
  return bytes;
}

Tensor generate(std::mt19937 &random) {
  Tensor tensor;
  tensor.elementBytes = 1 << random() % 3;
  tensor.address = 64 + random() % 40 * static_cast<uint64_t>(tensor.elementBytes);
  for (unsigned rank = random() % 4; rank > 0; --rank) {
    tensor.extents.push_back(random() % 5);
    tensor.strides.push_back(random() % 13);
  }
  return tensor;
}

TEST(Overlap, AgreesWithTheSetsOfBytes) {
  std::mt19937 random(9);
  int shared = 0;
  for (int i = 0; i < 20000; ++i) {
    Tensor a = generate(random), b = generate(random);
    std::set<uint64_t> bytesA = bytesOf(a), bytesB = bytesOf(b);
    bool expected = false;
    for (uint64_t byte : bytesA)
      expected |= bytesB.count(byte) != 0;
    ASSERT_EQ(share(a, b), expected) << i;
    shared += expected;

    int64_t count = 1;
    for (int64_t extent : a.extents)
      count *= extent;
    bool isRepeated = static_cast<int64_t>(bytesA.size()) != count * a.elementBytes;
    // A repetition that needs three axes at once may go unseen; one that is reported is real.
    bool reported = overlapsItself(a.memory());
    ASSERT_TRUE(!reported || isRepeated) << i;
    ASSERT_TRUE(reported || !isRepeated || a.extents.size() > 2) << i;
  }
  EXPECT_GT(shared, 1000);
}

} // namespace
} // namespace tile
