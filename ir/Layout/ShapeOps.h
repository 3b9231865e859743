//===- ShapeOps.h - layouts under tensor shape operations -------*- C++ -*-===//
//
// For an operation that only renames coordinates, the layout of the result in which every thread keeps the registers
// it has, so that the operation costs nothing.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_IR_LAYOUT_SHAPEOPS_H
#define TILE_IR_LAYOUT_SHAPEOPS_H

#include "ir/Layout/Layout.h"

namespace tile {

/// Result dim i is dim `permutation[i]` of `layout`. Registers keep their numbers.
Layout permuteLayout(const Layout &layout, const std::vector<int> &permutation);

/// The tile with the row-major order of elements kept. Registers keep their numbers. None when the reshape moves an odd
/// factor past another digit ([4, 6] to [24]): the data must then go through shared memory.
std::optional<Layout> reshapeLayout(const Layout &layout, const Shape &shape);

/// The layout of a reduction's result: `dim` removed, and of the registers that then hold the same element only the
/// lowest kept. Lanes and warps along `dim` replicate.
Layout sliceLayout(const Layout &parent, int dim);
/// For each register of `parent` the register of `sliceLayout(parent, dim)` that holds its remaining coordinates.
std::vector<int64_t> sliceRegisters(const Layout &parent, int dim);

/// Inserts a dim of extent 1 before `dim`. Registers keep their numbers.
Layout expandDimsLayout(const Layout &layout, int dim);

/// `dim` of extent 1 becomes `extent`, each thread holding all of it: new bits above the register bits there were, and
/// the odd factor above the odd digits.
Layout broadcastLayout(const Layout &layout, int dim, int64_t extent);

/// `layout` seen through a broadcast: dims where `shape` has extent 1 lose their coordinates and replicate. Registers
/// keep their numbers, so `matchRegisters(operand, collapseLayout(result, operandShape))` lowers a broadcast.
Layout collapseLayout(const Layout &layout, const Shape &shape);

} // namespace tile

#endif // TILE_IR_LAYOUT_SHAPEOPS_H
