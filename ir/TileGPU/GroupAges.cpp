#include "ir/TileGPU/GroupAges.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

void GroupAges::commit(Value group) {
  for (auto &[token, age] : ages)
    ++age;
  ages[group] = 0;
}

int64_t GroupAges::of(ValueRange groups) const {
  int64_t least = groups.empty() ? 0 : std::numeric_limits<int64_t>::max();
  for (Value group : groups)
    least = std::min(least, ages.lookup(group));
  return least;
}

bool GroupAges::meet(Value token, int64_t age) {
  auto [known, isNew] = ages.try_emplace(token, age);
  if (!isNew && known->second <= age)
    return false;
  known->second = age;
  return true;
}

bool GroupAges::meet(const GroupAges &other) {
  bool changed = false;
  for (auto [token, age] : other.ages)
    changed |= meet(token, age);
  return changed;
}
