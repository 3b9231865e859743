/// Conversions of the 8- and 16-bit floats, against values computed in f64 from the definition of the formats.
#include "backend/interpreter/Element.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace tile;

/// The value of the bits of a float with `mantissa` stored bits and an exponent of `exponent` bits.
static double valueOf(uint32_t bits, int mantissa, int exponent) {
  int bias = (1 << (exponent - 1)) - 1;
  int64_t field = (bits >> mantissa) & ((1 << exponent) - 1), fraction = bits & ((1 << mantissa) - 1);
  double sign = (bits >> (mantissa + exponent)) & 1 ? -1 : 1;
  if (field == (1 << exponent) - 1)
    return fraction ? NAN : sign * INFINITY;
  if (field == 0)
    return sign * std::ldexp(fraction, 1 - bias - mantissa);
  return sign * std::ldexp(fraction + (1 << mantissa), field - bias - mantissa);
}
static double valueOf(Half x) { return valueOf(x.bits, 10, 5); }
static double valueOf(BFloat x) { return valueOf(x.bits, 7, 8); }

static Half convert(float x, Half) { return toHalf(x); }
static BFloat convert(float x, BFloat) { return toBFloat(x); }

template <typename T> class SixteenBitFloat : public testing::Test {};
using SixteenBitFloats = testing::Types<Half, BFloat>;
TYPED_TEST_SUITE(SixteenBitFloat, SixteenBitFloats);

TYPED_TEST(SixteenBitFloat, WidensExactly) {
  for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
    TypeParam x{static_cast<uint16_t>(bits)};
    double expected = valueOf(x);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(toFloat(x))) << bits;
      continue;
    }
    EXPECT_EQ(toFloat(x), expected) << bits;
    EXPECT_EQ(std::signbit(toFloat(x)), std::signbit(expected)) << bits;
  }
}

TYPED_TEST(SixteenBitFloat, NarrowsEveryValueToItself) {
  for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
    TypeParam x{static_cast<uint16_t>(bits)};
    if (!std::isnan(valueOf(x)))
      EXPECT_EQ(convert(toFloat(x), TypeParam()).bits, bits);
    else
      EXPECT_TRUE(std::isnan(valueOf(convert(toFloat(x), TypeParam()))));
  }
}

TYPED_TEST(SixteenBitFloat, NarrowsBetweenTwoValuesToTheNearestAndTiesToEven) {
  for (uint32_t bits = 0; bits < 1 << 15; ++bits) {
    TypeParam low{static_cast<uint16_t>(bits)}, high{static_cast<uint16_t>(bits + 1)};
    if (!std::isfinite(valueOf(low)))
      break;
    // Past the largest value the next would be as far away as the one before; from half way on it is infinity.
    double gap = std::isfinite(valueOf(high)) ? valueOf(high) - valueOf(low)
                                              : valueOf(low) - valueOf(TypeParam{static_cast<uint16_t>(bits - 1)});
    float middle = static_cast<float>(valueOf(low) + gap / 2);
    ASSERT_EQ(middle, valueOf(low) + gap / 2);
    for (uint16_t sign : {0, 0x8000}) {
      float signedMiddle = sign ? -middle : middle;
      EXPECT_EQ(convert(signedMiddle, low).bits, (bits % 2 ? high.bits : low.bits) | sign) << bits;
      EXPECT_EQ(convert(std::nextafter(signedMiddle, 0.0f), low).bits, low.bits | sign) << bits;
      EXPECT_EQ(convert(std::nextafter(signedMiddle, sign ? -INFINITY : INFINITY), low).bits, high.bits | sign) << bits;
    }
  }
}

TEST(ToFloatOdd, MakesASecondRoundingRight) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000000; ++i) {
    // Close to half way between two bf16, or f16: the hard cases.
    BFloat near{static_cast<uint16_t>(random())};
    if (!std::isfinite(valueOf(near)) || near.bits % 0x8000 == 0x7f7f)
      continue;
    BFloat next{static_cast<uint16_t>(near.bits + 1)};
    double x = (valueOf(near) + valueOf(next)) / 2;
    double nudged = x * (1 + std::ldexp(static_cast<double>(random() % 3) - 1.0, -40));
    BFloat expected = std::fabs(nudged) > std::fabs(x)   ? next
                      : std::fabs(nudged) < std::fabs(x) ? near
                      : near.bits % 2                    ? next
                                                         : near;
    ASSERT_EQ(toBFloat(toFloatOdd(nudged)).bits, expected.bits) << nudged;
  }
}

TEST(ToFloatOdd, KeepsWhatIsExactAndOverflows) {
  EXPECT_EQ(toFloatOdd(1.5), 1.5f);
  EXPECT_EQ(toFloatOdd(-INFINITY), -INFINITY);
  EXPECT_TRUE(std::isnan(toFloatOdd(NAN)));
  EXPECT_EQ(toHalf(toFloatOdd(1e300)).bits, 0x7c00);
  EXPECT_EQ(toBFloat(toFloatOdd(-1e300)).bits, 0xff80);
  EXPECT_EQ(toHalf(toFloatOdd(1e-300)).bits, 0);
}

/// The formats of 8 bits, with what is past the largest number.
struct FormatOf8 {
  const char *name;
  double (*value)(uint8_t);
  uint8_t (*round)(float);
  uint8_t largest, past;
};

static const FormatOf8 kFormatsOf8[] = {
    {"e4m3",
     [](uint8_t bits) {
       // Its last exponent holds numbers, and its last number is NaN.
       bool isLast = (bits & 0x78) == 0x78;
       double sign = bits & 0x80 ? -1 : 1;
       return (bits & 0x7f) == 0x7f ? NAN : isLast ? sign * (8 + (bits & 7)) * 32 : valueOf(bits, 3, 4);
     },
     [](float x) { return toE4M3(x).bits; }, 0x7e, 0x7e},
    {"e5m2", [](uint8_t bits) { return valueOf(bits, 2, 5); }, [](float x) { return toE5M2(x).bits; }, 0x7b, 0x7c}};

TEST(EightBitFloat, WidensExactly) {
  for (int bits = 0; bits < 256; ++bits)
    for (const FormatOf8 &format : kFormatsOf8) {
      auto code = static_cast<uint8_t>(bits);
      double expected = format.value(code);
      float found = format.past == 0x7e ? toFloat(E4M3{code}) : toFloat(E5M2{code});
      EXPECT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected))) << format.name << " " << bits;
      EXPECT_TRUE(std::isnan(found) || std::signbit(found) == std::signbit(expected)) << format.name << " " << bits;
    }
}

TEST(EightBitFloat, NarrowsToTheNearestAndTiesToEven) {
  for (const FormatOf8 &format : kFormatsOf8) {
    for (int bits = 0; bits < format.largest; ++bits) {
      auto low = static_cast<uint8_t>(bits), high = static_cast<uint8_t>(bits + 1);
      auto half = static_cast<float>((format.value(low) + format.value(high)) / 2);
      for (int sign : {0, 0x80}) {
        float signedHalf = sign ? -half : half, outwards = sign ? -INFINITY : INFINITY;
        EXPECT_EQ(format.round(std::nextafterf(signedHalf, 0)), low | sign) << format.name << " " << bits;
        EXPECT_EQ(format.round(signedHalf), (bits % 2 ? high : low) | sign) << format.name << " " << bits;
        EXPECT_EQ(format.round(std::nextafterf(signedHalf, outwards)), high | sign) << format.name << " " << bits;
        EXPECT_EQ(format.round(static_cast<float>(format.value(low)) * (sign ? -1.0f : 1.0f)), low | sign);
      }
    }
  }
}

TEST(EightBitFloat, PastTheLargestOneIsThatOrInfinity) {
  // As far past the largest number as half the distance to the next one would be: a tie, to the even one.
  EXPECT_EQ(toE4M3(464).bits, 0x7e);
  EXPECT_EQ(toE4M3(1e30f).bits, 0x7e);
  EXPECT_EQ(toE4M3(-INFINITY).bits, 0xfe);
  EXPECT_EQ(toE5M2(std::nextafterf(61440, 0)).bits, 0x7b);
  EXPECT_EQ(toE5M2(61440).bits, 0x7c);
  EXPECT_EQ(toE5M2(-INFINITY).bits, 0xfc);
  for (float nan : {NAN, -NAN}) {
    EXPECT_EQ(toE4M3(nan).bits & 0x7f, 0x7f);
    EXPECT_EQ(toE5M2(nan).bits & 0x7f, 0x7f);
  }
}
