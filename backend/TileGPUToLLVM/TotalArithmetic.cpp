/// Integer ops that are defined for every operand. LLVM's are not, so the operand that would be undefined is replaced
/// first and the result selected after.
#include "backend/TileGPUToLLVM/ScalarOps.h"

#include "ir/Tile/TileOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

static Value constant(OpBuilder &b, Location loc, Type type, const APInt &value) {
  return LLVM::ConstantOp::create(b, loc, type, IntegerAttr::get(type, value));
}

namespace {
/// a / b and a % b: 0 and a for b = 0; for the one overflow, the least number by -1, what division by 1 gives.
template <typename Op, typename SignedOp, typename UnsignedOp>
struct LowerDivision : public ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value lhs = adaptor.getLhs(), rhs = adaptor.getRhs();
    Type type = lhs.getType();
    unsigned width = type.getIntOrFloatBitWidth();
    Value zero = constant(b, loc, type, APInt::getZero(width)), one = constant(b, loc, type, APInt(width, 1));
    Value isZero = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, rhs, zero);
    Value isSpecial = isZero;
    bool isSigned = op.getSign() == Signedness::Signed;
    if (isSigned) {
      Value isLeast = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, lhs,
                                           constant(b, loc, type, APInt::getSignedMinValue(width)));
      Value isMinusOne =
          LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, rhs, constant(b, loc, type, APInt::getAllOnes(width)));
      isSpecial = LLVM::OrOp::create(b, loc, isZero, LLVM::AndOp::create(b, loc, isLeast, isMinusOne));
    }
    Value divisor = LLVM::SelectOp::create(b, loc, isSpecial, one, rhs);
    Value result = isSigned ? SignedOp::create(b, loc, lhs, divisor).getResult()
                            : UnsignedOp::create(b, loc, lhs, divisor).getResult();
    b.replaceOpWithNewOp<LLVM::SelectOp>(op, isZero, std::is_same_v<Op, DivIOp> ? zero : lhs, result);
    return success();
  }
};

/// A count of the width or more gives 0 or the sign. The count is clamped as well as tested: NVPTX takes a test of the
/// count itself for the clamp of PTX's `shl`, whose count has 32 bits only, and drops the test.
struct LowerShift : public ConvertOpToLLVMPattern<ShiftOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(ShiftOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value value = adaptor.getValue(), count = adaptor.getCount();
    Type type = value.getType();
    unsigned width = type.getIntOrFloatBitWidth();
    Value last = constant(b, loc, type, APInt(width, width - 1));
    Value clamped = LLVM::UMinOp::create(b, loc, count, last);
    if (op.getKind() == ShiftKind::RightSigned) {
      b.replaceOpWithNewOp<LLVM::AShrOp>(op, value, clamped);
      return success();
    }
    Value isShort = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ule, count, last);
    Value shifted = op.getKind() == ShiftKind::Left ? LLVM::ShlOp::create(b, loc, value, clamped).getResult()
                                                    : LLVM::LShrOp::create(b, loc, value, clamped).getResult();
    b.replaceOpWithNewOp<LLVM::SelectOp>(op, isShort, shifted, constant(b, loc, type, APInt::getZero(width)));
    return success();
  }
};

struct LowerCast : public ConvertOpToLLVMPattern<CastOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(CastOp op, OpAdaptor adaptor, ConversionPatternRewriter &b) const override {
    if (op.getKind() != CastKind::Signed && op.getKind() != CastKind::Unsigned)
      return b.notifyMatchFailure(op, "not to an integer");
    Value value = adaptor.getValue();
    // Exact, and f32 is what the hardware converts.
    if (value.getType().getIntOrFloatBitWidth() < 32)
      value = LLVM::FPExtOp::create(b, op.getLoc(), b.getF32Type(), value);
    Type type = getTypeConverter()->convertType(op.getType());
    std::string name;
    llvm::raw_string_ostream(name) << "llvm.fpto" << (op.getKind() == CastKind::Signed ? "si" : "ui") << ".sat.i"
                                   << type.getIntOrFloatBitWidth() << ".f" << value.getType().getIntOrFloatBitWidth();
    b.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(op, type, b.getStringAttr(name), value);
    return success();
  }
};
} // namespace

void tgpu::populateTotalArithmeticPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerCast, LowerDivision<DivIOp, LLVM::SDivOp, LLVM::UDivOp>,
               LowerDivision<RemIOp, LLVM::SRemOp, LLVM::URemOp>, LowerShift>(types);
}
