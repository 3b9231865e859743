#include "ir/TileToTileGPU/GridExpressions.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace {

using Predicate = arith::CmpIPredicate;

/// Emits and folds at one place.
struct Emit {
  OpBuilder &builder;
  Location loc;

  Value constant(int64_t value) const { return arith::ConstantIndexOp::create(builder, loc, value); }
  template <typename Op> Value binary(Value lhs, Value rhs) const { return builder.createOrFold<Op>(loc, lhs, rhs); }
  template <typename Op> Value total(Value lhs, Value rhs) const {
    return builder.createOrFold<Op>(loc, lhs.getType(), Signedness::Signed, lhs, rhs);
  }
  Value shift(ShiftKind kind, Value value, Value count) const {
    return builder.createOrFold<ShiftOp>(loc, value.getType(), kind, value, count);
  }
  Value compare(Predicate predicate, Value lhs, Value rhs) const {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, lhs, rhs);
  }
  Value isTrue(Value value) const { return compare(Predicate::ne, value, constant(0)); }
  Value select(Value condition, Value yes, Value no) const {
    return builder.createOrFold<arith::SelectOp>(loc, condition, yes, no);
  }
  Value number(Value condition) const { return select(condition, constant(1), constant(0)); }

  /// Whether lhs / rhs has a rest, and the quotient is below 0 (or is not, with `isNegative` false).
  Value isRounded(Value lhs, Value rhs, bool isNegative) const {
    Value rest = isTrue(total<RemIOp>(lhs, rhs)), divides = isTrue(rhs);
    Value zero = constant(0);
    Value signs = compare(isNegative ? Predicate::ne : Predicate::eq, number(compare(Predicate::slt, lhs, zero)),
                          number(compare(Predicate::slt, rhs, zero)));
    return number(binary<arith::AndIOp>(binary<arith::AndIOp>(rest, divides), signs));
  }
};

/// An operator pops `operands` values.
struct Operator {
  StringRef name;
  unsigned operands;
  Value (*emit)(const Emit &, ValueRange);
};

} // namespace

template <typename Op> static Value emitBinary(const Emit &e, ValueRange v) { return e.binary<Op>(v[0], v[1]); }
template <typename Op> static Value emitTotal(const Emit &e, ValueRange v) { return e.total<Op>(v[0], v[1]); }
template <Predicate predicate> static Value emitCompare(const Emit &e, ValueRange v) {
  return e.number(e.compare(predicate, v[0], v[1]));
}

static Value emitRoundedUp(const Emit &e, ValueRange v) {
  // A grid is launched only if it is not empty, so by a positive number its dividend is positive.
  if (APInt divisor; matchPattern(v[1], m_ConstantInt(&divisor)) && divisor.isStrictlyPositive())
    return e.binary<arith::DivUIOp>(e.binary<arith::AddIOp>(v[0], e.constant(divisor.getSExtValue() - 1)), v[1]);
  return e.binary<arith::AddIOp>(e.total<DivIOp>(v[0], v[1]), e.isRounded(v[0], v[1], /*isNegative=*/false));
}

static Value emitFloorDivision(const Emit &e, ValueRange v) {
  return e.binary<arith::SubIOp>(e.total<DivIOp>(v[0], v[1]), e.isRounded(v[0], v[1], /*isNegative=*/true));
}

static Value emitFloorRemainder(const Emit &e, ValueRange v) {
  Value rest = e.total<RemIOp>(v[0], v[1]);
  Value moved = e.binary<arith::AddIOp>(rest, v[1]);
  return e.select(e.isTrue(e.isRounded(v[0], v[1], /*isNegative=*/true)), moved, rest);
}

/// 2 to the number of bits of a - 1.
static Value emitNextPowerOf2(const Emit &e, ValueRange v) {
  Type i64 = e.builder.getI64Type();
  Value below = arith::IndexCastOp::create(e.builder, e.loc, i64, e.binary<arith::SubIOp>(v[0], e.constant(1)));
  Value zeros = arith::IndexCastOp::create(e.builder, e.loc, e.builder.getIndexType(),
                                           math::CountLeadingZerosOp::create(e.builder, e.loc, below));
  Value power = e.shift(ShiftKind::Left, e.constant(1), e.binary<arith::SubIOp>(e.constant(64), zeros));
  return e.select(e.compare(Predicate::sle, v[0], e.constant(1)), e.constant(1), power);
}

/// The integer rules of runtime/artifact/Expression.cpp, which this layer may not ask.
static const Operator kOperators[] = {
    {"!", 1, [](const Emit &e, ValueRange v) { return e.number(e.compare(Predicate::eq, v[0], e.constant(0))); }},
    {"!=", 2, emitCompare<Predicate::ne>},
    {"%", 2, emitTotal<RemIOp>},
    {"&", 2, emitBinary<arith::AndIOp>},
    {"&&", 2,
     [](const Emit &e, ValueRange v) { return e.number(e.binary<arith::AndIOp>(e.isTrue(v[0]), e.isTrue(v[1]))); }},
    {"*", 2, emitBinary<arith::MulIOp>},
    {"+", 2, emitBinary<arith::AddIOp>},
    {"-", 2, emitBinary<arith::SubIOp>},
    {"/", 2, emitTotal<DivIOp>},
    {"<", 2, emitCompare<Predicate::slt>},
    {"<<", 2, [](const Emit &e, ValueRange v) { return e.shift(ShiftKind::Left, v[0], v[1]); }},
    {"<=", 2, emitCompare<Predicate::sle>},
    {"==", 2, emitCompare<Predicate::eq>},
    {">", 2, emitCompare<Predicate::sgt>},
    {">=", 2, emitCompare<Predicate::sge>},
    {">>", 2, [](const Emit &e, ValueRange v) { return e.shift(ShiftKind::RightSigned, v[0], v[1]); }},
    {"^", 2, emitBinary<arith::XOrIOp>},
    {"cdiv", 2, emitRoundedUp},
    {"floordiv", 2, emitFloorDivision},
    {"floormod", 2, emitFloorRemainder},
    {"max", 2, emitBinary<arith::MaxSIOp>},
    {"min", 2, emitBinary<arith::MinSIOp>},
    {"neg", 1, [](const Emit &e, ValueRange v) { return e.binary<arith::SubIOp>(e.constant(0), v[0]); }},
    {"next_pow2", 1, emitNextPowerOf2},
    {"select", 3, [](const Emit &e, ValueRange v) { return e.select(e.isTrue(v[0]), v[1], v[2]); }},
    {"|", 2, emitBinary<arith::OrIOp>},
    {"||", 2,
     [](const Emit &e, ValueRange v) { return e.number(e.binary<arith::OrIOp>(e.isTrue(v[0]), e.isTrue(v[1]))); }},
};

GridExpressions::GridExpressions(func::FuncOp kernel, DictionaryAttr contract)
    : builder(OpBuilder::atBlockBegin(&kernel.getBody().front())), loc(kernel.getLoc()) {
  if (auto abi = contract.getAs<ArrayAttr>("abi"))
    for (auto [argument, entry] : llvm::zip(kernel.getArguments(), abi.getAsRange<DictionaryAttr>()))
      if (auto dim = entry.getAs<StringAttr>("dim"); dim && argument.getType().isIndex())
        values[dim.getValue()] = argument;
  for (StringRef list : {"dims", "constants"})
    if (auto entries = contract.getAs<ArrayAttr>(list))
      for (auto entry : entries.getAsRange<DictionaryAttr>())
        if (auto value = entry.getAs<IntegerAttr>("value"); value && value.getValue().getSignificantBits() <= 64)
          constants[entry.getAs<StringAttr>("name").getValue()] = value.getValue().getSExtValue();
}

Value GridExpressions::emit(ArrayAttr postfix) {
  Emit emit{builder, loc};
  SmallVector<Value> stack;
  for (Attribute word : postfix) {
    Value value;
    auto name = dyn_cast<StringAttr>(word);
    const auto *known = llvm::find_if(kOperators, [&](const Operator &row) { return name && row.name == name; });
    if (auto number = dyn_cast<IntegerAttr>(word)) {
      value = emit.constant(number.getValue().getSExtValue());
    } else if (known == std::end(kOperators)) {
      value = name ? lookUp(name) : Value();
    } else if (stack.size() >= known->operands) {
      value = known->emit(emit, ArrayRef(stack).take_back(known->operands));
      stack.pop_back_n(known->operands);
    }
    if (!value) {
      uncovered = name ? name.str() : "a real";
      return Value();
    }
    stack.push_back(value);
  }
  return stack.size() == 1 ? stack.front() : Value();
}

Value GridExpressions::lookUp(StringRef name) {
  if (auto known = constants.find(name); known != constants.end())
    return arith::ConstantIndexOp::create(builder, loc, known->second);
  return values.lookup(name);
}
