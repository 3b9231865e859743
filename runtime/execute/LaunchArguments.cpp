#include "runtime/execute/LaunchArguments.h"

#include "ir/TileGPU/Variants.h"
#include "runtime/launch/Memory.h"

namespace tile {

void report(Session &session, const Error &error) {
  session.report(error.code == ErrorCode::InvalidArgument || error.code == ErrorCode::NotCompiled ? Code::E0603
                                                                                                  : Code::E0602,
                 error.message);
}

bool take(Session &session, Status status) {
  if (!status)
    report(session, status.error());
  return status.ok();
}

std::optional<std::vector<Argument>> toLaunchArguments(Session &session, const KernelContract &contract,
                                                       std::vector<HostArgument> &arguments,
                                                       llvm::ArrayRef<const void *> bases) {
  return take(session, toLaunchArguments(contract, arguments, bases.vec()));
}

static int64_t bytesOf(const HostArgument &argument) {
  return argument.bytes ? argument.bytes : static_cast<int64_t>(argument.tensor.data.size());
}

/// Where the tensors could lie, side by side: addresses that nothing reads.
static std::vector<const void *> placeholders(const std::vector<HostArgument> &arguments) {
  constexpr uint64_t kPage = 4096;
  uint64_t next = kPage;
  std::vector<const void *> bases;
  for (const HostArgument &argument : arguments) {
    bases.push_back(reinterpret_cast<const void *>(next));
    next += (bytesOf(argument) / kPage + 1) * kPage;
  }
  return bases;
}

Result<Binding> bindShapes(const KernelContract &contract, std::vector<HostArgument> &arguments, int numSms) {
  Result<std::vector<Argument>> bound = toLaunchArguments(contract, arguments, placeholders(arguments));
  BindOptions options;
  options.numSms = numSms;
  return bound ? bindArguments(contract, *bound, options) : bound.error();
}

const KernelContract *chooseInstance(Session &session, const std::vector<const KernelContract *> &instances,
                                     std::vector<HostArgument> &arguments, int numSms) {
  // Scalars are read as each instance has them.
  for (const KernelContract *instance : instances)
    if (bindShapes(*instance, arguments, numSms))
      return instance;
  BindOptions options;
  options.numSms = numSms;
  std::optional<std::vector<Argument>> bound =
      toLaunchArguments(session, *instances.front(), arguments, placeholders(arguments));
  std::optional<Binding> binding = bound ? take(session, bindInstance(instances, *bound, options)) : std::nullopt;
  return binding ? binding->kernel : nullptr;
}

std::optional<std::string> variantOf(Session &session, const KernelContract &contract,
                                     std::vector<HostArgument> &arguments) {
  std::optional<std::vector<Argument>> bound = toLaunchArguments(session, contract, arguments, placeholders(arguments));
  if (!bound)
    return std::nullopt;
  bool takesTensors = llvm::any_of(
      contract.parameters, [](const Parameter &parameter) { return parameter.kind == Parameter::Kind::Tensor; });
  for (const tgpu::Variant &each : tgpu::allVariants()) {
    if (!each.isMade(takesTensors))
      continue;
    Variant variant;
    for (const VariantRequirement &requirement : kVariantRequirements)
      variant.*requirement.member = llvm::is_contained(each.conditions, requirement.word);
    if (!findObstacle(variant, contract, *bound))
      return each.name.str();
  }
  return tgpu::allVariants().back().name.str();
}

bool allocateArguments(Session &session, std::vector<HostArgument> &arguments) {
  int64_t total = 0, most = machineMemory();
  for (const HostArgument &argument : arguments)
    total += bytesOf(argument);
  if (total > most) {
    session.report(Code::E0603, "the tensors take " + std::to_string(total) + " bytes; this machine has " +
                                    std::to_string(most) + " bytes of memory");
    return false;
  }
  for (HostArgument &argument : arguments)
    if (!take(session, argument.allocate()))
      return false;
  return true;
}

} // namespace tile
