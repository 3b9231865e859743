#include "ir/Tile/FloatToInteger.h"

#include "ir/Tile/TileOps.h"

using namespace mlir;

bool tile::isFloatToInteger(Operation *op) {
  return isa<arith::FPToSIOp, arith::FPToUIOp>(op) ||
         (isa<CastOp>(op) && isa<IntegerType>(elementOf(op->getResult(0).getType())));
}
