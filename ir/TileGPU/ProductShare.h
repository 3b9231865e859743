/// How the warps of a block share a product on the tensor cores, and the layouts that follow from it.
#ifndef IR_TILEGPU_PRODUCTSHARE_H
#define IR_TILEGPU_PRODUCTSHARE_H

#include "ir/Layout/Constructors.h"
#include "ir/Tile/TileOps.h"

namespace tile::tgpu {

struct ProductShare {
  std::vector<int> warps; ///< along M and N
  /// Four warps along M have 64 rows together, as wgmma wants it; mma.sync takes the same fragments.
  bool inWarpgroups = false;

  Layout accumulator(llvm::ArrayRef<int64_t> shape) const;
  /// What mma.sync takes of a factor of `shape`; of A, wgmma takes the same.
  Layout operand(DotOperand which, llvm::ArrayRef<int64_t> shape, mlir::Type element) const;
};

/// Of a product on the tensor cores; none for others.
std::optional<ProductShare> shareOf(DotOp dot);

/// Whether warpgroups can share a product of M by N so that each has whole instructions of its own.
bool canShareInWarpgroups(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> warps);

/// Warps along M and N as an op has them.
std::vector<int> warpCounts(llvm::ArrayRef<int64_t> warps);

} // namespace tile::tgpu

#endif
