// The CUDA driver, found at run time: libtile starts on machines without one, and says so instead of failing to load.
//
// The first use loads `libcuda.so.1`; the outcome is kept for the life of the process.

#ifndef TILE_RUNTIME_DRIVER_DRIVER_H
#define TILE_RUNTIME_DRIVER_DRIVER_H

#include "runtime/Result.h"

namespace tile {

struct DriverApi;

/// The driver's functions, initialised. Fails with `NoDriver` if there is no driver, no GPU, or a driver that is too
/// old; the message says what to do.
Result<const DriverApi *> loadDriver();

/// The error of a driver call that gave `code`: its name, and the driver's own name and text for the code.
Error driverError(const DriverApi &api, const char *call, int code);

/// `return`s from a function the error of `api.function(arguments)`, if there is one.
#define TILE_DRIVER_CALL(api, function, ...)                                                                           \
  do {                                                                                                                 \
    if (int code = static_cast<int>((api).function(__VA_ARGS__)))                                                      \
      return driverError(api, #function, code);                                                                        \
  } while (false)

} // namespace tile

#endif // TILE_RUNTIME_DRIVER_DRIVER_H
