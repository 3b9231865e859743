/// \file
/// How many passes over the banks of shared memory an access of a warp takes. Memory has 32 banks of 4 bytes; word `w`
/// lies in bank `w % 32`, and a pass ("wavefront") gives one word of each bank, to any number of lanes. (CUDA C++
/// Programming Guide, "Compute Capability 5.x", "Shared Memory", which later generations refer to)
///
/// A pass carries 128 bytes, so lanes that access 8 bytes go by half-warps and those that access 16 bytes by
/// quarter-warps; `ldmatrix` and `stmatrix` go by matrices, whose eight rows of 16 bytes are what a quarter-warp
/// accesses. Neighbouring groups of a load go together if the lanes of the warp are alike in pairs: every one wants
/// what the lane beside it wants, or every one what the next but one wants; a lane that is masked is like any other.
/// Atomic operations on the same word exclude each other, so their lanes take turns. (All seen on an H200:
/// test/gpu/counters.py)
#ifndef BACKEND_SIMULATOR_COUNTERS_SHAREDBANKS_H
#define BACKEND_SIMULATOR_COUNTERS_SHAREDBANKS_H

#include "backend/simulator/machine/Program.h"

namespace tile::sim {

struct BankPasses {
  uint32_t wavefronts = 0;
  uint32_t ideal = 0; ///< with the same lanes and the best addresses; what is more is bank conflicts
};

enum class BankAccess : uint8_t { Load, Store, Matrix, Atomic };

/// Of `lanes`, each of which accesses `bytes` bytes at its address, a multiple of `bytes`.
BankPasses countBankPasses(const uint64_t (&addresses)[kLanes], uint32_t lanes, unsigned bytes,
                           BankAccess access = BankAccess::Load);

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_COUNTERS_SHAREDBANKS_H
