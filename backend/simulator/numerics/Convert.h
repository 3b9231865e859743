/// \file
/// `cvt` in all its forms: between integers, between integers and floating point, between floating-point formats, to
/// integral values, and packed. (PTX ISA 9.0, sections 9.7.9.22 "cvt" and 9.7.9.23 "cvt.pack")
///
/// Each conversion rounds once, from the exact value. `.ftz` concerns operands and results of type f32 alone, and not
/// those of f32 to f16, where an H200 keeps subnormal operands. A NaN
/// gives the canonical NaN of a floating-point result; of an integer result, zero, or the highest bit alone where
/// operand or result has 64 bits. Limits: no stochastic rounding (`.rs`, sm_100).
#ifndef BACKEND_SIMULATOR_NUMERICS_CONVERT_H
#define BACKEND_SIMULATOR_NUMERICS_CONVERT_H

#include "backend/simulator/numerics/Arithmetic.h"
#include "backend/simulator/numerics/Integer.h"

namespace tile::sim::numerics {

/// The modifiers of a conversion to floating point.
struct ConvertMode {
  Rounding rounding = Rounding::Nearest;
  bool ftz = false;
  bool sat = false;    ///< clamped to [+0, 1]; NaN becomes +0
  bool relu = false;   ///< negative results become +0
  bool finite = false; ///< `.satfinite`
};

inline namespace TILE_SIM_ISA {

/// `.ftz` as it concerns type `T`.
template <typename T> inline T flushIfF32(T x, bool ftz) {
  return std::is_same<T, float>::value && ftz ? flushSubnormal(x) : x;
}

/// To another integer type: the low bits or, with `sat`, the nearest value in range.
template <typename To, typename From> inline To convertInteger(From x, bool sat) {
  return sat ? saturate<To>(x) : static_cast<To>(x);
}

/// An integer to floating point.
template <typename T, typename From> inline T convertToFloat(From x, ConvertMode mode = {}) {
  FloatMode modifiers{mode.rounding, false, mode.sat, mode.relu};
  // To 16 bits the host has no conversion; through double it rounds once if the integer fits that.
  if (mode.rounding == Rounding::Nearest && (sizeof(T) > 2 || sizeof(From) <= 4))
    return finish(fromHost<T>(static_cast<decltype(toHost(T()))>(x)), modifiers);
  Exact exact = x < 0 ? exactInteger(static_cast<int64_t>(x)) : exactUnsigned(static_cast<uint64_t>(x));
  return finish(fromBits64<T>(encode(FloatTraits<T>::format, exact, {mode.rounding})), modifiers);
}

/// `x` to an integral double in direction `rounding`; rna is no direction of `cvt`.
inline double toIntegral(double x, Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return __builtin_trunc(x);
  case Rounding::Down:
    return __builtin_floor(x);
  case Rounding::Up:
    return __builtin_ceil(x);
  default:
    return __builtin_roundeven(x);
  }
}

/// Floating point to the nearest integer of `To` in direction `rounding` (rni, rzi, rmi, rpi); out of range, the
/// nearest that there is, whether `.sat` is written or not.
template <typename To, typename T> inline To convertToInteger(T x, Rounding rounding, bool ftz = false) {
  constexpr bool wide = sizeof(To) == 8 || std::is_same<T, double>::value;
  constexpr To invalid = wide ? static_cast<To>(Unsigned<To>(1) << (kBits<To> - 1)) : To(0);
  constexpr double end = 2.0 * (uint64_t(1) << (kBits<To> - 1 - std::is_signed<To>::value));
  constexpr double begin = std::is_signed<To>::value ? -end : 0;
  double integral = toIntegral(static_cast<double>(toHost(flushIfF32(x, ftz))), rounding);
  if (integral != integral)
    return invalid;
  if (integral >= end)
    return std::numeric_limits<To>::max();
  return integral <= begin ? std::numeric_limits<To>::min() : static_cast<To>(integral);
}

/// To an integral value of the same type: `cvt.rni.f32.f32` and so on.
template <typename T> inline T convertToIntegral(T x, ConvertMode mode) {
  double integral = toIntegral(static_cast<double>(toHost(flushIfF32(x, mode.ftz))), mode.rounding);
  return finish(fromHost<T>(integral), {Rounding::Nearest, false, mode.sat, mode.relu});
}

/// The NaN that an H200 makes of the NaN `x`: to or from f64 the upper bits of the payload stay and it becomes quiet,
/// bf16 to f32 keeps its bits as they are, and otherwise it is the canonical one.
template <typename To, typename From> inline To convertNaN(From x) {
  if constexpr (std::is_same<From, BFloat>::value && std::is_same<To, float>::value)
    return fromBits<float>(uint32_t(x.bits) << 16);
  if constexpr (sizeof(To) == 8)
    return quiet(static_cast<double>(toHost(x)));
  if constexpr (sizeof(From) == 8) {
    constexpr const Format &format = FloatTraits<To>::format;
    uint64_t bits = bitsOf(quiet(x)), payload = (bits & kF64.magnitudeMask()) >> (52 - format.fractionBits);
    uint64_t fraction = payload & ((uint64_t(1) << format.fractionBits) - 1);
    return fromBits64<To>((bits >> 63 ? format.signBit() : 0) | format.infinity() | fraction);
  }
  return canonicalNaN<To>();
}

/// Between f16, bf16, f32 and f64.
template <typename To, typename From> inline To convertFloat(From x, ConvertMode mode = {}) {
  constexpr const Format &format = FloatTraits<To>::format;
  constexpr bool toF32 = std::is_same<To, float>::value, fromF32 = std::is_same<From, float>::value;
  if constexpr (std::is_same<To, From>::value && sizeof(To) > 2)
    if (!mode.ftz && !mode.sat)
      return x; // a move, which keeps NaNs as they are
  if (!std::is_same<To, Half>::value)
    x = flushIfF32(x, mode.ftz);
  if (fromF32 && mode.ftz && isNaN(x))
    x = canonicalNaN<From>(); // it flushes by an addition
  FloatMode modifiers{mode.rounding, mode.ftz && toF32, mode.sat, mode.relu};
  To result;
  if (mode.rounding == Rounding::Nearest && !mode.finite) {
    result = fromHost<To>(toHost(x));
    if (modifiers.ftz && isTiny<To>(toHost(x)))
      result = fromBits64<To>(bitsOf(result) & format.signBit());
  } else {
    result = fromBits64<To>(encode(format, exactOf(x), {mode.rounding, mode.finite, false, modifiers.ftz}));
  }
  return isNaN(x) && !mode.sat && !mode.relu ? convertNaN<To>(x) : finish(result, modifiers);
}

/// To a format of a register's bits that is no type to compute in: tf32, f8, f6, f4, ue8m0.
/// An H200's `cvt.rna.tf32` merely cuts a NaN off, which can make it an infinity; `.satfinite` takes one step off that.
template <typename From> inline uint32_t convertToFormat(const Format &format, From x, ConvertMode mode) {
  if (&format == &kTF32 && mode.rounding == Rounding::NearestAway && isNaN(x))
    return static_cast<uint32_t>((bitsOf(x) >> format.padding) - mode.finite) << format.padding;
  return static_cast<uint32_t>(encode(format, exactOf(x), {mode.rounding, mode.finite, mode.relu}));
}
/// From such a format to f16: exact.
template <const Format &format> inline Half convertFromFormat(uint32_t bits, bool relu = false) {
  return finish(Half{narrow<kF16>(static_cast<double>(widen<format>(bits)))}, {Rounding::Nearest, false, false, relu});
}

/// `cvt.f16x2.f32 d, a, b`: `a` in the upper half. `To` is Half or BFloat.
template <typename To> inline uint32_t convertPairToHalves(float a, float b, ConvertMode mode) {
  return uint32_t(convertFloat<To>(a, mode).bits) << 16 | convertFloat<To>(b, mode).bits;
}
/// `cvt.e4m3x2.f32 d, a, b` and its like: `a` in the upper byte.
inline uint16_t convertPairToBytes(const Format &format, float a, float b, ConvertMode mode) {
  mode.finite = true;
  return static_cast<uint16_t>(convertToFormat(format, a, mode) << 8 | convertToFormat(format, b, mode));
}
/// `cvt.e4m3x2.f16x2 d, a` and its like. `From` is Half or BFloat.
template <typename From> inline uint16_t convertHalvesToBytes(const Format &format, uint32_t a, ConvertMode mode) {
  mode.finite = true;
  From upper{static_cast<uint16_t>(a >> 16)}, lower{static_cast<uint16_t>(a)};
  return static_cast<uint16_t>(convertToFormat(format, upper, mode) << 8 | convertToFormat(format, lower, mode));
}
/// `cvt.rn.f16x2.e4m3x2 d, a` and its like.
template <const Format &format> inline uint32_t convertBytesToHalves(uint16_t a, bool relu = false) {
  return uint32_t(convertFromFormat<format>(a >> 8, relu).bits) << 16 | convertFromFormat<format>(a & 0xff, relu).bits;
}

/// `cvt.pack.sat`: `a` and `b` clamped to `bits` bits and put side by side, `a` above; above both, what of `c` has
/// room.
inline uint32_t convertPack(int32_t a, int32_t b, uint32_t c, unsigned bits, bool isSigned) {
  int32_t least = isSigned ? -(1 << (bits - 1)) : 0, most = (1 << (bits - isSigned)) - 1;
  auto clamp = [&](int32_t x) {
    return static_cast<uint32_t>(x < least ? least : x > most ? most : x) & lowOnes<uint32_t>(bits);
  };
  uint32_t pair = clamp(a) << bits | clamp(b);
  return bits == 16 ? pair : c << (2 * bits) | pair;
}

} // namespace TILE_SIM_ISA
} // namespace tile::sim::numerics

#endif // BACKEND_SIMULATOR_NUMERICS_CONVERT_H
