// What a test sees and sets of the fake driver: a `libcuda.so.1` that keeps memory on the host and records launches.
//
// The test programs find it through their run path, so that the real loading code is what runs.

#ifndef TILE_TEST_UNIT_RUNTIME_FAKEDRIVER_H
#define TILE_TEST_UNIT_RUNTIME_FAKEDRIVER_H

#include <cuda.h>

#include <set>
#include <string>
#include <vector>

/// What `cuInit` answers.
#ifndef TILE_FAKE_INIT
#define TILE_FAKE_INIT CUDA_SUCCESS
#endif

/// The launch of a process, from 1, that faults, so that every call after it gives that fault; 0: none. Such a driver
/// has every symbol.
#ifndef TILE_FAKE_FAULT
#define TILE_FAKE_FAULT 0
#endif

struct FakeLaunch {
  std::string symbol;
  CUlaunchConfig config;
  std::vector<CUlaunchAttribute> attributes;
  std::vector<uint64_t> cells;
};

struct FakeDriver {
  int devices = 1;
  int major = 8, minor = 0;
  int numSms = 132;
  int sharedBytes = 160 << 10;
  /// The call of this name fails with CUDA_ERROR_UNKNOWN.
  std::string failing;
  std::set<std::string> symbols; ///< In every module.
  size_t cellCount = 0;          ///< Arguments that a launch reads.
  std::vector<FakeLaunch> launches;
  std::vector<std::pair<std::string, int>> functionAttributes; ///< Symbol and value, as set.
  int modules = 0;                                             ///< Loaded and not unloaded.
  int retained = 0;
  size_t allocations = 0;
  CUcontext current = nullptr;
};

/// The one state of the loaded fake; null where the driver is not the fake.
FakeDriver *findFakeDriver();

#endif // TILE_TEST_UNIT_RUNTIME_FAKEDRIVER_H
