// The fake `libcuda.so.1`; see FakeDriver.h. Functions that no test needs to see succeed and do nothing.

#include "test/unit/runtime/FakeDriver.h"

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>

namespace {

FakeDriver state;
std::map<uint64_t, size_t> memory;
int contextHandle, moduleHandle, streamHandle, eventHandle;

CUresult answer(const char *call) {
  if (TILE_FAKE_FAULT && state.launches.size() >= TILE_FAKE_FAULT)
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  return state.failing == call ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
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
  *name = error == CUDA_ERROR_NO_DEVICE         ? "CUDA_ERROR_NO_DEVICE"
          : error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == CUDA_ERROR_UNKNOWN         ? "CUDA_ERROR_UNKNOWN"
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
CUresult cuStreamSynchronize(CUstream) { return answer("cuStreamSynchronize"); }
CUresult cuEventCreate(CUevent *event, unsigned) {
  *event = reinterpret_cast<CUevent>(&eventHandle);
  return answer("cuEventCreate");
}
CUresult cuEventDestroy(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent, CUstream) { return answer("cuEventRecord"); }
CUresult cuEventSynchronize(CUevent) { return answer("cuEventSynchronize"); }
CUresult cuEventElapsedTime(float *milliseconds, CUevent, CUevent) {
  *milliseconds = 1.5f;
  return answer("cuEventElapsedTime");
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
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
  if (TILE_FAKE_FAULT)
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
