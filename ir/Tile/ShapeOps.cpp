/// Verifiers, folds and ranges of the ops that only move elements.
#include "ir/Tile/TileOps.h"

using namespace mlir;
using namespace tile;

/// Reports a result type that differs from `expected`.
static LogicalResult verifyResult(Operation *op, ArrayRef<int64_t> expected, Type element) {
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (result.getShape() == expected && result.getElementType() == element)
    return success();
  return op->emitOpError() << "result is " << result << "; expected " << RankedTensorType::get(expected, element);
}

/// A tile whose elements are all equal has the same elements in any shape.
static Attribute foldSplat(Attribute operand, Type result) {
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(operand))
    return splat.resizeSplat(cast<ShapedType>(result));
  return Attribute();
}

//===-- Iota ------------------------------------------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  int64_t extent = getType().getShape()[0];
  if (ShapedType::isDynamic(extent) || extent == 0)
    return emitOpError() << "result is " << getType() << "; expected a static extent of at least 1";
  auto integer = dyn_cast<IntegerType>(getType().getElementType());
  if (integer && integer.getWidth() < 64 && extent > (int64_t(1) << integer.getWidth()))
    return emitOpError() << "extent is " << extent << "; expected at most " << (int64_t(1) << integer.getWidth())
                         << " for " << integer;
  return success();
}

void IotaOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRange) {
  unsigned width = ConstantIntRanges::getStorageBitwidth(getType());
  setResultRange(getResult(), ConstantIntRanges::fromUnsigned(APInt::getZero(width),
                                                              APInt(width, getType().getShape()[0] - 1, false, true)));
}

//===-- Splat -----------------------------------------------------------------------------------------------------===//

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  Attribute value = adaptor.getValue();
  if (!isa_and_nonnull<IntegerAttr, FloatAttr>(value))
    return {};
  return SplatElementsAttr::get(cast<ShapedType>(getType()), value);
}

LogicalResult SplatOp::verify() { return verifyResult(*this, shapeOf(getType()), getValue().getType()); }

//===-- Reshape ---------------------------------------------------------------------------------------------------===//

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getValue().getType() == getType())
    return getValue();
  if (auto inner = getValue().getDefiningOp<ReshapeOp>()) {
    setOperand(inner.getValue());
    return getResult();
  }
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getValue()))
    return elements.reshape(cast<ShapedType>(getType()));
  return {};
}

LogicalResult ReshapeOp::verify() {
  auto from = cast<RankedTensorType>(getValue().getType()), to = cast<RankedTensorType>(getType());
  if (from.getNumElements() != to.getNumElements())
    return emitOpError() << "result has " << to.getNumElements() << " elements; expected " << from.getNumElements();
  return verifyResult(*this, to.getShape(), from.getElementType());
}

//===-- Permute ---------------------------------------------------------------------------------------------------===//

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int32_t> order = getOrder();
  if (llvm::equal(order, llvm::seq<int32_t>(0, order.size())))
    return getValue();
  if (auto inner = getValue().getDefiningOp<PermuteOp>()) {
    SmallVector<int32_t> both;
    for (int32_t dim : order)
      both.push_back(inner.getOrder()[dim]);
    setOperand(inner.getValue());
    setOrder(both);
    return getResult();
  }
  return foldSplat(adaptor.getValue(), getType());
}

LogicalResult PermuteOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getValue().getType());
  SmallVector<int32_t> sorted(getOrder());
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int32_t>(0, from.size())))
    return emitOpError() << "order is [" << getOrder() << "]; expected each of the " << from.size() << " dims once";
  SmallVector<int64_t> expected;
  for (int32_t dim : getOrder())
    expected.push_back(from[dim]);
  return verifyResult(*this, expected, elementOf(getValue().getType()));
}

//===-- ExpandDims ------------------------------------------------------------------------------------------------===//

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) { return foldSplat(adaptor.getValue(), getType()); }

LogicalResult ExpandDimsOp::verify() {
  SmallVector<int64_t> expected(shapeOf(getValue().getType()));
  if (getAxis() > expected.size())
    return emitOpError() << "axis " << getAxis() << " is out of range for rank " << expected.size();
  expected.insert(expected.begin() + getAxis(), 1);
  return verifyResult(*this, expected, elementOf(getValue().getType()));
}

//===-- Broadcast -------------------------------------------------------------------------------------------------===//

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getValue().getType() == getType())
    return getValue();
  if (auto inner = getValue().getDefiningOp<BroadcastOp>()) {
    setOperand(inner.getValue());
    return getResult();
  }
  return foldSplat(adaptor.getValue(), getType());
}

LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getValue().getType()), to = shapeOf(getType());
  if (from.size() != to.size())
    return emitOpError() << "result has rank " << to.size() << "; expected " << from.size();
  for (auto [dim, extents] : llvm::enumerate(llvm::zip_equal(from, to)))
    if (auto [f, t] = extents; f != t && f != 1)
      return emitOpError() << "extent of dim " << dim << " grows from " << f << " to " << t
                           << "; expected it to be 1 or to stay";
  return verifyResult(*this, to, elementOf(getValue().getType()));
}

//===-- Ranges ----------------------------------------------------------------------------------------------------===//

void SplatOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) { set(getResult(), ranges[0]); }
void ReshapeOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  set(getResult(), ranges[0]);
}
void PermuteOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  set(getResult(), ranges[0]);
}
void ExpandDimsOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  set(getResult(), ranges[0]);
}
void BroadcastOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  set(getResult(), ranges[0]);
}
