/// Host arguments as libtile's, and its errors as diagnostics.
#ifndef RUNTIME_EXECUTE_LAUNCHARGUMENTS_H
#define RUNTIME_EXECUTE_LAUNCHARGUMENTS_H

#include "runtime/arguments/HostArgument.h"
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

/// Whether the kernel may write what `parameter` points to; of a raw pointer nobody knows.
bool mayWrite(const Parameter &parameter);

/// Whether the kernel may read what is in `argument` before it has written it: not in an output, nor what `empty` made.
bool isDefined(const HostArgument &argument, const Parameter &parameter);

/// Whether a .npy file, which has no bf16 and no 8-bit floats, holds elements of `type` as integers of type `found`.
bool isKeptAsBits(DataType type, DataType found);

/// All arguments with their memory at `bases`, one per parameter. A u16 array becomes bf16 and a u8 array an 8-bit
/// float where the parameter is: a .npy file has no other way to hold them.
std::optional<std::vector<Argument>> toLaunchArguments(Session &session, const KernelContract &contract,
                                                       std::vector<HostArgument> &arguments,
                                                       llvm::ArrayRef<const void *> bases);

/// The first of `instances` that the arguments fit, decided by shapes alone, before any memory is taken. Null after
/// reporting why there is none.
const KernelContract *chooseInstance(Session &session, const std::vector<const KernelContract *> &instances,
                                     std::vector<HostArgument> &arguments, int numSms);

/// Takes the memory of all tensors and fills them. False after reporting that there is not as much.
bool allocateArguments(Session &session, std::vector<HostArgument> &arguments);

} // namespace tile

#endif
