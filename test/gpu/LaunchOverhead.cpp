// What a launch costs the CPU: through a prepared launch, with new memory, and checked anew each time, against the bare
// driver call. Also checks, on the GPU, what the fake driver of the unit tests only records. Writes one JSON object.
//
//   launch_overhead test/unit/runtime/fixtures/add_one_sm_90.cubin OUT.json
//
// A sample is the time to queue a burst that fits the driver's queue, so the GPU's own pace does not count; samples of
// the four ways alternate. Exits with 1 if a result is wrong or a prepared launch costs over 1.2 times the bare call.

#include "runtime/artifact/Cubin.h"
#include "runtime/artifact/File.h"
#include "runtime/driver/Api.h"
#include "runtime/driver/Device.h"
#include "runtime/driver/Driver.h"
#include "runtime/launch/Module.h"
#include "test/gpu/Take.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

using namespace tile;

namespace {

constexpr int kBurst = 200;
constexpr int kSamples = 101;
constexpr double kLimit = 1.2;
constexpr int64_t kElements = 1000;

const char *const kManifest = R"json({"schema": 1, "target": "sm_90", "kernels": [{
    "name": "add_one",
    "parameters": [{"name": "x", "dtype": "f32", "role": "inout", "extents": [["N"]]}],
    "dims": [{"name": "N", "parameter": "x", "axis": 0}],
    "grid": [["N", 128, "cdiv"]],
    "abi": [{"pointer": "x"}, {"dim": "N"}],
    "variants": [{"name": "generic", "symbol": "add_one", "warps": 4}]}]})json";

void take(const DriverApi &api, const char *call, int code) {
  if (code)
    fail(driverError(api, call, code).message);
}

/// Microseconds of CPU time per call, of a burst on an idle stream.
double sample(const Stream &stream, const std::function<void()> &launch) {
  take(stream.synchronize());
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kBurst; ++i)
    launch();
  std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - begin;
  return elapsed.count() / kBurst;
}

double median(std::vector<double> samples) {
  std::nth_element(samples.begin(), samples.begin() + samples.size() / 2, samples.end());
  return samples[samples.size() / 2];
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    fail("expected a cubin of add_one.ptx and a file for the result");
  const DriverApi &api = *take(loadDriver());
  Context context = take(Context::create(0));
  Stream stream = take(Stream::create());
  std::string cubin = take(appendManifest(take(readFile(argv[1])), kManifest));
  Module module = take(Module::load(cubin));
  Kernel kernel = take(module.kernel("add_one"));

  std::vector<float> host(kElements, 1.0f);
  DeviceMemory first = take(DeviceMemory::allocate(kElements * sizeof(float)));
  DeviceMemory second = take(DeviceMemory::allocate(kElements * sizeof(float)));
  take(first.upload(host.data(), stream.get()));
  take(second.upload(host.data(), stream.get()));
  std::vector<Argument> arguments = {Argument::tensor(first.get(), DataType::F32, {kElements})};
  Prepared prepared = take(kernel.prepare(arguments));

  // The bare call, in a module that the driver loads without us: the manifest does not disturb it.
  CUmodule bareModule = nullptr;
  CUfunction bareFunction = nullptr;
  take(api, "cuModuleLoadData", api.cuModuleLoadData(&bareModule, cubin.data()));
  take(api, "cuModuleGetFunction", api.cuModuleGetFunction(&bareFunction, bareModule, "add_one"));
  uint64_t address = first.address(), count = kElements;
  void *cells[] = {&address, &count};
  CUlaunchConfig config{};
  config.gridDimX = (kElements + 127) / 128;
  config.blockDimX = 128;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream.get();

  std::vector<const void *> bases = {second.get()};
  struct Way {
    const char *name;
    std::function<void()> launch;
    std::vector<double> samples;
  };
  Way ways[] = {
      {"bare", [&] { take(api, "cuLaunchKernelEx", api.cuLaunchKernelEx(&config, bareFunction, cells, nullptr)); }, {}},
      {"prepared", [&] { take(prepared.launch(stream.get())); }, {}},
      {"rebased", [&] { take(prepared.launch(stream.get(), bases)); }, {}},
      {"checked", [&] { take(kernel.launch(stream.get(), arguments)); }, {}},
  };
  for (int i = 0; i < kSamples; ++i) {
    for (Way &way : ways)
      way.samples.push_back(sample(stream, way.launch));
    prepared = take(kernel.prepare(arguments));
  }

  // Every launch added one: three ways to the first buffer, one to the second.
  float launches = float(kBurst) * kSamples;
  take(first.download(host.data(), stream.get()));
  bool isRight = std::all_of(host.begin(), host.end(), [&](float value) { return value == 3 * launches + 1; });
  take(second.download(host.data(), stream.get()));
  isRight &= std::all_of(host.begin(), host.end(), [&](float value) { return value == launches + 1; });
  if (!isRight)
    fail("the buffers do not hold the number of launches");

  // Host memory is refused before it faults; some systems let the GPU read it.
  if (!take(readDevice(0)).readsHostPages) {
    Status status = kernel.launch(stream.get(), {Argument::tensor(host.data(), DataType::F32, {kElements})});
    if (status)
      fail("host memory was accepted");
    std::printf("refused as expected: %s\n", status.error().message.c_str());
  }

  double bare = median(ways[0].samples);
  std::string json = "{";
  for (const Way &way : ways) {
    double microseconds = median(way.samples);
    std::printf("%-9s %6.3f us, %.3f of bare\n", way.name, microseconds, microseconds / bare);
    char text[80];
    std::snprintf(text, sizeof(text), "%s\"%s_us\": %.4f", json.size() > 1 ? ", " : "", way.name, microseconds);
    json += text;
  }
  take(writeFile(argv[2], json + "}\n"));
  for (const Way *way : {&ways[1], &ways[2]})
    if (median(way->samples) > kLimit * bare)
      fail(std::string("a ") + way->name + " launch costs more than 1.2 bare ones");
  return 0;
}
