// The fake `libcuda.so.1`; see FakeDriver.h. Functions that no test needs to see succeed and do nothing.

#include "test/unit/runtime/FakeDriver.h"
#include "test/unit/runtime/FakeScript.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <random>
#include <unistd.h>
#include <utility>

namespace {

FakeScript script = FakeScript::fromEnvironment();
std::map<uint64_t, size_t> memory;
int contextHandle, moduleHandle, streamHandle;
double clockUs = 0;
bool isFaulted = false, isHung = false;
std::mt19937_64 noise;

FakeDriver initialState() {
  FakeDriver initial;
  if (script.isGiven) {
    initial.major = script.capability / 10;
    initial.minor = script.capability % 10;
    initial.numSms = script.numSms;
    initial.sharedBytes = 227 << 10;
  }
  return initial;
}
FakeDriver state = initialState();

CUresult answer(const char *call) {
  if (isFaulted || (TILE_FAKE_FAULT && state.launches.size() >= TILE_FAKE_FAULT))
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  return state.failing == call ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
}

CUresult wait(const char *call) {
  while (isHung)
    pause();
  return answer(call);
}

/// A launch of the script, with what it points to as that was when it was queued.
struct ScriptedLaunch {
  FakeBehaviour *behaviour;
  unsigned char *target;
};
std::vector<ScriptedLaunch> *recording = nullptr;

void run(const ScriptedLaunch &launch) {
  FakeBehaviour &behaviour = *launch.behaviour;
  unsigned number = ++behaviour.launches;
  isFaulted |= behaviour.fault && number >= behaviour.fault;
  isHung |= behaviour.hang && number >= behaviour.hang;
  if (behaviour.kill && number >= behaviour.kill)
    raise(SIGKILL);
  if (behaviour.crash && number >= behaviour.crash) {
    std::signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
  std::normal_distribution<double> normal;
  clockUs += behaviour.us * (1 + behaviour.noise * normal(noise));
  if (!launch.target || behaviour.isUnwritten)
    return;
  size_t bytes = memory[reinterpret_cast<uint64_t>(launch.target)];
  for (size_t i = 0; behaviour.add >= 0 && i < bytes; ++i)
    ++launch.target[i];
  constexpr unsigned char kRight = 0x3f, kWrong = 0x41; // small numbers in every float type
  if (behaviour.out >= 0)
    std::memset(launch.target, kRight, bytes);
  if (behaviour.isWrong)
    std::memset(launch.target, kWrong, bytes < 8 ? bytes : 8);
}

[[maybe_unused]] CUresult launchByScript(const std::string &symbol, const CUlaunchConfig &config, void **arguments) {
  std::string launch = symbol + "/" + std::to_string(config.gridDimX) + "/" + std::to_string(config.blockDimX) + "/" +
                       std::to_string(config.sharedMemBytes);
  FakeBehaviour *behaviour = script.find(launch);
  if (!behaviour)
    return CUDA_ERROR_NOT_FOUND;
  if (behaviour->isRefused)
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  int cell = behaviour->out >= 0 ? behaviour->out : behaviour->add;
  ScriptedLaunch queued{behaviour, cell < 0 ? nullptr : *static_cast<unsigned char **>(arguments[cell])};
  if (recording)
    recording->push_back(queued);
  else
    run(queued);
  return CUDA_SUCCESS;
}

} // namespace

extern "C" {

__attribute__((visibility("default"))) FakeDriver *tileFakeDriver() { return &state; }

CUresult cuInit(unsigned) { return TILE_FAKE_INIT; }
CUresult cuDriverGetVersion(int *version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char **name) {
  *name = error == CUDA_ERROR_NO_DEVICE                 ? "CUDA_ERROR_NO_DEVICE"
          : error == CUDA_ERROR_ILLEGAL_ADDRESS         ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == CUDA_ERROR_OUT_OF_MEMORY           ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ? "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"
          : error == CUDA_ERROR_UNKNOWN                 ? "CUDA_ERROR_UNKNOWN"
                                                        : nullptr;
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = error == CUDA_ERROR_UNKNOWN ? "unknown error" : nullptr;
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int *count) {
  *count = state.devices;
  return answer("cuDeviceGetCount");
}
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return answer("cuDeviceGet");
}
CUresult cuDeviceGetName(char *name, int size, CUdevice) {
  std::strncpy(name, "Fake GPU", static_cast<size_t>(size));
  return answer("cuDeviceGetName");
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = state.major;
    break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = state.minor;
    break;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = state.numSms;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = state.sharedBytes;
    break;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
    *value = static_cast<int>(script.l2Bytes);
    break;
  default:
    *value = 0;
  }
  return answer("cuDeviceGetAttribute");
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) {
  *context = reinterpret_cast<CUcontext>(&contextHandle);
  ++state.retained;
  return answer("cuDevicePrimaryCtxRetain");
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) {
  --state.retained;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = state.current;
  return answer("cuCtxGetCurrent");
}
CUresult cuCtxSetCurrent(CUcontext context) {
  state.current = context;
  return answer("cuCtxSetCurrent");
}
CUresult cuCtxGetDevice(CUdevice *device) {
  *device = 0;
  return answer("cuCtxGetDevice");
}
CUresult cuCtxPushCurrent(CUcontext) { return answer("cuCtxPushCurrent"); }
CUresult cuCtxPopCurrent(CUcontext *) { return CUDA_SUCCESS; }

CUresult cuStreamCreate(CUstream *stream, unsigned) {
  *stream = reinterpret_cast<CUstream>(&streamHandle);
  return answer("cuStreamCreate");
}
CUresult cuStreamDestroy(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream) { return wait("cuStreamSynchronize"); }
CUresult cuStreamBeginCapture(CUstream, CUstreamCaptureMode) {
  recording = new std::vector<ScriptedLaunch>;
  return answer("cuStreamBeginCapture");
}
CUresult cuStreamEndCapture(CUstream, CUgraph *graph) {
  *graph = reinterpret_cast<CUgraph>(std::exchange(recording, nullptr));
  return answer("cuStreamEndCapture");
}
CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long) {
  *exec = reinterpret_cast<CUgraphExec>(new std::vector(*reinterpret_cast<std::vector<ScriptedLaunch> *>(graph)));
  return answer("cuGraphInstantiate");
}
CUresult cuGraphDestroy(CUgraph graph) {
  delete reinterpret_cast<std::vector<ScriptedLaunch> *>(graph);
  return CUDA_SUCCESS;
}
CUresult cuGraphExecDestroy(CUgraphExec graph) {
  delete reinterpret_cast<std::vector<ScriptedLaunch> *>(graph);
  return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec graph, CUstream) {
  for (const ScriptedLaunch &launch : *reinterpret_cast<std::vector<ScriptedLaunch> *>(graph))
    run(launch);
  return answer("cuGraphLaunch");
}

// A handle of an event is the clock's value when it was recorded.
CUresult cuEventCreate(CUevent *event, unsigned) {
  *event = reinterpret_cast<CUevent>(new double(0));
  return answer("cuEventCreate");
}
CUresult cuEventDestroy(CUevent event) {
  delete reinterpret_cast<double *>(event);
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream) {
  *reinterpret_cast<double *>(event) = clockUs;
  return answer("cuEventRecord");
}
CUresult cuEventSynchronize(CUevent) { return wait("cuEventSynchronize"); }
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent stop) {
  double us = *reinterpret_cast<double *>(stop) - *reinterpret_cast<double *>(start);
  *milliseconds = script.isGiven ? static_cast<float>(us / 1000) : 1.5f;
  return answer("cuEventElapsedTime");
}

static int64_t freeBytes() {
  int64_t free = script.memoryBytes;
  for (auto [address, bytes] : memory)
    free -= static_cast<int64_t>(bytes);
  return free;
}
CUresult cuMemGetInfo(size_t *free, size_t *total) {
  *free = static_cast<size_t>(freeBytes());
  *total = static_cast<size_t>(script.memoryBytes);
  return answer("cuMemGetInfo");
}
CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  if (static_cast<int64_t>(bytes) > freeBytes())
    return CUDA_ERROR_OUT_OF_MEMORY;
  *address = reinterpret_cast<CUdeviceptr>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  memory[*address] = bytes;
  state.allocations = memory.size();
  return answer("cuMemAlloc");
}
CUresult cuMemFree(CUdeviceptr address) {
  std::free(reinterpret_cast<void *>(address));
  memory.erase(address);
  state.allocations = memory.size();
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr target, const void *source, size_t bytes, CUstream) {
  std::memcpy(reinterpret_cast<void *>(target), source, bytes);
  return answer("cuMemcpyHtoDAsync");
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream) {
  std::memcpy(reinterpret_cast<void *>(target), reinterpret_cast<void *>(source), bytes);
  return answer("cuMemcpyDtoDAsync");
}
CUresult cuMemcpyDtoHAsync(void *target, CUdeviceptr source, size_t bytes, CUstream) {
  std::memcpy(target, reinterpret_cast<void *>(source), bytes);
  return answer("cuMemcpyDtoHAsync");
}
CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char byte, size_t bytes, CUstream) {
  std::memset(reinterpret_cast<void *>(target), byte, bytes);
  return answer("cuMemsetD8Async");
}
CUresult cuPointerGetAttribute(void *value, CUpointer_attribute, CUdeviceptr address) {
  auto after = memory.upper_bound(address);
  bool isOurs = after != memory.begin() && address < std::prev(after)->first + std::prev(after)->second;
  *static_cast<unsigned *>(value) = CU_MEMORYTYPE_DEVICE;
  return isOurs ? answer("cuPointerGetAttribute") : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuModuleLoadData(CUmodule *module, const void *) {
  *module = reinterpret_cast<CUmodule>(&moduleHandle);
  ++state.modules;
  return answer("cuModuleLoadData");
}
CUresult cuModuleUnload(CUmodule) {
  --state.modules;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule, const char *symbol) {
  if (TILE_FAKE_FAULT || script.isGiven)
    state.symbols.insert(symbol);
  auto found = state.symbols.find(symbol);
  if (found == state.symbols.end())
    return CUDA_ERROR_NOT_FOUND;
  // A function's handle is the address of its name.
  *function = reinterpret_cast<CUfunction>(const_cast<std::string *>(&*found));
  return answer("cuModuleGetFunction");
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute, int value) {
  state.functionAttributes.emplace_back(*reinterpret_cast<std::string *>(function), value);
  return answer("cuFuncSetAttribute");
}
#ifndef TILE_FAKE_OLD_DRIVER
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **arguments, void **) {
  static std::mutex oneAtATime; // programs launch from several threads
  std::lock_guard<std::mutex> lock(oneAtATime);
  if (script.isGiven)
    return answer("cuLaunchKernelEx") ? answer("cuLaunchKernelEx")
                                      : launchByScript(*reinterpret_cast<std::string *>(function), *config, arguments);
  FakeLaunch launch{*reinterpret_cast<std::string *>(function), *config, {}, {}};
  launch.attributes.assign(config->attrs, config->attrs + config->numAttrs);
  for (size_t i = 0; i < state.cellCount; ++i)
    launch.cells.push_back(*static_cast<uint64_t *>(arguments[i]));
  CUresult result = answer("cuLaunchKernelEx"); // a fault shows after the launch that makes it
  state.launches.push_back(launch);
  return result;
}
#endif

} // extern "C"
