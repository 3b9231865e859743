/// Folds of the total integer ops and the verifier of the approximate ones. A fold here and the interpreter and the GPU
/// lowering must give the same bits, so approximate functions never fold.
#include "ir/Tile/TileOps.h"

#include "mlir/Dialect/CommonFolders.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tile;

static APInt divide(Signedness sign, const APInt &a, const APInt &b) {
  if (b.isZero())
    return APInt::getZero(a.getBitWidth());
  return sign == Signedness::Signed ? a.sdiv(b) : a.udiv(b); // sdiv wraps on overflow
}

static APInt remainder(Signedness sign, const APInt &a, const APInt &b) {
  if (b.isZero())
    return a;
  return sign == Signedness::Signed ? a.srem(b) : a.urem(b);
}

static APInt shift(ShiftKind kind, const APInt &value, const APInt &count) {
  unsigned width = value.getBitWidth();
  bool past = count.uge(width);
  switch (kind) {
  case ShiftKind::Left:
    return past ? APInt::getZero(width) : value.shl(count);
  case ShiftKind::RightUnsigned:
    return past ? APInt::getZero(width) : value.lshr(count);
  case ShiftKind::RightSigned:
    return past ? value.ashr(width - 1) : value.ashr(count);
  }
  llvm_unreachable("all kinds of shift are handled");
}

OpFoldResult DivIOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(getRhs(), m_One()))
    return getLhs();
  return constFoldBinaryOp<IntegerAttr>(adaptor.getOperands(),
                                        [&](const APInt &a, const APInt &b) { return divide(getSign(), a, b); });
}

OpFoldResult RemIOp::fold(FoldAdaptor adaptor) {
  return constFoldBinaryOp<IntegerAttr>(adaptor.getOperands(),
                                        [&](const APInt &a, const APInt &b) { return remainder(getSign(), a, b); });
}

OpFoldResult ShiftOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(getCount(), m_Zero()))
    return getValue();
  return constFoldBinaryOp<IntegerAttr>(adaptor.getOperands(),
                                        [&](const APInt &a, const APInt &b) { return shift(getKind(), a, b); });
}

LogicalResult CastOp::verify() {
  Type from = elementOf(getValue().getType()), to = elementOf(getType());
  bool toInteger = getKind() == CastKind::Signed || getKind() == CastKind::Unsigned;
  bool isFitting = toInteger                         ? to.isSignlessIntOrIndex()
                   : getKind() == CastKind::Infinite ? isa<Float8E5M2Type>(to)
                                                     : isFloat8(to);
  if (!isFitting)
    return emitOpError() << "result is of " << to << "; expected "
                         << (toInteger                         ? "an integer"
                             : getKind() == CastKind::Infinite ? "f8E5M2, which has infinities"
                                                               : "f8E4M3FN or f8E5M2");
  if (!toInteger && !from.isF32() && !from.isF64())
    return emitOpError() << "operand is of " << from << "; expected f32 or f64, to which others widen";
  return success();
}

LogicalResult ApproximateOp::verify() {
  unsigned expected = getKind() == ApproximateKind::Div ? 2 : 1;
  if (getOperands().size() != expected)
    return emitOpError() << "has " << getOperands().size() << " operands; expected " << expected << " for `"
                         << stringifyApproximateKind(getKind()) << "`";
  if (!elementOf(getType()).isF32())
    return emitOpError() << "is of " << elementOf(getType()) << "; expected f32";
  return success();
}
