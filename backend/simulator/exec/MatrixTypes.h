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

/// A warp's operand as a matrix of rows of `columns` elements of `bytes` bytes, from `count` registers of `Word`; see
/// `elementOf`.
template <class Word>
void gatherMatrix(const Warp &warp, const Slot *registers, unsigned count, unsigned bytes, unsigned columns,
                  unsigned rowBlocks, uint8_t *matrix) {
  unsigned pack = sizeof(Word) / bytes;
  for (unsigned number = 0; number < count; ++number) {
    const Word *row = warp.row<Word>(registers[number]);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      for (unsigned i = 0; i < pack; ++i) {
        Element at = elementOf(lane, number, i, pack, rowBlocks);
        std::memcpy(matrix + (at.row * columns + at.column) * bytes,
                    reinterpret_cast<const uint8_t *>(&row[lane]) + i * bytes, bytes);
      }
  }
}

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_EXEC_MATRIXTYPES_H
