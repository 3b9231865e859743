#include "ir/TileGPU/Scratch.h"

#include "ir/Layout/Conversion.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

/// Arrays begin where any vector access may begin.
static constexpr int64_t kArrayAlignment = 16;

static int64_t bytesInShared(Type element) {
  return isa<PtrType, IndexType>(element) ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

ReduceExchange tgpu::planReduceExchange(ReduceOp reduce) {
  ReduceExchange plan;
  Type operand = reduce.getOperands()[0].getType();
  const Layout &layout = layoutOf(operand).getLayout();
  int axis = reduce.getAxis();
  for (uint64_t basis : layout.bits(HwDim::Warp))
    if (layout.unpack(axis, basis))
      plan.warps *= 2;
  for (OddDigit digit : layout.odd(HwDim::Warp))
    if (digit.dim == axis)
      plan.warps *= digit.radix;
  plan.positions = layout.numElements() / layout.extent(axis);
  if (plan.warps == 1)
    return plan;
  for (Value value : reduce.getOperands()) {
    plan.offsets.push_back(plan.bytes);
    plan.bytes +=
        llvm::alignTo(plan.warps * plan.positions * bytesInShared(elementOf(value.getType())), kArrayAlignment);
  }
  return plan;
}

int64_t tgpu::scratchBytes(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return planReduceExchange(reduce).bytes;
  if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
    ConversionPlan plan =
        planConversion(layoutOf(convert.getValue().getType()).getLayout(), layoutOf(convert.getType()).getLayout(),
                       8 * bytesInShared(elementOf(convert.getType())));
    return plan.kind == ConversionKind::SharedMemory ? plan.exchange.bytes : 0;
  }
  return 0;
}
