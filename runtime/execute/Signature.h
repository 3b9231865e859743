/// From the arguments of a launch to the values that compiling for it needs: element types and extents that a kernel's
/// signature names, and scalars. What a JIT does at a call.
#ifndef RUNTIME_EXECUTE_SIGNATURE_H
#define RUNTIME_EXECUTE_SIGNATURE_H

#include "runtime/arguments/HostArgument.h"
#include "runtime/artifact/Manifest.h"
#include "runtime/compile/Session.h"

namespace tile {

/// The kernel called `name`, or the only one; null, after reporting, if there is no such or no single one.
const ast::KernelItem *chooseKernel(Session &session, const ast::Module &module, const std::string &name);

/// Reports that `file` has no kernel called `name`, but those of `names`.
void reportNoKernel(Session &session, const std::string &name, const std::string &file,
                    const std::vector<std::string_view> &names);

/// Adds to `options` the names that element types and extents of `item` bind, with the values that `arguments` give
/// them, and the scalars; what is there already stays. Arguments are matched by name, those without by position, and
/// named. False after reporting an argument without a parameter, one that is missing, a tensor of another rank, a
/// number that is no value of its type, and an extent that is not what `options` say.
bool bindSignature(Session &session, const ast::KernelItem &item, std::vector<HostArgument> &arguments,
                   IrgenOptions &options);

/// One argument per parameter of the contract, in its order; what is missing is absent. None, after reporting, if an
/// argument has no parameter or a parameter that must be there is missing.
std::optional<std::vector<HostArgument>> orderArguments(Session &session, const KernelContract &contract,
                                                        std::vector<HostArgument> given);

} // namespace tile

#endif
