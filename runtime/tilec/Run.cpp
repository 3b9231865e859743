/// `tilec run FILE`: compiles one kernel for the arguments given, runs it and says what came out.
#include "runtime/tilec/Flags.h"
#include "runtime/tilec/JsonReport.h"
#include "runtime/tilec/RunFlags.h"
#include "runtime/tilec/SimulatorFlags.h"
#include "runtime/tilec/StoreFlags.h"

#include "runtime/artifact/Cubin.h"
#include "runtime/execute/Execute.h"
#include "runtime/execute/LaunchArguments.h"
#include "runtime/execute/Signature.h"
#include "runtime/execute/SimulatorCounters.h"
#include "runtime/search/KeptCode.h"
#include "runtime/search/Tune.h"
#include "runtime/tune/Interrupt.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_os_ostream.h"

#include <iostream>
#include <random>

using namespace llvm;
using mlir::ModuleOp;
using mlir::OwningOpRef;
using mlir::UnknownLoc;

namespace tile {

static ListOption argumentOption{{"arg", "NAME=VALUE", "a parameter, in the forms below"},
                                 {Command::Run, Command::Tune}};
static ListOption saveOption{{"save", "NAME=FILE.npy", "write a tensor after the run"}, {Command::Run}};
static ChoiceOption deviceOption{
    {"device", "auto|gpu|cpu|sim",
     "where it runs; default auto: the GPU if there is one, else the CPU interpreter; sim: the code for the GPU on a "
     "simulator, which finds races, undefined values and deadlocks"},
    {Command::Run, Command::Check},
    {"auto", "gpu", "cpu", "sim"},
    "auto"};
static NumberOption seedOption{{"seed", "N", "of random inputs; default: another one each time"},
                               {Command::Run, Command::Check, Command::Tune},
                               0,
                               UINT64_MAX};
static NumberOption maxStepsOption{
    {"max-steps", "N",
     "CPU: turns that all loops of one program may make together, default 100000000; simulator: instructions that a "
     "warp may run, default 10000000; 0: any number"},
    {Command::Run, Command::Check},
    0,
    INT64_MAX};
static NumberOption repeatOption{
    {"repeat", "N", "GPU: timed launches after the first; the median is printed; default 10"},
    {Command::Run},
    10,
    1000000};
static ChoiceOption tuneOption{
    {"tune", "never|missing|force",
     "GPU: whether configurations of `@autotune` are measured before the run: never (default; what is known is used, "
     "else the model's first), where nothing is known, or in any case"},
    {Command::Run},
    {"never", "missing", "force"},
    "never"};
static Switch checkedOption{
    {"checked", "",
     "CPU: report writes that two programs do, reads of what nobody wrote, division by zero and long shifts"},
    {Command::Run}};

static FormOption countersOption{
    {"counters", "json",
     "simulator: print what each line moves and computes, coalescing and bank conflicts, the worst lines first"},
    {Command::Run, Command::Sim},
    {"json"}};

uint64_t seedOfRun() { return seedOption.isGiven() ? seedOption.get() : std::random_device()(); }

StepLimits stepLimitsOfRun() {
  if (!maxStepsOption.isGiven())
    return {};
  return {static_cast<int64_t>(maxStepsOption.get()), maxStepsOption.get()};
}

bool wantsCounters() { return countersOption.isGiven(); }

bool wantsCountersAsJson() { return countersOption.is("json"); }

/// Finds lines in the files that were read.
static LineText textIn(const Session &session) {
  return [&session](const std::string &name, unsigned line) -> std::string {
    FileId file;
    for (uint32_t i = 0; i < session.sources.size(); ++i)
      if (session.sources.name({i}) == name)
        file = {i};
    if (!file.isValid() || line == 0 || line > session.sources.lineCount(file))
      return {};
    SmallVector<StringRef> words;
    SplitString(session.sources.line(file, line), words);
    return join(words, " ");
  };
}

void printCounters(const Session &session, const sim::CounterReport &report) {
  raw_os_ostream out(std::cout);
  printCounters(out, report, textIn(session));
}

json::Object countersToJson(const Session &session, const sim::CounterReport &report) {
  return toJson(report, textIn(session));
}

void printReports(const std::vector<std::string> &reports, DeviceKind device) {
  // Beside JSON nothing may stand on stderr.
  if (!wantsRemarks() || printsJsonDiagnostics())
    return;
  if (device == DeviceKind::Cpu)
    std::cerr << "no code was compiled for the CPU interpreter; `--device=sim` and `--device=gpu` report on code\n";
  for (const std::string &text : reports)
    std::cerr << text;
}

std::optional<DeviceKind> deviceOfRun(Session &session) { return chooseDevice(session, deviceOption.get()); }

/// `[1823, 781]`
static std::string listOf(const std::vector<int64_t> &values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

static void printResult(const KernelContract &contract, const std::vector<HostArgument> &arguments,
                        const RunResult &result, uint64_t seed) {
  std::cout << contract.name << " on " << result.device << ": grid " << listOf(result.grid);
  if (!result.variant.empty())
    std::cout << ", variant " << result.variant;
  std::string constants = result.instance.empty() ? contract.describeInstance() : result.instance;
  if (!constants.empty())
    std::cout << ", " << constants;
  std::cout << ", seed " << seed << "\n";
  if (!result.whyVariant.empty())
    std::cout << "  not the faster variant: " << result.whyVariant << "\n";
  // The simulator's own time says nothing of the kernel's.
  bool isSimulated = result.device == nameOf(DeviceKind::Simulator);
  if (result.isTimed)
    std::cout << formatv(isSimulated ? "  simulated in {0:f3} ms on the host\n" : "  time {0:f3} ms\n",
                         result.milliseconds)
                     .str();
  for (const auto &[argument, parameter] : zip_equal(arguments, contract.parameters))
    if (parameter.isWritten() && argument.kind == HostArgument::Kind::Tensor)
      std::cout << "  " << parameter.name << ": " << getName(argument.tensor.type) << listOf(argument.tensor.extents)
                << " checksum " << formatv("{0:x-16}", checksum(argument.tensor)).str() << "\n";
}

namespace {
/// A tensor to write after the run, and where.
struct Saving {
  size_t parameter;
  std::string path;
};
} // namespace

/// What --save asks for; found before the run, which may take long.
static std::optional<std::vector<Saving>> readSavings(Session &session, const KernelContract &contract,
                                                      const std::vector<HostArgument> &arguments) {
  std::vector<Saving> savings;
  for (const std::string &text : saveOption.get()) {
    auto [name, path] = StringRef(text).split('=');
    int index = contract.findParameter(std::string_view(name));
    std::string fault, tensors;
    for (const auto &[parameter, argument] : zip_equal(contract.parameters, arguments))
      if (argument.kind == HostArgument::Kind::Tensor)
        tensors += (tensors.empty() ? "`" : ", `") + parameter.name + "`";
    if (name.empty() || path.empty())
      fault = "is no pair; expected `NAME=FILE.npy`";
    else if (index < 0 || arguments[index].kind != HostArgument::Kind::Tensor)
      fault = "names no tensor; there are " + tensors;
    else if (!path.ends_with(".npy"))
      fault = "names no NumPy file; expected a name that ends in `.npy`";
    else if (StringRef folder = sys::path::parent_path(path); !folder.empty() && !sys::fs::is_directory(folder))
      fault = "is in no folder; expected one called `" + folder.str() + "`";
    for (const Saving &other : savings)
      if (other.path == path)
        fault = "names the file of `" + contract.parameters[other.parameter].name + "`; expected one for each tensor";
    if (!fault.empty()) {
      session.report(Code::E0602, "`--save " + text + "` " + fault);
      return std::nullopt;
    }
    savings.push_back({static_cast<size_t>(index), path.str()});
  }
  return savings;
}

static bool save(Session &session, const std::vector<Saving> &savings, const std::vector<HostArgument> &arguments) {
  for (const Saving &saving : savings)
    if (!take(session, writeNpy(saving.path, arguments[saving.parameter].tensor.view())))
      return false;
  return true;
}

const std::vector<std::string> &argumentsOfRun() { return argumentOption.get(); }

std::optional<std::vector<HostArgument>> readArguments(Session &session, const std::vector<std::string> &texts,
                                                       uint64_t seed) {
  std::vector<HostArgument> given;
  for (const std::string &text : texts) {
    std::optional<HostArgument> argument = take(session, makeHostArgument(text, seed));
    if (!argument)
      return std::nullopt;
    for (const HostArgument &other : given)
      if (!argument->name.empty() && other.name == argument->name) {
        session.report(Code::E0603,
                       "`" + argument->name + "` is given twice; expected one `--arg " + other.name + "=…`");
        return std::nullopt;
      }
    given.push_back(std::move(*argument));
  }
  return given;
}

/// Names the arguments that are given by position.
static void nameByPosition(const KernelContract &contract, std::vector<HostArgument> &given) {
  auto isGiven = [&](const std::string &name) {
    return any_of(given, [&](const HostArgument &argument) { return argument.name == name; });
  };
  auto next = contract.parameters.begin();
  for (HostArgument &argument : given) {
    if (!argument.name.empty())
      continue;
    next = std::find_if(next, contract.parameters.end(), [&](const Parameter &each) { return !isGiven(each.name); });
    if (next == contract.parameters.end())
      return;
    argument.name = next->name;
  }
}

/// Refuses poison for what the kernel only reads.
static bool checkFilled(Session &session, const KernelContract &contract, const std::vector<HostArgument> &arguments) {
  for (const auto &[argument, parameter] : zip_equal(arguments, contract.parameters))
    if (argument.isPoisoned && argument.bytes > 0 && !mayWrite(parameter)) {
      session.report(Code::E0603, "`" + parameter.name +
                                      "` is only read, and `empty` leaves nothing in it to read; expected a filling (" +
                                      listFillings() + ") or a file");
      return false;
    }
  return true;
}

/// Runs what `run(contract, arguments)` runs, once the arguments fit one of `instances`; saves, and prints or leaves
/// what there is to print as JSON in `report`.
template <typename Run>
static void runInstance(Session &session, const std::vector<const KernelContract *> &instances,
                        std::vector<HostArgument> given, DeviceKind device, uint64_t seed, json::Object &report,
                        Run run) {
  nameByPosition(*instances.front(), given);
  std::optional<std::vector<HostArgument>> arguments = orderArguments(session, *instances.front(), std::move(given));
  std::optional<int> numSms = arguments ? numSmsOf(session, device) : std::nullopt;
  const KernelContract *contract = numSms ? chooseInstance(session, instances, *arguments, *numSms) : nullptr;
  std::optional<std::vector<Saving>> savings = contract ? readSavings(session, *contract, *arguments) : std::nullopt;
  if (!savings || !checkFilled(session, *contract, *arguments) || !allocateArguments(session, *arguments))
    return;
  std::optional<RunResult> result = run(*contract, *arguments);
  if (result)
    session.showRemarksOf(result->variant);
  if (!result || !save(session, *savings, *arguments))
    return;
  if (result->counters && wantsCountersAsJson()) {
    report["kernel"] = contract->name;
    report["variant"] = result->variant;
    report["variant_reason"] = result->whyVariant;
    report["counters"] = countersToJson(session, *result->counters);
    return;
  }
  printResult(*contract, *arguments, *result, seed);
  if (result->counters)
    printCounters(session, *result->counters);
}

/// A kernel of a cubin, whose contract stands in it.
static void runCubinFile(Session &session, FileId file, DeviceKind device, const std::string &name,
                         json::Object &report) {
  std::string path(session.sources.name(file));
  std::string_view cubin = session.sources.text(file);
  Result<std::string_view> text = findManifest(cubin);
  Result<Manifest> manifest = text ? readManifest(*text) : Result<Manifest>(text.error());
  if (!manifest)
    return session.report(Code::E0602, "`" + path + "`: " + manifest.error().message);
  if (device != DeviceKind::Gpu) {
    std::string source = manifest->sourceFile.empty() ? "FILE.tile" : manifest->sourceFile;
    DiagnosticBuilder diagnostic =
        session.engine.report(Code::E0602, {},
                              "`" + path + "` is a cubin, machine code that a GPU alone runs; the " +
                                  std::string(nameOf(device)) + " needs the source it was made from, " + source);
    diagnostic.help(device == DeviceKind::Simulator
                        ? "write `tilec run " + source + " --device=sim`; it simulates the PTX of that source, as " +
                              "`tilec sim` does for any PTX"
                        : "write `tilec run " + source + " --device=cpu`");
    return;
  }
  std::vector<const KernelContract *> instances;
  std::vector<std::string_view> known;
  for (const KernelContract &contract : manifest->kernels) {
    if (contract.name == name || (name.empty() && (instances.empty() || instances[0]->name == contract.name)))
      instances.push_back(&contract);
    if (!is_contained(known, contract.name))
      known.push_back(contract.name);
  }
  if (instances.empty())
    return reportNoKernel(session, name, path, known);
  if (name.empty() && known.size() > 1)
    return session.report(Code::E0602, path + " has several kernels: `" + join(known, "`, `") +
                                           "`; choose one with `--kernel NAME`");
  uint64_t seed = seedOfRun();
  std::optional<std::vector<HostArgument>> given = readArguments(session, argumentsOfRun(), seed);
  if (given)
    runInstance(session, instances, std::move(*given), device, seed, report,
                [&](const KernelContract &contract, std::vector<HostArgument> &arguments) {
                  return runCubin(session, cubin, contract, UnknownLoc::get(&session.context), arguments,
                                  repeatOption.get());
                });
}

/// Gives `options` the configuration that the launch takes. False after reporting.
static bool chooseConfiguration(Session &session, const std::string &input, const ast::Module &syntax,
                                const ast::KernelItem &item, const std::vector<HostArgument> &given, uint64_t seed,
                                Kept &kept, BuildOptions &options) {
  static const std::map<std::string, TunePolicy> policies = {
      {"never", TunePolicy::Never}, {"missing", TunePolicy::Missing}, {"force", TunePolicy::Force}};
  std::optional<GpuName> gpu = gpuOfTune(session);
  std::optional<BuildOptions> build = gpu ? buildForGpu(session, options) : std::nullopt;
  if (!build)
    return false;
  TuneLaunch launch{input, &syntax, &item, std::move(*build), argumentsOfRun(), given, seed, *gpu};
  TuneOptions tuning;
  tuning.policy = policies.at(tuneOption.get());
  tuning.cache = &kept.cache;
  tuning.database = &kept.database;
  std::optional<Interrupt> interrupt; // only a search is worth stopping apart from the run
  if (tuning.policy != TunePolicy::Never)
    tuning.cancelled = &interrupt.emplace().flag();
  std::optional<TuneResult> result = tune(session, launch, tuning);
  if (!result || result->source == TuneResult::Source::None)
    return false;
  if (result->isCancelled && !printsJsonDiagnostics())
    std::cerr << item.name.text << " runs with " << result->chosen.describe() << ": " << result->why << "\n";
  options.source = withConfiguration(std::move(options.source), result->chosen);
  return true;
}

/// A kernel of a source file, compiled for the arguments.
static void runSource(Session &session, const std::string &input, FileId file, BuildOptions options, DeviceKind device,
                      json::Object &report) {
  std::optional<sim::Checks> checks = checksOfSimulator(session, device);
  if (!checks)
    return;
  uint64_t seed = seedOfRun();
  std::optional<std::vector<HostArgument>> given = readArguments(session, argumentsOfRun(), seed);
  std::unique_ptr<ast::Module> syntax = given ? session.parse(file) : nullptr;
  const ast::KernelItem *item = syntax ? chooseKernel(session, *syntax, options.source.kernel) : nullptr;
  if (!item)
    return;
  options.source.kernel = item->name.text;
  options.source.forOneLaunch = true;
  std::optional<int> numSms = numSmsOf(session, device);
  if (!numSms)
    return;
  options.source.numSms = *numSms;
  if (!bindSignature(session, *item, *given, options.source))
    return;
  Kept kept(session);
  bool isTuned = device == DeviceKind::Gpu && input != "-";
  if (isTuned && !chooseConfiguration(session, input, *syntax, *item, *given, seed, kept, options))
    return;
  StepTimes times;
  OwningOpRef<ModuleOp> module = loadKernels(session, *syntax, options, times);
  std::optional<LoadedKernel> kernel = module ? takeKernel(session, std::move(module)) : std::nullopt;
  if (!kernel)
    return;
  RunOptions run;
  run.build = options;
  run.checked = run.edges = checkedOption.isOn();
  run.repetitions = repeatOption.get();
  run.compile = [&](ModuleOp module, const BuildOptions &build) {
    std::optional<KeptCode> code = codeOf(session, file, module, *item, build, kept.cache);
    return code ? std::optional(std::move(code->cubin)) : std::nullopt;
  };
  run.limits = stepLimitsOfRun();
  run.seed = seed;
  run.counters = wantsCounters();
  run.simulatorChecks = *checks;
  json::Array findings;
  run.findings = &findings;
  runInstance(session, {&kernel->contract}, std::move(*given), device, seed, report,
              [&](const KernelContract &, std::vector<HostArgument> &arguments) {
                return runOn(device, session, file, *kernel, arguments, run);
              });
  if (device == DeviceKind::Simulator)
    report["findings"] = std::move(findings);
}

static void runFile(Session &session, const std::string &input, json::Object &report) {
  std::optional<BuildOptions> options = readCompileFlags(session);
  std::optional<DeviceKind> device = deviceOfRun(session);
  std::optional<FileId> file = options && device ? session.read(input) : std::nullopt;
  std::optional<InputKind> kind = file ? kindOf(session, *file) : std::nullopt;
  if (!kind || refuseSourceOptions(session, *kind))
    return;
  if (wantsCounters() && *device != DeviceKind::Simulator)
    return session.report(Code::E0602, "`--counters` counts on the simulator, found " + std::string(nameOf(*device)) +
                                           "; add `--device=sim`");
  if (checkedOption.isOn() && *device != DeviceKind::Cpu)
    return session.report(Code::E0602, "`--checked` looks at what the CPU interpreter does, found " +
                                           std::string(nameOf(*device)) +
                                           (*device == DeviceKind::Simulator
                                                ? ", which finds races and undefined values unasked; leave it out"
                                                : "; add `--device=cpu`"));
  if (*kind == InputKind::Cubin)
    return runCubinFile(session, *file, *device, options->source.kernel, report);
  if (*kind != InputKind::Tile)
    return session.report(Code::E0602, "`" + input + "` is " + describe(*kind).str() +
                                           "; expected Tile source or a cubin made from it");
  if (*device == DeviceKind::Gpu && !isTargetGiven() && !(options->compile.target = targetOfGpu(session)))
    return;
  std::vector<std::string> reports;
  if (wantsRemarks())
    options->reports = &reports;
  if (tuneOption.get() != "never" && *device != DeviceKind::Gpu)
    return session.report(Code::E0602, "`--tune=" + tuneOption.get() + "` measures on a GPU, found " +
                                           std::string(nameOf(*device)) + "; leave it out");
  runSource(session, input, *file, std::move(*options), *device, report);
  printReports(reports, *device);
}

int runMain(const std::string &input) {
  Session session(wantsRemarks());
  json::Object report;
  runFile(session, input, report);
  if (wantsCountersAsJson())
    printJsonReport(session, std::move(report));
  return finish(session);
}

} // namespace tile
