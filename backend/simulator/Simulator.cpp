#include "backend/simulator/Simulator.h"

#include "backend/simulator/decode/Decoder.h"
#include "backend/simulator/machine/Grid.h"

namespace tile::sim {

/// Threads of a CTA, on every GPU (CUDA C++ Programming Guide, "Compute capabilities").
constexpr uint64_t kMostThreads = 1024;

std::variant<std::unique_ptr<const Program>, Refusal> load(const ptx::Module &module, const std::string &kernel) {
  const ptx::Function *function = module.find(kernel);
  if (function && function->isKernel && !function->isDeclaration)
    return Decoder(module).decode(*function);
  std::string known;
  for (const ptx::Function &candidate : module.functions)
    if (candidate.isKernel)
      known += (known.empty() ? "`" : ", `") + candidate.name + "`";
  return Refusal{"the module has no kernel `" + kernel + "`" + (known.empty() ? "" : "; it has " + known), 0};
}

static std::string shape(const std::array<uint32_t, 3> &extents) {
  return std::to_string(extents[0]) + " x " + std::to_string(extents[1]) + " x " + std::to_string(extents[2]);
}

/// Why a launch does not fit; empty if it does.
static std::string checkLaunch(const Program &program, const Launch &launch) {
  uint64_t threads = uint64_t(launch.block[0]) * launch.block[1] * launch.block[2];
  if (!threads || threads > kMostThreads)
    return "found " + std::to_string(threads) + " threads per CTA; expected 1 to " + std::to_string(kMostThreads);
  std::array<uint32_t, 3> required = {program.requiredThreads[0], program.requiredThreads[1],
                                      program.requiredThreads[2]};
  if (required[0] && launch.block != required)
    return "found a CTA of " + shape(launch.block) + " threads; `.reqntid` of `" + program.kernel + "` is " +
           shape(required);
  if (program.maximumThreads && threads > program.maximumThreads)
    return "found " + std::to_string(threads) + " threads per CTA; `.maxntid` of `" + program.kernel + "` allows " +
           std::to_string(program.maximumThreads);
  if (launch.arguments.size() != program.parameters.size())
    return "found " + std::to_string(launch.arguments.size()) + " arguments; `" + program.kernel + "` takes " +
           std::to_string(program.parameters.size());
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const Argument &argument = launch.arguments[i];
    uint64_t found = argument.isPointer ? 8 : argument.scalar.size(), expected = program.parameters[i].bytes;
    if (found != expected)
      return "argument " + std::to_string(i) + " has " + std::to_string(found) + " bytes; `" +
             program.parameters[i].name + "` takes " + std::to_string(expected);
  }
  return {};
}

std::variant<RunResult, Refusal> run(const Program &program, const Launch &launch, const RunOptions &options) {
  if (std::string problem = checkLaunch(program, launch); !problem.empty())
    return Refusal{std::move(problem), 0};
  return Grid(program, launch, options).run();
}

} // namespace tile::sim
