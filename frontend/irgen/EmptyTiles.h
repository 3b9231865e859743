/// Tiles of extent 0, which a spec has where a shape has one and tile IR has not.
#ifndef FRONTEND_IRGEN_EMPTYTILES_H
#define FRONTEND_IRGEN_EMPTYTILES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tile::irgen {

/// Replaces what only makes or stores elements of empty tiles, and products that sum over none. Reductions over an axis
/// of extent 0 were never made.
void dropEmptyTiles(mlir::func::FuncOp function);

} // namespace tile::irgen

#endif
