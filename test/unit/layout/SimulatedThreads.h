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

  /// The registers after `plan`. Fails the current test where the plan itself is malformed: a misaligned vector, a
  /// load of a word that nobody stored, a lane or register that does not exist.
  SimulatedThreads run(const ConversionPlan &plan, const Layout &src, const Layout &dst) const;

  bool operator==(const SimulatedThreads &other) const { return registers == other.registers; }

private:
  SimulatedThreads runShuffle(const ShuffleProgram &program) const;
  SimulatedThreads runExchange(const SharedExchange &exchange, const Layout &src, const Layout &dst) const;

  std::vector<std::vector<std::vector<int64_t>>> registers; // [warp][lane][register]
};

/// The value of `terms` for a thread.
int64_t evaluateTerms(const std::vector<CoordTerm> &terms, int64_t lane, int64_t warp, int64_t start = 0);

} // namespace tile

#endif // TILE_TEST_UNIT_LAYOUT_SIMULATEDTHREADS_H
