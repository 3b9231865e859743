/// \file
/// A warp's access to memory: which bytes of which region each lane means. Lanes whose address is undefined, out of
/// bounds or misaligned are reported and left out, so that whoever moves the data has nothing to check.
#ifndef BACKEND_SIMULATOR_EXEC_REQUEST_H
#define BACKEND_SIMULATOR_EXEC_REQUEST_H

#include "backend/simulator/machine/Cta.h"

#include <functional>

namespace tile::sim {

enum class AccessKind : uint8_t { Read, Write, ReadWrite };

/// The lanes of a request that fall into one region.
struct Part {
  Region &region;
  uint32_t lanes;
  const uint64_t (&offsets)[kLanes]; ///< in the region, in bytes
};

/// Calls `visit` for each region that active lanes of `op` access. The address is source `addressSource` plus the
/// immediate. Returns the lanes that were visited.
uint32_t visitRequest(Warp &warp, const Op &op, const Access &access, AccessKind kind, unsigned addressSource,
                      const std::function<void(const Part &)> &visit);

/// `x[12 .. 16)`, for messages.
std::string describe(const Region &region, uint64_t offset, uint64_t count);

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_EXEC_REQUEST_H
