/// Passes from the `tgpu` level to itself.
#ifndef IR_TILEGPU_PASSES_H
#define IR_TILEGPU_PASSES_H

#include "ir/TileGPU/TileGPUOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tile::tgpu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ir/TileGPU/Passes.h.inc"

} // namespace tile::tgpu

#endif
