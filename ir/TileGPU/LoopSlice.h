/// What a value of a loop's body is computed by, where that may be computed for another iteration too.
#ifndef IR_TILEGPU_LOOPSLICE_H
#define IR_TILEGPU_LOOPSLICE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tile::tgpu {

using LoopSlice = llvm::SetVector<mlir::Operation *>;

/// Adds the ops of the body that `value` is computed by to `slice`, in order. Fails where it depends on what the loop
/// carries, on a tile, or on an op that may not be done early.
mlir::LogicalResult collectSlice(mlir::scf::ForOp loop, mlir::Value value, LoopSlice &slice);

/// Computes the slice anew, with `variable` in place of the loop's variable, and adds its values to `mapping`.
void cloneSlice(mlir::OpBuilder &builder, mlir::scf::ForOp loop, const LoopSlice &slice, mlir::Value variable,
                mlir::IRMapping &mapping);

} // namespace tile::tgpu

#endif
