/// What may be under way at one point of a program, for the verifier of asynchronous work: the union of what holds on
/// all paths there.
#ifndef IR_TILEGPU_ASYNCSTATE_H
#define IR_TILEGPU_ASYNCSTATE_H

#include "ir/TileGPU/GroupAges.h"
#include "ir/TileGPU/SlotPlaces.h"

#include <map>

namespace tile::tgpu {

using PlaceKey = decltype(std::declval<SlotPlace>().key());

/// A copy that may be under way.
struct Copy {
  mlir::Operation *op;
  SlotPlace place;
  std::optional<int64_t> age; ///< groups committed since its own; none: it is in no group yet

  auto key() const { return std::pair(op, place.key()); }
  /// One in no group is waited for by nobody, and a young one by few.
  bool meet(const Copy &other) {
    if (!age || (other.age && *other.age >= *age))
      return false;
    age = other.age;
    return true;
  }
};

/// What a product that may be under way reads: a slot, or a tile in registers.
struct Reading {
  mlir::Operation *op;
  mlir::Value tile; ///< null: a slot
  SlotPlace place;
  int64_t age; ///< products begun since

  auto key() const { return std::tuple(op, tile.getAsOpaquePointer(), place.key()); }
  bool meet(const Reading &other) { return std::exchange(age, std::min(age, other.age)) != age; }
};

/// A tile that a product under way may still change.
struct Sum {
  mlir::Value tile;
  mlir::Operation *op; ///< the product
  int64_t age;

  auto key() const { return tile.getAsOpaquePointer(); }
  bool meet(const Sum &other) { return std::exchange(age, std::min(age, other.age)) != age; }
};

/// A write of a slot that products may not see, though a barrier passed.
struct Unfenced {
  mlir::Operation *op;
  SlotPlace place;
  bool isFenced; ///< by the thread that wrote; others see it after a barrier

  auto key() const { return std::pair(op, place.key()); }
  bool meet(const Unfenced &other) { return std::exchange(isFenced, isFenced && other.isFenced) != isFenced; }
};

/// An access that other threads may not have finished, or whose result they may not see.
struct Unordered {
  mlir::Operation *op;
  SlotPlace place;   ///< of a slot
  SharedBytes bytes; ///< of scratch, where there is no place
  bool isSlot, writes;

  auto key() const { return std::tuple(op, writes, place.key()); }
  bool meet(const Unordered &) { return false; }
};

/// Of each thing once.
template <class Entry> class EntrySet {
public:
  /// Whether that brings anything new.
  bool add(const Entry &entry) {
    auto [known, isNew] = entries.try_emplace(entry.key(), entry);
    return isNew || known->second.meet(entry);
  }
  bool meet(const EntrySet &other) {
    bool changed = false;
    for (auto &[key, entry] : other.entries)
      changed |= add(entry);
    return changed;
  }
  template <class Predicate> void removeIf(Predicate predicate) {
    for (auto it = entries.begin(); it != entries.end();)
      it = predicate(it->second) ? entries.erase(it) : std::next(it);
  }
  template <class Function> void forEach(Function function) {
    for (auto &[key, entry] : entries)
      function(entry);
  }
  template <class Function> void forEach(Function function) const {
    for (auto &[key, entry] : entries)
      function(entry);
  }
  void clear() { entries.clear(); }

private:
  std::map<decltype(std::declval<Entry>().key()), Entry> entries;
};

struct AsyncState {
  EntrySet<Copy> copies;
  EntrySet<Reading> readings;
  EntrySet<Sum> sums;
  EntrySet<Unfenced> unfenced;
  EntrySet<Unordered> unordered;
  AsyncAges ages;

  /// Another path leads here; whether it brings anything new.
  bool meet(const AsyncState &other);
  /// The same in other words for the places.
  AsyncState renamed(llvm::function_ref<SlotPlace(SlotPlace)> rename) const;
  /// On an edge of a loop `arguments` take the place of `values`.
  void passSums(mlir::ValueRange arguments, mlir::ValueRange values);
};

} // namespace tile::tgpu

#endif
