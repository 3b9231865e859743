/// How threads reach the slots of buffers: what an asynchronous copy can move, how a product reads its factors, and in
/// which layout a tile lies so that both are possible without bank conflicts.
#ifndef IR_TILEGPU_SLOTACCESS_H
#define IR_TILEGPU_SLOTACCESS_H

#include "ir/Layout/Constructors.h"
#include "ir/TileGPU/DotOperands.h"
#include "ir/TileGPU/TileGPUOps.h"

namespace tile::tgpu {

/// The layout of a slot for a factor of a product of `shape`, which is contiguous along `contiguous` in global memory:
/// that of the matrix instructions, with the widest swizzle. None where that dim is too small for one.
std::optional<Layout> factorLayout(llvm::ArrayRef<int64_t> shape, mlir::Type element, unsigned contiguous);

/// Why cp.async cannot move what `access` touches, issued as `plan` says by threads that hold it as `layout`, into a
/// slot of layout `shared`; empty if it can.
std::string whyNoAsyncCopy(ViewAccess access, AccessAttr plan, const Layout &layout, const Layout &shared);

/// How mma.sync reads the factor `which` of a product shared by `warps` from `slot`.
MmaOperand planSlotOperand(SlotType slot, DotOperand which, llvm::ArrayRef<int64_t> warps);

} // namespace tile::tgpu

#endif
