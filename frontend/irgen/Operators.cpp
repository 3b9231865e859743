/// Unary and binary operators: which are defined for which scalars, how constants fold, and the op each becomes.
#include "frontend/irgen/Emitter.h"

#include "ir/Tile/TileOps.h"

#include <cmath>

using namespace tile;
using namespace tile::irgen;
using ast::BinaryOp;
namespace arith = mlir::arith;

bool irgen::isComparison(BinaryOp op) { return op >= BinaryOp::Less && op <= BinaryOp::NotEqual; }
bool irgen::isLogical(BinaryOp op) { return op == BinaryOp::LogicalAnd || op == BinaryOp::LogicalOr; }

/// Kinds of scalars that an operator is defined for.
static bool isDefined(BinaryOp op, ScalarKind kind) {
  switch (op) {
  case BinaryOp::Mul:
  case BinaryOp::Div:
  case BinaryOp::Add:
  case BinaryOp::Sub:
  case BinaryOp::MatMul:
  case BinaryOp::Less:
  case BinaryOp::LessEqual:
  case BinaryOp::Greater:
  case BinaryOp::GreaterEqual:
    return kind != ScalarKind::Bool;
  case BinaryOp::Rem:
  case BinaryOp::Shl:
  case BinaryOp::Shr:
    return kind == ScalarKind::Signed || kind == ScalarKind::Unsigned;
  case BinaryOp::BitAnd:
  case BinaryOp::BitXor:
  case BinaryOp::BitOr:
    return kind != ScalarKind::Float;
  case BinaryOp::Equal:
  case BinaryOp::NotEqual:
    return true;
  case BinaryOp::LogicalAnd:
  case BinaryOp::LogicalOr:
    return kind == ScalarKind::Bool;
  }
  return false;
}

//===-- Constants

static bool compareConstants(BinaryOp op, int order, bool isUnordered) {
  if (isUnordered)
    return op == BinaryOp::NotEqual;
  switch (op) {
  case BinaryOp::Less:
    return order < 0;
  case BinaryOp::LessEqual:
    return order <= 0;
  case BinaryOp::Greater:
    return order > 0;
  case BinaryOp::GreaterEqual:
    return order >= 0;
  case BinaryOp::Equal:
    return order == 0;
  default:
    return order != 0;
  }
}

/// A shift past the width gives 0 or the sign; a negative count is past the width.
static WideInt shiftConstant(BinaryOp op, WideInt value, WideInt count) {
  bool isLong = count < 0 || count >= 64;
  if (op == BinaryOp::Shl)
    return isLong ? 0 : WideInt(static_cast<unsigned __int128>(value) << static_cast<unsigned>(count));
  return isLong ? (value < 0 ? -1 : 0) : value >> static_cast<unsigned>(count);
}

/// Operands have at most 64 bits. The low 64 bits of the result are right, of a product that overflows too.
static WideInt foldInteger(BinaryOp op, WideInt lhs, WideInt rhs) {
  switch (op) {
  case BinaryOp::Mul:
    return WideInt(static_cast<unsigned __int128>(lhs) * static_cast<unsigned __int128>(rhs));
  case BinaryOp::Div:
    return rhs == 0 ? 0 : lhs / rhs;
  case BinaryOp::Rem:
    return rhs == 0 ? lhs : lhs % rhs;
  case BinaryOp::Add:
    return lhs + rhs;
  case BinaryOp::Sub:
    return lhs - rhs;
  case BinaryOp::BitAnd:
    return lhs & rhs;
  case BinaryOp::BitXor:
    return lhs ^ rhs;
  default:
    return lhs | rhs;
  }
}

static Symbolic foldSymbol(BinaryOp op, const Symbolic &lhs, const Symbolic &rhs, WideInt result) {
  if (lhs.asConstant() && rhs.asConstant())
    return Symbolic(static_cast<int64_t>(result));
  switch (op) {
  case BinaryOp::Mul:
    return lhs * rhs;
  case BinaryOp::Div:
    return Symbolic::quotient(lhs, rhs);
  case BinaryOp::Rem:
    return Symbolic::remainder(lhs, rhs);
  case BinaryOp::Add:
    return lhs + rhs;
  case BinaryOp::Sub:
    return lhs - rhs;
  default:
    return Symbolic::call(ast::spelling(op), {lhs, rhs});
  }
}

static double foldFloat(BinaryOp op, double lhs, double rhs) {
  switch (op) {
  case BinaryOp::Mul:
    return lhs * rhs;
  case BinaryOp::Div:
    return lhs / rhs;
  case BinaryOp::Add:
    return lhs + rhs;
  default:
    return lhs - rhs;
  }
}

static double asDouble(const Value &value) {
  if (auto *constant = value.as<FloatConstant>())
    return constant->value;
  return static_cast<double>(value.as<IntConstant>()->value);
}

std::optional<Value> Emitter::foldBinary(BinaryOp op, const Operand &lhs, const Operand &rhs, SourceRange opRange) {
  const Value &left = lhs.value, &right = rhs.value;
  std::string what = "operands of " + quote(ast::spelling(op));
  if (auto *l = left.as<TypeConstant>(), *r = right.as<TypeConstant>(); l && r) {
    if (op != BinaryOp::Equal && op != BinaryOp::NotEqual)
      return std::nullopt;
    return Value::boolean(isSameType(l->type, r->type) == (op == BinaryOp::Equal));
  }
  if (auto *l = left.as<BoolConstant>(), *r = right.as<BoolConstant>(); l && r) {
    if (isComparison(op) && (op == BinaryOp::Equal || op == BinaryOp::NotEqual))
      return Value::boolean((l->value == r->value) == (op == BinaryOp::Equal));
    if (op == BinaryOp::LogicalAnd || op == BinaryOp::BitAnd)
      return Value::boolean(l->value && r->value);
    if (op == BinaryOp::LogicalOr || op == BinaryOp::BitOr)
      return Value::boolean(l->value || r->value);
    if (op == BinaryOp::BitXor)
      return Value::boolean(l->value != r->value);
    return std::nullopt;
  }
  if (isLogical(op) || op == BinaryOp::MatMul)
    return std::nullopt;
  if (op == BinaryOp::Shl || op == BinaryOp::Shr)
    return foldShift(op, lhs, rhs, opRange);
  std::optional<std::vector<Operand>> unified = unifyConstants({lhs, rhs}, opRange, what);
  if (!unified)
    return Value();
  const Value &first = unified->front().value, &second = unified->back().value;
  auto *l = first.as<IntConstant>(), *r = second.as<IntConstant>();
  if (!l || !r) {
    double x = asDouble(first), y = asDouble(second);
    if (isComparison(op))
      return Value::boolean(compareConstants(op, x < y ? -1 : x > y, std::isnan(x) || std::isnan(y)));
    if (!isDefined(op, ScalarKind::Float))
      return std::nullopt;
    auto *floating = first.as<FloatConstant>();
    std::optional<Scalar> type = floating ? floating->type : std::nullopt;
    return folded(computed(foldFloat(op, x, y), type), type);
  }
  if (isComparison(op))
    return Value::boolean(compareConstants(op, l->value < r->value ? -1 : l->value > r->value, false));
  if (WideInt product; op == BinaryOp::Mul && !l->type && __builtin_mul_overflow(l->value, r->value, &product))
    return fail(Code::E0205, opRange, toString(l->value) + " * " + toString(r->value) + " does not fit in 64 bits");
  WideInt result = foldInteger(op, l->value, r->value);
  return folded(result, l->type, foldSymbol(op, l->symbol, r->symbol, result), opRange);
}

std::optional<Value> Emitter::foldShift(BinaryOp op, const Operand &lhs, const Operand &rhs, SourceRange opRange) {
  auto *count = rhs.value.as<IntConstant>();
  if (!count || !lhs.value.as<IntConstant>())
    return std::nullopt;
  Value value = lhs.value;
  if (value.isUntyped() && count->type)
    value = coerce(lhs, Type::scalar(*count->type), "");
  if (value.isError())
    return value;
  auto *shifted = value.as<IntConstant>();
  WideInt result = shiftConstant(op, shifted->value, count->value);
  return folded(result, shifted->type, foldSymbol(op, shifted->symbol, count->symbol, result), opRange);
}

//===-- Unary operators

mlir::Value Emitter::negateBool(mlir::Value value, mlir::Location location) {
  auto ones = mlir::cast<mlir::TypedAttr>(
      llvm::isa<mlir::RankedTensorType>(value.getType())
          ? mlir::Attribute(mlir::DenseElementsAttr::get(mlir::cast<mlir::RankedTensorType>(value.getType()), true))
          : mlir::Attribute(builder.getBoolAttr(true)));
  return arith::XOrIOp::create(builder, location, value, arith::ConstantOp::create(builder, location, ones));
}

Value Emitter::unary(ast::UnaryOp op, const Operand &operand, SourceRange range) {
  const Value &value = operand.value;
  if (value.isError())
    return value;
  auto undefined = [&]() {
    return fail(Code::E0203, range, quote(ast::spelling(op)) + " is not defined for " + value.describe());
  };
  Type type = value.type();
  if (!type.isTile() || type.element.isPointer)
    return undefined();
  Scalar scalar = type.element.scalar;
  mlir::Location location = at(range);
  switch (op) {
  case ast::UnaryOp::Negate: {
    if (scalar == Scalar::Bool)
      return undefined();
    if (auto *constant = value.as<IntConstant>())
      return folded(-constant->value, constant->type, Symbolic(-1) * constant->symbol, range);
    if (auto *constant = value.as<FloatConstant>())
      return FloatConstant{-constant->value, constant->type};
    if (isFloat(scalar)) {
      auto negate = [&](llvm::ArrayRef<mlir::Value> operands, Scalar) -> mlir::Value {
        return arith::NegFOp::create(builder, location, operands[0]);
      };
      return Value(compute(scalar, value.ssa(), Exactness::Exact, location, negate), type);
    }
    mlir::Value zero = constant(scalar, type.shape, WideInt(0), location);
    return Value(arith::SubIOp::create(builder, location, zero, value.ssa()), type);
  }
  case ast::UnaryOp::BitNot: {
    if (isFloat(scalar) || scalar == Scalar::Bool)
      return undefined();
    if (auto *constant = value.as<IntConstant>())
      return folded(~constant->value, constant->type, Symbolic(-1) - constant->symbol, range);
    mlir::Value ones = constant(scalar, type.shape, WideInt(-1), location);
    return Value(arith::XOrIOp::create(builder, location, value.ssa(), ones), type);
  }
  case ast::UnaryOp::LogicalNot:
    if (scalar != Scalar::Bool)
      return undefined();
    if (auto *constant = value.as<BoolConstant>())
      return Value::boolean(!constant->value);
    return Value(negateBool(value.ssa(), location), type);
  }
  return {};
}

//===-- Binary operators

mlir::Value Emitter::compare(BinaryOp op, mlir::Value lhs, mlir::Value rhs, Scalar scalar, mlir::Location location) {
  size_t row = static_cast<size_t>(op) - static_cast<size_t>(BinaryOp::Less);
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  // Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual: false for NaN but for the last.
  static constexpr F floats[] = {F::OLT, F::OLE, F::OGT, F::OGE, F::OEQ, F::UNE};
  static constexpr I signeds[] = {I::slt, I::sle, I::sgt, I::sge, I::eq, I::ne};
  static constexpr I unsigneds[] = {I::ult, I::ule, I::ugt, I::uge, I::eq, I::ne};
  if (isFloat(scalar))
    return compute(scalar, {lhs, rhs}, Exactness::Exact, location,
                   [&](llvm::ArrayRef<mlir::Value> operands, Scalar) -> mlir::Value {
                     return arith::CmpFOp::create(builder, location, floats[row], operands[0], operands[1]);
                   });
  bool isSigned = kindOf(scalar) == ScalarKind::Signed;
  return arith::CmpIOp::create(builder, location, (isSigned ? signeds : unsigneds)[row], lhs, rhs);
}

mlir::Value Emitter::binary(BinaryOp op, mlir::Value lhs, mlir::Value rhs, Scalar scalar, mlir::Location location) {
  if (isFloat8(scalar))
    return compute(scalar, {lhs, rhs}, Exactness::Rounded, location,
                   [&](llvm::ArrayRef<mlir::Value> operands, Scalar wide) {
                     return binary(op, operands[0], operands[1], wide, location);
                   });
  bool isReal = isFloat(scalar);
  Signedness sign = kindOf(scalar) == ScalarKind::Signed ? Signedness::Signed : Signedness::Unsigned;
  mlir::Type type = lhs.getType();
  switch (op) {
  case BinaryOp::Mul:
    return isReal ? arith::MulFOp::create(builder, location, lhs, rhs).getResult()
                  : arith::MulIOp::create(builder, location, lhs, rhs).getResult();
  case BinaryOp::Add:
    return isReal ? arith::AddFOp::create(builder, location, lhs, rhs).getResult()
                  : arith::AddIOp::create(builder, location, lhs, rhs).getResult();
  case BinaryOp::Sub:
    return isReal ? arith::SubFOp::create(builder, location, lhs, rhs).getResult()
                  : arith::SubIOp::create(builder, location, lhs, rhs).getResult();
  case BinaryOp::Div:
    return isReal ? arith::DivFOp::create(builder, location, lhs, rhs).getResult()
                  : DivIOp::create(builder, location, type, sign, lhs, rhs).getResult();
  case BinaryOp::Rem:
    return RemIOp::create(builder, location, type, sign, lhs, rhs);
  case BinaryOp::BitAnd:
  case BinaryOp::LogicalAnd:
    return arith::AndIOp::create(builder, location, lhs, rhs);
  case BinaryOp::BitXor:
    return arith::XOrIOp::create(builder, location, lhs, rhs);
  case BinaryOp::BitOr:
  case BinaryOp::LogicalOr:
    return arith::OrIOp::create(builder, location, lhs, rhs);
  case BinaryOp::Shl:
    return ShiftOp::create(builder, location, type, ShiftKind::Left, lhs, rhs);
  case BinaryOp::Shr:
    return ShiftOp::create(builder, location, type,
                           sign == Signedness::Signed ? ShiftKind::RightSigned : ShiftKind::RightUnsigned, lhs, rhs);
  default:
    return compare(op, lhs, rhs, scalar, location);
  }
}

Value Emitter::pointerOffset(BinaryOp op, const Operand &pointer, const Operand &offset, SourceRange opRange) {
  Type type = offset.value.type();
  bool isOffset = type.isTile() && !type.element.isPointer && isInteger(type.element.scalar);
  if (!isOffset || (op != BinaryOp::Add && op != BinaryOp::Sub))
    return fail(Code::E0203, opRange,
                quote(ast::spelling(op)) + " is not defined for " + pointer.value.describe() + " and " +
                    offset.value.describe());
  std::optional<std::vector<Dim>> shape =
      broadcastShapes(pointer, offset, opRange, "operands of " + quote(ast::spelling(op)));
  Value steps = cast(offset, Scalar::I64);
  if (op == BinaryOp::Sub)
    steps = unary(ast::UnaryOp::Negate, {steps, offset.range}, opRange);
  steps = materialize(steps, offset.range);
  if (!shape || steps.isError())
    return {};
  mlir::Location location = at(opRange);
  mlir::Value address = broadcast(pointer.value.ssa(), pointer.value.type(), *shape, location);
  mlir::Value distance = broadcast(steps.ssa(), steps.type(), *shape, location);
  return Value(PtrAddOp::create(builder, location, address.getType(), address, distance),
               Type::tile(pointer.value.type().element, *shape));
}

/// The count may have any integer type; one that is wider than the value is first limited to the width, which no
/// truncation may turn into a legal count.
Value Emitter::shift(BinaryOp op, const Operand &lhs, const Operand &rhs, SourceRange opRange) {
  Operand value = lhs;
  auto *literal = lhs.value.as<IntConstant>();
  if (literal && !literal->type && rhs.value.isTile())
    value.value = coerceScalar(lhs, rhs.value.type().element.scalar, "");
  else
    value.value = materialize(lhs.value, lhs.range);
  bool isHugeCount =
      rhs.value.isUntyped() && rhs.value.as<IntConstant>() && !holds(Scalar::I64, rhs.value.as<IntConstant>()->value);
  Value count = isHugeCount ? coerceScalar(rhs, Scalar::U64, "") : materialize(rhs.value, rhs.range);
  if (value.value.isError() || count.isError())
    return {};
  for (const Operand &operand : {value, Operand{count, rhs.range}}) {
    Type type = operand.value.type();
    if (!type.isTile() || type.element.isPointer || !isInteger(type.element.scalar))
      return fail(Code::E0203, opRange,
                  quote(ast::spelling(op)) + " is not defined for " + operand.value.describe() + "; expected integers");
  }
  std::optional<std::vector<Dim>> shape =
      broadcastShapes(value, {count, rhs.range}, opRange, "operands of " + quote(ast::spelling(op)));
  if (!shape)
    return {};
  mlir::Location location = at(opRange);
  Scalar to = value.value.type().element.scalar, from = count.type().element.scalar;
  mlir::Value steps = count.ssa();
  if (info(from).bits > info(to).bits) {
    mlir::Value width = constant(from, count.type().shape, WideInt(info(to).bits), location);
    steps = arith::MinUIOp::create(builder, location, steps, width);
  }
  steps = convert(steps, from, to, location);
  mlir::Value shifted = broadcast(value.value.ssa(), value.value.type(), *shape, location);
  steps = broadcast(steps, withScalar(count.type(), to), *shape, location);
  return Value(binary(op, shifted, steps, to, location), Type::tile({to}, *shape));
}

Value Emitter::binary(BinaryOp op, const Operand &lhs, const Operand &rhs, SourceRange opRange) {
  if (lhs.value.isError() || rhs.value.isError())
    return {};
  std::string what = "operands of " + quote(ast::spelling(op));
  auto undefined = [&]() {
    DiagnosticBuilder diagnostic = report(Code::E0203, opRange,
                                          quote(ast::spelling(op)) + " is not defined for " + lhs.value.describe() +
                                              " and " + rhs.value.describe());
    diagnostic.secondary(lhs.range, lhs.value.describe()).secondary(rhs.range, rhs.value.describe());
    for (const Operand &operand : {lhs, rhs})
      suggestRegion(diagnostic, operand);
    return Value();
  };
  bool bothTypes = lhs.value.as<TypeConstant>() && rhs.value.as<TypeConstant>();
  if (bothTypes || (lhs.value.isConstantScalar() && rhs.value.isConstantScalar() &&
                    bool(lhs.value.as<BoolConstant>()) == bool(rhs.value.as<BoolConstant>()))) {
    if (std::optional<Value> folded = foldBinary(op, lhs, rhs, opRange))
      return *folded;
    return undefined();
  }
  for (const Operand &operand : {lhs, rhs})
    if (!operand.value.isTile() && !operand.value.isConstantScalar())
      return undefined();
  if (lhs.value.type().element.isPointer)
    return rhs.value.type().element.isPointer ? undefined() : pointerOffset(op, lhs, rhs, opRange);
  if (rhs.value.type().element.isPointer)
    return op == BinaryOp::Add ? pointerOffset(op, rhs, lhs, opRange) : undefined();
  if (op == BinaryOp::MatMul)
    return dot(lhs, rhs, std::nullopt, opRange, {});
  if (op == BinaryOp::Shl || op == BinaryOp::Shr)
    return shift(op, lhs, rhs, opRange);
  if (isLogical(op))
    for (const Operand &operand : {lhs, rhs})
      if (operand.value.type().element.scalar != Scalar::Bool) {
        DiagnosticBuilder diagnostic =
            report(Code::E0203, operand.range,
                   "operand of " + quote(ast::spelling(op)) + " is " + operand.value.describe() + "; expected bool");
        diagnostic.replace(operand.range, spelledOperand(operand.range) + " != 0", "compare it: ");
        return {};
      }
  std::optional<Unified> unified = unify({lhs, rhs}, opRange, what);
  if (!unified)
    return {};
  Scalar scalar = unified->type.element.scalar;
  if (!isDefined(op, kindOf(scalar)))
    return undefined();
  mlir::Value result = binary(op, unified->values[0], unified->values[1], scalar, at(opRange));
  return Value(result, isComparison(op) ? withScalar(unified->type, Scalar::Bool) : unified->type);
}

//===-- Matrix product

/// A tensor core takes operands of one type, and f32 only when it is told to round it to tf32. So a product of f32 and
/// a narrower float is computed at a small part of the speed, which the source does not show.
void Emitter::warnOfWidenedOperand(const Operand &lhs, const Operand &rhs, SourceRange opRange,
                                   std::string_view spelled) {
  Scalar left = lhs.value.type().element.scalar, right = rhs.value.type().element.scalar;
  bool isLeftWide = left == Scalar::F32;
  Scalar narrow = isLeftWide ? right : left;
  if (!isFloat(narrow) || info(narrow).bits > 16 || (!isLeftWide && right != Scalar::F32))
    return;
  const Operand &wide = isLeftWide ? lhs : rhs;
  DiagnosticBuilder diagnostic =
      report(Code::W0302, opRange,
             "operands of " + quote(spelled) + " are " + lhs.value.describe() + " and " + rhs.value.describe() +
                 "; the product is computed in f32, without the tensor cores");
  diagnostic.secondary(lhs.range, lhs.value.describe()).secondary(rhs.range, rhs.value.describe());
  // 8 bits would keep less than a digit of what was computed in f32.
  if (isFloat8(narrow))
    diagnostic.help("to use them, bring both to f16 or bf16: " + quote(spelledOperand(lhs.range) + " as f16") +
                    " and " + quote(spelledOperand(rhs.range) + " as f16"));
  else
    suggestCast(diagnostic, wide.range, nameOf(narrow), "to use them, round the f32 operand: ");
}

Value Emitter::dot(const Operand &lhs, const Operand &rhs, const std::optional<Operand> &accumulator,
                   SourceRange opRange, DotOptions options) {
  const std::string operation = quote(options.spelled);
  for (const Operand &operand : {lhs, rhs}) {
    if (operand.value.isError())
      return {};
    Type type = operand.value.type();
    if (!operand.value.isTile() || type.shape.size() != 2)
      return fail(Code::E0203, operand.range,
                  "operand of " + operation + " is " + operand.value.describe() + "; expected a tile of rank 2");
  }
  Scalar first = lhs.value.type().element.scalar, second = rhs.value.type().element.scalar;
  if (isInteger(first) && isInteger(second) && kindOf(first) != kindOf(second)) {
    DiagnosticBuilder diagnostic = report(Code::E0200, opRange,
                                          "operands of " + operation + " are " + lhs.value.describe() + " and " +
                                              rhs.value.describe() + "; expected integers of one sign");
    diagnostic.secondary(lhs.range, lhs.value.describe()).secondary(rhs.range, rhs.value.describe());
    // The 11 bits of a f16 hold every value of 8 bits, signed or not.
    if (info(first).bits == 8 && info(second).bits == 8)
      diagnostic.help(
          "`f16` holds every value of both, and the product is f32: " + quote(spelledOperand(lhs.range) + " as f16") +
          " and " + quote(spelledOperand(rhs.range) + " as f16"));
    return {};
  }
  // Of 8-bit floats each factor keeps its format.
  bool areFloats8 = isFloat8(first) && isFloat8(second);
  std::optional<Scalar> scalar = areFloats8 ? first : commonScalarOf({lhs, rhs}, opRange, "operands of " + operation);
  if (!scalar)
    return {};
  if (options.isTf32 && *scalar != Scalar::F32)
    return fail(Code::E0203, options.precision,
                "precision is tf32 for operands that are " + std::string(nameOf(*scalar)) + "; expected f32");
  Type left = lhs.value.type(), right = rhs.value.type();
  mlir::Type accumulatorType = dotAccumulator(mlirTypeOf(*scalar, context()));
  static constexpr Scalar accumulators[] = {Scalar::F32, Scalar::F64, Scalar::I32};
  const auto *known = llvm::find_if(
      accumulators, [&](Scalar candidate) { return mlirTypeOf(candidate, context()) == accumulatorType; });
  if (known == std::end(accumulators)) {
    DiagnosticBuilder diagnostic =
        report(Code::E0203, opRange, operation + " is not defined for " + std::string(nameOf(*scalar)));
    diagnostic.secondary(lhs.range, lhs.value.describe()).secondary(rhs.range, rhs.value.describe());
    std::string type = *scalar == Scalar::Bool ? "i8" : "f32";
    diagnostic.help(
        (*scalar == Scalar::Bool ? "a product of 8-bit integers counts in i32: "
                                 : "it is of floats, and of 8-bit integers, whose sums are i32; `f32` holds "
                                   "integers up to 2^24: ") +
        quote(spelledOperand(lhs.range) + " as " + type) + " and " + quote(spelledOperand(rhs.range) + " as " + type));
    return {};
  }
  Scalar accumulatorScalar = *known;
  if (compare(left.shape[1], right.shape[0]) != Agreement::Same) {
    reportExtents(Code::E0204, left.shape[1], right.shape[0], opRange, lhs, rhs,
                  "inner dimensions of " + operation + " differ: " + std::to_string(left.shape[1].value) + " and " +
                      std::to_string(right.shape[0].value),
                  [&](llvm::ArrayRef<Dim> first, llvm::ArrayRef<Dim> second) {
                    return compare(first[1], second[0]) == Agreement::Same;
                  });
    return {};
  }
  if (options.promote && !areFloats8 && !isSpec)
    return fail(Code::E0203, options.promoteRange,
                "`promote` is not defined for operands that are " + std::string(nameOf(*scalar)) +
                    "; expected 8-bit floats, whose sums on tensor cores lose accuracy");
  if (options.promote && left.shape[1].value > options.promote && !isSpec) {
    DiagnosticBuilder diagnostic =
        report(Code::E0204, options.promoteRange,
               "the inner dimension is " + std::to_string(left.shape[1].value) + " and `promote` " +
                   std::to_string(options.promote) + "; expected as much or less, to be added as a whole");
    diagnostic.secondary(lhs.range, lhs.value.describe()).secondary(rhs.range, rhs.value.describe());
    diagnostic.help("let the loop over K have steps of " + std::to_string(options.promote));
    return {};
  }
  if (!options.isTf32 && !isSpec)
    warnOfWidenedOperand(lhs, rhs, opRange, options.spelled);
  Value a = coerceScalar(lhs, *scalar, ""), b = coerceScalar(rhs, areFloats8 ? second : *scalar, "");
  if (a.isError() || b.isError())
    return {};
  Type type = Type::tile({accumulatorScalar}, {left.shape[0], right.shape[1]});
  mlir::Location location = at(opRange);
  mlir::Value start;
  bool isScalar = accumulator && accumulator->value.type().isScalar();
  bool isTile = accumulator && accumulator->value.isTile();
  if (options.inSum.isValid() && isTile) {
    std::optional<std::vector<Dim>> shape =
        broadcastShapes(*accumulator, {Value(mlir::Value(), type), options.inSum}, opRange, "operands of `+`");
    if (!shape)
      return {};
    bool accumulates = widensTo(accumulator->value.type().element.scalar, accumulatorScalar) &&
                       Type::tile({accumulatorScalar}, *shape).sizes() == type.sizes();
    if (!accumulates)
      return binary(BinaryOp::Add, *accumulator, {dot(lhs, rhs, std::nullopt, opRange, {}), options.inSum}, opRange);
  }
  if (accumulator) {
    Value value = isScalar || (options.inSum.isValid() && isTile)
                      ? coerceScalar(*accumulator, accumulatorScalar, "the accumulator")
                      : coerce(*accumulator, type, "the accumulator");
    if (value.isError())
      return {};
    start = broadcast(value.ssa(), value.type(), type.shape, location);
  } else {
    start = constant(accumulatorScalar, type.shape, WideInt(0), location);
  }
  Precision precision = options.isTf32 ? Precision::Tf32 : Precision::Ieee;
  Signedness sign = kindOf(*scalar) == ScalarKind::Unsigned ? Signedness::Unsigned : Signedness::Signed;
  // Nothing folds an addition into a product later, so that the sum of this one stays its own.
  bool promotes = options.promote && accumulator && !isSpec;
  mlir::Value from = promotes ? constant(accumulatorScalar, type.shape, WideInt(0), location) : start;
  mlir::Value product = DotOp::create(builder, location, start.getType(), precision, sign, a.ssa(), b.ssa(), from);
  return Value(promotes ? arith::AddFOp::create(builder, location, start, product).getResult() : product, type);
}
