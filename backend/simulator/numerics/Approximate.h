/// \file
/// The `.approx` instructions, whose results the ISA bounds but does not fix. Here they are the mathematical value,
/// computed in double and rounded once: exact at the special values of the ISA's tables, monotone, and within every
/// bound. Hardware interpolates tables and differs in the last bits, so that results are compared with
/// `kApproximationBounds`, never bit by bit. (PTX ISA 9.0, sections 9.7.3.8 to 9.7.3.22, 9.7.4.9 and 9.7.4.10)
///
/// Limits: outside [-100 pi, 100 pi] the hardware's sine and cosine promise nothing, these are right. The bounds of the
/// two
/// `.ftz.f64` instructions are this project's: the ISA says only that the upper word approximates.
#ifndef BACKEND_SIMULATOR_NUMERICS_APPROXIMATE_H
#define BACKEND_SIMULATOR_NUMERICS_APPROXIMATE_H

#include "backend/simulator/numerics/Arithmetic.h"

#include <cmath>

namespace tile::sim::numerics {

/// What a bound is measured in: units in the last place of the rounded result, or of the value itself.
enum class ErrorMeasure : uint8_t { Ulp, Relative, Absolute };

/// How far a result may be from the mathematical value, for |operand| in (from, to]; of `div`, for the divisor.
struct ApproximationBound {
  const char *instruction;
  ErrorMeasure measure;
  double bound;
  double from, to;
};

inline constexpr double kPi = 3.14159265358979323846;
/// Sorted by instruction; further out than the last range there is no bound.
inline constexpr ApproximationBound kApproximationBounds[] = {
    {"cos.approx.f32", ErrorMeasure::Absolute, 0x1.6a09e6p-21, 0, 2 * kPi},         // 2^-20.5
    {"cos.approx.f32", ErrorMeasure::Absolute, 0x1.3b2c47p-15, 2 * kPi, 100 * kPi}, // 2^-14.7
    {"div.approx.f32", ErrorMeasure::Ulp, 2, 0x1p-126, 0x1p126},
    {"div.full.f32", ErrorMeasure::Ulp, 2, 0, HUGE_VAL},
    {"ex2.approx.f16", ErrorMeasure::Relative, 0x1.125fbep-10, 0, HUGE_VAL}, // 2^-9.9
    {"ex2.approx.f32", ErrorMeasure::Ulp, 2, 0, HUGE_VAL},
    {"ex2.approx.ftz.bf16", ErrorMeasure::Relative, 0x1p-7, 0, HUGE_VAL},
    {"lg2.approx.f32", ErrorMeasure::Relative, 0x1p-22, 0, 0.5},
    {"lg2.approx.f32", ErrorMeasure::Absolute, 0x1p-22, 0.5, 2},
    {"lg2.approx.f32", ErrorMeasure::Relative, 0x1p-22, 2, HUGE_VAL},
    {"rcp.approx.f32", ErrorMeasure::Ulp, 1, 0, HUGE_VAL},
    {"rcp.approx.ftz.f64", ErrorMeasure::Relative, 0x1p-19, 0, HUGE_VAL},
    {"rsqrt.approx.f32", ErrorMeasure::Relative, 0x1.125fbep-23, 0, HUGE_VAL}, // 2^-22.9
    {"rsqrt.approx.f64", ErrorMeasure::Relative, 0x1p-51, 0, HUGE_VAL},
    {"rsqrt.approx.ftz.f64", ErrorMeasure::Relative, 0x1p-19, 0, HUGE_VAL},
    {"sin.approx.f32", ErrorMeasure::Absolute, 0x1.6a09e6p-21, 0, 2 * kPi},
    {"sin.approx.f32", ErrorMeasure::Absolute, 0x1.3b2c47p-15, 2 * kPi, 100 * kPi},
    {"sqrt.approx.f32", ErrorMeasure::Relative, 0x1p-23, 0, HUGE_VAL},
    {"tanh.approx.bf16", ErrorMeasure::Absolute, 0x1p-8, 0, HUGE_VAL},
    {"tanh.approx.f16", ErrorMeasure::Absolute, 0x1.025135p-11, 0, HUGE_VAL}, // 2^-10.987
    {"tanh.approx.f32", ErrorMeasure::Relative, 0x1p-11, 0, HUGE_VAL},
};

inline namespace TILE_SIM_ISA {

/// `function` of `x` in double, rounded to the type of `x`, with its canonical NaN.
template <typename T, typename Function> inline T approximate(T x, bool ftz, Function function) {
  if (ftz)
    x = flushSubnormal(x);
  return finish(fromHost<T>(function(static_cast<double>(toHost(x)))), {Rounding::Nearest, ftz});
}

/// `ex2.approx` of f32, f16 or bf16; of bf16 always with `ftz`.
template <typename T> inline T ex2Approx(T x, bool ftz) {
  return approximate(x, ftz, [](double value) { return std::exp2(value); });
}
/// `tanh.approx` of f32, f16 or bf16.
template <typename T> inline T tanhApprox(T x) {
  return approximate(x, false, [](double value) { return std::tanh(value); });
}
inline float lg2Approx(float x, bool ftz) {
  return approximate(x, ftz, [](double value) { return std::log2(value); });
}
inline float sinApprox(float x, bool ftz) {
  return approximate(x, ftz, [](double value) { return std::sin(value); });
}
inline float cosApprox(float x, bool ftz) {
  return approximate(x, ftz, [](double value) { return std::cos(value); });
}
inline float rcpApprox(float x, bool ftz) {
  return approximate(x, ftz, [](double value) { return 1 / value; });
}
inline float sqrtApprox(float x, bool ftz) {
  return approximate(x, ftz, [](double value) { return __builtin_sqrt(value); });
}
template <typename T> inline T rsqrtApprox(T x, bool ftz) {
  return approximate(x, ftz, [](double value) { return 1 / __builtin_sqrt(value); });
}

/// a / b for any divisor.
inline float divFull(float a, float b, bool ftz) {
  if (ftz)
    a = flushSubnormal(a), b = flushSubnormal(b);
  return finish(static_cast<float>(static_cast<double>(a) / b), {Rounding::Nearest, ftz});
}
/// a * (1 / b): a divisor above 2^126 has a reciprocal that is taken for zero.
inline float divApprox(float a, float b, bool ftz) {
  float magnitude = fromBits<float>(magnitudeOf(b));
  if (magnitude > 0x1p126f && magnitude < HUGE_VALF)
    return finish(a * copysign(b, 0.0f), {Rounding::Nearest, ftz});
  return divFull(a, b, ftz);
}

/// `function` of the upper word of `x` as a double whose lower word is zero; so is the result's. Subnormal operands and
/// results are zeros.
template <typename Function> inline double approximateUpperWord(double x, Function function) {
  constexpr uint64_t upper = 0xffffffff00000000;
  double taken = flushSubnormal(fromBits<double>(bitsOf(x) & upper));
  double result = function(taken);
  if (result != result)
    return fromBits<double>(0x7fffffff00000000);
  return flushSubnormal(fromBits<double>((bitsOf(result) + 0x80000000) & upper)); // to nearest
}
inline double rcpApproxFtzF64(double x) {
  return approximateUpperWord(x, [](double value) { return 1 / value; });
}
inline double rsqrtApproxFtzF64(double x) {
  return approximateUpperWord(x, [](double value) { return 1 / __builtin_sqrt(value); });
}

} // namespace TILE_SIM_ISA
} // namespace tile::sim::numerics

#endif // BACKEND_SIMULATOR_NUMERICS_APPROXIMATE_H
