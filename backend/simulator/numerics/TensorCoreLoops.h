/// \file
/// The loops of TensorCore.h, once per instruction set that they are compiled for.
#ifndef BACKEND_SIMULATOR_NUMERICS_TENSORCORELOOPS_H
#define BACKEND_SIMULATOR_NUMERICS_TENSORCORELOOPS_H

#include "backend/simulator/numerics/TensorCore.h"

#include <vector>

namespace tile::sim::numerics {

/// One copy of them.
struct Loops {
  const char *name;
  bool runs;   ///< on this machine
  int columns; ///< that it computes together
  decltype(numerics::multiplyFragment) *multiplyFragment;
  decltype(numerics::multiplyFragmentF64) *multiplyFragmentF64;
  decltype(numerics::multiplyFragmentBytes) *multiplyFragmentBytes;
};
/// All copies in this program, the fastest ones last; all give the same bits.
const std::vector<Loops> &allLoops();

namespace loops {

#define TILE_SIM_DECLARE_LOOPS(ISA, COLUMNS)                                                                           \
  namespace ISA {                                                                                                      \
  constexpr int kColumns = COLUMNS;                                                                                    \
  void multiplyFragment(const DotModel &model, const Format &aFormat, const Format &bFormat, FragmentShape shape,      \
                        const void *a, const void *b, const void *c, void *d);                                         \
  void multiplyFragmentF64(FragmentShape shape, const double *a, const double *b, const double *c, double *d);         \
  void multiplyFragmentBytes(FragmentShape shape, ByteSigns isSigned, bool saturate, const uint8_t *a,                 \
                             const uint8_t *b, const int32_t *c, int32_t *d);                                          \
  }
TILE_SIM_DECLARE_LOOPS(baseline, 8)
TILE_SIM_DECLARE_LOOPS(v3, 8)
TILE_SIM_DECLARE_LOOPS(v4, 16)
#undef TILE_SIM_DECLARE_LOOPS

} // namespace loops
} // namespace tile::sim::numerics

#endif // BACKEND_SIMULATOR_NUMERICS_TENSORCORELOOPS_H
