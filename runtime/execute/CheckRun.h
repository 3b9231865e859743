/// Every kernel of a file with a spec, over its instances and shapes. A case that fails, in whatever way, is that
/// case's result, and the next one runs; only a GPU that takes no more work of this process leaves the rest
/// undone.
#ifndef RUNTIME_EXECUTE_CHECKRUN_H
#define RUNTIME_EXECUTE_CHECKRUN_H

#include "runtime/execute/Check.h"

#include <functional>

namespace tile {

enum class CheckOutcome { Passed, Failed, NotRun };

/// What became of one case, or of a kernel whose cases could not be read.
struct CheckRow {
  std::string kernel;
  CheckCase one;
  CheckOutcome outcome = CheckOutcome::NotRun;
  CheckResult result;
  size_t number = 0, count = 0; ///< among the kernel's cases, from 1
  double milliseconds = 0;      ///< compilation, spec and comparison included
};

struct CheckObserver {
  std::function<void(const CheckRow &)> begin, end;
};

struct CheckProgress {
  size_t skipped = 0;        ///< cases that are still to be left out, without a row
  bool isDeviceLost = false; ///< the device takes no more work: what follows is not run
  /// The most that a case of the last kernel could have run in, of which it ran in the first; 0 without cases.
  size_t configurations = 0;
};

/// Runs all cases of `kernel`. What is reported stays in the session's engine; errors that are there before must have
/// been dealt with. Of the values that `options` give, those that the kernel does not know are meant for others. None
/// is run, and the reason given, where the shapes have others than those.
std::vector<Diagnostic> checkKernel(Session &session, FileId file, const ast::Module &module,
                                    const ast::KernelItem &kernel, CheckOptions options, const CheckObserver &observer,
                                    CheckProgress &progress);

} // namespace tile

#endif
