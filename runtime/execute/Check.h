/// Runs one case of a kernel's `@check` and compares what it writes with its spec, computed in f64, and what a GPU or
/// the simulator wrote also with what the interpreter writes, where the language fixes the bits.
#ifndef RUNTIME_EXECUTE_CHECK_H
#define RUNTIME_EXECUTE_CHECK_H

#include "runtime/execute/CheckPlan.h"
#include "runtime/execute/Execute.h"

#include <map>

namespace tile {

struct CheckOptions {
  DeviceKind device = DeviceKind::Cpu;
  BuildOptions build;
  uint64_t seed = 0;
  uint64_t seeds = 1;   ///< runs of each case, with this many seeds from `seed` on: of inputs, and of the schedule
  unsigned threads = 0; ///< of the interpreter; 0: one per core
  sim::Checks simulatorChecks;
  StepLimits limits;
  int numSms = kHostSms;          ///< of the device, also for the interpreter that it is compared with
  bool allConfigurations = false; ///< of `@autotune`, not the first alone
  bool showsAll = false;          ///< also what fails as an earlier shape did
};

struct CheckResult {
  bool passed = false;
  std::string summary;    ///< where not: one line
  bool isRefused = false; ///< by the compiler, at a place in the kernel, and so for other shapes in the same words
  std::vector<std::pair<std::string, std::string>> drawn; ///< scalars that the shape leaves open, and their values
  std::string variant;                                    ///< that ran, GPU and simulator
  std::string whyVariant;                                 ///< why it is not the faster one; empty if it is
  bool hasOddRows = false;                                ///< in every shape, so that the faster variant never runs
  int64_t compared = 0;                                   ///< elements, with the spec
  std::map<std::string, int64_t> leftOut; ///< by tensor, elements that were not, since the spec does not assign them
  int64_t unbounded = 0;                  ///< of the compared, not equal, and any number would have passed
  std::string empty;                      ///< a tensor without elements, for which nothing was compared
  int64_t fixed = 0;                      ///< elements whose bits were compared with the interpreter's
  llvm::json::Array findings;             ///< of the simulator, in its form
  double ratio = 0; ///< the largest error as a part of its tolerance; infinite where none is allowed
};

/// `alpha = 0.5, n = 3`, empty where nothing was drawn
std::string describeDrawn(const CheckResult &result);

/// Runs `one`. What is wrong is reported, where it stands in the source.
CheckResult runCheck(Session &session, FileId file, const ast::Module &module, const ast::KernelItem &kernel,
                     const CheckCase &one, const CheckOptions &options);

} // namespace tile

#endif
