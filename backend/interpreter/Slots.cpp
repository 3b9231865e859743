#include "backend/interpreter/Slots.h"

using namespace mlir;
using namespace tile;
using namespace tile::interpreter;

/// Every array starts on a cache line, which is also what the widest vectors want.
static constexpr int64_t kAlignment = 64;

static int64_t aligned(int64_t bytes) {
  return std::max<int64_t>((bytes + kAlignment - 1) / kAlignment, 1) * kAlignment;
}

/// The op of `value`'s own block in which its last use is; its defining op if it has none, null for a block argument
/// without uses.
static Operation *lastReader(Value value) {
  Operation *last = value.getDefiningOp();
  for (Operation *user : value.getUsers()) {
    Operation *ancestor = value.getParentBlock()->findAncestorOpInBlock(*user);
    if (!last || last->isBeforeInBlock(ancestor))
      last = ancestor;
  }
  return last;
}

Slots::Slots(func::FuncOp function) {
  auto note = [&](Value value) {
    if (Operation *last = lastReader(value))
      dying[last].push_back(value);
  };
  function.walk([&](Operation *op) {
    for (Value result : op->getResults())
      note(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          note(argument);
  });
}

int Slots::allocate(int64_t bytes) {
  bytes = aligned(bytes);
  // The smallest stretch that fits; a large tile would else be cut up by the scalars around it.
  auto best = unused.end();
  for (auto it = unused.begin(); it != unused.end(); ++it)
    if (it->second >= bytes && (best == unused.end() || it->second < best->second))
      best = it;
  int64_t offset = end;
  if (best == unused.end()) {
    end += bytes;
  } else {
    offset = best->first;
    int64_t rest = best->second - bytes;
    unused.erase(best);
    if (rest > 0)
      unused[offset + bytes] = rest;
  }
  slots.push_back({offset, bytes, 0, false});
  return slots.size() - 1;
}

void Slots::giveBack(int slot) {
  auto [offset, bytes] = std::pair(slots[slot].offset, slots[slot].bytes);
  auto after = unused.lower_bound(offset);
  if (after != unused.end() && offset + bytes == after->first) {
    bytes += after->second;
    after = unused.erase(after);
  }
  if (after != unused.begin())
    if (auto before = std::prev(after); before->first + before->second == offset) {
      before->second += bytes;
      return;
    }
  unused[offset] = bytes;
}

Array Slots::define(Value value, Element element, int64_t count) {
  int slot = allocate(count * sizeOf(element));
  slots[slot].live = 1;
  Array array{slots[slot].offset, element, count};
  bindings[value] = {slot, array};
  return array;
}

void Slots::alias(Value value, Value other, Element element, int64_t count) {
  Binding binding = bindings.at(other);
  if (binding.slot != kReserved)
    ++slots[binding.slot].live;
  bindings[value] = {binding.slot, {binding.array.offset, element, count}};
}

Array Slots::reserve(Element element, int64_t count) {
  // Not where another value was before: what is written here once, ahead of the first step, must stay.
  Array array{end, element, count};
  end += aligned(array.bytes());
  return array;
}

int Slots::carry(Element element, int64_t count) {
  int slot = allocate(count * sizeOf(element));
  slots[slot].held = true;
  return slot;
}

void Slots::bindCarried(Value value, int slot, Element element, int64_t count) {
  bindings[value] = {slot, carried(slot, element, count)};
  // A block argument without uses dies nowhere.
  if (!value.use_empty() || value.getDefiningOp())
    ++slots[slot].live;
}

void Slots::release(int slot) {
  slots[slot].held = false;
  if (slots[slot].live == 0)
    giveBack(slot);
}

bool Slots::diesAt(Value value, Operation *op) const {
  auto binding = bindings.find(value);
  auto dead = dying.find(op);
  return binding != bindings.end() && binding->second.slot != kReserved && slots[binding->second.slot].live == 1 &&
         dead != dying.end() && llvm::is_contained(dead->second, value) && llvm::count(op->getOperands(), value) == 1;
}

void Slots::finish(Operation *op) {
  auto dead = dying.find(op);
  if (dead == dying.end())
    return;
  for (Value value : dead->second) {
    auto binding = bindings.find(value);
    if (binding == bindings.end() || binding->second.slot == kReserved)
      continue;
    int slot = binding->second.slot;
    if (--slots[slot].live == 0 && !slots[slot].held)
      giveBack(slot);
  }
}
