/// \file
/// Which lane and which register hold which element of a matrix that a warp holds together. All of mma's operands
/// follow one rule: rows are spread over groups of four lanes, columns over the lanes of a group, some elements a
/// register; a matrix larger than 8 rows or one register a lane repeats that. (PTX ISA 9.0, 9.7.14.5, "Matrix
/// fragments")
#ifndef BACKEND_SIMULATOR_EXEC_MATRIXFRAGMENTS_H
#define BACKEND_SIMULATOR_EXEC_MATRIXFRAGMENTS_H

#include <cstdint>

namespace tile::sim {

/// A position in a matrix.
struct Element {
  unsigned row, column;
};

/// Element `i` of register `number` in `lane`, of an operand that packs `pack` elements into a 32-bit register along
/// its columns. Registers go down the rows in steps of 8 first, `rowBlocks` of them, then along the columns, a block of
/// 4 · pack at a time. For A the rows are M and the columns K; for B, whose registers lie along K, take the columns for
/// K and the rows for N; an accumulator packs two 32-bit elements into two registers (`pack` = 2 of one element each).
inline Element elementOf(unsigned lane, unsigned number, unsigned i, unsigned pack, unsigned rowBlocks) {
  return {lane / 4 + 8 * (number % rowBlocks), (lane % 4) * pack + i + 4 * pack * (number / rowBlocks)};
}

/// Element `i` of accumulator register `number`, of 16 rows. `narrow`: the register packs two elements of 16 bits; else
/// two registers hold what one of 64 bits would.
inline Element accumulatorElement(unsigned lane, unsigned number, unsigned i, bool narrow) {
  if (narrow)
    return elementOf(lane, number, i, 2, 2);
  return {lane / 4 + 8 * (number / 2 % 2), 2 * (lane % 4) + number % 2 + 8 * (number / 4)};
}

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_EXEC_MATRIXFRAGMENTS_H
