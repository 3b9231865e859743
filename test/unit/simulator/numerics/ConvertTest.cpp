/// \file
/// Conversions: every 16-bit operand, dense sweeps of wider ones; the expected value is looked up among the neighbours
/// of the target format, or computed in 80-bit arithmetic in the host's rounding modes.
#include "backend/simulator/numerics/Convert.h"
#include "test/unit/simulator/numerics/HostRounding.h"

#include "gtest/gtest.h"

#include <algorithm>

namespace tile::sim::numerics {
namespace {

constexpr Rounding kAllRoundings[] = {Rounding::Nearest, Rounding::NearestAway, Rounding::Zero, Rounding::Down,
                                      Rounding::Up};

/// Rounds by searching the finite values of a format: knows nothing of how bits are made.
class Neighbours {
public:
  explicit Neighbours(const Format &format) : format(format) {
    for (uint64_t bits = 0; bits <= format.maxFinite(); ++bits)
      values.push_back(decode(format, bits << format.padding));
  }

  uint64_t round(double x, Rounding rounding, bool finite) const {
    if (std::isnan(x))
      return format.canonicalNaN;
    bool negative = std::signbit(x);
    double magnitude = std::abs(x), largest = values.back();
    uint64_t sign = negative ? format.signBit() : 0;
    size_t above = std::lower_bound(values.begin(), values.end(), magnitude) - values.begin();
    uint64_t chosen = above;
    bool beyond = magnitude > largest;
    // One step past the largest is where rounding to nearest gives way to infinity.
    double next = beyond ? 2 * largest - values[values.size() - 2] : 0;
    if (beyond || magnitude < values[above]) {
      double low = beyond ? largest : values[above - 1], high = beyond ? next : values[above];
      uint64_t below = beyond ? values.size() - 1 : above - 1;
      bool up = (rounding == Rounding::Up && !negative) || (rounding == Rounding::Down && negative);
      if (rounding == Rounding::Nearest || rounding == Rounding::NearestAway) {
        double middle = low + (high - low) / 2;
        up = magnitude > middle || (magnitude == middle && (rounding == Rounding::NearestAway || below % 2));
      }
      if (std::isinf(x))
        up = true;
      chosen = below + up;
      if (finite || format.top == Top::Numbers)
        chosen = std::min<uint64_t>(chosen, format.maxFinite());
    }
    return (sign | chosen) << format.padding;
  }

private:
  const Format &format;
  std::vector<double> values;
};

TEST(Convert, EverySixteenBitsToBytes) {
  for (const Format *format : {&kE4M3, &kE5M2, &kE3M2, &kE2M3, &kE2M1}) {
    Neighbours expected(*format);
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      Half half{static_cast<uint16_t>(bits)};
      BFloat bfloat{static_cast<uint16_t>(bits)};
      ConvertMode mode;
      mode.finite = true;
      ASSERT_EQ(convertToFormat(*format, half, mode), expected.round(toHost(half), Rounding::Nearest, true)) << bits;
      ASSERT_EQ(convertToFormat(*format, bfloat, mode), expected.round(toHost(bfloat), Rounding::Nearest, true));
      float wide = bitCast<float>(bits << 16 | 0x9234);
      ASSERT_EQ(convertToFormat(*format, wide, mode), expected.round(wide, Rounding::Nearest, true)) << wide;
    }
  }
}

TEST(Convert, F32ToSixteenBitsInEveryDirection) {
  Neighbours half(kF16), bfloat(kBF16), tf32(kTF32);
  std::mt19937 engine(1);
  for (int i = 0; i < 60000; ++i) {
    // Near the range of f16 for a half of the sweep; with few low bits, to meet middles, for a third.
    uint32_t bits = engine();
    if (i % 2)
      bits = (bits & 0x80ffffff) | (100 + engine() % 32) << 23;
    if (i % 3 == 0)
      bits &= 0xffff1000;
    float x = bitCast<float>(bits);
    for (Rounding rounding : kAllRoundings)
      for (bool finite : {false, true}) {
        ConvertMode mode{rounding, false, false, false, finite};
        ASSERT_EQ(convertFloat<Half>(x, mode).bits, half.round(x, rounding, finite)) << x << " " << int(rounding);
        ASSERT_EQ(convertFloat<BFloat>(x, mode).bits, bfloat.round(x, rounding, finite)) << x << " " << int(rounding);
        if (!isNaN(x))
          ASSERT_EQ(convertToFormat(kTF32, x, mode), tf32.round(x, rounding, finite)) << x << " " << int(rounding);
      }
  }
}

TEST(Convert, F64ToF32InTheHostsDirections) {
  for (uint64_t bits : interestingBits(11, 52, 20000, 2)) {
    volatile double x = bitCast<double>(bits);
    volatile double near = x * 0x1p-100; // some of the random ones are then in the range of f32 subnormals
    for (Rounding rounding : kHostRoundings)
      for (double value : {double(x), double(near)}) {
        volatile double operand = value;
        float expected = hostRounded(rounding, [&] { return static_cast<float>(operand); });
        float found = convertFloat<float>(value, {rounding});
        ASSERT_EQ(bitsOf(found), bitsOf(expected)) << value;
      }
  }
}

TEST(Convert, F64ToF16RoundsOnce) {
  double tie = 1 + 0x1p-11; // through f32, the last bit would be lost and the tie go to even
  EXPECT_EQ(convertFloat<Half>(tie + 0x1p-40).bits, 0x3c01);
  EXPECT_EQ(convertFloat<Half>(tie).bits, 0x3c00);
  EXPECT_EQ(convertFloat<BFloat>(1 + 0x1p-8 + 0x1p-45).bits, 0x3f81);
}

TEST(Convert, WideningIsExact) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    Half half{static_cast<uint16_t>(bits)};
    if (isNaN(half)) {
      ASSERT_EQ(bitsOf(convertFloat<float>(half)), 0x7fffffffu);
      continue;
    }
    ASSERT_EQ(convertFloat<float>(half), decode(kF16, bits));
    ASSERT_EQ(convertFloat<double>(half), decode(kF16, bits));
  }
}

template <typename To, typename From> void checkToInteger(From x) {
  using Limits = std::numeric_limits<To>;
  for (Rounding rounding : kHostRoundings) {
    long double operand = static_cast<long double>(toHost(x));
    long double integral = hostRounded(rounding, [&] { return std::rint(operand); });
    To expected;
    if (std::isnan(operand))
      expected = sizeof(To) == 8 || sizeof(From) == 8 ? static_cast<To>(uint64_t(1) << (8 * sizeof(To) - 1)) : To(0);
    else if (integral < static_cast<long double>(Limits::min()))
      expected = Limits::min();
    else if (integral > static_cast<long double>(Limits::max()))
      expected = Limits::max();
    else
      expected = static_cast<To>(integral);
    ASSERT_EQ((convertToInteger<To>(x, rounding)), expected) << double(toHost(x)) << " " << int(rounding);
  }
}
template <typename From> void checkToEveryInteger(From x) {
  checkToInteger<int8_t>(x), checkToInteger<uint8_t>(x), checkToInteger<int16_t>(x), checkToInteger<uint16_t>(x);
  checkToInteger<int32_t>(x), checkToInteger<uint32_t>(x), checkToInteger<int64_t>(x), checkToInteger<uint64_t>(x);
}

TEST(Convert, EverySixteenBitsToIntegers) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    checkToEveryInteger(Half{static_cast<uint16_t>(bits)});
    checkToEveryInteger(BFloat{static_cast<uint16_t>(bits)});
    if (HasFatalFailure())
      return;
  }
}

TEST(Convert, WideFloatsToIntegers) {
  for (uint64_t bits : interestingBits(8, 23, 3000, 3))
    checkToEveryInteger(bitCast<float>(static_cast<uint32_t>(bits)));
  for (uint64_t bits : interestingBits(11, 52, 3000, 4))
    checkToEveryInteger(bitCast<double>(bits));
  for (double power : {127.0, 128.0, 255.0, 256.0, 32768.0, 65536.0, 0x1p31, 0x1p32, 0x1p63, 0x1p64})
    for (double beside : {-1.0, -0.5, -0x1p-20, 0.0, 0.5, 1.0})
      for (double sign : {1.0, -1.0})
        checkToEveryInteger(sign * (power + beside)), checkToEveryInteger(float(sign * (power + beside)));
}

template <typename From> void checkFromInteger(From x) {
  Neighbours half(kF16);
  for (Rounding rounding : kHostRoundings) {
    volatile From operand = x;
    ASSERT_EQ(convertToFloat<float>(x, {rounding}), hostRounded(rounding, [&] { return static_cast<float>(operand); }));
    ASSERT_EQ(convertToFloat<double>(x, {rounding}),
              hostRounded(rounding, [&] { return static_cast<double>(operand); }));
    if (std::abs(static_cast<double>(x)) < 0x1p50)
      ASSERT_EQ(convertToFloat<Half>(x, {rounding}).bits, half.round(static_cast<double>(x), rounding, false)) << +x;
  }
}

TEST(Convert, IntegersToFloat) {
  std::mt19937_64 engine(5);
  for (int i = 0; i < 200; ++i) {
    uint64_t x = engine() >> engine() % 64;
    if (i % 4 == 0)
      x = uint64_t(1) << i / 4 % 64 | (i & 8 ? 1 : 0);
    checkFromInteger<int64_t>(x), checkFromInteger<uint64_t>(x), checkFromInteger<int32_t>(x);
    checkFromInteger<uint32_t>(x), checkFromInteger<int16_t>(x), checkFromInteger<uint8_t>(x);
  }
  // Of 64 bits, through double, the last one would be lost.
  EXPECT_EQ(convertToFloat<BFloat>((uint64_t(1) << 62) + (uint64_t(1) << 54) + 1).bits, 0x5e81);
  EXPECT_EQ(convertToFloat<BFloat>((uint64_t(1) << 62) + (uint64_t(1) << 54)).bits, 0x5e80);
}

TEST(Convert, ToIntegralKeepsSignAndType) {
  EXPECT_EQ(bitsOf(convertToIntegral(-0.3f, {})), 0x80000000u);
  EXPECT_EQ(convertToIntegral(2.5f, {}), 2);
  EXPECT_EQ(convertToIntegral(-2.5, {Rounding::Down}), -3);
  EXPECT_EQ(convertToIntegral(-2.5, {Rounding::Zero}), -2);
  EXPECT_EQ(convertToIntegral(0x1p-140f, {Rounding::Up}), 1);
  EXPECT_EQ(convertToIntegral(0x1p-140f, {Rounding::Up, true}), 0);
  EXPECT_EQ(convertToIntegral(Half{0x3e00}, {}).bits, 0x4000);
  EXPECT_EQ(convertToIntegral(7.5f, {Rounding::Nearest, false, true}), 1);
}

TEST(Convert, BetweenIntegers) {
  EXPECT_EQ((convertInteger<int8_t, int32_t>(300, true)), 127);
  EXPECT_EQ((convertInteger<int8_t, int32_t>(300, false)), 44);
  EXPECT_EQ((convertInteger<uint8_t, int32_t>(-1, true)), 0);
  EXPECT_EQ((convertInteger<uint64_t, int32_t>(-1, false)), ~uint64_t(0));
  EXPECT_EQ((convertInteger<int32_t, uint32_t>(0xffffffff, true)), INT32_MAX);
}

TEST(Convert, Modifiers) {
  EXPECT_EQ(convertFloat<Half>(-2.0f, {Rounding::Nearest, false, false, true}).bits, 0);
  EXPECT_EQ(convertFloat<Half>(NAN, {Rounding::Nearest, false, false, true}).bits, 0x7fff);
  EXPECT_EQ(convertFloat<Half>(-0.0f, {Rounding::Zero, false, false, true}).bits, 0);
  EXPECT_EQ(bitsOf(convertFloat<float>(0x1p-140, {Rounding::Nearest, true})), 0u);
  EXPECT_EQ(bitsOf(convertFloat<float>(-0x1p-140, {Rounding::Up, true})), 0x80000000u);
  EXPECT_EQ(convertFloat<Half>(0x1p-20f, {Rounding::Nearest, true}).bits, 0x0010); // ftz is not for f16
  EXPECT_EQ(convertFloat<double>(0x1p-140f, {Rounding::Nearest, true}), 0);
  EXPECT_EQ(convertFloat<float>(7.0, {Rounding::Nearest, false, true}), 1);
  EXPECT_EQ(bitsOf(convertFloat<float>(NAN, {Rounding::Nearest, false, true})), 0u);
  EXPECT_EQ(convertToInteger<int32_t>(0x1p-140f, Rounding::Up, true), 0);
  EXPECT_EQ(convertToInteger<int32_t>(0x1p-140f, Rounding::Up), 1);
}

/// As an H200 gives them; the ISA says little.
TEST(Convert, NaNs) {
  double nan = fromBits<double>(0xfff0000000000003);
  EXPECT_EQ(bitsOf(convertFloat<float>(nan)), 0xffc00000u);
  EXPECT_EQ(convertFloat<Half>(nan).bits, 0xfe00);
  EXPECT_EQ(convertFloat<BFloat>(fromBits<double>(0x7ff8000000000000)).bits, 0x7fc0);
  EXPECT_EQ(convertFloat<Half>(nan, {Rounding::Nearest, false, false, true}).bits, 0x7fff);
  EXPECT_EQ(bitsOf(convertFloat<float>(BFloat{0x7f81})), 0x7f810000u);
  EXPECT_EQ(bitsOf(convertFloat<double>(fromBits<float>(0xff800001))), 0xfff8000020000000u);
  EXPECT_EQ(convertToFormat(kTF32, fromBits<float>(0xffc01234), {}), 0x7fffe000u);
  EXPECT_EQ(convertToFormat(kTF32, fromBits<float>(0xffc01234), {Rounding::NearestAway}), 0xffc00000u);
}

TEST(Convert, PairsPutTheFirstOperandAbove) {
  EXPECT_EQ(convertPairToHalves<Half>(1, 2, {}), 0x3c004000u);
  EXPECT_EQ(convertPairToHalves<BFloat>(1, -2, {}), 0x3f80c000u);
  EXPECT_EQ(convertPairToBytes(kE4M3, 1, 1000, {}), 0x387e);
  EXPECT_EQ(convertPairToBytes(kE5M2, -1e9f, NAN, {}), 0xfb7f);
  EXPECT_EQ(convertPairToBytes(kE4M3, -1, NAN, {Rounding::Nearest, false, false, true}), 0x007f);
  EXPECT_EQ(convertHalvesToBytes<Half>(kE4M3, 0x3c00c000, {}), 0x38c0);
  EXPECT_EQ(convertBytesToHalves<kE4M3>(0x38c0), 0x3c00c000u);
  EXPECT_EQ(convertBytesToHalves<kE4M3>(0xc038, true), 0x00003c00u);
}

TEST(Convert, EveryByteToF16) {
  for (uint32_t bits = 0; bits < 0x100; ++bits) {
    EXPECT_EQ(convertFromFormat<kE4M3>(bits).bits, encode(kF16, unpack(kE4M3, bits)));
    EXPECT_EQ(convertFromFormat<kE5M2>(bits).bits, encode(kF16, unpack(kE5M2, bits)));
  }
  for (uint32_t bits = 0; bits < 0x40; ++bits) {
    EXPECT_EQ(convertFromFormat<kE3M2>(bits).bits, encode(kF16, unpack(kE3M2, bits)));
    EXPECT_EQ(convertFromFormat<kE2M3>(bits).bits, encode(kF16, unpack(kE2M3, bits)));
    EXPECT_EQ(convertFromFormat<kE2M1>(bits & 15).bits, encode(kF16, unpack(kE2M1, bits & 15)));
  }
}

TEST(Convert, PackClampsAndAppends) {
  EXPECT_EQ(convertPack(70000, -5, 0, 16, false), 0xffff0000u);
  EXPECT_EQ(convertPack(70000, -70000, 0, 16, true), 0x7fff8000u);
  EXPECT_EQ(convertPack(300, -1, 0x12345678, 8, false), 0x5678ff00u);
  EXPECT_EQ(convertPack(300, -300, 0x12345678, 8, true), 0x56787f80u);
  EXPECT_EQ(convertPack(9, -9, 0x12345678, 4, true), 0x34567878u);
  EXPECT_EQ(convertPack(9, -9, 1, 2, false), 0x0000001cu);
}

} // namespace
} // namespace tile::sim::numerics
