/// \file
/// What a warp's access to memory behind the caches moves. Memory comes in sectors of 32 bytes, four to a cache line;
/// the lanes of one instruction that touch the same sector share it. (CUDA C++ Best Practices Guide, "Coalesced Access
/// to Global Memory")
#ifndef BACKEND_SIMULATOR_COUNTERS_SECTORS_H
#define BACKEND_SIMULATOR_COUNTERS_SECTORS_H

#include "backend/simulator/machine/Program.h"

namespace tile::sim {

constexpr unsigned kSectorBytes = 32, kLineBytes = 128;

struct SectorCount {
  uint32_t sectors = 0;
  uint32_t ideal = 0; ///< sectors that would hold the bytes asked for if they lay side by side
  uint32_t lines = 0; ///< cache lines that the sectors belong to
  uint32_t bytes = 0; ///< asked for, each counted once however many lanes ask for it
};

/// Lanes of an atomic operation that mean the same address take turns, and each turn touches its sectors anew. (Seen on
/// an H200: test/gpu/counters.py)
enum class SameAddress : uint8_t { Shared, InTurns };

/// Of `lanes`, each of which asks for `bytes[lane]` bytes at its address.
SectorCount countSectors(const uint64_t (&addresses)[kLanes], const uint32_t (&bytes)[kLanes], uint32_t lanes,
                         SameAddress sameAddress = SameAddress::Shared);

/// Likewise in local memory, where every lane has its own bytes at the same addresses: word `w` of lane `l` lies at
/// word `32 w + l`, so that lanes that access the same address lie side by side. (CUDA C++ Programming Guide, "Local
/// Memory")
SectorCount countLocalSectors(const uint64_t (&addresses)[kLanes], unsigned bytes, uint32_t lanes);

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_COUNTERS_SECTORS_H
