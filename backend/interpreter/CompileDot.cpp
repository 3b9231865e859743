/// Matrix products.
#include "backend/interpreter/Compiler.h"

using namespace mlir;
using namespace tile;
using namespace tile::interpreter;

std::optional<LogicalResult> tile::interpreter::compileDot(Compiler &compiler, Operation *op) {
  auto dot = dyn_cast<DotOp>(op);
  if (!dot)
    return std::nullopt;
  Array lhs = compiler.at(dot.getLhs()), rhs = compiler.at(dot.getRhs()), acc = compiler.at(dot.getAcc());
  ArrayRef<int64_t> lhsShape = shapeOf(dot.getLhs().getType());
  int64_t m = lhsShape[0], k = lhsShape[1], n = shapeOf(dot.getRhs().getType())[1];
  DotKind kind = dot.getPrecision() == Precision::Tf32         ? DotKind::Tf32
                 : isFloat8(elementOf(dot.getLhs().getType())) ? DotKind::Float8
                 : dot.getSign() == Signedness::Unsigned       ? DotKind::Unsigned
                                                               : DotKind::Signed;
  DotLoop loop = findDotLoop(kind, lhs.element, rhs.element);
  if (!loop)
    return compiler.fail(op, "'tile.dot' works on types that the interpreter does not know for it");
  // A sum that nobody reads afterwards is added to where it is, as a loop over k does.
  Array result = acc;
  if (compiler.slots.diesAt(dot.getAcc(), op))
    compiler.defineAlias(dot, dot.getAcc());
  else
    result = compiler.define(dot);
  const FloatFormat *format = compiler.formatFor(dot.getType());
  int64_t scratch = compiler.scratch(dotScratchBytes(m, n, k));
  compiler.emit([=](Frame &frame) {
    if (result.offset != acc.offset)
      memcpy(frame.at(result.offset), frame.at(acc.offset), acc.bytes());
    loop(frame.at(result.offset), frame.at(lhs.offset), frame.at(rhs.offset), m, n, k, frame.at(scratch), format);
  });
  return success();
}
