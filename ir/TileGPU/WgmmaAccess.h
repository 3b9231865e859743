/// How the products of warpgroups, wgmma, read their factors.
#ifndef IR_TILEGPU_WGMMAACCESS_H
#define IR_TILEGPU_WGMMAACCESS_H

#include "ir/Layout/WgmmaDescriptor.h"
#include "ir/TileGPU/MmaKind.h"
#include "ir/TileGPU/ProductShare.h"
#include "ir/TileGPU/TileGPUOps.h"

namespace tile::tgpu {

/// The instructions of one product.
struct WgmmaPlan {
  const MmaKind *kind = nullptr;
  std::optional<DescriptorPlan> lhs; ///< none: from registers
  DescriptorPlan rhs;                ///< its `rows` are the columns that one instruction makes
};

/// `lhs` is a slot or a tile in registers. None where wgmma cannot read the factors from there.
std::optional<WgmmaPlan> planWgmma(mlir::Type lhs, SlotType rhs, Precision precision, const std::vector<int> &warps);

/// How wgmma reads a factor from `slot`, whatever the other one is.
std::optional<DescriptorPlan> planWgmmaFactor(const MmaKind &kind, SlotType slot, DotOperand which,
                                              const std::vector<int> &warps);

} // namespace tile::tgpu

#endif
