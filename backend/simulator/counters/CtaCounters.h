/// \file
/// Counts what a CTA's warps do, one operation after another. The machine has one place where operations run and tells
/// of each before and after it; handlers know nothing of counters, and a run that does not count pays for one test.
#ifndef BACKEND_SIMULATOR_COUNTERS_CTACOUNTERS_H
#define BACKEND_SIMULATOR_COUNTERS_CTACOUNTERS_H

#include "backend/simulator/counters/Counters.h"

namespace tile::sim {

/// What is to be counted of each operation of a program.
class CounterPlan {
public:
  explicit CounterPlan(const Program &program);

  struct Item {
    InstructionClass kind = InstructionClass::Other;
    bool isCtaBarrier = false;
    uint32_t firstTransfer = 0, transfers = 0; ///< in `Program::transfers`
    const MatrixWork *matrix = nullptr;
  };
  /// All instructions by origin, counted nothing yet.
  std::vector<CountedInstruction> instructions() const;

  const Program &program;
  std::vector<Item> items; ///< by operation
};

class CtaCounters {
public:
  explicit CtaCounters(const CounterPlan &plan) : plan(plan), byOp(plan.items.size()) {}

  /// The warp is about to run `pc`; the registers hold its operands.
  void before(const Warp &warp, uint32_t pc);
  /// It has run, in `warp.active`, the lanes that the guard left of those of `fragment`.
  void after(const Warp &warp, uint32_t pc, uint32_t fragment, Step step);
  /// The guard left no lane of the fragment: nothing ran.
  void skip(uint32_t pc, uint32_t fragment);

  const std::vector<Counters> &all() const { return byOp; }

private:
  struct Operands {
    uint64_t addresses[kLanes];
    uint32_t bytes[kLanes]; ///< that a lane moves
  };
  void readOperands(const Warp &warp, const Op &op, const Transfer &transfer, Operands &operands) const;
  void countTransfer(const Transfer &transfer, const Operands &operands, uint32_t lanes, Counters &counters) const;

  const CounterPlan &plan;
  std::vector<Counters> byOp;
  // Of the operation that is running.
  Operands operands[2];
  uint64_t failedWaits = 0;
  size_t fragments = 0;
};

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_COUNTERS_CTACOUNTERS_H
