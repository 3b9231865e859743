/// \file
/// Floating-point arithmetic of PTX for one element: f32, f64, f16, bf16. One function per instruction, over the type;
/// `FloatMode` holds its modifiers. (PTX ISA 9.0, sections 9.7.3 and 9.7.4)
///
/// Rounded to nearest, f32 and f64 are the host's own operations; f16 and bf16 are computed in double, where every sum,
/// product, quotient and root rounds to the format as the true value would, and rounded once. The other roundings go
/// through `Exact`. With a constant mode all of it but the latter is straight-line code: a loop over lanes becomes
/// vector code under `#pragma clang loop vectorize(enable)`, without which a short one may be unrolled first.
///
/// NaN: f32, f16 and bf16 results are the canonical NaN. Of f64 the ISA promises no pattern; an H200 gives 0xfff8 << 48
/// for an invalid operation, and else a NaN operand made quiet: the last one of add, mul and min, the first of div, and
/// of fma in the order b, c, a. Subnormals are flushed for `.ftz` alone: operands, and results that would be below the
/// smallest normal number if they were rounded with exponents that have no end. Needs the host's default rounding mode,
/// no DAZ or FTZ, and -ffp-contract=off. Limits: no `.oob`; three-input min and max and mixed-precision forms (sm_100)
/// are absent; hosts other than x86-64 may choose another NaN for f64 div.
#ifndef BACKEND_SIMULATOR_NUMERICS_ARITHMETIC_H
#define BACKEND_SIMULATOR_NUMERICS_ARITHMETIC_H

#include "backend/simulator/numerics/Format.h"

#include <type_traits>

namespace tile::sim::numerics {

/// An f16 value, as a register holds it.
struct Half {
  uint16_t bits;
};
/// A bf16 value, likewise.
struct BFloat {
  uint16_t bits;
};

/// The modifiers of an instruction that computes.
struct FloatMode {
  Rounding rounding = Rounding::Nearest;
  bool ftz = false;
  bool sat = false;  ///< clamped to [+0, 1]; NaN becomes +0
  bool relu = false; ///< negative results become +0; NaN stays
};

inline namespace TILE_SIM_ISA {

/// How a type is stored, and in what type it computes without branches.
template <typename T> struct FloatTraits;
template <> struct FloatTraits<float> {
  using Bits = uint32_t;
  static constexpr const Format &format = kF32;
};
template <> struct FloatTraits<double> {
  using Bits = uint64_t;
  static constexpr const Format &format = kF64;
};
template <> struct FloatTraits<Half> {
  using Bits = uint16_t;
  static constexpr const Format &format = kF16;
};
template <> struct FloatTraits<BFloat> {
  using Bits = uint16_t;
  static constexpr const Format &format = kBF16;
};
template <typename T> using BitsOf = typename FloatTraits<T>::Bits;

template <typename T> inline BitsOf<T> bitsOf(T x) { return bitCast<BitsOf<T>>(x); }
template <typename T> inline T fromBits(BitsOf<T> bits) { return bitCast<T>(bits); }
template <typename T> inline T fromBits64(uint64_t bits) { return fromBits<T>(static_cast<BitsOf<T>>(bits)); }

template <typename T> inline BitsOf<T> magnitudeOf(T x) {
  return static_cast<BitsOf<T>>(bitsOf(x) & FloatTraits<T>::format.magnitudeMask());
}
template <typename T> inline bool signOf(T x) { return bitsOf(x) >> (8 * sizeof(T) - 1); }
template <typename T> inline bool isNaN(T x) { return magnitudeOf(x) > FloatTraits<T>::format.infinity(); }
template <typename T> inline T canonicalNaN() { return fromBits64<T>(FloatTraits<T>::format.canonicalNaN); }
template <typename T> inline T zeroOf() { return fromBits64<T>(0); }

inline float toHost(float x) { return x; }
inline double toHost(double x) { return x; }
inline double toHost(Half x) { return static_cast<double>(widen<kF16>(x.bits)); }
inline double toHost(BFloat x) { return static_cast<double>(widen<kBF16>(x.bits)); }

template <typename T> inline Exact exactOf(T x) { return unpack(FloatTraits<T>::format, bitsOf(x)); }

/// To `T` from what it computes in, to nearest.
template <typename T, typename Computed> inline T fromHost(Computed x) {
  if constexpr (sizeof(T) == 2)
    return {narrow<FloatTraits<T>::format>(x)};
  else
    return static_cast<T>(x);
}

/// A zero of its sign for a subnormal `x`.
template <typename T> inline T flushSubnormal(T x) {
  constexpr const Format &format = FloatTraits<T>::format;
  BitsOf<T> sign = static_cast<BitsOf<T>>(bitsOf(x) & format.signBit());
  return magnitudeOf(x) < uint64_t(1) << format.fractionBits ? fromBits<T>(sign) : x;
}

/// f64 alone has NaNs with a payload.
template <typename T> inline T withCanonicalNaN(T x) {
  if constexpr (sizeof(T) == 8)
    return x;
  else
    return isNaN(x) ? canonicalNaN<T>() : x;
}

/// A NaN made quiet; f64 alone keeps what else it holds.
inline double quiet(double nan) { return fromBits<double>(bitsOf(nan) | uint64_t(1) << 51); }

/// What the modifiers do to a rounded result. A subnormal one is flushed here only if it was not rounded.
template <typename T> inline T finish(T x, FloatMode mode) {
  constexpr BitsOf<T> one =
      static_cast<BitsOf<T>>(uint64_t(FloatTraits<T>::format.bias) << FloatTraits<T>::format.fractionBits);
  if (mode.ftz)
    x = flushSubnormal(x);
  x = withCanonicalNaN(x);
  if (mode.relu)
    x = signOf(x) && !isNaN(x) ? zeroOf<T>() : x;
  if (mode.sat) {
    BitsOf<T> clamped = bitsOf(x) > one ? one : bitsOf(x);
    x = signOf(x) || isNaN(x) ? zeroOf<T>() : fromBits<T>(clamped);
  }
  return x;
}

/// Whether `x` rounds below the smallest normal number of `T` when exponents have no end: nearest, ties to even.
template <typename T> inline bool isTiny(double x) {
  constexpr const Format &format = FloatTraits<T>::format;
  constexpr uint64_t smallest = static_cast<uint64_t>(1023 + format.minExponent()) << 52;
  constexpr uint64_t halfStep = sizeof(T) == 8 ? 0 : uint64_t(1) << (52 - format.fractionBits - 1);
  return magnitudeOf(x) < smallest - halfStep;
}

/// `Op::nearest` with `.ftz`: of f32 and the 16-bit types, double tells which results are tiny before they are rounded.
template <typename Op, typename T, typename... Operands> inline T nearestFlushed(T first, Operands... rest) {
  first = flushSubnormal(first);
  double wide = Op::nearest(static_cast<double>(toHost(first)), static_cast<double>(toHost(flushSubnormal(rest)))...);
  T rounded = fromHost<T>(Op::nearest(toHost(first), toHost(flushSubnormal(rest))...));
  T zero = fromBits64<T>(bitsOf(rounded) & FloatTraits<T>::format.signBit());
  return isTiny<T>(wide) ? zero : rounded;
}

/// An operation that rounds: `Op::nearest` in the host's arithmetic, `Op::exact` for the other roundings.
template <typename Op, typename T, typename... Operands> inline T evaluate(FloatMode mode, T first, Operands... rest) {
  constexpr const Format &format = FloatTraits<T>::format;
  if (mode.rounding == Rounding::Nearest && mode.ftz)
    return finish(nearestFlushed<Op>(first, rest...), mode);
  if (mode.rounding == Rounding::Nearest)
    return finish(fromHost<T>(Op::nearest(toHost(first), toHost(rest)...)), mode);
  Exact exact = mode.ftz ? Op::exact(mode.rounding, exactOf(flushSubnormal(first)), exactOf(flushSubnormal(rest))...)
                         : Op::exact(mode.rounding, exactOf(first), exactOf(rest)...);
  if (exact.isNaN())
    return sizeof(T) == 8 ? fromHost<T>(Op::nearest(toHost(first), toHost(rest)...)) : finish(canonicalNaN<T>(), mode);
  return finish(fromBits64<T>(encode(format, exact, {mode.rounding, false, false, mode.ftz})), mode);
}

/// `result`, an operation's on b and others; of f64 NaNs that of b stays.
inline float withNaNOf(float result, float) { return result; }
inline double withNaNOf(double result, double b) { return b != b ? quiet(b) : result; }

struct AddOp {
  template <typename C> static C nearest(C a, C b) { return withNaNOf(a + b, b); }
  static Exact exact(Rounding rounding, Exact a, Exact b) { return exactAdd(a, b, rounding); }
};
struct SubOp {
  template <typename C> static C nearest(C a, C b) { return withNaNOf(a - b, b); }
  static Exact exact(Rounding rounding, Exact a, Exact b) { return exactAdd(a, exactNegate(b), rounding); }
};
struct MulOp {
  template <typename C> static C nearest(C a, C b) { return withNaNOf(a * b, b); }
  static Exact exact(Rounding, Exact a, Exact b) { return exactMultiply(a, b); }
};
struct DivOp {
  template <typename C> static C nearest(C a, C b) { return a / b; }
  static Exact exact(Rounding, Exact a, Exact b) { return exactDivide(a, b); }
};
struct SqrtOp {
  static float nearest(float a) { return __builtin_sqrtf(a); }
  static double nearest(double a) { return __builtin_sqrt(a); }
  static Exact exact(Rounding, Exact a) { return exactSquareRoot(a); }
};
struct FmaOp {
  static Exact exact(Rounding rounding, Exact a, Exact b, Exact c) { return exactFma(a, b, c, rounding); }
};
/// f64: one rounding by the host's instruction, or by its library. Of several NaNs that of b stays, else that of c.
struct DoubleFmaOp : FmaOp {
  static double nearest(double a, double b, double c) {
    double sum = __builtin_fma(a, b, c);
    return withNaNOf(withNaNOf(sum, c), b);
  }
};
/// f16 and bf16: the product is exact in double; their sum need not be, and is rounded to odd. f32 has an instruction,
/// and needs that sum for `.ftz` alone.
struct FloatFmaOp : FmaOp {
  static float nearest(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static double nearest(double a, double b, double c) { return addToOdd(a * b, c); }
};

template <typename T> inline T add(T a, T b, FloatMode mode = {}) { return evaluate<AddOp>(mode, a, b); }
template <typename T> inline T sub(T a, T b, FloatMode mode = {}) { return evaluate<SubOp>(mode, a, b); }
template <typename T> inline T mul(T a, T b, FloatMode mode = {}) { return evaluate<MulOp>(mode, a, b); }
template <typename T> inline T div(T a, T b, FloatMode mode = {}) { return evaluate<DivOp>(mode, a, b); }
template <typename T> inline T sqrt(T a, FloatMode mode = {}) { return evaluate<SqrtOp>(mode, a); }
template <typename T> inline T fma(T a, T b, T c, FloatMode mode = {}) {
  if constexpr (sizeof(T) == 8)
    return evaluate<DoubleFmaOp>(mode, a, b, c);
  else
    return evaluate<FloatFmaOp>(mode, a, b, c);
}
template <typename T> inline T rcp(T a, FloatMode mode = {}) { return div(static_cast<T>(1), a, mode); }

/// The modifiers of `min` and `max`.
struct SelectMode {
  bool ftz = false;
  bool nan = false;        ///< `.NaN`: a NaN operand gives the canonical NaN; else the other operand wins
  bool xorsignAbs = false; ///< `.xorsign.abs`: of magnitudes, with the product of the signs
};

/// Of an order in which -0 is below +0.
template <typename T> inline T select(T a, T b, SelectMode mode, bool wantLess) {
  using Bits = BitsOf<T>;
  using Signed = std::make_signed_t<Bits>;
  constexpr Bits signBit = static_cast<Bits>(FloatTraits<T>::format.signBit());
  Bits sign = static_cast<Bits>((bitsOf(a) ^ bitsOf(b)) & signBit);
  if (mode.ftz)
    a = flushSubnormal(a), b = flushSubnormal(b);
  if (mode.xorsignAbs)
    a = fromBits<T>(magnitudeOf(a)), b = fromBits<T>(magnitudeOf(b));
  // As integers, with the magnitude bits of negative numbers inverted, numbers are in order.
  auto key = [](T x) {
    Signed bits = static_cast<Signed>(bitsOf(x));
    return static_cast<Signed>(bits ^ ((bits >> (8 * sizeof(T) - 1)) & static_cast<Signed>(~signBit)));
  };
  T chosen = (key(a) < key(b)) == wantLess ? a : b;
  chosen = isNaN(a) ? b : isNaN(b) ? a : chosen;
  bool invalid = mode.nan ? isNaN(a) || isNaN(b) : isNaN(a) && isNaN(b);
  if (mode.xorsignAbs)
    chosen = fromBits<T>(static_cast<Bits>(bitsOf(chosen) | sign));
  if constexpr (sizeof(T) == 8)
    return invalid ? quiet(isNaN(b) ? b : a) : chosen;
  else
    return invalid ? canonicalNaN<T>() : chosen;
}
template <typename T> inline T min(T a, T b, SelectMode mode = {}) { return select(a, b, mode, true); }
template <typename T> inline T max(T a, T b, SelectMode mode = {}) { return select(a, b, mode, false); }

/// The sign bit cleared; a NaN becomes the canonical one or, of f64, quiet with its own sign.
template <typename T> inline T abs(T a, FloatMode mode = {}) {
  if constexpr (sizeof(T) == 8)
    return isNaN(a) ? quiet(a) : fromBits<T>(magnitudeOf(a));
  else
    return finish(fromBits<T>(magnitudeOf(a)), mode);
}
/// The sign bit inverted; likewise.
template <typename T> inline T neg(T a, FloatMode mode = {}) {
  T negated = fromBits64<T>(bitsOf(a) ^ FloatTraits<T>::format.signBit());
  if constexpr (sizeof(T) == 8)
    return isNaN(a) ? quiet(a) : negated;
  else
    return finish(negated, mode);
}
/// The magnitude of `b` with the sign of `a`, as the instruction orders them.
template <typename T> inline T copysign(T a, T b) {
  return fromBits64<T>((bitsOf(a) & FloatTraits<T>::format.signBit()) | magnitudeOf(b));
}

/// The classes that `testp` asks for.
enum class TestClass : uint8_t { Finite, Infinite, Number, NotANumber, Normal, Subnormal };

template <typename T> inline bool testp(TestClass asked, T a) {
  constexpr const Format &format = FloatTraits<T>::format;
  uint64_t magnitude = magnitudeOf(a), smallestNormal = uint64_t(1) << format.fractionBits;
  switch (asked) {
  case TestClass::Finite:
    return magnitude < format.infinity();
  case TestClass::Infinite:
    return magnitude == format.infinity();
  case TestClass::Number:
    return magnitude <= format.infinity();
  case TestClass::NotANumber:
    return magnitude > format.infinity();
  case TestClass::Normal: // section 9.7.3.1 counts zero among them
    return magnitude == 0 || (magnitude >= smallestNormal && magnitude < format.infinity());
  case TestClass::Subnormal:
    return magnitude != 0 && magnitude < smallestNormal;
  }
  return false;
}

} // namespace TILE_SIM_ISA
} // namespace tile::sim::numerics

#endif // BACKEND_SIMULATOR_NUMERICS_ARITHMETIC_H
