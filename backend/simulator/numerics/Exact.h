/// \file
/// Real numbers that no rounding has touched yet: a sign, a 128-bit significand and an exponent, with sums, products,
/// quotients and roots. It is what rounds where the host's own arithmetic cannot: in a direction, or into a format that
/// the host lacks. (IEEE 754-2019, section 4.3; PTX ISA 9.0, section 9.7.3)
///
/// A significand that cannot hold all bits has its lowest bit set for the lost ones ("jammed"). A jammed one has at
/// least 65 significant bits, so that every format here, of at most 53, rounds it as it would the true value. Operands
/// must be exact and have at most 64 significant bits; those of a product, quotient or root at most 53. Integers only:
/// the host's rounding mode is neither read nor changed.
#ifndef BACKEND_SIMULATOR_NUMERICS_EXACT_H
#define BACKEND_SIMULATOR_NUMERICS_EXACT_H

#include "backend/simulator/numerics/InstructionSet.h"

#include <cstdint>

namespace tile::sim::numerics {

/// The PTX names: rn, rna, rz, rm, rp.
enum class Rounding : uint8_t { Nearest, NearestAway, Zero, Down, Up };

enum class Kind : uint8_t { Finite, Infinity, NaN };

using Significand = unsigned __int128;

/// (-1)^negative * significand * 2^exponent; zero has a sign and no significand.
struct Exact {
  Kind kind = Kind::Finite;
  bool negative = false;
  int exponent = 0;
  Significand significand = 0;

  bool isZero() const { return kind == Kind::Finite && significand == 0; }
  bool isNaN() const { return kind == Kind::NaN; }
  bool isInfinity() const { return kind == Kind::Infinity; }
};

inline namespace TILE_SIM_ISA {

inline Exact exactNaN() { return {Kind::NaN, false, 0, 0}; }
inline Exact exactInfinity(bool negative) { return {Kind::Infinity, negative, 0, 0}; }
inline Exact exactZero(bool negative) { return {Kind::Finite, negative, 0, 0}; }
inline Exact exactInteger(int64_t value) {
  return {Kind::Finite, value < 0, 0, value < 0 ? Significand(0) - Significand(value) : Significand(value)};
}
inline Exact exactUnsigned(uint64_t value) { return {Kind::Finite, false, 0, value}; }

inline int leadingZeros(Significand x) {
  uint64_t high = static_cast<uint64_t>(x >> 64), low = static_cast<uint64_t>(x);
  return high ? __builtin_clzll(high) : low ? 64 + __builtin_clzll(low) : 128;
}

/// `x >> places`, its lowest bit set if a one was lost.
inline Significand shiftRightJam(Significand x, int places) {
  if (places <= 0)
    return x;
  if (places >= 128)
    return x != 0;
  return x >> places | ((x << (128 - places)) != 0);
}

/// `x`, not zero, with its highest one in place `top`.
inline Exact withLeadingBitAt(Exact x, int top) {
  int shift = leadingZeros(x.significand) - (127 - top);
  x.significand = shift >= 0 ? x.significand << shift : shiftRightJam(x.significand, -shift);
  x.exponent -= shift;
  return x;
}

inline Exact exactNegate(Exact x) {
  x.negative = !x.negative;
  return x;
}

/// An exact sum of opposite terms is +0, and -0 when rounding down.
inline Exact exactAdd(Exact a, Exact b, Rounding rounding) {
  if (a.isNaN() || b.isNaN() || (a.isInfinity() && b.isInfinity() && a.negative != b.negative))
    return exactNaN();
  if (a.isInfinity() || b.isInfinity())
    return a.isInfinity() ? a : b;
  if (a.isZero() && b.isZero())
    return exactZero(a.negative == b.negative ? a.negative : rounding == Rounding::Down);
  if (a.isZero() || b.isZero())
    return a.isZero() ? b : a;
  // Place 126 leaves room for one carry. Terms whose highest ones are two or more places apart cancel one place at
  // most, and nearer ones lose nothing when aligned, since 106 bits of a product end 20 places above the lowest.
  a = withLeadingBitAt(a, 126), b = withLeadingBitAt(b, 126);
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) {
    Exact smaller = a;
    a = b, b = smaller;
  }
  Significand aligned = shiftRightJam(b.significand, a.exponent - b.exponent);
  a.significand = a.negative == b.negative ? a.significand + aligned : a.significand - aligned;
  return a.significand ? a : exactZero(rounding == Rounding::Down);
}

inline Exact exactMultiply(Exact a, Exact b) {
  bool negative = a.negative != b.negative;
  if (a.isNaN() || b.isNaN() || (a.isInfinity() && b.isZero()) || (a.isZero() && b.isInfinity()))
    return exactNaN();
  if (a.isInfinity() || b.isInfinity())
    return exactInfinity(negative);
  return {Kind::Finite, negative, a.exponent + b.exponent, a.significand * b.significand};
}

/// a * b + c, nothing lost in between.
inline Exact exactFma(Exact a, Exact b, Exact c, Rounding rounding) {
  return exactAdd(exactMultiply(a, b), c, rounding);
}

inline Exact exactDivide(Exact a, Exact b) {
  bool negative = a.negative != b.negative;
  if (a.isNaN() || b.isNaN() || (a.isInfinity() && b.isInfinity()) || (a.isZero() && b.isZero()))
    return exactNaN();
  if (a.isInfinity() || b.isZero())
    return exactInfinity(negative);
  if (a.isZero() || b.isInfinity())
    return exactZero(negative);
  // At least 128 - 53 = 75 bits of quotient, the remainder jammed.
  a = withLeadingBitAt(a, 127);
  Significand quotient = a.significand / b.significand;
  quotient |= a.significand % b.significand != 0;
  return {Kind::Finite, negative, a.exponent - b.exponent, quotient};
}

inline Exact exactSquareRoot(Exact a) {
  if (a.isNaN() || a.isZero() || (a.isInfinity() && !a.negative))
    return a;
  if (a.negative)
    return exactNaN();
  a = withLeadingBitAt(a, 127);
  if (a.exponent & 1)
    a.significand >>= 1, ++a.exponent; // loses nothing: 53 bits end far above the lowest
  // Bit by bit: 64 bits of root, the remainder jammed.
  Significand root = 0, rest = a.significand;
  for (Significand bit = Significand(1) << 126; bit; bit >>= 2) {
    bool taken = rest >= root + bit;
    if (taken)
      rest -= root + bit;
    root = (root >> 1) + (taken ? bit : 0);
  }
  return {Kind::Finite, false, a.exponent / 2 - 1, root << 1 | (rest != 0)};
}

} // namespace TILE_SIM_ISA
} // namespace tile::sim::numerics

#endif // BACKEND_SIMULATOR_NUMERICS_EXACT_H
