#include "test/unit/layout/SmallLayouts.h"

#include <random>
#include <set>

namespace tile {

void forEachSmallShape(int64_t maxExtent, const std::function<void(const Shape &)> &fn) {
  for (int64_t a = 1; a <= maxExtent; ++a)
    fn({a});
  for (int64_t a = 1; a <= maxExtent; ++a)
    for (int64_t b = 1; b <= maxExtent; ++b)
      fn({a, b});
}

/// The ways to write `count` as an ordered product of `rank` factors.
static std::vector<std::vector<int>> factorizations(int count, int rank) {
  if (rank == 1)
    return {{count}};
  std::vector<std::vector<int>> result;
  for (int first = 1; first <= count; ++first)
    if (count % first == 0)
      result.push_back({first, count / first});
  return result;
}

std::vector<Layout> smallLayouts(const Shape &shape, int numWarps, int numLanes) {
  int rank = static_cast<int>(shape.size());
  std::vector<std::vector<int>> sizes = {{1}, {2}, {4}}, orders = {{0}};
  if (rank == 2) {
    sizes = {{1, 1}, {1, 2}, {2, 1}, {1, 4}, {2, 2}};
    orders = {{1, 0}, {0, 1}};
  }
  std::vector<Layout> result;
  std::set<std::string> seen;
  for (const auto &size : sizes)
    for (const auto &lanes : factorizations(numLanes, rank))
      for (const auto &warps : factorizations(numWarps, rank))
        for (const auto &order : orders) {
          Layout layout = blockedLayout(shape, size, lanes, warps, order);
          if (seen.insert(layout.str()).second)
            result.push_back(layout);
        }
  return result;
}

std::vector<Layout> randomLayouts(const Shape &shape, int count) {
  std::mt19937 random(static_cast<unsigned>(position(Shape(shape.size(), 64), shape)));
  std::vector<Layout> result;
  while (int(result.size()) < count) {
    Layout layout(shape);
    uint64_t mask = (uint64_t(1) << layout.packedBits()) - 1;
    auto append = [&](HwDim hw, int bits) {
      for (int bit = 0; bit < bits; ++bit)
        // Every other basis is a unit vector or 0, as in practice.
        layout.appendBit(hw, mask & (random() % 2 ? random() : (uint64_t(1) << random() % 16)));
    };
    append(HwDim::Register, int(random() % 4));
    append(HwDim::Lane, 4);
    append(HwDim::Warp, 2);
    for (int dim = 0; dim < layout.rank(); ++dim)
      if (layout.oddFactor(dim) != 1)
        layout.appendOdd(HwDim::Register, {layout.oddFactor(dim), dim});
    if (layout.isSurjective())
      result.push_back(layout);
  }
  return result;
}

void forEachRegister(const Layout &layout, const std::function<void(int64_t, int64_t, int64_t)> &fn) {
  for (int64_t warp = 0; warp < layout.numWarps(); ++warp)
    for (int64_t lane = 0; lane < layout.numLanes(); ++lane)
      for (int64_t reg = 0; reg < layout.numRegisters(); ++reg)
        fn(reg, lane, warp);
}

int64_t position(const Shape &shape, const Coords &coords) {
  int64_t result = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    result = result * shape[dim] + coords[dim];
  return result;
}

} // namespace tile
