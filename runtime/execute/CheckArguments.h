/// The tensors and scalars of one check case: sizes from its dims, elements by its input rules.
#ifndef RUNTIME_EXECUTE_CHECKARGUMENTS_H
#define RUNTIME_EXECUTE_CHECKARGUMENTS_H

#include "runtime/execute/CheckPlan.h"
#include "runtime/execute/Execute.h"

namespace tile {

/// One argument per parameter of `contract`; what is only written is poisoned. None after reporting.
std::optional<std::vector<HostArgument>> makeCheckArguments(Session &session, const KernelContract &contract,
                                                            const CheckCase &one, uint64_t seed);

/// The same values for the parameters of `spec`, by name: row-major, floats in f64.
std::vector<HostArgument> makeSpecArguments(const KernelContract &spec, const KernelContract &contract,
                                            const std::vector<HostArgument> &arguments);

} // namespace tile

#endif
