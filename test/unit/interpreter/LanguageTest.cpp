/// What programs compute, from source to result: the rows of section 8 of the language, numerics.
#include "backend/interpreter/Interpreter.h"
#include "test/unit/frontend/Generating.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tile;

/// A C++ type as the language calls it and the interpreter stores it.
template <typename T> struct TypeOf;
#define TILE_TYPE(CPP, NAME, ELEMENT)                                                                                  \
  template <> struct TypeOf<CPP> {                                                                                     \
    static constexpr const char *name = NAME;                                                                          \
    static constexpr Element element = Element::ELEMENT;                                                               \
  };
TILE_TYPE(char, "bool", I1)
TILE_TYPE(int8_t, "i8", I8)
TILE_TYPE(uint8_t, "u8", I8)
TILE_TYPE(int16_t, "i16", I16)
TILE_TYPE(int32_t, "i32", I32)
TILE_TYPE(uint32_t, "u32", I32)
TILE_TYPE(int64_t, "i64", I64)
TILE_TYPE(Half, "f16", F16)
TILE_TYPE(BFloat, "bf16", BF16)
TILE_TYPE(float, "f32", F32)
TILE_TYPE(double, "f64", F64)
#undef TILE_TYPE

template <typename T> using Values = std::vector<T>;

/// Runs `body`, in which `x` and `y` are tiles of the elements of `a` and `b`, n of each, and gives the tile that its
/// last expression makes, of `count` elements of C.
template <typename C, typename A, typename B>
static Values<C> evaluate(const std::string &body, Values<A> a, Values<B> b, int64_t count = -1) {
  int64_t n = a.size();
  count = count < 0 ? n : count;
  std::string size = std::to_string(n), outSize = std::to_string(count);
  std::string parameter = std::string("a: tensor<") + TypeOf<A>::name + ">[N], b: tensor<" + TypeOf<B>::name +
                          ">[N], out c: tensor<" + TypeOf<C>::name + ">[M]";
  size_t last = body.rfind('\n') == std::string::npos ? 0 : body.rfind('\n') + 1;
  test::Generated program("import std\nkernel k(" + parameter + ") grid [1] {\nlet x = a[0 :+ " + size +
                          "]\nlet y = b[0 :+ " + size + "]\n" + body.substr(0, last) + "c[0 :+ " + outSize +
                          "] = " + body.substr(last) + "\n}\n");
  EXPECT_TRUE(program.module) << program.errors();
  Values<C> c(count);
  if (!program.module)
    return c;
  std::vector<Buffer> buffers = {
      {"a", a.data(), n * static_cast<int64_t>(sizeof(A)), TypeOf<A>::element, false, true},
      {"b", b.data(), n * static_cast<int64_t>(sizeof(B)), TypeOf<B>::element, false, true},
      {"c", c.data(), count * static_cast<int64_t>(sizeof(C)), TypeOf<C>::element, true, false}};
  std::vector<uint64_t> arguments = {reinterpret_cast<uint64_t>(a.data()), static_cast<uint64_t>(n),
                                     reinterpret_cast<uint64_t>(b.data()), reinterpret_cast<uint64_t>(c.data()),
                                     static_cast<uint64_t>(count)};
  auto kernel = *program.module->getOps<mlir::func::FuncOp>().begin();
  auto report = interpret(kernel, {arguments, {1, 1, 1}, buffers});
  if (!report) {
    ADD_FAILURE() << llvm::toString(report.takeError());
    return c;
  }
  for (const Finding &finding : report->findings)
    ADD_FAILURE() << finding.message;
  return c;
}
template <typename C, typename A> static Values<C> evaluate(const std::string &body, Values<A> a, int64_t count = -1) {
  return evaluate<C>(body, a, a, count);
}

static const float kInf = INFINITY, kNaN = NAN;

static Values<BFloat> bfloats(const Values<float> &values) {
  Values<BFloat> result;
  for (float x : values)
    result.push_back(toBFloat(x));
  return result;
}
static Values<float> floats(const Values<BFloat> &values) {
  Values<float> result;
  for (BFloat x : values)
    result.push_back(toFloat(x));
  return result;
}

TEST(Numerics, IntegerDivisionTruncatesAndItsEdgesAreDefined) {
  Values<int32_t> a = {7, -7, 7, -7, 5, INT32_MIN, 0}, b = {2, 2, -2, -2, 0, -1, 3};
  EXPECT_EQ(evaluate<int32_t>("x / y", a, b), (Values<int32_t>{3, -3, -3, 3, 0, INT32_MIN, 0}));
  EXPECT_EQ(evaluate<int32_t>("x % y", a, b), (Values<int32_t>{1, -1, 1, -1, 5, 0, 0}));
  EXPECT_EQ(evaluate<int32_t>("floordiv(x, y)", a, b), (Values<int32_t>{3, -4, -4, 3, 0, INT32_MIN, 0}));
  Values<uint8_t> u = {200, 200, 7}, v = {3, 0, 255};
  EXPECT_EQ(evaluate<uint8_t>("x / y", u, v), (Values<uint8_t>{66, 0, 0}));
  EXPECT_EQ(evaluate<uint8_t>("x % y", u, v), (Values<uint8_t>{2, 200, 7}));
}

TEST(Numerics, IntegersWrap) {
  EXPECT_EQ(evaluate<int8_t>("x * y + x", Values<int8_t>{127, -128, 100}, Values<int8_t>{2, 1, 3}),
            (Values<int8_t>{125, 0, -112}));
  EXPECT_EQ(evaluate<uint32_t>("x - y", Values<uint32_t>{0}, Values<uint32_t>{1}), (Values<uint32_t>{UINT32_MAX}));
}

TEST(Numerics, ShiftsPastTheWidthGiveZeroOrTheSign) {
  Values<int32_t> a = {-8, -8, 8, 1, -1}, b = {1, 32, 40, 31, 100};
  EXPECT_EQ(evaluate<int32_t>("x >> y", a, b), (Values<int32_t>{-4, -1, 0, 0, -1}));
  EXPECT_EQ(evaluate<int32_t>("x << y", a, b), (Values<int32_t>{-16, 0, 0, INT32_MIN, 0}));
  EXPECT_EQ(evaluate<uint8_t>("x >> y", Values<uint8_t>{128, 128}, Values<uint8_t>{7, 8}), (Values<uint8_t>{1, 0}));
}

TEST(Numerics, FloatToIntegerSaturatesAndNaNIsZero) {
  EXPECT_EQ(evaluate<int8_t>("x as i8", Values<float>{1.9f, -1.9f, 300, -kInf, kNaN}),
            (Values<int8_t>{1, -1, 127, -128, 0}));
  EXPECT_EQ(evaluate<uint8_t>("x as u8", Values<float>{-3, 255.9f, kInf}), (Values<uint8_t>{0, 255, 255}));
}

TEST(Numerics, SixteenBitArithmeticRoundsEachOperation) {
  // In f32 the sum would be 2.00390625; in bf16 256 + 1 is 256, and so is the product's tail lost.
  EXPECT_EQ(floats(evaluate<BFloat>("x + y - x", bfloats({256, 1}), bfloats({1, 0x1p-9f}))), (Values<float>{0, 0}));
  EXPECT_EQ(floats(evaluate<BFloat>("x * y", bfloats({1.0078125f}), bfloats({1.0078125f}))),
            (Values<float>{1.015625f}));
}

TEST(Numerics, F16OverflowsToInfinityFromHalfPastItsLargest) {
  Values<Half> sum =
      evaluate<Half>("x + y", Values<Half>{toHalf(65504), toHalf(65504)}, Values<Half>{toHalf(15.99f), toHalf(16)});
  EXPECT_EQ(toFloat(sum[0]), 65504);
  EXPECT_EQ(toFloat(sum[1]), kInf);
}

TEST(Numerics, ExplicitFmaOfBf16RoundsOnce) {
  Values<BFloat> x = bfloats({1 + 0x1p-4f, 1 + 0x1p-4f}), y = bfloats({0x1p-30f, -0x1p-30f});
  EXPECT_EQ(floats(evaluate<BFloat>("fma(x, x, y)", x, y)), (Values<float>{1.125f + 0x1p-7f, 1.125f}));
}

TEST(Numerics, MaxPropagatesNaNAndFmaxIgnoresIt) {
  Values<float> a = {1, kNaN, kNaN, -kInf}, b = {2, 1, kNaN, 3};
  Values<float> max = evaluate<float>("max(x, y)", a, b), fmax = evaluate<float>("fmax(x, y)", a, b);
  EXPECT_EQ(max[0], 2);
  EXPECT_TRUE(std::isnan(max[1]) && std::isnan(max[2]));
  EXPECT_EQ(max[3], 3);
  EXPECT_EQ(fmax[1], 1);
  EXPECT_TRUE(std::isnan(fmax[2]));
}

TEST(Numerics, ArgMaxGivesTheFirstIndexAndNaNWins) {
  auto argmax = [](Values<float> a) { return evaluate<int32_t>("full<i32>[1](argmax(x, axis = 0))", a, 1)[0]; };
  EXPECT_EQ(argmax({1, 5, 3, 5, 5, 2, 0}), 1);
  EXPECT_EQ(argmax({1, 5, kNaN, 9, kNaN, 2, 0}), 2);
  EXPECT_EQ(argmax({-kInf, -kInf, -kInf}), 0);
  auto argmin = [](Values<float> a) { return evaluate<int32_t>("full<i32>[1](argmin(x, axis = 0))", a, 1)[0]; };
  EXPECT_EQ(argmin({3, 1, 1, 2}), 1);
}

TEST(Numerics, SumsAccumulateWide) {
  // 300 ones: bf16 alone would stop at 256, i8 would wrap.
  Values<float> ones(300, 1);
  EXPECT_EQ(evaluate<float>("full<f32>[1](sum(x))", bfloats(ones), 1)[0], 300);
  EXPECT_EQ(evaluate<int32_t>("full<i32>[1](sum(x))", Values<int8_t>(300, 1), 1)[0], 300);
  EXPECT_EQ(evaluate<int32_t>("full<i32>[1](sum(x > 2.0))", Values<float>{1, 2, 3, 4, 5}, 1)[0], 3);
}

TEST(Numerics, BoolsBecomeNumbers) {
  EXPECT_EQ(evaluate<float>("(x > y) as f32", Values<float>{1, 2, 3}, Values<float>{2, 2, 2}),
            (Values<float>{0, 0, 1}));
}

TEST(Numerics, ComparisonsWithNaNAreFalseButForInequality) {
  Values<float> a = {kNaN, 1, -0.0f}, b = {kNaN, kNaN, 0};
  EXPECT_EQ(evaluate<char>("x == y", a, b), (Values<char>{0, 0, 1}));
  EXPECT_EQ(evaluate<char>("x != y", a, b), (Values<char>{1, 1, 0}));
  EXPECT_EQ(evaluate<char>("x < y", a, b), (Values<char>{0, 0, 0}));
  EXPECT_EQ(evaluate<char>("x >= y", a, b), (Values<char>{0, 0, 1}));
}

TEST(Numerics, DenormalsAndInfinitiesFollowIeee) {
  EXPECT_EQ(evaluate<float>("x / y", Values<float>{1, -1, 0x1p-149f, 3}, Values<float>{0, 0, 2, kInf}),
            (Values<float>{kInf, -kInf, 0, 0}));
  EXPECT_EQ(evaluate<float>("x * y", Values<float>{0x1p-149f, 0x1p-126f}, Values<float>{3, 0.5f}),
            (Values<float>{3 * 0x1p-149f, 0x1p-127f}));
}

TEST(Numerics, ADotReturnsItsAccumulator) {
  // 2 x 3 by 3 x 2, all rows of x alike.
  Values<BFloat> x = bfloats({1, 2, 3, 1, 2, 3}), y = bfloats({1, 0, 0, 1, 1, 1});
  EXPECT_EQ(evaluate<float>("(x.reshape([2, 3]) @ y.reshape([3, 2])).reshape([4])", x, y, 4),
            (Values<float>{4, 5, 4, 5}));
  Values<int8_t> u = {127, 127, 127, 127}, v = {127, 127, -128, -128};
  EXPECT_EQ(evaluate<int32_t>("(x.reshape([2, 2]) @ y.reshape([2, 2])).reshape([4])", u, v, 4),
            (Values<int32_t>{-127, -127, -127, -127}));
}

TEST(Control, LoopsCarryVariablesAndMayLeaveEarly) {
  EXPECT_EQ(evaluate<int32_t>("var s = zeros<i32>[3]\nfor i in 0 .. 10 step 3 { s += x * (i as i32) }\ns",
                              Values<int32_t>{1, 2, 3}),
            (Values<int32_t>{18, 36, 54}));
  EXPECT_EQ(
      evaluate<int32_t>("var s = x\nvar i: i32 = 0\nwhile i < 4 { s = s + x\ni = i + 1 }\ns", Values<int32_t>{1, 2}),
      (Values<int32_t>{5, 10}));
  EXPECT_EQ(evaluate<int32_t>("var s = x\nfor i in 5 .. 5 { s = s + x }\ns", Values<int32_t>{4}), (Values<int32_t>{4}));
}

TEST(Shape, TransposesSlicesAndBroadcasts) {
  EXPECT_EQ(evaluate<int32_t>("x.reshape([2, 3]).T.reshape([6])", Values<int32_t>{1, 2, 3, 4, 5, 6}),
            (Values<int32_t>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(evaluate<int32_t>("(x[:, None] - y[None, :]).reshape([9])", Values<int32_t>{1, 2, 3},
                              Values<int32_t>{0, 1, 2}, 9),
            (Values<int32_t>{1, 0, -1, 2, 1, 0, 3, 2, 1}));
}
