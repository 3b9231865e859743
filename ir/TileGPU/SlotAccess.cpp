#include "ir/TileGPU/SlotAccess.h"

#include "ir/TileGPU/ProductShare.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

/// What cp.async moves at least (PTX ISA, cp.async); the most is that of any access.
static constexpr int64_t kLeastCopyBytes = 4;

std::optional<Layout> tgpu::factorLayout(ArrayRef<int64_t> shape, Type element, unsigned contiguous) {
  Shape physical = physicalShape(Shape(shape.begin(), shape.end()));
  int elementBits = static_cast<int>(element.getIntOrFloatBitWidth());
  MatrixOrder order = contiguous + 1 == shape.size() ? MatrixOrder::RowMajor : MatrixOrder::Transposed;
  int swizzle = widestSwizzle(physical, elementBits, order);
  if (swizzle == 0)
    return std::nullopt;
  return nvmmaSharedLayout(physical, elementBits, swizzle, order);
}

std::string tgpu::whyNoAsyncCopy(ViewAccess access, AccessAttr plan, const Layout &layout, const Layout &shared) {
  ViewType view = access.getView().getType();
  int64_t bytes = plan.getVector() * elementBytes(view.getElementType());
  if (bytes < kLeastCopyBytes)
    return "addresses allow " + std::to_string(bytes) + " bytes at a time, not " + std::to_string(kLeastCopyBytes);
  // What copies names the bytes of a vector as a whole, and those past the end are nobody's.
  if (!plan.getWhole())
    return "its tensor may end within " + std::to_string(bytes) + " bytes that are copied at a time";
  SharedAccess to = planSharedAccess(layout, shared, static_cast<int>(plan.getVector()));
  if (to.vector != plan.getVector())
    return "neighbours in global memory are no neighbours in shared memory";
  for (const std::vector<int64_t> &registers : to.registers)
    for (auto [i, reg] : llvm::enumerate(registers))
      if (reg != registers.front() + static_cast<int64_t>(i))
        return "neighbours in global memory are no neighbours in shared memory";
  return "";
}

MmaOperand tgpu::planSlotOperand(SlotType slot, DotOperand which, ArrayRef<int64_t> warps) {
  const Layout &shared = slot.getLayout().getLayout();
  int elementBits = static_cast<int>(slot.getElementType().getIntOrFloatBitWidth());
  MmaOperand operand;
  operand.fragment = mmaOperandLayout(which, shared.shape(), warpCounts(warps), elementBits);
  operand.shared = shared;
  operand.bytes = shared.numElements() * elementBits / 8;
  for (MatrixOrder order : {MatrixOrder::RowMajor, MatrixOrder::Transposed})
    if ((operand.matrix = planMatrixAccess(operand.fragment, shared, elementBits, order)))
      return operand;
  operand.load = planSharedAccess(operand.fragment, shared, kMaxVectorBits / elementBits);
  return operand;
}
