#include "ir/Tile/TileOps.h"

using namespace mlir;
using namespace tile;

Operation *ReduceOp::getSoleCombiner() {
  Block &body = getCombiner().front();
  if (getNumOperands() != 1 || !llvm::hasNItems(body, 2))
    return nullptr;
  Operation *op = &body.front();
  bool isCombiner = op->getNumOperands() == 2 && op->getNumResults() == 1 &&
                    llvm::equal(op->getOperands(), body.getArguments()) &&
                    body.getTerminator()->getOperand(0) == op->getResult(0);
  return isCombiner ? op : nullptr;
}

LogicalResult ReduceOp::verify() {
  if (getNumOperands() == 0)
    return emitOpError() << "has no operands; expected at least one";
  ArrayRef<int64_t> shape = shapeOf(getOperands()[0].getType());
  if (getAxis() >= shape.size())
    return emitOpError() << "axis " << getAxis() << " is out of range for rank " << shape.size();
  SmallVector<int64_t> reduced(shape);
  reduced.erase(reduced.begin() + getAxis());
  if (getNumResults() != getNumOperands())
    return emitOpError() << "has " << getNumResults() << " results; expected one per operand, " << getNumOperands();
  for (auto [operand, result] : llvm::zip_equal(getOperands(), getResults())) {
    if (shapeOf(operand.getType()) != shape)
      return emitOpError() << "operands are " << getOperands()[0].getType() << " and " << operand.getType()
                           << "; expected one shape";
    Type element = elementOf(operand.getType());
    if (isFloat8(element))
      return emitOpError() << "reduces " << element << "; expected f32, to which it widens";
    if (shapeOf(result.getType()) != ArrayRef(reduced) || elementOf(result.getType()) != element)
      return emitOpError() << "result is " << result.getType() << "; expected " << tileOf(reduced, element);
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  SmallVector<Type> elements;
  for (Value operand : getOperands())
    elements.push_back(elementOf(operand.getType()));
  SmallVector<Type> expected(elements);
  expected.append(elements);
  Block &body = getCombiner().front();
  if (body.getArgumentTypes() != TypeRange(expected))
    return emitOpError() << "combiner takes (" << body.getArgumentTypes() << "); expected (" << expected << ")";
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield)
    return emitOpError() << "combiner ends with '" << body.getTerminator()->getName() << "'; expected 'tile.yield'";
  // A reduction counts as pure, so that one nobody needs goes; what its combiner did would go with it.
  Operation *impure = nullptr;
  body.walk([&](Operation *op) {
    if (!isMemoryEffectFree(op) && !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      impure = op;
  });
  if (impure)
    return emitOpError() << "combiner holds '" << impure->getName()
                         << "'; expected ops that neither touch memory nor assert";
  if (yield.getOperandTypes() != TypeRange(elements))
    return emitOpError() << "combiner yields (" << yield.getOperandTypes() << "); expected (" << elements << ")";
  return success();
}
