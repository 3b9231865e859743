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
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() == 0 || op->getNumRegions() != 0)
      return rewriter.notifyMatchFailure(op, "not elementwise");
    if (computesWithFloat8(op))
      return rewriter.notifyMatchFailure(op, "8-bit floats are not computed with");
    SmallVector<SmallVector<Type>> types(op->getNumResults());
    for (auto [result, registers] : llvm::zip_equal(op->getResultTypes(), types))
      if (failed(getTypeConverter()->convertTypes(result, registers)))
        return rewriter.notifyMatchFailure(op, "no layout");
    SmallVector<SmallVector<Value>> results(op->getNumResults());
    for (size_t index = 0; index < types.front().size(); ++index) {
      OperationState state(op->getLoc(), op->getName());
      // A scalar operand serves every register.
      for (ValueRange operand : operands)
        state.operands.push_back(operand.size() == 1 ? operand[0] : operand[index]);
      for (ArrayRef<Type> registers : types)
        state.addTypes(registers[index]);
      state.addAttributes(op->getAttrs());
      for (auto [values, value] : llvm::zip_equal(results, rewriter.create(state)->getResults()))
        values.push_back(value);
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};
} // namespace

void tgpu::populateElementwisePatterns(const TileTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<PerRegister>(types, patterns.getContext());
}
