/// What the rows of Elementwise.def compute, against f64 and wide-integer references, and that both instruction sets
/// compute the same.
#include "backend/interpreter/ElementLoops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

using namespace tile;

static constexpr const char *kNames[] = {
#define ROW(ID, NAME, ...) NAME,
#include "backend/interpreter/Elementwise.def"
#undef ROW
};
static constexpr Element kIntegers[] = {Element::I1, Element::I8, Element::I16, Element::I32, Element::I64};
static constexpr Element kFloats[] = {Element::F16, Element::BF16, Element::F32, Element::F64};

/// Random bits, and every special value more often than chance has it.
static std::vector<char> operandBits(Element element, int64_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  static const double specials[] = {0.0,       -0.0, 1.0,   -1.0,    0.5,   2.5, INFINITY,
                                    -INFINITY, NAN,  1e-40, -1e-310, 65504, 3e38};
  int64_t size = sizeOf(element);
  std::vector<char> data(count * size);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = random();
    double special = specials[bits % std::size(specials)];
    if (element == Element::I1)
      bits &= 1;
    else if (random() % 2 && isFloat(element))
      bits = element == Element::F64   ? bitsTo<uint64_t>(special)
             : element == Element::F32 ? bitsTo<uint32_t>(static_cast<float>(special))
             : element == Element::F16 ? toHalf(static_cast<float>(special)).bits
                                       : toBFloat(static_cast<float>(special)).bits;
    else if (random() % 2)
      bits = static_cast<uint64_t>(static_cast<int64_t>(random() % 5) - 2) ^ (random() % 2 << (8 * size - 1));
    memcpy(&data[i * size], &bits, size);
  }
  return data;
}

static double floatAt(const std::vector<char> &data, Element element, int64_t i) {
  uint64_t bits = 0;
  memcpy(&bits, &data[i * sizeOf(element)], sizeOf(element));
  switch (element) {
  case Element::F16:
    return toFloat(Half{static_cast<uint16_t>(bits)});
  case Element::BF16:
    return toFloat(BFloat{static_cast<uint16_t>(bits)});
  case Element::F32:
    return bitsTo<float>(static_cast<uint32_t>(bits));
  default:
    return bitsTo<double>(bits);
  }
}

/// To the nearest value with `precision` bits whose last is at least 2^`least`, ties to even; from `limit` on infinity.
static double roundTo(double x, int precision, int least, double limit) {
  if (x == 0 || !std::isfinite(x))
    return x;
  double unit = std::ldexp(1, std::max(std::ilogb(x) - precision + 1, least));
  double result = std::nearbyint(x / unit) * unit;
  return std::fabs(result) >= limit ? std::copysign(INFINITY, x) : std::copysign(result, x);
}
static double roundTo(double x, Element element) {
  switch (element) {
  case Element::F16:
    return roundTo(x, 11, -24, 65536);
  case Element::BF16:
    return roundTo(x, 8, -133, std::ldexp(1, 128));
  case Element::F32:
    return roundTo(x, 24, -149, std::ldexp(1, 128));
  default:
    return x;
  }
}

static void expectSame(double found, double expected, const std::string &what) {
  if (std::isnan(expected)) {
    ASSERT_TRUE(std::isnan(found)) << what << ": " << found;
    return;
  }
  ASSERT_EQ(found, expected) << what;
  ASSERT_EQ(std::signbit(found), std::signbit(expected)) << what;
}

TEST(ElementLoops, BothInstructionSetsGiveTheSameBits) {
  if (!__builtin_cpu_supports("avx2"))
    GTEST_SKIP() << "this machine has no AVX2";
  constexpr int64_t kCount = 517;
  std::vector<Element> all(std::begin(kIntegers), std::end(kIntegers));
  all.insert(all.end(), std::begin(kFloats), std::end(kFloats));
  int compared = 0;
  for (const char *name : kNames)
    for (Element from : all)
      for (Element to : all) {
        ElementLoop plain = baseline::findElementLoop(name, from, to), wide = v3::findElementLoop(name, from, to);
        ASSERT_EQ(plain == nullptr, wide == nullptr) << name;
        if (!plain)
          continue;
        bool isSelect = std::string(name) == "arith.select";
        auto a = operandBits(isSelect ? Element::I1 : from, kCount, 1), b = operandBits(from, kCount, 2),
             c = operandBits(from, kCount, 3);
        const void *in[] = {a.data(), b.data(), c.data()};
        std::vector<char> x(kCount * sizeOf(to)), y(kCount * sizeOf(to));
        plain(x.data(), in, kCount, nullptr);
        wide(y.data(), in, kCount, nullptr);
        for (int64_t i = 0; i < kCount; ++i) {
          bool same = memcmp(&x[i * sizeOf(to)], &y[i * sizeOf(to)], sizeOf(to)) == 0;
          bool bothNaN = isFloat(to) && std::isnan(floatAt(x, to, i)) && std::isnan(floatAt(y, to, i));
          ASSERT_TRUE(same || bothNaN) << name << ", element " << i;
        }
        ++compared;
      }
  EXPECT_GT(compared, 300);
}

namespace {
struct FloatCase {
  const char *name;
  int arity;
  /// In f64, which rounds what f32 and narrower operands give late enough.
  double (*reference)(double a, double b);
};
} // namespace

static const FloatCase kFloatCases[] = {
    {"arith.addf", 2, [](double a, double b) { return a + b; }},
    {"arith.subf", 2, [](double a, double b) { return a - b; }},
    {"arith.mulf", 2, [](double a, double b) { return a * b; }},
    {"arith.divf", 2, [](double a, double b) { return a / b; }},
    {"arith.negf", 1, [](double a, double) { return -a; }},
    {"math.sqrt", 1, [](double a, double) { return std::sqrt(a); }},
    {"math.absf", 1, [](double a, double) { return std::fabs(a); }},
    {"math.floor", 1, [](double a, double) { return std::floor(a); }},
    {"math.ceil", 1, [](double a, double) { return std::ceil(a); }},
    {"math.trunc", 1, [](double a, double) { return std::trunc(a); }},
    {"math.round", 1, [](double a, double) { return std::round(a); }},
    {"math.roundeven", 1, [](double a, double) { return std::nearbyint(a); }},
    {"math.copysign", 2, [](double a, double b) { return std::copysign(a, b); }},
    {"arith.maximumf", 2,
     [](double a, double b) {
       return std::isnan(a) || std::isnan(b) ? NAN : a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
     }},
    {"arith.minimumf", 2,
     [](double a, double b) {
       return std::isnan(a) || std::isnan(b) ? NAN : a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
     }},
    {"arith.maxnumf", 2, [](double a, double b) { return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b); }},
    {"arith.minnumf", 2, [](double a, double b) { return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b); }},
};

TEST(ElementLoops, FloatsAreComputedExactlyAndRoundedOnceToTheirType) {
  constexpr int64_t kCount = 4001;
  for (const FloatCase &row : kFloatCases)
    for (Element element : kFloats) {
      auto a = operandBits(element, kCount, 4), b = operandBits(element, kCount, 5);
      std::vector<char> out(a.size());
      const void *in[] = {a.data(), b.data(), b.data()};
      findElementLoop(row.name, element, element)(out.data(), in, kCount, nullptr);
      for (int64_t i = 0; i < kCount; ++i) {
        double x = floatAt(a, element, i), y = floatAt(b, element, i);
        expectSame(floatAt(out, element, i), roundTo(row.reference(x, y), element),
                   std::string(row.name) + "(" + std::to_string(x) + ", " + std::to_string(y) + ")");
      }
    }
}

TEST(ElementLoops, MathIsTheF64FunctionRoundedToF32AndThenToTheType) {
  static const std::pair<const char *, double (*)(double)> cases[] = {
      {"math.cos", std::cos},
      {"math.erf", std::erf},
      {"math.exp", std::exp},
      {"math.exp2", std::exp2},
      {"math.log", std::log},
      {"math.log2", std::log2},
      {"math.sin", std::sin},
      {"math.tanh", std::tanh},
      {"math.rsqrt", [](double x) { return 1 / std::sqrt(x); }},
      {"tile.sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
  };
  constexpr int64_t kCount = 1001;
  for (auto [name, function] : cases)
    for (Element element : kFloats) {
      auto a = operandBits(element, kCount, 6);
      std::vector<char> out(a.size());
      const void *in[] = {a.data(), a.data(), a.data()};
      findElementLoop(name, element, element)(out.data(), in, kCount, nullptr);
      for (int64_t i = 0; i < kCount; ++i) {
        double exact = function(floatAt(a, element, i));
        double expected = element == Element::F64 ? exact : roundTo(roundTo(exact, Element::F32), element);
        expectSame(floatAt(out, element, i), expected, name);
      }
    }
}

TEST(ElementLoops, FmaRoundsOnceToItsType) {
  constexpr int64_t kCount = 20001;
  std::mt19937_64 random(7);
  for (Element element : {Element::F16, Element::BF16}) {
    auto a = operandBits(element, kCount, 8), b = operandBits(element, kCount, 9), c = operandBits(element, kCount, 10);
    std::vector<char> out(a.size());
    const void *in[] = {a.data(), b.data(), c.data()};
    findElementLoop("math.fma", element, element)(out.data(), in, kCount, nullptr);
    for (int64_t i = 0; i < kCount; ++i) {
      double x = floatAt(a, element, i), y = floatAt(b, element, i), z = floatAt(c, element, i);
      double sum = std::fma(x, y, z);
      if (std::isfinite(sum) && static_cast<long double>(sum) - x * y != z)
        continue; // f64 has rounded: not a reference
      expectSame(floatAt(out, element, i), roundTo(sum, element), "fma");
    }
  }
  // (1 + 2^-4)^2 is half way between two bf16; f32 would lose what decides.
  BFloat a = toBFloat(1 + 0x1p-4f), up = toBFloat(0x1p-30f), down = toBFloat(-0x1p-30f), result;
  const void *above[] = {&a, &a, &up}, *below[] = {&a, &a, &down};
  findElementLoop("math.fma", Element::BF16, Element::BF16)(&result, above, 1, nullptr);
  EXPECT_EQ(toFloat(result), 1.125f + 0x1p-7f);
  findElementLoop("math.fma", Element::BF16, Element::BF16)(&result, below, 1, nullptr);
  EXPECT_EQ(toFloat(result), 1.125f);
}

namespace {
struct IntegerCase {
  const char *name;
  bool isSigned;
  /// On wide operands; the result is cut to the width.
  int64_t (*reference)(int64_t a, int64_t b, int64_t bits);
};
} // namespace

static const IntegerCase kIntegerCases[] = {
    {"arith.addi", true, [](int64_t a, int64_t b, int64_t) { return a + b; }},
    {"arith.subi", true, [](int64_t a, int64_t b, int64_t) { return a - b; }},
    {"arith.muli", true, [](int64_t a, int64_t b, int64_t) { return a * b; }},
    {"arith.mulsi_extended.1", true, [](int64_t a, int64_t b, int64_t bits) { return a * b >> bits; }},
    {"arith.mului_extended.1", false, [](int64_t a, int64_t b, int64_t bits) { return a * b >> bits; }},
    {"arith.andi", true, [](int64_t a, int64_t b, int64_t) { return a & b; }},
    {"arith.ori", true, [](int64_t a, int64_t b, int64_t) { return a | b; }},
    {"arith.xori", true, [](int64_t a, int64_t b, int64_t) { return a ^ b; }},
    {"arith.maxsi", true, [](int64_t a, int64_t b, int64_t) { return std::max(a, b); }},
    {"arith.maxui", false, [](int64_t a, int64_t b, int64_t) { return std::max(a, b); }},
    {"arith.minsi", true, [](int64_t a, int64_t b, int64_t) { return std::min(a, b); }},
    {"arith.minui", false, [](int64_t a, int64_t b, int64_t) { return std::min(a, b); }},
    {"arith.floordivsi", true,
     [](int64_t a, int64_t b, int64_t) { return b ? static_cast<int64_t>(std::floor(double(a) / b)) : 0; }},
    {"arith.ceildivsi", true,
     [](int64_t a, int64_t b, int64_t) { return b ? static_cast<int64_t>(std::ceil(double(a) / b)) : 0; }},
    {"tile.divi.signed", true, [](int64_t a, int64_t b, int64_t) { return b ? a / b : 0; }},
    {"tile.divi.unsigned", false, [](int64_t a, int64_t b, int64_t) { return b ? a / b : 0; }},
    {"tile.remi.signed", true, [](int64_t a, int64_t b, int64_t) { return b ? a % b : a; }},
    {"tile.remi.unsigned", false, [](int64_t a, int64_t b, int64_t) { return b ? a % b : a; }},
    {"tile.shift.left", false, [](int64_t a, int64_t b, int64_t bits) { return b < bits ? a << b : 0; }},
    {"tile.shift.right_unsigned", false, [](int64_t a, int64_t b, int64_t bits) { return b < bits ? a >> b : 0; }},
    {"tile.shift.right_signed", true,
     [](int64_t a, int64_t b, int64_t bits) { return a >> (b < 0 || b >= bits ? bits - 1 : b); }},
    {"math.absi", true, [](int64_t a, int64_t, int64_t) { return std::abs(a); }},
    {"math.ctpop", false, [](int64_t a, int64_t, int64_t) { return int64_t(__builtin_popcountll(a)); }},
    {"math.ctlz", false, [](int64_t a, int64_t, int64_t bits) { return a ? __builtin_clzll(a) - 64 + bits : bits; }},
    {"math.cttz", false, [](int64_t a, int64_t, int64_t bits) { return a ? int64_t(__builtin_ctzll(a)) : bits; }},
};

TEST(ElementLoops, IntegersWrapAndTheirEdgesAreDefinedForAllPairsOfBytes) {
  for (const IntegerCase &row : kIntegerCases)
    for (Element element : {Element::I8, Element::I16}) {
      int64_t size = sizeOf(element), bits = 8 * size;
      std::vector<char> a, b;
      std::vector<std::pair<int64_t, int64_t>> pairs;
      auto wide = [&](int64_t x) {
        uint64_t low = static_cast<uint64_t>(x) << (64 - bits);
        return row.isSigned ? static_cast<int64_t>(low) >> (64 - bits) : static_cast<int64_t>(low >> (64 - bits));
      };
      for (int64_t i = 0; i < 1 << 16; ++i) {
        // For two bytes the same pairs at both ends of the range.
        int64_t x = (i & 255) << (i % 3 ? 0 : bits - 8), y = (i >> 8) << (i % 5 ? 0 : bits - 8);
        pairs.emplace_back(wide(x), wide(y));
        a.insert(a.end(), reinterpret_cast<char *>(&x), reinterpret_cast<char *>(&x) + size);
        b.insert(b.end(), reinterpret_cast<char *>(&y), reinterpret_cast<char *>(&y) + size);
      }
      std::vector<char> out(a.size());
      const void *in[] = {a.data(), b.data(), b.data()};
      findElementLoop(row.name, element, element)(out.data(), in, pairs.size(), nullptr);
      for (size_t i = 0; i < pairs.size(); ++i) {
        int64_t found = 0, expected = wide(row.reference(pairs[i].first, pairs[i].second, bits));
        memcpy(&found, &out[i * size], size);
        ASSERT_EQ(wide(found), expected) << row.name << "(" << pairs[i].first << ", " << pairs[i].second << ")";
      }
    }
}

template <typename From, typename To> static To convertOne(const char *name, Element from, Element to, From value) {
  To result;
  const void *in[] = {&value, &value, &value};
  findElementLoop(name, from, to)(&result, in, 1, nullptr);
  return result;
}

TEST(ElementLoops, FloatToIntegerSaturatesAndNaNIsZero) {
  auto toI8 = [](float x) { return convertOne<float, int8_t>("tile.cast.signed", Element::F32, Element::I8, x); };
  EXPECT_EQ(toI8(-3.9f), -3);
  EXPECT_EQ(toI8(127.9f), 127);
  EXPECT_EQ(toI8(128), 127);
  EXPECT_EQ(toI8(-INFINITY), -128);
  EXPECT_EQ(toI8(NAN), 0);
  auto toU8 = [](float x) { return convertOne<float, uint8_t>("tile.cast.unsigned", Element::F32, Element::I8, x); };
  EXPECT_EQ(toU8(-1), 0);
  EXPECT_EQ(toU8(255.9f), 255);
  EXPECT_EQ(toU8(1e9f), 255);
  auto toI64 = [](double x) { return convertOne<double, int64_t>("tile.cast.signed", Element::F64, Element::I64, x); };
  EXPECT_EQ(toI64(0x1p63), INT64_MAX);
  EXPECT_EQ(toI64(-0x1p63), INT64_MIN);
  auto toU64 = [](double x) {
    return convertOne<double, uint64_t>("tile.cast.unsigned", Element::F64, Element::I64, x);
  };
  EXPECT_EQ(toU64(0x1p64), UINT64_MAX);
  EXPECT_EQ(toU64(0x1p63), uint64_t(1) << 63);
}

TEST(ElementLoops, ConversionsToAFloatRoundOnce) {
  // 2^24 + 2^16 + 1 is above half way between two bf16; by way of f32 it would lose the 1 and go to even.
  auto fromI32 = [](int32_t x) { return convertOne<int32_t, BFloat>("arith.sitofp", Element::I32, Element::BF16, x); };
  EXPECT_EQ(toFloat(fromI32((1 << 24) + (1 << 16) + 1)), 0x1p24f + 0x1p17f);
  EXPECT_EQ(toFloat(fromI32((1 << 24) + (1 << 16))), 0x1p24f);
  EXPECT_EQ(toFloat(fromI32(-3)), -3);
  // 2^60 + 2^52 + 1 needs more bits than f64 has.
  auto fromU64 = [](uint64_t x) {
    return convertOne<uint64_t, BFloat>("arith.uitofp", Element::I64, Element::BF16, x);
  };
  EXPECT_EQ(toFloat(fromU64((uint64_t(1) << 60) + (uint64_t(1) << 52) + 1)), 0x1p60f + 0x1p53f);
  auto fromF64 = [](double x) { return convertOne<double, Half>("arith.truncf", Element::F64, Element::F16, x); };
  EXPECT_EQ(toFloat(fromF64(1 + 0x1p-11 + 0x1p-40)), 1 + 0x1p-10f);
  EXPECT_EQ(toFloat(fromF64(1 + 0x1p-11)), 1.0f);
  // A bool is 0 or 1 unsigned.
  auto fromBool = [](uint8_t x) { return convertOne<uint8_t, float>("arith.uitofp", Element::I1, Element::F32, x); };
  EXPECT_EQ(fromBool(1), 1.0f);
}

TEST(ElementLoops, WidthsChangeByTheSignOfTheOp) {
  EXPECT_EQ((convertOne<int8_t, int64_t>("arith.extsi", Element::I8, Element::I64, -5)), -5);
  EXPECT_EQ((convertOne<int8_t, int64_t>("arith.extui", Element::I8, Element::I64, -5)), 251);
  EXPECT_EQ((convertOne<uint8_t, int32_t>("arith.extui", Element::I1, Element::I32, 1)), 1);
  EXPECT_EQ((convertOne<uint8_t, int32_t>("arith.extsi", Element::I1, Element::I32, 1)), -1);
  EXPECT_EQ((convertOne<int32_t, int8_t>("arith.trunci", Element::I32, Element::I8, 0x1ff)), -1);
  EXPECT_EQ((convertOne<int32_t, uint8_t>("arith.trunci", Element::I32, Element::I1, 2)), 0);
}

TEST(ElementLoops, ComparisonsWithNaNFollowTheirPredicate) {
  auto compare = [](const char *predicate, float a, float b) {
    uint8_t result;
    const void *in[] = {&a, &b, &b};
    findElementLoop((std::string("arith.cmpf.") + predicate).c_str(), Element::F32, Element::I1)(&result, in, 1,
                                                                                                 nullptr);
    return result != 0;
  };
  for (const char *ordered : {"oeq", "oge", "ogt", "ole", "olt", "one", "ord"})
    EXPECT_FALSE(compare(ordered, NAN, 1)) << ordered;
  for (const char *unordered : {"ueq", "uge", "ugt", "ule", "ult", "une", "uno"})
    EXPECT_TRUE(compare(unordered, 1, NAN)) << unordered;
  EXPECT_TRUE(compare("oeq", 0.0f, -0.0f));
  EXPECT_FALSE(compare("one", 2, 2));
  EXPECT_TRUE(compare("ueq", 2, 2));
  EXPECT_FALSE(compare("uno", 2, 2));
}

TEST(ElementLoops, KnowOnlyTheirOwnTypes) {
  EXPECT_EQ(findElementLoop("arith.addf", Element::I32, Element::I32), nullptr);
  EXPECT_EQ(findElementLoop("arith.addi", Element::F32, Element::F32), nullptr);
  EXPECT_EQ(findElementLoop("arith.bitcast", Element::F32, Element::I64), nullptr);
  EXPECT_EQ(findElementLoop("math.no_such", Element::F32, Element::F32), nullptr);
}
