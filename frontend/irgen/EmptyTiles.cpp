#include "frontend/irgen/EmptyTiles.h"

#include "ir/Tile/TileOps.h"

using namespace tile;

static bool isEmptyTile(mlir::Type type) {
  auto tile = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tile && tile.hasStaticShape() && tile.getNumElements() == 0;
}

/// Control flow keeps its empty values, which are constants.
void irgen::dropEmptyTiles(mlir::func::FuncOp function) {
  auto isEmpty = [](mlir::Value value) { return isEmptyTile(value.getType()); };
  llvm::SmallVector<mlir::Operation *> touched;
  function.walk([&](mlir::Operation *op) {
    bool isControl = op->hasTrait<mlir::OpTrait::IsTerminator>() || llvm::isa<mlir::scf::SCFDialect>(op->getDialect());
    if (!isControl && (llvm::any_of(op->getOperands(), isEmpty) || llvm::any_of(op->getResults(), isEmpty)))
      touched.push_back(op);
  });
  llvm::SmallVector<mlir::Operation *> constants;
  for (mlir::Operation *op : touched) {
    mlir::OpBuilder builder(op);
    for (mlir::Value result : op->getResults()) {
      // What has elements although it is made of a tile without any is the sum of no products.
      mlir::Value instead = isEmpty(result) ? mlir::arith::ConstantOp::create(builder, op->getLoc(),
                                                                              builder.getZeroAttr(result.getType()))
                                                  .getResult()
                                            : llvm::cast<DotOp>(op).getAcc();
      result.replaceAllUsesWith(instead);
      if (isEmpty(result))
        constants.push_back(instead.getDefiningOp());
    }
    op->erase();
  }
  for (mlir::Operation *op : constants)
    if (op->use_empty())
      op->erase();
}
