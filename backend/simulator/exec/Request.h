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

/// Calls `visit(lane)` for each of `lanes`, in their order; for all of them in a loop without branches.
template <class Visit> void forLanes(uint32_t lanes, const Visit &visit) {
  if (lanes == kAllLanes) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      visit(lane);
    return;
  }
  for (; lanes; lanes &= lanes - 1)
    visit(unsigned(__builtin_ctz(lanes)));
}

/// A request all of whose lanes fall into one region and have nothing to be reported, as nearly every one does.
struct PlainRequest {
  Region *region = nullptr; ///< null if the request is of another kind
  uint64_t offsets[kLanes]; ///< lanes that are not active have that of one that is
};

/// Looks whether the request is plain; reports nothing.
void findPlain(Warp &warp, const Op &op, const Access &access, AccessKind kind, unsigned addressSource,
               PlainRequest &request);
/// `visitRequest` for requests of any kind.
uint32_t visitParts(Warp &warp, const Op &op, const Access &access, AccessKind kind, unsigned addressSource,
                    const std::function<void(const Part &)> &visit);

/// Calls `visit` for each region that active lanes of `op` access. The address is source `addressSource` plus the
/// immediate. Returns the lanes that were visited.
template <class Visit>
uint32_t visitRequest(Warp &warp, const Op &op, const Access &access, AccessKind kind, unsigned addressSource,
                      const Visit &visit) {
  PlainRequest request;
  findPlain(warp, op, access, kind, addressSource, request);
  if (!request.region) {
    ++warp.cta.longRequests;
    return visitParts(warp, op, access, kind, addressSource, visit);
  }
  visit(Part{*request.region, warp.active, request.offsets});
  return warp.active;
}

/// `x[12 .. 16)`, for messages.
std::string describe(const Region &region, uint64_t offset, uint64_t count);

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_EXEC_REQUEST_H
