/// How the factors of a product reach the threads that multiply them. A product on the tensor cores reads each factor
/// from registers where that takes no more than shuffles, and otherwise through its own shared memory, written as the
/// factor lies in registers and read by `ldmatrix` where the layouts allow it. Both factors share one barrier.
#ifndef IR_TILEGPU_DOTOPERANDS_H
#define IR_TILEGPU_DOTOPERANDS_H

#include "ir/Layout/Conversion.h"
#include "ir/Layout/MatrixAccess.h"
#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/TileGPUOps.h"

namespace tile::tgpu {

/// One factor of a product on the tensor cores.
struct MmaOperand {
  Layout fragment;           ///< what the instruction takes
  ConversionPlan conversion; ///< to it, where `bytes` is 0

  // Through shared memory:
  Layout shared;
  SharedAccess store;
  SharedAccess load;                  ///< where there is no `matrix`
  std::optional<MatrixAccess> matrix; ///< ldmatrix
  int64_t offset = 0;                 ///< bytes from the beginning of the op's shared memory
  int64_t bytes = 0;                  ///< 0: from registers
};

struct DotOperands {
  MmaOperand lhs, rhs;   ///< on the tensor cores
  int64_t rhsOffset = 0; ///< without them: both lie in row-major order, the left one at the beginning
  int64_t bytes = 0;     ///< of shared memory in all
};
DotOperands planDotOperands(DotOp dot);

} // namespace tile::tgpu

#endif
