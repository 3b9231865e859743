/// \file
/// How much of what a GPU gives a kernel, by the tables of the CUDA C++ Programming Guide ("Compute Capabilities") and
/// what `ptxas` and the driver refuse; and how much of it the simulator itself holds. Code that exceeds them would
/// never have started on a GPU, and must not choose how much memory the host needs.
#ifndef BACKEND_SIMULATOR_MACHINE_LIMITS_H
#define BACKEND_SIMULATOR_MACHINE_LIMITS_H

#include <array>
#include <cstdint>
#include <string_view>

namespace tile::sim {

/// Threads of a CTA, in all and along each axis, and CTAs of a grid.
constexpr uint64_t kMostThreads = 1024;
constexpr std::array<uint32_t, 3> kMostBlock = {1024, 1024, 64};
constexpr std::array<uint32_t, 3> kMostGrid = {0x7fffffff, 65535, 65535};

// Bytes.
constexpr uint64_t kMostLocalBytes = 512 << 10;            ///< a thread
constexpr uint64_t kMostConstantBytes = 64 << 10;          ///< a module
constexpr uint64_t kMostParameterBytes = 32764;            ///< a kernel, on sm_70 and later
constexpr uint64_t kMostVariableBytes = uint64_t(1) << 30; ///< `.global` variables of a module; ours
/// Local memory of the threads that run at once; ours.
constexpr uint64_t kMostResidentLocalBytes = uint64_t(4) << 30;

/// Bytes of shared memory that a CTA gets.
struct SharedLimits {
  uint64_t fixed; ///< of variables whose size the module says
  uint64_t all;   ///< with what the launch adds
};
/// Those of `target`, as a module names it; of one that is not known those of the latest GPU before it.
SharedLimits sharedLimitsOf(std::string_view target);

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_MACHINE_LIMITS_H
