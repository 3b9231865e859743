/// \file
/// What changes where a lane goes on.
#ifndef BACKEND_SIMULATOR_EXEC_CONTROL_H
#define BACKEND_SIMULATOR_EXEC_CONTROL_H

#include "backend/simulator/machine/Program.h"

namespace tile::sim {

/// The active lanes go on at `Op::immediate`.
Step runBranch(Warp &warp, const Op &op);
/// Each active lane goes on at the place that its source chooses from the list number `Op::mode`.
Step runBranchIndexed(Warp &warp, const Op &op);
/// The active lanes return from the kernel.
Step runExit(Warp &warp, const Op &op);

/// Where an operation may go on, besides behind itself; empty if it is no branch.
std::vector<uint32_t> targetsOf(const Program &program, const Op &op);

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_EXEC_CONTROL_H
