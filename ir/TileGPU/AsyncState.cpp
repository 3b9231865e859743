#include "ir/TileGPU/AsyncState.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

bool AsyncState::meet(const AsyncState &other) {
  bool changed = ages.meet(other.ages);
  changed |= copies.meet(other.copies);
  changed |= readings.meet(other.readings);
  changed |= sums.meet(other.sums);
  changed |= unfenced.meet(other.unfenced);
  changed |= unordered.meet(other.unordered);
  return changed;
}

AsyncState AsyncState::renamed(llvm::function_ref<SlotPlace(SlotPlace)> rename) const {
  AsyncState result;
  result.ages = ages;
  result.sums = sums;
  auto moveAll = [&](auto &from, auto &to) {
    from.forEach([&](auto entry) {
      entry.place = rename(entry.place);
      to.add(entry);
    });
  };
  moveAll(copies, result.copies);
  moveAll(readings, result.readings);
  moveAll(unfenced, result.unfenced);
  moveAll(unordered, result.unordered);
  return result;
}

void AsyncState::passSums(ValueRange arguments, ValueRange values) {
  SmallVector<Sum> passed;
  sums.forEach([&](const Sum &sum) {
    for (auto [argument, value] : llvm::zip_equal(arguments, values))
      if (value == sum.tile)
        passed.push_back({argument, sum.op, sum.age});
  });
  for (const Sum &sum : passed)
    sums.add(sum);
}
