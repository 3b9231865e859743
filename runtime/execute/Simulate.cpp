#include "runtime/execute/Simulate.h"

#include "backend/simulator/Simulator.h"
#include "backend/simulator/machine/Memory.h"
#include "backend/simulator/ptx/Parser.h"
#include "runtime/execute/LaunchArguments.h"
#include "runtime/execute/SimulatorFindings.h"
#include "runtime/launch/Memory.h"

#include <chrono>

using namespace mlir;

namespace tile {

std::optional<SimulatorCode> buildForSimulator(Session &session, FileId file, LoadedKernel &kernel,
                                               const BuildOptions &options) {
  Location place = kernel.function.getLoc(); // the module is spent on the build
  BuildOptions build = options;
  // Registers and spills are known to the assembler only, whose code the simulator has no use for.
  build.compile.last = build.reports ? Stage::Cubin : Stage::Ptx;
  build.describe = true;
  std::optional<Artifact> artifact = tile::build(session, file, *kernel.module, build);
  std::optional<Manifest> manifest = artifact ? take(session, readManifest(artifact->manifest)) : std::nullopt;
  if (!manifest)
    return std::nullopt;
  sim::ptx::Parsed module = sim::ptx::parse(artifact->ptx);
  if (!module) {
    session.report(Code::E0999,
                   "line " + std::to_string(module.error().line) + " of the generated PTX: " + module.error().message);
    return std::nullopt;
  }
  return SimulatorCode{std::move(*module), std::move(manifest->kernels.front()), place};
}

/// Where an instruction stands in the source; the kernel if the code does not say.
static Location locationOf(const sim::Program &program, const sim::Place &place, Location kernel) {
  const sim::ptx::Location *where = sourceOf(program, place);
  return where ? FileLineColLoc::get(kernel.getContext(), program.files[where->file], where->line, where->column)
               : kernel;
}

/// Reports a finding at its line of the source, and points at that of the other access.
static void report(Session &session, const sim::Program &program, const sim::Finding &finding, Location kernel) {
  DiagnosticBuilder diagnostic =
      session.report(Code::E0604, locationOf(program, finding.place, kernel), describe(program, finding));
  if (finding.hasOther && sourceOf(program, finding.other))
    if (SourceRange other = session.place(locationOf(program, finding.other, kernel)); other.isValid())
      diagnostic.secondary(other, "the other access: " + describe(program, finding.other));
}

std::optional<RunResult> runOnSimulator(Session &session, const SimulatorCode &built,
                                        std::vector<HostArgument> &arguments, const RunOptions &options) {
  sim::Launch launch;
  std::vector<const void *> bases;
  for (auto [argument, parameter] : llvm::zip_equal(arguments, built.contract.parameters)) {
    // Each tensor is a buffer of its own, at an address that only the simulator knows.
    bases.push_back(reinterpret_cast<const void *>(sim::genericAddress(launch.buffers.size() + 1, 0)));
    launch.buffers.push_back({parameter.name, reinterpret_cast<uint8_t *>(argument.tensor.data.data()),
                              argument.tensor.data.size(), isDefined(argument, parameter), mayWrite(parameter)});
  }
  std::optional<std::vector<Argument>> given = toLaunchArguments(session, built.contract, arguments, bases);
  BindOptions bindOptions;
  bindOptions.numSms = kHostSms;
  std::optional<Binding> binding =
      given ? take(session, bindArguments(built.contract, *given, bindOptions)) : std::nullopt;
  if (!binding)
    return std::nullopt;
  RunResult result;
  result.device = nameOf(DeviceKind::Simulator);
  result.grid = binding->grid;
  if (options.counters)
    result.counters.emplace();
  if (binding->isEmpty())
    return result;
  const Variant &variant = *binding->variant;
  result.variant = variant.name;
  result.whyVariant = whyNotPreferred(built.contract, variant, *given);

  unsigned grid[3];
  if (!take(session, layOutGrid(variant, binding->grid, grid)))
    return std::nullopt;
  std::copy(grid, grid + 3, launch.grid.begin());
  launch.block[0] = static_cast<uint32_t>(variant.warps * sim::kLanes);
  launch.dynamicShared = variant.sharedBytes;
  auto program = sim::load(built.module, variant.symbol);
  if (auto *refusal = std::get_if<sim::Refusal>(&program)) {
    session.report(Code::E0602, built.place,
                   "the simulator refuses line " + std::to_string(refusal->line) + " of the PTX: " + refusal->message);
    return std::nullopt;
  }
  const sim::Program &code = *std::get<0>(program);
  for (auto [cell, parameter] : llvm::zip_equal(binding->cells, code.parameters)) {
    sim::Argument argument;
    const auto *bytes = reinterpret_cast<const uint8_t *>(&cell);
    argument.scalar.assign(bytes, bytes + parameter.bytes);
    launch.arguments.push_back(std::move(argument));
  }

  sim::RunOptions runOptions;
  runOptions.seed = options.seed;
  runOptions.hostThreads = options.threads;
  runOptions.checks = options.simulatorChecks;
  runOptions.maxSteps = options.limits.warpInstructions;
  runOptions.counters = options.counters;
  // A program is a CTA, and an element belongs to the program that writes it.
  runOptions.equalWrites = sim::check::EqualWrites::OfCtasConflict;
  auto start = std::chrono::steady_clock::now();
  auto outcome = sim::run(code, launch, runOptions);
  if (auto *refusal = std::get_if<sim::Refusal>(&outcome)) {
    session.report(Code::E0602, built.place, "the simulator refuses the launch: " + refusal->message);
    return std::nullopt;
  }
  result.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  result.isTimed = true;
  if (options.counters)
    result.counters = sim::reportCounters(code, std::get<0>(outcome).counted);
  for (const sim::Finding &finding : std::get<0>(outcome).findings) {
    report(session, code, finding, built.place);
    if (options.findings)
      options.findings->push_back(toJson(code, finding));
  }
  return result;
}

} // namespace tile
