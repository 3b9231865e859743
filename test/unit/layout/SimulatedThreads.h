//===- SimulatedThreads.h - runs conversion plans on the CPU ----*- C++ -*-===//
//
// The registers of a block of threads, filled by a layout, and the execution of a conversion plan on them exactly as
// code generation would emit it. The layouts themselves are used only to fill: after a plan the registers must be what
// the destination layout says.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TEST_UNIT_LAYOUT_SIMULATEDTHREADS_H
#define TILE_TEST_UNIT_LAYOUT_SIMULATEDTHREADS_H

#include "ir/Layout/Conversion.h"

namespace tile {

class SimulatedThreads {
public:
  /// Every register holds the row-major position of its element in the tile.
  static SimulatedThreads holding(const Layout &layout);

  /// The registers after `plan`, which leads to `dst`. Fails the current test where the plan itself is malformed: a
  /// misaligned vector, a lane or register that does not exist. A load of what nobody stored gives -1.
  SimulatedThreads run(const ConversionPlan &plan, const Layout &dst) const;

  bool operator==(const SimulatedThreads &other) const { return registers == other.registers; }

private:
  explicit SimulatedThreads(const Layout &layout);
  int64_t *thread(int64_t warp, int64_t lane) { return &registers[size_t((warp * numLanes + lane) * numRegisters)]; }
  const int64_t *thread(int64_t warp, int64_t lane) const {
    return const_cast<SimulatedThreads *>(this)->thread(warp, lane);
  }
  std::vector<int64_t> copyOf(int64_t warp, int64_t lane) const {
    return std::vector<int64_t>(thread(warp, lane), thread(warp, lane) + numRegisters);
  }

  SimulatedThreads runPermute(const std::vector<int64_t> &sources, const Layout &dst) const;
  SimulatedThreads runShuffle(const ShuffleProgram &program, const Layout &dst) const;
  SimulatedThreads runExchange(const SharedExchange &exchange, const Layout &dst) const;

  int64_t numWarps, numLanes, numRegisters;
  std::vector<int64_t> registers; // of all lanes of all warps
};

/// The value of `terms` for a thread: the sum of the odd ones and the exclusive or of the others and `start`.
int64_t evaluateTerms(const std::vector<CoordTerm> &terms, int64_t lane, int64_t warp, int64_t start = 0);

} // namespace tile

#endif // TILE_TEST_UNIT_LAYOUT_SIMULATEDTHREADS_H
