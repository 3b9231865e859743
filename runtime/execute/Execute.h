/// Runs a kernel on tensors in host memory: on the CPU interpreter, on the GPU through libtile, or its PTX on the
/// simulator. All check the arguments by the same contract, so a launch that one refuses the others refuse too.
#ifndef RUNTIME_EXECUTE_EXECUTE_H
#define RUNTIME_EXECUTE_EXECUTE_H

#include "backend/simulator/Checks.h"
#include "backend/simulator/counters/CounterReport.h"
#include "runtime/arguments/HostArgument.h"
#include "runtime/compile/Build.h"
#include "runtime/launch/Bind.h"

#include "llvm/Support/JSON.h"

namespace tile {

struct DeviceProperties;

enum class DeviceKind { Cpu, Gpu, Simulator };

/// `CPU interpreter`, `GPU` or `GPU simulator`.
const char *nameOf(DeviceKind device);

/// The device that `choice` (`auto`, `cpu`, `gpu` or `sim`) means here. None, after reporting, if there is no such
/// device.
std::optional<DeviceKind> chooseDevice(Session &session, const std::string &choice);

/// What `num_sms()` is where there is no GPU. More than one, so that programs show that do each other's work; odd,
/// since counts that are divided among programs are often even.
inline constexpr int kHostSms = 3;

/// What `num_sms()` is on `device`. None, after reporting, if the GPU does not say.
std::optional<int> numSmsOf(Session &session, DeviceKind device);

/// The compilation target of `device`; null, after reporting, if the compiler knows none.
const Target *targetOf(Session &session, const DeviceProperties &device);

/// The compilation target of the GPU at hand; null, after reporting, if there is none that the compiler knows.
const Target *targetOfGpu(Session &session);

/// How to build for the GPU at hand: code for an older one is assembled for it, as the driver does with PTX. None after
/// reporting that there is no GPU.
std::optional<BuildOptions> buildForGpu(Session &session, BuildOptions build);

/// A kernel in tile IR and its contract.
struct LoadedKernel {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< holds this kernel alone
  mlir::func::FuncOp function;
  KernelContract contract;
};

/// The sole kernel of `module`; none, after reporting, if its contract is at fault.
std::optional<LoadedKernel> takeKernel(Session &session, mlir::OwningOpRef<mlir::ModuleOp> module);

/// What ends a program that does not end by itself; 0: nothing. By default seconds of an empty loop, and a hundred
/// times what the loops of a program for the GPU make.
struct StepLimits {
  int64_t loopTurns = 100'000'000;        ///< CPU: of all loops of a program together
  uint64_t warpInstructions = 10'000'000; ///< simulator: of one warp
};

/// What is said of a limit that was reached.
inline constexpr const char *kMoreSteps = "; `--max-steps=N` allows more";

struct RunOptions {
  BuildOptions build;   ///< for the GPU
  bool checked = false; ///< CPU: report conflicts between programs and reads of what nobody wrote
  bool edges = false;   ///< CPU: report division by zero and its kin, which are defined and rarely meant
  /// GPU: gives the code of `module`, which it may spend, as `build` would: from what is kept, if it is there. None
  /// after reporting.
  std::function<std::optional<std::string>(mlir::ModuleOp module, const BuildOptions &build)> compile;
  unsigned repetitions = 0;              ///< GPU: further launches that are timed, after the results are taken
  unsigned threads = 0;                  ///< CPU and simulator; 0: one per core
  uint64_t seed = 0;                     ///< simulator: of the schedule
  bool counters = false;                 ///< simulator: count what each instruction moves and computes
  llvm::json::Array *findings = nullptr; ///< simulator: gets what is found, as `SimulatorFindings.h` writes it
  sim::Checks simulatorChecks;
  StepLimits limits;
};

struct RunResult {
  std::string device; ///< "CPU interpreter", "GPU simulator" or the GPU's name
  std::vector<int64_t> grid;
  std::string instance;    ///< GPU: that ran, where the cubin has several to choose from
  std::string variant;     ///< GPU and simulator
  std::string whyVariant;  ///< why it is not the preferred one; empty if it is
  double milliseconds = 0; ///< of one launch: the median of the repetitions, or the run's wall time on the CPU
  bool isTimed = false;
  std::optional<sim::CounterReport> counters; ///< if they were asked for
};

/// Runs `kernel` on `arguments`, one per parameter in source order; tensors that the kernel writes hold the results
/// afterwards. None after errors, which are reported: arguments that do not fit, and what the interpreter finds.
std::optional<RunResult> runOn(DeviceKind device, Session &session, FileId file, LoadedKernel &kernel,
                               std::vector<HostArgument> &arguments, const RunOptions &options);

/// Whether `device` takes another run of this process. After a kernel's fault the GPU does not: every later call gives
/// that fault again, and a new context is broken as well (seen on an H200, driver 580).
bool takesRuns(DeviceKind device);

/// Runs a kernel of a cubin on the GPU: the instance of `contract.name` that the arguments fit, of which `contract` is
/// one. A fault is reported at `place`. The rest is as with `runOn`.
std::optional<RunResult> runCubin(Session &session, std::string_view cubin, const KernelContract &contract,
                                  mlir::Location place, std::vector<HostArgument> &arguments, unsigned repetitions);

} // namespace tile

#endif
