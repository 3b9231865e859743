/// Ops that make tiles or move their elements. Most only rename the registers of each thread.
#include "backend/TileGPUToLLVM/GlobalMemory.h"
#include "backend/TileGPUToLLVM/LowerTiles.h"
#include "backend/TileGPUToLLVM/TileExchange.h"

#include "ir/Layout/ShapeOps.h"
#include "ir/TileGPU/Scratch.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace {
struct LowerConstant : public OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> registers;
    TypedAttr value = withBytes(op.getValue());
    if (auto splat = dyn_cast<SplatElementsAttr>(value)) {
      Value scalar = arith::ConstantOp::create(rewriter, op.getLoc(), splat.getSplatValue<TypedAttr>());
      registers.assign(layoutIn(op).numRegisters(), scalar);
    } else if (auto elements = dyn_cast<DenseElementsAttr>(value)) {
      registers = loadTable(op, elements, rewriter);
    } else {
      return rewriter.notifyMatchFailure(op, "not a dense constant");
    }
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{registers});
    return success();
  }

private:
  /// The elements as an array in global memory, from which each thread loads its own.
  static SmallVector<Value> loadTable(arith::ConstantOp op, DenseElementsAttr elements,
                                      ConversionPatternRewriter &rewriter) {
    Emitter emit(rewriter, op.getLoc());
    const Layout &layout = layoutIn(op);
    Type element = elements.getElementType();
    // In memory a bool takes a byte, and an index eight.
    Type stored = element.isInteger(1)      ? rewriter.getI8Type()
                  : isa<IndexType>(element) ? rewriter.getI64Type()
                                            : element;
    if (stored != element)
      elements = elements.mapValues(
          stored, [&](const APInt &value) { return value.zextOrTrunc(stored.getIntOrFloatBitWidth()); });
    LLVM::GlobalOp table = declareTable(op, elements, stored, rewriter);
    Value base = LLVM::AddressOfOp::create(rewriter, op.getLoc(), table);
    ThreadCoordinates coordinates(emit, layout);
    SmallVector<Value> registers;
    for (int64_t reg = 0; reg < layout.numRegisters(); ++reg) {
      Value position = emit.i32(0);
      for (int dim = 0; dim < layout.rank(); ++dim)
        position = emit.add(emit.mul(position, emit.i32(layout.extent(dim))), coordinates.coordinate(dim, reg));
      GlobalAddress address{emit.offset(base, emit.mul(position, emit.i32(memoryBytes(stored)))), 0, element};
      address.constant = true;
      registers.push_back(emitLoad(emit, address, Value(), {})[0]);
    }
    return registers;
  }

  static LLVM::GlobalOp declareTable(arith::ConstantOp op, DenseElementsAttr elements, Type stored,
                                     ConversionPatternRewriter &rewriter) {
    OpBuilder::InsertionGuard guard(rewriter);
    auto module = op->getParentOfType<ModuleOp>();
    rewriter.setInsertionPointToStart(module.getBody());
    int64_t count = elements.getNumElements();
    std::string name;
    for (int64_t i = 0; name.empty() || module.lookupSymbol(name); ++i)
      name = "constant_tile_" + std::to_string(i);
    return LLVM::GlobalOp::create(rewriter, op.getLoc(), LLVM::LLVMArrayType::get(stored, count), /*isConstant=*/true,
                                  LLVM::Linkage::Internal, name, elements.reshape(RankedTensorType::get(count, stored)),
                                  /*alignment=*/16, kGlobalSpace);
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
};

struct LowerReshape : public OpConversionPattern<ReshapeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ReshapeOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    ValueRange values = adaptor.getValue();
    SmallVector<Value> registers;
    if (std::optional<std::vector<int64_t>> from = reshapedRegisters(op)) {
      for (int64_t reg : *from)
        registers.push_back(values[reg]);
    } else {
      Value base = scratchOf(emit, op);
      emitRowMajorStore(emit, layoutIn(op.getValue()), values, base);
      emit.barrier();
      registers = emitRowMajorLoad(emit, layoutIn(op), values[0].getType(), base);
    }
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{registers});
    return success();
  }
};

struct LowerConvertLayout : public OpConversionPattern<ConvertLayoutOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ConvertLayoutOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    SmallVector<Value> registers = emitConversion(emit, planConversionOf(op), layoutIn(op.getValue()), layoutIn(op),
                                                  adaptor.getValue(), scratchOf(emit, op));
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{registers});
    return success();
  }
};
} // namespace

void tgpu::populateShapePatterns(const TileTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerConstant, LowerIota, LowerSplat, RenameRegisters<BroadcastOp>, RenameRegisters<ExpandDimsOp>,
               RenameRegisters<PermuteOp>, LowerConvertLayout, LowerReshape>(types, patterns.getContext());
}
