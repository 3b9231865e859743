/// Runs one case of a kernel's `@check` and compares what it writes with its spec, computed in f64.
#ifndef RUNTIME_EXECUTE_CHECK_H
#define RUNTIME_EXECUTE_CHECK_H

#include "runtime/execute/CheckPlan.h"
#include "runtime/execute/Execute.h"

namespace tile {

struct CheckOptions {
  DeviceKind device = DeviceKind::Cpu;
  BuildOptions build;
  uint64_t seed = 0;
  unsigned threads = 0; ///< of the interpreter; 0: one per core
  StepLimits limits;
};

struct CheckResult {
  bool passed = false;
  std::string summary;  ///< where not: one line
  int64_t compared = 0; ///< elements
  double ratio = 0;     ///< the largest error as a part of its tolerance; infinite where none is allowed
};

/// Runs `one`. What is wrong is reported, where it stands in the source.
CheckResult runCheck(Session &session, FileId file, const ast::Module &module, const ast::KernelItem &kernel,
                     const CheckCase &one, const CheckOptions &options);

} // namespace tile

#endif
