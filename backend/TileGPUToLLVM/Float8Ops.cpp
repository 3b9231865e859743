/// Conversions of 8-bit floats, which are bytes from here on. Where the target has instructions for them these take
/// pairs (PTX ISA, "cvt"): elements of a tile are paired as its registers come. Elsewhere ordinary instructions give
/// the same bits. Whatever is wider than f16 goes through it, or through f32, exactly.
#include "backend/TileGPUToLLVM/LowerTiles.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace {
/// A format, as rounding to it needs it. Numbers are magnitudes, as bits of f32.
struct Format {
  const char *name; ///< in PTX
  int mantissaBits; ///< stored
  int rebias;       ///< the exponent bias of f32 minus that of the format
  int64_t beyond;   ///< the least number that does not round to a finite one, or only by saturating
  int64_t normal;   ///< the least normal number
  float step;       ///< a number next to which f32 is as coarse as the format's subnormals
  int64_t largest;  ///< the code of the largest number
  int64_t infinity; ///< the code of infinity; e4m3 has none, and nothing asks for it: `largest` stands there
};
} // namespace

static constexpr int64_t kNaN = 0x7f;

static const Format &formatOf(Type element) {
  static constexpr Format kE4M3{"e4m3", 3, 120, 0x43e80000, 0x3c800000, 0x1p14f, 0x7e, 0x7e};
  static constexpr Format kE5M2{"e5m2", 2, 112, 0x47700000, 0x38800000, 0x1p7f, 0x7b, 0x7c};
  return isa<Float8E4M3FNType>(element) ? kE4M3 : kE5M2;
}

//===-- From 8 bits -----------------------------------------------------------------------------------------------===//

static Value shiftLeft(Emitter &emit, Value value, int64_t count) {
  return emit.builder.createOrFold<arith::ShLIOp>(emit.loc, value, emit.constant(value.getType(), count));
}
static Value shiftRight(Emitter &emit, Value value, int64_t count) {
  return emit.builder.createOrFold<arith::ShRUIOp>(emit.loc, value, emit.constant(value.getType(), count));
}
static Value widen(Emitter &emit, Value value, Type type) {
  return emit.builder.createOrFold<arith::ExtUIOp>(emit.loc, type, value);
}

/// Two bytes as one word, the first one low.
static Value pairOf(Emitter &emit, Value low, Value high) {
  Type i16 = emit.builder.getI16Type();
  return emit.bitOr(widen(emit, low, i16), shiftLeft(emit, widen(emit, high, i16), 8));
}

/// e5m2 is f16 without its lower mantissa. The bits of e4m3, in the place of f16's, stand for a number 2^8 times
/// smaller, as the biases differ by 8; what would be 480 is NaN.
static Value halfByArithmetic(Emitter &emit, Value byte, const Format &format) {
  OpBuilder &b = emit.builder;
  Type i16 = b.getI16Type(), f16 = b.getF16Type();
  auto constant = [&](int64_t value) { return emit.constant(i16, value); };
  Value high = shiftLeft(emit, widen(emit, byte, i16), 8);
  if (format.mantissaBits == 2)
    return emit.bitcast(high, f16);
  Value magnitude = shiftRight(emit, emit.bitAnd(high, constant(0x7f00)), 1);
  Value bits = emit.bitOr(emit.bitAnd(high, constant(0x8000)), magnitude);
  Value scale = arith::ConstantOp::create(b, emit.loc, b.getF16FloatAttr(256.0f));
  Value number = arith::MulFOp::create(b, emit.loc, emit.bitcast(bits, f16), scale);
  Value isNaN = emit.compare(arith::CmpIPredicate::eq, magnitude, constant(kNaN << 7));
  return emit.select(isNaN, emit.bitcast(constant(0x7fff), f16), number);
}

static SmallVector<Value> halvesOf(Emitter &emit, ValueRange bytes, const Format &format, bool hasInstructions) {
  OpBuilder &b = emit.builder;
  SmallVector<Value> halves;
  for (size_t i = 0; i < bytes.size() && !hasInstructions; ++i)
    halves.push_back(halfByArithmetic(emit, bytes[i], format));
  for (size_t i = 0; i < bytes.size() && hasInstructions; i += 2) {
    Value pair = i + 1 < bytes.size() ? pairOf(emit, bytes[i], bytes[i + 1]) : widen(emit, bytes[i], b.getI16Type());
    Value word = emit.ptx(std::string("cvt.rn.f16x2.") + format.name + "x2 $0, $1;", "=r,h", pair, b.getI32Type(),
                          Emitter::Effect::None)[0];
    Value both = emit.bitcast(word, VectorType::get(2, b.getF16Type()));
    for (size_t j = 0; j < 2 && i + j < bytes.size(); ++j)
      halves.push_back(LLVM::ExtractElementOp::create(b, emit.loc, both, emit.i32(j)));
  }
  return halves;
}

/// An f16 in a type that has all of the format's numbers.
static Value fromHalf(Emitter &emit, Value half, Type type) {
  OpBuilder &b = emit.builder;
  if (type.isF16())
    return half;
  if (!type.isBF16())
    return arith::ExtFOp::create(b, emit.loc, type, half);
  Value single = arith::ExtFOp::create(b, emit.loc, b.getF32Type(), half);
  return arith::TruncFOp::create(b, emit.loc, type, single);
}

//===-- To 8 bits -------------------------------------------------------------------------------------------------===//

/// The f32 next to an f64 towards zero, with the last bit set where they differ: a second rounding is then right.
static Value roundToOdd(Emitter &emit, Value wide) {
  OpBuilder &b = emit.builder;
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  Value cut = emit.ptx("cvt.rz.f32.f64 $0, $1;", "=f,d", wide, f32, Emitter::Effect::None)[0];
  Value back = arith::ExtFOp::create(b, emit.loc, wide.getType(), cut);
  Value differs = arith::CmpFOp::create(b, emit.loc, arith::CmpFPredicate::ONE, back, wide);
  return emit.bitcast(emit.bitOr(emit.bitcast(cut, i32), widen(emit, differs, i32)), f32);
}

/// The magnitude of an f32 as its bits, and the sign where a byte has it.
static std::pair<Value, Value> magnitudeAndSign(Emitter &emit, Value number) {
  Value bits = emit.bitcast(number, emit.builder.getI32Type());
  return {emit.bitAnd(bits, emit.i32(0x7fffffff)), emit.bitAnd(shiftRight(emit, bits, 24), emit.i32(0x80))};
}

static Value byteByArithmetic(Emitter &emit, Value number, const Format &format, int64_t overflow) {
  OpBuilder &b = emit.builder;
  auto [magnitude, sign] = magnitudeAndSign(emit, number);
  int cut = 23 - format.mantissaBits;
  // To nearest: half a unit less one is added, and one more where the last bit that stays is odd.
  Value odd = emit.bitAnd(shiftRight(emit, magnitude, cut), emit.i32(1));
  int64_t offset = (int64_t(1) << (cut - 1)) - 1 - (int64_t(format.rebias) << 23);
  Value normal = shiftRight(emit, emit.add(emit.add(magnitude, odd), emit.i32(static_cast<int32_t>(offset))), cut);
  Value step = arith::ConstantOp::create(b, emit.loc, b.getF32FloatAttr(format.step));
  Value sum = arith::AddFOp::create(b, emit.loc, emit.bitcast(magnitude, b.getF32Type()), step);
  Value subnormal = emit.sub(emit.bitcast(sum, b.getI32Type()), emit.bitcast(step, b.getI32Type()));
  auto isLess = [&, magnitude = magnitude](int64_t bound) {
    return emit.compare(arith::CmpIPredicate::ult, magnitude, emit.i32(bound));
  };
  Value code = emit.select(isLess(format.normal), subnormal, normal);
  code = emit.bitOr(emit.select(isLess(format.beyond), code, emit.i32(overflow)), sign);
  Value isNaN = emit.compare(arith::CmpIPredicate::ugt, magnitude, emit.i32(0x7f800000));
  return arith::TruncIOp::create(b, emit.loc, b.getI8Type(), emit.select(isNaN, emit.i32(kNaN), code));
}

/// The instruction has no form that overflows to infinity.
static Value withInfinity(Emitter &emit, Value number, Value byte, const Format &format) {
  OpBuilder &b = emit.builder;
  auto [magnitude, sign] = magnitudeAndSign(emit, number);
  Value isBeyond = emit.bitAnd(emit.compare(arith::CmpIPredicate::uge, magnitude, emit.i32(format.beyond)),
                               emit.compare(arith::CmpIPredicate::ule, magnitude, emit.i32(0x7f800000)));
  Value infinity = arith::TruncIOp::create(b, emit.loc, b.getI8Type(), emit.bitOr(sign, emit.i32(format.infinity)));
  return emit.select(isBeyond, infinity, byte);
}

static SmallVector<Value> bytesOf(Emitter &emit, ValueRange numbers, const Format &format, bool hasInstructions,
                                  bool isFinite) {
  OpBuilder &b = emit.builder;
  Type i8 = b.getI8Type();
  SmallVector<Value> bytes;
  for (size_t i = 0; i < numbers.size() && !hasInstructions; ++i)
    bytes.push_back(byteByArithmetic(emit, numbers[i], format, isFinite ? format.largest : format.infinity));
  for (size_t i = 0; i < numbers.size() && hasInstructions; i += 2) {
    Value low = numbers[i], high = numbers[std::min(i + 1, numbers.size() - 1)];
    Value pair = emit.ptx(std::string("cvt.rn.satfinite.") + format.name + "x2.f32 $0, $1, $2;", "=h,f,f",
                          ValueRange{high, low}, b.getI16Type(), Emitter::Effect::None)[0];
    bytes.push_back(arith::TruncIOp::create(b, emit.loc, i8, pair));
    if (i + 1 < numbers.size())
      bytes.push_back(arith::TruncIOp::create(b, emit.loc, i8, shiftRight(emit, pair, 8)));
  }
  if (hasInstructions && !isFinite)
    for (auto [byte, number] : llvm::zip_equal(bytes, numbers))
      byte = withInfinity(emit, number, byte, format);
  return bytes;
}

//===-- Constants -------------------------------------------------------------------------------------------------===//

TypedAttr tgpu::withBytes(TypedAttr constant) {
  if (!isFloat8(elementOf(constant.getType())))
    return constant;
  auto toByte = [](const APFloat &number) { return number.bitcastToAPInt(); };
  Type byte = IntegerType::get(constant.getContext(), 8);
  if (auto number = dyn_cast<FloatAttr>(constant))
    return IntegerAttr::get(byte, toByte(number.getValue()));
  return cast<DenseElementsAttr>(constant).mapValues(byte, toByte);
}

//===-- Patterns --------------------------------------------------------------------------------------------------===//

namespace {
/// Before the pattern of all elementwise ops.
constexpr unsigned kBenefit = 2;

struct LowerWiden : public OpConversionPattern<arith::ExtFOp> {
  LowerWiden(const TypeConverter &types, MLIRContext *context, bool hasInstructions)
      : OpConversionPattern(types, context, kBenefit), hasInstructions(hasInstructions) {}

  LogicalResult matchAndRewrite(arith::ExtFOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type from = elementOf(op.getIn().getType());
    if (!isFloat8(from))
      return rewriter.notifyMatchFailure(op, "not of an 8-bit float");
    Emitter emit(rewriter, op.getLoc());
    SmallVector<Value> values = halvesOf(emit, adaptor.getIn(), formatOf(from), hasInstructions);
    for (Value &value : values)
      value = fromHalf(emit, value, elementOf(op.getType()));
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{values});
    return success();
  }

  bool hasInstructions;
};

struct LowerNarrow : public OpConversionPattern<CastOp> {
  LowerNarrow(const TypeConverter &types, MLIRContext *context, bool hasInstructions)
      : OpConversionPattern(types, context, kBenefit), hasInstructions(hasInstructions) {}

  LogicalResult matchAndRewrite(CastOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type to = elementOf(op.getType());
    if (!isFloat8(to))
      return rewriter.notifyMatchFailure(op, "not to an 8-bit float");
    Emitter emit(rewriter, op.getLoc());
    SmallVector<Value> numbers(adaptor.getValue());
    if (elementOf(op.getValue().getType()).isF64())
      for (Value &number : numbers)
        number = roundToOdd(emit, number);
    SmallVector<Value> bytes = bytesOf(emit, numbers, formatOf(to), hasInstructions, op.getKind() == CastKind::Finite);
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{bytes});
    return success();
  }

  bool hasInstructions;
};

struct LowerConstantScalar : public OpConversionPattern<arith::ConstantOp> {
  LowerConstantScalar(const TypeConverter &types, MLIRContext *context)
      : OpConversionPattern(types, context, kBenefit) {}

  LogicalResult matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isFloat8(op.getType()))
      return rewriter.notifyMatchFailure(op, "not an 8-bit float");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, withBytes(op.getValue()));
    return success();
  }
};
} // namespace

void tgpu::populateFloat8Patterns(const TileTypeConverter &types, bool hasInstructions, RewritePatternSet &patterns) {
  patterns.add<LowerNarrow, LowerWiden>(types, patterns.getContext(), hasInstructions);
  patterns.add<LowerConstantScalar>(types, patterns.getContext());
}
