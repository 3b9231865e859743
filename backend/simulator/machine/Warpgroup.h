/// \file
/// Four warps that multiply matrices together, and what they have in flight. (PTX ISA 9.0, 9.7.15)
#ifndef BACKEND_SIMULATOR_MACHINE_WARPGROUP_H
#define BACKEND_SIMULATOR_MACHINE_WARPGROUP_H

#include "backend/simulator/machine/Program.h"

#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace tile::sim {

constexpr unsigned kWarpgroupWarps = 4;

/// Contiguous bytes of shared memory that an asynchronous operation reads.
struct AsyncPiece {
  uint64_t offset, bytes;
};

/// The memory that rows of a matrix take.
struct MatrixPieces {
  std::vector<AsyncPiece> inside;
  std::optional<uint32_t> outside; ///< an address that is not in shared memory
};

/// A matrix instruction starts once all four warps have issued it; each warp's n-th is the others' n-th.
struct Warpgroup {
  struct Issue {
    const Op *op;
    uint64_t a, b; ///< descriptors
    bool accumulates;
    uint32_t warps = 0;  ///< that have issued it, by bits
    uint64_t ticket = 0; ///< 0 until it starts
  };
  std::deque<Issue> issues; ///< by their numbers, from `first`
  uint64_t first = 1;
  /// Of matrices that were read before, by descriptor, whether they are MN-major, and their first and last row: a loop
  /// reads the same places again and again.
  using MatrixKey = std::tuple<uint64_t, bool, unsigned, unsigned>;
  std::map<MatrixKey, MatrixPieces> pieces;

  Issue &at(uint64_t number) { return issues[number - first]; }
};

/// Of one warp: its matrix instructions, numbered from 1.
struct MatrixQueue {
  uint64_t issued = 0, awaited = 0;
  std::vector<uint64_t> groups; ///< of each group that it has not waited for, the last instruction at its commit
};

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_MACHINE_WARPGROUP_H
