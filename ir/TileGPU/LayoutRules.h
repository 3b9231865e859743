/// How the layouts of an op's operands and results depend on one another, for all passes. Every op has *one* layout, of
/// the tile that it walks: the result of an elementwise op, the operand of a reduction, the accessed tile of an access.
/// All others follow from it. What an op wants (coalescing, tensor cores) is decided elsewhere.
#ifndef IR_TILEGPU_LAYOUTRULES_H
#define IR_TILEGPU_LAYOUTRULES_H

#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/TileGPUOps.h"

#include <optional>

namespace tile::tgpu {

/// The layout that operand `index` must have when `op` has `layout`. None for a scalar, a view, and where any will do.
std::optional<Layout> operandLayout(mlir::Operation *op, unsigned index, const Layout &layout);

/// The layout of result tiles when `op` has `layout`.
Layout resultLayout(mlir::Operation *op, const Layout &layout);

/// The layout with which `op` costs nothing when operand `index` has `layout`. None where the operand does not decide.
std::optional<Layout> layoutFromOperand(mlir::Operation *op, unsigned index, const Layout &layout);

/// The layout that `op` must have for its results to have `layout`. None where no single one follows.
std::optional<Layout> layoutFromResult(mlir::Operation *op, const Layout &layout);

/// The layout that a product on the tensor cores must have; none for other products.
std::optional<Layout> mmaAccumulator(DotOp dot);

/// The layout of `op`, whose operands and results have theirs; null where it walks no tile.
LayoutAttr layoutOfOp(mlir::Operation *op);

/// Whether lanes and warps walk each dim on their own, as a reduction along `axis` needs.
bool canReduce(const Layout &layout, int axis);

} // namespace tile::tgpu

#endif
