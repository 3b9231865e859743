//===- WgmmaDescriptor.h - how wgmma reads a tile in shared memory *- C++ -*-===//
//
// `wgmma` reads a factor by a descriptor: a start, two strides and a swizzle (PTX ISA, "Asynchronous Warpgroup Level
// Matrix Shared Memory Layout"). Memory is made of atoms of 8 rows of one swizzle's width, 32, 64 or 128 bytes, whose
// 16-byte chunks the swizzle exchanges:
// - K-major: atoms of 8 rows of M or N follow each other by the stride, and an instruction's 32 bytes of K are in one;
// - MN-major (16-bit elements): rows of an atom count K, atoms along K follow by the stride, along M or N by the
//   leading stride.
// The start is that of the instruction's first chunk before swizzling.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_IR_LAYOUT_WGMMADESCRIPTOR_H
#define TILE_IR_LAYOUT_WGMMADESCRIPTOR_H

#include "ir/Layout/Constructors.h"
#include "ir/Layout/SharedLayout.h"

namespace tile {

/// How the instructions of a product read one of its factors. Everything counts bytes.
struct DescriptorPlan {
  int swizzle = 0;
  MatrixOrder order = MatrixOrder::RowMajor; // Transposed: MN-major
  int64_t leading = 0, stride = 0;
  int64_t rows = 0;                   // of M or N that one instruction takes
  std::vector<int64_t> blocks;        // the first rows of M or N of a warpgroup's instructions, ascending
  std::vector<int64_t> steps;         // their first places along K
  std::vector<int64_t> starts;        // where they begin in the tile: of block i and step j at i * steps + j
  std::vector<CoordTerm> threadTerms; // what a warpgroup adds to that, in elements
};

/// Whether instructions that take `rows` of M or N of `factor` can read it from a tile of layout `shared`, and how. The
/// warps share the product as `warps` says (see `wgmmaAccumulatorLayout`).
std::optional<DescriptorPlan> planDescriptor(DotOperand factor, const Layout &shared, const std::vector<int> &warps,
                                             int elementBits, int64_t rows);

} // namespace tile

#endif // TILE_IR_LAYOUT_WGMMADESCRIPTOR_H
