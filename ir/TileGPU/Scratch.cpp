#include "ir/TileGPU/Scratch.h"

#include "ir/Layout/ShapeOps.h"
#include "ir/TileGPU/DotOperands.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

/// Arrays begin where any vector access may begin.
static constexpr int64_t kArrayAlignment = 16;

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
        llvm::alignTo(plan.warps * plan.positions * elementBytes(elementOf(value.getType())), kArrayAlignment);
  }
  return plan;
}

ConversionPlan tgpu::planConversionOf(ConvertLayoutOp convert) {
  return planConversion(layoutOf(convert.getValue().getType()).getLayout(), layoutOf(convert.getType()).getLayout(),
                        8 * elementBytes(elementOf(convert.getType())));
}

SharedExchange tgpu::planSlicedStore(StoreOp store) {
  // More slices than that do not begin to store any sooner, and each costs a round trip through shared memory.
  constexpr int64_t kSlices = 8;
  Type type = store.getValue().getType();
  const Layout &held = layoutOf(type).getLayout();
  const Layout &stored = throughOf(store).getLayout();
  int64_t bytes = elementBytes(elementOf(type)), sliceBytes = held.numElements() * bytes / kSlices;
  int64_t vector = store->getAttrOfType<AccessAttr>(TileGPUDialect::kAccess).getVector();
  if (store->hasAttr(TileGPUDialect::kStoresMatrices))
    return planMatrixExchange(held, stored, sliceBytes, vector);
  return planSharedExchange(held, stored, 8 * bytes, sliceBytes, vector);
}

std::optional<std::vector<int64_t>> tgpu::reshapedRegisters(ReshapeOp reshape) {
  const Layout &result = layoutOf(reshape.getType()).getLayout();
  std::optional<Layout> kept = reshapeLayout(layoutOf(reshape.getValue().getType()).getLayout(), result.shape());
  return kept ? matchRegisters(*kept, result) : std::nullopt;
}

bool tgpu::sharesResult(Operation *atomic) {
  if (atomic->use_empty())
    return false;
  LayoutAttr layout = layoutOf(atomic->getResult(0).getType());
  return !layout || !layout.getLayout().freeDigits(HwDim::Lane).empty() ||
         !layout.getLayout().freeDigits(HwDim::Warp).empty();
}

int64_t tgpu::scratchBytes(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](ReduceOp reduce) { return planReduceExchange(reduce).bytes; })
      .Case([](ConvertLayoutOp convert) { return planConversionOf(convert).exchange.bytes; })
      .Case([](StoreOp store) -> int64_t {
        if (!throughOf(store))
          return 0;
        SharedExchange exchange = planSlicedStore(store);
        return exchange.bytes * exchange.numRounds;
      })
      .Case([](ReshapeOp reshape) { return reshapedRegisters(reshape) ? 0 : rowMajorBytes(reshape.getType()); })
      .Case<AtomicOp, AtomicPtrOp>(
          [](auto atomic) { return sharesResult(atomic) ? rowMajorBytes(atomic.getType()) : 0; })
      .Case([](DotOp dot) { return planDotOperands(dot).bytes; })
      .Default([](Operation *) { return 0; });
}

bool tgpu::waitsForBlock(Operation *op) {
  auto store = dyn_cast<StoreOp>(op);
  return !store || !throughOf(store);
}
