// Each method is a driver call or two. A destructor ignores the driver's answer: it can fail only when the context is
// gone or a kernel has faulted, which the next call that can report says better.

#include "runtime/driver/Device.h"

#include "runtime/driver/Api.h"
#include "runtime/driver/Driver.h"

#include <utility>

namespace tile {
namespace {

/// The loaded driver; objects of this file exist only after it loaded.
const DriverApi &api() { return **loadDriver(); }

} // namespace

Result<int> countDevices() {
  Result<const DriverApi *> driver = loadDriver();
  if (!driver)
    return driver.error();
  int count = 0;
  TILE_DRIVER_CALL(**driver, cuDeviceGetCount, &count);
  return count;
}

Result<DeviceProperties> readDevice(int ordinal) {
  Result<int> count = countDevices();
  if (!count)
    return count.error();
  if (ordinal < 0 || ordinal >= *count)
    return Error{ErrorCode::InvalidArgument,
                 "device " + std::to_string(ordinal) + " of " + std::to_string(*count) + " does not exist"};
  CUdevice device = 0;
  TILE_DRIVER_CALL(api(), cuDeviceGet, &device, ordinal);
  DeviceProperties properties;
  properties.ordinal = ordinal;
  char name[256] = {};
  TILE_DRIVER_CALL(api(), cuDeviceGetName, name, sizeof(name) - 1, device);
  properties.name = name;
  int shared = 0, cache = 0, hostPages = 0;
  const std::pair<int *, CUdevice_attribute> attributes[] = {
      {&properties.major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
      {&properties.minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
      {&properties.numSms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
      {&shared, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
      {&cache, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
      {&hostPages, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS},
  };
  for (auto [value, attribute] : attributes)
    TILE_DRIVER_CALL(api(), cuDeviceGetAttribute, value, attribute, device);
  properties.sharedBytes = shared;
  properties.l2Bytes = cache;
  properties.readsHostPages = hostPages != 0;
  return properties;
}

Result<int> driverVersion() {
  Result<const DriverApi *> driver = loadDriver();
  if (!driver)
    return driver.error();
  int version = 0;
  TILE_DRIVER_CALL(**driver, cuDriverGetVersion, &version);
  return version;
}

Result<int64_t> freeMemory() {
  if (Result<int> device = currentDevice(); !device)
    return device.error();
  size_t free = 0, total = 0;
  TILE_DRIVER_CALL(api(), cuMemGetInfo, &free, &total);
  return static_cast<int64_t>(free);
}

Result<int> currentDevice() {
  Result<const DriverApi *> driver = loadDriver();
  if (!driver)
    return driver.error();
  CUcontext context = nullptr;
  TILE_DRIVER_CALL(**driver, cuCtxGetCurrent, &context);
  if (!context)
    return Error{ErrorCode::InvalidArgument, "no CUDA context is current in this thread; expected one, as "
                                             "`tile::Context::create` or `cudaSetDevice` makes it"};
  CUdevice device = 0;
  TILE_DRIVER_CALL(**driver, cuCtxGetDevice, &device);
  return static_cast<int>(device);
}

Result<Context> Context::create(int ordinal) {
  Result<DeviceProperties> properties = readDevice(ordinal); // Also loads the driver and checks the ordinal.
  if (!properties)
    return properties.error();
  CUdevice device = 0;
  TILE_DRIVER_CALL(api(), cuDeviceGet, &device, ordinal);
  CUcontext handle = nullptr;
  TILE_DRIVER_CALL(api(), cuDevicePrimaryCtxRetain, &handle, device);
  Context context(ordinal);
  TILE_DRIVER_CALL(api(), cuCtxSetCurrent, handle);
  return context;
}

Context::~Context() {
  CUdevice device = 0;
  if (ordinal >= 0 && api().cuDeviceGet(&device, ordinal) == CUDA_SUCCESS)
    (void)api().cuDevicePrimaryCtxRelease(device);
}

Result<Stream> Stream::create() {
  if (Result<int> device = currentDevice(); !device)
    return device.error();
  CUstream handle = nullptr;
  TILE_DRIVER_CALL(api(), cuStreamCreate, &handle, CU_STREAM_NON_BLOCKING);
  return Stream(handle);
}

Stream::~Stream() {
  if (handle)
    (void)api().cuStreamDestroy(handle);
}

Status Stream::synchronize() const {
  TILE_DRIVER_CALL(api(), cuStreamSynchronize, handle);
  return {};
}

Result<Event> Event::create() {
  if (Result<int> device = currentDevice(); !device)
    return device.error();
  CUevent handle = nullptr;
  TILE_DRIVER_CALL(api(), cuEventCreate, &handle, CU_EVENT_DEFAULT);
  return Event(handle);
}

Event::~Event() {
  if (handle)
    (void)api().cuEventDestroy(handle);
}

Status Event::record(CUstream_st *stream) const {
  TILE_DRIVER_CALL(api(), cuEventRecord, handle, stream);
  return {};
}

Status Event::synchronize() const {
  TILE_DRIVER_CALL(api(), cuEventSynchronize, handle);
  return {};
}

Result<float> Event::millisecondsSince(const Event &start) const {
  float milliseconds = 0;
  TILE_DRIVER_CALL(api(), cuEventElapsedTime, &milliseconds, start.handle, handle);
  return milliseconds;
}

Result<DeviceMemory> DeviceMemory::allocate(size_t bytes) {
  if (Result<int> device = currentDevice(); !device)
    return device.error();
  CUdeviceptr base = 0;
  if (bytes > 0)
    TILE_DRIVER_CALL(api(), cuMemAlloc, &base, bytes);
  return DeviceMemory(base, bytes);
}

DeviceMemory::~DeviceMemory() {
  if (base)
    (void)api().cuMemFree(base);
}

Status DeviceMemory::upload(const void *host, CUstream_st *stream) const {
  if (bytes == 0)
    return {};
  TILE_DRIVER_CALL(api(), cuMemcpyHtoDAsync, base, host, bytes, stream);
  TILE_DRIVER_CALL(api(), cuStreamSynchronize, stream);
  return {};
}

Status DeviceMemory::download(void *host, CUstream_st *stream) const {
  if (bytes == 0)
    return {};
  TILE_DRIVER_CALL(api(), cuMemcpyDtoHAsync, host, base, bytes, stream);
  TILE_DRIVER_CALL(api(), cuStreamSynchronize, stream);
  return {};
}

Status DeviceMemory::copyFrom(const DeviceMemory &source, CUstream_st *stream) const {
  if (bytes > 0)
    TILE_DRIVER_CALL(api(), cuMemcpyDtoDAsync, base, source.base, bytes, stream);
  return {};
}

Status DeviceMemory::fill(unsigned char byte, CUstream_st *stream) const {
  if (bytes > 0)
    TILE_DRIVER_CALL(api(), cuMemsetD8Async, base, byte, bytes, stream);
  return {};
}

} // namespace tile
