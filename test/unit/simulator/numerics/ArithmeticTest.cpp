/// \file
/// Arithmetic of each type: f32 and f64 against the host's hardware in all four directions, 16-bit types against 80-bit
/// and 128-bit arithmetic, modifiers case by case.
#include "backend/simulator/numerics/Arithmetic.h"
#include "test/unit/simulator/numerics/HostRounding.h"

#include "gtest/gtest.h"

namespace tile::sim::numerics {
namespace {

template <typename T> std::vector<T> interesting(int random, unsigned seed) {
  constexpr const Format &format = FloatTraits<T>::format;
  std::vector<T> values;
  for (uint64_t bits : interestingBits(format.exponentBits, format.fractionBits, random, seed))
    values.push_back(fromBits64<T>(bits));
  return values;
}

/// Equal bits, or both NaN where the host's NaN is not the hardware's.
template <typename T>::testing::AssertionResult sameValue(T found, T expected) {
  if (isNaN(expected) ? isNaN(found) : bitsOf(found) == bitsOf(expected))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << std::hex << "found " << +bitsOf(found) << ", expected " << +bitsOf(expected);
}

template <typename T> class WideArithmetic : public ::testing::Test {};
using WideTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(WideArithmetic, WideTypes, );

TYPED_TEST(WideArithmetic, BinaryOperationsRoundAsTheHostDoes) {
  using T = TypeParam;
  std::vector<T> values = interesting<T>(60, 1);
  for (Rounding rounding : kHostRoundings)
    for (T a : values)
      for (T b : values) {
        volatile T x = a, y = b;
        auto host = [&](auto compute) { return hostRounded(rounding, compute); };
        ASSERT_TRUE(sameValue(add(a, b, {rounding}), host([&]() -> T { return x + y; }))) << a << " + " << b;
        ASSERT_TRUE(sameValue(sub(a, b, {rounding}), host([&]() -> T { return x - y; }))) << a << " - " << b;
        ASSERT_TRUE(sameValue(mul(a, b, {rounding}), host([&]() -> T { return x * y; }))) << a << " * " << b;
        ASSERT_TRUE(sameValue(div(a, b, {rounding}), host([&]() -> T { return x / y; }))) << a << " / " << b;
      }
}

TYPED_TEST(WideArithmetic, RootsAndReciprocalsRoundAsTheHostDoes) {
  using T = TypeParam;
  for (Rounding rounding : kHostRoundings)
    for (T a : interesting<T>(20000, 2)) {
      volatile T x = a;
      ASSERT_TRUE(sameValue(sqrt(a, {rounding}), hostRounded(rounding, [&]() -> T { return std::sqrt(x); }))) << a;
      ASSERT_TRUE(sameValue(rcp(a, {rounding}), hostRounded(rounding, [&]() -> T { return 1 / x; }))) << a;
    }
}

TYPED_TEST(WideArithmetic, FmaRoundsAsTheHostDoes) {
  using T = TypeParam;
  std::vector<T> values = interesting<T>(12, 3);
  for (Rounding rounding : kHostRoundings)
    for (T a : values)
      for (T b : values)
        for (T c : values) {
          volatile T x = a, y = b, z = c;
          T expected = hostRounded(rounding, [&]() -> T { return std::fma(x, y, z); });
          ASSERT_TRUE(sameValue(fma(a, b, c, {rounding}), expected)) << a << " * " << b << " + " << c;
        }
}

TYPED_TEST(WideArithmetic, DirectionsEncloseTheExactResult) {
  using T = TypeParam;
  std::mt19937_64 engine(4);
  for (int i = 0; i < 20000; ++i) {
    T a = fromBits64<T>(engine()), b = fromBits64<T>(engine());
    T quotient = div(a, b), down = div(a, b, {Rounding::Down}), up = div(a, b, {Rounding::Up});
    if (isNaN(quotient))
      continue;
    ASSERT_LE(down, quotient);
    ASSERT_LE(quotient, up);
    if (down != up)
      ASSERT_EQ(std::nextafter(down, up), up) << a << " / " << b;
    ASSERT_EQ(div(a, b, {Rounding::Zero}), std::abs(down) < std::abs(up) ? down : up);
  }
}

/// The product lies beside the middle of two results, on the side that the last operand alone decides.
TEST(Arithmetic, FmaRoundsOnce) {
  float a = 1 + 0x1p-12f; // a * a = 1 + 2^-11 + 2^-24: a tie
  EXPECT_EQ(fma(a, a, 0.0f), 1 + 0x1p-11f);
  EXPECT_EQ(fma(a, a, 0x1p-80f), 1 + 0x1p-11f + 0x1p-23f);
  EXPECT_EQ(fma(a, a, -0x1p-80f), 1 + 0x1p-11f);
  auto half = [](double x) { return Half{narrow<kF16>(x)}; };
  auto bfloat = [](double x) { return BFloat{narrow<kBF16>(x)}; };
  Half h = half(1 + 0x1p-5); // h * h = 1 + 2^-4 + 2^-10
  EXPECT_EQ(fma(h, half(1 + 0x1p-6), half(0x1p-24)).bits, narrow<kF16>(1 + 0x1p-5 + 0x1p-6 + 0x1p-10));
  BFloat b = bfloat(1 + 0x1p-4); // b * b = 1 + 2^-3 + 2^-8: a tie
  EXPECT_EQ(fma(b, b, bfloat(0)).bits, narrow<kBF16>(1 + 0x1p-3));
  EXPECT_EQ(fma(b, b, bfloat(0x1p-100)).bits, narrow<kBF16>(1 + 0x1p-3 + 0x1p-7));
  EXPECT_EQ(fma(b, b, bfloat(-0x1p-100)).bits, narrow<kBF16>(1 + 0x1p-3));
}

template <typename T> class NarrowArithmetic : public ::testing::Test {};
using NarrowTypes = ::testing::Types<Half, BFloat>;
TYPED_TEST_SUITE(NarrowArithmetic, NarrowTypes, );

/// Against integers of 128 bits: rounding once, by the code that the host's modes check for f32 and f64.
TYPED_TEST(NarrowArithmetic, RoundsTheExactResultOnce) {
  using T = TypeParam;
  constexpr const Format &format = FloatTraits<T>::format;
  std::vector<T> values = interesting<T>(30, 5);
  auto nearest = [&](const Exact &exact) { return fromBits64<T>(encode(format, exact)); };
  for (T a : values)
    for (T b : values) {
      Exact x = exactOf(a), y = exactOf(b);
      ASSERT_TRUE(sameValue(add(a, b), nearest(exactAdd(x, y, Rounding::Nearest)))) << a.bits << " + " << b.bits;
      ASSERT_TRUE(sameValue(sub(a, b), nearest(exactAdd(x, exactNegate(y), Rounding::Nearest))));
      ASSERT_TRUE(sameValue(mul(a, b), nearest(exactMultiply(x, y)))) << a.bits << " * " << b.bits;
      for (T c : values)
        ASSERT_TRUE(sameValue(fma(a, b, c), nearest(exactFma(x, y, exactOf(c), Rounding::Nearest))))
            << a.bits << " * " << b.bits << " + " << c.bits;
    }
}

TEST(Arithmetic, NaNIsCanonical) {
  EXPECT_EQ(bitsOf(add(HUGE_VALF, -HUGE_VALF)), 0x7fffffffu);
  EXPECT_EQ(bitsOf(add(fromBits<float>(0xffc01234), 1.0f)), 0x7fffffffu);
  EXPECT_EQ(bitsOf(add(fromBits<float>(0xffc01234), 1.0f, {Rounding::Zero})), 0x7fffffffu);
  EXPECT_EQ(bitsOf(sqrt(-1.0)), 0xfff8000000000000u);
  EXPECT_EQ(bitsOf(sqrt(-1.0, {Rounding::Up})), 0xfff8000000000000u);
  EXPECT_EQ(add(Half{0x7c00}, Half{0xfc00}).bits, 0x7fff);
  EXPECT_EQ(mul(BFloat{0xffff}, BFloat{0}).bits, 0x7fff);
}

/// As an H200 chooses.
TEST(Arithmetic, F64KeepsOneOperandsNaN) {
  double first = fromBits<double>(0x7ff0000000000001), second = fromBits<double>(0xfff0000000000002);
  double third = fromBits<double>(0x7ff8000000000003);
  EXPECT_EQ(bitsOf(add(first, 1.0)), 0x7ff8000000000001u);
  EXPECT_EQ(bitsOf(add(first, second)), 0xfff8000000000002u);
  EXPECT_EQ(bitsOf(mul(first, second, {Rounding::Up})), 0xfff8000000000002u);
  EXPECT_EQ(bitsOf(numerics::fma(first, second, third)), 0xfff8000000000002u);
  EXPECT_EQ(bitsOf(numerics::fma(first, 1.0, third)), 0x7ff8000000000003u);
  EXPECT_EQ(bitsOf(numerics::fma(first, 1.0, 1.0, {Rounding::Zero})), 0x7ff8000000000001u);
  EXPECT_EQ(bitsOf(min(first, second)), 0xfff8000000000002u);
  EXPECT_EQ(min(first, 2.0), 2);
  EXPECT_EQ(bitsOf(numerics::abs(second)), 0xfff8000000000002u);
  EXPECT_EQ(bitsOf(neg(second)), 0xfff8000000000002u);
}

/// (1 - 2^-24) 2^-126 has 24 bits and is flushed; (1 - 2^-46) 2^-126 rounds up to the smallest normal number first.
TEST(Arithmetic, FtzLooksAtTheRoundedResult) {
  FloatMode ftz{Rounding::Nearest, true};
  EXPECT_EQ(mul(0x1.fffffep-1f, 0x1p-126f, ftz), 0);
  EXPECT_EQ(mul(0x1.fffffcp-126f, 0x1.000002p-1f, ftz), 0x1p-126f);
  EXPECT_EQ(numerics::fma(0x1.fffffep-1f, 0x1p-126f, 0.0f, ftz), 0);
  EXPECT_EQ(mul(0x1.fffffep-1f, 0x1p-126f, {Rounding::Up, true}), 0);
  EXPECT_EQ(mul(0x1.fffffcp-126f, 0x1.000002p-1f, {Rounding::Up, true}), 0x1p-126f);
  EXPECT_EQ(mul(0x1.fffffcp-126f, 0x1.000002p-1f, {Rounding::Zero, true}), 0);
  EXPECT_EQ(mul(Half{0x3bff}, Half{0x0400}, ftz).bits, 0);
  EXPECT_EQ(mul(Half{0xb801}, Half{0x87fe}, ftz).bits, 0x0400);
  EXPECT_EQ(bitsOf(mul(0x1p-130f, HUGE_VALF, {Rounding::Up, true})), 0x7fffffffu);
}

TEST(Arithmetic, FtzFlushesOperandsAndResults) {
  FloatMode ftz{Rounding::Nearest, true};
  float tiny = 0x1p-130f, smallest = 0x1p-126f;
  EXPECT_EQ(bitsOf(add(-tiny, -tiny, ftz)), 0x80000000u);
  EXPECT_EQ(mul(smallest, 0.5f, ftz), 0);
  EXPECT_EQ(mul(smallest, 0.5f), 0x1p-127f);
  EXPECT_EQ(mul(tiny, 0x1p20f, ftz), 0);
  EXPECT_EQ(mul(tiny, 0x1p20f), 0x1p-110f);
  EXPECT_EQ(mul(smallest, 0.5f, {Rounding::Up, true}), 0);
  EXPECT_EQ(add(Half{0x0001}, Half{0x3c00}, ftz).bits, 0x3c00);
  EXPECT_EQ(fma(Half{0x0400}, Half{0x3800}, Half{0}, ftz).bits, 0);
}

TEST(Arithmetic, SatClampsToZeroAndOne) {
  FloatMode sat{Rounding::Nearest, false, true};
  EXPECT_EQ(add(0.75f, 0.75f, sat), 1);
  EXPECT_EQ(bitsOf(add(-0.75f, 0.0f, sat)), 0u);
  EXPECT_EQ(bitsOf(mul(-0.0f, 1.0f, sat)), 0u);
  EXPECT_EQ(bitsOf(add(NAN, 1.0f, sat)), 0u);
  EXPECT_EQ(add(0.25f, 0.5f, sat), 0.75f);
  EXPECT_EQ(fma(Half{0x4000}, Half{0x4000}, Half{0}, sat).bits, 0x3c00);
}

TEST(Arithmetic, ReluClampsBelow) {
  FloatMode relu{Rounding::Nearest, false, false, true};
  EXPECT_EQ(fma(Half{0xbc00}, Half{0x3c00}, Half{0}, relu).bits, 0);
  EXPECT_EQ(fma(Half{0x3c00}, Half{0x4000}, Half{0}, relu).bits, 0x4000);
  EXPECT_EQ(fma(BFloat{0xffff}, BFloat{0x3f80}, BFloat{0}, relu).bits, 0x7fff);
}

TEST(Arithmetic, MinAndMax) {
  EXPECT_EQ(bitsOf(min(0.0f, -0.0f)), 0x80000000u);
  EXPECT_EQ(bitsOf(max(-0.0f, 0.0f)), 0u);
  EXPECT_EQ(min(-2.0f, -3.0f), -3);
  EXPECT_EQ(max(-2.0f, -3.0f), -2);
  EXPECT_EQ(min(-HUGE_VAL, 3.0), -HUGE_VAL);
  EXPECT_EQ(min(fromBits<float>(0xffc00001), 5.0f), 5);
  EXPECT_EQ(max(5.0f, NAN), 5);
  EXPECT_EQ(bitsOf(min(fromBits<float>(0xffc00001), fromBits<float>(0x7fc00002))), 0x7fffffffu);
  SelectMode nan{false, true};
  EXPECT_EQ(bitsOf(max(5.0f, fromBits<float>(0xffc00001), nan)), 0x7fffffffu);
  EXPECT_EQ(max(Half{0x4500}, Half{0xfe00}, nan).bits, 0x7fff);
  SelectMode xorsign{false, false, true};
  EXPECT_EQ(min(-2.0f, 3.0f, xorsign), -2);
  EXPECT_EQ(max(-2.0f, -3.0f, xorsign), 3);
  EXPECT_EQ(max(2.0f, -3.0f, xorsign), -3);
  SelectMode ftz{true};
  EXPECT_EQ(bitsOf(max(0x1p-130f, -0x1p-130f, ftz)), 0u);
  EXPECT_EQ(max(0x1p-130f, 0.0f), 0x1p-130f);
}

TEST(Arithmetic, MinAndMaxOfEveryPairOfSixteenBits) {
  for (uint32_t i = 0; i < 0x10000; i += 7)
    for (uint32_t j = 0; j < 0x10000; j += 251) {
      Half a{static_cast<uint16_t>(i)}, b{static_cast<uint16_t>(j)};
      if (isNaN(a) || isNaN(b))
        continue;
      double x = toHost(a), y = toHost(b);
      ASSERT_EQ(toHost(min(a, b)), std::fmin(x, y)) << i << " " << j;
      ASSERT_EQ(toHost(max(a, b)), std::fmax(x, y)) << i << " " << j;
    }
}

TEST(Arithmetic, SignOperations) {
  EXPECT_EQ(bitsOf(abs(-0.0f)), 0u);
  EXPECT_EQ(bitsOf(neg(0.0)), 0x8000000000000000u);
  EXPECT_EQ(neg(Half{0x3c00}).bits, 0xbc00);
  EXPECT_EQ(abs(-0x1p-130f, {Rounding::Nearest, true}), 0);
  EXPECT_EQ(numerics::copysign(-1.0f, 3.0f), -3);
  EXPECT_EQ(numerics::copysign(1.0, -3.0), 3);
}

TEST(Arithmetic, TestClasses) {
  struct Row {
    float value;
    bool finite, infinite, number, notANumber, normal, subnormal;
  };
  for (const Row &row :
       {Row{0.0f, true, false, true, false, true, false}, Row{-0x1p-149f, true, false, true, false, false, true},
        Row{0x1p-126f, true, false, true, false, true, false}, Row{-HUGE_VALF, false, true, true, false, false, false},
        Row{NAN, false, false, false, true, false, false}}) {
    EXPECT_EQ(testp(TestClass::Finite, row.value), row.finite) << row.value;
    EXPECT_EQ(testp(TestClass::Infinite, row.value), row.infinite) << row.value;
    EXPECT_EQ(testp(TestClass::Number, row.value), row.number) << row.value;
    EXPECT_EQ(testp(TestClass::NotANumber, row.value), row.notANumber) << row.value;
    EXPECT_EQ(testp(TestClass::Normal, row.value), row.normal) << row.value;
    EXPECT_EQ(testp(TestClass::Subnormal, row.value), row.subnormal) << row.value;
  }
}

} // namespace
} // namespace tile::sim::numerics
