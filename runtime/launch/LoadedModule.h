// A cubin in a context: its manifest, the GPU's properties, and the functions resolved so far. Internal to this folder.

#ifndef TILE_RUNTIME_LAUNCH_LOADEDMODULE_H
#define TILE_RUNTIME_LAUNCH_LOADEDMODULE_H

#include "runtime/Result.h"
#include "runtime/artifact/Manifest.h"
#include "runtime/driver/Api.h"
#include "runtime/driver/Device.h"

#include <map>
#include <memory>
#include <mutex>
#include <string_view>

namespace tile {

class LoadedModule {
public:
  static Result<std::shared_ptr<LoadedModule>> load(std::string_view cubin);
  LoadedModule(const LoadedModule &) = delete;
  LoadedModule &operator=(const LoadedModule &) = delete;
  ~LoadedModule();

  /// The function of a variant, ready to launch. Any thread.
  Result<CUfunction> function(const Variant &variant);

  const DriverApi &api;
  const DeviceProperties device;
  const Manifest manifest;

private:
  LoadedModule(const DriverApi &api, DeviceProperties device, Manifest manifest)
      : api(api), device(std::move(device)), manifest(std::move(manifest)) {}

  CUcontext context = nullptr;
  CUmodule handle = nullptr;
  std::mutex mutex;
  std::map<std::string, CUfunction> functions; ///< By symbol.
};

} // namespace tile

#endif // TILE_RUNTIME_LAUNCH_LOADEDMODULE_H
