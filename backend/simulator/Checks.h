/// \file
/// Which checks a run makes besides those that keep it whole: bounds, alignment, barriers and deadlocks are always
/// checked. What is not checked costs nothing. The values that a right kernel computes are the same whatever is
/// checked.
#ifndef BACKEND_SIMULATOR_CHECKS_H
#define BACKEND_SIMULATOR_CHECKS_H

namespace tile::sim {

struct Checks {
  bool races = true;     ///< the order of accesses to memory, and to registers that asynchronous instructions use
  bool undefined = true; ///< values that nobody has written
};

constexpr Checks kNoChecks = {false, false};

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_CHECKS_H
