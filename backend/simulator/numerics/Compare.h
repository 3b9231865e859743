/// \file
/// The comparisons of `set`, `setp`, `slct` and their packed forms: integers, and floating point ordered (false with a
/// NaN) and unordered (true with one). (PTX ISA 9.0, sections 9.3 and 9.7.6)
#ifndef BACKEND_SIMULATOR_NUMERICS_COMPARE_H
#define BACKEND_SIMULATOR_NUMERICS_COMPARE_H

#include "backend/simulator/numerics/Arithmetic.h"

namespace tile::sim::numerics {

/// lo, ls, hi and hs are lt, le, gt and ge of unsigned integers: the caller's type says so.
enum class Comparison : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };

inline namespace TILE_SIM_ISA {

template <typename T> inline bool compareIntegers(Comparison comparison, T a, T b) {
  switch (comparison) {
  case Comparison::Eq:
    return a == b;
  case Comparison::Ne:
    return a != b;
  case Comparison::Lt:
    return a < b;
  case Comparison::Le:
    return a <= b;
  case Comparison::Gt:
    return a > b;
  case Comparison::Ge:
    return a >= b;
  default:
    return false; // not a comparison of integers; the decoder refuses it
  }
}

/// Of f32, f64, f16 or bf16. With `ftz`, subnormal operands count as zeros.
template <typename T> inline bool compareFloats(Comparison comparison, T a, T b, bool ftz = false) {
  if (ftz)
    a = flushSubnormal(a), b = flushSubnormal(b);
  auto x = toHost(a), y = toHost(b);
  bool unordered = x != x || y != y;
  switch (comparison) {
  case Comparison::Eq:
    return x == y;
  case Comparison::Ne:
    return !unordered && x != y;
  case Comparison::Lt:
    return x < y;
  case Comparison::Le:
    return x <= y;
  case Comparison::Gt:
    return x > y;
  case Comparison::Ge:
    return x >= y;
  case Comparison::Equ:
    return unordered || x == y;
  case Comparison::Neu:
    return x != y;
  case Comparison::Ltu:
    return !(x >= y);
  case Comparison::Leu:
    return !(x > y);
  case Comparison::Gtu:
    return !(x <= y);
  case Comparison::Geu:
    return !(x < y);
  case Comparison::Num:
    return !unordered;
  case Comparison::Nan:
    return unordered;
  }
  return false;
}

} // namespace TILE_SIM_ISA
} // namespace tile::sim::numerics

#endif // BACKEND_SIMULATOR_NUMERICS_COMPARE_H
