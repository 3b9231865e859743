#include "ir/Tile/TileOps.h"

using namespace mlir;
using namespace tile;

LogicalResult DotOp::verify() {
  ArrayRef<int64_t> lhs = shapeOf(getLhs().getType()), rhs = shapeOf(getRhs().getType());
  if (lhs.size() != 2 || rhs.size() != 2)
    return emitOpError() << "operands have ranks " << lhs.size() << " and " << rhs.size() << "; expected 2 and 2";
  if (lhs[1] != rhs[0])
    return emitOpError() << "inner dimensions are " << lhs[1] << " and " << rhs[0] << "; expected them equal";
  Type element = elementOf(getLhs().getType()), other = elementOf(getRhs().getType());
  if (!areFactors(element, other))
    return emitOpError() << "operands are of " << element << " and " << other
                         << "; expected them equal, or both 8-bit floats";
  Type accumulator = dotAccumulator(element);
  if (!accumulator)
    return emitOpError() << "operands are of " << element << "; expected f8E4M3FN, f8E5M2, f16, bf16, f32, f64 or i8";
  auto expected = RankedTensorType::get({lhs[0], rhs[1]}, accumulator);
  auto result = cast<RankedTensorType>(getType());
  if (result.getShape() != expected.getShape() || result.getElementType() != accumulator)
    return emitOpError() << "result is " << getType() << "; expected " << expected;
  if (getPrecision() == Precision::Tf32 && !element.isF32())
    return emitOpError() << "precision is tf32 for operands of " << element << "; expected f32";
  return success();
}
