/// Elementwise ops on tiles: the same op on the scalars of each register. What the scalar op becomes is decided later,
/// once for tiles and scalars alike.
#include "backend/TileGPUToLLVM/LowerTiles.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace {
struct PerRegister : public ConversionPattern {
  PerRegister(const TileTypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1 || op->getNumRegions() != 0)
      return rewriter.notifyMatchFailure(op, "not elementwise");
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return rewriter.notifyMatchFailure(op, "no layout");
    SmallVector<Value> results;
    for (auto [index, type] : llvm::enumerate(types)) {
      OperationState state(op->getLoc(), op->getName());
      // A scalar operand serves every register.
      for (ValueRange operand : operands)
        state.operands.push_back(operand.size() == 1 ? operand[0] : operand[index]);
      state.addTypes(type);
      state.addAttributes(op->getAttrs());
      results.push_back(rewriter.create(state)->getResult(0));
    }
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{results});
    return success();
  }
};
} // namespace

void tgpu::populateElementwisePatterns(const TileTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<PerRegister>(types, patterns.getContext());
}
