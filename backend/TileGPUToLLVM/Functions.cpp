/// Scalar functions of floats. Which op becomes what stands in Functions.def; here are the sequences, and what is
/// common: 16-bit floats go through f32.
#include "backend/TileGPUToLLVM/ScalarOps.h"

#include "backend/TileGPUToLLVM/Emit.h"
#include "ir/Tile/TileOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

static Value f32Constant(Emitter &emit, float value) {
  return LLVM::ConstantOp::create(emit.builder, emit.loc, emit.builder.getF32Type(),
                                  emit.builder.getF32FloatAttr(value));
}

/// One instruction of f32 operands and result.
static Value instruction(Emitter &emit, StringRef mnemonic, ValueRange operands) {
  std::string text = (mnemonic + " $0").str(), constraints = "=f";
  for (size_t i = 0; i < operands.size(); ++i) {
    text += ", $" + std::to_string(i + 1);
    constraints += ",f";
  }
  return emit.ptx(text + ";", constraints, operands, emit.builder.getF32Type(), Emitter::Effect::None)[0];
}

//===-- Sequences -------------------------------------------------------------------------------------------------===//

/// PTX ISA, ex2.approx.ftz.f32: 2 ULP over the whole range, one instruction.
static Value emitExp2(Emitter &emit, Value x) { return instruction(emit, "ex2.approx.ftz.f32", x); }

/// PTX ISA, rsqrt.approx.ftz.f32: relative error 2^-22.9.
static Value emitRsqrt(Emitter &emit, Value x) { return instruction(emit, "rsqrt.approx.ftz.f32", x); }

/// e^x = 2^k · 2^f with k the integer nearest to x·log2(e), and f = x·log2(e) - k formed by two fma with log2(e) in two
/// parts, so that its error is that of f and not of x·log2(e), which grows with x. ex2.approx of |f| <= 1/2 is within
/// 2^-22.5; the product with 2^k is exact. k is clamped so that 2^k is normal; f then takes the rest and 2^f overflows,
/// or vanishes, where e^x does. NaN and infinities come through f.
static Value emitExp(Emitter &emit, Value x) {
  OpBuilder &b = emit.builder;
  Location loc = emit.loc;
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  constexpr float kLog2eHigh = 1.44269502f, kLog2eLow = 1.92596299e-8f;
  // 1.5 · 2^23: adding it leaves an integer in the low bits of the float; 127 is the bias of the exponent.
  constexpr float kRound = 12582912.0f + 127.0f;
  Value scaled = LLVM::FMulOp::create(b, loc, x, f32Constant(emit, kLog2eHigh));
  scaled = LLVM::MaxNumOp::create(b, loc, scaled, f32Constant(emit, -126.0f));
  scaled = LLVM::MinNumOp::create(b, loc, scaled, f32Constant(emit, 126.0f));
  Value rounded = LLVM::FAddOp::create(b, loc, scaled, f32Constant(emit, kRound));
  Value integer = LLVM::FSubOp::create(b, loc, rounded, f32Constant(emit, kRound));
  Value fraction = LLVM::FMAOp::create(b, loc, x, f32Constant(emit, kLog2eHigh), LLVM::FNegOp::create(b, loc, integer));
  fraction = LLVM::FMAOp::create(b, loc, x, f32Constant(emit, kLog2eLow), fraction);
  Value exponent = LLVM::ShlOp::create(b, loc, LLVM::BitcastOp::create(b, loc, i32, rounded),
                                       LLVM::ConstantOp::create(b, loc, i32, b.getI32IntegerAttr(23)));
  Value power = LLVM::BitcastOp::create(b, loc, f32, exponent);
  return LLVM::FMulOp::create(b, loc, emitExp2(emit, fraction), power);
}

/// The sum of `coefficients[i]` · x^i. The coefficients below are the minimax ones of f32, found by Remez' exchange.
static Value emitPolynomial(Emitter &emit, Value x, ArrayRef<float> coefficients) {
  Value sum = f32Constant(emit, coefficients.back());
  for (float coefficient : llvm::reverse(coefficients.drop_back()))
    sum = LLVM::FMAOp::create(emit.builder, emit.loc, sum, x, f32Constant(emit, coefficient));
  return sum;
}

/// erf(x) = ±(1 - 2^p(|x|)) from 0.75 on, x · q(x²) below, where 1 - 2^p would have no relative accuracy. Both are
/// computed, so that no thread waits for another: 16 instructions. p falls with |x|, so 2^p vanishes for infinity, and
/// NaN comes through p. Over all x the error is 2.91 ULP at most on an H200.
static Value emitErf(Emitter &emit, Value x) {
  OpBuilder &b = emit.builder;
  Location loc = emit.loc;
  Value size = LLVM::FAbsOp::create(b, loc, x);
  Value exponent = emitPolynomial(
      emit, size, {-1.3973984e-3f, -1.6210791f, -0.9314578f, -0.13676043f, 2.4335697e-2f, -2.0580962e-3f});
  Value outer = LLVM::FSubOp::create(b, loc, f32Constant(emit, 1), emitExp2(emit, exponent));
  outer = LLVM::CopySignOp::create(b, loc, outer, x);
  Value square = LLVM::FMulOp::create(b, loc, x, x);
  Value inner = emitPolynomial(emit, square, {1.1283791f, -0.3761193f, 0.11273735f, -2.6360242e-2f, 4.1588186e-3f});
  inner = LLVM::FMulOp::create(b, loc, x, inner);
  Value isInner = LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::olt, size, f32Constant(emit, 0.75f));
  return LLVM::SelectOp::create(b, loc, isInner, inner, outer);
}

/// x · Φ(x) = max(x, -0) - |x| · Φ(-|x|), with Φ(-t) = 2^p(t) and p(0) = -1: 11 instructions. The error is 2^-22.7 |x|
/// at most on an H200 over all x, and 2^-22.4 |x| if ex2.approx is no better than its 2 ULP. From 9 on, where p is
/// lowest, |x| counts as 9, so that an infinity is not multiplied by 0. NaN comes through the maximum.
static Value emitGelu(Emitter &emit, Value x) {
  OpBuilder &b = emit.builder;
  Location loc = emit.loc;
  Value size = LLVM::MinNumOp::create(b, loc, LLVM::FAbsOp::create(b, loc, x), f32Constant(emit, 9));
  Value exponent = emitPolynomial(
      emit, size,
      {-1, -1.1511089f, -0.45916432f, -5.2666605e-2f, 7.3631243e-3f, -4.069798e-4f, -5.769713e-5f, 8.858414e-6f});
  Value positive = LLVM::MaximumOp::create(b, loc, x, f32Constant(emit, -0.0f));
  return LLVM::FMAOp::create(b, loc, LLVM::FNegOp::create(b, loc, size), emitExp2(emit, exponent), positive);
}

/// 1 / (1 + 2^(-x · log2(e))): 4 instructions. The rounding of the exponent is an error of x of 2^-23 |x|. The power is
/// within 2^-22 of itself, the sum within 2^-24 and (PTX ISA, rcp.approx.ftz.f32: 1 ULP) its inverse within 2^-23:
/// together 2^-21 + 2^-23 |x| of the result. What would be subnormal, below -87.3, is 0.
static Value emitSigmoid(Emitter &emit, Value x) {
  OpBuilder &b = emit.builder;
  Location loc = emit.loc;
  Value power = emitExp2(emit, LLVM::FMulOp::create(b, loc, x, f32Constant(emit, -1.44269502f)));
  return instruction(emit, "rcp.approx.ftz.f32", Value(LLVM::FAddOp::create(b, loc, power, f32Constant(emit, 1))));
}

//===-- Patterns --------------------------------------------------------------------------------------------------===//

/// Before MLIR's own patterns, which know the names of a host's libm and LLVM's intrinsics.
static constexpr unsigned kBenefit = 2;

namespace {
/// An op on 16-bit floats: the operands widened, the op in f32, the result rounded.
template <typename Op> struct ThroughF32 : public ConvertOpToLLVMPattern<Op> {
  ThroughF32(const LLVMTypeConverter &types) : ConvertOpToLLVMPattern<Op>(types, kBenefit) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isHalf(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a 16-bit float");
    Type f32 = rewriter.getF32Type();
    SmallVector<Value> wide;
    for (Value operand : adaptor.getOperands())
      wide.push_back(arith::ExtFOp::create(rewriter, op.getLoc(), f32, operand));
    Value result = Op::create(rewriter, op.getLoc(), f32, wide);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), result);
    return success();
  }
};

/// A call of libdevice.
static Value callLibdevice(ConversionPatternRewriter &rewriter, Operation *op, StringRef name, ValueRange operands) {
  auto module = op->getParentOfType<ModuleOp>();
  Type type = op->getResult(0).getType();
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(module.getBody());
    function = LLVM::LLVMFuncOp::create(rewriter, module.getLoc(), name,
                                        LLVM::LLVMFunctionType::get(type, SmallVector<Type>(operands.size(), type)));
  }
  return LLVM::CallOp::create(rewriter, op->getLoc(), function, operands).getResult();
}

template <typename Op> struct LibdeviceCall : public ConvertOpToLLVMPattern<Op> {
  LibdeviceCall(const LLVMTypeConverter &types, StringRef f32, StringRef f64)
      : ConvertOpToLLVMPattern<Op>(types, kBenefit), f32(f32), f64(f64) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (isHalf(op.getType()))
      return rewriter.notifyMatchFailure(op, "a 16-bit float goes through f32");
    rewriter.replaceOp(op, callLibdevice(rewriter, op, op.getType().isF64() ? f64 : f32, adaptor.getOperands()));
    return success();
  }

  StringRef f32, f64;
};

/// How an f64 is computed where f32 has a sequence of instructions.
using WideForm = std::function<Value(ConversionPatternRewriter &, Operation *, Value)>;

static WideForm wideForm(StringRef libdevice) {
  return [libdevice](ConversionPatternRewriter &rewriter, Operation *op, Value x) {
    return callLibdevice(rewriter, op, libdevice, x);
  };
}

/// Of what libdevice has not: by other functions.
static WideForm wideForm(Value (*formula)(OpBuilder &, Location, Value)) {
  return [formula](ConversionPatternRewriter &rewriter, Operation *op, Value x) {
    return formula(rewriter, op->getLoc(), x);
  };
}

template <typename Op> struct Sequence : public ConvertOpToLLVMPattern<Op> {
  using Emit = Value (*)(Emitter &, Value);
  Sequence(const LLVMTypeConverter &types, Emit emit, WideForm f64)
      : ConvertOpToLLVMPattern<Op>(types, kBenefit), emit(emit), f64(std::move(f64)) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (isHalf(op.getType()))
      return rewriter.notifyMatchFailure(op, "a 16-bit float goes through f32");
    Emitter emitter(rewriter, op.getLoc());
    Value x = adaptor.getOperands()[0];
    rewriter.replaceOp(op, op.getType().isF64() ? f64(rewriter, op, x) : emit(emitter, x));
    return success();
  }

  Emit emit;
  WideForm f64;
};

static Value f64Constant(OpBuilder &b, Location loc, double value) {
  return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
}

/// As `emitGelu`, with 40 for 9.
static Value geluOfF64(OpBuilder &b, Location loc, Value x) {
  Value size = arith::MinNumFOp::create(b, loc, math::AbsFOp::create(b, loc, x), f64Constant(b, loc, 40));
  Value scaled = arith::MulFOp::create(b, loc, size, f64Constant(b, loc, 0.7071067811865476));
  Value half = arith::MulFOp::create(b, loc, size, f64Constant(b, loc, 0.5));
  Value below = arith::MulFOp::create(b, loc, half, math::ErfcOp::create(b, loc, scaled));
  return arith::SubFOp::create(b, loc, arith::MaximumFOp::create(b, loc, x, f64Constant(b, loc, -0.0)), below);
}

static Value sigmoidOfF64(OpBuilder &b, Location loc, Value x) {
  Value one = f64Constant(b, loc, 1);
  Value power = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, x));
  return arith::DivFOp::create(b, loc, one, arith::AddFOp::create(b, loc, one, power));
}

/// The fast form of a function: the instruction, with what the PTX ISA says of its error.
struct Approximate : public ConvertOpToLLVMPattern<ApproximateOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(ApproximateOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    rewriter.replaceOp(op, instruction(emit, mnemonic(op.getKind()), adaptor.getOperands()));
    return success();
  }

  static StringRef mnemonic(ApproximateKind kind) {
    switch (kind) {
    case ApproximateKind::Div:
      return "div.approx.ftz.f32";
    case ApproximateKind::Sqrt:
      return "sqrt.approx.ftz.f32";
    case ApproximateKind::Rsqrt:
      return "rsqrt.approx.ftz.f32";
    case ApproximateKind::Exp2:
      return "ex2.approx.ftz.f32";
    case ApproximateKind::Log2:
      return "lg2.approx.ftz.f32";
    case ApproximateKind::Sin:
      return "sin.approx.ftz.f32";
    case ApproximateKind::Cos:
      return "cos.approx.ftz.f32";
    case ApproximateKind::Tanh:
      return "tanh.approx.f32";
    }
    llvm_unreachable("all fast functions are handled");
  }
};
} // namespace

void tgpu::populateFunctionPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
#define TILE_LIBDEVICE(OP, F32, F64, ULP)                                                                              \
  patterns.add<LibdeviceCall<OP>>(types, F32, F64);                                                                    \
  patterns.add<ThroughF32<OP>>(types);
#define TILE_SEQUENCE(OP, EMIT, F64, ULP)                                                                              \
  patterns.add<Sequence<OP>>(types, EMIT, wideForm(F64));                                                              \
  patterns.add<ThroughF32<OP>>(types);
#define TILE_OWN(OP, EMIT, F64)                                                                                        \
  patterns.add<Sequence<OP>>(types, EMIT, wideForm(F64));                                                              \
  patterns.add<ThroughF32<OP>>(types);
#include "backend/TileGPUToLLVM/Functions.def"
  // Exactly rounded in f32, and so after rounding to 16 bits.
  patterns.add<ThroughF32<arith::DivFOp>, ThroughF32<math::CeilOp>, ThroughF32<math::FloorOp>,
               ThroughF32<math::RoundEvenOp>, ThroughF32<math::RoundOp>, ThroughF32<math::SqrtOp>,
               ThroughF32<math::TruncOp>>(types);
  patterns.add<Approximate>(types);
}
