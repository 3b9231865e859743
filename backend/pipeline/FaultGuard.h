/// Code below MLIR that ends the process where it meets what it does not expect: LLVM's code generator
/// (`report_fatal_error`). Within a guard it ends the call instead, so that what is wrong
/// becomes a diagnostic like any other.
#ifndef BACKEND_PIPELINE_FAULTGUARD_H
#define BACKEND_PIPELINE_FAULTGUARD_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace tile {

/// Runs `work`; none if it came to its end. Otherwise why it did not, in LLVM's own words or as the name of a signal.
/// Then nothing that `work` was about to free has been freed, and nothing that it changed may be used or destroyed: the
/// caller lets go of it and ends soon.
std::optional<std::string> runGuarded(llvm::function_ref<void()> work);

/// What becomes of fatal errors of LLVM's outside of guards: `report` is called with LLVM's words and ends the process.
/// Without it LLVM does, in its own way.
void reportFatalErrorsTo(void (*report)(const char *reason));

} // namespace tile

#endif
