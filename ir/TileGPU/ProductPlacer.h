/// How a product on the tensor cores leaves `tile.dot`: its factors get places, slots or registers, and the product
/// becomes `tgpu.mma`, or of warpgroups `tgpu.mma_async`.
#ifndef IR_TILEGPU_PRODUCTPLACER_H
#define IR_TILEGPU_PRODUCTPLACER_H

#include "ir/TileGPU/DotOperands.h"
#include "ir/TileGPU/ProductShare.h"
#include "ir/TileGPU/TileGPUOps.h"

#include "mlir/IR/PatternMatch.h"

namespace tile::tgpu {

/// Both factors, with what the product takes them as.
llvm::SmallVector<std::pair<mlir::Value, DotOperand>, 2> factorsOf(DotOp dot);

/// `tile` in shared memory.
SlotType slotTypeOf(mlir::Type tile, const Layout &shared);
BufferType bufferTypeOf(mlir::Type tile, const Layout &shared, int64_t stages);

/// The layout in which a factor that lies in registers passes through a slot; none where the product takes it from
/// registers after no more than shuffles. One that stays for many products is stored for warpgroups all the same: its
/// registers would be taken from all that runs beside them.
std::optional<Layout> storedLayout(DotOp dot, mlir::Value factor, DotOperand which, bool stays);

/// Why the product cannot read a factor, as `which`, from a slot of layout `shared`; empty if it can.
std::string whyNotFromSlot(DotOp dot, DotOperand which, mlir::Type tile, const Layout &shared);

/// Stores `tile` to slot `n` of a buffer; gives the slot.
mlir::Value storeTo(mlir::OpBuilder &builder, mlir::Value tile, mlir::Value buffer, mlir::Value n);

/// The slots of factors that a loop does not change: what was stored before one is read by those after it, too. Stored
/// again it would stay in registers all through the first.
class StoredFactors {
public:
  /// `slot` is what `storeTo` gave.
  void add(mlir::Value slot);
  /// A slot that holds `factor` in the layout `shared` and dominates `reader`, or null.
  mlir::Value find(mlir::Value factor, const Layout &shared, mlir::Operation *reader) const;
  /// Bytes of the slots whose factors products are still to read, but none of `loop`: they live all through it.
  int64_t bytesKept(mlir::Operation *loop) const;

private:
  llvm::SmallVector<StoreSharedOp> stores; ///< which know the factor, whatever values took the place of others since
};

/// The factor in registers, as the product takes it.
mlir::Value toFragment(mlir::OpBuilder &builder, DotOp dot, mlir::Value factor, DotOperand which);

/// The product of factors that have their places. Of warpgroups it is only begun, and has a token, unless it `waits`.
mlir::Operation *multiply(mlir::OpBuilder &builder, DotOp dot, mlir::Value lhs, mlir::Value rhs, bool waits);

} // namespace tile::tgpu

#endif
