/// Conversions of the 16-bit floats, against values computed in f64 from the definition of the formats.
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
