/// Elementwise builtins: one row each, sorted by name.
#include "frontend/irgen/Builtins.h"

#include "ir/Tile/TileOps.h"

#include <cmath>

using namespace tile;
using namespace tile::irgen;
using ast::BinaryOp;
namespace arith = mlir::arith;
namespace math = mlir::math;

using Operands = llvm::ArrayRef<mlir::Value>;

/// An op of one operand and its type.
template <typename Op> static mlir::Value unary(Evaluator &e, Operands operands, Scalar, mlir::Location location) {
  return Op::create(e.builder, location, operands[0]);
}
template <typename Op> static mlir::Value binary(Evaluator &e, Operands operands, Scalar, mlir::Location location) {
  return Op::create(e.builder, location, operands[0], operands[1]);
}
/// A spec has no approximate functions: `Exact` is what the function means.
template <ApproximateKind kind, typename Exact>
static mlir::Value approximate(Evaluator &e, Operands operands, Scalar scalar, mlir::Location location) {
  if constexpr (kind == ApproximateKind::Div) {
    if (e.isSpec)
      return Exact::create(e.builder, location, operands[0], operands[1]);
  } else if (e.isSpec) {
    return Exact::create(e.builder, location, operands[0]);
  }
  return ApproximateOp::create(e.builder, location, operands[0].getType(), kind, operands);
}

static mlir::Value absolute(Evaluator &e, Operands operands, Scalar scalar, mlir::Location location) {
  if (isFloat(scalar))
    return math::AbsFOp::create(e.builder, location, operands[0]);
  if (kindOf(scalar) == ScalarKind::Unsigned)
    return operands[0];
  return math::AbsIOp::create(e.builder, location, operands[0]);
}

/// Counts bits of an `index` in the 64 that it has in meaning.
template <typename Op>
static mlir::Value countBits(Evaluator &e, Operands operands, Scalar scalar, mlir::Location location) {
  bool isIndex = scalar == Scalar::Index;
  mlir::Value value = isIndex ? e.convert(operands[0], Scalar::Index, Scalar::I64, location) : operands[0];
  mlir::Value count = Op::create(e.builder, location, value);
  return isIndex ? e.convert(count, Scalar::I64, Scalar::Index, location) : count;
}

static mlir::Value multiplyAdd(Evaluator &e, Operands operands, Scalar, mlir::Location location) {
  return math::FmaOp::create(e.builder, location, operands[0], operands[1], operands[2]);
}

static mlir::Value multiplyHigh(Evaluator &e, Operands operands, Scalar scalar, mlir::Location location) {
  mlir::Value lhs = operands[0], rhs = operands[1];
  if (kindOf(scalar) == ScalarKind::Unsigned)
    return arith::MulUIExtendedOp::create(e.builder, location, lhs, rhs).getHigh();
  bool isIndex = scalar == Scalar::Index;
  if (isIndex)
    lhs = e.convert(lhs, scalar, Scalar::I64, location), rhs = e.convert(rhs, scalar, Scalar::I64, location);
  mlir::Value high = arith::MulSIExtendedOp::create(e.builder, location, lhs, rhs).getHigh();
  return isIndex ? e.convert(high, Scalar::I64, scalar, location) : high;
}

/// A scalar constant in the type of `like`.
static mlir::Value same(Evaluator &e, mlir::Value like, Scalar scalar, int64_t value, mlir::Location location) {
  std::vector<Dim> shape;
  for (int64_t extent : shapeOf(like.getType()))
    shape.push_back(Dim::literal(extent));
  return e.constant(scalar, shape, WideInt(value), location);
}

/// What a truncated division is off by, as a bool: the remainder is not 0 and has the sign of the divisor, or the
/// other, as `signs` compares them. A zero divisor changes nothing, so that `x / 0` stays 0 and `x % 0` stays x.
static mlir::Value isInexact(Evaluator &e, mlir::Value remainder, mlir::Value divisor, BinaryOp signs, Scalar scalar,
                             mlir::Location location) {
  mlir::Value zero = same(e, divisor, scalar, 0, location);
  if (llvm::APInt known; mlir::matchPattern(divisor, mlir::m_ConstantInt(&known)) && known.isStrictlyPositive())
    return e.compare(signs == BinaryOp::Equal ? BinaryOp::Greater : BinaryOp::Less, remainder, zero, scalar, location);
  mlir::Value rest = e.compare(BinaryOp::NotEqual, remainder, zero, scalar, location);
  mlir::Value divides = e.compare(BinaryOp::NotEqual, divisor, zero, scalar, location);
  mlir::Value restNegative = e.compare(BinaryOp::Less, remainder, zero, scalar, location);
  mlir::Value divisorNegative = e.compare(BinaryOp::Less, divisor, zero, scalar, location);
  mlir::Value off = e.compare(signs, restNegative, divisorNegative, Scalar::Bool, location);
  mlir::Value both = arith::AndIOp::create(e.builder, location, rest, divides);
  return arith::AndIOp::create(e.builder, location, both, off);
}

/// The truncated quotient, one further where `signs` says so.
template <BinaryOp signs, BinaryOp step>
static mlir::Value roundedQuotient(Evaluator &e, Operands operands, Scalar scalar, mlir::Location location) {
  mlir::Value quotient = e.binary(BinaryOp::Div, operands[0], operands[1], scalar, location);
  bool isUnsigned = kindOf(scalar) == ScalarKind::Unsigned;
  if (isUnsigned && step == BinaryOp::Sub)
    return quotient;
  mlir::Value remainder = e.binary(BinaryOp::Rem, operands[0], operands[1], scalar, location);
  mlir::Value off = isInexact(e, remainder, operands[1], signs, scalar, location);
  return e.binary(step, quotient, e.convert(off, Scalar::Bool, scalar, location), scalar, location);
}

static mlir::Value floorRemainder(Evaluator &e, Operands operands, Scalar scalar, mlir::Location location) {
  mlir::Value remainder = e.binary(BinaryOp::Rem, operands[0], operands[1], scalar, location);
  if (kindOf(scalar) == ScalarKind::Unsigned)
    return remainder;
  mlir::Value off = isInexact(e, remainder, operands[1], BinaryOp::NotEqual, scalar, location);
  mlir::Value moved = e.binary(BinaryOp::Add, remainder, operands[1], scalar, location);
  return arith::SelectOp::create(e.builder, location, off, moved, remainder);
}

/// 1 for x <= 1, else 1 << (width - clz(x - 1)).
static mlir::Value nextPowerOfTwo(Evaluator &e, Operands operands, Scalar scalar, mlir::Location location) {
  mlir::Value value = operands[0], one = same(e, value, scalar, 1, location);
  mlir::Value zeros = countBits<math::CountLeadingZerosOp>(e, {e.binary(BinaryOp::Sub, value, one, scalar, location)},
                                                           scalar, location);
  mlir::Value width = same(e, value, scalar, info(scalar).bits, location);
  mlir::Value count = e.binary(BinaryOp::Sub, width, zeros, scalar, location);
  mlir::Value power = e.binary(BinaryOp::Shl, one, count, scalar, location);
  mlir::Value isSmall = e.compare(BinaryOp::LessEqual, value, one, scalar, location);
  return arith::SelectOp::create(e.builder, location, isSmall, one, power);
}

//===-- Folding

static WideInt foldFloorDiv(WideInt a, WideInt b) {
  if (b == 0)
    return 0;
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}
static WideInt foldCeilDiv(WideInt a, WideInt b) {
  if (b == 0)
    return 0;
  return a / b + (a % b != 0 && (a % b < 0) == (b < 0));
}
static WideInt foldFloorMod(WideInt a, WideInt b) { return b == 0 ? a : a - b * foldFloorDiv(a, b); }
static WideInt foldAbs(WideInt a, WideInt) { return a < 0 ? -a : a; }
static WideInt foldNextPow2(WideInt a, WideInt) {
  WideInt power = 1;
  while (power < a)
    power *= 2;
  return power;
}

static double foldMaxNum(double a, double b) { return std::isnan(b) || isAbove(a, b) ? a : b; }
static double foldMinNum(double a, double b) { return std::isnan(b) || isAbove(b, a) ? a : b; }

llvm::ArrayRef<Builtin> irgen::elementwiseBuiltins() {
  constexpr auto kExact = Emitter::Exactness::Exact, kRounded = Emitter::Exactness::Rounded;
  constexpr auto kFused = Emitter::Exactness::Fused;
  static const Builtin rows[] = {
      {"abs", 1, Domain::Number, kExact, absolute, foldAbs, [](double a, double) { return std::abs(a); }},
      {"activation.gelu", 1, Domain::Float, kRounded, unary<GeluOp>},
      {"activation.sigmoid", 1, Domain::Float, kRounded, unary<SigmoidOp>},
      {"approx.cos", 1, Domain::F32, kRounded, approximate<ApproximateKind::Cos, math::CosOp>},
      {"approx.div", 2, Domain::F32, kRounded, approximate<ApproximateKind::Div, arith::DivFOp>},
      {"approx.exp2", 1, Domain::F32, kRounded, approximate<ApproximateKind::Exp2, math::Exp2Op>},
      {"approx.log2", 1, Domain::F32, kRounded, approximate<ApproximateKind::Log2, math::Log2Op>},
      {"approx.rsqrt", 1, Domain::F32, kRounded, approximate<ApproximateKind::Rsqrt, math::RsqrtOp>},
      {"approx.sin", 1, Domain::F32, kRounded, approximate<ApproximateKind::Sin, math::SinOp>},
      {"approx.sqrt", 1, Domain::F32, kRounded, approximate<ApproximateKind::Sqrt, math::SqrtOp>},
      {"approx.tanh", 1, Domain::F32, kRounded, approximate<ApproximateKind::Tanh, math::TanhOp>},
      {"cdiv", 2, Domain::Integer, kExact, roundedQuotient<BinaryOp::Equal, BinaryOp::Add>, foldCeilDiv},
      {"ceil", 1, Domain::Float, kExact, unary<math::CeilOp>, nullptr, [](double a, double) { return std::ceil(a); }},
      {"clz", 1, Domain::Integer, kExact, countBits<math::CountLeadingZerosOp>},
      {"cos", 1, Domain::Float, kRounded, unary<math::CosOp>},
      {"erf", 1, Domain::Float, kRounded, unary<math::ErfOp>},
      {"exp", 1, Domain::Float, kRounded, unary<math::ExpOp>},
      {"exp2", 1, Domain::Float, kRounded, unary<math::Exp2Op>},
      {"floor", 1, Domain::Float, kExact, unary<math::FloorOp>, nullptr,
       [](double a, double) { return std::floor(a); }},
      {"floordiv", 2, Domain::Integer, kExact, roundedQuotient<BinaryOp::NotEqual, BinaryOp::Sub>, foldFloorDiv},
      {"floormod", 2, Domain::Integer, kExact, floorRemainder, foldFloorMod},
      {"fma", 3, Domain::Float, kFused, multiplyAdd},
      {"fmax", 2, Domain::Float, kExact, binary<arith::MaxNumFOp>, nullptr, foldMaxNum},
      {"fmin", 2, Domain::Float, kExact, binary<arith::MinNumFOp>, nullptr, foldMinNum},
      {"log", 1, Domain::Float, kRounded, unary<math::LogOp>},
      {"log2", 1, Domain::Float, kRounded, unary<math::Log2Op>},
      {"next_pow2", 1, Domain::Integer, kExact, nextPowerOfTwo, foldNextPow2},
      {"popc", 1, Domain::Integer, kExact, countBits<math::CtPopOp>},
      {"round", 1, Domain::Float, kExact, unary<math::RoundEvenOp>, nullptr,
       [](double a, double) { return std::nearbyint(a); }},
      {"rsqrt", 1, Domain::Float, kRounded, unary<math::RsqrtOp>},
      {"sin", 1, Domain::Float, kRounded, unary<math::SinOp>},
      {"sqrt", 1, Domain::Float, kRounded, unary<math::SqrtOp>},
      {"tan", 1, Domain::Float, kRounded, unary<math::TanOp>},
      {"tanh", 1, Domain::Float, kRounded, unary<math::TanhOp>},
      {"trunc", 1, Domain::Float, kExact, unary<math::TruncOp>, nullptr,
       [](double a, double) { return std::trunc(a); }},
      {"umulhi", 2, Domain::Integer, kExact, multiplyHigh},
  };
  return rows;
}
