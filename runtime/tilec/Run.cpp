/// `tilec run FILE`: compiles one kernel for the arguments given, runs it and says what came out.
#include "runtime/tilec/Flags.h"
#include "runtime/tilec/RunFlags.h"

#include "runtime/execute/Execute.h"
#include "runtime/execute/Signature.h"

#include "llvm/Support/Format.h"

#include <iostream>
#include <random>

using namespace llvm;
using mlir::ModuleOp;
using mlir::OwningOpRef;

namespace tile {

namespace {
/// Made by `main`, not by static initialisation: LLVM's own options of the same names must be gone first.
struct Flags {
  cl::opt<std::string> input{cl::Positional,        cl::Required,          cl::value_desc("FILE"),
                             cl::desc("FILE.tile"), cl::sub(runCommand()), cl::cat(runCategory())};
  cl::list<std::string> argument{
      "arg", cl::value_desc("NAME=VALUE"), cl::sub(runCommand()), cl::cat(runCategory()),
      cl::desc(
          "a parameter: x=rand:f32[1823,781] (also uniform, zeros, ones, iota, empty; strides by @[800,1]), x=x.npy, "
          "s=0.5, w=none")};
  cl::list<std::string> save{"save", cl::value_desc("NAME=FILE.npy"), cl::sub(runCommand()), cl::cat(runCategory()),
                             cl::desc("write a tensor after the run")};
  cl::opt<std::string> device{"device",
                              cl::value_desc("auto|gpu|cpu"),
                              cl::init("auto"),
                              cl::sub(runCommand()),
                              cl::sub(checkCommand()),
                              cl::cat(runCategory()),
                              cl::desc("where it runs; default auto: the GPU if there is one")};
  cl::opt<uint64_t> seed{"seed",
                         cl::value_desc("N"),
                         cl::sub(runCommand()),
                         cl::sub(checkCommand()),
                         cl::cat(runCategory()),
                         cl::desc("of random inputs; default: another one each time")};
  cl::opt<unsigned> repeat{"repeat",
                           cl::value_desc("N"),
                           cl::init(10),
                           cl::sub(runCommand()),
                           cl::cat(runCategory()),
                           cl::desc("timed launches on the GPU after the first; the median is printed")};
  cl::opt<bool> checked{"checked", cl::sub(runCommand()), cl::cat(runCategory()),
                        cl::desc("CPU: report writes that two programs do, reads of what nobody wrote, "
                                 "division by zero and long shifts")};
};
} // namespace

static Flags &flags() {
  static Flags all;
  return all;
}

void registerRunFlags() { flags(); }

uint64_t seedOfRun() { return flags().seed.getNumOccurrences() ? flags().seed : std::random_device()(); }

std::optional<DeviceKind> deviceOfRun(Session &session) { return chooseDevice(session, flags().device); }

/// `[1823, 781]`
static std::string listOf(const std::vector<int64_t> &values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

static void printResult(const LoadedKernel &kernel, const std::vector<HostArgument> &arguments, const RunResult &result,
                        uint64_t seed) {
  std::cout << kernel.contract.name << " on " << result.device << ": grid " << listOf(result.grid);
  if (!result.variant.empty())
    std::cout << ", variant " << result.variant;
  std::string constants = kernel.contract.describeInstance();
  if (!constants.empty())
    std::cout << ", " << constants;
  std::cout << ", seed " << seed << "\n";
  if (result.isTimed)
    std::cout << "  time " << formatv("{0:f3}", result.milliseconds).str() << " ms\n";
  for (const auto &[argument, parameter] : zip_equal(arguments, kernel.contract.parameters))
    if (parameter.isWritten() && argument.kind == HostArgument::Kind::Tensor)
      std::cout << "  " << parameter.name << ": " << getName(argument.tensor.type) << listOf(argument.tensor.extents)
                << " checksum " << formatv("{0:x-16}", checksum(argument.tensor)).str() << "\n";
}

/// Writes what --save names.
static bool save(Session &session, const LoadedKernel &kernel, const std::vector<HostArgument> &arguments) {
  for (const std::string &text : flags().save) {
    auto [name, path] = StringRef(text).split('=');
    int index = kernel.contract.findParameter(std::string_view(name));
    if (index < 0 || path.empty() || arguments[index].kind != HostArgument::Kind::Tensor) {
      session.report(Code::E0602, "`--save " + text + "` names no tensor; expected `NAME=FILE.npy`");
      return false;
    }
    if (Status written = writeNpy(path.str(), arguments[index].tensor.view()); !written) {
      session.report(Code::E0602, written.error().message);
      return false;
    }
  }
  return true;
}

static void runFile(Session &session) {
  std::optional<BuildOptions> options = readCompileFlags(session);
  std::optional<DeviceKind> device = deviceOfRun(session);
  if (!options || !device)
    return;
  if (*device == DeviceKind::Gpu && !isTargetGiven() && !(options->compile.target = targetOfGpu(session)))
    return;
  std::optional<FileId> file = session.read(flags().input);
  if (!file)
    return;
  uint64_t seed = seedOfRun();
  std::vector<HostArgument> given;
  for (const std::string &text : flags().argument) {
    Result<HostArgument> argument = makeHostArgument(text, seed);
    if (!argument)
      return session.report(Code::E0603, argument.error().message);
    given.push_back(std::move(*argument));
  }
  std::unique_ptr<ast::Module> syntax = session.parse(*file);
  const ast::KernelItem *item = syntax ? chooseKernel(session, *syntax, options->source.kernel) : nullptr;
  if (!item)
    return;
  options->source.kernel = item->name.text;
  options->source.forOneLaunch = true;
  bindSignature(*item, given, options->source);
  StepTimes times;
  OwningOpRef<ModuleOp> module = loadKernels(session, *file, *options, times);
  std::optional<LoadedKernel> kernel = module ? takeKernel(session, std::move(module)) : std::nullopt;
  std::optional<std::vector<HostArgument>> arguments;
  if (kernel)
    arguments = orderArguments(session, kernel->contract, std::move(given));
  if (!arguments)
    return;
  RunOptions run;
  run.build = *options;
  run.checked = run.edges = flags().checked;
  run.repetitions = flags().repeat;
  std::optional<RunResult> result = runOn(*device, session, *file, *kernel, *arguments, run);
  if (result && save(session, *kernel, *arguments))
    printResult(*kernel, *arguments, *result, seed);
}

int runMain() {
  Session session(wantsRemarks());
  runFile(session);
  return finish(session);
}

} // namespace tile
