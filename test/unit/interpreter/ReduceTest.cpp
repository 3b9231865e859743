/// Reductions: extents, axes, several operands, combiners that are not elementwise.
#include "test/unit/interpreter/Launch.h"

#include <cmath>

using namespace tile;

/// The sum along `axis` of a tile of 3 x `extent` x 2 of i32 that counts from 0.
static std::vector<int32_t> sums(int64_t extent, int axis) {
  std::vector<int64_t> shape = {3, extent, 2};
  std::string tile = "3x" + std::to_string(extent) + "x2xi32";
  shape.erase(shape.begin() + axis);
  std::string reduced = std::to_string(shape[0]) + "x" + std::to_string(shape[1]) + "xi32";
  std::vector<int32_t> a(6 * extent), out(shape[0] * shape[1], -1);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = i;
  Launch launch("func.func @k(%pa: !tile.ptr<i32>, %po: !tile.ptr<i32>) {\n"
                "%zero = arith.constant 0 : index\n"
                "%va = tile.make_view %pa, [3, " +
                std::to_string(extent) + ", 2], [" + std::to_string(2 * extent) +
                ", 2, 1] : !tile.ptr<i32> -> !tile.view<" + tile +
                ">\n"
                "%vo = tile.make_view %po, [" +
                std::to_string(shape[0]) + ", " + std::to_string(shape[1]) + "], [" + std::to_string(shape[1]) +
                ", 1] : !tile.ptr<i32> -> !tile.view<" + reduced +
                ">\n"
                "%x = tile.load %va[%zero :+ 3, %zero :+ " +
                std::to_string(extent) + ", %zero :+ 2] : !tile.view<" + tile + ">, (index, index, index) -> tensor<" +
                tile +
                ">\n"
                "%s = tile.reduce %x axis " +
                std::to_string(axis) + " : tensor<" + tile + "> -> tensor<" + reduced +
                "> {\n^bb0(%a: i32, %b: i32):\n%c = arith.addi %a, %b : i32\ntile.yield %c : i32\n}\n"
                "tile.store %s, %vo[%zero :+ " +
                std::to_string(shape[0]) + ", %zero :+ " + std::to_string(shape[1]) + "] : tensor<" + reduced +
                ">, !tile.view<" + reduced + ">, (index, index)\nreturn\n}");
  launch.in(a).out(out).runClean();
  return out;
}

TEST(Reduce, SumsAlongEveryAxisAtEveryExtent) {
  for (int64_t extent : {1, 2, 3, 7, 8, 127}) {
    std::vector<int32_t> expected[3] = {std::vector<int32_t>(extent * 2), std::vector<int32_t>(6),
                                        std::vector<int32_t>(3 * extent)};
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < extent; ++j)
        for (int64_t k = 0; k < 2; ++k) {
          int32_t x = (i * extent + j) * 2 + k;
          expected[0][j * 2 + k] += x;
          expected[1][i * 2 + k] += x;
          expected[2][i * extent + j] += x;
        }
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_EQ(sums(extent, axis), expected[axis]) << extent << ", axis " << axis;
  }
}

/// Runs `combiner` on seven floats and their positions; gives the value and the position that are left.
static std::pair<float, int32_t> reduceSeven(std::vector<float> x, const std::string &combiner) {
  std::vector<float> value(1);
  std::vector<int32_t> position(1);
  Launch launch(R"mlir(
func.func @k(%px: !tile.ptr<f32>, %pv: !tile.ptr<f32>, %pp: !tile.ptr<i32>) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %vx = tile.make_view %px, [7], [1] : !tile.ptr<f32> -> !tile.view<7xf32>
  %x = tile.load %vx[%zero :+ 7] : !tile.view<7xf32>, (index) -> tensor<7xf32>
  %i = tile.iota : tensor<7xi32>
  %v, %p = tile.reduce %x, %i axis 0 : tensor<7xf32>, tensor<7xi32> -> f32, i32 {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
  )mlir" + combiner +
                R"mlir(
    tile.yield %c, %ci : f32, i32
  }
  tile.store_ptr %v, %pv : f32, !tile.ptr<f32>
  tile.store_ptr %p, %pp : i32, !tile.ptr<i32>
  return
})mlir");
  launch.in(x).out(value).out(position).runClean();
  return {value[0], position[0]};
}

static const char *kArgMax = R"mlir(
    %nan = arith.cmpf uno, %a, %a : f32
    %above = arith.cmpf ogt, %a, %b : f32
    %equal = arith.cmpf oeq, %a, %b : f32
    %before = arith.cmpi slt, %ai, %bi : i32
    %first = arith.andi %equal, %before : i1
    %wins = arith.ori %above, %first : i1
    %takes = arith.ori %wins, %nan : i1
    %c = arith.select %takes, %a, %b : f32
    %ci = arith.select %takes, %ai, %bi : i32)mlir";

TEST(Reduce, SeveralOperandsReduceTogether) {
  EXPECT_EQ(reduceSeven({1, 5, 3, 5, -1, 0, 5}, kArgMax), (std::pair<float, int32_t>(5, 1)));
  EXPECT_EQ(reduceSeven({1, 1, 1, 1, 1, 1, 2}, kArgMax), (std::pair<float, int32_t>(2, 6)));
}

TEST(Reduce, ACombinerMayBranchAndReadWhatIsOutsideIt) {
  const char *combiner = R"mlir(
    %above = arith.cmpf ogt, %a, %b : f32
    %c, %ci = scf.if %above -> (f32, i32) {
      scf.yield %a, %ai : f32, i32
    } else {
      scf.yield %b, %bi : f32, i32
    })mlir";
  EXPECT_EQ(reduceSeven({1, 2, 3, 9, 5, 6, 7}, combiner), (std::pair<float, int32_t>(9, 3)));
  // a + b - 2 over all pairs: the sum less 2 for each of the six combinations.
  const char *outside = R"mlir(
    %s = arith.addf %a, %b : f32
    %c = arith.subf %s, %two : f32
    %k = arith.constant 1 : i32
    %t = arith.addi %ai, %bi : i32
    %ci = arith.addi %t, %k : i32)mlir";
  EXPECT_EQ(reduceSeven({1, 2, 3, 4, 5, 6, 7}, outside), (std::pair<float, int32_t>(28 - 12, 21 + 6)));
}

TEST(Reduce, MaximumPropagatesNaNAndMaxNumIgnoresIt) {
  auto reduce = [](const std::string &op) {
    return reduceSeven({1, NAN, 3, 4, 5, 6, 7}, "%c = arith." + op + " %a, %b : f32\n %ci = arith.addi %ai, %bi : i32")
        .first;
  };
  EXPECT_TRUE(std::isnan(reduce("maximumf")));
  EXPECT_EQ(reduce("maxnumf"), 7);
  EXPECT_EQ(reduce("minnumf"), 1);
}
