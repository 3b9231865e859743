/// What `tilec check` does after a kernel's fault on a GPU, which leaves the process without that GPU: another process
/// of this program runs the cases that are left. An environment variable tells it where to begin; it gives its rows as
/// JSON.
#ifndef RUNTIME_TILEC_CHECKREST_H
#define RUNTIME_TILEC_CHECKREST_H

#include "runtime/execute/CheckRun.h"

#include "llvm/Support/JSON.h"

namespace tile {

/// The part of another process that this one is to run.
struct CheckRest {
  size_t first = 0; ///< cases before it are left out
  uint64_t seed = 0;

  /// None where this process is the first.
  static std::optional<CheckRest> fromEnvironment();
};

/// As the rows have it in JSON: `passed`, `failed`, `not run`.
const char *toString(CheckOutcome outcome);

/// Has another process run `rows`, which are all cases from `first` on, and takes what became of them. Gives the reason
/// where that failed, else nothing. What that process reports goes to standard error, or into `diagnostics`, if given,
/// and into `reportedThere`.
std::string runRest(std::vector<CheckRow> &rows, size_t first, uint64_t seed, std::string *diagnostics,
                    llvm::json::Array &reportedThere);

} // namespace tile

#endif
