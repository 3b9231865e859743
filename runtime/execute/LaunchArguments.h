/// Host arguments as libtile's, and its errors as diagnostics.
#ifndef RUNTIME_EXECUTE_LAUNCHARGUMENTS_H
#define RUNTIME_EXECUTE_LAUNCHARGUMENTS_H

#include "runtime/arguments/LaunchArgument.h"
#include "runtime/compile/Session.h"
#include "runtime/launch/Bind.h"

#include "llvm/ADT/ArrayRef.h"

namespace tile {

/// Reports an error of libtile: E0603 where an argument is at fault, else E0602.
void report(Session &session, const Error &error);

/// The value, or none after reporting.
template <typename T> std::optional<T> take(Session &session, Result<T> result) {
  if (result.ok())
    return std::move(*result);
  report(session, result.error());
  return std::nullopt;
}
bool take(Session &session, Status status);

/// `toLaunchArguments`, or none after reporting.
std::optional<std::vector<Argument>> toLaunchArguments(Session &session, const KernelContract &contract,
                                                       std::vector<HostArgument> &arguments,
                                                       llvm::ArrayRef<const void *> bases);

/// The first of `instances` that the arguments fit, decided by shapes alone, before any memory is taken. Null after
/// reporting why there is none.
const KernelContract *chooseInstance(Session &session, const std::vector<const KernelContract *> &instances,
                                     std::vector<HostArgument> &arguments, int numSms);

/// What the arguments bind, or why they do not fit, by shapes alone as well.
Result<Binding> bindShapes(const KernelContract &contract, std::vector<HostArgument> &arguments, int numSms);

/// The name of the variant that these arguments take wherever memory of the GPU lies, of a kernel that need not be
/// compiled; none after reporting.
std::optional<std::string> variantOf(Session &session, const KernelContract &contract,
                                     std::vector<HostArgument> &arguments);

/// Takes the memory of all tensors and fills them. False after reporting that there is not as much.
bool allocateArguments(Session &session, std::vector<HostArgument> &arguments);

} // namespace tile

#endif
