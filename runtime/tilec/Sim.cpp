/// `tilec sim FILE.ptx`: runs a kernel that any compiler wrote on the GPU simulator, with arguments by position, and
/// says what is wrong with it. Several seeds are several interleavings, whose results must be equal.
#include "runtime/tilec/Flags.h"
#include "runtime/tilec/JsonReport.h"
#include "runtime/tilec/RunFlags.h"
#include "runtime/tilec/SimulatorFlags.h"

#include "backend/simulator/Simulator.h"
#include "backend/simulator/ptx/Parser.h"
#include "runtime/arguments/HostArgument.h"
#include "runtime/artifact/File.h"
#include "runtime/execute/Execute.h"
#include "runtime/execute/LaunchArguments.h"
#include "runtime/execute/SimulatorFindings.h"

#include "llvm/Support/JSON.h"

#include <iostream>

namespace tile {

static TextOption kernelOption{{"kernel", "NAME", "which kernel; may be left out where there is one"}, {Command::Sim}};
static TextOption gridOption{{"grid", "X,Y,Z", "CTAs of the grid; default 1"}, {Command::Sim}};
static TextOption blockOption{{"block", "X,Y,Z", "threads of a CTA; default what `.reqntid` says, else 32"},
                              {Command::Sim}};
static NumberOption sharedOption{
    {"shared", "BYTES", "dynamic shared memory of a CTA; default 0"}, {Command::Sim}, 0, 1 << 20};
static ListOption argumentOption{{"arg", "VALUE", "the next parameter, in the forms below"}, {Command::Sim}};
static ListOption saveOption{{"save", "N=FILE.npy", "write the N-th argument, from 0, after the first run"},
                             {Command::Sim}};
static NumberOption seedOption{
    {"seed", "N", "of the inputs and of the first schedule; default 1"}, {Command::Sim}, 1, UINT64_MAX};
static NumberOption seedsOption{
    {"seeds", "N", "schedules to try, whose results must be equal; default 1"}, {Command::Sim}, 1, 1000000, 1};
static NumberOption stepsOption{{"max-steps", "N",
                                 "instructions that a warp may run, in a grid of at most 16777216 CTAs; default "
                                 "10000000, 0: any number of both"},
                                {Command::Sim},
                                StepLimits().warpInstructions,
                                UINT64_MAX};
static Switch jsonOption{{"json", "", "print the result as one JSON object, also of a run that fails"}, {Command::Sim}};

static bool printsJson() { return jsonOption.isOn() || wantsCountersAsJson(); }

/// `X`, `X,Y` or `X,Y,Z`.
static std::optional<std::array<uint32_t, 3>> readExtents(Session &session, const TextOption &option) {
  std::array<uint32_t, 3> extents = {1, 1, 1};
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(option.get()).split(words, ',');
  bool fits = words.size() <= 3;
  for (size_t i = 0; fits && i < words.size(); ++i)
    fits = !words[i].trim().getAsInteger(10, extents[i]) && extents[i] > 0;
  if (fits)
    return extents;
  session.report(Code::E0602, "`" + option.spelling() + "` is `" + option.get() +
                                  "`; expected one to three positive numbers, `X,Y,Z`");
  return std::nullopt;
}

/// What a kernel of ours is called in the source: `softmax` of the variant `softmax$fast`.
static llvm::StringRef sourceName(llvm::StringRef name) {
  return name.take_until([](char c) { return c == '$'; });
}

/// The kernel that is meant: the name given, or the only one. A name in the source means the generic variant, whose
/// name is plain, or the only one that there is.
static std::optional<std::string> chooseKernel(Session &session, const sim::ptx::Module &module) {
  const std::string &given = kernelOption.get();
  std::vector<std::string> known, meant;
  for (const sim::ptx::Function &function : module.functions)
    if (function.isKernel) {
      known.push_back(function.name);
      if (given.empty() || function.name == given || sourceName(function.name) == given)
        meant.push_back(function.name);
    }
  for (const std::string &name : meant)
    if (name == given || meant.size() == 1)
      return name;
  if (!given.empty() && meant.empty())
    return given; // refused where it is loaded
  session.report(Code::E0602, known.empty() ? "the module has no kernel"
                                            : "found " + std::to_string(meant.size()) + " kernels: `" +
                                                  llvm::join(meant, "`, `") + "`; choose one with `--kernel NAME`");
  return std::nullopt;
}

namespace {
/// The arguments as the command line has them, and as a launch takes them.
struct SimArguments {
  std::vector<HostArgument> host;
  std::vector<sim::Argument> launch;
};
} // namespace

static std::optional<SimArguments> readArguments(Session &session, const sim::Program &program) {
  SimArguments result;
  for (const std::string &text : argumentOption.get()) {
    std::optional<HostArgument> argument = take(session, makeHostArgument(text, seedOption.get()));
    if (!argument || (argument->kind == HostArgument::Kind::Tensor && !take(session, argument->allocate())))
      return std::nullopt;
    result.host.push_back(std::move(*argument));
  }
  for (auto [number, argument] : llvm::enumerate(result.host)) {
    sim::Argument passed;
    if (argument.kind == HostArgument::Kind::Tensor) {
      passed.isPointer = true;
      passed.buffer = number;
    } else if (argument.kind == HostArgument::Kind::None) {
      passed.scalar.assign(8, 0);
    } else if (!argument.scalarType) {
      session.report(Code::E0603, "argument " + std::to_string(number) + " is `" + argument.scalarText +
                                      "` without a type; PTX has no signature to take it from: `i32:7`, `f32:0.5`");
      return std::nullopt;
    } else {
      std::optional<uint64_t> bits = take(session, scalarBits(argument, *argument.scalarType));
      if (!bits)
        return std::nullopt;
      const auto *bytes = reinterpret_cast<const uint8_t *>(&*bits);
      passed.scalar.assign(bytes, bytes + getBytes(*argument.scalarType));
    }
    result.launch.push_back(std::move(passed));
  }
  return result;
}

/// Where each `--save` goes, by argument.
static std::optional<std::vector<std::pair<size_t, std::string>>>
readSavings(Session &session, const std::vector<HostArgument> &arguments) {
  std::vector<std::pair<size_t, std::string>> savings;
  for (const std::string &text : saveOption.get()) {
    auto [number, path] = llvm::StringRef(text).split('=');
    size_t index;
    if (number.getAsInteger(10, index) || path.empty() || index >= arguments.size() ||
        arguments[index].kind != HostArgument::Kind::Tensor) {
      session.report(Code::E0602, "`--save " + text +
                                      "` names no tensor; expected `N=FILE.npy` with the place of one "
                                      "among the arguments, from 0");
      return std::nullopt;
    }
    savings.push_back({index, path.str()});
  }
  return savings;
}

static void print(const sim::Program &program, const sim::RunResult &result,
                  const std::vector<HostArgument> &arguments) {
  uint64_t instructions = 0;
  for (const sim::InstructionCount &count : result.counts)
    instructions += count.warps;
  std::cout << program.kernel << " on the GPU simulator, seed " << seedOption.get() << ": " << instructions
            << " instructions of warps, " << result.findings.size()
            << (result.findings.size() == 1 ? " finding\n" : " findings\n");
  for (auto [number, argument] : llvm::enumerate(arguments))
    if (argument.kind == HostArgument::Kind::Tensor)
      std::cout << "  " << number << ": " << getName(argument.tensor.type) << " checksum "
                << llvm::formatv("{0:x-16}", checksum(argument.tensor)).str() << "\n";
}

/// What the schedule of `seed` leaves in an argument is not what that of the first seed does.
static sim::Finding differenceOf(size_t number, const NpyArray &first, const NpyArray &other, uint64_t seed) {
  size_t bytes = getBytes(first.type);
  size_t byte = std::mismatch(first.data.begin(), first.data.end(), other.data.begin()).first - first.data.begin();
  sim::Finding finding;
  finding.fault = sim::Fault::ScheduleDifference;
  finding.hasPlace = false;
  finding.memory = sim::Extent{"argument " + std::to_string(number), int64_t(byte / bytes * bytes), bytes};
  finding.message = "`" + finding.memory->buffer + "` differs between the schedules of seeds " +
                    std::to_string(seedOption.get()) + " and " + std::to_string(seed) + ", first at element " +
                    std::to_string(byte / bytes);
  return finding;
}

/// What to do about a finding, where that is a matter of the command line.
static std::string adviceFor(const sim::Finding &finding) {
  bool isShared =
      finding.fault == sim::Fault::OutOfBounds && finding.memory && finding.memory->buffer == sim::kSharedMemoryName;
  return isShared
             ? "; `--shared=BYTES` gives dynamic shared memory, here " + std::to_string(sharedOption.get()) + " bytes"
             : "";
}

/// Runs `seeds` schedules on the same inputs; the results of the first stay in `arguments`. Gives the findings of all;
/// what the kernel prints goes to `printed`.
static std::optional<sim::RunResult> runSeeds(Session &session, const sim::Program &program, sim::Launch launch,
                                              SimArguments &arguments, sim::Checks checks,
                                              const std::function<void(const std::string &)> &printed) {
  std::vector<NpyArray> inputs, results;
  for (const HostArgument &argument : arguments.host)
    inputs.push_back(argument.tensor);
  std::optional<sim::RunResult> all;
  sim::Findings findings;
  bool differs = false; // found once: others may differ for the same reason
  for (uint64_t run = 0; run < seedsOption.get(); ++run) {
    std::vector<NpyArray> tensors = inputs;
    launch.buffers.clear();
    for (auto [number, tensor] : llvm::enumerate(tensors))
      launch.buffers.push_back({"argument " + std::to_string(number), reinterpret_cast<uint8_t *>(tensor.data.data()),
                                tensor.data.size(), !arguments.host[number].isPoisoned, true});
    sim::RunOptions options;
    options.seed = seedOption.get() + run;
    options.maxSteps = stepsOption.get();
    options.counters = wantsCounters() && run == 0;
    options.checks = checks;
    options.print = printed;
    auto outcome = sim::run(program, launch, options);
    if (auto *refusal = std::get_if<sim::Refusal>(&outcome)) {
      session.report(Code::E0602, "the simulator refuses the launch: " + refusal->message);
      return std::nullopt;
    }
    for (const sim::Finding &finding : std::get<0>(outcome).findings)
      findings.add(finding);
    if (run == 0) {
      all = std::move(std::get<0>(outcome));
      results = std::move(tensors);
      continue;
    }
    for (size_t i = 0; i < tensors.size() && !differs; ++i)
      if ((differs = tensors[i].data != results[i].data))
        findings.add(differenceOf(i, results[i], tensors[i], options.seed));
  }
  all->findings = findings.sorted();
  for (auto [argument, result] : llvm::zip_equal(arguments.host, results))
    argument.tensor = std::move(result);
  return all;
}

/// What there is to print as JSON goes to `report`.
static void simulate(Session &session, const std::string &path, llvm::json::Object &report) {
  if (seedsOption.get() - 1 > UINT64_MAX - seedOption.get())
    return session.report(Code::E0602, "found " + std::to_string(seedsOption.get()) + " seeds from " +
                                           std::to_string(seedOption.get()) + "; expected none above " +
                                           std::to_string(UINT64_MAX));
  std::optional<sim::Checks> checks = checksOfSimulator(session, DeviceKind::Simulator);
  std::optional<FileId> file = checks ? session.read(path) : std::nullopt;
  if (!file)
    return;
  sim::ptx::Parsed module = sim::ptx::parse(session.sources.text(*file));
  if (!module)
    return session.report(Code::E0602, path + ":" + std::to_string(module.error().line) + ":" +
                                           std::to_string(module.error().column) + ": " + module.error().message);
  std::optional<std::string> kernel = chooseKernel(session, *module);
  if (!kernel)
    return;
  auto loaded = sim::load(*module, *kernel);
  if (auto *refusal = std::get_if<sim::Refusal>(&loaded))
    return session.report(Code::E0602,
                          path + (refusal->line ? ":" + std::to_string(refusal->line) : "") + ": " + refusal->message);
  const sim::Program &program = *std::get<0>(loaded);

  sim::Launch launch;
  if (!gridOption.empty()) {
    std::optional<std::array<uint32_t, 3>> grid = readExtents(session, gridOption);
    if (!grid)
      return;
    launch.grid = *grid;
  }
  launch.block = {32, 1, 1};
  if (program.requiredThreads[0])
    std::copy(std::begin(program.requiredThreads), std::end(program.requiredThreads), launch.block.begin());
  if (!blockOption.empty()) {
    std::optional<std::array<uint32_t, 3>> block = readExtents(session, blockOption);
    if (!block)
      return;
    launch.block = *block;
  }
  launch.dynamicShared = sharedOption.get();
  std::optional<SimArguments> arguments = readArguments(session, program);
  auto savings = arguments ? readSavings(session, arguments->host) : std::nullopt;
  if (!savings)
    return;
  launch.arguments = arguments->launch;
  std::string printed;
  auto keep = [&](const std::string &text) { printed += text; };
  auto show = [](const std::string &text) { std::cout << text; };
  std::optional<sim::RunResult> result = printsJson()
                                             ? runSeeds(session, program, std::move(launch), *arguments, *checks, keep)
                                             : runSeeds(session, program, std::move(launch), *arguments, *checks, show);
  if (!result)
    return;
  for (const auto &[number, target] : *savings)
    if (!take(session, writeNpy(target, arguments->host[number].tensor.view())))
      return;
  std::optional<sim::CounterReport> counters;
  if (wantsCounters())
    counters = sim::reportCounters(program, result->counted, path);
  if (printsJson()) {
    report = toJson(program, *result);
    if (!printed.empty())
      report["printed"] = llvm::json::fixUTF8(printed);
    if (counters)
      report["counters"] = countersToJson(session, *counters);
  } else {
    print(program, *result, arguments->host);
    if (counters)
      printCounters(session, *counters);
  }
  for (const sim::Finding &finding : result->findings)
    session.report(Code::E0604, describe(program, finding) + adviceFor(finding));
}

int simMain(const std::string &input) {
  Session session(/*wantsRemarks=*/false);
  llvm::json::Object report;
  simulate(session, input, report);
  if (printsJson())
    printJsonReport(session, std::move(report));
  return finish(session);
}

} // namespace tile
