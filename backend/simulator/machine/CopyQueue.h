/// \file
/// The `cp.async` copies of a thread and the groups that they are in. (PTX ISA 9.0, 9.7.9.25.3)
#ifndef BACKEND_SIMULATOR_MACHINE_COPYQUEUE_H
#define BACKEND_SIMULATOR_MACHINE_COPYQUEUE_H

#include "backend/simulator/machine/Program.h"

#include <array>
#include <vector>

namespace tile::sim {

/// Copies are numbered from 1 as they are issued.
struct CopyQueue {
  uint32_t awaited = 0;          ///< the last copy that the thread has waited for
  std::vector<uint64_t> tickets; ///< of the copies behind it
  std::vector<uint32_t> groups;  ///< of each group that it has not waited for, the last copy at its commit

  uint32_t issued() const { return awaited + uint32_t(tickets.size()); }
};

using CopyQueues = std::array<CopyQueue, kLanes>;

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_MACHINE_COPYQUEUE_H
