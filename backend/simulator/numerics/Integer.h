/// \file
/// Integer instructions of PTX that are more than one C++ operator. The operand type carries width and sign; what wraps
/// is computed without a sign, so that nothing here is undefined for any operand.
/// (PTX ISA 9.0, sections 9.7.1, 9.7.2 and 9.7.8)
///
/// Limits: the video instructions (`vadd` and its family) are absent. Division by zero is unspecified in the ISA; the
/// results here are those of an H200.
#ifndef BACKEND_SIMULATOR_NUMERICS_INTEGER_H
#define BACKEND_SIMULATOR_NUMERICS_INTEGER_H

#include "backend/simulator/numerics/InstructionSet.h"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace tile::sim::numerics {

/// What a shift amount or a position past the register does.
enum class Overrun : uint8_t { Wrap, Clamp };

/// A result and its carry or borrow: `CC.CF`.
template <typename T> struct WithCarry {
  T value;
  bool carry;
};

/// `.f4e` and so on of `prmt`; Default takes a selector per byte.
enum class PermuteMode : uint8_t { Default, F4E, B4E, RC8, ECL, ECR, RC16 };

inline namespace TILE_SIM_ISA {

template <typename T> using Unsigned = std::make_unsigned_t<T>;
template <typename T> inline constexpr unsigned kBits = 8 * sizeof(T);

/// The type of twice the width, with the same sign.
template <typename T> struct WiderType;
template <> struct WiderType<int16_t> {
  using Type = int32_t;
};
template <> struct WiderType<uint16_t> {
  using Type = uint32_t;
};
template <> struct WiderType<int32_t> {
  using Type = int64_t;
};
template <> struct WiderType<uint32_t> {
  using Type = uint64_t;
};
template <> struct WiderType<int64_t> {
  using Type = __int128;
};
template <> struct WiderType<uint64_t> {
  using Type = unsigned __int128;
};
template <typename T> using Wider = typename WiderType<T>::Type;

/// The product in twice the width: `mul.wide`.
template <typename T> inline Wider<T> mulWide(T a, T b) { return static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b); }
/// Its upper half: `mul.hi`.
template <typename T> inline T mulHi(T a, T b) { return static_cast<T>(mulWide(a, b) >> kBits<T>); }
/// Its lower half: `mul.lo`.
template <typename T> inline T mulLo(T a, T b) { return static_cast<T>(mulWide(a, b)); }

template <typename T> inline T wrappingAdd(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b)));
}
template <typename T> inline T wrappingSub(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b)));
}

/// `x` clamped to the range of `T`.
template <typename T, typename From> inline T saturate(From x) {
  using Limits = std::numeric_limits<T>;
  if (x < 0)
    return x < static_cast<__int128>(Limits::min()) ? Limits::min() : static_cast<T>(x);
  return static_cast<unsigned __int128>(x) > Limits::max() ? Limits::max() : static_cast<T>(x);
}

/// `add.sat.s32`, `sub.sat.s32`: clamped sums.
inline int32_t addSaturating(int32_t a, int32_t b) {
  int64_t sum = int64_t(a) + b;
  return static_cast<int32_t>(sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum);
}
inline int32_t subSaturating(int32_t a, int32_t b) {
  int64_t difference = int64_t(a) - b;
  return static_cast<int32_t>(difference < INT32_MIN ? INT32_MIN : difference > INT32_MAX ? INT32_MAX : difference);
}

/// The 24 low bits of `x`, by its sign: what `mul24` and `mad24` multiply.
inline int32_t low24(int32_t x) { return static_cast<int32_t>(static_cast<uint32_t>(x) << 8) >> 8; }
inline uint32_t low24(uint32_t x) { return x & 0xffffff; }
/// Bits 31..0 of the 48-bit product, and bits 47..16.
template <typename T> inline T mul24Lo(T a, T b) { return static_cast<T>(mulWide(low24(a), low24(b))); }
template <typename T> inline T mul24Hi(T a, T b) { return static_cast<T>(mulWide(low24(a), low24(b)) >> 16); }

/// |a - b| + c.
template <typename T> inline T sad(T a, T b, T c) {
  return wrappingAdd(c, a < b ? wrappingSub(b, a) : wrappingSub(a, b));
}

/// a + b + carry: `add.cc` with no carry in, `addc.cc` with one.
template <typename T> inline WithCarry<T> addCarry(T a, T b, bool carry = false) {
  Unsigned<T> x = static_cast<Unsigned<T>>(a), sum = x + static_cast<Unsigned<T>>(b), total = sum + carry;
  return {static_cast<T>(total), sum < x || total < sum};
}
/// a - b - borrow; the carry flag holds the borrow: `sub.cc`, `subc.cc`.
template <typename T> inline WithCarry<T> subBorrow(T a, T b, bool borrow = false) {
  Unsigned<T> x = static_cast<Unsigned<T>>(a), y = static_cast<Unsigned<T>>(b), difference = x - y;
  return {static_cast<T>(difference - borrow), x < y || difference < Unsigned<T>(borrow)};
}

/// Towards zero; all ones for a zero divisor; the smallest number over -1 wraps to itself.
template <typename T> inline T divide(T a, T b) {
  if (b == 0)
    return static_cast<T>(~Unsigned<T>(0));
  if (std::is_signed<T>::value && b == static_cast<T>(-1))
    return wrappingSub(T(0), a);
  return static_cast<T>(a / b);
}
/// With the sign of `a`; all ones for a zero divisor.
template <typename T> inline T remainder(T a, T b) {
  if (b == 0)
    return static_cast<T>(~Unsigned<T>(0));
  if (std::is_signed<T>::value && b == static_cast<T>(-1))
    return 0;
  return static_cast<T>(a % b);
}

/// `min` and `max`; with `relu`, 0 for a negative result.
template <typename T> inline T minInteger(T a, T b, bool relu = false) {
  T least = a < b ? a : b;
  return relu && least < 0 ? T(0) : least;
}
template <typename T> inline T maxInteger(T a, T b, bool relu = false) {
  T most = a > b ? a : b;
  return relu && most < 0 ? T(0) : most;
}

/// An amount of the width or more moves every bit out. Arithmetic for a signed type.
template <typename T> inline T shiftLeft(T a, uint32_t amount) {
  return amount >= kBits<T> ? T(0) : static_cast<T>(static_cast<Unsigned<T>>(a) << (amount & (kBits<T> - 1)));
}
template <typename T> inline T shiftRight(T a, uint32_t amount) {
  if (std::is_signed<T>::value)
    return static_cast<T>(a >> (amount >= kBits<T> ? kBits<T> - 1 : amount));
  return amount >= kBits<T> ? T(0) : static_cast<T>(a >> (amount & (kBits<T> - 1)));
}

/// The pair high:low shifted by 0 to 32 (clamped) or 0 to 31 (wrapped): the upper word for `shf.l`, the lower for `.r`.
inline uint32_t funnelLeft(uint32_t low, uint32_t high, uint32_t amount, Overrun overrun) {
  amount = overrun == Overrun::Clamp ? (amount > 32 ? 32 : amount) : amount & 31;
  return static_cast<uint32_t>((uint64_t(high) << 32 | low) << amount >> 32);
}
inline uint32_t funnelRight(uint32_t low, uint32_t high, uint32_t amount, Overrun overrun) {
  amount = overrun == Overrun::Clamp ? (amount > 32 ? 32 : amount) : amount & 31;
  return static_cast<uint32_t>((uint64_t(high) << 32 | low) >> amount);
}

/// Ones in `length` places from place 0.
template <typename T> inline T lowOnes(uint32_t length) {
  return length >= kBits<T> ? static_cast<T>(~T(0)) : static_cast<T>((T(1) << length) - 1);
}

/// What a bit field makes of its position or its length: modulo 256 by the ISA, but the code that an H200 runs for 64
/// bits takes all of it.
template <typename T> inline uint32_t fieldPlace(uint32_t place) {
  return kBits<T> == 32 ? place & 0xff : place < 0xff ? place : 0xff;
}
/// `length` bits of `a` from `position`, continued with zeros or, signed, with the highest one taken.
template <typename T> inline T bitFieldExtract(T a, uint32_t position, uint32_t length) {
  position = fieldPlace<T>(position), length = fieldPlace<T>(length);
  if (length == 0)
    return 0;
  constexpr uint32_t last = kBits<T> - 1;
  uint32_t top = position + length - 1 < last ? position + length - 1 : last;
  bool sign = std::is_signed<T>::value && (static_cast<Unsigned<T>>(a) >> top & 1);
  // Places past the register read as the sign.
  Unsigned<T> taken = shiftRight(static_cast<Unsigned<T>>(a), position);
  uint32_t present = position > last ? 0 : top - position + 1;
  Unsigned<T> mask = lowOnes<Unsigned<T>>(present);
  return static_cast<T>((taken & mask) | (sign ? static_cast<Unsigned<T>>(~mask) : 0));
}
/// `b` with `length` bits of `a` at `position`.
template <typename T> inline T bitFieldInsert(T a, T b, uint32_t position, uint32_t length) {
  position = fieldPlace<T>(position), length = fieldPlace<T>(length);
  T mask = shiftLeft(lowOnes<T>(length), position);
  return static_cast<T>((b & ~mask) | (shiftLeft(a, position) & mask));
}

template <typename T> inline uint32_t countLeadingZeros(T a) {
  if (!a)
    return kBits<T>;
  return kBits<T> == 64 ? __builtin_clzll(a) : __builtin_clz(static_cast<uint32_t>(a));
}
template <typename T> inline uint32_t countOnes(T a) { return __builtin_popcountll(static_cast<Unsigned<T>>(a)); }

/// The place of the highest one or, in a negative number, of the highest zero; all ones if there is none. With
/// `shiftAmount`, how far it is from the top.
template <typename T> inline uint32_t findHighest(T a, bool shiftAmount) {
  Unsigned<T> bits = static_cast<Unsigned<T>>(std::is_signed<T>::value && a < 0 ? ~a : a);
  if (!bits)
    return ~0u;
  uint32_t above = countLeadingZeros(bits);
  return shiftAmount ? above : kBits<T> - 1 - above;
}

/// The bits of a 32- or 64-bit `a` in reverse.
template <typename T> inline T bitReverse(T a) {
  uint64_t x = static_cast<uint64_t>(a);
  x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
  x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
  return static_cast<T>(__builtin_bswap64(x) >> (64 - kBits<T>));
}

/// The place of the one that is `offset`th from `base`, upwards if positive, downwards if negative, `base` itself
/// counting as the first; all ones if there is none. (`fns`)
inline uint32_t findNthSet(uint32_t mask, uint32_t base, int32_t offset) {
  if (base > 31)
    return ~0u;
  if (offset == 0)
    return mask >> base & 1 ? base : ~0u;
  int64_t left = offset > 0 ? int64_t(offset) : -int64_t(offset);
  for (int place = static_cast<int>(base); place >= 0 && place < 32; place += offset > 0 ? 1 : -1)
    if (mask >> place & 1 && --left == 0)
      return static_cast<uint32_t>(place);
  return ~0u;
}

/// The truth table `table` of three bits, bit by bit: place 4a + 2b + c.
inline uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  auto row = [&](unsigned place) { return table >> place & 1 ? ~0u : 0u; };
  uint32_t low = (~b & ((~c & row(0)) | (c & row(1)))) | (b & ((~c & row(2)) | (c & row(3))));
  uint32_t high = (~b & ((~c & row(4)) | (c & row(5)))) | (b & ((~c & row(6)) | (c & row(7))));
  return (~a & low) | (a & high);
}

/// Four bytes out of the eight of b:a.
inline uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t selector, PermuteMode mode) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0, n = selector & 3;
  for (uint32_t i = 0; i < 4; ++i) {
    uint32_t from = 0;
    switch (mode) {
    case PermuteMode::Default:
      from = selector >> (4 * i) & 7;
      break;
    case PermuteMode::F4E:
      from = n + i;
      break;
    case PermuteMode::B4E:
      from = (n - i) & 7;
      break;
    case PermuteMode::RC8:
      from = n;
      break;
    case PermuteMode::ECL:
      from = i > n ? i : n;
      break;
    case PermuteMode::ECR:
      from = i < n ? i : n;
      break;
    case PermuteMode::RC16:
      from = 2 * (n & 1) + (i & 1);
      break;
    }
    uint32_t byte = static_cast<uint32_t>(bytes >> (8 * from)) & 0xff;
    if (mode == PermuteMode::Default && selector >> (4 * i + 3) & 1)
      byte = byte & 0x80 ? 0xff : 0; // the sign of the byte, in all its places
    result |= byte << (8 * i);
  }
  return result;
}

/// Byte `i` of `word`, by sign.
inline int32_t byteOf(uint32_t word, unsigned i, bool isSigned) {
  return isSigned ? static_cast<int8_t>(word >> (8 * i)) : static_cast<uint8_t>(word >> (8 * i));
}
/// c + the four products of bytes, wrapping.
inline uint32_t dp4a(uint32_t a, bool aSigned, uint32_t b, bool bSigned, uint32_t c) {
  for (unsigned i = 0; i < 4; ++i)
    c += static_cast<uint32_t>(byteOf(a, i, aSigned) * byteOf(b, i, bSigned));
  return c;
}
/// c + the two products of a's halves and b's lower or upper two bytes, wrapping.
inline uint32_t dp2a(uint32_t a, bool aSigned, uint32_t b, bool bSigned, uint32_t c, bool upper) {
  for (unsigned i = 0; i < 2; ++i) {
    int32_t half = aSigned ? static_cast<int16_t>(a >> (16 * i)) : static_cast<uint16_t>(a >> (16 * i));
    c += static_cast<uint32_t>(half * byteOf(b, i + 2 * upper, bSigned));
  }
  return c;
}

/// `a` extended from `bits` bits: with zeros or, signed, its highest bit. (`szext`)
template <typename T> inline T extend(T a, uint32_t bits, Overrun overrun) {
  if (overrun == Overrun::Wrap)
    bits &= 31;
  else if (bits >= 32)
    return a;
  uint32_t kept = static_cast<uint32_t>(a) & lowOnes<uint32_t>(bits);
  bool sign = std::is_signed<T>::value && bits > 0 && kept >> (bits - 1) & 1;
  return static_cast<T>(sign ? kept | ~lowOnes<uint32_t>(bits) : kept);
}

/// `width` ones from place `start`. (`bmsk`)
inline uint32_t bitMask(uint32_t start, uint32_t width, Overrun overrun) {
  if (overrun == Overrun::Wrap)
    start &= 31, width &= 31;
  return shiftLeft(lowOnes<uint32_t>(width), start);
}

/// `op` of the lower halves and of the upper ones: `.u16x2`, `.s16x2` and, on bits, `.f16x2`, `.bf16x2`.
template <typename T, typename Op> inline uint32_t onHalves(uint32_t a, uint32_t b, Op op) {
  uint16_t low = static_cast<uint16_t>(op(static_cast<T>(a), static_cast<T>(b)));
  uint16_t high = static_cast<uint16_t>(op(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
  return uint32_t(high) << 16 | low;
}

} // namespace TILE_SIM_ISA
} // namespace tile::sim::numerics

#endif // BACKEND_SIMULATOR_NUMERICS_INTEGER_H
