/// Passes from the `tile` to the `tgpu` level.
#ifndef IR_TILETOTILEGPU_PASSES_H
#define IR_TILETOTILEGPU_PASSES_H

#include "ir/TileGPU/TileGPUOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tile::tgpu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ir/TileToTileGPU/Passes.h.inc"

/// Warps per block of `kernel`: those that have been chosen, those that its schedule says, else `unlessGiven`.
int64_t kernelWarps(mlir::func::FuncOp kernel, int64_t unlessGiven);

/// Elements of a tile; 2^48 where there are more, so that one can go on counting.
int64_t countElements(mlir::Type tile);

} // namespace tile::tgpu

#endif
