// Times a compiled kernel against the driver's copy of as many bytes, in one process, and writes one JSON object.
//
//   bandwidth KERNEL.cubin OUT.json DIM=SIZE...
//
// The problem is read from the cubin: each tensor's extents follow from the dims, inputs are random, outputs are
// poisoned and every element must be written. A sample is one launch between two events after a write that evicts the
// L2 cache; samples of kernel and copy alternate in bursts. Bytes are the compulsory ones: each tensor once per role.
// Takes dense tensors of floats; no scalars.

#include "runtime/artifact/File.h"
#include "runtime/driver/Device.h"
#include "runtime/launch/Module.h"
#include "test/gpu/Take.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <random>
#include <vector>

using namespace tile;

namespace {

constexpr int kBursts = 12;
constexpr int kBurstSamples = 10;
/// A write of this size evicts the 60 MB L2 cache of an H200.
constexpr size_t kEvictingBytes = 256 << 20;
/// Random elements are made once and repeated: making them all would take longer than the measurement.
constexpr size_t kRandomElements = 1 << 22;
/// All ones are a NaN in every float type.
constexpr unsigned char kPoison = 0xff;

/// A tensor parameter that is present.
struct Tensor {
  const Parameter *parameter;
  std::vector<int64_t> extents;
  DeviceMemory memory;
};

/// The values of the contract's names: dims from the command line, compile-time integers as compiled.
std::vector<Value> readDims(const KernelContract &kernel, char **begin, char **end) {
  std::vector<Value> values(kernel.names.size());
  for (const Constant &constant : kernel.constants)
    if (constant.slot >= 0)
      values[constant.slot] = constant.value;
  for (const Dim &dim : kernel.dims) {
    std::string prefix = dim.name + "=";
    char **given = std::find_if(begin, end, [&](std::string_view text) { return text.rfind(prefix, 0) == 0; });
    if (given == end && !dim.value)
      fail("no size for `" + dim.name + "`; expected " + prefix + "SIZE");
    values[dim.slot] = dim.value ? *dim.value : std::strtoll(*given + prefix.size(), nullptr, 10);
  }
  return values;
}

/// Fills `memory` with random normal values of `type`.
void randomize(const DeviceMemory &memory, DataType type, const Stream &stream) {
  std::mt19937_64 generator(7);
  std::normal_distribution<double> normal;
  size_t size = getBytes(type);
  std::vector<char> bytes(memory.size());
  size_t period = std::min(bytes.size(), kRandomElements * size);
  for (size_t at = 0; at < period; at += size) {
    uint64_t bits = roundToBits(type, normal(generator));
    std::copy_n(reinterpret_cast<const char *>(&bits), size, &bytes[at]);
  }
  for (size_t at = period; at < bytes.size(); at += period)
    std::copy_n(&bytes[0], std::min(period, bytes.size() - at), &bytes[at]);
  take(memory.upload(bytes.data(), stream.get()));
}

/// Memory for every tensor: random inputs, poisoned outputs.
std::vector<Tensor> makeTensors(const KernelContract &kernel, const std::vector<Value> &values, const Stream &stream) {
  std::vector<Tensor> tensors;
  for (const Parameter &parameter : kernel.parameters) {
    if (!parameter.present)
      continue;
    if (parameter.kind != Parameter::Kind::Tensor || !isFloat(parameter.type))
      fail("`" + parameter.name + "` is no tensor of floats");
    std::vector<int64_t> extents;
    size_t bytes = getBytes(parameter.type);
    for (const std::optional<Expression> &extent : parameter.extents) {
      extents.push_back(extent ? extent->evaluate(values).toInteger() : 1);
      bytes *= extents.back();
    }
    Tensor tensor{&parameter, extents, take(DeviceMemory::allocate(bytes))};
    if (parameter.role == Parameter::Role::Out)
      take(tensor.memory.fill(kPoison, stream.get()));
    else
      randomize(tensor.memory, parameter.type, stream);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

/// Fails if an element of an output is still poison, which is a NaN: no case computes one from finite inputs.
void requireWritten(const std::vector<Tensor> &tensors, const Stream &stream) {
  for (const Tensor &tensor : tensors) {
    if (tensor.parameter->role != Parameter::Role::Out)
      continue;
    size_t size = getBytes(tensor.parameter->type);
    std::vector<unsigned char> host(tensor.memory.size());
    take(tensor.memory.download(host.data(), stream.get()));
    for (size_t at = 0; at < host.size(); at += size)
      if (std::all_of(&host[at], &host[at] + size, [](unsigned char byte) { return byte == kPoison; }))
        fail("element " + std::to_string(at / size) + " of `" + tensor.parameter->name + "` was not written");
  }
}

/// A GPU operation with the µs of its samples.
struct Candidate {
  std::function<Status()> run;
  std::vector<double> samples;

  double quantile(double q) const { return samples[std::min<size_t>(samples.size() * q, samples.size() - 1)]; }
  std::string json() const {
    return "{\"p10\": " + std::to_string(quantile(0.1)) + ", \"median\": " + std::to_string(quantile(0.5)) +
           ", \"p90\": " + std::to_string(quantile(0.9)) + "}";
  }
};

/// Bursts of samples, the candidates in turn.
void measure(std::vector<Candidate *> candidates, const DeviceMemory &evictor, const Stream &stream) {
  std::vector<Event> events;
  for (int i = 0; i < 2 * kBurstSamples; ++i)
    events.push_back(take(Event::create()));
  for (int burst = -1; burst < kBursts; ++burst) // the first one warms up
    for (Candidate *candidate : candidates) {
      for (int i = 0; i < kBurstSamples; ++i) {
        take(evictor.fill(static_cast<unsigned char>(i), stream.get()));
        take(events[2 * i].record(stream.get()));
        take(candidate->run());
        take(events[2 * i + 1].record(stream.get()));
      }
      take(stream.synchronize());
      for (int i = 0; i < kBurstSamples && burst >= 0; ++i)
        candidate->samples.push_back(take(events[2 * i + 1].millisecondsSince(events[2 * i])) * 1e3);
    }
  for (Candidate *candidate : candidates)
    std::sort(candidate->samples.begin(), candidate->samples.end());
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3)
    fail("expected KERNEL.cubin OUT.json DIM=SIZE...");
  Context context = take(Context::create(0));
  Stream stream = take(Stream::create());
  Module module = take(Module::loadFile(argv[1]));
  Kernel kernel = take(module.kernel(module.manifest().kernels.front().name));
  const KernelContract &contract = *kernel.instances().front();
  std::vector<Tensor> tensors = makeTensors(contract, readDims(contract, argv + 3, argv + argc), stream);

  std::vector<Argument> arguments;
  size_t bytes = 0;
  auto tensor = tensors.begin();
  for (const Parameter &parameter : contract.parameters) {
    if (!parameter.present) {
      arguments.push_back(Argument::none());
      continue;
    }
    arguments.push_back(Argument::tensor(tensor->memory.get(), parameter.type, tensor->extents));
    bytes += tensor->memory.size() * (parameter.role == Parameter::Role::InOut ? 2 : 1);
    ++tensor;
  }
  Prepared prepared = take(kernel.prepare(arguments));
  take(prepared.launch(stream.get()));
  take(stream.synchronize());
  requireWritten(tensors, stream);

  // A copy of half as many bytes reads one half and writes the other.
  DeviceMemory source = take(DeviceMemory::allocate(bytes / 2));
  DeviceMemory target = take(DeviceMemory::allocate(bytes / 2));
  randomize(source, DataType::F32, stream);
  DeviceMemory evictor = take(DeviceMemory::allocate(kEvictingBytes));

  Candidate ours{[&] { return prepared.launch(stream.get()); }, {}};
  Candidate copy{[&] { return target.copyFrom(source, stream.get()); }, {}};
  measure({&ours, &copy}, evictor, stream);
  std::string json = "{\"bytes\": " + std::to_string(bytes) + ", \"variant\": \"" + prepared.binding().variant->name +
                     "\", \"ours_us\": " + ours.json() + ", \"peer_us\": " + copy.json() + "}\n";
  take(writeFile(argv[2], json));
  std::printf("%s", json.c_str());
}
