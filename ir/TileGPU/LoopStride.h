/// How far an index moves when a loop goes on by one iteration.
#ifndef IR_TILEGPU_LOOPSTRIDE_H
#define IR_TILEGPU_LOOPSTRIDE_H

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseMap.h"

namespace tile::tgpu {

/// Answers for the values of one loop, each worked out once.
class LoopStride {
public:
  explicit LoopStride(mlir::LoopLikeOpInterface loop);

  /// By how much `index` grows per iteration, if by the same each time; none where that is not proved. Integers of less
  /// than 64 bits wrap, so sums and products of them count only within bounds that are known. An `index` is taken not
  /// to wrap: the answer is below 2^31, and iterations that far apart as would bring it round do not run at a time.
  std::optional<int64_t> of(mlir::Value index);

private:
  /// A multiple of the loop's variable plus what does not change in the loop.
  struct Linear {
    int64_t factor;
    int64_t least, most; // of the whole value; all of int64 for an `index`
  };
  std::optional<Linear> linear(mlir::Value value, int depth);
  std::optional<Linear> compute(mlir::Value value, int depth);

  mlir::LoopLikeOpInterface loop;
  llvm::DenseMap<mlir::Value, std::optional<Linear>> known;
};

} // namespace tile::tgpu

#endif
