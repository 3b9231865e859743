/// How the positions of an access are written, for the ops of every dialect that touch a view.
#ifndef IR_TILE_ACCESSTEXT_H
#define IR_TILE_ACCESSTEXT_H

#include "mlir/IR/OpImplementation.h"

namespace tile {

/// `[` index (`:+` size | `gather`)? (`,` …)* `]`
mlir::ParseResult parsePositions(mlir::OpAsmParser &parser,
                                 llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &indices,
                                 mlir::DenseI64ArrayAttr &sizes);
void printPositions(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::OperandRange indices,
                    mlir::DenseI64ArrayAttr sizes);

/// `(` (type (`,` type)*)? `)`; a view of rank 0 has no positions.
mlir::ParseResult parsePositionTypes(mlir::OpAsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &types);
void printPositionTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::TypeRange types);

} // namespace tile

#endif
