/// Ops that make tiles and move elements, at shapes that are no powers of two.
#include "test/unit/interpreter/Launch.h"

using namespace tile;

/// Runs `body`, which makes `%t` of `type` from `%x`, a tile of 2 x 3 x 5 that counts from 0, and gives the elements.
static std::vector<int32_t> elementsOf(const std::string &body, const std::string &type, int64_t count) {
  std::vector<int32_t> x(30), out(count, -1);
  for (int i = 0; i < 30; ++i)
    x[i] = i;
  std::string kernel = R"mlir(
func.func @k(%px: !tile.ptr<i32>, %po: !tile.ptr<i32>) {
  %zero = arith.constant 0 : index
  %vx = tile.make_view %px, [2, 3, 5], [15, 5, 1] : !tile.ptr<i32> -> !tile.view<2x3x5xi32>
  %x = tile.load %vx[%zero :+ 2, %zero :+ 3, %zero :+ 5] : !tile.view<2x3x5xi32>, (index, index, index) -> tensor<2x3x5xi32>
  )mlir" + body + R"mlir(
  %flat = tile.reshape %t : )mlir" +
                       type + " -> tensor<" + std::to_string(count) + R"mlir(xi32>
  %vo = tile.make_view %po, [)mlir" +
                       std::to_string(count) + "], [1] : !tile.ptr<i32> -> !tile.view<" + std::to_string(count) +
                       R"mlir(xi32>
  tile.store %flat, %vo[%zero :+ )mlir" +
                       std::to_string(count) + "] : tensor<" + std::to_string(count) + "xi32>, !tile.view<" +
                       std::to_string(count) + R"mlir(xi32>, (index)
  return
})mlir";
  Launch launch(kernel);
  launch.in(x).out(out).runClean();
  return out;
}

TEST(Shape, PermutePutsTheNamedDimOfTheOperandThere) {
  auto out =
      elementsOf("%t = tile.permute %x [2, 0, 1] : tensor<2x3x5xi32> -> tensor<5x2x3xi32>", "tensor<5x2x3xi32>", 30);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 3; ++k)
        EXPECT_EQ(out[(i * 2 + j) * 3 + k], (j * 3 + k) * 5 + i);
}

TEST(Shape, PermuteBackGivesTheOperand) {
  auto out = elementsOf(R"mlir(
  %u = tile.permute %x [1, 2, 0] : tensor<2x3x5xi32> -> tensor<3x5x2xi32>
  %t = tile.permute %u [2, 0, 1] : tensor<3x5x2xi32> -> tensor<2x3x5xi32>)mlir",
                        "tensor<2x3x5xi32>", 30);
  for (int i = 0; i < 30; ++i)
    EXPECT_EQ(out[i], i);
}

TEST(Shape, BroadcastRepeatsAlongDimsOfExtentOne) {
  auto out = elementsOf(R"mlir(
  %i = tile.iota : tensor<7xi32>
  %e = tile.expand_dims %i axis 1 : tensor<7xi32> -> tensor<7x1xi32>
  %t = tile.broadcast %e : tensor<7x1xi32> -> tensor<7x3xi32>)mlir",
                        "tensor<7x3xi32>", 21);
  for (int i = 0; i < 21; ++i)
    EXPECT_EQ(out[i], i / 3);
  out = elementsOf(R"mlir(
  %i = tile.iota : tensor<7xi32>
  %e = tile.expand_dims %i axis 0 : tensor<7xi32> -> tensor<1x7xi32>
  %t = tile.broadcast %e : tensor<1x7xi32> -> tensor<3x7xi32>)mlir",
                   "tensor<3x7xi32>", 21);
  for (int i = 0; i < 21; ++i)
    EXPECT_EQ(out[i], i % 7);
}

TEST(Shape, SplatFillsEveryElement) {
  auto out =
      elementsOf("%c = arith.constant -9 : i32\n  %t = tile.splat %c : i32 -> tensor<127xi32>", "tensor<127xi32>", 127);
  EXPECT_EQ(out, std::vector<int32_t>(127, -9));
}

TEST(Shape, ReshapeKeepsRowMajorOrderAndItsOperandAlive) {
  auto out = elementsOf(R"mlir(
  %r = tile.reshape %x : tensor<2x3x5xi32> -> tensor<5x6xi32>
  %u = arith.addi %x, %x : tensor<2x3x5xi32>
  %s = tile.reshape %u : tensor<2x3x5xi32> -> tensor<5x6xi32>
  %t = arith.subi %s, %r : tensor<5x6xi32>)mlir",
                        "tensor<5x6xi32>", 30);
  for (int i = 0; i < 30; ++i)
    EXPECT_EQ(out[i], i);
}

TEST(Shape, ConstantTilesKeepTheirElements) {
  auto out = elementsOf("%t = arith.constant dense<[[1, 2, 3], [-4, 5, 6]]> : tensor<2x3xi32>", "tensor<2x3xi32>", 6);
  EXPECT_EQ(out, (std::vector<int32_t>{1, 2, 3, -4, 5, 6}));
}
