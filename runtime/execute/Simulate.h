/// A kernel's PTX on the GPU simulator, with arguments in host memory.
#ifndef RUNTIME_EXECUTE_SIMULATE_H
#define RUNTIME_EXECUTE_SIMULATE_H

#include "backend/simulator/ptx/Syntax.h"
#include "runtime/execute/Execute.h"

namespace tile {

/// A kernel's code and its contract as a launch sees them, with variants; for any number of launches.
struct SimulatorCode {
  sim::ptx::Module module;
  KernelContract contract;
  mlir::Location place; ///< of the kernel in the source
};

/// Builds `kernel`, which is spent. None after reporting.
std::optional<SimulatorCode> buildForSimulator(Session &session, FileId file, LoadedKernel &kernel,
                                               const BuildOptions &options);

/// Runs the variant that a launch would take. None after reporting; what the simulator finds is reported where it
/// stands in the source.
std::optional<RunResult> runOnSimulator(Session &session, const SimulatorCode &code,
                                        std::vector<HostArgument> &arguments, const RunOptions &options);

} // namespace tile

#endif
