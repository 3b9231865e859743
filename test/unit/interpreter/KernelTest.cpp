/// Whole kernels: a softmax and a tiled product, at extents that fill no tile.
#include "test/unit/interpreter/Kernels.h"
#include "test/unit/interpreter/Launch.h"

#include <cmath>

using namespace tile;

/// What a kernel left in `found` is within the bounds of the exact values, which are at most `widest` of the value.
static void expectWithin(const std::vector<float> &found, const BoundedElements &bounds, double widest) {
  ASSERT_EQ(found.size(), bounds.values.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_LE(std::abs(found[i] - bounds.values[i]), bounds.errors[i]) << i;
    ASSERT_LE(bounds.errors[i], widest * (1 + std::abs(bounds.values[i]))) << i;
  }
}

TEST(Kernel, SoftmaxOfRowsThatFillNoTile) {
  int64_t m = 7, n = 781;
  std::vector<float> x(m * n), y(m * n);
  for (int64_t i = 0; i < m * n; ++i)
    x[i] = std::sin(0.37 * i) * 5;
  Launch launch(softmaxKernel());
  launch.in(x).index(m).index(n).index(n).out(y).index(n);
  launch.options.uninitialized = launch.options.conflicts = true;
  launch.runClean({m, 1, 1});
  for (int64_t row = 0; row < m; ++row) {
    double sum = 0, max = *std::max_element(&x[row * n], &x[row * n] + n);
    for (int64_t i = 0; i < n; ++i)
      sum += std::exp(x[row * n + i] - max);
    for (int64_t i = 0; i < n; ++i)
      ASSERT_NEAR(y[row * n + i], std::exp(x[row * n + i] - max) / sum, 1e-7) << row << ", " << i;
  }
  expectWithin(y, launch.bounds({m, 1, 1}).buffers[1], 1e-4);
}

TEST(Kernel, ProductOfMatricesThatFillNoTile) {
  int64_t m = 65, n = 127, k = 41;
  std::vector<BFloat> a(m * k), b(k * n);
  std::vector<float> c(m * n);
  for (int64_t i = 0; i < m * k; ++i)
    a[i] = toBFloat(std::cos(0.7f * i));
  for (int64_t i = 0; i < k * n; ++i)
    b[i] = toBFloat(std::sin(0.3f * i));
  Launch launch(matmulKernel(32, 48, 16));
  launch.in(a).index(m).index(k).in(b).index(n).out(c);
  launch.options.uninitialized = launch.options.conflicts = true;
  launch.runClean({3, 3, 1});
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column) {
      double sum = 0;
      for (int64_t i = 0; i < k; ++i)
        sum += static_cast<double>(toFloat(a[row * k + i])) * toFloat(b[i * n + column]);
      ASSERT_NEAR(c[row * n + column], sum, 1e-5) << row << ", " << column;
    }
  expectWithin(c, launch.bounds({3, 3, 1}).buffers[2], 1e-3);
}
