/// Matrix products of every type against wide sums.
#include "test/unit/interpreter/Launch.h"

#include <random>

using namespace tile;

static std::string dotKernel(const std::string &mode, const std::string &operand, const std::string &acc, int64_t m,
                             int64_t n, int64_t k, const std::string &after = "") {
  auto tile = [](int64_t rows, int64_t columns, const std::string &element) {
    return std::to_string(rows) + "x" + std::to_string(columns) + "x" + element;
  };
  std::string a = tile(m, k, operand), b = tile(k, n, operand), c = tile(m, n, acc);
  auto view = [](const std::string &name, int64_t rows, int64_t columns, const std::string &element,
                 const std::string &type) {
    return "%v" + name + " = tile.make_view %p" + name + ", [" + std::to_string(rows) + ", " + std::to_string(columns) +
           "], [" + std::to_string(columns) + ", 1] : !tile.ptr<" + element + "> -> !tile.view<" + type + ">\n";
  };
  auto load = [](const std::string &name, int64_t rows, int64_t columns, const std::string &type) {
    return "%" + name + " = tile.load %v" + name + "[%zero :+ " + std::to_string(rows) + ", %zero :+ " +
           std::to_string(columns) + "] : !tile.view<" + type + ">, (index, index) -> tensor<" + type + ">\n";
  };
  return "func.func @k(%pa: !tile.ptr<" + operand + ">, %pb: !tile.ptr<" + operand + ">, %pc: !tile.ptr<" + acc +
         ">) {\n%zero = arith.constant 0 : index\n" + view("a", m, k, operand, a) + view("b", k, n, operand, b) +
         view("c", m, n, acc, c) + load("a", m, k, a) + load("b", k, n, b) + load("c", m, n, c) + "%d = tile.dot " +
         mode + " %a, %b, %c : tensor<" + a + ">, tensor<" + b + ">, tensor<" + c + ">\n" + after +
         "tile.store %d, %vc[%zero :+ " + std::to_string(m) + ", %zero :+ " + std::to_string(n) + "] : tensor<" + c +
         ">, !tile.view<" + c + ">, (index, index)\nreturn\n}";
}

template <typename T> static double toDouble(T x) { return x; }
[[maybe_unused]] static double toDouble(Half x) { return toFloat(x); }
[[maybe_unused]] static double toDouble(BFloat x) { return toFloat(x); }
template <typename T> static void assign(T &to, float from) { to = static_cast<T>(from); }
static void assign(Half &to, float from) { to = toHalf(from); }
static void assign(BFloat &to, float from) { to = toBFloat(from); }

/// Compares with a sum in f64, or of integers, to within `tolerance` of the largest possible sum.
template <typename T, typename Acc>
static void checkDot(const std::string &mode, const std::string &operand, const std::string &acc, double tolerance,
                     double (*load)(T) = toDouble<T>) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(-2, 2);
  for (auto [m, n, k] : {std::tuple(1, 1, 1), std::tuple(7, 3, 5), std::tuple(16, 16, 16), std::tuple(33, 17, 127)}) {
    std::vector<T> a(m * k), b(k * n);
    std::vector<Acc> c(m * n);
    float scale = std::is_integral_v<T> ? 63 : 1;
    for (T &x : a)
      assign(x, scale * uniform(random));
    for (T &x : b)
      assign(x, scale * uniform(random));
    for (Acc &x : c)
      x = static_cast<Acc>(scale * uniform(random));
    std::vector<Acc> before = c;
    Launch launch(dotKernel(mode, operand, acc, m, n, k));
    launch.in(a).in(b).inout(c).runClean();
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = before[i * n + j], size = std::abs(sum);
        for (int64_t l = 0; l < k; ++l) {
          sum += load(a[i * k + l]) * load(b[l * n + j]);
          size += std::abs(load(a[i * k + l]) * load(b[l * n + j]));
        }
        ASSERT_NEAR(c[i * n + j], sum, size * tolerance) << m << " x " << n << " x " << k;
      }
  }
}

TEST(Dot, SixteenBitFloatsAccumulateInF32) {
  checkDot<BFloat, float>("ieee signed", "bf16", "f32", 1e-6, [](BFloat x) { return double(toFloat(x)); });
  checkDot<Half, float>("ieee signed", "f16", "f32", 1e-6, [](Half x) { return double(toFloat(x)); });
}

TEST(Dot, F32AndF64AreIeee) {
  checkDot<float, float>("ieee signed", "f32", "f32", 1e-6);
  checkDot<double, double>("ieee signed", "f64", "f64", 1e-14);
}

TEST(Dot, Tf32RoundsBothOperandsToTenBits) {
  auto toTf32 = [](float x) {
    int exponent;
    double mantissa = std::frexp(x, &exponent);
    // Eleven bits with the leading one; ties away from zero.
    return std::ldexp(std::round(std::ldexp(mantissa, 11)), exponent - 11);
  };
  checkDot<float, float>("tf32 signed", "f32", "f32", 1e-6, toTf32);
}

TEST(Dot, BytesAreReadByTheSignOfTheOpAndWrap) {
  checkDot<int8_t, int32_t>("ieee signed", "i8", "i32", 0);
  checkDot<int8_t, int32_t>("ieee unsigned", "i8", "i32", 0, [](int8_t x) { return double(uint8_t(x)); });
}

TEST(Dot, KeepsAnAccumulatorThatIsReadAfterwards) {
  std::vector<float> a = {1, 2, 3, 4}, b = {1, 0, 0, 1}, c = {10, 20, 30, 40};
  Launch launch(
      dotKernel("ieee signed", "f32", "f32", 2, 2, 2,
                "%e = arith.subf %d, %c : tensor<2x2xf32>\n"
                "tile.store %e, %va[%zero :+ 2, %zero :+ 2] : tensor<2x2xf32>, !tile.view<2x2xf32>, (index, index)\n"));
  launch.inout(a).in(b).inout(c).runClean();
  EXPECT_EQ(c, (std::vector<float>{11, 22, 33, 44}));
  EXPECT_EQ(a, (std::vector<float>{1, 2, 3, 4}));
}

TEST(Dot, AnOperandMayBeItsOwnAccumulator) {
  std::vector<float> a = {1, 2, 3, 4}, b = {0, 0, 0, 0}, c(4);
  std::string kernel = dotKernel("ieee signed", "f32", "f32", 2, 2, 2);
  kernel.replace(kernel.find("%a, %b, %c"), 10, "%a, %a, %a");
  Launch launch(kernel);
  launch.in(a).in(b).inout(c).runClean();
  EXPECT_EQ(c, (std::vector<float>{8, 12, 18, 26}));
}
