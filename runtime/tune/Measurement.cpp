#include "runtime/tune/Measurement.h"

#include "runtime/arguments/LaunchArgument.h"
#include "runtime/driver/Device.h"
#include "runtime/driver/Graph.h"
#include "runtime/launch/Module.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <thread>

namespace tile {

/// All bits set: NaN in every float type, and what a kernel hardly computes in the others.
static constexpr unsigned char kPoison = 0xff;
/// A batch: the resolution of events, half a microsecond, is a two-thousandth of it.
static constexpr double kBatchUs = 1000;
static constexpr size_t kMostLaunches = 2000;
/// What runs while the host queues a batch.
static constexpr double kLeadUs = 30;
static constexpr size_t kMostLeadLaunches = 64;
/// A first estimate is of so long a run, or of so many launches.
static constexpr double kEstimateUs = 200;
static constexpr size_t kMostEstimateLaunches = 64;
static constexpr int64_t kMostCopies = 256;
/// Different results that are kept to see who agrees with whom: that of the reference, and of the others those that
/// most wrote, of as many the newest.
static constexpr size_t kMostResults = 3;

/// `return`s the error of `status` from a function, if there is one.
#define TILE_TRY(status)                                                                                               \
  do {                                                                                                                 \
    if (Status tried = (status); !tried)                                                                               \
      return tried.error();                                                                                            \
  } while (false)

static Error invalid(std::string message) { return {ErrorCode::InvalidArgument, std::move(message)}; }

namespace {

/// One copy of the arguments in GPU memory.
struct ArgumentCopy {
  std::vector<DeviceMemory> memories;
  std::vector<const void *> bases;
};

struct Candidate {
  Prepared prepared;
  double estimateUs = 0;
  size_t launches = 0; ///< Of `batch`.
  std::optional<Graph> lead, batch;
};

class GpuMeasurement : public Measurement {
public:
  Status open(const MeasureSetup &setup);
  Status load(size_t candidate, const std::string &cubin) override;
  Status run(size_t candidate) override;
  Result<Comparison> compare(size_t candidate) override;
  Result<double> estimate(size_t candidate) override;
  Result<double> time(size_t candidate) override;
  LaunchedCode facts(size_t candidate) const override;
  bool isUsable() const override;

private:
  Status orderArguments(const KernelContract &contract);
  Status placeArguments(const KernelContract &contract);
  Result<ArgumentCopy> copyArguments(const ArgumentCopy *from);
  /// Whether candidates have to agree in it: in what is `out`; of a kernel without such, in all that it may write. What
  /// a kernel with outputs reads and writes besides is a workspace, which each configuration uses as it likes: partial
  /// sums, counters.
  bool isCompared(const Parameter &parameter) const;
  Status restore(const ArgumentCopy &copy, bool poisonsOutputs);
  Status recordBatch(Candidate &candidate);
  Result<double> timeLaunches(Candidate &candidate, size_t count);
  Result<Candidate *> find(size_t candidate);

  MeasureSetup setup;
  std::vector<HostArgument> arguments; ///< In the order of `parameters`, once that is known.
  std::vector<Parameter> parameters;
  std::optional<Context> context;
  std::optional<Stream> stream;
  std::optional<Event> start, stop;
  DeviceProperties device;
  /// What the kernel reads and writes, as it was made; none of the others.
  std::vector<std::optional<DeviceMemory>> originals;
  std::vector<ArgumentCopy> copies;
  struct Written {
    size_t candidate;
    std::vector<ReferenceTensor> outputs;
    size_t count = 1; ///< Of the candidates that wrote it.
  };
  std::vector<Written> written; ///< Different results, and who first wrote each; the reference's first, then by age.
  std::map<size_t, Candidate> candidates;
};

} // namespace

//===-- Arguments

/// Makes all, each in a thread of its own: large tensors take seconds.
static Status makeArguments(const MeasureSetup &setup, std::vector<HostArgument> &arguments) {
  for (const MeasuredArgument &given : setup.arguments) {
    Result<HostArgument> argument = makeHostArgument(given.text, setup.seed);
    if (!argument)
      return argument.error();
    argument->name = given.name;
    arguments.push_back(std::move(*argument));
  }
  int64_t bytes = 0;
  for (const HostArgument &argument : arguments)
    bytes += argument.bytes;
  if (bytes > machineMemory())
    return invalid("the tensors take " + std::to_string(bytes) + " bytes; this machine has " +
                   std::to_string(machineMemory()) + " bytes of memory");
  std::vector<Status> made(arguments.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < arguments.size(); ++i)
    threads.emplace_back([&, i] { made[i] = arguments[i].allocate(Draw::First); });
  for (std::thread &thread : threads)
    thread.join();
  for (const Status &status : made)
    TILE_TRY(status);
  return {};
}

Status GpuMeasurement::open(const MeasureSetup &given) {
  setup = given;
  Status made;
  std::thread maker([&] { made = makeArguments(setup, arguments); });
  Result<Context> opened = Context::create(setup.device); // takes as long as the arguments do
  maker.join();
  TILE_TRY(made);
  if (!opened)
    return opened.error();
  context.emplace(std::move(*opened));
  Result<DeviceProperties> properties = readDevice(setup.device);
  Result<Stream> newStream = Stream::create();
  Result<Event> first = Event::create(), second = Event::create();
  if (!properties)
    return properties.error();
  if (!newStream)
    return newStream.error();
  for (Result<Event> *event : {&first, &second})
    if (!*event)
      return event->error();
  device = *properties;
  stream.emplace(std::move(*newStream));
  start.emplace(std::move(*first));
  stop.emplace(std::move(*second));
  return {};
}

/// Brings the arguments into the order of the parameters; leaves them as they are where there is one too many.
Status GpuMeasurement::orderArguments(const KernelContract &contract) {
  for (const HostArgument &argument : arguments)
    if (contract.findParameter(argument.name) < 0)
      return invalid("`" + argument.name + "` is no parameter of kernel `" + contract.name + "`");
  std::vector<HostArgument> ordered;
  for (const Parameter &parameter : contract.parameters) {
    auto found = std::find_if(arguments.begin(), arguments.end(),
                              [&](const HostArgument &argument) { return argument.name == parameter.name; });
    HostArgument absent;
    absent.name = parameter.name;
    absent.kind = HostArgument::Kind::None;
    ordered.push_back(found == arguments.end() ? absent : std::move(*found));
  }
  arguments = std::move(ordered);
  parameters = contract.parameters;
  return {};
}

/// Of the arguments as they are in the host's memory, or `from` the GPU's.
Result<ArgumentCopy> GpuMeasurement::copyArguments(const ArgumentCopy *from) {
  ArgumentCopy copy;
  for (size_t i = 0; i < arguments.size(); ++i) {
    Result<DeviceMemory> memory = DeviceMemory::allocate(arguments[i].tensor.data.size());
    if (!memory)
      return memory.error();
    TILE_TRY(from ? memory->copyFrom(from->memories[i], stream->get())
                  : memory->upload(arguments[i].tensor.data.data(), stream->get()));
    copy.bases.push_back(memory->get());
    copy.memories.push_back(std::move(*memory));
  }
  return copy;
}

/// All or nothing, so that the next candidate finds the GPU's memory as the first one did.
Status GpuMeasurement::placeArguments(const KernelContract &contract) {
  TILE_TRY(orderArguments(contract));
  int64_t bytes = 1;
  for (const HostArgument &argument : arguments)
    bytes += static_cast<int64_t>(argument.tensor.data.size());
  std::vector<ArgumentCopy> made;
  Result<ArgumentCopy> first = copyArguments(nullptr);
  if (!first)
    return first.error();
  made.push_back(std::move(*first));
  std::vector<std::optional<DeviceMemory>> kept(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!mayWrite(parameters[i]) || parameters[i].role == Parameter::Role::Out)
      continue;
    Result<DeviceMemory> original = DeviceMemory::allocate(arguments[i].tensor.data.size());
    if (!original)
      return original.error();
    TILE_TRY(original->upload(arguments[i].tensor.data.data(), stream->get()));
    kept[i].emplace(std::move(*original));
  }
  Result<int64_t> free = freeMemory();
  if (!free)
    return free.error();
  int64_t wanted = std::min((2 * device.l2Bytes + bytes - 1) / bytes, kMostCopies), most = *free / 2 / bytes;
  for (int64_t count = 1; count < wanted && count <= most; ++count) {
    Result<ArgumentCopy> copy = copyArguments(&made.front());
    if (!copy)
      return copy.error();
    made.push_back(std::move(*copy));
  }
  std::vector<DataType> types;
  for (const Parameter &parameter : contract.parameters)
    if (parameter.kind == Parameter::Kind::Tensor)
      types.push_back(parameter.type);
  setup.agreement = completed(setup.agreement, types);
  originals = std::move(kept);
  copies = std::move(made);
  return {};
}

/// Gives `copy` what the kernel reads and writes as it was made, and its outputs poison.
Status GpuMeasurement::restore(const ArgumentCopy &copy, bool poisonsOutputs) {
  for (size_t i = 0; i < copy.memories.size(); ++i) {
    if (originals[i])
      TILE_TRY(copy.memories[i].copyFrom(*originals[i], stream->get()));
    else if (poisonsOutputs && mayWrite(parameters[i]))
      TILE_TRY(copy.memories[i].fill(kPoison, stream->get()));
  }
  return {};
}

//===-- Steps

Result<Candidate *> GpuMeasurement::find(size_t candidate) {
  auto found = candidates.find(candidate);
  if (found == candidates.end())
    return invalid("candidate " + std::to_string(candidate) + " is not loaded");
  return &found->second;
}

Status GpuMeasurement::load(size_t number, const std::string &cubin) {
  Result<Module> module = Module::loadFile(cubin);
  if (!module)
    return module.error();
  Result<Kernel> kernel = module->kernel(setup.kernel);
  if (!kernel)
    return kernel.error();
  const KernelContract &contract = *kernel->instances().front();
  if (copies.empty())
    TILE_TRY(placeArguments(contract));
  if (contract.parameters.size() != parameters.size())
    return invalid("candidate " + std::to_string(number) + " has " + std::to_string(contract.parameters.size()) +
                   " parameters; the first one has " + std::to_string(parameters.size()));
  Result<std::vector<Argument>> bound = toLaunchArguments(contract, arguments, copies.front().bases);
  if (!bound)
    return bound.error();
  Result<Prepared> prepared = kernel->prepare(*bound);
  if (!prepared)
    return prepared.error();
  candidates.erase(number);
  candidates.emplace(number, Candidate{std::move(*prepared), 0, 0, {}, {}});
  return {};
}

Status GpuMeasurement::run(size_t number) {
  Result<Candidate *> candidate = find(number);
  if (!candidate)
    return candidate.error();
  TILE_TRY(restore(copies.front(), /*poisonsOutputs=*/true));
  TILE_TRY((*candidate)->prepared.launch(stream->get(), copies.front().bases));
  return stream->synchronize();
}

bool GpuMeasurement::isCompared(const Parameter &parameter) const {
  bool hasOutputs = std::any_of(parameters.begin(), parameters.end(),
                                [](const Parameter &each) { return each.role == Parameter::Role::Out; });
  return hasOutputs ? parameter.role == Parameter::Role::Out : mayWrite(parameter);
}

Result<Comparison> GpuMeasurement::compare(size_t candidate) {
  std::vector<std::pair<std::string, NpyArray>> found;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!isCompared(parameters[i]) || arguments[i].tensor.data.empty())
      continue;
    NpyArray tensor = arguments[i].tensor;
    TILE_TRY(copies.front().memories[i].download(tensor.data.data(), stream->get()));
    found.emplace_back(parameters[i].name, std::move(tensor));
  }
  auto differenceFrom = [&](const Written &other) {
    for (size_t i = 0; i < found.size(); ++i)
      if (std::string difference = findDifference(found[i].second.data, other.outputs[i], kPoison); !difference.empty())
        return difference;
    return std::string();
  };
  Comparison comparison;
  for (Written &other : written) {
    std::string difference = differenceFrom(other);
    comparison.alike = other.candidate;
    if (difference.empty()) {
      ++other.count;
      return comparison;
    }
    if (&other == &written.front())
      comparison.difference = std::move(difference);
  }
  comparison.alike = candidate;
  if (written.size() == kMostResults)
    written.erase(std::min_element(written.begin() + 1, written.end(),
                                   [](const Written &a, const Written &b) { return a.count < b.count; }));
  written.push_back({candidate, {}});
  for (auto &[name, tensor] : found)
    written.back().outputs.emplace_back(name, std::move(tensor), setup.agreement);
  return comparison;
}

/// Microseconds of one of `count` launches, as the host queues them.
Result<double> GpuMeasurement::timeLaunches(Candidate &candidate, size_t count) {
  TILE_TRY(start->record(stream->get()));
  for (size_t i = 0; i < count; ++i)
    TILE_TRY(candidate.prepared.launch(stream->get(), copies[i % copies.size()].bases));
  TILE_TRY(stop->record(stream->get()));
  TILE_TRY(stop->synchronize());
  Result<float> milliseconds = stop->millisecondsSince(*start);
  if (!milliseconds)
    return milliseconds.error();
  return *milliseconds * 1000.0 / static_cast<double>(count);
}

Result<double> GpuMeasurement::estimate(size_t number) {
  Result<Candidate *> candidate = find(number);
  if (!candidate)
    return candidate.error();
  constexpr size_t kGrowth = 8;
  for (size_t count = 1;; count *= kGrowth) {
    Result<double> time = timeLaunches(**candidate, count);
    if (!time)
      return time.error();
    (*candidate)->estimateUs = std::max(*time, 1e-3);
    if (*time * static_cast<double>(count) >= kEstimateUs || count >= kMostEstimateLaunches)
      return *time;
  }
}

/// How many launches take `us`, from 1 to `most`.
static size_t launchesFor(double us, double estimateUs, size_t most) {
  return static_cast<size_t>(std::clamp(std::ceil(us / estimateUs), 1.0, static_cast<double>(most)));
}

/// Records the graphs of a candidate that has an estimate, and replays them once: the first replay also brings them to
/// the GPU.
Status GpuMeasurement::recordBatch(Candidate &candidate) {
  auto record = [&](size_t count, std::optional<Graph> &graph) -> Status {
    Result<Graph> recorded = Graph::record(stream->get(), [&]() -> Status {
      for (size_t i = 0; i < count; ++i)
        TILE_TRY(candidate.prepared.launch(stream->get(), copies[i % copies.size()].bases));
      return {};
    });
    if (!recorded)
      return recorded.error();
    graph.emplace(std::move(*recorded));
    return graph->launch(stream->get());
  };
  size_t least = launchesFor(kBatchUs, candidate.estimateUs, kMostLaunches);
  // Each copy as often as the others, unless that takes many times as long: such a kernel reads little for its time.
  constexpr size_t kMostStretch = 4;
  size_t turn = std::min(copies.size(), kMostStretch * least);
  candidate.launches = (least + turn - 1) / turn * turn;
  TILE_TRY(record(launchesFor(kLeadUs, candidate.estimateUs, kMostLeadLaunches), candidate.lead));
  TILE_TRY(record(candidate.launches, candidate.batch));
  return stream->synchronize();
}

Result<double> GpuMeasurement::time(size_t number) {
  Result<Candidate *> found = find(number);
  if (!found)
    return found.error();
  Candidate &candidate = **found;
  if (candidate.estimateUs == 0)
    if (Result<double> estimated = estimate(number); !estimated)
      return estimated.error();
  if (!candidate.batch)
    TILE_TRY(recordBatch(candidate));
  for (const ArgumentCopy &copy : copies)
    TILE_TRY(restore(copy, /*poisonsOutputs=*/false));
  TILE_TRY(candidate.lead->launch(stream->get()));
  TILE_TRY(start->record(stream->get()));
  TILE_TRY(candidate.batch->launch(stream->get()));
  TILE_TRY(stop->record(stream->get()));
  TILE_TRY(stop->synchronize());
  Result<float> milliseconds = stop->millisecondsSince(*start);
  if (!milliseconds)
    return milliseconds.error();
  return *milliseconds * 1000.0 / static_cast<double>(candidate.launches);
}

LaunchedCode GpuMeasurement::facts(size_t candidate) const {
  LaunchedCode facts;
  auto found = candidates.find(candidate);
  const Variant *variant = found == candidates.end() ? nullptr : found->second.prepared.binding().variant;
  if (!variant)
    return facts;
  facts.variant = variant->name;
  facts.registers = variant->registers;
  facts.spillBytes = variant->spillBytes;
  facts.sharedBytes = variant->sharedBytes;
  facts.warps = variant->warps;
  return facts;
}

bool GpuMeasurement::isUsable() const {
  Result<Stream> other = Stream::create();
  return other && other->synchronize();
}

Result<std::unique_ptr<Measurement>> Measurement::create(const MeasureSetup &setup) {
  auto measurement = std::make_unique<GpuMeasurement>();
  TILE_TRY(measurement->open(setup));
  return std::unique_ptr<Measurement>(std::move(measurement));
}

} // namespace tile
