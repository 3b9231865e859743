/// Shared memory that an op needs only while it runs, to move data between threads. The lowering of such an op stores,
/// waits for all threads, and loads; whoever uses the bytes next must wait until the loads are done.
#ifndef IR_TILEGPU_SCRATCH_H
#define IR_TILEGPU_SCRATCH_H

#include "ir/TileGPU/TileGPUOps.h"

#include "ir/Tile/TileOps.h"

namespace tile::tgpu {

/// How the partial results of a reduction travel between the warps that share its axis: slot `position * warps + warp`
/// of each operand's array, where `position` is the row-major one in the result.
struct ReduceExchange {
  int64_t warps = 1;     ///< along the axis; 1: nothing travels
  int64_t positions = 1; ///< elements of the result
  int64_t bytes = 0;
  llvm::SmallVector<int64_t> offsets; ///< of each operand's array
};
ReduceExchange planReduceExchange(ReduceOp reduce);

/// Bytes that `op` needs; 0 for most.
int64_t scratchBytes(mlir::Operation *op);

} // namespace tile::tgpu

#endif
