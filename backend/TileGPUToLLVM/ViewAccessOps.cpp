/// Accesses through views: loads, stores, atomics and the question what is inside.
///
/// A vector that is wholly inside moves by one instruction under its predicate. Where the view may end within a vector,
/// a block that all threads enter or skip together moves the elements of cut vectors one by one. No byte outside a view
/// is touched.
#include "backend/TileGPUToLLVM/AccessEmitter.h"
#include "backend/TileGPUToLLVM/GlobalMemory.h"
#include "backend/TileGPUToLLVM/LowerTiles.h"
#include "backend/TileGPUToLLVM/TileExchange.h"
#include "ir/TileGPU/LayoutRules.h"
#include "ir/TileGPU/Scratch.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

/// The converted index operands of an access.
template <typename Adaptor> static SmallVector<ValueRange> indicesOf(Adaptor adaptor) {
  return SmallVector<ValueRange>(adaptor.getIndices().begin(), adaptor.getIndices().end());
}

static AccessAttr planOf(Operation *op) {
  if (auto plan = op->getAttrOfType<AccessAttr>(TileGPUDialect::kAccess))
    return plan;
  return AccessAttr::get(op->getContext(), /*vector=*/1, /*whole=*/true, /*narrow=*/false, {});
}

static const Layout *layoutOrNull(Type type) {
  LayoutAttr layout = layoutOf(type);
  return layout ? &layout.getLayout() : nullptr;
}

/// Registers of which no other register of the thread holds the elements.
static bool isFirstHolder(const Layout *layout, int64_t reg) { return !layout || layout->isOwner(reg, 0, 0); }

static int64_t registersOf(const Layout *layout) { return layout ? layout->numRegisters() : 1; }

namespace {
struct LowerLoad : public OpConversionPattern<LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(LoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    AccessAttr plan = planOf(op);
    const Layout *layout = layoutOrNull(op.getType());
    ViewType type = op.getView().getType();
    ViewParts view(type, adaptor.getView());
    SmallVector<ValueRange> indices = indicesOf(adaptor);
    Type element = getTypeConverter()->convertType(type.getElementType());
    AccessEmitter access(emit, cast<ViewAccess>(op.getOperation()), plan, layout, view, indices, memoryBytes(element));
    Value other = op.getOther() ? adaptor.getOther().front() : emit.zero(element);
    int64_t vector = plan.getVector(), registers = registersOf(layout);
    GlobalAddress address{Value(), 0, element, vector, op.getCache(), type.getConstant()};
    int64_t wordBytes = wordBytesOf(address);
    SmallVector<Value> words;
    for (int64_t reg = 0; reg < registers; reg += vector) {
      std::tie(address.pointer, address.bytes) = access.address(reg);
      SmallVector<Value> others(vector, other);
      llvm::append_range(words, emitLoadWords(emit, address, access.vectorInside(reg, vector), others));
    }
    if (Value cut = access.mayCutVectors(vector)) {
      // What leaves the branch is what the loads gave: to unpack it first would wait for memory at every branch.
      auto branch = scf::IfOp::create(rewriter, op.getLoc(), ValueRange(words).getTypes(), cut, true);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      SmallVector<Value> elements = unpackWords(emit, words, element, registers);
      address.vector = 1;
      for (int64_t reg = 0; reg < registers; ++reg) {
        std::tie(address.pointer, address.bytes) = access.address(reg);
        // The lanes of a whole vector are loaded again, which is cheaper than to tell them apart.
        elements[reg] = emitLoad(emit, address, access.inside(reg), elements[reg])[0];
      }
      scf::YieldOp::create(rewriter, op.getLoc(), packWords(emit, elements, wordBytes));
      rewriter.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(rewriter, op.getLoc(), words);
      words.assign(branch.getResults().begin(), branch.getResults().end());
    }
    SmallVector<Value> loaded = unpackWords(emit, words, element, registers);
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{loaded});
    return success();
  }
};

struct LowerStore : public OpConversionPattern<StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    AccessAttr plan = planOf(op);
    LayoutAttr attribute = layoutOfOp(op);
    const Layout *layout = attribute ? &attribute.getLayout() : nullptr;
    ViewType type = op.getView().getType();
    ViewParts view(type, adaptor.getView());
    SmallVector<ValueRange> indices = indicesOf(adaptor);
    Type element = getTypeConverter()->convertType(type.getElementType());
    AccessEmitter access(emit, cast<ViewAccess>(op.getOperation()), plan, layout, view, indices, memoryBytes(element));
    SmallVector<Value> values(adaptor.getValue());
    Value owner = layout ? access.threads()->isOwner() : emit.isFirstThread();
    auto store = [&](int64_t reg, int64_t vector, Value inside) {
      GlobalAddress address{Value(), 0, element, vector, op.getCache(), /*constant=*/false};
      std::tie(address.pointer, address.bytes) = access.address(reg);
      emitStore(emit, address, emit.both(owner, inside), ArrayRef(values).slice(reg, vector));
    };
    int64_t vector = plan.getVector(), registers = registersOf(layout);
    if (throughOf(op)) {
      SharedExchange exchange = planSlicedStore(op);
      SlicedConversion conversion(emit, exchange, layoutOf(op.getValue().getType()).getLayout(), *layout,
                                  adaptor.getValue(), scratchOf(emit, op));
      for (int64_t slice = 0; slice < exchange.numRounds; ++slice) {
        auto held = conversion.convert(slice);
        for (auto [reg, value] : held)
          values[reg] = value;
        for (size_t i = 0; i < held.size(); i += vector) {
          int64_t reg = held[i].first;
          assert(reg % vector == 0 && held[i + vector - 1].first == reg + vector - 1 && "slices cut no vector");
          store(reg, vector, access.vectorInside(reg, vector));
        }
      }
      rewriter.eraseOp(op);
      return success();
    }
    for (int64_t reg = 0; reg < registers; reg += vector)
      if (isFirstHolder(layout, reg))
        store(reg, vector, access.vectorInside(reg, vector));
    if (Value cut = access.mayCutVectors(vector)) {
      auto branch = scf::IfOp::create(rewriter, op.getLoc(), cut, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      for (int64_t reg = 0; reg < registers; ++reg)
        if (isFirstHolder(layout, reg))
          store(reg, 1, access.inside(reg));
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerInside : public OpConversionPattern<InsideOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(InsideOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    const Layout *layout = layoutOrNull(op.getType());
    ViewParts view(op.getView().getType(), adaptor.getView());
    SmallVector<ValueRange> indices = indicesOf(adaptor);
    AccessEmitter access(emit, cast<ViewAccess>(op.getOperation()), planOf(op), layout, view, indices,
                         /*elementBytes=*/1);
    SmallVector<Value> registers;
    for (int64_t reg = 0; reg < registersOf(layout); ++reg) {
      Value inside = access.inside(reg);
      registers.push_back(inside ? inside : emit.boolean(true));
    }
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{registers});
    return success();
  }
};
} // namespace

void tgpu::populateAccessPatterns(const TileTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerInside, LowerLoad, LowerStore>(types, patterns.getContext());
}
