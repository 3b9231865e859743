/// The `tile` dialect: types, attributes, interfaces and ops. See ir/Tile/README.md for what each family is for.
#ifndef IR_TILE_TILEOPS_H
#define IR_TILE_TILEOPS_H

#include "ir/Tile/AccessShape.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/Tile/TileDialect.h.inc"
#include "ir/Tile/TileEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/Tile/TileTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/Tile/TileAttributes.h.inc"
#include "ir/Tile/TileInterfaces.h.inc"
#define GET_OP_CLASSES
#include "ir/Tile/TileOps.h.inc"

namespace tile {

/// The shape of a scalar is empty.
llvm::ArrayRef<int64_t> shapeOf(mlir::Type type);

/// The element type of a tile, or the scalar itself.
mlir::Type elementOf(mlir::Type type);

/// Bytes of an element in memory; pointers and indices have 8.
int64_t elementBytes(mlir::Type element);

/// A tile of `shape`, or the scalar `element` if the shape is empty.
mlir::Type tileOf(llvm::ArrayRef<int64_t> shape, mlir::Type element);

} // namespace tile

#endif
