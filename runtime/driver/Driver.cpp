// Loading of the driver, and the texts of its absence.

#include "runtime/driver/Driver.h"

#include "runtime/driver/Api.h"

#include <dlfcn.h>

namespace tile {
namespace {

// The names under which cuda.h declares the functions, `_v2` and all: the macro expands before it becomes text.
#define TILE_TEXT(x) #x
#define TILE_EXPANDED_TEXT(x) TILE_TEXT(x)

std::string printVersion(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Result<DriverApi> load() {
  // Never closed: the driver has threads of its own.
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return Error{ErrorCode::NoDriver, std::string("found no CUDA driver (") + (reason ? reason : "no reason given") +
                                          "); expected an NVIDIA GPU and its driver, CUDA " +
                                          printVersion(CUDA_VERSION / 1000 * 1000) + " or later"};
  }
  DriverApi api;
  const char *missing = nullptr;
#define TILE_LOAD(function)                                                                                            \
  api.function = reinterpret_cast<decltype(api.function)>(dlsym(library, TILE_EXPANDED_TEXT(function)));               \
  if (!api.function)                                                                                                   \
    missing = TILE_EXPANDED_TEXT(function);
  TILE_DRIVER_FUNCTIONS(TILE_LOAD)
#undef TILE_LOAD
  int version = 0;
  if (api.cuDriverGetVersion)
    (void)api.cuDriverGetVersion(&version);
  if (missing)
    return Error{ErrorCode::NoDriver, "the driver supports CUDA " + printVersion(version) + " and lacks `" + missing +
                                          "`; expected CUDA " + printVersion(CUDA_VERSION / 1000 * 1000) +
                                          " or later: update the NVIDIA driver"};
  if (CUresult result = api.cuInit(0)) {
    std::string hint = result == CUDA_ERROR_NO_DEVICE
                           ? "; the driver is there, but no GPU is visible (CUDA_VISIBLE_DEVICES, container options)"
                           : "";
    return Error{ErrorCode::NoDriver, driverError(api, "cuInit", result).message + hint};
  }
  return api;
}

} // namespace

Result<const DriverApi *> loadDriver() {
  static const Result<DriverApi> loaded = load();
  if (!loaded)
    return loaded.error();
  return &*loaded;
}

Error driverError(const DriverApi &api, const char *call, int code) {
  const char *name = nullptr, *text = nullptr;
  (void)api.cuGetErrorName(static_cast<CUresult>(code), &name);
  (void)api.cuGetErrorString(static_cast<CUresult>(code), &text);
  std::string message = std::string("`") + call + "` failed: ";
  message += name ? name : "error " + std::to_string(code);
  if (text)
    message += std::string(" (") + text + ")";
  return {ErrorCode::Driver, message};
}

} // namespace tile
