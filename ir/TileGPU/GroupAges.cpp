#include "ir/TileGPU/GroupAges.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

void GroupAges::commit(Value group) {
  for (auto &[token, age] : ages)
    age = std::min(age + 1, kDone);
  ages[group] = 0;
}

int64_t GroupAges::of(ValueRange groups) const {
  int64_t least = groups.empty() ? 0 : kDone;
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

void AsyncAges::visit(Operation *op) {
  if (auto commit = dyn_cast<CommitOp>(op))
    copies.commit(commit.getGroup());
  if (auto product = dyn_cast<MmaAsyncOp>(op))
    products.commit(product.getToken());
  if (auto done = dyn_cast<DoneOp>(op)) {
    copies.set(done.getToken(), GroupAges::kDone);
    products.set(done.getToken(), GroupAges::kDone);
  }
}

bool AsyncAges::meet(const AsyncAges &other) {
  bool changed = copies.meet(other.copies);
  return products.meet(other.products) || changed;
}

bool AsyncAges::meetEdges(ValueRange arguments, ValueRange values, const AsyncAges &from) {
  bool changed = false;
  for (auto [argument, value] : llvm::zip_equal(arguments, values))
    if (isa<TokenType>(value.getType())) {
      changed |= copies.meet(argument, from.copies.of(value));
      changed |= products.meet(argument, from.products.of(value));
    }
  return changed;
}

void AsyncAges::setEdges(ValueRange arguments, ValueRange values, const AsyncAges &from) {
  for (auto [argument, value] : llvm::zip_equal(arguments, values))
    if (isa<TokenType>(value.getType())) {
      copies.set(argument, from.copies.of(value));
      products.set(argument, from.products.of(value));
    }
}

void AsyncAges::enter(scf::ForOp loop) { meetEdges(loop.getRegionIterArgs(), loop.getInitArgs(), *this); }

void AsyncAges::leave(scf::ForOp loop) { meetEdges(loop.getResults(), loop.getRegionIterArgs(), *this); }
