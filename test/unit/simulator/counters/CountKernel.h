// Runs a kernel that a test writes down and gives what was counted of some of its instructions.
#ifndef TILE_TEST_UNIT_SIMULATOR_COUNTERS_COUNTKERNEL_H
#define TILE_TEST_UNIT_SIMULATOR_COUNTERS_COUNTKERNEL_H

#include "test/unit/simulator/machine/RunPtx.h"

namespace tile::sim::test {

/// What was counted of a run, instruction by instruction.
struct Counted {
  std::vector<CountedInstruction> instructions;
  std::vector<Origin> origins;

  /// Of all instructions whose text starts like this, together.
  Counters of(std::string_view text) const {
    Counters sum;
    for (size_t i = 0; i < origins.size(); ++i)
      if (std::string_view(origins[i].text).substr(0, text.size()) == text)
        sum.add(instructions[i].counters);
    return sum;
  }
};

/// `%r0` is the thread, `%d0` the address of its word in the tensor 0.
inline const std::string kThread = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.s64 %d0, %d50, %d1;\n";

/// Runs and counts; the kernel must have no findings.
inline Counted countRun(KernelRun &run) {
  run.options.counters = true;
  RunResult result = run.run();
  EXPECT_EQ(summary(result), "");
  return {result.counted, run.origins};
}

} // namespace tile::sim::test

#endif // TILE_TEST_UNIT_SIMULATOR_COUNTERS_COUNTKERNEL_H
