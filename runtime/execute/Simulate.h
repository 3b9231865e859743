/// A kernel's PTX on the GPU simulator, with arguments in host memory.
#ifndef RUNTIME_EXECUTE_SIMULATE_H
#define RUNTIME_EXECUTE_SIMULATE_H

#include "runtime/execute/Execute.h"

namespace tile {

/// Builds `kernel`, which is spent, and runs the variant that a launch would take. None after reporting; what the
/// simulator finds is reported where it stands in the source.
std::optional<RunResult> runOnSimulator(Session &session, FileId file, LoadedKernel &kernel,
                                        std::vector<HostArgument> &arguments, const RunOptions &options);

} // namespace tile

#endif
