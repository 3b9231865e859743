#include "runtime/execute/Interpret.h"

#include "runtime/execute/LaunchArguments.h"

namespace tile {

static Element elementOf(DataType type) {
  switch (type) {
  case DataType::Bool:
    return Element::I1;
  case DataType::F8E4M3:
    return Element::F8E4M3;
  case DataType::F8E5M2:
    return Element::F8E5M2;
  case DataType::F16:
    return Element::F16;
  case DataType::BF16:
    return Element::BF16;
  case DataType::F32:
    return Element::F32;
  case DataType::F64:
    return Element::F64;
  default:
    return getBytes(type) == 1   ? Element::I8
           : getBytes(type) == 2 ? Element::I16
           : getBytes(type) == 4 ? Element::I32
                                 : Element::I64;
  }
}

/// `in program [3, 0, 0]: …; 12 times in all`
void report(Session &session, const Finding &finding) {
  std::string text = finding.message + ", in program [" + std::to_string(finding.program[0]) + ", " +
                     std::to_string(finding.program[1]) + ", " + std::to_string(finding.program[2]) + "]";
  if (finding.count > 1)
    text += "; " + std::to_string(finding.count) + " times in all";
  if (finding.kind == FindingKind::LoopLimit)
    text += kMoreSteps;
  session.report(Code::E0604, finding.location, text);
}

Invocation InterpreterLaunch::invocation() const {
  Invocation result;
  result.arguments = binding.cells;
  result.buffers = buffers;
  std::copy(binding.grid.begin(), binding.grid.end(), result.grid.begin());
  return result;
}

std::optional<InterpreterLaunch> bindForInterpreter(Session &session, const KernelContract &contract,
                                                    std::vector<HostArgument> &arguments, int numSms) {
  InterpreterLaunch launch;
  std::vector<const void *> bases;
  for (auto [index, argument] : llvm::enumerate(arguments))
    bases.push_back(argument.tensor.data.data());
  std::optional<std::vector<Argument>> bound = toLaunchArguments(session, contract, arguments, bases);
  if (!bound)
    return std::nullopt;
  BindOptions options;
  options.numSms = numSms;
  std::optional<Binding> binding = take(session, bindArguments(contract, *bound, options));
  if (!binding)
    return std::nullopt;
  launch.binding = std::move(*binding);
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    const Parameter &parameter = contract.parameters[index];
    NpyArray &tensor = argument.tensor;
    if (argument.kind != HostArgument::Kind::Tensor)
      continue;
    launch.buffers.push_back({parameter.name, tensor.data.data(), static_cast<int64_t>(tensor.data.size()),
                              elementOf(tensor.type), mayWrite(parameter), isDefined(argument, parameter)});
    launch.parameters.push_back(index);
  }
  return launch;
}

void reportInterpretError(Session &session, llvm::Error error) {
  llvm::handleAllErrors(
      std::move(error),
      [&](const InterpretError &refused) { session.report(Code::E0601, refused.location, refused.message); },
      [&](const llvm::ErrorInfoBase &other) { session.report(Code::E0601, other.message()); });
}

std::optional<InterpretReport> interpretKernel(Session &session, const LoadedKernel &kernel,
                                               const InterpreterLaunch &launch, const RunOptions &options) {
  if (launch.binding.isEmpty())
    return InterpretReport();
  InterpretOptions interpretOptions;
  interpretOptions.threads = options.threads;
  interpretOptions.maxLoopTurns = options.limits.loopTurns;
  interpretOptions.checked = options.edges;
  interpretOptions.conflicts = interpretOptions.uninitialized = options.checked;
  llvm::Expected<InterpretReport> report = interpret(kernel.function, launch.invocation(), interpretOptions);
  if (report)
    return std::move(*report);
  reportInterpretError(session, report.takeError());
  return std::nullopt;
}

} // namespace tile
