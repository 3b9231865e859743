/// Raw pointers: address arithmetic, masked loads and stores.
#include "backend/TileGPUToLLVM/GlobalMemory.h"
#include "backend/TileGPUToLLVM/LowerTiles.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

static int64_t vectorOf(Operation *op) {
  auto plan = op->getAttrOfType<AccessAttr>(TileGPUDialect::kAccess);
  return plan ? plan.getVector() : 1;
}

namespace {
struct LowerPtrAdd : public OpConversionPattern<PtrAddOp> {
  LowerPtrAdd(const TypeConverter &types, MLIRContext *context) : OpConversionPattern(types, context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(PtrAddOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    Type element = getTypeConverter()->convertType(cast<PtrType>(elementOf(op.getType())).getElementType());
    SmallVector<Value> registers;
    for (auto [pointer, offset] : llvm::zip_equal(adaptor.getPointer(), adaptor.getOffset()))
      registers.push_back(emit.offset(
          pointer, emit.mul(emit.toInteger(offset, rewriter.getI64Type()), emit.i64(memoryBytes(element)))));
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{registers});
    return success();
  }
};

struct LowerLoadPtr : public OpConversionPattern<LoadPtrOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(LoadPtrOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    int64_t vector = vectorOf(op);
    Type element = getTypeConverter()->convertType(elementOf(op.getType()));
    ValueRange pointers = adaptor.getPointer();
    SmallVector<Value> loaded;
    // A mask is constant along the vector, or the plan would have none.
    for (int64_t reg = 0, e = pointers.size(); reg < e; reg += vector) {
      GlobalAddress address{pointers[reg], 0, element, vector, op.getCache(), /*constant=*/false};
      SmallVector<Value> others(vector, op.getOther() ? Value() : emit.zero(element));
      if (op.getOther())
        others.assign(adaptor.getOther().begin() + reg, adaptor.getOther().begin() + reg + vector);
      llvm::append_range(loaded, emitLoad(emit, address, op.getMask() ? adaptor.getMask()[reg] : Value(), others));
    }
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{loaded});
    return success();
  }
};

struct LowerStorePtr : public OpConversionPattern<StorePtrOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(StorePtrOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    int64_t vector = vectorOf(op);
    LayoutAttr layout = layoutOf(op.getPointer().getType());
    Value owner = layout ? ThreadCoordinates(emit, layout.getLayout()).isOwner() : emit.isFirstThread();
    ValueRange pointers = adaptor.getPointer();
    for (int64_t reg = 0, e = pointers.size(); reg < e; reg += vector) {
      if (layout && !layout.getLayout().isOwner(reg, 0, 0))
        continue;
      Value mask = op.getMask() ? adaptor.getMask()[reg] : Value();
      GlobalAddress address{pointers[reg], 0, adaptor.getValue()[reg].getType(), vector, op.getCache(), false};
      emitStore(emit, address, emit.both(owner, mask), adaptor.getValue().slice(reg, vector));
    }
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tgpu::populatePointerPatterns(const TileTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerLoadPtr, LowerPtrAdd, LowerStorePtr>(types, patterns.getContext());
}
