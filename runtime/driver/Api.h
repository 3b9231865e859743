// The driver's entry points that libtile calls: one list, from which the table of pointers and its loading derive.
//
// Only files of this folder and of runtime/launch include this header, and with it cuda.h; what users include does not.

#ifndef TILE_RUNTIME_DRIVER_API_H
#define TILE_RUNTIME_DRIVER_API_H

#include <cuda.h>

// Sorted. A name that cuda.h maps to a versioned one (`cuMemAlloc_v2`) is looked up under that.
#define TILE_DRIVER_FUNCTIONS(X)                                                                                       \
  X(cuCtxGetCurrent)                                                                                                   \
  X(cuCtxGetDevice)                                                                                                    \
  X(cuCtxPopCurrent)                                                                                                   \
  X(cuCtxPushCurrent)                                                                                                  \
  X(cuCtxSetCurrent)                                                                                                   \
  X(cuDeviceGet)                                                                                                       \
  X(cuDeviceGetAttribute)                                                                                              \
  X(cuDeviceGetCount)                                                                                                  \
  X(cuDeviceGetName)                                                                                                   \
  X(cuDevicePrimaryCtxRelease)                                                                                         \
  X(cuDevicePrimaryCtxRetain)                                                                                          \
  X(cuDriverGetVersion)                                                                                                \
  X(cuEventCreate)                                                                                                     \
  X(cuEventDestroy)                                                                                                    \
  X(cuEventElapsedTime)                                                                                                \
  X(cuEventRecord)                                                                                                     \
  X(cuEventSynchronize)                                                                                                \
  X(cuFuncSetAttribute)                                                                                                \
  X(cuGetErrorName)                                                                                                    \
  X(cuGetErrorString)                                                                                                  \
  X(cuGraphDestroy)                                                                                                    \
  X(cuGraphExecDestroy)                                                                                                \
  X(cuGraphInstantiate)                                                                                                \
  X(cuGraphLaunch)                                                                                                     \
  X(cuInit)                                                                                                            \
  X(cuLaunchKernelEx)                                                                                                  \
  X(cuMemAlloc)                                                                                                        \
  X(cuMemFree)                                                                                                         \
  X(cuMemGetInfo)                                                                                                      \
  X(cuMemcpyDtoDAsync)                                                                                                 \
  X(cuMemcpyDtoHAsync)                                                                                                 \
  X(cuMemcpyHtoDAsync)                                                                                                 \
  X(cuMemsetD8Async)                                                                                                   \
  X(cuModuleGetFunction)                                                                                               \
  X(cuModuleLoadData)                                                                                                  \
  X(cuModuleUnload)                                                                                                    \
  X(cuPointerGetAttribute)                                                                                             \
  X(cuStreamBeginCapture)                                                                                              \
  X(cuStreamCreate)                                                                                                    \
  X(cuStreamDestroy)                                                                                                   \
  X(cuStreamEndCapture)                                                                                                \
  X(cuStreamSynchronize)

namespace tile {

struct DriverApi {
#define TILE_DECLARE(function) decltype(&::function) function = nullptr;
  TILE_DRIVER_FUNCTIONS(TILE_DECLARE)
#undef TILE_DECLARE
};

} // namespace tile

#endif // TILE_RUNTIME_DRIVER_API_H
