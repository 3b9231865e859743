/// \file
/// What is counted of an instruction, over all warps of a grid. Counts depend on the kernel and its arguments alone,
/// not on the seed or the threads of the host, wherever what the kernel does depends on them alone: one that polls, or
/// races, does more or less of it with each schedule.
#ifndef BACKEND_SIMULATOR_COUNTERS_COUNTERS_H
#define BACKEND_SIMULATOR_COUNTERS_COUNTERS_H

#include "backend/simulator/counters/InstructionClass.h"

#include <cstdint>
#include <string>

namespace tile::sim {

struct Counters {
  // Instructions.
  uint64_t issues = 0;            ///< times that a warp came to it, also if its guard left no lane
  uint64_t threads = 0;           ///< lanes that came to it, over all these times; 32 for each if warps never diverge
  uint64_t lanes = 0;             ///< those of them that its guard left
  uint64_t divergentBranches = 0; ///< issues that sent lanes of a warp to different places
  uint64_t barriers = 0, divergentBarriers = 0; ///< of the CTA; the latter without some lanes of the warp
  uint64_t waits = 0;                           ///< for asynchronous work, or mbarriers
  uint64_t failedPolls = 0; ///< waits that found nothing and will be tried again: as many as the schedule makes

  // Global memory.
  uint64_t globalRequests = 0;
  uint64_t globalBytes = 0;   ///< asked for, each once in a request
  uint64_t globalSectors = 0; ///< of 32 bytes, that the requests touch
  uint64_t globalIdeal = 0;   ///< sectors that would have held the same bytes
  uint64_t globalLines = 0;   ///< of 128 bytes

  // Shared memory.
  uint64_t sharedRequests = 0;
  uint64_t sharedBytes = 0; ///< that lanes access
  uint64_t sharedWavefronts = 0;
  uint64_t sharedIdeal = 0; ///< wavefronts that it would take without bank conflicts
  uint64_t matrixBytes = 0; ///< that tensor cores read from shared memory; their wavefronts are not counted

  // Local memory that the PTX declares; what ptxas spills is not in it.
  uint64_t localRequests = 0;
  uint64_t localBytes = 0;
  uint64_t localSectors = 0;

  uint64_t asyncBytes = 0; ///< that asynchronous copies write
  uint64_t mmas = 0;       ///< matrix instructions of a warp
  uint64_t flops = 0;      ///< that they make

  void add(const Counters &other);

  bool operator==(const Counters &other) const;
  bool operator!=(const Counters &other) const { return !(*this == other); }

  /// By which more sectors, and wavefronts, were moved than had to be.
  uint64_t wastedSectors() const { return globalSectors - globalIdeal; }
  uint64_t bankConflicts() const { return sharedWavefronts - sharedIdeal; }
};

/// A count with its name, as JSON has it.
struct CounterField {
  const char *key;
  uint64_t Counters::*value;
};
constexpr CounterField kCounterFields[] = {
    {"issues", &Counters::issues},
    {"threads", &Counters::threads},
    {"lanes", &Counters::lanes},
    {"divergent_branches", &Counters::divergentBranches},
    {"barriers", &Counters::barriers},
    {"divergent_barriers", &Counters::divergentBarriers},
    {"waits", &Counters::waits},
    {"failed_polls", &Counters::failedPolls},
    {"global_requests", &Counters::globalRequests},
    {"global_bytes", &Counters::globalBytes},
    {"global_sectors", &Counters::globalSectors},
    {"global_ideal_sectors", &Counters::globalIdeal},
    {"global_lines", &Counters::globalLines},
    {"shared_requests", &Counters::sharedRequests},
    {"shared_bytes", &Counters::sharedBytes},
    {"shared_wavefronts", &Counters::sharedWavefronts},
    {"shared_ideal_wavefronts", &Counters::sharedIdeal},
    {"shared_matrix_bytes", &Counters::matrixBytes},
    {"local_requests", &Counters::localRequests},
    {"local_bytes", &Counters::localBytes},
    {"local_sectors", &Counters::localSectors},
    {"async_bytes", &Counters::asyncBytes},
    {"mmas", &Counters::mmas},
    {"flops", &Counters::flops},
};
static_assert(sizeof(Counters) == sizeof(kCounterFields) / sizeof(CounterField) * sizeof(uint64_t),
              "every count has a name");

inline void Counters::add(const Counters &other) {
  for (const CounterField &field : kCounterFields)
    this->*field.value += other.*field.value;
}
inline bool Counters::operator==(const Counters &other) const {
  for (const CounterField &field : kCounterFields)
    if (this->*field.value != other.*field.value)
      return false;
  return true;
}

/// What one instruction did.
struct CountedInstruction {
  InstructionClass kind = InstructionClass::Other;
  std::string matrixTypes; ///< `bf16 x bf16 -> f32` of a matrix instruction
  Counters counters;
};

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_COUNTERS_COUNTERS_H
