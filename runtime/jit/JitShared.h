// What all kernels of a Jit have in common. Internal to this folder.

#ifndef TILE_RUNTIME_JIT_JITSHARED_H
#define TILE_RUNTIME_JIT_JITSHARED_H

#include "runtime/driver/Device.h"
#include "runtime/jit/Jit.h"
#include "runtime/store/Cache.h"
#include "runtime/store/Database.h"

#include <atomic>
#include <map>
#include <mutex>

namespace tile {

/// A GPU as it is compiled and tuned for.
struct JitGpu {
  DeviceProperties device;
  int driverVersion = 0; ///< As the driver counts them: 13000 is 13.0.
};

struct JitShared {
  explicit JitShared(JitOptions options);

  void report(const std::string &text);
  /// Asks the driver once for each GPU.
  Result<JitGpu> gpu(int ordinal);

  const JitOptions options;
  std::atomic<uint64_t> compiled{0}, fromCache{0}, known{0}, searches{0};
  std::mutex reporting; ///< Held while `options.report` runs.
  std::mutex mutex;     ///< Of `gpus`.
  std::map<int, JitGpu> gpus;
  Cache cache;
  Database database;
};

} // namespace tile

#endif // TILE_RUNTIME_JIT_JITSHARED_H
