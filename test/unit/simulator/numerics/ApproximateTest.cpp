/// \file
/// Approximations: within the bound of every row of the table over a dense sweep, monotone, and exact where the ISA's
/// tables say so.
#include "backend/simulator/numerics/Approximate.h"

#include "gtest/gtest.h"

#include <string>

namespace tile::sim::numerics {
namespace {

double ulpOf(float x) {
  float magnitude = std::max(std::abs(x), 0x1p-126f);
  return static_cast<double>(std::nextafter(magnitude, HUGE_VALF)) - magnitude;
}

/// The error of `found` in the row's measure.
double errorOf(const ApproximationBound &row, double found, long double exact) {
  long double error = std::abs(found - exact);
  switch (row.measure) {
  case ErrorMeasure::Ulp:
    return static_cast<double>(error / ulpOf(static_cast<float>(exact)));
  case ErrorMeasure::Relative:
    return static_cast<double>(error / std::abs(exact));
  case ErrorMeasure::Absolute:
    break;
  }
  return static_cast<double>(error);
}

using Exactly = long double (*)(long double);
struct Unary {
  const char *instruction;
  const Format &format;
  uint64_t (*compute)(uint64_t);
  Exactly exact;
  uint64_t stride;
};

template <typename T> T of(uint64_t bits) { return fromBits64<T>(bits); }
#define TILE_UNARY(NAME, FORMAT, TYPE, CALL, EXACT, STRIDE)                                                            \
  Unary {                                                                                                              \
    NAME, FORMAT,                                                                                                      \
        [](uint64_t bits) -> uint64_t {                                                                                \
          TYPE x = of<TYPE>(bits);                                                                                     \
          return bitsOf(CALL);                                                                                         \
        },                                                                                                             \
        [](long double x) -> long double { return EXACT; }, STRIDE                                                     \
  }

const Unary kUnaries[] = {
    TILE_UNARY("ex2.approx.f32", kF32, float, ex2Approx(x, false), std::exp2(x), 20011),
    TILE_UNARY("ex2.approx.f16", kF16, Half, ex2Approx(x, false), std::exp2(x), 1),
    TILE_UNARY("ex2.approx.ftz.bf16", kBF16, BFloat, ex2Approx(x, true), std::exp2(x), 1),
    TILE_UNARY("lg2.approx.f32", kF32, float, lg2Approx(x, false), std::log2(x), 20011),
    TILE_UNARY("sin.approx.f32", kF32, float, sinApprox(x, false), std::sin(x), 20011),
    TILE_UNARY("cos.approx.f32", kF32, float, cosApprox(x, false), std::cos(x), 20011),
    TILE_UNARY("rcp.approx.f32", kF32, float, rcpApprox(x, false), 1 / x, 20011),
    TILE_UNARY("rsqrt.approx.f32", kF32, float, rsqrtApprox(x, false), 1 / std::sqrt(x), 20011),
    TILE_UNARY("sqrt.approx.f32", kF32, float, sqrtApprox(x, false), std::sqrt(x), 20011),
    TILE_UNARY("tanh.approx.f32", kF32, float, tanhApprox(x), std::tanh(x), 20011),
    TILE_UNARY("tanh.approx.f16", kF16, Half, tanhApprox(x), std::tanh(x), 1),
    TILE_UNARY("tanh.approx.bf16", kBF16, BFloat, tanhApprox(x), std::tanh(x), 1),
    TILE_UNARY("rsqrt.approx.f64", kF64, double, rsqrtApprox(x, false), 1 / std::sqrt(x), 0x0000400300100007),
    TILE_UNARY("rcp.approx.ftz.f64", kF64, double, rcpApproxFtzF64(x), 1 / x, 0x0000400300100007),
    TILE_UNARY("rsqrt.approx.ftz.f64", kF64, double, rsqrtApproxFtzF64(x), 1 / std::sqrt(x), 0x0000400300100007),
};

TEST(Approximate, EveryRowOfTheTableHolds) {
  int checked = 0;
  for (const Unary &unary : kUnaries)
    for (const ApproximationBound &row : kApproximationBounds) {
      if (row.instruction != std::string(unary.instruction))
        continue;
      ++checked;
      // Subnormals are flushed where the instruction says so; their relative error is not bounded then.
      bool flushes = std::string(unary.instruction).find(".ftz") != std::string::npos;
      double smallest = flushes ? std::ldexp(1.0, unary.format.minExponent()) : 0;
      uint64_t swept = 0;
      for (uint64_t bits = 0; bits < unary.format.infinity(); bits += unary.stride)
        for (uint64_t sign : {uint64_t(0), unary.format.signBit()}) {
          double x = decode(unary.format, bits | sign);
          long double exact = unary.exact(x);
          double found = decode(unary.format, unary.compute(bits | sign));
          double magnitude = std::abs(x);
          if (magnitude <= row.from || magnitude > row.to || std::isnan(exact) || magnitude < smallest)
            continue;
          // Results that the format cannot hold are rounding's matter, not the approximation's.
          if (std::abs(exact) >= decode(unary.format, unary.format.maxFinite()) ||
              (row.measure == ErrorMeasure::Relative && std::abs(exact) < std::ldexp(1.0, unary.format.minExponent())))
            continue;
          ++swept;
          ASSERT_LE(errorOf(row, found, exact), row.bound) << row.instruction << " of " << x;
        }
      EXPECT_GT(swept, 500u) << row.instruction;
    }
  EXPECT_EQ(checked, int(std::size(kApproximationBounds)) - 2) << "all rows but those of div";
}

TEST(Approximate, QuotientsWithinTwoUlps) {
  for (const ApproximationBound &row : kApproximationBounds) {
    bool full = row.instruction == std::string("div.full.f32");
    if (!full && row.instruction != std::string("div.approx.f32"))
      continue;
    for (uint64_t i = 0; i < 0x7f800000; i += 9000011)
      for (uint64_t j = 1; j < 0x7f800000; j += 7000003) {
        float a = of<float>(i), b = of<float>(j);
        long double exact = static_cast<long double>(a) / b;
        if (b <= row.from || b > row.to || std::abs(exact) > 0x1.fffffep127L)
          continue;
        ASSERT_LE(errorOf(row, full ? divFull(a, b, false) : divApprox(a, b, false), exact), row.bound)
            << a << " " << b;
      }
  }
}

TEST(Approximate, MonotoneOverNeighbours) {
  for (const Unary &unary : kUnaries) {
    std::string name = unary.instruction;
    if (name.find("sin") == 0 || name.find("cos") == 0 || unary.format.width() == 64)
      continue;
    bool falling = name.find("rcp") == 0 || name.find("rsqrt") == 0;
    for (uint64_t start = 1; start < unary.format.infinity() - 100; start += unary.format.infinity() / 1000 + 1)
      for (uint64_t bits = start; bits < start + 50; ++bits) {
        double here = decode(unary.format, unary.compute(bits)), next = decode(unary.format, unary.compute(bits + 1));
        ASSERT_TRUE(falling ? next <= here : next >= here) << name << " at " << bits;
      }
  }
}

TEST(Approximate, SpecialValues) {
  constexpr float inf = HUGE_VALF;
  struct Row {
    float (*compute)(float);
    float minusInfinity, minusOne, minusZero, plusZero, plusInfinity;
  };
  auto ex2 = [](float x) { return ex2Approx(x, false); };
  auto lg2 = [](float x) { return lg2Approx(x, false); };
  auto sin = [](float x) { return sinApprox(x, false); };
  auto cos = [](float x) { return cosApprox(x, false); };
  auto rcp = [](float x) { return rcpApprox(x, false); };
  auto sqrt = [](float x) { return sqrtApprox(x, false); };
  auto rsqrt = [](float x) { return rsqrtApprox(x, false); };
  auto tanh = [](float x) { return tanhApprox(x); };
  for (const Row &row :
       {Row{ex2, 0, 0.5f, 1, 1, inf}, Row{lg2, NAN, NAN, -inf, -inf, inf}, Row{sin, NAN, sin(-1), -0.0f, 0, NAN},
        Row{cos, NAN, cos(1), 1, 1, NAN}, Row{rcp, -0.0f, -1, -inf, inf, 0}, Row{sqrt, NAN, NAN, -0.0f, 0, inf},
        Row{rsqrt, NAN, NAN, -inf, inf, 0}, Row{tanh, -1, tanh(-1), -0.0f, 0, 1}}) {
    auto same = [](float found, float expected) {
      EXPECT_EQ(bitsOf(found), std::isnan(expected) ? 0x7fffffffu : bitsOf(expected));
    };
    same(row.compute(-inf), row.minusInfinity);
    same(row.compute(-1), row.minusOne);
    same(row.compute(-0.0f), row.minusZero);
    same(row.compute(0), row.plusZero);
    same(row.compute(inf), row.plusInfinity);
    same(row.compute(fromBits<float>(0xffc12345)), NAN);
  }
  for (int exponent = -126; exponent < 128; ++exponent) {
    EXPECT_EQ(ex2(static_cast<float>(exponent)), std::ldexp(1.0f, exponent));
    EXPECT_EQ(lg2(std::ldexp(1.0f, exponent)), exponent);
  }
  EXPECT_EQ(tanhApprox(0x1p-149f), 0x1p-149f);
  EXPECT_EQ(ex2Approx(BFloat{0x8001}, true).bits, 0x3f80);
  EXPECT_EQ(ex2Approx(Half{0x7e01}, false).bits, 0x7fff);
}

TEST(Approximate, FtzFlushes) {
  EXPECT_EQ(ex2Approx(-130.0f, false), 0x1p-130f);
  EXPECT_EQ(ex2Approx(-130.0f, true), 0);
  EXPECT_EQ(lg2Approx(0x1p-140f, false), -140);
  EXPECT_EQ(lg2Approx(0x1p-140f, true), -HUGE_VALF);
  EXPECT_EQ(rcpApprox(-0x1p-140f, true), -HUGE_VALF);
  EXPECT_EQ(bitsOf(rcpApprox(-0x1p127f, true)), 0x80000000u);
  EXPECT_EQ(divFull(0x1p-140f, 1, true), 0);
  EXPECT_EQ(divFull(0x1p-140f, 1, false), 0x1p-140f);
}

TEST(Approximate, HugeDivisorsGiveZero) {
  EXPECT_EQ(bitsOf(divApprox(-3, 0x1.8p126f, false)), 0x80000000u);
  EXPECT_EQ(bitsOf(divApprox(HUGE_VALF, 0x1p127f, false)), 0x7fffffffu);
  EXPECT_EQ(divApprox(0x1p126f, 0x1p126f, false), 1);
  EXPECT_EQ(divFull(0x1p127f, 0x1p127f, false), 1);
}

TEST(Approximate, UpperWordsOfF64) {
  EXPECT_EQ(rcpApproxFtzF64(2), 0.5);
  EXPECT_EQ(bitsOf(rcpApproxFtzF64(3)) & 0xffffffff, 0u);
  EXPECT_EQ(rcpApproxFtzF64(-0x1p-1060), -HUGE_VAL);
  EXPECT_EQ(bitsOf(rcpApproxFtzF64(-0x1.8p1023)), 0x8000000000000000u);
  EXPECT_EQ(bitsOf(rsqrtApproxFtzF64(-4)), 0x7fffffff00000000u);
  EXPECT_EQ(rsqrtApproxFtzF64(4), 0.5);
  EXPECT_EQ(rsqrtApproxFtzF64(0x1p-1060), HUGE_VAL);
  EXPECT_EQ(rsqrtApproxFtzF64(-0.0), -HUGE_VAL);
}

} // namespace
} // namespace tile::sim::numerics
