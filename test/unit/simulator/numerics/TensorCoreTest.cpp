/// \file
/// Tensor cores: cases that each show one property of a generation, and the fast loops against the definition.
#include "backend/simulator/numerics/TensorCore.h"
#include "backend/simulator/numerics/Arithmetic.h"
#include "backend/simulator/numerics/TensorCoreLoops.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace tile::sim::numerics {
namespace {

constexpr auto kMma = MatrixUnit::MmaSync;
constexpr auto kWgmma = MatrixUnit::Wgmma;

const DotModel &modelOf(Generation generation, MatrixUnit unit, FactorType factor, AccumulatorType accumulator) {
  const DotModel *model = findDotModel(generation, unit, factor, accumulator);
  EXPECT_NE(model, nullptr);
  return *model;
}
const DotModel &halfModel(Generation generation) {
  return modelOf(generation, kMma, FactorType::Half, AccumulatorType::F32);
}

/// The sum of `products`, each times one, and c, as an f32; the factors are f16.
float sumOfHalves(const DotModel &model, std::vector<float> products, float c) {
  std::vector<uint32_t> a, b;
  for (float product : products) {
    a.push_back(narrow<kF16>(product));
    b.push_back(narrow<kF16>(1));
  }
  return bitCast<float>(dot(model, kF16, kF16, a.data(), b.data(), static_cast<int>(a.size()), bitCast<uint32_t>(c)));
}

TEST(TensorCore, KeepsTheDocumentedPlaces) {
  // 2^-24 against 1 is the last place that sm_80 keeps; sm_90 keeps one more, which shows in a sum of two.
  EXPECT_EQ(sumOfHalves(halfModel(Generation::Sm80), {0x1p-24f, 0x1p-24f}, 1), 1 + 0x1p-23f);
  EXPECT_EQ(sumOfHalves(halfModel(Generation::Sm80), {0x1p-12f * 0x1p-12f, 0}, 1), 1);
  EXPECT_EQ(sumOfHalves(halfModel(Generation::Sm80), {0x1p-24f, 0x1p-24f}, 2), 2);
  EXPECT_EQ(sumOfHalves(halfModel(Generation::Sm90), {0x1p-24f, 0x1p-24f}, 2), 2);
  std::vector<float> four(4, 0x1p-24f);
  EXPECT_EQ(sumOfHalves(halfModel(Generation::Sm80), four, 2), 2);
  EXPECT_EQ(sumOfHalves(halfModel(Generation::Sm90), four, 2), 2 + 0x1p-22f);
}

TEST(TensorCore, TruncatesEachTermTowardsZero) {
  // -(2^-24 + 2^-25 + ...) loses its tail before the sum, not after it.
  const DotModel &model = halfModel(Generation::Sm80);
  EXPECT_EQ(sumOfHalves(model, {-0x1p-24f, 0}, 1), 1 - 0x1p-24f);
  EXPECT_EQ(sumOfHalves(model, {-0x1.8p-24f, 0}, 1), 1 - 0x1p-24f * 2); // f16 has no 0x1.8p-24: it is 2^-23
  EXPECT_EQ(sumOfHalves(model, {0x1p-10f, 0}, 0x1.fffffep15f), 0x1.fffffep15f);
}

TEST(TensorCore, TruncatesTheResult) {
  // 1 + 2^-23 + 2^-24 + 2^-24 - ..: an f32 holds 24 bits, the rest goes, whatever it is.
  const DotModel &model = halfModel(Generation::Sm90);
  EXPECT_EQ(sumOfHalves(model, {0x1p-24f}, 1 + 0x1p-23f), 1 + 0x1p-23f);
  EXPECT_EQ(sumOfHalves(model, {-0x1p-24f}, -(1 + 0x1p-23f)), -(1 + 0x1p-23f));
  EXPECT_EQ(sumOfHalves(model, {1, 1, 1, 0x1p-22f, 0x1p-24f}, 1), 4);
}

TEST(TensorCore, AddsByGroups) {
  // Sixteen products: sm_80 gives the first eight a result of their own, in which the last place is lost.
  std::vector<float> products(16, 0);
  products[0] = 1, products[1] = 0x1p-24f, products[8] = 0x1p-24f;
  EXPECT_EQ(sumOfHalves(halfModel(Generation::Sm80), products, 0), 1);
  EXPECT_EQ(sumOfHalves(halfModel(Generation::Sm90), products, 0), 1 + 0x1p-23f);
  std::swap(products[8], products[2]);
  EXPECT_EQ(sumOfHalves(halfModel(Generation::Sm80), products, 0), 1 + 0x1p-23f);
}

TEST(TensorCore, AnExponentIsThatOfTheFactorsNotOfTheProduct) {
  // 1.5 * 1.5 = 2.25 has exponent 0 here, so that one more place of the other term stays.
  const DotModel &model = halfModel(Generation::Sm80);
  uint32_t a[] = {0x3e00, narrow<kF16>(0x1p-12), narrow<kF16>(0x1p-12)};
  uint32_t b[] = {0x3e00, narrow<kF16>(0x1p-12), narrow<kF16>(0x1p-12)};
  EXPECT_EQ(bitCast<float>(dot(model, kF16, kF16, a, b, 3, bitCast<uint32_t>(-0.25f))), 2 + 0x1p-23f * 0);
  EXPECT_EQ(bitCast<float>(dot(model, kF16, kF16, a, b, 3, bitCast<uint32_t>(-1.25f))), 1 + 0x1p-23f);
}

TEST(TensorCore, SubnormalFactorsAreNotNormalised) {
  // 2^-24 * 1 has exponent -14 and hides places below 2^-38; 2^-14 * 2^-10 is the same number with exponent -24.
  const DotModel &model = halfModel(Generation::Sm80);
  float tiny = 0x1p-40f;
  uint32_t one = 0x3c00, a[] = {0x0001}, b[] = {0x0400}, ten[] = {narrow<kF16>(0x1p-10)};
  EXPECT_EQ(bitCast<float>(dot(model, kF16, kF16, a, &one, 1, bitCast<uint32_t>(tiny))), 0x1p-24f);
  EXPECT_EQ(bitCast<float>(dot(model, kF16, kF16, b, ten, 1, bitCast<uint32_t>(tiny))), 0x1p-24f + tiny);
}

TEST(TensorCore, BytesKeepThirteenPlaces) {
  auto sum = [](Generation generation, MatrixUnit unit, std::vector<uint32_t> a, float c) {
    const DotModel &model = modelOf(generation, unit, FactorType::Byte, AccumulatorType::F32);
    std::vector<uint32_t> ones(a.size(), 0x38);
    return bitCast<float>(
        dot(model, kE4M3, kE4M3, a.data(), ones.data(), static_cast<int>(a.size()), bitCast<uint32_t>(c)));
  };
  // 0x08 is 2^-6; beside 2^7 its place is the thirteenth, beside 2^8 it is gone.
  EXPECT_EQ(sum(Generation::Sm89, kMma, {0x08}, 128), 128 + 0x1p-6f);
  EXPECT_EQ(sum(Generation::Sm89, kMma, {0x08}, 256), 256);
  EXPECT_EQ(sum(Generation::Sm90, kWgmma, {0x08, 0x08}, 256), 256);
  EXPECT_EQ(sum(Generation::Sm90, kMma, {0x08, 0, 0, 0}, 256), 256 + 0x1p-6f);
  EXPECT_EQ(sum(Generation::Sm90, kWgmma, {}, 1 + 0x1p-14f), 1 + 0x1p-14f);
  EXPECT_EQ(sum(Generation::Sm90, kWgmma, {0}, 1 + 0x1p-14f), 1);
}

/// On sm_90 the bytes of mma.sync become f16: the pairs 0, 1 of each word first, then 2, 3, and C last, to nearest.
TEST(TensorCore, BytesOfSm90AddTheAccumulatorLast) {
  const DotModel &model = modelOf(Generation::Sm90, kMma, FactorType::Byte, AccumulatorType::F32);
  uint32_t one[16], a[16] = {};
  std::fill(std::begin(one), std::end(one), 0x38);
  a[0] = 0x38, a[1] = 0xb8; // 1 - 1
  EXPECT_EQ(bitCast<float>(dot(model, kE4M3, kE4M3, a, one, 16, bitCast<uint32_t>(0x1p-60f))), 0x1p-60f);
  a[1] = 0;
  EXPECT_EQ(bitCast<float>(dot(model, kE4M3, kE4M3, a, one, 16, bitCast<uint32_t>(0x1.8p-24f))), 1 + 0x1p-23f);
  // 2^16 + 2^-18 - 2^16: what is too small for the first group's result is lost, not so in the second.
  uint32_t x[16] = {}, y[16] = {};
  x[0] = y[0] = 0x78, x[1] = 0x01, y[1] = 0x01, x[2] = 0xf8, y[2] = 0x78;
  EXPECT_EQ(bitCast<float>(dot(model, kE4M3, kE4M3, x, y, 16, 0)), 0);
  std::swap(x[1], x[3]), std::swap(y[1], y[3]);
  std::swap(x[2], x[4]), std::swap(y[2], y[4]); // 2^16 - 2^16 in the first
  EXPECT_EQ(bitCast<float>(dot(model, kE4M3, kE4M3, x, y, 16, 0)), 0x1p-18f);
}

TEST(TensorCore, BytesOfSm90AreNormalNumbersOfF16) {
  // 2^-9 * 2^15, 2^-3 * 2^-15 and -2^6: were the first factor a subnormal, its exponent would hide the second product.
  const DotModel &model = modelOf(Generation::Sm90, kMma, FactorType::Byte, AccumulatorType::F32);
  uint32_t a[16] = {0x01, 0x20, 0, 0, 0xb8}, b[16] = {0x78, 0x02, 0, 0, 0x54};
  EXPECT_EQ(bitCast<float>(dot(model, kE4M3, kE5M2, a, b, 16, 0)), 0x1p-18f);
  EXPECT_EQ(bitCast<float>(dot(model, kE5M2, kE4M3, b, a, 16, 0)), 0x1p-18f);
}

TEST(TensorCore, AZeroResultIsPositive) {
  const DotModel &model = modelOf(Generation::Sm90, kMma, FactorType::Half, AccumulatorType::F16);
  uint32_t tiny = 0x8001, one = 0x0400; // -2^-24 * 2^-14 rounds to zero
  EXPECT_EQ(dot(model, kF16, kF16, &tiny, &one, 1, 0), 0u);
}

TEST(TensorCore, F16AccumulatorRoundsToNearest) {
  const DotModel &model = modelOf(Generation::Sm80, kMma, FactorType::Half, AccumulatorType::F16);
  uint32_t one = 0x3c00;
  auto sum = [&](float product, uint32_t c) {
    uint32_t a = narrow<kF16>(product);
    return dot(model, kF16, kF16, &a, &one, 1, c);
  };
  EXPECT_EQ(sum(0x1p-11f, 0x3c00), 0x3c00u);
  EXPECT_EQ(sum(0x1p-11f, 0x3c01), 0x3c02u);
  EXPECT_EQ(sum(0x1.8p-11f, 0x3c00), 0x3c01u);
  EXPECT_EQ(sum(65504, 0x4c00), 0x7c00u); // 65504 + 16 is half way to 65536
  EXPECT_EQ(sum(65504, 0x4bff), 0x7bffu);
}

TEST(TensorCore, Tf32IgnoresTheLowBits) {
  const DotModel &model = modelOf(Generation::Sm80, kMma, FactorType::Tf32, AccumulatorType::F32);
  uint32_t a = bitCast<uint32_t>(1 + 0x1p-10f) | 0x1fff, one = 0x3f800000;
  EXPECT_EQ(bitCast<float>(dot(model, kTF32, kTF32, &a, &one, 1, 0)), 1 + 0x1p-10f);
}

TEST(TensorCore, SpecialValues) {
  const DotModel &model = halfModel(Generation::Sm90);
  uint32_t zero = 0, one = 0x3c00, infinity = 0x7c00, nan = 0x7e01;
  auto sum = [&](uint32_t a, uint32_t b, float c) { return dot(model, kF16, kF16, &a, &b, 1, bitCast<uint32_t>(c)); };
  EXPECT_EQ(sum(infinity, one, 1), 0x7f800000u);
  EXPECT_EQ(sum(infinity, 0xbc00, 1), 0xff800000u);
  EXPECT_EQ(sum(infinity, zero, 1), 0x7fffffffu);
  EXPECT_EQ(sum(infinity, one, -HUGE_VALF), 0x7fffffffu);
  EXPECT_EQ(sum(nan, one, 1), 0x7fffffffu);
  EXPECT_EQ(sum(one, one, NAN), 0x7fffffffu);
  EXPECT_EQ(sum(one, one, -HUGE_VALF), 0xff800000u);
  EXPECT_EQ(sum(0x8000, one, -0.0f), 0u);
  EXPECT_EQ(sum(one, 0xbc00, 1), 0u);
}

TEST(TensorCore, BeyondTheLargestIsInfinity) {
  const DotModel &model = modelOf(Generation::Sm90, kMma, FactorType::BFloat, AccumulatorType::F32);
  uint32_t huge = narrow<kBF16>(0x1p127), one = 0x3f80;
  EXPECT_EQ(dot(model, kBF16, kBF16, &huge, &one, 1, bitCast<uint32_t>(0x1p127f)), 0x7f800000u);
  EXPECT_EQ(dot(model, kBF16, kBF16, &huge, &one, 1, bitCast<uint32_t>(0x1.fffffep126f)), 0x7f7fffffu);
  EXPECT_EQ(dot(model, kBF16, kBF16, &huge, &huge, 1, 0), 0x7f800000u);
}

TEST(TensorCore, UnitsWithoutATypeHaveNoModel) {
  EXPECT_EQ(findDotModel(Generation::Sm80, kMma, FactorType::Byte, AccumulatorType::F32), nullptr);
  EXPECT_EQ(findDotModel(Generation::Sm89, kWgmma, FactorType::Half, AccumulatorType::F32), nullptr);
  EXPECT_EQ(findDotModel(Generation::Sm90, kMma, FactorType::BFloat, AccumulatorType::F16), nullptr);
}

/// Bits of a format: ordinary ones near one, or any, NaN and infinity included.
std::vector<uint8_t> randomElements(const Format &format, int count, int kind, std::mt19937 &engine) {
  int bytes = format.width() / 8;
  std::vector<uint8_t> stored(static_cast<size_t>(count * bytes));
  for (int i = 0; i < count; ++i) {
    uint32_t bits = engine();
    if (kind == 1)
      bits = static_cast<uint32_t>(
          encode(format, exactOf(std::ldexp(int(engine() % 4001) - 2000.0, int(engine() % 12) - 12))));
    if (kind == 3) // around where sums leave f32's range
      bits = static_cast<uint32_t>(encode(
          format, exactOf(std::ldexp(int(engine() % 511) - 255.0, (engine() % 2 ? 44 : -52) - int(engine() % 9)))));
    if (kind == 2 && engine() % 3)
      bits &= static_cast<uint32_t>(format.signBit() | (format.signBit() >> 3)) << format.padding; // zeros, subnormals
    std::memcpy(&stored[static_cast<size_t>(i * bytes)], &bits, static_cast<size_t>(bytes));
  }
  return stored;
}

struct Fragment {
  Generation generation;
  MatrixUnit unit;
  FactorType factor;
  AccumulatorType accumulator;
  const Format *a, *b;
  FragmentShape shape;
};

TEST(TensorCore, FragmentsAreTheirElements) {
  const Fragment fragments[] = {
      {Generation::Sm80, kMma, FactorType::Half, AccumulatorType::F32, &kF16, &kF16, {16, 8, 16}},
      {Generation::Sm80, kMma, FactorType::Half, AccumulatorType::F16, &kF16, &kF16, {16, 8, 16}},
      {Generation::Sm80, kMma, FactorType::BFloat, AccumulatorType::F32, &kBF16, &kBF16, {16, 8, 8}},
      {Generation::Sm86, kMma, FactorType::Tf32, AccumulatorType::F32, &kTF32, &kTF32, {16, 8, 8}},
      {Generation::Sm89, kMma, FactorType::Byte, AccumulatorType::F32, &kE4M3, &kE5M2, {16, 8, 32}},
      {Generation::Sm89, kMma, FactorType::Byte, AccumulatorType::F16, &kE5M2, &kE5M2, {16, 8, 32}},
      {Generation::Sm90, kMma, FactorType::Byte, AccumulatorType::F32, &kE4M3, &kE5M2, {16, 8, 32}},
      {Generation::Sm90, kMma, FactorType::Byte, AccumulatorType::F16, &kE4M3, &kE4M3, {16, 8, 16}},
      {Generation::Sm90, kWgmma, FactorType::BFloat, AccumulatorType::F32, &kBF16, &kBF16, {64, 40, 16}},
      {Generation::Sm90, kWgmma, FactorType::Tf32, AccumulatorType::F32, &kTF32, &kTF32, {64, 24, 8}},
      {Generation::Sm90, kWgmma, FactorType::Byte, AccumulatorType::F32, &kE4M3, &kE4M3, {64, 16, 32}},
      {Generation::Sm90, kWgmma, FactorType::Half, AccumulatorType::F16, &kF16, &kF16, {64, 8, 16}},
  };
  std::mt19937 engine(1);
  for (const Fragment &fragment : fragments)
    for (int round = 0; round < 48; ++round) {
      auto [m, n, k] = fragment.shape;
      const DotModel &model = modelOf(fragment.generation, fragment.unit, fragment.factor, fragment.accumulator);
      const Format &cFormat = fragment.accumulator == AccumulatorType::F32 ? kF32 : kF16;
      std::vector<uint8_t> a = randomElements(*fragment.a, m * k, round % 4, engine);
      std::vector<uint8_t> b = randomElements(*fragment.b, n * k, round % 4, engine);
      std::vector<uint8_t> c = randomElements(cFormat, m * n, round / 4 % 4, engine), d(c.size());
      multiplyFragment(model, *fragment.a, *fragment.b, fragment.shape, a.data(), b.data(), c.data(), d.data());
      for (const Loops &loops : allLoops()) {
        if (!loops.runs)
          continue;
        std::vector<uint8_t> same(c.size());
        loops.multiplyFragment(model, *fragment.a, *fragment.b, fragment.shape, a.data(), b.data(), c.data(),
                               same.data());
        ASSERT_EQ(same, d) << loops.name;
      }
      auto element = [](const std::vector<uint8_t> &from, const Format &format, int index) {
        uint32_t bits = 0;
        std::memcpy(&bits, &from[static_cast<size_t>(index * format.width() / 8)], size_t(format.width() / 8));
        return bits;
      };
      for (int row = 0; row < m; ++row)
        for (int column = 0; column < n; ++column) {
          uint32_t x[kMaxFragmentK], y[kMaxFragmentK];
          for (int i = 0; i < k; ++i) {
            x[i] = element(a, *fragment.a, row * k + i);
            y[i] = element(b, *fragment.b, column * k + i);
          }
          uint32_t expected = dot(model, *fragment.a, *fragment.b, x, y, k, element(c, cFormat, row * n + column));
          ASSERT_EQ(element(d, cFormat, row * n + column), expected)
              << fragment.a->name << " group " << model.group << " round " << round << " at " << row << ", " << column;
        }
    }
}

TEST(TensorCore, F64IsFusedInOrder) {
  double a[] = {1 + 0x1p-30, 1, -1}, b[] = {1 + 0x1p-30, 0x1p-70, 1}, c = -1, d;
  multiplyFragmentF64({1, 1, 3}, a, b, &c, &d);
  EXPECT_EQ(d, std::fma(-1.0, 1.0, std::fma(1.0, 0x1p-70, std::fma(a[0], b[0], c))));
}

TEST(TensorCore, OfNaNsOfF64ThatOfBStaysElseThatOfTheSum) {
  auto nan = [](uint64_t payload) { return bitCast<double>(0x7ff0000000000000 | payload); };
  double a[] = {nan(1), nan(2), nan(3)}, b[] = {1, nan(4), 1}, c = 0, d;
  auto sumOf = [&](int k) {
    multiplyFragmentF64({1, 1, k}, a, b, &c, &d);
    return bitCast<uint64_t>(d) & 0xff;
  };
  EXPECT_EQ(sumOf(1), 1u);
  EXPECT_EQ(sumOf(2), 4u);
  EXPECT_EQ(sumOf(3), 4u);
  EXPECT_EQ(bitCast<uint64_t>(d), 0x7ff8000000000004u); // quiet
}

TEST(TensorCore, BytesWrapOrSaturate) {
  uint8_t a[] = {0x80, 0xff}, b[] = {0x80, 1};
  int32_t c = INT32_MAX, d;
  multiplyFragmentBytes({1, 1, 2}, {true, true}, false, a, b, &c, &d);
  EXPECT_EQ(d, INT32_MIN + 16382);
  multiplyFragmentBytes({1, 1, 2}, {true, true}, true, a, b, &c, &d);
  EXPECT_EQ(d, INT32_MAX);
  multiplyFragmentBytes({1, 1, 2}, {false, true}, false, a, b, (c = 0, &c), &d);
  EXPECT_EQ(d, 128 * -128 + 255);
  c = INT32_MIN;
  multiplyFragmentBytes({1, 1, 2}, {true, false}, true, a, b, &c, &d);
  EXPECT_EQ(d, INT32_MIN);
}

} // namespace
} // namespace tile::sim::numerics
