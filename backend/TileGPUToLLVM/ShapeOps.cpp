/// Ops that make tiles or rename their elements: every thread computes or renames its own registers.
#include "backend/TileGPUToLLVM/LowerTiles.h"

#include "ir/Layout/ShapeOps.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace {
struct LowerConstant : public OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!splat)
      return rewriter.notifyMatchFailure(op, "the elements differ");
    Value scalar = arith::ConstantOp::create(rewriter, op.getLoc(), splat.getSplatValue<TypedAttr>());
    SmallVector<Value> registers(layoutIn(op).numRegisters(), scalar);
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{registers});
    return success();
  }
};

struct LowerIota : public OpConversionPattern<IotaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(IotaOp op, OneToNOpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    const Layout &layout = layoutIn(op);
    ThreadCoordinates coordinates(emit, layout);
    SmallVector<Value> registers;
    for (int64_t reg = 0; reg < layout.numRegisters(); ++reg)
      registers.push_back(emit.toInteger(coordinates.coordinate(0, reg), op.getType().getElementType()));
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{registers});
    return success();
  }
};

struct LowerSplat : public OpConversionPattern<SplatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SplatOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> registers(layoutIn(op).numRegisters(), adaptor.getValue().front());
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{registers});
    return success();
  }
};

/// The result's layout was chosen so that each register is one of the operand's, in the same thread.
template <typename Op> struct RenameRegisters : public OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename OpConversionPattern<Op>::OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    std::optional<Layout> renamed = layoutFromOperand(op, layoutIn(op.getValue()));
    std::optional<std::vector<int64_t>> from =
        renamed ? matchRegisters(*renamed, collapseLayout(layoutIn(op), renamed->shape())) : std::nullopt;
    if (!from)
      return rewriter.notifyMatchFailure(op, "the layouts need elements of other threads");
    SmallVector<Value> registers;
    for (int64_t reg : *from)
      registers.push_back(adaptor.getValue()[reg]);
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{registers});
    return success();
  }

private:
  /// The operand's layout with the coordinates of the result, an extent of 1 kept where the op broadcasts.
  static std::optional<Layout> layoutFromOperand(ExpandDimsOp op, const Layout &layout) {
    return expandDimsLayout(layout, op.getAxis());
  }
  static std::optional<Layout> layoutFromOperand(BroadcastOp, const Layout &layout) { return layout; }
  static std::optional<Layout> layoutFromOperand(PermuteOp op, const Layout &layout) {
    return permuteLayout(layout, std::vector<int>(op.getOrder().begin(), op.getOrder().end()));
  }
  static std::optional<Layout> layoutFromOperand(ReshapeOp op, const Layout &layout) {
    ArrayRef<int64_t> shape = shapeOf(op.getType());
    return reshapeLayout(layout, physicalShape(Shape(shape.begin(), shape.end())));
  }
};
} // namespace

void tgpu::populateShapePatterns(const TileTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerConstant, LowerIota, LowerSplat, RenameRegisters<BroadcastOp>, RenameRegisters<ExpandDimsOp>,
               RenameRegisters<PermuteOp>, RenameRegisters<ReshapeOp>>(types, patterns.getContext());
}
