/// The `tgpu` dialect: layouts as tensor encodings and the ops that exist because there are threads. See
/// ir/TileGPU/README.md.
#ifndef IR_TILEGPU_TILEGPUOPS_H
#define IR_TILEGPU_TILEGPUOPS_H

#include "ir/Layout/Layout.h"
#include "ir/Tile/TileOps.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tile {
/// For attribute uniquing; found by argument-dependent look-up.
inline llvm::hash_code hash_value(const Layout &layout) { return llvm::hash_code(layout.hash()); }
} // namespace tile

#include "ir/TileGPU/TileGPUDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/TileGPU/TileGPUAttributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/TileGPU/TileGPUTypes.h.inc"
#define GET_OP_CLASSES
#include "ir/TileGPU/TileGPUOps.h.inc"

namespace tile::tgpu {

/// The layout of a tile; null for a scalar and for a tensor that has none yet.
LayoutAttr layoutOf(mlir::Type type);
/// The layout in which a store stores the elements that reach it through shared memory; null for most.
LayoutAttr throughOf(StoreOp store);

/// `type`, a tensor, spread by `layout`.
mlir::RankedTensorType withLayout(mlir::Type type, LayoutAttr layout);

/// Whether `op` multiplies matrices, at whatever level.
bool isProduct(mlir::Operation *op);

/// Bytes of a whole tile in row-major order, or of a scalar.
int64_t rowMajorBytes(mlir::Type type);

/// 32-bit registers of a thread that hold a tile; none for a scalar.
int64_t registerWords(mlir::Type type);

/// Those that `load`, a `tile.load` or `tile.load_ptr`, fills: what moves alone fills one, however narrow it is.
int64_t loadedWords(mlir::Operation *load);

/// The element type of a product's factor, a tile or a slot.
mlir::Type elementOfFactor(mlir::Type factor);

/// Whether `op` is elementwise and computes with 8-bit floats, which no kernel on the GPU can: it may choose between
/// them, read their bits, and convert them.
bool computesWithFloat8(mlir::Operation *op);

/// Whether every tile of `kernel` has a layout, as the passes of this level take for granted; says where one has none.
mlir::LogicalResult verifyLaidOut(mlir::func::FuncOp kernel);

/// Warps per block of `kernel`; none if that was not decided, which is reported.
std::optional<int64_t> warpsOf(mlir::func::FuncOp kernel);

} // namespace tile::tgpu

#endif
