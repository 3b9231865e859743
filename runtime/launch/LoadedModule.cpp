// Loading: the manifest first, so that a file for another GPU is refused by name and not by the driver's number.

#include "runtime/launch/LoadedModule.h"

#include "runtime/artifact/Cubin.h"
#include "runtime/driver/Driver.h"
#include "runtime/launch/Module.h"

#include <cctype>
#include <cstdlib>

namespace tile {
namespace {

/// A block gets this much shared memory without asking (CUDA C++ Programming Guide, "Compute Capabilities").
constexpr int64_t kSharedBytesUnasked = 48 << 10;
/// Clusters of more blocks need a function attribute.
constexpr int64_t kPortableCluster = 8;

/// A cubin for sm_XY runs on compute capability X.Z with Z ≥ Y; for sm_XYa only on X.Y; for sm_XYf on the family X.
bool runsOn(const std::string &target, const DeviceProperties &device) {
  if (target.rfind("sm_", 0) != 0)
    return false;
  char *end = nullptr;
  long number = std::strtol(target.c_str() + 3, &end, 10);
  bool isExact = *end == 'a';
  return number / 10 == device.major && (isExact ? number % 10 == device.minor : number % 10 <= device.minor);
}

} // namespace

Status checkTarget(const std::string &target, const DeviceProperties &device) {
  if (runsOn(target, device))
    return {};
  return Error{ErrorCode::InvalidArtifact, "cubin is for " + target + "; the GPU, " + device.name + ", is sm_" +
                                               std::to_string(device.major * 10 + device.minor) +
                                               ": compile with that `--arch`"};
}

Result<std::shared_ptr<LoadedModule>> LoadedModule::load(std::string_view cubin) {
  Result<std::string_view> json = findManifest(cubin);
  if (!json)
    return json.error();
  Result<Manifest> manifest = readManifest(*json);
  if (!manifest)
    return manifest.error();
  Result<const DriverApi *> api = loadDriver();
  if (!api)
    return api.error();
  Result<int> ordinal = currentDevice();
  if (!ordinal)
    return ordinal.error();
  Result<DeviceProperties> device = readDevice(*ordinal);
  if (!device)
    return device.error();
  if (Status runs = checkTarget(manifest->target, *device); !runs)
    return runs.error();
  std::shared_ptr<LoadedModule> module(new LoadedModule(**api, *device, std::move(*manifest)));
  TILE_DRIVER_CALL(module->api, cuCtxGetCurrent, &module->context);
  TILE_DRIVER_CALL(module->api, cuModuleLoadData, &module->handle, std::string(cubin).data());
  return module;
}

LoadedModule::~LoadedModule() {
  // The context may be gone, which took the module with it; then the push fails.
  if (!handle || api.cuCtxPushCurrent(context) != CUDA_SUCCESS)
    return;
  (void)api.cuModuleUnload(handle);
  (void)api.cuCtxPopCurrent(&context);
}

Result<CUfunction> LoadedModule::function(const Variant &variant) {
  std::lock_guard<std::mutex> lock(mutex);
  if (auto found = functions.find(variant.symbol); found != functions.end())
    return found->second;
  if (variant.sharedBytes > device.sharedBytes)
    return Error{ErrorCode::InvalidArtifact, "`" + variant.symbol + "` needs " + std::to_string(variant.sharedBytes) +
                                                 " bytes of shared memory; " + device.name + " has " +
                                                 std::to_string(device.sharedBytes)};
  CUfunction function = nullptr;
  CUresult result = api.cuModuleGetFunction(&function, handle, variant.symbol.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    return Error{ErrorCode::InvalidArtifact,
                 "cubin has no function `" + variant.symbol + "`, which its manifest names"};
  if (result != CUDA_SUCCESS)
    return driverError(api, "cuModuleGetFunction", result);
  if (variant.sharedBytes > kSharedBytesUnasked)
    TILE_DRIVER_CALL(api, cuFuncSetAttribute, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                     static_cast<int>(variant.sharedBytes));
  if (variant.cluster[0] * variant.cluster[1] * variant.cluster[2] > kPortableCluster)
    TILE_DRIVER_CALL(api, cuFuncSetAttribute, function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  functions.emplace(variant.symbol, function);
  return function;
}

} // namespace tile
