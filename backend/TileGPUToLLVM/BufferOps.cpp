/// Buffers in shared memory: their slots, asynchronous copies into them, and the ways between slots and registers. A
/// buffer and a slot become the address at which they begin, 32 bits in shared memory; a token becomes nothing that
/// code computes with.
#include "backend/TileGPUToLLVM/AccessEmitter.h"
#include "backend/TileGPUToLLVM/GlobalMemory.h"
#include "backend/TileGPUToLLVM/LowerTiles.h"
#include "backend/TileGPUToLLVM/TileExchange.h"
#include "ir/TileGPU/SlotAccess.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace {
struct LowerAlloc : public OpConversionPattern<AllocOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AllocOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    Value address = scratchOf(emit, op);
    if (!address)
      return op.emitOpError() << "has no '" << TileGPUDialect::kSharedOffset << "'; run tgpu-allocate-shared first";
    rewriter.replaceOpWithNewOp<LLVM::PtrToIntOp>(op, rewriter.getI32Type(), address);
    return success();
  }
};

struct LowerSlot : public OpConversionPattern<SlotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SlotOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    BufferType type = op.getBuffer().getType();
    if (type.getStages() == 1) {
      rewriter.replaceOp(op, adaptor.getBuffer());
      return success();
    }
    Value index = emit.toInteger(adaptor.getIndex(), rewriter.getI32Type());
    Value stage = rewriter.createOrFold<arith::RemUIOp>(op.getLoc(), index, emit.i32(type.getStages()));
    rewriter.replaceOp(op, emit.offset(adaptor.getBuffer(), emit.mul(stage, emit.i32(type.getSlotBytes()))));
    return success();
  }
};

struct LowerTranspose : public OpConversionPattern<TransposeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(TransposeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getSlot());
    return success();
  }
};

/// PTX ISA, cp.async: where `ignored` holds, nothing is read and the bytes become zero. A number of bytes to read would
/// not do: compute-sanitizer takes an instruction for a read of all bytes it could name. Only 16 bytes may bypass the
/// first-level cache, which has no use for what goes to shared memory.
void emitCopy(Emitter &emit, Value shared, std::pair<Value, int64_t> global, int64_t bytes, Value ignored,
              Value predicate) {
  std::string text = predicate ? "@$0 " : "";
  int first = predicate ? 1 : 0;
  auto operand = [&](int i) { return "$" + std::to_string(first + i); };
  text += bytes == 16 ? "cp.async.cg" : "cp.async.ca";
  text += ".shared.global [" + operand(0) + "], [" + operand(1) +
          (global.second ? "+" + std::to_string(global.second) : std::string()) + "], " + std::to_string(bytes) +
          (ignored ? ", " + operand(2) : std::string()) + ";";
  SmallVector<Value> operands;
  if (predicate)
    operands.push_back(predicate);
  operands.append({shared, global.first});
  if (ignored)
    operands.push_back(ignored);
  emit.ptx(text, std::string(predicate ? "b," : "") + "r,l" + (ignored ? ",b" : ""), operands, {},
           Emitter::Effect::Memory);
  setRole(emit.lastPtx, CopyRole::Copy);
}

struct LowerCopyAsync : public OpConversionPattern<CopyAsyncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(CopyAsyncOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto plan = op->getAttrOfType<AccessAttr>(TileGPUDialect::kAccess);
    const Layout &layout = op.getLayout().getLayout();
    const Layout &shared = op.getSlot().getType().getLayout().getLayout();
    auto view = cast<ViewAccess>(op.getOperation());
    if (std::string fault = plan ? whyNoAsyncCopy(view, plan, layout, shared) : "it has no plan"; !fault.empty())
      return op.emitOpError() << "cannot be copied asynchronously: " << fault;
    Emitter emit(rewriter, op.getLoc());
    ViewType type = op.getView().getType();
    ViewParts parts(type, adaptor.getView());
    auto indices = SmallVector<ValueRange>(adaptor.getIndices().begin(), adaptor.getIndices().end());
    int64_t elementBytes = memoryBytes(type.getElementType()), vector = plan.getVector();
    AccessEmitter access(emit, view, plan, &layout, parts, indices, elementBytes, AccessEmitter::Corner::InBase);
    SharedAccess to = planSharedAccess(layout, shared, vector);
    SharedAddresses places(emit, to.threadTerms, to.disjoint, shared, elementBytes, adaptor.getSlot().front());
    Value more = op.getPredicate() ? adaptor.getPredicate().front() : Value();
    Value predicate = emit.both(more, access.threads()->isOwner());
    for (auto [i, registers] : llvm::enumerate(to.registers)) {
      int64_t first = registers.front();
      Value inside = access.vectorInside(first, vector);
      emitCopy(emit, places.at(to.offsets[i]), access.address(first), vector * elementBytes,
               inside ? emit.notOf(inside) : Value(), predicate);
    }
    rewriter.replaceOp(op, emit.i32(0));
    return success();
  }
};

struct LowerCommit : public OpConversionPattern<CommitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(CommitOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    emit.ptx("cp.async.commit_group;", "", {}, {}, Emitter::Effect::Memory);
    setRole(emit.lastPtx, CopyRole::Copy);
    rewriter.replaceOp(op, emit.i32(0));
    return success();
  }
};

struct LowerWait : public OpConversionPattern<WaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(WaitOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    emit.ptx("cp.async.wait_group " + std::to_string(op.getPending().value_or(0)) + ";", "", {}, {},
             Emitter::Effect::Memory);
    setRole(emit.lastPtx, CopyRole::Wait);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerStoreShared : public OpConversionPattern<StoreSharedOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(StoreSharedOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    const Layout &registers = layoutIn(op.getValue()), &shared = op.getSlot().getType().getLayout().getLayout();
    int elementBits = static_cast<int>(8 * elementBytes(elementOf(op.getValue().getType())));
    emitTileStore(emit, planSharedAccess(registers, shared, kMaxVectorBits / elementBits), registers, shared,
                  adaptor.getValue(), sharedPointer(emit, adaptor.getSlot().front()));
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerLoadShared : public OpConversionPattern<LoadSharedOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(LoadSharedOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    const Layout &registers = layoutIn(op.getResult()), &shared = op.getSlot().getType().getLayout().getLayout();
    Type element = getTypeConverter()->convertType(elementOf(op.getType()));
    int elementBits = static_cast<int>(8 * elementBytes(element));
    SmallVector<Value> loaded = emitTileLoad(emit, planSharedAccess(registers, shared, kMaxVectorBits / elementBits),
                                             registers, shared, element, sharedPointer(emit, adaptor.getSlot()));
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{loaded});
    return success();
  }
};
} // namespace

void tgpu::populateBufferPatterns(const TileTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerAlloc, LowerCommit, LowerCopyAsync, LowerLoadShared, LowerSlot, LowerStoreShared, LowerTranspose,
               LowerWait>(types, patterns.getContext());
}
