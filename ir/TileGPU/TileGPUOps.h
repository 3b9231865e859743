/// The `tgpu` dialect: layouts as tensor encodings and the ops that exist because there are threads. See
/// ir/TileGPU/README.md.
#ifndef IR_TILEGPU_TILEGPUOPS_H
#define IR_TILEGPU_TILEGPUOPS_H

#include "ir/Layout/Layout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tile {
/// For attribute uniquing; found by argument-dependent look-up.
inline llvm::hash_code hash_value(const Layout &layout) { return llvm::hash_code(layout.hash()); }
} // namespace tile

#include "ir/TileGPU/TileGPUDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/TileGPU/TileGPUAttributes.h.inc"
#define GET_OP_CLASSES
#include "ir/TileGPU/TileGPUOps.h.inc"

namespace tile::tgpu {

/// The layout of a tile; null for a scalar and for a tensor that has none yet.
LayoutAttr layoutOf(mlir::Type type);

/// `type`, a tensor, spread by `layout`.
mlir::RankedTensorType withLayout(mlir::Type type, LayoutAttr layout);

/// Warps per block of the kernel around `op`.
int64_t warpsOf(mlir::Operation *op);

} // namespace tile::tgpu

#endif
