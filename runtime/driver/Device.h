// A GPU, its primary context, streams, events and memory: owners of driver handles, one class each.
//
// For programs that have no CUDA objects of their own, and for tilec. Everything that launches also takes the caller's
// stream and context. Objects must not outlive the context they were made in. Handles are the driver's structures,
// declared here by name so that cuda.h is not needed: `CUstream_st *` is `CUstream` and `cudaStream_t`.

#ifndef TILE_RUNTIME_DRIVER_DEVICE_H
#define TILE_RUNTIME_DRIVER_DEVICE_H

#include "runtime/Result.h"

#include <cstddef>
#include <cstdint>
#include <string>

struct CUctx_st;
struct CUevent_st;
struct CUstream_st;

namespace tile {

/// What the launcher asks about a GPU.
struct DeviceProperties {
  int ordinal = 0;
  std::string name;
  int major = 0, minor = 0; ///< Compute capability.
  int numSms = 0;
  int64_t sharedBytes = 0; ///< Shared memory that one block can have.
  int64_t l2Bytes = 0;
  bool readsHostPages = false; ///< Ordinary host memory is accessible from kernels.
};

/// The GPUs that the driver sees.
Result<int> countDevices();

/// The properties of the GPU `ordinal`.
Result<DeviceProperties> readDevice(int ordinal);

/// The CUDA version that the driver knows, as it counts them: 13000 is 13.0.
Result<int> driverVersion();

/// Bytes of global memory that the current context can still take.
Result<int64_t> freeMemory();

/// The ordinal of the current context's GPU. Fails if no context is current.
Result<int> currentDevice();

/// Keeps a GPU's primary context, the one that the CUDA run-time library shares, alive and current.
class Context {
public:
  /// Makes the context current in this thread.
  static Result<Context> create(int ordinal);

  Context(Context &&other) noexcept : ordinal(std::exchange(other.ordinal, -1)) {}
  Context &operator=(Context &&other) noexcept {
    std::swap(ordinal, other.ordinal);
    return *this;
  }
  ~Context();

private:
  explicit Context(int ordinal) : ordinal(ordinal) {}
  int ordinal;
};

/// A stream that does not synchronise with the default stream.
class Stream {
public:
  static Result<Stream> create();
  Stream(Stream &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  Stream &operator=(Stream &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Stream();

  CUstream_st *get() const { return handle; }
  /// Waits until everything before is done. Faults of kernels surface here.
  Status synchronize() const;

private:
  explicit Stream(CUstream_st *handle) : handle(handle) {}
  CUstream_st *handle;
};

/// A point in a stream, with a time.
class Event {
public:
  static Result<Event> create();
  Event(Event &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  Event &operator=(Event &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Event();

  Status record(CUstream_st *stream) const;
  Status synchronize() const;
  /// Milliseconds from `start` to this event; both have happened.
  Result<float> millisecondsSince(const Event &start) const;

private:
  explicit Event(CUevent_st *handle) : handle(handle) {}
  CUevent_st *handle;
};

/// Global memory of the current context's GPU.
class DeviceMemory {
public:
  /// No bytes are no memory: a null address.
  static Result<DeviceMemory> allocate(size_t bytes);
  DeviceMemory(DeviceMemory &&other) noexcept
      : base(std::exchange(other.base, 0)), bytes(std::exchange(other.bytes, 0)) {}
  DeviceMemory &operator=(DeviceMemory &&other) noexcept {
    std::swap(base, other.base);
    std::swap(bytes, other.bytes);
    return *this;
  }
  ~DeviceMemory();

  uint64_t address() const { return base; }
  const void *get() const { return reinterpret_cast<const void *>(base); }
  size_t size() const { return bytes; }

  /// Copies `size()` bytes in stream order and waits for the copy.
  Status upload(const void *host, CUstream_st *stream) const;
  Status download(void *host, CUstream_st *stream) const;
  /// Queues a copy of `size()` bytes of `source`, which has as many or more.
  Status copyFrom(const DeviceMemory &source, CUstream_st *stream) const;
  /// Sets every byte, in stream order.
  Status fill(unsigned char byte, CUstream_st *stream) const;

private:
  DeviceMemory(uint64_t base, size_t bytes) : base(base), bytes(bytes) {}
  uint64_t base;
  size_t bytes;
};

} // namespace tile

#endif // TILE_RUNTIME_DRIVER_DEVICE_H
