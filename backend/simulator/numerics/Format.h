/// \file
/// Floating-point formats as data: one row each, one decoder, one rounding encoder for all of them. A row says how many
/// bits exponent and fraction have, what the largest exponent means, and which NaN the hardware writes.
/// (PTX ISA 9.0, sections 5.2.3 "Alternate Floating-Point Data Formats" and 9.7.9.22 "cvt")
///
/// Every value of every format is a double, so that `decode` is exact. `encode` rounds once. `narrow` is its fast twin
/// for rounding to nearest, without branches, for loops over lanes. tf32 lives in the high bits of a 32-bit register:
/// `padding` zeros below. Limits: a format is at most 64 bits wide; f128 and the integer formats of mxf are absent.
#ifndef BACKEND_SIMULATOR_NUMERICS_FORMAT_H
#define BACKEND_SIMULATOR_NUMERICS_FORMAT_H

#include "backend/simulator/numerics/Exact.h"

#include <cstdint>
#include <cstring>

namespace tile::sim::numerics {

/// What the largest exponent field of a format holds.
enum class Top : uint8_t {
  InfinityAndNaN, ///< IEEE 754: fraction zero is infinity, others are NaN
  OneNaN,         ///< numbers, and one NaN with all ones: e4m3, ue8m0
  Numbers,        ///< numbers alone
};

struct Format {
  const char *name;
  int exponentBits, fractionBits, bias;
  Top top;
  uint64_t canonicalNaN; ///< as a register holds it; for a format without NaN, what `.satfinite` makes of one
  int padding = 0;       ///< zero bits below the fraction
  bool hasSign = true;
  bool hasSubnormals = true; ///< exponent field 0 holds zero and subnormals; else it is one more binade

  constexpr int minExponent() const { return (hasSubnormals ? 1 : 0) - bias; } ///< of the smallest normal number
  constexpr int width() const { return hasSign + exponentBits + fractionBits + padding; }
  constexpr uint64_t signBit() const { return hasSign ? uint64_t(1) << (exponentBits + fractionBits) : 0; }
  constexpr uint64_t magnitudeMask() const { return (uint64_t(1) << (exponentBits + fractionBits)) - 1; }
  constexpr uint64_t infinity() const { return magnitudeMask() >> fractionBits << fractionBits; }
  /// The largest finite magnitude.
  constexpr uint64_t maxFinite() const {
    return top == Top::InfinityAndNaN ? infinity() - 1 : top == Top::OneNaN ? magnitudeMask() - 1 : magnitudeMask();
  }
};

inline constexpr Format kF64{"f64", 11, 52, 1023, Top::InfinityAndNaN, 0xfff8000000000000};
inline constexpr Format kF32{"f32", 8, 23, 127, Top::InfinityAndNaN, 0x7fffffff};
inline constexpr Format kTF32{"tf32", 8, 10, 127, Top::InfinityAndNaN, 0x7fffe000, 13};
inline constexpr Format kF16{"f16", 5, 10, 15, Top::InfinityAndNaN, 0x7fff};
inline constexpr Format kBF16{"bf16", 8, 7, 127, Top::InfinityAndNaN, 0x7fff};
inline constexpr Format kE5M2{"e5m2", 5, 2, 15, Top::InfinityAndNaN, 0x7f};
inline constexpr Format kE4M3{"e4m3", 4, 3, 7, Top::OneNaN, 0x7f};
inline constexpr Format kE3M2{"e3m2", 3, 2, 3, Top::Numbers, 0x1f};
inline constexpr Format kE2M3{"e2m3", 2, 3, 1, Top::Numbers, 0x1f};
inline constexpr Format kE2M1{"e2m1", 2, 1, 1, Top::Numbers, 0x7};
inline constexpr Format kUE8M0{"ue8m0", 8, 0, 127, Top::OneNaN, 0xff, 0, false, false};

/// What an instruction's modifiers ask of a rounding.
struct Encoding {
  Rounding rounding = Rounding::Nearest;
  bool finite = false; ///< `.satfinite`: beyond the largest finite value, that value
  bool relu = false;   ///< `.relu`: 0 for what is negative
  bool ftz = false;    ///< a result below the smallest normal number, rounded as if exponents had no end, becomes zero
};

inline namespace TILE_SIM_ISA {

template <typename To, typename From> inline To bitCast(const From &from) {
  static_assert(sizeof(To) == sizeof(From), "a cast of bits keeps the size");
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// The value of `bits`, exactly.
inline Exact unpack(const Format &format, uint64_t bits) {
  bits >>= format.padding;
  bool negative = bits & format.signBit();
  uint64_t magnitude = bits & format.magnitudeMask();
  if (magnitude > format.maxFinite())
    return format.top == Top::InfinityAndNaN && magnitude == format.infinity() ? exactInfinity(negative) : exactNaN();
  uint64_t fraction = magnitude & ((uint64_t(1) << format.fractionBits) - 1);
  int field = static_cast<int>(magnitude >> format.fractionBits);
  bool normal = field > 0 || !format.hasSubnormals;
  Significand significand = fraction | uint64_t(normal) << format.fractionBits;
  return {Kind::Finite, negative, (normal ? field : 1) - format.bias - format.fractionBits, significand};
}

/// `value` rounded once into `format`. Past the largest finite value: infinity or, as the rounding or the format wants,
/// that value; e4m3 without `finite` gives its NaN.
inline uint64_t encode(const Format &format, const Exact &value, const Encoding &how = {}) {
  if (value.isNaN())
    return format.canonicalNaN;
  if (value.negative && (how.relu || !format.hasSign))
    return 0;
  uint64_t sign = value.negative ? format.signBit() << format.padding : 0;
  uint64_t limit = format.maxFinite(), overflow = limit;
  if (!how.finite && format.top == Top::InfinityAndNaN)
    overflow = format.infinity();
  if (!how.finite && format.top == Top::OneNaN)
    overflow = format.magnitudeMask();
  if (value.isInfinity())
    return sign | overflow << format.padding;
  bool outwards = how.rounding == (value.negative ? Rounding::Down : Rounding::Up);
  if (value.isZero())
    return sign;

  int leading = 127 - leadingZeros(value.significand);
  int exponent = leading + value.exponent;
  if (how.ftz && exponent < format.minExponent()) {
    // One binade up it is a normal number and rounds as it would without an end; 1.0 there is the smallest normal here.
    Exact doubled = value;
    ++doubled.exponent;
    uint64_t two = uint64_t(2) << format.fractionBits;
    bool reaches = exponent == format.minExponent() - 1 &&
                   (encode(format, doubled, {how.rounding}) >> format.padding & format.magnitudeMask()) >= two;
    return sign | (reaches ? uint64_t(1) << format.fractionBits << format.padding : 0);
  }
  int quantum = (exponent < format.minExponent() ? format.minExponent() : exponent) - format.fractionBits;
  int drop = quantum - value.exponent;
  Significand kept;
  bool up = false;
  if (drop <= 0) {
    kept = value.significand << -drop; // at most fractionBits + 1 bits
  } else {
    // Above 127 places nothing is kept, and what is lost is below half.
    bool far = drop > 127;
    kept = far ? 0 : value.significand >> drop;
    Significand lost = far ? 1 : value.significand << (128 - drop), half = Significand(1) << 127;
    if (drop == 128)
      lost = value.significand;
    switch (how.rounding) {
    case Rounding::Nearest:
      up = lost > half || (lost == half && (kept & 1));
      break;
    case Rounding::NearestAway:
      up = lost >= half;
      break;
    default:
      up = outwards && lost;
    }
  }
  kept += up;
  // The implicit bit adds one to the exponent field, and so does a carry out of the fraction.
  int field = quantum + format.fractionBits - format.minExponent();
  uint64_t magnitude = (static_cast<uint64_t>(field) << format.fractionBits) + static_cast<uint64_t>(kept);
  if (!format.hasSubnormals) {
    uint64_t one = uint64_t(1) << format.fractionBits;
    magnitude = magnitude < one ? 0 : magnitude - one; // below the smallest number: that number
  }
  if (field > static_cast<int>(format.infinity() >> format.fractionBits) || magnitude > limit) {
    bool inwards = how.rounding == Rounding::Zero ||
                   (!outwards && (how.rounding == Rounding::Down || how.rounding == Rounding::Up));
    magnitude = inwards ? limit : overflow;
  }
  return sign | magnitude << format.padding;
}

inline Exact exactOf(float x) { return unpack(kF32, bitCast<uint32_t>(x)); }
inline Exact exactOf(double x) { return unpack(kF64, bitCast<uint64_t>(x)); }

/// The value of `bits` as a double: exact for every format. A NaN is the canonical one.
inline double decode(const Format &format, uint64_t bits) {
  return bitCast<double>(encode(kF64, unpack(format, bits)));
}

/// The value of a signed format of at most 16 bits, exactly, without branches. A NaN stays one, its bits do not.
template <const Format &format> inline float widen(uint32_t bits) {
  static_assert(format.width() <= 16 && format.hasSign, "a signed format of at most 16 bits");
  constexpr int shift = 23 - format.fractionBits;
  uint32_t code = static_cast<uint32_t>(bits & format.magnitudeMask()), magnitude = code << shift;
  uint32_t sign = static_cast<uint32_t>(bits & format.signBit()) << (31 - format.exponentBits - format.fractionBits);
  if constexpr (format.exponentBits == 8)
    return bitCast<float>(sign | magnitude);
  // Read with the bias of f32 the number is too small by a power of two, whose product is exact, also for subnormals.
  constexpr uint32_t rebias = static_cast<uint32_t>(127 + 127 - format.bias) << 23;
  uint32_t scaled = bitCast<uint32_t>(bitCast<float>(magnitude) * bitCast<float>(rebias));
  uint32_t special = code > format.maxFinite() ? 0x7f800000u : 0;
  return bitCast<float>(sign | scaled | special);
}

/// `x` to the nearest value of a 16-bit IEEE format, ties to even, without branches; beyond, infinity; NaN, the
/// canonical NaN.
template <const Format &format> inline uint16_t narrow(double x) {
  static_assert(format.width() == 16 && format.top == Top::InfinityAndNaN, "f16 and bf16");
  constexpr int shift = 52 - format.fractionBits;
  constexpr uint64_t smallestNormal = static_cast<uint64_t>(1023 + format.minExponent()) << 52;
  // The spacing of doubles near this number is that of the format's subnormals, so that adding it rounds to them.
  constexpr uint64_t magic = static_cast<uint64_t>(1023 + format.minExponent() - format.fractionBits + 52) << 52;
  constexpr uint64_t rebias = static_cast<uint64_t>(1023 - format.bias) << format.fractionBits;
  uint64_t bits = bitCast<uint64_t>(x);
  uint64_t magnitude = bits & 0x7fffffffffffffff;
  uint64_t normal = ((magnitude + ((uint64_t(1) << (shift - 1)) - 1) + (magnitude >> shift & 1)) >> shift) - rebias;
  uint64_t subnormal = bitCast<uint64_t>(bitCast<double>(magnitude) + bitCast<double>(magic)) - magic;
  uint64_t result = magnitude < smallestNormal ? subnormal : normal;
  result = static_cast<int64_t>(result) > static_cast<int64_t>(format.infinity()) ? format.infinity() : result;
  result |= bits >> 63 << 15;
  return static_cast<uint16_t>(magnitude > 0x7ff0000000000000 ? format.canonicalNaN : result);
}

/// The double nearest to `sum + error`, made odd if that is not exact: rounding it again into a format of at most 51
/// significand bits gives what rounding `sum + error` would. `error` is what a sum in double lost.
inline double roundToOdd(double sum, double error) {
  uint64_t bits = bitCast<uint64_t>(sum);
  // One step towards zero if the sum was rounded away from it, then the lowest bit: no other double lies between.
  bool away = (bits ^ bitCast<uint64_t>(error)) >> 63;
  uint64_t odd = (bits - (away ? 1 : 0)) | 1;
  bool exact = error == 0 || error != error;
  return bitCast<double>(exact ? bits : odd);
}

/// a + b in double, rounded to odd. Finite operands whose sum is finite, or else the host's sum.
inline double addToOdd(double a, double b) {
  double sum = a + b;
  double rest = sum - a;
  double error = (a - (sum - rest)) + (b - rest);
  return roundToOdd(sum, error);
}

} // namespace TILE_SIM_ISA
} // namespace tile::sim::numerics

#endif // BACKEND_SIMULATOR_NUMERICS_FORMAT_H
