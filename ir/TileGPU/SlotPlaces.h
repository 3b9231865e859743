/// Which slots of which buffers may be the same memory. A slot's index is followed to a constant or to a *counter*, an
/// argument of an `scf.for` that grows by a constant in each iteration; so indices of one loop are compared by what
/// they add to the counter, and what is said of one iteration can be said in terms of the next. Whatever else indexes a
/// slot is taken to be any slot of the buffer.
#ifndef IR_TILEGPU_SLOTPLACES_H
#define IR_TILEGPU_SLOTPLACES_H

#include "ir/TileGPU/TileGPUOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tile::tgpu {

/// A slot: `base + offset` modulo the stages of `buffer`.
struct SlotPlace {
  mlir::Value buffer;   ///< result of a `tgpu.alloc`; null: a slot of which nothing is known
  mlir::Value base;     ///< null: none, the offset is the index
  int64_t offset = 0;   ///< at least 0 and less than the number of stages
  bool isKnown = false; ///< otherwise any slot of the buffer

  auto key() const { return std::tuple(buffer.getAsOpaquePointer(), base.getAsOpaquePointer(), offset, isKnown); }
};

SlotPlace placeOf(mlir::Value slot);

/// The bytes of shared memory that a buffer takes, once it has its place.
struct SharedBytes {
  int64_t begin = 0, end = 0;
  bool meets(const SharedBytes &other) const { return begin < other.end && other.begin < end; }
};
SharedBytes bytesOf(mlir::Value buffer);

/// Whether both may be the same memory, at one point of the program.
bool mayMeet(const SlotPlace &a, const SlotPlace &b);
bool mayMeet(const SlotPlace &slot, SharedBytes bytes);

/// How places are said on the edges of a loop.
class LoopPlaces {
public:
  explicit LoopPlaces(mlir::scf::ForOp loop);

  /// A place as of before the loop, in the first iteration.
  SlotPlace enter(SlotPlace place);
  /// One as of the end of an iteration, at the beginning of the next.
  SlotPlace next(SlotPlace place);
  /// One as of the beginning of an iteration that does not happen, after the loop.
  SlotPlace leave(SlotPlace place);

private:
  struct Counter {
    unsigned index;    ///< of the loop's iteration arguments
    int64_t increment; ///< per iteration
  };
  std::optional<Counter> counterOf(mlir::Value argument);
  /// The counter by which slots of `buffer` are chosen in the loop.
  std::optional<Counter> counterFor(mlir::Value buffer);

  mlir::scf::ForOp loop;
  llvm::DenseMap<mlir::Value, std::optional<Counter>> counters;
};

} // namespace tile::tgpu

#endif
