/// How the interpreter stores one element of each scalar type, and the conversions of the 8- and 16-bit floats, which
/// it keeps as bits and computes in f32. Everything here is free of MLIR and branch-free, so that loops over it
/// vectorise.
#ifndef BACKEND_INTERPRETER_ELEMENT_H
#define BACKEND_INTERPRETER_ELEMENT_H

#include <cstdint>
#include <cstring>

namespace tile {

/// Scalar types as stored: signless, `index` and pointers are I64, a bool is one byte that is 0 or 1. `Bounded` is
/// never in memory: it stands for every float when error bounds are carried (see Bounds.h).
enum class Element : uint8_t { I1, I8, I16, I32, I64, F8E4M3, F8E5M2, F16, BF16, F32, F64, Bounded };

/// Bytes of one element.
constexpr int64_t sizeOf(Element element) {
  constexpr int64_t sizes[] = {1, 1, 2, 4, 8, 1, 1, 2, 2, 4, 8, 16};
  return sizes[static_cast<int>(element)];
}

constexpr bool isFloat(Element element) { return element >= Element::F8E4M3; }
constexpr bool isFloat8(Element element) { return element == Element::F8E4M3 || element == Element::F8E5M2; }

// Internal linkage: files that include this are compiled for different instruction sets.
namespace {

template <typename To, typename From> inline To bitsTo(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(to));
  return to;
}

/// 8-bit floats as bits: 4 of exponent and 3 of mantissa, with one NaN and no infinities; 5 and 2, as IEEE 754 would
/// have it.
struct E4M3 {
  uint8_t bits;
};
struct E5M2 {
  uint8_t bits;
};

/// An f16 and a bf16 as bits.
struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};

inline float toFloat(BFloat x) { return bitsTo<float>(static_cast<uint32_t>(x.bits) << 16); }

inline float toFloat(Half x) {
  constexpr uint32_t kRebias = 112u << 23; // the exponent bias of f32 minus that of f16
  uint32_t magnitude = (x.bits & 0x7fffu) << 13, sign = (x.bits & 0x8000u) << 16;
  uint32_t normal = magnitude + kRebias;
  uint32_t special = normal + kRebias;
  uint32_t subnormal = bitsTo<uint32_t>(bitsTo<float>(normal + (1u << 23)) - bitsTo<float>(113u << 23));
  uint32_t exponent = x.bits & 0x7c00u;
  return bitsTo<float>((exponent == 0x7c00u ? special : exponent == 0 ? subnormal : normal) | sign);
}

inline float toFloat(E5M2 x) { return toFloat(Half{static_cast<uint16_t>(x.bits << 8)}); }

inline float toFloat(E4M3 x) {
  uint32_t magnitude = x.bits & 0x7fu, sign = (x.bits & 0x80u) << 24;
  // The bits stand for a number 2^120 times smaller in f32, whose exponent has a bias of 127 and not 7.
  uint32_t number = bitsTo<uint32_t>(bitsTo<float>(magnitude << 20) * 0x1p120f);
  return bitsTo<float>((magnitude == 0x7fu ? 0x7fc00000u : number) | sign);
}

/// To nearest, ties to even; past 448 to 448, as there is no infinity.
inline E4M3 toE4M3(float x) {
  uint32_t bits = bitsTo<uint32_t>(x);
  uint32_t sign = (bits >> 24) & 0x80u, magnitude = bits & 0x7fffffffu;
  uint32_t normal = (magnitude + 0x7ffffu + ((magnitude >> 20) & 1) - (120u << 23)) >> 20;
  // Below 2^-6 the distance of two is 2^-9, which is that of two f32 next to 2^14: the addition rounds.
  uint32_t subnormal = bitsTo<uint32_t>(bitsTo<float>(magnitude) + 0x1p14f) - bitsTo<uint32_t>(0x1p14f);
  uint32_t special = magnitude > 0x7f800000u ? 0x7fu : 0x7eu;
  uint32_t result = magnitude >= 0x43e80000u ? special : magnitude < 0x3c800000u ? subnormal : normal; // 464, 2^-6
  return {static_cast<uint8_t>(result | sign)};
}

/// To nearest, ties to even; from 61440 on, halfway past the largest number, to infinity.
inline E5M2 toE5M2(float x) {
  uint32_t bits = bitsTo<uint32_t>(x);
  uint32_t sign = (bits >> 24) & 0x80u, magnitude = bits & 0x7fffffffu;
  uint32_t normal = (magnitude + 0xfffffu + ((magnitude >> 21) & 1) - (112u << 23)) >> 21;
  // Below 2^-14 the distance of two is 2^-16, which is that of two f32 next to 2^7.
  uint32_t subnormal = bitsTo<uint32_t>(bitsTo<float>(magnitude) + 0x1p7f) - bitsTo<uint32_t>(0x1p7f);
  uint32_t special = magnitude > 0x7f800000u ? 0x7fu : 0x7cu;
  uint32_t result = magnitude >= 0x47700000u ? special : magnitude < 0x38800000u ? subnormal : normal; // 61440, 2^-14
  return {static_cast<uint8_t>(result | sign)};
}

/// To nearest, ties to even; every NaN becomes the quiet one.
inline BFloat toBFloat(float x) {
  uint32_t bits = bitsTo<uint32_t>(x);
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
  return {static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded)};
}

/// To nearest, ties to even, past 65504 to infinity; every NaN becomes the quiet one.
inline Half toHalf(float x) {
  uint32_t bits = bitsTo<uint32_t>(x);
  uint32_t sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
  uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1) - (112u << 23)) >> 13;
  // Below 2^-14 the distance of two f16 is 2^-24, which is that of two f32 next to 0.5: the addition rounds.
  uint32_t subnormal = bitsTo<uint32_t>(bitsTo<float>(magnitude) + 0.5f) - bitsTo<uint32_t>(0.5f);
  uint32_t special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
  uint32_t result = magnitude >= 0x47800000u ? special : magnitude < 0x38800000u ? subnormal : normal;
  return {static_cast<uint16_t>(result | sign)};
}

/// The f32 next to `x`, whose last bit is set unless it is exact: a second rounding, to a narrower type, is then right.
inline float toFloatOdd(double x) {
  float nearest = static_cast<float>(x);
  double back = nearest;
  if (back == x || x != x)
    return nearest;
  uint32_t bits = bitsTo<uint32_t>(nearest);
  bool away = (back > x) == (x > 0);
  return bitsTo<float>((away ? bits - 1 : bits) | 1);
}

} // namespace
} // namespace tile

#endif
