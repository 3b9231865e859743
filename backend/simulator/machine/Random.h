/// \file
/// The choices of a schedule, drawn from a seed: splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators, OOPSLA 2014). The same seed draws the same numbers on every machine, which `std::` distributions do not
/// promise.
#ifndef BACKEND_SIMULATOR_MACHINE_RANDOM_H
#define BACKEND_SIMULATOR_MACHINE_RANDOM_H

#include <cstdint>

namespace tile::sim {

class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t mixed = state += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
  }
  /// A number below `bound`, which is positive. Its bias is below bound / 2^64.
  uint64_t below(uint64_t bound) { return next() % bound; }

private:
  uint64_t state;
};

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_MACHINE_RANDOM_H
