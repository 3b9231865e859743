/// Whole kernels: a softmax and a tiled product, at extents that fill no tile.
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

static const char *kSoftmax = R"mlir(
func.func @softmax(%x: !tile.ptr<f32>, %m: index, %n: index, %sx: index, %y: !tile.ptr<f32>, %sy: index) {
  %vx = tile.make_view %x, [%m, %n], [%sx, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, constant>
  %vy = tile.make_view %y, [%m, %n], [%sy, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %row = tile.program_id 0
  %zero = arith.constant 0 : index
  %ninf = arith.constant 0xFF800000 : f32
  %v = tile.load %vx[%row, %zero :+ 1024] else %ninf : f32 : !tile.view<?x?xf32, constant>, (index, index) -> tensor<1024xf32>
  %max = tile.reduce %v axis 0 : tensor<1024xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  %maxes = tile.splat %max : f32 -> tensor<1024xf32>
  %d = arith.subf %v, %maxes : tensor<1024xf32>
  %e = math.exp %d : tensor<1024xf32>
  %sum = tile.reduce %e axis 0 : tensor<1024xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %sums = tile.splat %sum : f32 -> tensor<1024xf32>
  %q = arith.divf %e, %sums : tensor<1024xf32>
  tile.store %q, %vy[%row, %zero :+ 1024] : tensor<1024xf32>, !tile.view<?x?xf32>, (index, index)
  return
})mlir";

TEST(Kernel, SoftmaxOfRowsThatFillNoTile) {
  int64_t m = 7, n = 781;
  std::vector<float> x(m * n), y(m * n);
  for (int64_t i = 0; i < m * n; ++i)
    x[i] = std::sin(0.37 * i) * 5;
  Launch launch(kSoftmax);
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

static const char *kMatmul = R"mlir(
func.func @matmul(%a: !tile.ptr<bf16>, %m: index, %k: index, %b: !tile.ptr<bf16>, %n: index, %c: !tile.ptr<f32>) {
  %va = tile.make_view %a, [%m, %k], [%k, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16, constant>
  %vb = tile.make_view %b, [%k, %n], [%n, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16, constant>
  %vc = tile.make_view %c, [%m, %n], [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %zero = arith.constant 0 : index
  %step = arith.constant 16 : index
  %rows = arith.constant 32 : index
  %columns = arith.constant 48 : index
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m0 = arith.muli %pm, %rows : index
  %n0 = arith.muli %pn, %columns : index
  %none = arith.constant dense<0.0> : tensor<32x48xf32>
  %sum = scf.for %k0 = %zero to %k step %step iter_args(%acc = %none) -> tensor<32x48xf32> {
    %ta = tile.load %va[%m0 :+ 32, %k0 :+ 16] : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<32x16xbf16>
    %tb = tile.load %vb[%k0 :+ 16, %n0 :+ 48] : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<16x48xbf16>
    %next = tile.dot ieee signed %ta, %tb, %acc : tensor<32x16xbf16>, tensor<16x48xbf16>, tensor<32x48xf32>
    scf.yield %next : tensor<32x48xf32>
  }
  tile.store %sum, %vc[%m0 :+ 32, %n0 :+ 48] : tensor<32x48xf32>, !tile.view<?x?xf32>, (index, index)
  return
})mlir";

TEST(Kernel, ProductOfMatricesThatFillNoTile) {
  int64_t m = 65, n = 127, k = 41;
  std::vector<BFloat> a(m * k), b(k * n);
  std::vector<float> c(m * n);
  for (int64_t i = 0; i < m * k; ++i)
    a[i] = toBFloat(std::cos(0.7f * i));
  for (int64_t i = 0; i < k * n; ++i)
    b[i] = toBFloat(std::sin(0.3f * i));
  Launch launch(kMatmul);
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
