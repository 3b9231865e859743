/// \file
/// Integer instructions against the ISA's bit-by-bit descriptions and against 128-bit arithmetic.
#include "backend/simulator/numerics/Integer.h"

#include "gtest/gtest.h"

#include <random>

namespace tile::sim::numerics {
namespace {

constexpr uint32_t kWords[] = {0,          1,          2,          0x7f,       0x80,       0xff,
                               0x8000,     0xffff,     0x10000,    0x7fffff,   0x800000,   0xffffff,
                               0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x12345678};

TEST(Integer, HighHalvesOfProducts) {
  std::mt19937_64 engine(1);
  for (int i = 0; i < 10000; ++i) {
    uint64_t a = engine(), b = engine();
    ASSERT_EQ(mulHi<uint64_t>(a, b), uint64_t((unsigned __int128)a * b >> 64));
    ASSERT_EQ(mulHi<int64_t>(a, b), int64_t((__int128)(int64_t)a * (int64_t)b >> 64));
    ASSERT_EQ(mulHi<uint32_t>(a, b), (a & 0xffffffff) * (b & 0xffffffff) >> 32);
    ASSERT_EQ(mulHi<int32_t>(a, b), int64_t(int32_t(a)) * int32_t(b) >> 32);
    ASSERT_EQ(mulHi<int16_t>(a, b), int16_t(a) * int16_t(b) >> 16);
    ASSERT_EQ(mulLo<uint16_t>(a, b), uint16_t(a * b));
    ASSERT_EQ(mulWide<int32_t>(a, b), int64_t(int32_t(a)) * int32_t(b));
    int64_t product24 = int64_t(int32_t(uint32_t(a) << 8) >> 8) * (int32_t(uint32_t(b) << 8) >> 8);
    ASSERT_EQ(mul24Lo<int32_t>(a, b), int32_t(product24));
    ASSERT_EQ(mul24Hi<int32_t>(a, b), int32_t(product24 >> 16));
    ASSERT_EQ(mul24Hi<uint32_t>(a, b), uint32_t((a & 0xffffff) * (b & 0xffffff) >> 16));
  }
  EXPECT_EQ(mulHi<uint16_t>(0xffff, 0xffff), 0xfffe);
}

TEST(Integer, SaturatingSums) {
  EXPECT_EQ(addSaturating(INT32_MAX, 1), INT32_MAX);
  EXPECT_EQ(addSaturating(INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(subSaturating(0, INT32_MIN), INT32_MAX);
  EXPECT_EQ(subSaturating(INT32_MIN, 1), INT32_MIN);
  EXPECT_EQ(addSaturating(5, -7), -2);
}

TEST(Integer, SumOfAbsoluteDifferences) {
  EXPECT_EQ(sad(3u, 5u, 10u), 12u);
  EXPECT_EQ(sad(5u, 3u, 10u), 12u);
  EXPECT_EQ(sad(INT32_MIN, INT32_MAX, 0), -1);
  EXPECT_EQ(sad<int64_t>(-1, 1, 1), 3);
}

/// A 64-bit sum from 32-bit parts, and a 128-bit one from 64-bit parts.
TEST(Integer, CarriesChain) {
  std::mt19937_64 engine(2);
  for (int i = 0; i < 10000; ++i) {
    uint64_t a = engine(), b = engine() | (i % 3 ? 0 : 0xffffffff);
    auto low = addCarry<uint32_t>(a, b);
    auto high = addCarry<uint32_t>(a >> 32, b >> 32, low.carry);
    ASSERT_EQ(uint64_t(high.value) << 32 | low.value, a + b);
    ASSERT_EQ(high.carry, a + b < a);
    low = subBorrow<uint32_t>(a, b);
    high = subBorrow<uint32_t>(a >> 32, b >> 32, low.carry);
    ASSERT_EQ(uint64_t(high.value) << 32 | low.value, a - b);
    ASSERT_EQ(high.carry, a < b);
  }
  EXPECT_TRUE(addCarry<uint64_t>(~uint64_t(0), 0, true).carry);
  EXPECT_TRUE(subBorrow<int32_t>(0, -1, true).carry);
  EXPECT_TRUE(subBorrow<uint32_t>(5, 5, true).carry);
  EXPECT_FALSE(subBorrow<uint32_t>(6, 5, true).carry);
}

TEST(Integer, DivisionIsTotal) {
  EXPECT_EQ(divide(7, 0), -1);
  EXPECT_EQ(divide(7u, 0u), ~0u);
  EXPECT_EQ(remainder(7, 0), -1);
  EXPECT_EQ(remainder<uint16_t>(7, 0), 0xffff);
  EXPECT_EQ(divide(INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(remainder(INT32_MIN, -1), 0);
  EXPECT_EQ(divide(-7, 2), -3);
  EXPECT_EQ(remainder(-7, 2), -1);
  EXPECT_EQ((divide<int16_t>(INT16_MIN, -1)), INT16_MIN);
  EXPECT_EQ(divide<uint64_t>(~uint64_t(0), 2), ~uint64_t(0) >> 1);
}

TEST(Integer, MinAndMaxWithRelu) {
  EXPECT_EQ(minInteger(-3, 2), -3);
  EXPECT_EQ(minInteger(-3, 2, true), 0);
  EXPECT_EQ(maxInteger(-3, -2, true), 0);
  EXPECT_EQ(maxInteger(0x80000000u, 1u), 0x80000000u);
}

TEST(Integer, ShiftsClamp) {
  EXPECT_EQ(shiftLeft(1u, 31), 0x80000000u);
  EXPECT_EQ(shiftLeft(1u, 32), 0u);
  EXPECT_EQ(shiftLeft(1u, 0xffffffff), 0u);
  EXPECT_EQ(shiftLeft<uint16_t>(1, 16), 0);
  EXPECT_EQ(shiftRight(-8, 1), -4);
  EXPECT_EQ(shiftRight(-8, 99), -1);
  EXPECT_EQ(shiftRight<uint64_t>(~uint64_t(0), 63), 1u);
  EXPECT_EQ(shiftRight<uint64_t>(~uint64_t(0), 64), 0u);
}

TEST(Integer, FunnelShifts) {
  uint32_t low = 0x89abcdef, high = 0x01234567;
  EXPECT_EQ(funnelLeft(low, high, 8, Overrun::Clamp), 0x23456789u);
  EXPECT_EQ(funnelRight(low, high, 8, Overrun::Clamp), 0x6789abcdu);
  EXPECT_EQ(funnelLeft(low, high, 40, Overrun::Clamp), low);
  EXPECT_EQ(funnelRight(low, high, 32, Overrun::Clamp), high);
  EXPECT_EQ(funnelLeft(low, high, 40, Overrun::Wrap), 0x23456789u);
  EXPECT_EQ(funnelRight(low, high, 32, Overrun::Wrap), low);
}

/// The ISA takes the low byte of a position or a length, the hardware all of it where it has no instruction: 64 bits.
template <typename T> int placeByTheBook(uint32_t place) {
  return int(kBits<T> == 32 ? place & 0xff : std::min(place, 255u));
}
/// The ISA's loop over bits.
template <typename T> T extractByTheBook(T a, uint32_t b, uint32_t c) {
  int msb = kBits<T> - 1, pos = placeByTheBook<T>(b), len = placeByTheBook<T>(c);
  auto bit = [&](int i) { return uint64_t(a) >> i & 1; };
  uint64_t sign = !std::is_signed<T>::value || len == 0 ? 0 : bit(std::min(pos + len - 1, msb)), d = 0;
  for (int i = 0; i <= msb; ++i)
    d |= (i < len && pos + i <= msb ? bit(pos + i) : sign) << i;
  return static_cast<T>(d);
}
template <typename T> T insertByTheBook(T a, T b, uint32_t c, uint32_t d) {
  int msb = kBits<T> - 1, pos = placeByTheBook<T>(c), len = placeByTheBook<T>(d);
  for (int i = 0; i < len && pos + i <= msb; ++i)
    b = static_cast<T>((b & ~(T(1) << (pos + i))) | (a >> i & 1) << (pos + i));
  return b;
}

TEST(Integer, BitFieldsAtEveryPosition) {
  std::mt19937_64 engine(3);
  for (int round = 0; round < 4; ++round) {
    uint64_t a = engine(), b = engine();
    for (uint32_t pos = 0; pos < 260; ++pos)
      for (uint32_t len = 0; len < 260; ++len) {
        ASSERT_EQ(bitFieldExtract<uint32_t>(a, pos, len), extractByTheBook<uint32_t>(a, pos, len)) << pos << " " << len;
        ASSERT_EQ(bitFieldExtract<int32_t>(a, pos, len), extractByTheBook<int32_t>(a, pos, len)) << pos << " " << len;
        ASSERT_EQ(bitFieldExtract<int64_t>(a, pos, len), extractByTheBook<int64_t>(a, pos, len)) << pos << " " << len;
        ASSERT_EQ(bitFieldExtract<uint64_t>(a, pos, len), extractByTheBook<uint64_t>(a, pos, len));
        ASSERT_EQ(bitFieldInsert<uint32_t>(a, b, pos, len), insertByTheBook<uint32_t>(a, b, pos, len));
        ASSERT_EQ(bitFieldInsert<uint64_t>(a, b, pos, len), insertByTheBook<uint64_t>(a, b, pos, len));
      }
  }
}

TEST(Integer, CountsAndSearches) {
  EXPECT_EQ(countLeadingZeros(0u), 32u);
  EXPECT_EQ(countLeadingZeros(uint64_t(1)), 63u);
  EXPECT_EQ(countOnes(0xf0f0u), 8u);
  EXPECT_EQ(countOnes(~uint64_t(0)), 64u);
  EXPECT_EQ(findHighest(0x00010000u, false), 16u);
  EXPECT_EQ(findHighest(0x00010000u, true), 15u);
  EXPECT_EQ(findHighest(-1, false), ~0u);
  EXPECT_EQ(findHighest(0u, true), ~0u);
  EXPECT_EQ(findHighest(int32_t(0xfff7ffff), false), 19u);
  EXPECT_EQ(findHighest<int64_t>(1, true), 63u);
  EXPECT_EQ(bitReverse(0x00000003u), 0xc0000000u);
  EXPECT_EQ(bitReverse(uint64_t(0x11)), 0x8800000000000000u);
}

TEST(Integer, FindNthSet) {
  EXPECT_EQ(findNthSet(0b10110, 0, 1), 1u);
  EXPECT_EQ(findNthSet(0b10110, 0, 3), 4u);
  EXPECT_EQ(findNthSet(0b10110, 2, 1), 2u);
  EXPECT_EQ(findNthSet(0b10110, 4, -3), 1u);
  EXPECT_EQ(findNthSet(0b10110, 4, -4), ~0u);
  EXPECT_EQ(findNthSet(0b10110, 2, 0), 2u);
  EXPECT_EQ(findNthSet(0b10110, 3, 0), ~0u);
  EXPECT_EQ(findNthSet(0x80000000, 0, INT32_MIN), ~0u);
}

/// The three constants whose combination by C operators is the table.
TEST(Integer, Lop3ByEveryTable) {
  uint32_t a = 0xf0f0f0f0, b = 0xcccccccc, c = 0xaaaaaaaa;
  for (uint32_t table = 0; table < 256; ++table)
    ASSERT_EQ(lop3(a, b, c, table), table * 0x01010101u);
  EXPECT_EQ(lop3(0x12345678, 0x9abcdef0, 0x0ff00ff0, 0xf0 & 0xcc), 0x12345678u & 0x9abcdef0u);
  EXPECT_EQ(lop3(0x12345678, 0x9abcdef0, 0x0ff00ff0, 0xf0 ^ 0xcc ^ 0xaa), 0x12345678u ^ 0x9abcdef0u ^ 0x0ff00ff0u);
}

TEST(Integer, PermuteInEveryMode) {
  uint32_t a = 0x83828180, b = 0x07060504;
  EXPECT_EQ(permuteBytes(a, b, 0x7531, PermuteMode::Default), 0x07058381u);
  EXPECT_EQ(permuteBytes(a, b, 0x8c01, PermuteMode::Default), 0xff008081u);
  // Rows of the ISA's table: selector, then the bytes from the highest down.
  struct Row {
    PermuteMode mode;
    uint32_t expected[4];
  };
  a = 0x03020100;
  for (const Row &row : {Row{PermuteMode::F4E, {0x03020100, 0x04030201, 0x05040302, 0x06050403}},
                         Row{PermuteMode::B4E, {0x05060700, 0x06070001, 0x07000102, 0x00010203}},
                         Row{PermuteMode::RC8, {0x00000000, 0x01010101, 0x02020202, 0x03030303}},
                         Row{PermuteMode::ECL, {0x03020100, 0x03020101, 0x03020202, 0x03030303}},
                         Row{PermuteMode::ECR, {0x00000000, 0x01010100, 0x02020100, 0x03020100}},
                         Row{PermuteMode::RC16, {0x01000100, 0x03020302, 0x01000100, 0x03020302}}})
    for (uint32_t selector = 0; selector < 4; ++selector)
      EXPECT_EQ(permuteBytes(a, b, selector | 0xfffffff0, row.mode), row.expected[selector])
          << int(row.mode) << " " << selector;
}

TEST(Integer, DotProductsOfBytes) {
  EXPECT_EQ(dp4a(0x01020304, false, 0x05060708, false, 100), 100u + 5 + 12 + 21 + 32);
  EXPECT_EQ(dp4a(0xffffffff, true, 0xffffffff, false, 0), uint32_t(-4 * 255));
  EXPECT_EQ(dp4a(0x80808080, true, 0x80808080, true, 0xffffffff), 65535u);
  EXPECT_EQ(dp2a(0x00020003, false, 0x04050607, false, 1, false), 1u + 3 * 7 + 2 * 6);
  EXPECT_EQ(dp2a(0x00020003, false, 0x04050607, false, 1, true), 1u + 3 * 5 + 2 * 4);
  EXPECT_EQ(dp2a(0xffff0000, true, 0x0000ff00, true, 0, false), 1u);
}

TEST(Integer, ExtendAndMask) {
  EXPECT_EQ(extend<int32_t>(0x80, 8, Overrun::Clamp), -128);
  EXPECT_EQ(extend<uint32_t>(0xff80, 8, Overrun::Clamp), 0x80u);
  EXPECT_EQ(extend<int32_t>(-5, 32, Overrun::Clamp), -5);
  EXPECT_EQ(extend<int32_t>(-5, 32, Overrun::Wrap), 0);
  EXPECT_EQ(extend<int32_t>(-1, 0, Overrun::Clamp), 0);
  EXPECT_EQ(bitMask(4, 8, Overrun::Clamp), 0xff0u);
  EXPECT_EQ(bitMask(28, 8, Overrun::Clamp), 0xf0000000u);
  EXPECT_EQ(bitMask(40, 8, Overrun::Clamp), 0u);
  EXPECT_EQ(bitMask(36, 40, Overrun::Wrap), 0xff0u);
  EXPECT_EQ(bitMask(0, 32, Overrun::Clamp), 0xffffffffu);
  EXPECT_EQ(bitMask(0, 32, Overrun::Wrap), 0u);
}

TEST(Integer, HalvesAreIndependent) {
  auto sum = [](uint16_t a, uint16_t b) { return a + b; };
  EXPECT_EQ(onHalves<uint16_t>(0x0001ffff, 0x00020001, sum), 0x00030000u);
  auto least = [](int16_t a, int16_t b) { return minInteger(a, b); };
  EXPECT_EQ(onHalves<int16_t>(0x7fff8000, 0xffff0001, least), 0xffff8000u);
}

TEST(Integer, SaturateKeepsTheNearest) {
  for (uint32_t word : kWords) {
    int64_t x = int32_t(word);
    EXPECT_EQ(saturate<int8_t>(int32_t(word)), std::min<int64_t>(std::max<int64_t>(x, -128), 127));
    EXPECT_EQ(saturate<uint16_t>(int32_t(word)), std::min<int64_t>(std::max<int64_t>(x, 0), 65535));
    EXPECT_EQ(saturate<int32_t>(word), std::min<int64_t>(word, INT32_MAX));
  }
  EXPECT_EQ(saturate<int64_t>(~uint64_t(0)), INT64_MAX);
  EXPECT_EQ(saturate<uint64_t>(int64_t(-1)), 0u);
  EXPECT_EQ(saturate<int64_t>(INT64_MIN), INT64_MIN);
}

} // namespace
} // namespace tile::sim::numerics
