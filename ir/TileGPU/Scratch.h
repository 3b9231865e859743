/// Shared memory that an op needs only while it runs, to move data between threads. The lowering of such an op stores,
/// waits for other threads, of the block or of the warp, and loads; whoever uses the bytes next must wait until the
/// loads are done.
#ifndef IR_TILEGPU_SCRATCH_H
#define IR_TILEGPU_SCRATCH_H

#include "ir/TileGPU/TileGPUOps.h"

#include "ir/Layout/Conversion.h"
#include "ir/Tile/TileOps.h"

namespace tile::tgpu {

/// How the partial results of a reduction travel between the warps that share its axis: one for each element of the
/// result and each such warp, in an array for each operand. In which order is the lowering's choice.
struct ReduceExchange {
  int64_t warps = 1;     ///< along the axis; 1: nothing travels
  int64_t positions = 1; ///< elements of the result
  int64_t bytes = 0;
  llvm::SmallVector<int64_t> offsets; ///< of each operand's array
};
ReduceExchange planReduceExchange(ReduceOp reduce);

ConversionPlan planConversionOf(ConvertLayoutOp convert);

/// How the tile of a store with `tgpu.through` reaches the layout in which it is stored: in slices, the rounds of the
/// exchange, each through bytes of its own. A warp reads what it wrote, so it waits for itself alone.
SharedExchange planSlicedStore(StoreOp store);

/// For a reshape the register of the operand, in the same thread, for each register of the result. None where elements
/// change their thread: they then go through shared memory in row-major order.
std::optional<std::vector<int64_t>> reshapedRegisters(ReshapeOp reshape);

/// Whether the result of an atomic, which the owners of its elements receive, has to reach other threads too.
bool sharesResult(mlir::Operation *atomic);

/// Bytes that `op` needs; 0 for most.
int64_t scratchBytes(mlir::Operation *op);

/// Whether an op that needs some waits for all threads of the block between its stores and its loads.
bool waitsForBlock(mlir::Operation *op);

} // namespace tile::tgpu

#endif
