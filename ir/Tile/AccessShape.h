/// Shape rules of several ops, written once for verifiers and inference. The frontend knows extents by name and words
/// its own refusals; of these it asks what does not depend on names.
#ifndef IR_TILE_ACCESSSHAPE_H
#define IR_TILE_ACCESSSHAPE_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeRange.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tile {

/// The shape that two tiles of equal rank broadcast to; an extent of 1 fits any. None where two extents differ.
std::optional<llvm::SmallVector<int64_t>> broadcastShapes(llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs);

/// The shape of the tile that an access with these sizes and index types touches (see `ViewAccess`); empty for a single
/// element. None where gather tiles do not broadcast against each other.
std::optional<llvm::SmallVector<int64_t>> inferAccessShape(llvm::ArrayRef<int64_t> sizes, mlir::TypeRange indices);

/// The 8-bit floats, f8E4M3FN and f8E5M2. They are stored, moved, chosen between and multiplied as matrices; all else
/// is computed of what they widen to.
bool isFloat8(mlir::Type element);

/// Whether tiles of these element types are factors of one product: of one type, or of the two formats of 8-bit floats.
bool areFactors(mlir::Type lhs, mlir::Type rhs);

/// The accumulator's element type of a product of two `element` tiles; null where the product is not defined.
mlir::Type dotAccumulator(mlir::Type element);

/// Verifies what all accesses through views share; `op` implements `ViewAccess`.
mlir::LogicalResult verifyViewAccess(mlir::Operation *op);

} // namespace tile

#endif
