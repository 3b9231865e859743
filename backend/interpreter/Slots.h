/// Where the values of a kernel live while it runs: arrays at fixed offsets of one block of memory, whose bytes are
/// used again once the last reader of a value has run.
#ifndef BACKEND_INTERPRETER_SLOTS_H
#define BACKEND_INTERPRETER_SLOTS_H

#include "backend/interpreter/Element.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <vector>

namespace tile::interpreter {

/// A dense array in the frame.
struct Array {
  int64_t offset = 0;
  Element element = Element::I8;
  int64_t count = 0;

  int64_t bytes() const { return count * sizeOf(element); }
};

class Slots {
public:
  /// Finds the last reader of every value in `function`.
  explicit Slots(mlir::func::FuncOp function);

  Array at(mlir::Value value) const { return bindings.at(value).array; }
  bool has(mlir::Value value) const { return bindings.contains(value); }

  /// Room for `value` until its last reader has run.
  Array define(mlir::Value value, Element element, int64_t count);
  /// Lets `value` share the bytes of `other`, which stay until both are dead.
  void alias(mlir::Value value, mlir::Value other, Element element, int64_t count);
  /// Room that nobody else ever gets or had.
  Array reserve(Element element, int64_t count);
  /// `value` lives at `array`, which is reserved.
  void bind(mlir::Value value, Array array) { bindings[value] = {kReserved, array}; }

  /// Room that a loop or a conditional keeps until `release`, under a number.
  int carry(Element element, int64_t count);
  Array carried(int slot, Element element, int64_t count) const { return {slots[slot].offset, element, count}; }
  /// `value` lives in the carried slot, and after `release` keeps it until its last reader has run.
  void bindCarried(mlir::Value value, int slot, Element element, int64_t count);
  void release(int slot);

  /// Whether `op` reads `value` once and nothing after it does, so that a result may take over the bytes.
  bool diesAt(mlir::Value value, mlir::Operation *op) const;
  /// `op` and all that is nested in it are compiled: gives back what died there.
  void finish(mlir::Operation *op);

  int64_t totalBytes() const { return end; }

private:
  static constexpr int kReserved = -1;
  struct Binding {
    int slot;
    Array array;
  };
  struct Slot {
    int64_t offset, bytes;
    /// Values that live here and have readers to come.
    int live;
    /// Carried and not released yet.
    bool held;
  };
  int allocate(int64_t bytes);
  void giveBack(int slot);

  llvm::DenseMap<mlir::Value, Binding> bindings;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> dying;
  std::vector<Slot> slots;
  /// Unused stretches below `end`: offset → bytes.
  std::map<int64_t, int64_t> unused;
  int64_t end = 0;
};

} // namespace tile::interpreter

#endif
