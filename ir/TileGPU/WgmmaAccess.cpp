#include "ir/TileGPU/WgmmaAccess.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

std::optional<DescriptorPlan> tgpu::planWgmmaFactor(const MmaKind &kind, SlotType slot, DotOperand which,
                                                    const std::vector<int> &warps) {
  const Layout &shared = slot.getLayout().getLayout();
  int elementBits = static_cast<int>(kind.bits);
  if (which == DotOperand::A)
    return planDescriptor(which, shared, warps, elementBits, MmaKind::kWarpgroupRows);
  int64_t columns = shared.shape()[1] / warps[1];
  for (int64_t width = std::min(columns, MmaKind::kMostColumns); width > 0; width -= MmaKind::kColumns)
    if (columns % width == 0 && kind.takesColumns(width))
      if (std::optional<DescriptorPlan> plan = planDescriptor(which, shared, warps, elementBits, width))
        return plan;
  return std::nullopt;
}

std::optional<WgmmaPlan> tgpu::planWgmma(Type lhs, SlotType rhs, Precision precision, const std::vector<int> &warps) {
  WgmmaPlan plan;
  plan.kind = findMmaKind(rhs.getElementType(), precision);
  if (!plan.kind || !plan.kind->isAsync)
    return std::nullopt;
  std::optional<DescriptorPlan> right = planWgmmaFactor(*plan.kind, rhs, DotOperand::B, warps);
  if (!right)
    return std::nullopt;
  plan.rhs = std::move(*right);
  if (auto slot = dyn_cast<SlotType>(lhs))
    if (!(plan.lhs = planWgmmaFactor(*plan.kind, slot, DotOperand::A, warps)))
      return std::nullopt;
  return plan;
}
