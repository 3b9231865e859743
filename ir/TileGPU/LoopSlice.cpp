#include "ir/TileGPU/LoopSlice.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tile::tgpu;

/// Ops back from a value that are looked at.
static constexpr int kMaxDepth = 64;

static LogicalResult collect(scf::ForOp loop, Value value, LoopSlice &slice, int depth) {
  if (value == loop.getInductionVar() || loop.isDefinedOutsideOfLoop(value))
    return success();
  Operation *op = value.getDefiningOp();
  if (slice.contains(op))
    return success();
  if (!op || depth == kMaxDepth || op->getBlock() != loop.getBody() || op->getNumRegions() != 0 || !isPure(op) ||
      llvm::any_of(op->getResultTypes(), [](Type type) { return isa<RankedTensorType>(type); }))
    return failure();
  for (Value operand : op->getOperands())
    if (failed(collect(loop, operand, slice, depth + 1)))
      return failure();
  slice.insert(op);
  return success();
}

LogicalResult tile::tgpu::collectSlice(scf::ForOp loop, Value value, LoopSlice &slice) {
  return collect(loop, value, slice, 0);
}

void tile::tgpu::cloneSlice(OpBuilder &builder, scf::ForOp loop, const LoopSlice &slice, Value variable,
                            IRMapping &mapping) {
  mapping.map(loop.getInductionVar(), variable);
  for (Operation *op : slice)
    builder.clone(*op, mapping);
}
