//===- MatrixAccess.h - ldmatrix and stmatrix by algebra --------*- C++ -*-===//
//
// `ldmatrix` moves 8x8 matrices of 16-bit elements, four-byte words to the registers: lane l receives word l % 4 of row
// l / 4, and the rows, 16 contiguous bytes each, lie wherever lanes 8j .. 8j+7 say for matrix j (PTX ISA, ldmatrix).
// Transposed, lane l receives elements 2·(l % 4) and 2·(l % 4) + 1 of column l / 4. `stmatrix` is the way back.
// Elements of 8 and 32 bits move as well, as long as they are not transposed.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_IR_LAYOUT_MATRIXACCESS_H
#define TILE_IR_LAYOUT_MATRIXACCESS_H

#include "ir/Layout/SharedLayout.h"

namespace tile {

/// A sequence of ldmatrix or stmatrix instructions.
struct MatrixAccess {
  MatrixOrder order = MatrixOrder::RowMajor; // Transposed: with `.trans`
  int matrices = 1;                          // 1, 2 or 4 per instruction, 4 of them two by two where they can be
  /// Per instruction its registers: those of one 32-bit word side by side, words in order of matrices.
  std::vector<std::vector<int64_t>> registers;
  std::vector<int64_t> offsets;       // per instruction the part of the address that it adds, in elements
  std::vector<int64_t> rounds;        // per instruction
  std::vector<CoordTerm> threadTerms; // the rest of the address that a lane gives
  bool disjoint = false;              // see `partsAreDisjoint`
  int wavefronts = 0;                 // passes over the banks of one instruction; `matrices` is the least
};

/// Whether the registers of `registers` and the shared tile can meet through the instruction, and how. `matrixBits` are
/// the bits of registers that count the matrices of an instruction, none of them of the rounds; without any they are
/// chosen.
std::optional<MatrixAccess> planMatrixAccess(const Layout &registers, const Layout &shared, int elementBits,
                                             MatrixOrder order, const std::vector<size_t> &matrixBits = {},
                                             RoundDigits rounds = {});

/// What shared memory sees of instructions of four matrices, not transposed, of 16-bit elements: each lane moves, as a
/// vector of its registers, the row that it gives the address of. None where the instruction does not take `registers`
/// so. `matrixBits`: two bits of registers that count the matrices.
std::optional<Layout> matrixRows(const Layout &registers, const std::vector<size_t> &matrixBits);

} // namespace tile

#endif // TILE_IR_LAYOUT_MATRIXACCESS_H
