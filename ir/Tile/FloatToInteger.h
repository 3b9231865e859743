/// Which operations make integers of floats: where bounds of errors, and results that are compared, step by 1.
#ifndef IR_TILE_FLOATTOINTEGER_H
#define IR_TILE_FLOATTOINTEGER_H

#include "mlir/IR/Operation.h"

namespace tile {

/// Whether `op` rounds a float, or a tile of them, to an integer.
bool isFloatToInteger(mlir::Operation *op);

} // namespace tile

#endif
