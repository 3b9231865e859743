/// \file
/// The loops of TensorCore.h, once per instruction set that they are compiled for.
#ifndef BACKEND_SIMULATOR_NUMERICS_TENSORCORELOOPS_H
#define BACKEND_SIMULATOR_NUMERICS_TENSORCORELOOPS_H

#include "backend/simulator/numerics/TensorCore.h"

namespace tile::sim::numerics::loops {

#define TILE_SIM_DECLARE_LOOPS(ISA)                                                                                    \
  namespace ISA {                                                                                                      \
  void multiplyFragment(const DotModel &model, const Format &aFormat, const Format &bFormat, FragmentShape shape,      \
                        const void *a, const void *b, const void *c, void *d);                                         \
  void multiplyFragmentF64(FragmentShape shape, const double *a, const double *b, const double *c, double *d);         \
  void multiplyFragmentBytes(FragmentShape shape, ByteSigns isSigned, bool saturate, const uint8_t *a,                 \
                             const uint8_t *b, const int32_t *c, int32_t *d);                                          \
  }
TILE_SIM_DECLARE_LOOPS(baseline)
TILE_SIM_DECLARE_LOOPS(v3)
#undef TILE_SIM_DECLARE_LOOPS

} // namespace tile::sim::numerics::loops

#endif // BACKEND_SIMULATOR_NUMERICS_TENSORCORELOOPS_H
