/// Program ids, views and barriers.
#include "backend/TileGPUToLLVM/GlobalMemory.h"
#include "backend/TileGPUToLLVM/LowerTiles.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace {
/// A special register of the block or of the grid along one of three axes. The manifest's `grid` is `axes`: grids go to
/// the hardware as they are.
template <typename Op, typename X, typename Y, typename Z> struct LowerGridOp : public OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor, ConversionPatternRewriter &rewriter) const override {
    Type i32 = rewriter.getI32Type();
    Value value = op.getAxis() == 0   ? X::create(rewriter, op.getLoc(), i32).getResult()
                  : op.getAxis() == 1 ? Y::create(rewriter, op.getLoc(), i32).getResult()
                                      : Z::create(rewriter, op.getLoc(), i32).getResult();
    rewriter.replaceOpWithNewOp<arith::IndexCastUIOp>(op, rewriter.getIndexType(), value);
    return success();
  }
};

struct LowerBarrier : public OpConversionPattern<BarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(BarrierOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Emitter(rewriter, op.getLoc()).barrier();
    rewriter.eraseOp(op);
    return success();
  }
};

/// One condition of all elements that this thread holds; the scalar op is lowered with the other scalars.
struct LowerAssert : public OpConversionPattern<AssertOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AssertOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    Value all;
    for (Value condition : adaptor.getCondition())
      all = emit.both(all, condition);
    rewriter.replaceOpWithNewOp<AssertOp>(op, all, op.getMessage());
    return success();
  }
};

struct LowerMakeView : public OpConversionPattern<MakeViewOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MakeViewOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts = {adaptor.getBase()};
    llvm::append_range(parts, adaptor.getExtents());
    // The innermost stride of a view that is not strided is 1 and is not kept.
    auto strides = op.getStaticStrides();
    auto dynamic = adaptor.getStrides().begin();
    if (!op.getType().getStrided() && !strides.empty())
      strides = strides.drop_back();
    for (int64_t stride : strides)
      parts.push_back(ShapedType::isDynamic(stride)
                          ? *dynamic++
                          : arith::ConstantIndexOp::create(rewriter, op.getLoc(), stride).getResult());
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{parts});
    return success();
  }
};

struct LowerDim : public OpConversionPattern<DimOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(DimOp op, OneToNOpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    ViewParts parts(op.getView().getType(), adaptor.getView());
    rewriter.replaceOp(op, getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), parts.extents[op.getAxis()]));
    return success();
  }
};

struct LowerSubview : public OpConversionPattern<SubviewOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SubviewOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ViewType from = op.getView().getType(), to = op.getType();
    ViewParts outer(from, adaptor.getView());
    Emitter emit(rewriter, op.getLoc());
    Type i64 = rewriter.getI64Type(), index = rewriter.getIndexType();
    auto value = [&](OpFoldResult number) {
      return emit.toInteger(getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), number), i64);
    };
    Value bytes = emit.i64(0);
    SmallVector<Value> extents, strides;
    auto high = adaptor.getHighs().begin();
    for (int64_t dim = 0; dim < from.getRank(); ++dim) {
      Value low = emit.toInteger(adaptor.getLows()[dim].front(), i64), stride = value(outer.strides[dim]);
      bytes = emit.add(bytes, emit.mul(low, stride));
      if (!op.getKept()[dim])
        continue;
      Value end = emit.minSigned(emit.toInteger((*high++).front(), i64), value(outer.extents[dim]));
      Value extent = emit.maxSigned(emit.sub(end, low), emit.i64(0));
      if (ShapedType::isDynamic(to.getShape()[extents.size()]))
        extents.push_back(emit.toInteger(extent, index));
      else
        extents.push_back(Value());
      strides.push_back(emit.toInteger(stride, index));
    }
    bytes = emit.mul(bytes, emit.i64(memoryBytes(getTypeConverter()->convertType(from.getElementType()))));
    SmallVector<Value> parts = {emit.offset(outer.base, bytes)};
    for (Value extent : extents)
      if (extent)
        parts.push_back(extent);
    if (!to.getStrided() && !strides.empty())
      strides.pop_back();
    llvm::append_range(parts, strides);
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{parts});
    return success();
  }
};
} // namespace

void tgpu::populateProgramPatterns(const TileTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerAssert, LowerBarrier, LowerDim, LowerMakeView, LowerSubview,
               LowerGridOp<NumProgramsOp, NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>,
               LowerGridOp<ProgramIdOp, NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>>(types,
                                                                                               patterns.getContext());
}
