/// \file
/// What instructions that multiply matrices have in common: how they name shapes and types, and how registers and
/// matrices correspond.
#ifndef BACKEND_SIMULATOR_EXEC_MATRIXTYPES_H
#define BACKEND_SIMULATOR_EXEC_MATRIXTYPES_H

#include "backend/simulator/decode/Form.h"
#include "backend/simulator/exec/MatrixFragments.h"
#include "backend/simulator/machine/Warp.h"
#include "backend/simulator/numerics/TensorCore.h"

namespace tile::sim {

/// How a type of A or B lies in fragments and what the tensor core makes of it.
struct FactorRow {
  std::string_view name;
  unsigned bytes;
  const numerics::Format *format; ///< null for integers and f64
  numerics::FactorType factor;
  bool isSigned;
};

/// Takes `.m16n8k16`; refuses an instruction without a shape.
std::optional<numerics::FragmentShape> takeShape(Form &form);
/// Takes the next type of A or B, from the left; refuses one that is not known, and returns null.
const FactorRow *takeFactor(Form &form);
/// `bf16 x bf16 -> f32`
std::string typesOf(const FactorRow &a, const FactorRow &b, std::string_view accumulator);
/// The registers of an operand: those of a vector, or itself.
std::vector<ptx::Operand> partsOf(const ptx::Operand &operand);

/// Four lanes after another hold what lies side by side in a row.
constexpr unsigned kLanesOfRow = 4;

/// A warp's operand as a matrix of rows of `columns` elements of `bytes` bytes, from `count` registers of `Word`; see
/// `elementOf`.
template <class Word>
void gatherMatrix(const Warp &warp, const Slot *registers, unsigned count, unsigned bytes, unsigned columns,
                  unsigned rowBlocks, uint8_t *matrix) {
  unsigned pack = sizeof(Word) / bytes;
  for (unsigned number = 0; number < count; ++number) {
    const Word *row = warp.row<Word>(registers[number]);
    for (unsigned lane = 0; lane < kLanes; lane += kLanesOfRow) {
      Element at = elementOf(lane, number, 0, pack, rowBlocks);
      std::memcpy(matrix + (at.row * columns + at.column) * bytes, row + lane, kLanesOfRow * sizeof(Word));
    }
  }
}

/// Calls one of these with (place, lane, number): the lanes from `lane` on hold in register `number` what lies from
/// element `place` of the accumulators' matrix on. `narrow` ones of 16 bits are two a register; else that register and
/// the next take turns.
template <class MoveNarrow, class MoveWide>
void visitAccumulators(unsigned count, bool narrow, unsigned n, const MoveNarrow &moveNarrow,
                       const MoveWide &moveWide) {
  for (unsigned number = 0; number < count; number += narrow ? 1 : 2)
    for (unsigned lane = 0; lane < kLanes; lane += kLanesOfRow) {
      Element at = accumulatorElement(lane, number, 0, narrow);
      narrow ? moveNarrow(at.row * n + at.column, lane, number) : moveWide(at.row * n + at.column, lane, number);
    }
}

/// An operand of accumulators as a matrix of rows of `n` elements.
template <class Word>
void gatherAccumulators(const Warp &warp, const Slot *registers, unsigned count, bool narrow, unsigned n,
                        uint8_t *matrix) {
  visitAccumulators(
      count, narrow, n,
      [&](size_t place, unsigned lane, unsigned number) {
        std::memcpy(matrix + place * sizeof(Word) / 2, warp.row<Word>(registers[number]) + lane,
                    kLanesOfRow * sizeof(Word));
      },
      [&](size_t place, unsigned lane, unsigned number) {
        const Word *even = warp.row<Word>(registers[number]) + lane,
                   *odd = warp.row<Word>(registers[number + 1]) + lane;
        Word row[2 * kLanesOfRow];
        for (unsigned i = 0; i < kLanesOfRow; ++i) {
          row[2 * i] = even[i];
          row[2 * i + 1] = odd[i];
        }
        std::memcpy(matrix + place * sizeof(Word), row, sizeof(row));
      });
}

/// The reverse, into all lanes of registers.
template <class Word>
void scatterAccumulators(Warp &warp, const Slot *registers, unsigned count, bool narrow, unsigned n,
                         const uint8_t *matrix) {
  visitAccumulators(
      count, narrow, n,
      [&](size_t place, unsigned lane, unsigned number) {
        std::memcpy(warp.target<Word>(registers[number]) + lane, matrix + place * sizeof(Word) / 2,
                    kLanesOfRow * sizeof(Word));
      },
      [&](size_t place, unsigned lane, unsigned number) {
        Word *even = warp.target<Word>(registers[number]) + lane,
             *odd = warp.target<Word>(registers[number + 1]) + lane;
        Word row[2 * kLanesOfRow];
        std::memcpy(row, matrix + place * sizeof(Word), sizeof(row));
        for (unsigned i = 0; i < kLanesOfRow; ++i) {
          even[i] = row[2 * i];
          odd[i] = row[2 * i + 1];
        }
      });
}

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_EXEC_MATRIXTYPES_H
