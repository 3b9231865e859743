#include "backend/TileGPUToLLVM/Emit.h"

#include "ir/TileGPU/TileGPUOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

Value Emitter::constant(Type type, int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
}

Value Emitter::zero(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::ZeroOp::create(builder, loc, type);
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

Value Emitter::add(Value a, Value b) { return builder.createOrFold<arith::AddIOp>(loc, a, b); }
Value Emitter::sub(Value a, Value b) { return builder.createOrFold<arith::SubIOp>(loc, a, b); }
Value Emitter::mul(Value a, Value b) { return builder.createOrFold<arith::MulIOp>(loc, a, b); }
Value Emitter::bitAnd(Value a, Value b) { return builder.createOrFold<arith::AndIOp>(loc, a, b); }
Value Emitter::bitXor(Value a, Value b) { return builder.createOrFold<arith::XOrIOp>(loc, a, b); }
Value Emitter::bitOr(Value a, Value b) { return builder.createOrFold<arith::OrIOp>(loc, a, b); }
Value Emitter::minSigned(Value a, Value b) { return builder.createOrFold<arith::MinSIOp>(loc, a, b); }
Value Emitter::maxSigned(Value a, Value b) { return builder.createOrFold<arith::MaxSIOp>(loc, a, b); }

Value Emitter::compare(arith::CmpIPredicate predicate, Value a, Value b) {
  return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
}

Value Emitter::select(Value condition, Value a, Value b) {
  return builder.createOrFold<arith::SelectOp>(loc, condition, a, b);
}

Value Emitter::toInteger(Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (isa<IndexType>(value.getType()) || isa<IndexType>(type))
    return builder.createOrFold<arith::IndexCastOp>(loc, type, value);
  if (value.getType().getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
    return builder.createOrFold<arith::TruncIOp>(loc, type, value);
  return builder.createOrFold<arith::ExtSIOp>(loc, type, value);
}

Value Emitter::offset(Value pointer, Value bytes) {
  if (pointer.getType().isInteger(32))
    return add(pointer, toInteger(bytes, pointer.getType()));
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), builder.getI8Type(), pointer,
                             toInteger(bytes, builder.getI64Type()));
}

Value Emitter::bitcast(Value value, Type type) {
  return value.getType() == type ? value : LLVM::BitcastOp::create(builder, loc, type, value).getResult();
}

SmallVector<Value> Emitter::ptx(const std::string &text, const std::string &constraints, ValueRange operands,
                                TypeRange results, Effect effect) {
  Type type = results.empty()       ? Type()
              : results.size() == 1 ? results[0]
                                    : LLVM::LLVMStructType::getLiteral(builder.getContext(), llvm::to_vector(results));
  std::string all = constraints;
  if (effect == Effect::Memory)
    all += std::string(all.empty() ? "" : ",") + "~{memory}";
  auto op = LLVM::InlineAsmOp::create(
      builder, loc, type ? TypeRange(type) : TypeRange(), operands, text, all,
      /*has_side_effects=*/effect == Effect::Memory, /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT), /*operand_attrs=*/ArrayAttr());
  lastPtx = op;
  if (results.size() <= 1)
    return SmallVector<Value>(op->result_begin(), op->result_end());
  SmallVector<Value> values;
  for (int64_t i = 0, e = results.size(); i < e; ++i)
    values.push_back(LLVM::ExtractValueOp::create(builder, loc, op.getRes(), i));
  return values;
}

//===-- The thread ------------------------------------------------------------------------------------------------===//

/// What was made in a branch does not dominate what follows it, and is made once more there.
Value Emitter::once(Value &known, llvm::function_ref<Value()> make) {
  if (!known || !known.getParentRegion()->isAncestor(builder.getInsertionBlock()->getParent()))
    known = make();
  return known;
}

Value Emitter::thread() {
  return once(threadIndex, [&]() -> Value { return NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type()); });
}

Value Emitter::lane() {
  return once(laneIndex, [&] { return bitAnd(thread(), i32(31)); });
}

Value Emitter::warp() {
  return once(warpIndex, [&] { return builder.createOrFold<arith::ShRUIOp>(loc, thread(), i32(5)); });
}

Value Emitter::isFirstThread() { return compare(arith::CmpIPredicate::eq, thread(), i32(0)); }

void Emitter::barrier() { NVVM::Barrier0Op::create(builder, loc); }

void Emitter::warpBarrier() { ptx("bar.warp.sync -1;", "", {}, {}, Effect::Memory); }

/// (index / divisor) % modulus, both often powers of two.
static Value digitOf(Emitter &emit, Value index, int64_t divisor, int64_t modulus) {
  OpBuilder &b = emit.builder;
  if (divisor != 1)
    index = llvm::isPowerOf2_64(divisor)
                ? b.createOrFold<arith::ShRUIOp>(emit.loc, index, emit.i32(llvm::Log2_64(divisor)))
                : b.createOrFold<arith::DivUIOp>(emit.loc, index, emit.i32(divisor));
  return llvm::isPowerOf2_64(modulus) ? emit.bitAnd(index, emit.i32(modulus - 1))
                                      : b.createOrFold<arith::RemUIOp>(emit.loc, index, emit.i32(modulus));
}

static Value emitTerm(Emitter &emit, const CoordTerm &term) {
  Value index = term.hw == HwDim::Lane ? emit.lane() : emit.warp();
  return emit.mul(digitOf(emit, index, term.divisor, term.modulus), emit.i32(term.scale));
}

/// The terms of whole bits combine by exclusive or, an odd digit is added to them.
static Value emitTerms(Emitter &emit, ArrayRef<CoordTerm> terms, bool wantBits, bool wantOdd) {
  Value bits = emit.i32(0), odd = emit.i32(0);
  for (const CoordTerm &term : terms) {
    if (term.hw == HwDim::Block)
      continue;
    if (llvm::isPowerOf2_64(term.modulus) ? !wantBits : !wantOdd)
      continue;
    Value &sum = llvm::isPowerOf2_64(term.modulus) ? bits : odd;
    sum = &sum == &bits ? emit.bitXor(sum, emitTerm(emit, term)) : emit.add(sum, emitTerm(emit, term));
  }
  return emit.add(bits, odd);
}

Value tgpu::emitTerms(Emitter &emit, ArrayRef<CoordTerm> terms) { return ::emitTerms(emit, terms, true, true); }

SplitIndex::SplitIndex(Emitter &emit, ArrayRef<CoordTerm> terms, int numBits, bool disjoint)
    : emit(emit), bits(::emitTerms(emit, terms, true, false)), whole(tgpu::emitTerms(emit, terms)), disjoint(disjoint) {
  for (const CoordTerm &term : terms)
    if (llvm::isPowerOf2_64(term.modulus))
      threadMask |= (term.modulus - 1) * term.scale;
  threadMask &= (int64_t(1) << numBits) - 1;
}

Value SplitIndex::with(int64_t constantPart) const {
  int64_t mixed = mixedBits(constantPart);
  Value thread = mixed ? emit.add(emit.bitXor(bits, emit.i32(mixed)), emit.sub(whole, bits)) : whole;
  return emit.add(thread, emit.i32(constantPart - mixed));
}

ThreadCoordinates::ThreadCoordinates(Emitter &emit, const Layout &layout) : emit(emit), layout(layout) {
  for (int dim = 0; dim < layout.rank(); ++dim)
    parts.emplace_back(emit, layout.threadTerms(dim), layout.lowBits(dim), layout.isRegisterPartDisjoint(dim));
}

Value tgpu::emitDigitsAreZero(Emitter &emit, const Layout &layout, HwDim hw, Value index, const FreeDigits &free) {
  Value all;
  auto require = [&](Value digit) {
    Value isZero = emit.compare(arith::CmpIPredicate::eq, digit, emit.i32(0));
    all = all ? emit.bitAnd(all, isZero) : isZero;
  };
  int64_t bits = int64_t(1) << layout.bits(hw).size();
  // The odd digits stand above the bits, so only the bits below them are masked.
  if (free.bits)
    require(emit.bitAnd(digitOf(emit, index, 1, bits), emit.i32(free.bits)));
  for (int position : free.odd) {
    int64_t divisor = bits;
    for (int lower = 0; lower < position; ++lower)
      divisor *= layout.odd(hw)[lower].radix;
    require(digitOf(emit, index, divisor, layout.odd(hw)[position].radix));
  }
  return all;
}

Value ThreadCoordinates::isOwner() {
  Value lanes = emitDigitsAreZero(emit, layout, HwDim::Lane, emit.lane(), layout.freeDigits(HwDim::Lane));
  Value warps = emitDigitsAreZero(emit, layout, HwDim::Warp, emit.warp(), layout.freeDigits(HwDim::Warp));
  return emit.both(lanes, warps);
}

Value tgpu::scratchOf(Emitter &emit, Operation *op) {
  auto offset = op->getAttrOfType<IntegerAttr>(TileGPUDialect::kSharedOffset);
  return offset ? sharedAddress(emit, offset.getInt()) : Value();
}

Value tgpu::sharedPointer(Emitter &emit, Value address) {
  auto type =
      LLVM::LLVMPointerType::get(emit.builder.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
  return address.getType() == type ? address
                                   : LLVM::IntToPtrOp::create(emit.builder, emit.loc, type, address).getResult();
}

Value tgpu::sharedAddress(Emitter &emit, int64_t offset) {
  auto type =
      LLVM::LLVMPointerType::get(emit.builder.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
  Value base = LLVM::AddressOfOp::create(emit.builder, emit.loc, type, kSharedName);
  return offset ? emit.offset(base, emit.i64(offset)) : base;
}
