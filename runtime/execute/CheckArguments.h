/// The tensors and scalars of one check case: sizes from its dims, elements by its input rules.
#ifndef RUNTIME_EXECUTE_CHECKARGUMENTS_H
#define RUNTIME_EXECUTE_CHECKARGUMENTS_H

#include "runtime/execute/CheckPlan.h"
#include "runtime/execute/Execute.h"

namespace tile {

/// What irgen has to know of `one`: dims, compile-time parameters, which optional parameters are there, and the numbers
/// that scalars and pointers have. Optional parameters are there unless the case says otherwise.
IrgenOptions irgenOptionsOf(const ast::KernelItem &item, const CheckCase &one, IrgenOptions base);

/// The arguments of a case.
struct CheckArguments {
  std::vector<HostArgument> all; ///< one per parameter of the contract; what is only written is poisoned
  std::vector<Value> slots;      ///< the value of each name of the contract, for its expressions
};

/// `options` say what `num_sms()` is. None after reporting.
std::optional<CheckArguments> makeCheckArguments(Session &session, const ast::Module &module,
                                                 const KernelContract &contract, const CheckCase &one,
                                                 const IrgenOptions &options, uint64_t seed);

/// The same values for the parameters of `spec`, by name: row-major, floats in f64.
std::vector<HostArgument> makeSpecArguments(const KernelContract &spec, const KernelContract &contract,
                                            const std::vector<HostArgument> &arguments);

/// Sets each element of an `out` tensor of integers or bools to another value than it should get, so that one that the
/// kernel does not write differs; floats are poisoned with NaN already.
void poisonAgainst(NpyArray &tensor, const NpyArray &expected, uint64_t seed);

} // namespace tile

#endif
