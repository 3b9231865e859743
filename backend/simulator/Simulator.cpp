#include "backend/simulator/Simulator.h"

#include "backend/simulator/decode/Decoder.h"
#include "backend/simulator/machine/Grid.h"
#include "backend/simulator/machine/Limits.h"

namespace tile::sim {

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

/// Why a grid or a CTA is larger than one may be; empty if it is not.
static std::string checkExtents(const std::string &what, const std::array<uint32_t, 3> &found,
                                const std::array<uint32_t, 3> &most) {
  for (unsigned axis = 0; axis < 3; ++axis)
    if (!found[axis] || found[axis] > most[axis])
      return "found a " + what + " of " + shape(found) + "; expected 1 to " + std::to_string(most[axis]) + " along " +
             "xyz"[axis];
  return {};
}

/// Why a launch takes more memory than there is; empty if it does not.
static std::string checkMemory(const Program &program, const Launch &launch, unsigned hostThreads) {
  uint64_t shared = program.dynamicSharedOffset + launch.dynamicShared, most = sharedLimitsOf(program.target).all;
  if (launch.dynamicShared > most || shared > most)
    return "found " + std::to_string(launch.dynamicShared) + " bytes of dynamic shared memory behind " +
           std::to_string(program.dynamicSharedOffset) + " static ones; expected at most " + std::to_string(most) +
           " in all on " + program.target;
  uint64_t ctas = uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2]; // below 2^63
  uint64_t resident = std::min<uint64_t>(program.communicates ? kResidentCtas : hostThreads, ctas);
  uint64_t threads = resident * launch.block[0] * launch.block[1] * launch.block[2];
  uint64_t local = threads * (program.localBytes + program.callBytes);
  if (local > kMostResidentLocalBytes)
    return "found " + std::to_string(local) + " bytes of local memory in the " + std::to_string(threads) +
           " threads that run at once; expected at most " + std::to_string(kMostResidentLocalBytes) +
           " on the simulator";
  return {};
}

/// CTAs run one after the other: this many take minutes even where each does next to nothing.
static constexpr uint64_t kMostCtas = 1 << 24;

/// Why a launch does not fit; empty if it does.
static std::string checkLaunch(const Program &program, const Launch &launch, const RunOptions &options) {
  if (std::string problem = checkExtents("grid", launch.grid, kMostGrid); !problem.empty())
    return problem;
  uint64_t ctas = uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2]; // below 2^63
  if (options.maxSteps && ctas > kMostCtas)
    return "found " + std::to_string(ctas) + " CTAs; expected at most " + std::to_string(kMostCtas) +
           " where the steps of a warp have a limit";
  uint64_t threads = uint64_t(launch.block[0]) * launch.block[1] * launch.block[2];
  if (threads > kMostThreads)
    return "found " + std::to_string(threads) + " threads per CTA; expected 1 to " + std::to_string(kMostThreads);
  if (std::string problem = checkExtents("CTA", launch.block, kMostBlock); !problem.empty())
    return problem;
  std::array<uint32_t, 3> required = {program.requiredThreads[0], program.requiredThreads[1],
                                      program.requiredThreads[2]};
  if (required[0] && launch.block != required)
    return "found a CTA of " + shape(launch.block) + " threads; `.reqntid` of `" + program.kernel + "` is " +
           shape(required);
  if (program.maximumThreads && threads > program.maximumThreads)
    return "found " + std::to_string(threads) + " threads per CTA; `.maxntid` of `" + program.kernel + "` allows " +
           std::to_string(program.maximumThreads);
  if (std::string problem = checkMemory(program, launch, hostThreadsOf(options)); !problem.empty())
    return problem;
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
  if (std::string problem = checkLaunch(program, launch, options); !problem.empty())
    return Refusal{std::move(problem), 0};
  return Grid(program, launch, options).run();
}

} // namespace tile::sim
