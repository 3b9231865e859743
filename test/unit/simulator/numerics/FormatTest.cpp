/// \file
/// Formats: every pattern of the small ones against values written out independently, and rounding by its laws.
#include "backend/simulator/numerics/Format.h"
#include "test/unit/simulator/numerics/HostRounding.h"

#include "gtest/gtest.h"

namespace tile::sim::numerics {
namespace {

const Format *const kSmallFormats[] = {&kF16, &kBF16, &kE5M2, &kE4M3, &kE3M2, &kE2M3, &kE2M1};

/// The value of a pattern by the textbook, through the library.
double textbook(const Format &format, uint64_t bits) {
  int field = static_cast<int>(bits >> format.fractionBits & ((1u << format.exponentBits) - 1));
  double fraction = static_cast<double>(bits & ((1u << format.fractionBits) - 1)) / (1 << format.fractionBits);
  double value = field ? std::ldexp(1 + fraction, field - format.bias) : std::ldexp(fraction, 1 - format.bias);
  return bits >> (format.exponentBits + format.fractionBits) & 1 ? -value : value;
}

bool isNaNPattern(const Format &format, uint64_t bits) {
  uint64_t magnitude = bits & format.magnitudeMask();
  return format.top == Top::OneNaN ? magnitude == 0x7f
                                   : format.top == Top::InfinityAndNaN && magnitude > format.infinity();
}

TEST(Format, DecodesEveryPattern) {
  for (const Format *format : kSmallFormats)
    for (uint64_t bits = 0; bits < uint64_t(1) << format->width(); ++bits) {
      double value = decode(*format, bits);
      if (isNaNPattern(*format, bits))
        EXPECT_TRUE(std::isnan(value)) << format->name << " " << bits;
      else if (format->top == Top::InfinityAndNaN && (bits & format->magnitudeMask()) == format->infinity())
        EXPECT_EQ(value, bits & format->signBit() ? -HUGE_VAL : HUGE_VAL) << format->name << " " << bits;
      else
        EXPECT_EQ(bitCast<uint64_t>(value), bitCast<uint64_t>(textbook(*format, bits))) << format->name << " " << bits;
    }
}

TEST(Format, LargestFiniteValues) {
  EXPECT_EQ(decode(kE4M3, kE4M3.maxFinite()), 448);
  EXPECT_EQ(decode(kE5M2, kE5M2.maxFinite()), 57344);
  EXPECT_EQ(decode(kE3M2, kE3M2.maxFinite()), 28);
  EXPECT_EQ(decode(kE2M3, kE2M3.maxFinite()), 7.5);
  EXPECT_EQ(decode(kE2M1, kE2M1.maxFinite()), 6);
  EXPECT_EQ(decode(kF16, kF16.maxFinite()), 65504);
  EXPECT_EQ(decode(kUE8M0, kUE8M0.maxFinite()), 0x1p127);
  EXPECT_EQ(decode(kUE8M0, 0), 0x1p-127);
}

TEST(Format, EncodesWhatItDecodes) {
  for (const Format *format : kSmallFormats)
    for (uint64_t bits = 0; bits < uint64_t(1) << format->width(); ++bits)
      for (Rounding rounding : {Rounding::Nearest, Rounding::NearestAway, Rounding::Zero, Rounding::Down, Rounding::Up})
        EXPECT_EQ(encode(*format, unpack(*format, bits), {rounding}),
                  isNaNPattern(*format, bits) ? format->canonicalNaN : bits)
            << format->name << " " << bits;
}

/// Between two neighbours, at their middle and a little beside it, every rounding picks as its name says.
TEST(Format, RoundsBetweenNeighbours) {
  for (const Format *format : kSmallFormats)
    for (uint64_t bits = 0; bits < format->maxFinite(); ++bits)
      for (bool negative : {false, true}) {
        double low = textbook(*format, bits), high = textbook(*format, bits + 1);
        double middle = (low + high) / 2, little = (high - low) * 0x1p-20;
        auto round = [&](double x, Rounding rounding) {
          return encode(*format, exactOf(negative ? -x : x), {rounding}) & ~format->signBit();
        };
        for (double x : {low + little, middle - little, middle, middle + little, high - little}) {
          uint64_t nearest = x < middle ? bits : x > middle ? bits + 1 : bits + (bits & 1);
          ASSERT_EQ(round(x, Rounding::Nearest), nearest) << format->name << " " << x;
          ASSERT_EQ(round(x, Rounding::NearestAway), x < middle ? bits : bits + 1) << format->name << " " << x;
          ASSERT_EQ(round(x, Rounding::Zero), bits) << format->name << " " << x;
          ASSERT_EQ(round(x, Rounding::Down), bits + negative) << format->name << " " << x;
          ASSERT_EQ(round(x, Rounding::Up), bits + !negative) << format->name << " " << x;
        }
      }
}

TEST(Format, BeyondTheLargest) {
  struct Case {
    const Format *format;
    double value;
    Encoding how;
    uint64_t expected;
  };
  for (const Case &c : {
           Case{&kF16, 65519.99, {}, 0x7bff},
           Case{&kF16, 65520, {}, 0x7c00},
           Case{&kF16, 65520, {Rounding::Zero}, 0x7bff},
           Case{&kF16, 1e9, {Rounding::Down}, 0x7bff},
           Case{&kF16, 65505, {Rounding::Up}, 0x7c00},
           Case{&kF16, -65505, {Rounding::Down}, 0xfc00},
           Case{&kF16, -1e9, {Rounding::Up}, 0xfbff},
           Case{&kF16, 65520, {Rounding::Nearest, true}, 0x7bff},
           Case{&kF16, HUGE_VAL, {Rounding::Nearest, true}, 0x7bff},
           Case{&kF16, HUGE_VAL, {Rounding::Zero}, 0x7c00},
           Case{&kF16, -1e9, {Rounding::Nearest, false, true}, 0},
           Case{&kF16, -0.0, {Rounding::Nearest, false, true}, 0},
           Case{&kE4M3, 464, {}, 0x7e},
           Case{&kE4M3, 464.1, {}, 0x7f},
           Case{&kE4M3, 464.1, {Rounding::Nearest, true}, 0x7e},
           Case{&kE4M3, -1e30, {Rounding::Nearest, true}, 0xfe},
           Case{&kE5M2, -1e30, {Rounding::Nearest, true}, 0xfb},
           Case{&kE5M2, 61440, {}, 0x7c},
           Case{&kE2M1, 100, {}, 0x7},
           Case{&kE2M1, NAN, {}, 0x7},
           Case{&kUE8M0, 3, {Rounding::Up, true}, 129},
           Case{&kUE8M0, 3, {Rounding::Zero, true}, 128},
           Case{&kUE8M0, 1e-60, {Rounding::Zero, true}, 0},
           Case{&kUE8M0, HUGE_VAL, {Rounding::Zero, true}, 254},
           Case{&kTF32, 1 + 0x1p-11, {Rounding::NearestAway}, 0x3f802000},
           Case{&kTF32, 1 + 0x1p-11, {}, 0x3f800000},
           Case{&kTF32, 0x1p-127 + 0x1p-149, {Rounding::Zero}, 0x00400000},
           Case{&kF64, NAN, {}, 0xfff8000000000000},
           Case{&kF16, 0x1p-15, {Rounding::Nearest, false, false, true}, 0},
           Case{&kF16, -0x1p-15, {Rounding::Nearest, false, false, true}, 0x8000},
           Case{&kF16, 0x1.ffcp-15, {Rounding::Nearest, false, false, true}, 0},
           Case{&kF16, 0x1.fffp-15, {Rounding::Nearest, false, false, true}, 0x0400},
           Case{&kF16, 0x1.fffp-15, {Rounding::Zero, false, false, true}, 0},
           Case{&kF16, 0x1.ffcp-15, {Rounding::Up, false, false, true}, 0},
           Case{&kF16, 0x1.ffdp-15, {Rounding::Up, false, false, true}, 0x0400},
           Case{&kF16, 0x1.fffp-15, {}, 0x0400},
       })
    EXPECT_EQ(encode(*c.format, exactOf(c.value), c.how), c.expected) << c.format->name << " of " << c.value;
}

TEST(Format, WidenIsExactForEveryPattern) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float half = widen<kF16>(bits), bfloat = widen<kBF16>(bits);
    double halfValue = decode(kF16, bits), bfloatValue = decode(kBF16, bits);
    EXPECT_TRUE(std::isnan(half) ? std::isnan(halfValue) : half == halfValue) << bits;
    EXPECT_TRUE(std::isnan(bfloat) ? std::isnan(bfloatValue) : bfloat == bfloatValue) << bits;
    EXPECT_EQ(std::signbit(half), bits >> 15) << bits;
    EXPECT_EQ(std::signbit(bfloat), bits >> 15) << bits;
    if (bits < 0x100) {
      float eight = widen<kE5M2>(bits);
      EXPECT_TRUE(std::isnan(eight) ? isNaNPattern(kE5M2, bits) : eight == decode(kE5M2, bits)) << bits;
    }
  }
}

/// The fast rounding agrees with `encode` at every value of the format, its middles and the doubles beside them.
TEST(Format, NarrowAgreesWithEncode) {
  auto check = [](double x) {
    ASSERT_EQ(narrow<kF16>(x), encode(kF16, exactOf(x))) << x;
    ASSERT_EQ(narrow<kBF16>(x), encode(kBF16, exactOf(x))) << x;
  };
  for (uint32_t bits = 0; bits < 0x7fff; ++bits)
    for (const Format *format : {&kF16, &kBF16}) {
      double low = decode(*format, bits), high = decode(*format, bits + 1), middle = low / 2 + high / 2;
      for (double x : {low, middle, std::nextafter(middle, 0), std::nextafter(middle, HUGE_VAL)})
        check(x), check(-x);
    }
  for (double x :
       {0.0, -0.0, 1e-300, 1e300, 0x1.ffp127, 0x1.fefp127, 65519.999, 65520.0, HUGE_VAL, -HUGE_VAL, 0x1p-1074})
    check(x);
  EXPECT_EQ(narrow<kF16>(-NAN), 0x7fff);
}

TEST(Format, RoundToOddRemembersWhatWasLost) {
  EXPECT_EQ(addToOdd(1, 0x1p-60), std::nextafter(1.0, 2.0));
  EXPECT_EQ(addToOdd(1, -0x1p-60), std::nextafter(1.0, 0.0));
  EXPECT_EQ(addToOdd(-1, 0x1p-60), std::nextafter(-1.0, 0.0));
  EXPECT_EQ(addToOdd(0x1p-60, 1), std::nextafter(1.0, 2.0));
  EXPECT_EQ(addToOdd(1 + 0x1p-52, 0x1p-60), 1 + 0x1p-52);
  EXPECT_EQ(addToOdd(1, 2), 3);
  EXPECT_EQ(addToOdd(HUGE_VAL, 1), HUGE_VAL);
}

} // namespace
} // namespace tile::sim::numerics
