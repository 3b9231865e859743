/// \file
/// How far a GPU's output is from the simulator's.
#ifndef TEST_SIMULATOR_VALIDATE_COMPARE_H
#define TEST_SIMULATOR_VALIDATE_COMPARE_H

#include "test/simulator/validate/Sweep.h"

namespace tile::sim::validate {

struct Difference {
  size_t elements = 0, differing = 0;
  size_t beyond = 0;             ///< of a bounded instruction: further from the simulator than its bound allows
  double largest = 0;            ///< likewise: in units of the bound, 1 where it is met exactly
  std::vector<std::string> some; ///< a few of them, with their operands
};

/// Of an instruction without a bound any other bit counts. With one, an element is beyond it if the two are further
/// apart than the bound and half a unit in the last place, which is what the simulator's rounding may add, or than one
/// such unit where it is of a subnormal result; NaNs are alike.
Difference compare(const Kernel &kernel, const Result &result, const Bytes &simulated, const Bytes &real);

} // namespace tile::sim::validate

#endif // TEST_SIMULATOR_VALIDATE_COMPARE_H
