/// \file
/// The host's arithmetic in another rounding mode, as an independent reference. The mode is set around one call and put
/// back; operands pass through volatile so that nothing is computed elsewhere.
#ifndef TEST_UNIT_SIMULATOR_NUMERICS_HOSTROUNDING_H
#define TEST_UNIT_SIMULATOR_NUMERICS_HOSTROUNDING_H

#include "backend/simulator/numerics/Exact.h"

#include <cfenv>
#include <cmath>
#include <random>
#include <vector>

namespace tile::sim::numerics {

inline int hostMode(Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return FE_TOWARDZERO;
  case Rounding::Down:
    return FE_DOWNWARD;
  case Rounding::Up:
    return FE_UPWARD;
  default:
    return FE_TONEAREST;
  }
}

/// `compute()` with the host rounding as asked.
template <typename Compute> auto hostRounded(Rounding rounding, Compute compute) {
  std::fesetround(hostMode(rounding));
  volatile auto result = compute();
  std::fesetround(FE_TONEAREST);
  return static_cast<decltype(compute())>(result);
}

/// The IEEE directions, which the host has too.
inline constexpr Rounding kHostRoundings[] = {Rounding::Nearest, Rounding::Zero, Rounding::Down, Rounding::Up};

/// Bit patterns that meet every case of a format with `exponentBits` and `fractionBits`: zeros, subnormals, edges of
/// binades, the largest, infinities, NaNs, and `random` patterns of which half are near one in magnitude.
inline std::vector<uint64_t> interestingBits(int exponentBits, int fractionBits, int random, unsigned seed) {
  uint64_t one = ((uint64_t(1) << (exponentBits - 1)) - 1) << fractionBits;
  uint64_t infinity = ((uint64_t(1) << exponentBits) - 1) << fractionBits, step = uint64_t(1) << fractionBits;
  std::vector<uint64_t> found;
  for (uint64_t base : {uint64_t(0), step, 2 * step, one - step, one, one + step, one + 3 * step, infinity})
    for (int64_t near : {-3, -2, -1, 0, 1, 2, 3})
      if (base + near <= infinity + 3)
        found.push_back(base + near);
  found.push_back(infinity | step >> 1);
  found.push_back(one + step / 2);
  std::mt19937_64 engine(seed);
  for (int i = 0; i < random; ++i) {
    uint64_t fraction = engine() & (step - 1);
    if (i % 3 == 0)
      fraction &= engine() & engine(); // few ones: ties and exact results
    uint64_t field = i % 2 ? engine() % ((uint64_t(1) << exponentBits) - 1) : (one >> fractionBits) - 8 + engine() % 16;
    found.push_back(field << fractionBits | fraction);
  }
  size_t positive = found.size();
  for (size_t i = 0; i < positive; ++i)
    found.push_back(found[i] | uint64_t(1) << (exponentBits + fractionBits));
  return found;
}

} // namespace tile::sim::numerics

#endif // TEST_UNIT_SIMULATOR_NUMERICS_HOSTROUNDING_H
