/// \file
/// The mbarriers that a warp's instruction names, lane by lane.
#ifndef BACKEND_SIMULATOR_EXEC_VISITMBARRIERS_H
#define BACKEND_SIMULATOR_EXEC_VISITMBARRIERS_H

#include "backend/simulator/exec/Request.h"
#include "backend/simulator/machine/Mbarrier.h"

namespace tile::sim {

/// `offset` is the object's place in shared memory.
using VisitMbarrier = std::function<void(unsigned lane, uint64_t offset, Mbarrier &object)>;

/// Calls `visit` for each active lane of `op` with the mbarrier that it names, in the order of the lanes; the address
/// is source 0 plus the immediate. Lanes that name none are reported. Returns the lanes that were visited.
uint32_t visitMbarriers(Warp &warp, const Op &op, const Access &access, AccessKind kind, const VisitMbarrier &visit);

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_EXEC_VISITMBARRIERS_H
