/// Error bounds: what a kernel computes with its own roundings, in another order or with worse functions, lies within
/// them; and they are not much wider than that.
#include "backend/interpreter/Bounds.h"
#include "test/unit/interpreter/Launch.h"

#include <cmath>
#include <random>

using namespace tile;

static std::vector<float> randomFloats(int64_t count, float low, float high, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<float> data(count);
  for (float &x : data)
    x = uniform(random);
  return data;
}

/// A kernel that loads two tiles of 64 `element`s, computes `%r` from `%a` and `%b` and stores it.
static std::string elementwiseKernel(const std::string &element, const std::string &body) {
  std::string tile = "64x" + element;
  std::string kernel = "func.func @k(%pa: !tile.ptr<E>, %pb: !tile.ptr<E>, %pc: !tile.ptr<E>) {\n"
                       "%zero = arith.constant 0 : index\n";
  for (const char *name : {"a", "b", "c"})
    kernel +=
        std::string("%v") + name + " = tile.make_view %p" + name + ", [64], [1] : !tile.ptr<E> -> !tile.view<T>\n";
  for (const char *name : {"a", "b"})
    kernel +=
        std::string("%") + name + " = tile.load %v" + name + "[%zero :+ 64] : !tile.view<T>, (index) -> tensor<T>\n";
  kernel += body + "\ntile.store %r, %vc[%zero :+ 64] : tensor<T>, !tile.view<T>, (index)\nreturn\n}";
  for (auto [from, to] : {std::pair(std::string("<E>"), "<" + element + ">"), {"<T>", "<" + tile + ">"}})
    for (size_t at; (at = kernel.find(from)) != std::string::npos;)
      kernel.replace(at, from.size(), to);
  return kernel;
}

TEST(Bounds, HoldForEveryOpAndAreTight) {
  // Operands are above 0 and below 1, where every function below is defined and smooth.
  auto a = randomFloats(64, 0.05f, 0.95f, 1), b = randomFloats(64, 0.05f, 0.95f, 2);
  for (const char *body : {"%r = arith.addf %a, %b : tensor<T>",     "%r = arith.subf %a, %b : tensor<T>",
                           "%r = arith.mulf %a, %b : tensor<T>",     "%r = arith.divf %a, %b : tensor<T>",
                           "%r = arith.maximumf %a, %b : tensor<T>", "%r = arith.negf %a : tensor<T>",
                           "%r = math.absf %a : tensor<T>",          "%r = math.atan %a : tensor<T>",
                           "%r = math.cos %a : tensor<T>",           "%r = math.erf %a : tensor<T>",
                           "%r = math.exp %a : tensor<T>",           "%r = math.exp2 %a : tensor<T>",
                           "%r = math.fma %a, %b, %a : tensor<T>",   "%r = math.log %a : tensor<T>",
                           "%r = math.log2 %a : tensor<T>",          "%r = math.log1p %a : tensor<T>",
                           "%r = math.powf %a, %b : tensor<T>",      "%r = math.rsqrt %a : tensor<T>",
                           "%r = math.sin %a : tensor<T>",           "%r = math.sqrt %a : tensor<T>",
                           "%r = math.tanh %a : tensor<T>",          "%r = tile.gelu %a : tensor<T>",
                           "%r = tile.sigmoid %a : tensor<T>"}) {
    // Operands with errors of their own: the op is applied to its result once more.
    std::string first = std::string(body).replace(1, 1, "q"), second = body;
    for (size_t at = 0; (at = second.find("%a", at)) != std::string::npos; at += 2)
      second.replace(at, 2, "%q");
    bool isLog = second.find("log") != std::string::npos; // of a number below 1 it is negative
    std::string twice = isLog ? first + "\n%r = math.exp %q : tensor<T>" : first + "\n" + second;
    std::vector<float> c(64);
    Launch launch(elementwiseKernel("f32", twice));
    launch.in(a).in(b).out(c);
    BoundedElements bounds = launch.bounds().buffers[2];
    EXPECT_EQ(c, std::vector<float>(64)) << "a bounded run writes no floats";
    launch.runClean();
    for (int i = 0; i < 64; ++i) {
      ASSERT_LE(std::abs(c[i] - bounds.values[i]), bounds.errors[i]) << body << " of " << a[i] << ", " << b[i];
      ASSERT_LE(bounds.errors[i], 1e-4 * (1 + std::abs(bounds.values[i]))) << body << " of " << a[i] << ", " << b[i];
    }
  }
}

TEST(Bounds, KnowThePrecisionOfSixteenBitFloats) {
  std::vector<BFloat> a(64), b(64), c(64);
  for (int i = 0; i < 64; ++i) {
    a[i] = toBFloat(1 + 0.37f * i);
    b[i] = toBFloat(3 - 0.11f * i);
  }
  Launch launch(elementwiseKernel("bf16", "%p = arith.mulf %a, %b : tensor<T>\n%r = arith.addf %p, %a : tensor<T>"));
  launch.in(a).in(b).out(c);
  BoundedElements bounds = launch.bounds().buffers[2];
  launch.runClean();
  for (int i = 0; i < 64; ++i) {
    double x = toFloat(a[i]), y = toFloat(b[i]), exact = x * y + x;
    EXPECT_EQ(bounds.values[i], exact);
    EXPECT_LE(std::abs(toFloat(c[i]) - exact), bounds.errors[i]);
    double oneEach = 0x1p-8 * (std::abs(x * y) + std::abs(exact));
    EXPECT_GE(bounds.errors[i], oneEach);
    EXPECT_LE(bounds.errors[i], oneEach * 1.02);
  }
}

TEST(Bounds, CoverTheLossOfSubtractingCloseNumbers) {
  std::vector<float> a(64, 1), b(64, 3), c(64);
  // 1 / 3 * 3 - 1 is 0; the bound is that of the two operations before.
  Launch launch(elementwiseKernel("f32", "%q = arith.divf %a, %b : tensor<T>\n%p = arith.mulf %q, %b : tensor<T>\n"
                                         "%r = arith.subf %p, %a : tensor<T>"));
  launch.in(a).in(b).out(c);
  BoundedElements bounds = launch.bounds().buffers[2];
  EXPECT_NEAR(bounds.values[0], 0, 1e-15);
  EXPECT_GT(bounds.errors[0], 1e-7);
  EXPECT_LT(bounds.errors[0], 1.3e-7);
}

TEST(Bounds, AreInfiniteWhereAnErrorDecides) {
  std::vector<float> a(64, 1), b(64, 3), c(64);
  Launch launch(elementwiseKernel("f32", "%q = arith.divf %a, %b : tensor<T>\n%p = arith.mulf %q, %b : tensor<T>\n"
                                         "%s = arith.subf %p, %a : tensor<T>\n%r = arith.divf %a, %s : tensor<T>"));
  launch.in(a).in(b).out(c);
  EXPECT_EQ(launch.bounds().buffers[2].errors[0], INFINITY);
}

TEST(Bounds, InfinityIsExactWhateverIsAddedToIt) {
  std::vector<float> a(64, -INFINITY), b(64, 3), c(64);
  // A masked score of attention: exp(-inf - m) is 0 for every m.
  Launch launch(elementwiseKernel("f32", "%l = math.log %b : tensor<T>\n%s = arith.subf %a, %l : tensor<T>\n"
                                         "%r = math.exp %s : tensor<T>"));
  launch.in(a).in(b).out(c);
  BoundedElements bounds = launch.bounds().buffers[2];
  EXPECT_EQ(bounds.values[0], 0);
  EXPECT_LT(bounds.errors[0], 1e-37);
}

/// The bounds of the f32 that `body` makes of 1 x 64 elements of `a` and of `b`.
static BoundedElements boundsOf(const std::string &body, float a, float b) {
  std::vector<float> as(64, a), bs(64, b), c(64);
  Launch launch(elementwiseKernel("f32", body));
  launch.in(as).in(bs).out(c);
  return launch.bounds().buffers[2];
}

TEST(Bounds, InfinityIsNotExactBesideWhatHasNoBound) {
  // %q may be of any size and sign.
  std::string body = "%q = arith.subf %b, %b : tensor<T>\n%n = math.exp %q : tensor<T>\n"
                     "%o = arith.subf %n, %n : tensor<T>\n%u = arith.divf %n, %o : tensor<T>\n";
  auto errorOf = [&](const char *op, float a) {
    return boundsOf(body + "%r = " + op + " : tensor<T>", a, 3).errors[0];
  };
  EXPECT_EQ(errorOf("arith.addf %a, %u", INFINITY), INFINITY);
  EXPECT_EQ(errorOf("arith.mulf %a, %u", INFINITY), INFINITY);
  EXPECT_EQ(errorOf("math.fma %b, %a, %u", INFINITY), INFINITY);
  EXPECT_EQ(errorOf("arith.maximumf %a, %u", INFINITY), INFINITY) << "NaN wins";
  EXPECT_EQ(errorOf("arith.maxnumf %a, %u", INFINITY), 0) << "nothing wins";
  EXPECT_EQ(errorOf("arith.addf %a, %u", NAN), 0);
  // Of a sum around 0 the sign is open, not the size.
  EXPECT_EQ(errorOf("arith.mulf %a, %o", INFINITY), INFINITY);
  EXPECT_EQ(errorOf("arith.addf %a, %o", INFINITY), 0);
}

TEST(Bounds, OfAnExponentialFarBelowZeroAreThoseOfZero) {
  std::vector<float> a(64, 1), b(64, 3), c(64);
  // The first block of an online softmax whose maximum starts as -1e30, which is rounded by 2e22: 3 * exp(-1e30 - max).
  for (const char *function : {"math.exp %s", "math.exp2 %s", "tile.approximate exp2 %s", "math.powf %b, %s"}) {
    Launch launch(elementwiseKernel("f32", "%l = math.log %b : tensor<T>\n%m = arith.constant dense<-1.0e30> : "
                                           "tensor<T>\n%s = arith.subf %m, %l : tensor<T>\n%e = " +
                                               std::string(function) +
                                               " : tensor<T>\n%r = arith.mulf %b, %e : tensor<T>"));
    launch.in(a).in(b).out(c);
    BoundedElements bounds = launch.bounds().buffers[2];
    EXPECT_EQ(bounds.values[0], 0) << function;
    EXPECT_LT(bounds.errors[0], 1e-36) << function;
  }
}

TEST(Bounds, OfAnExtremeAreThoseOfTheOperandsThatCanBeIt) {
  // -1e30 is wrong by 1e22, log(3) by 1e-7; next to each other, the wider error counts.
  std::vector<float> a(64, 1), b(64, 3), c(64);
  auto errorOf = [&](const std::string &constant, const std::string &function) {
    Launch launch(elementwiseKernel("f32", "%l = math.log %b : tensor<T>\n%m = arith.constant dense<" + constant +
                                               "> : tensor<T>\n%r = arith." + function + " %m, %l : tensor<T>"));
    launch.in(a).in(b).out(c);
    return launch.bounds().buffers[2].errors[0];
  };
  double alone = errorOf("0xFF800000", "maximumf") /* -inf */;
  EXPECT_GT(alone, 1e-8);
  EXPECT_LT(alone, 2e-6);
  EXPECT_EQ(errorOf("-1.0e30", "maximumf"), alone);
  EXPECT_EQ(errorOf("-1.0e30", "maxnumf"), alone);
  EXPECT_EQ(errorOf("1.0e30", "minimumf"), alone);
  EXPECT_GT(errorOf("-1.0e30", "minimumf"), 1e20);
  EXPECT_GT(errorOf("1.0e30", "maximumf"), 1e20);
  EXPECT_NEAR(errorOf("1.0986123", "maximumf"), alone, 1e-7);
}

TEST(Bounds, OfAnExponentOfAnySizeAreInfiniteAndStaySo) {
  std::vector<float> a(64, 1), b(64, 3), c(64);
  // exp(0 within 1e23), which a sum keeps: a bound that is no number would be none.
  Launch launch(elementwiseKernel("f32", "%m = arith.constant dense<-1.0e30> : tensor<T>\n%s = arith.subf %m, %m : "
                                         "tensor<T>\n%e = math.exp %s : tensor<T>\n%p = arith.mulf %b, %e : "
                                         "tensor<T>\n%r = arith.addf %p, %a : tensor<T>"));
  launch.in(a).in(b).out(c);
  EXPECT_EQ(launch.bounds().buffers[2].errors[0], INFINITY);
}

TEST(Bounds, ADecimalConstantIsRoundedAndAShortOneIsNot) {
  auto errorOf = [](const std::string &constant) {
    std::vector<float> a(64, 1), b(64, 1), c(64);
    Launch launch(elementwiseKernel("f32", "%r = arith.constant dense<" + constant + "> : tensor<T>"));
    launch.in(a).in(b).out(c);
    return launch.bounds().buffers[2].errors[0];
  };
  EXPECT_EQ(errorOf("0.5"), 0);
  EXPECT_EQ(errorOf("-3.0"), 0);
  EXPECT_NEAR(errorOf("0.1"), 0.1 * 0x1p-24, 1e-12);
}

/// The sum of `n` floats, then its product with itself by a dot of 1 x 1.
static std::string sumKernel(int64_t n) {
  std::string tile = std::to_string(n) + "xf32";
  return "func.func @k(%pa: !tile.ptr<f32>, %pc: !tile.ptr<f32>) {\n%zero = arith.constant 0 : index\n%va = "
         "tile.make_view %pa, [" +
         std::to_string(n) + "], [1] : !tile.ptr<f32> -> !tile.view<" + tile + ">\n%a = tile.load %va[%zero :+ " +
         std::to_string(n) + "] : !tile.view<" + tile + ">, (index) -> tensor<" + tile +
         ">\n%s = tile.reduce %a axis 0 : tensor<" + tile +
         "> -> f32 {\n^bb0(%x: f32, %y: f32):\n%z = arith.addf %x, %y : f32\ntile.yield %z : f32\n}\n"
         "tile.store_ptr %s, %pc : f32, !tile.ptr<f32>\nreturn\n}";
}

TEST(Bounds, OfASumHoldForEveryOrder) {
  auto a = randomFloats(1000, -1, 1, 5);
  std::vector<float> c(1);
  Launch launch(sumKernel(1000));
  launch.in(a).out(c);
  BoundedElements bounds = launch.bounds().buffers[1];
  double exact = 0, magnitude = 0;
  for (float x : a) {
    exact += x;
    magnitude += std::abs(x);
  }
  EXPECT_DOUBLE_EQ(bounds.values[0], exact);
  EXPECT_NEAR(bounds.errors[0], 999 * 0x1p-24 * magnitude, 1e-6);
  for (int order = 0; order < 3; ++order) {
    float sum = 0;
    if (order == 1)
      std::sort(a.begin(), a.end());
    if (order == 2)
      std::reverse(a.begin(), a.end());
    for (float x : a)
      sum += x;
    EXPECT_LE(std::abs(sum - exact), bounds.errors[0]);
  }
}

TEST(Bounds, OfAProductOfMatricesHold) {
  auto a = randomFloats(3 * 50, -1, 1, 6), b = randomFloats(50 * 2, -1, 1, 7);
  std::vector<float> c(6, 0.1f);
  for (const char *mode : {"ieee", "tf32"}) {
    Launch launch(std::string("func.func @k(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>, %pc: !tile.ptr<f32>) {\n") +
                  R"mlir(
  %zero = arith.constant 0 : index
  %va = tile.make_view %pa, [3, 50], [50, 1] : !tile.ptr<f32> -> !tile.view<3x50xf32>
  %vb = tile.make_view %pb, [50, 2], [2, 1] : !tile.ptr<f32> -> !tile.view<50x2xf32>
  %vc = tile.make_view %pc, [3, 2], [2, 1] : !tile.ptr<f32> -> !tile.view<3x2xf32>
  %a = tile.load %va[%zero :+ 3, %zero :+ 50] : !tile.view<3x50xf32>, (index, index) -> tensor<3x50xf32>
  %b = tile.load %vb[%zero :+ 50, %zero :+ 2] : !tile.view<50x2xf32>, (index, index) -> tensor<50x2xf32>
  %c = tile.load %vc[%zero :+ 3, %zero :+ 2] : !tile.view<3x2xf32>, (index, index) -> tensor<3x2xf32>
  %d = tile.dot )mlir" +
                  mode + R"mlir( signed %a, %b, %c : tensor<3x50xf32>, tensor<50x2xf32>, tensor<3x2xf32>
  tile.store %d, %vc[%zero :+ 3, %zero :+ 2] : tensor<3x2xf32>, !tile.view<3x2xf32>, (index, index)
  return
})mlir");
    c.assign(6, 0.1f);
    launch.in(a).in(b).inout(c);
    BoundedElements bounds = launch.bounds().buffers[2];
    launch.runClean();
    for (int i = 0; i < 6; ++i) {
      double exact = 0.1f, magnitude = 0;
      for (int k = 0; k < 50; ++k) {
        exact += static_cast<double>(a[i / 2 * 50 + k]) * b[k * 2 + i % 2];
        magnitude += std::abs(static_cast<double>(a[i / 2 * 50 + k]) * b[k * 2 + i % 2]);
      }
      EXPECT_NEAR(bounds.values[i], exact, 1e-14);
      EXPECT_LE(std::abs(c[i] - exact), bounds.errors[i]);
      EXPECT_LE(bounds.errors[i], magnitude * (*mode == 't' ? 2e-3 : 1e-5));
    }
  }
}

/// What a tensor core of 8-bit floats makes of `sum` and the next products: each is cut off 13 places below the
/// largest, and so is the new sum.
static double addedWith13Places(double sum, const std::vector<double> &products) {
  double largest = std::abs(sum);
  for (double product : products)
    largest = std::max(largest, std::abs(product));
  double unit = std::exp2(std::floor(std::log2(largest)) - 13), total = std::trunc(sum / unit);
  for (double product : products)
    total += std::trunc(product / unit);
  total *= unit;
  double place = std::exp2(std::floor(std::log2(std::abs(total))) - 13);
  return std::trunc(total / place) * place;
}

TEST(Bounds, OfAProductOfBytesKnowTheirTensorCores) {
  constexpr int kDepth = 2048;
  std::vector<E4M3> a, b;
  for (float x : randomFloats(kDepth, -2, 4, 8))
    a.push_back(toE4M3(x));
  for (float x : randomFloats(kDepth, -2, 4, 9))
    b.push_back(toE4M3(x));
  std::vector<float> c(1, 0.1f);
  Launch launch(R"mlir(func.func @k(%pa: !tile.ptr<f8E4M3FN>, %pb: !tile.ptr<f8E4M3FN>, %pc: !tile.ptr<f32>) {
  %zero = arith.constant 0 : index
  %va = tile.make_view %pa, [1, 2048], [2048, 1] : !tile.ptr<f8E4M3FN> -> !tile.view<1x2048xf8E4M3FN>
  %vb = tile.make_view %pb, [2048, 1], [1, 1] : !tile.ptr<f8E4M3FN> -> !tile.view<2048x1xf8E4M3FN>
  %vc = tile.make_view %pc, [1, 1], [1, 1] : !tile.ptr<f32> -> !tile.view<1x1xf32>
  %a = tile.load %va[%zero :+ 1, %zero :+ 2048] : !tile.view<1x2048xf8E4M3FN>, (index, index) -> tensor<1x2048xf8E4M3FN>
  %b = tile.load %vb[%zero :+ 2048, %zero :+ 1] : !tile.view<2048x1xf8E4M3FN>, (index, index) -> tensor<2048x1xf8E4M3FN>
  %c = tile.load %vc[%zero :+ 1, %zero :+ 1] : !tile.view<1x1xf32>, (index, index) -> tensor<1x1xf32>
  %d = tile.dot ieee signed %a, %b, %c : tensor<1x2048xf8E4M3FN>, tensor<2048x1xf8E4M3FN>, tensor<1x1xf32>
  tile.store %d, %vc[%zero :+ 1, %zero :+ 1] : tensor<1x1xf32>, !tile.view<1x1xf32>, (index, index)
  return
})mlir");
  launch.in(a).in(b).inout(c);
  BoundedElements bounds = launch.bounds().buffers[2];
  double exact = 0.1f;
  for (int k = 0; k < kDepth; ++k)
    exact += toFloat(a[k]) * toFloat(b[k]);
  EXPECT_DOUBLE_EQ(bounds.values[0], exact);
  for (int step : {16, 32}) {
    double sum = 0.1f;
    for (int k = 0; k < kDepth; k += step) {
      std::vector<double> products;
      for (int i = k; i < k + step; ++i)
        products.push_back(toFloat(a[i]) * toFloat(b[i]));
      sum = addedWith13Places(sum, products);
    }
    // Sums over long K, of numbers that are mostly of one sign, lose what the bound of other types would not allow.
    EXPECT_GT(std::abs(sum - exact), exact * kDepth * 0x1p-23);
    EXPECT_LE(std::abs(sum - exact), bounds.errors[0]);
  }
  EXPECT_LE(bounds.errors[0], exact / 2);
}

TEST(Bounds, AnAccessAsAnotherTypeIsFoundAndTouchesNothing) {
  std::vector<int32_t> a = {1, 2};
  std::vector<float> b(2);
  Launch launch(
      "func.func @k(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>) {\n%x = tile.load_ptr %pa : !tile.ptr<f32> -> f32\n"
      "tile.store_ptr %x, %pb : f32, !tile.ptr<f32>\nreturn\n}");
  launch.in(a).out(b);
  BoundsReport report = launch.bounds();
  ASSERT_EQ(report.run.findings.size(), 1u);
  EXPECT_EQ(report.run.findings[0].message,
            "read of element 0 of `a` as another type; expected the type that it holds");
  EXPECT_TRUE(report.buffers[0].values.empty());
}

TEST(Bounds, AnIntegerIsOfEitherEndOfTheFloatThatItWas) {
  // 2.5 is a tie, times 3.2 almost 8; a third is next to no step.
  std::vector<float> a = {2.5f, 0.3333f};
  for (auto [converted, rounded, cut] :
       {std::tuple(Converted::Least, 2, 7), {Converted::Exact, 2, 7}, {Converted::Greatest, 3, 8}}) {
    std::vector<int32_t> b(4);
    Launch launch(R"(func.func @k(%pa: !tile.ptr<f32>, %pb: !tile.ptr<i32>) {
      %zero = arith.constant 0 : index
      %va = tile.make_view %pa, [2], [1] : !tile.ptr<f32> -> !tile.view<2xf32>
      %vb = tile.make_view %pb, [4], [1] : !tile.ptr<i32> -> !tile.view<4xi32>
      %a = tile.load %va[%zero :+ 2] : !tile.view<2xf32>, (index) -> tensor<2xf32>
      %one = arith.constant dense<1.0> : tensor<2xf32>
      %three = arith.constant dense<3.1999998> : tensor<2xf32>
      %product = arith.mulf %a, %one : tensor<2xf32>
      %round = math.roundeven %product : tensor<2xf32>
      %limited = arith.maximumf %round, %one : tensor<2xf32>
      %first = arith.fptosi %limited : tensor<2xf32> to tensor<2xi32>
      %wide = arith.mulf %product, %three : tensor<2xf32>
      %second = tile.cast signed %wide : tensor<2xf32> -> tensor<2xi32>
      %two = arith.constant 2 : index
      tile.store %first, %vb[%zero :+ 2] : tensor<2xi32>, !tile.view<4xi32>, (index)
      tile.store %second, %vb[%two :+ 2] : tensor<2xi32>, !tile.view<4xi32>, (index)
      return
    })");
    launch.in(a).out(b);
    launch.options.converted = converted;
    launch.bounds();
    EXPECT_EQ(b, (std::vector<int32_t>{rounded, 1, cut, 1})) << static_cast<int>(converted);
  }
}

TEST(Bounds, AtomicSumsCarryTheErrorsOfTheirTerms) {
  std::vector<float> a(1);
  Launch launch("func.func @k(%pa: !tile.ptr<f32>) {\n%c = arith.constant 0.1 : f32\n"
                "%old = tile.atomic_ptr add %c, %pa : f32, !tile.ptr<f32>\nreturn\n}");
  launch.inout(a);
  BoundedElements bounds = launch.bounds({100, 1, 1}).buffers[0];
  EXPECT_NEAR(bounds.values[0], 100 * static_cast<double>(0.1f), 1e-12);
  EXPECT_GE(bounds.errors[0], 100 * 0.1 * 0x1p-24);
  EXPECT_LE(bounds.errors[0], 100 * 10 * 0x1p-24);
}

/// A product of 1 x 4 and 4 x 1 with what it is added to.
template <typename Float>
static BoundedElements boundsOfProduct(std::vector<Float> a, std::vector<Float> b, Float acc) {
  std::vector<Float> first{acc}, c(1);
  std::string kernel =
      R"(func.func @k(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>, %pf: !tile.ptr<f32>, %pc: !tile.ptr<f32>) {
    %zero = arith.constant 0 : index
    %va = tile.make_view %pa, [1, 4], [4, 1] : !tile.ptr<f32> -> !tile.view<1x4xf32>
    %vb = tile.make_view %pb, [4, 1], [1, 1] : !tile.ptr<f32> -> !tile.view<4x1xf32>
    %vf = tile.make_view %pf, [1, 1], [1, 1] : !tile.ptr<f32> -> !tile.view<1x1xf32>
    %vc = tile.make_view %pc, [1, 1], [1, 1] : !tile.ptr<f32> -> !tile.view<1x1xf32>
    %a = tile.load %va[%zero :+ 1, %zero :+ 4] : !tile.view<1x4xf32>, (index, index) -> tensor<1x4xf32>
    %b = tile.load %vb[%zero :+ 4, %zero :+ 1] : !tile.view<4x1xf32>, (index, index) -> tensor<4x1xf32>
    %f = tile.load %vf[%zero :+ 1, %zero :+ 1] : !tile.view<1x1xf32>, (index, index) -> tensor<1x1xf32>
    %r = tile.dot ieee signed %a, %b, %f : tensor<1x4xf32>, tensor<4x1xf32>, tensor<1x1xf32>
    tile.store %r, %vc[%zero :+ 1, %zero :+ 1] : tensor<1x1xf32>, !tile.view<1x1xf32>, (index, index)
    return
  })";
  for (size_t at; sizeof(Float) == 8 && (at = kernel.find("f32")) != std::string::npos;)
    kernel.replace(at, 3, "f64");
  Launch launch(kernel);
  launch.in(a).in(b).in(first).out(c);
  return launch.bounds().buffers[3];
}

TEST(Bounds, AreInfiniteWhereAPartialSumOfAProductMayOverflow) {
  std::vector<float> ones(4, 1);
  // Each is finite together with its neighbour; the two of one sign are not.
  EXPECT_EQ(boundsOfProduct<float>({2e38f, 2e38f, -2e38f, -2e38f}, ones, 0).errors[0], INFINITY);
  EXPECT_EQ(boundsOfProduct<float>({2e38f, 0, -2e38f, 0}, ones, 2e38f).errors[0], INFINITY);
  EXPECT_LT(boundsOfProduct<float>({1e37f, 1e37f, -1e37f, -1e37f}, ones, 0).errors[0], 1e33);
}

TEST(Bounds, InfinityInAProductIsExactUnlessTheRestOverflows) {
  std::vector<float> ones(4, 1);
  BoundedElements plain = boundsOfProduct<float>({-INFINITY, 1, 2, 3}, ones, 0);
  EXPECT_EQ(plain.values[0], -INFINITY);
  EXPECT_EQ(plain.errors[0], 0);
  EXPECT_EQ(boundsOfProduct<float>({-INFINITY, 2e38f, 2e38f, 0}, ones, 0).errors[0], INFINITY);
  EXPECT_EQ(boundsOfProduct<float>({-INFINITY, INFINITY, 2e38f, 2e38f}, ones, 0).errors[0], 0);
}

TEST(Bounds, AProductThatNoFloatHoldsIsNoInfinityOfTheKernel) {
  std::vector<double> large(4, 1e200);
  EXPECT_EQ(boundsOfProduct<double>({1e200, 1e200, 1, 1}, large, 0).errors[0], INFINITY);
  EXPECT_EQ(boundsOfProduct<double>({1e200, -1e200, 1, 1}, large, 0).errors[0], INFINITY);
  // Which of its kind the other terms meet is open; NaN is what they leave it.
  EXPECT_EQ(boundsOfProduct<double>({1e200, -INFINITY, 1, 1}, large, 0).errors[0], INFINITY);
  EXPECT_EQ(boundsOfProduct<double>({1e200, -INFINITY, INFINITY, 1}, large, 0).errors[0], 0);
  EXPECT_EQ(boundsOfProduct<double>({-INFINITY, 1, 2, 3}, large, 0).errors[0], 0);
}
