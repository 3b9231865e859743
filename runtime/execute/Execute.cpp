#include "runtime/execute/Execute.h"

#include "runtime/compile/ManifestText.h"
#include "runtime/driver/Device.h"
#include "runtime/driver/Driver.h"
#include "runtime/execute/Interpret.h"
#include "runtime/execute/LaunchArguments.h"
#include "runtime/execute/Simulate.h"
#include "runtime/launch/Memory.h"
#include "runtime/launch/Module.h"

#include <algorithm>
#include <chrono>

using namespace mlir;

namespace tile {

const char *nameOf(DeviceKind device) {
  switch (device) {
  case DeviceKind::Cpu:
    return "CPU interpreter";
  case DeviceKind::Gpu:
    return "GPU";
  case DeviceKind::Simulator:
    return "GPU simulator";
  }
  return "";
}

std::optional<DeviceKind> chooseDevice(Session &session, const std::string &choice) {
  if (choice == "cpu")
    return DeviceKind::Cpu;
  if (choice == "sim")
    return DeviceKind::Simulator;
  if (choice != "auto" && choice != "gpu") {
    session.report(Code::E0602, "`--device` is `" + choice + "`; expected `auto`, `cpu`, `gpu` or `sim`");
    return std::nullopt;
  }
  Result<int> count = countDevices();
  if (count.ok() && *count > 0)
    return DeviceKind::Gpu;
  if (choice == "auto")
    return DeviceKind::Cpu;
  session.report(Code::E0602,
                 count.ok() ? "the driver sees no GPU; `--device=cpu` runs the interpreter" : count.error().message);
  return std::nullopt;
}

std::optional<int> numSmsOf(Session &session, DeviceKind device) {
  if (device != DeviceKind::Gpu)
    return kHostSms;
  std::optional<DeviceProperties> properties = take(session, readDevice(0));
  return properties ? std::optional(properties->numSms) : std::nullopt;
}

const Target *targetOf(Session &session, const DeviceProperties &device) {
  const Target *target = findTargetFor(device.major * 10 + device.minor);
  if (!target)
    session.report(Code::E0602, "the GPU `" + device.name + "` has compute capability " + std::to_string(device.major) +
                                    "." + std::to_string(device.minor) +
                                    ", for which there is no code; the oldest known is " +
                                    std::string(allTargets().begin()->name));
  return target;
}

const Target *targetOfGpu(Session &session) {
  std::optional<DeviceProperties> device = take(session, readDevice(0));
  return device ? targetOf(session, *device) : nullptr;
}

std::optional<BuildOptions> buildForGpu(Session &session, BuildOptions build) {
  std::optional<DeviceProperties> device = take(session, readDevice(0));
  if (!device)
    return std::nullopt;
  const Target *here = findTargetFor(device->major * 10 + device->minor), &chosen = *build.compile.target;
  if (here && !chosen.architectureSpecific && chosen.capability < here->capability)
    build.compile.assembleFor = here;
  if (!take(session, checkTarget(std::string(build.compile.assembledFor().name), *device)))
    return std::nullopt;
  return build;
}

std::optional<LoadedKernel> takeKernel(Session &session, OwningOpRef<ModuleOp> module) {
  std::vector<KernelEntry> entries = contractsOf(*module);
  if (entries.size() != 1) {
    session.report(Code::E0602, "found " + std::to_string(entries.size()) + " kernels; expected one");
    return std::nullopt;
  }
  Result<KernelContract> contract =
      readKernelContract(llvm::formatv("{0}", llvm::json::Value(std::move(entries[0].contract))).str());
  if (!contract) {
    session.report(Code::E0602, contract.error().message);
    return std::nullopt;
  }
  auto function = module->lookupSymbol<func::FuncOp>(entries[0].symbol);
  return LoadedKernel{std::move(module), function, std::move(*contract)};
}

static std::optional<RunResult> runOnCpu(Session &session, LoadedKernel &kernel, std::vector<HostArgument> &arguments,
                                         const RunOptions &options) {
  std::optional<InterpreterLaunch> launch = bindForInterpreter(session, kernel.contract, arguments, kHostSms);
  if (!launch)
    return std::nullopt;
  auto start = std::chrono::steady_clock::now();
  std::optional<InterpretReport> report = interpretKernel(session, kernel, *launch, options);
  if (!report)
    return std::nullopt;
  RunResult result;
  result.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  result.isTimed = true;
  result.device = nameOf(DeviceKind::Cpu);
  result.grid = launch->binding.grid;
  for (const Finding &finding : report->findings)
    tile::report(session, finding);
  return result;
}

//===-- GPU

namespace {
/// The tensors of a launch in GPU memory.
class DeviceTensors {
public:
  /// Allocates and copies; what the kernel only writes is copied too, so that poison and gaps are as on the host.
  bool upload(Session &session, const std::vector<HostArgument> &arguments, CUstream_st *stream) {
    for (const HostArgument &argument : arguments) {
      std::optional<DeviceMemory> memory = take(session, DeviceMemory::allocate(argument.tensor.data.size()));
      if (!memory || !take(session, memory->upload(argument.tensor.data.data(), stream)))
        return false;
      bases.push_back(memory->get());
      memories.push_back(std::move(*memory));
    }
    return true;
  }

  bool download(Session &session, const KernelContract &contract, std::vector<HostArgument> &arguments,
                CUstream_st *stream) {
    for (auto [argument, parameter, memory] : llvm::zip_equal(arguments, contract.parameters, memories))
      if (mayWrite(parameter) && !take(session, memory.download(argument.tensor.data.data(), stream)))
        return false;
    return true;
  }

  std::vector<const void *> bases;

private:
  std::vector<DeviceMemory> memories;
};
} // namespace

/// The median time of one of `count` launches.
static std::optional<double> measure(Session &session, Prepared &prepared, CUstream_st *stream, unsigned count) {
  std::vector<float> times;
  std::optional<Event> start = take(session, Event::create()), stop = take(session, Event::create());
  if (!start || !stop)
    return std::nullopt;
  for (unsigned i = 0; i < count; ++i) {
    if (!take(session, start->record(stream)) || !take(session, prepared.launch(stream)) ||
        !take(session, stop->record(stream)) || !take(session, stop->synchronize()))
      return std::nullopt;
    std::optional<float> time = take(session, stop->millisecondsSince(*start));
    if (!time)
      return std::nullopt;
    times.push_back(*time);
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

/// The GPU's context, kept to the end of the process: making one anew takes longer than most runs.
static Context *heldContext = nullptr;

static Status holdContext() {
  if (heldContext)
    return {};
  Result<Context> context = Context::create(0);
  if (!context)
    return context.error();
  heldContext = new Context(std::move(*context));
  return {};
}

bool takesRuns(DeviceKind device) {
  if (device != DeviceKind::Gpu || !heldContext)
    return true;
  Result<Stream> stream = Stream::create();
  return stream && stream->synchronize();
}

std::optional<RunResult> runCubin(Session &session, std::string_view cubin, const KernelContract &contract,
                                  Location place, std::vector<HostArgument> &arguments, unsigned repetitions) {
  std::optional<DeviceProperties> properties = take(session, readDevice(0));
  if (!properties || !take(session, holdContext()))
    return std::nullopt;
  std::optional<Stream> stream = take(session, Stream::create());
  std::optional<Module> module = stream ? take(session, Module::load(cubin)) : std::nullopt;
  if (!module)
    return std::nullopt;
  std::optional<Kernel> loaded = take(session, module->kernel(contract.name));
  DeviceTensors tensors;
  if (!loaded || !tensors.upload(session, arguments, stream->get()))
    return std::nullopt;
  std::optional<std::vector<Argument>> bound = toLaunchArguments(session, contract, arguments, tensors.bases);
  if (!bound)
    return std::nullopt;
  std::optional<Prepared> prepared = take(session, loaded->prepare(*bound));
  if (!prepared || !take(session, prepared->launch(stream->get())))
    return std::nullopt;
  if (Status finished = stream->synchronize(); !finished) {
    session.report(Code::E0604, place,
                   "kernel `" + contract.name + "` faulted on the GPU: " + finished.error().message);
    return std::nullopt;
  }
  if (!tensors.download(session, contract, arguments, stream->get()))
    return std::nullopt;
  RunResult result;
  result.device = properties->name;
  result.grid = prepared->binding().grid;
  result.instance = prepared->binding().kernel->describeInstance();
  if (const Variant *taken = prepared->binding().variant) {
    result.variant = taken->name;
    result.whyVariant = whyNotPreferred(*prepared->binding().kernel, *taken, *bound);
  }
  if (repetitions == 0)
    return result;
  std::optional<double> time = measure(session, *prepared, stream->get(), repetitions);
  if (!time)
    return std::nullopt;
  result.milliseconds = *time;
  result.isTimed = true;
  return result;
}

static std::optional<RunResult> runOnGpu(Session &session, FileId file, LoadedKernel &kernel,
                                         std::vector<HostArgument> &arguments, const RunOptions &options) {
  std::optional<BuildOptions> forDevice = buildForGpu(session, options.build);
  if (!forDevice)
    return std::nullopt;
  Location place = kernel.function.getLoc(); // the module is spent on the build
  std::optional<std::string> cubin;
  if (options.compile)
    cubin = options.compile(*kernel.module, *forDevice);
  else if (std::optional<Artifact> artifact = build(session, file, *kernel.module, *forDevice))
    cubin = std::move(artifact->cubin);
  return cubin ? runCubin(session, *cubin, kernel.contract, place, arguments, options.repetitions) : std::nullopt;
}

std::optional<RunResult> runOn(DeviceKind device, Session &session, FileId file, LoadedKernel &kernel,
                               std::vector<HostArgument> &arguments, const RunOptions &options) {
  std::optional<RunResult> result;
  switch (device) {
  case DeviceKind::Cpu:
    result = runOnCpu(session, kernel, arguments, options);
    break;
  case DeviceKind::Gpu:
    result = runOnGpu(session, file, kernel, arguments, options);
    break;
  case DeviceKind::Simulator:
    if (std::optional<SimulatorCode> code = buildForSimulator(session, file, kernel, options.build))
      result = runOnSimulator(session, *code, arguments, options);
    break;
  }
  return session.hasErrors() ? std::nullopt : result;
}

} // namespace tile
