/// A kernel on the CPU interpreter with arguments in host memory.
#ifndef RUNTIME_EXECUTE_INTERPRET_H
#define RUNTIME_EXECUTE_INTERPRET_H

#include "backend/interpreter/Interpreter.h"
#include "runtime/execute/Execute.h"

namespace tile {

/// Arguments that fit the contract, as the interpreter takes them. The memory stays that of the host arguments.
struct InterpreterLaunch {
  Binding binding;
  std::vector<Buffer> buffers;
  std::vector<size_t> parameters; ///< of each buffer

  Invocation invocation() const;
};

/// Checks `arguments` and binds them, where `num_sms()` is `numSms`; none after reporting.
std::optional<InterpreterLaunch> bindForInterpreter(Session &session, const KernelContract &contract,
                                                    std::vector<HostArgument> &arguments, int numSms);

/// Reports why the interpreter did not start.
void reportInterpretError(Session &session, llvm::Error error);

/// Runs the kernel; an empty grid is a run without programs. None after reporting; findings are only returned.
std::optional<InterpretReport> interpretKernel(Session &session, const LoadedKernel &kernel,
                                               const InterpreterLaunch &launch, const RunOptions &options);

/// Reports what a program did wrong, where it stands in the source.
void report(Session &session, const Finding &finding);

} // namespace tile

#endif
