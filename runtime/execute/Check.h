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
};

struct CheckResult {
  bool isRight = false;
  std::string difference; ///< where not: the first element that differs, and how many do
  int64_t compared = 0;   ///< elements
  double worst = 0;       ///< the largest error as a part of its tolerance; 0 where elements are compared exactly
};

/// Runs `one`. None after errors, which are reported.
std::optional<CheckResult> runCheck(Session &session, FileId file, const ast::Module &module,
                                    const ast::KernelItem &kernel, const CheckCase &one, const CheckOptions &options);

} // namespace tile

#endif
