/// Atomics on global memory: once per element, by the thread that owns it. A result that other threads hold too reaches
/// them through shared memory.
///
/// acq_rel at gpu scope holds for the program, not for a thread: barriers around the op (tgpu-insert-barriers) order
/// the other threads' accesses, one fence before and one after make the relaxed atomics between them a release and an
/// acquire (PTX ISA, memory consistency model: fence-fence synchronisation). A fence per element would cost as much as
/// the atomic itself. Of a scalar the thread that acts has the only fences: through the barriers they order what the
/// others did and will do (ibidem, causality order), who need not wait for their stores twice.
#include "backend/TileGPUToLLVM/AccessEmitter.h"
#include "backend/TileGPUToLLVM/GlobalMemory.h"
#include "backend/TileGPUToLLVM/LowerTiles.h"
#include "backend/TileGPUToLLVM/SharedMemory.h"
#include "backend/TileGPUToLLVM/TileExchange.h"
#include "ir/TileGPU/Scratch.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

static void emitFence(Emitter &emit) { emit.ptx("fence.acq_rel.gpu;", "", {}, {}, Emitter::Effect::Memory); }

static LLVM::AtomicBinOp binaryOpOf(AtomicKind kind, Type type) {
  switch (kind) {
  case AtomicKind::Add:
    return isa<FloatType>(type) ? LLVM::AtomicBinOp::fadd : LLVM::AtomicBinOp::add;
  }
  llvm_unreachable("every kind has its case");
}

/// Combines `value` with `*pointer`; gives what was there.
static Value emitAtomic(Emitter &emit, AtomicKind atomic, Value pointer, Value value) {
  OpBuilder &b = emit.builder;
  bool isIndex = isa<IndexType>(value.getType());
  if (isIndex)
    value = emit.toInteger(value, b.getI64Type());
  LLVM::AtomicBinOp kind = binaryOpOf(atomic, value.getType());
  Value old = LLVM::AtomicRMWOp::create(b, emit.loc, kind, pointer, value, LLVM::AtomicOrdering::monotonic, "device");
  return isIndex ? emit.toInteger(old, b.getIndexType()) : old;
}

namespace {
/// Runs the atomic of every element that this thread owns, each in a branch on its predicate.
class AtomicEmitter {
public:
  AtomicEmitter(Emitter &emit, Operation *op, AtomicKind kind)
      : emit(emit), op(op), kind(kind), layout(layoutOf(op->getResult(0).getType())) {}

  /// `address(reg)` and `inside(reg)` are asked for registers whose elements no other register holds.
  SmallVector<Value> run(ValueRange values, ValueRange masks, llvm::function_ref<Value(int64_t)> address,
                         llvm::function_ref<Value(int64_t)> inside) {
    std::optional<ThreadCoordinates> coordinates;
    if (layout)
      coordinates.emplace(emit, layout.getLayout());
    Value owner = layout ? coordinates->isOwner() : emit.isFirstThread();
    if (layout)
      emitFence(emit);
    SmallVector<Value> results;
    for (auto [reg, value] : llvm::enumerate(values)) {
      if (layout && !layout.getLayout().isOwner(reg, 0, 0)) {
        results.push_back(results[firstHolder(reg)]);
        continue;
      }
      Value predicate = emit.both(emit.both(owner, inside(reg)), masks.empty() ? Value() : masks[reg]);
      results.push_back(underPredicate(address(reg), predicate, value));
    }
    if (layout)
      emitFence(emit);
    return sharesResult(op) ? share(results) : results;
  }

private:
  Value underPredicate(Value pointer, Value predicate, Value value) {
    if (!predicate)
      return emitAtomic(emit, kind, pointer, value);
    auto branch = scf::IfOp::create(emit.builder, emit.loc, value.getType(), predicate, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(emit.builder);
    emit.builder.setInsertionPointToStart(branch.thenBlock());
    if (!layout)
      emitFence(emit);
    Value old = emitAtomic(emit, kind, pointer, value);
    if (!layout)
      emitFence(emit);
    scf::YieldOp::create(emit.builder, emit.loc, old);
    emit.builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(emit.builder, emit.loc, emit.zero(value.getType()));
    return branch.getResult(0);
  }

  int64_t firstHolder(int64_t reg) const {
    Coords wanted = layout.getLayout().registerOffset(reg);
    return *layout.getLayout().registerAt(wanted);
  }

  /// The owners' results for all threads.
  SmallVector<Value> share(SmallVector<Value> results) {
    Value base = scratchOf(emit, op);
    if (!layout)
      emitSharedStore(emit, base, emit.isFirstThread(), results);
    else
      emitRowMajorStore(emit, layout.getLayout(), results, base);
    emit.barrier();
    Type element = results[0].getType();
    return layout ? emitRowMajorLoad(emit, layout.getLayout(), element, base) : emitSharedLoad(emit, base, element, 1);
  }

  Emitter &emit;
  Operation *op;
  AtomicKind kind;
  LayoutAttr layout;
};

struct LowerAtomic : public OpConversionPattern<AtomicOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AtomicOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    LayoutAttr layout = layoutOf(op.getType());
    ViewParts view(op.getView().getType(), adaptor.getView());
    SmallVector<ValueRange> indices(adaptor.getIndices().begin(), adaptor.getIndices().end());
    auto plan = op->getAttrOfType<AccessAttr>(TileGPUDialect::kAccess);
    if (!plan)
      plan = AccessAttr::get(getContext(), 1, true, false, {});
    AccessEmitter access(emit, cast<ViewAccess>(op.getOperation()), plan, layout ? &layout.getLayout() : nullptr, view,
                         indices, memoryBytes(adaptor.getValue()[0].getType()));
    ValueRange masks = op.getMask() ? adaptor.getMask() : ValueRange();
    SmallVector<Value> results = AtomicEmitter(emit, op, op.getKind())
                                     .run(
                                         adaptor.getValue(), masks,
                                         [&](int64_t reg) {
                                           auto [pointer, bytes] = access.address(reg);
                                           return bytes ? emit.offset(pointer, emit.i64(bytes)) : pointer;
                                         },
                                         [&](int64_t reg) { return access.inside(reg); });
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{results});
    return success();
  }
};

struct LowerAtomicPtr : public OpConversionPattern<AtomicPtrOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AtomicPtrOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    ValueRange masks = op.getMask() ? adaptor.getMask() : ValueRange();
    SmallVector<Value> results =
        AtomicEmitter(emit, op, op.getKind())
            .run(
                adaptor.getValue(), masks, [&](int64_t reg) { return adaptor.getPointer()[reg]; },
                [](int64_t) { return Value(); });
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{results});
    return success();
  }
};
} // namespace

void tgpu::populateAtomicPatterns(const TileTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerAtomic, LowerAtomicPtr>(types, patterns.getContext());
}
