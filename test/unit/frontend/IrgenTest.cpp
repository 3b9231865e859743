// From programs to tile IR: kernels, their arguments and contracts.
#include "Generating.h"

#include "gtest/gtest.h"

using namespace tile;
using namespace tile::test;

static const char *const kSoftmax = R"(import std
@heuristic(BLOCK = next_pow2(N), warps = 4)
kernel softmax<BLOCK: int>(x: tensor<f32>[M, N], out y: tensor<f32>[M, N]) grid [M] where N > 0 {
    let row = program_id(0)
    let v = x[row, 0 :+ BLOCK] else -inf
    let e = exp(v - max(v))
    y[row, 0 :+ BLOCK] = e * (1 / sum(e))
}
)";

TEST(Kernel, ArgumentsAreTheAbi) {
  Generated softmax(kSoftmax, with({{"N", "1000"}}));
  ASSERT_TRUE(softmax.module) << softmax.errors();
  EXPECT_TRUE(softmax.has({"func.func @softmax(%arg0: !tile.ptr<f32>, %arg1: index, %arg2: index, %arg3: index, "
                           "%arg4: !tile.ptr<f32>, %arg5: index)"}))
      << softmax.ir();
  EXPECT_TRUE(softmax.has({"abi = [{pointer = \"x\"}, {dim = \"M\"}, {dim = \"N\"}, {axis = 0 : i64, stride = \"x\"}, "
                           "{pointer = \"y\"}, {axis = 0 : i64, stride = \"y\"}]"}))
      << softmax.ir();
}

TEST(Kernel, PlainTensorsAreConstantViews) {
  Generated softmax(kSoftmax, with({{"N", "1000"}}));
  EXPECT_TRUE(softmax.has({"tile.make_view %arg0, [%arg1, %arg2], [%arg3, 1] : <f32> -> <?x?xf32, constant>",
                           "tile.make_view %arg4, [%arg1, %arg2], [%arg5, 1] : <f32> -> <?x?xf32>"}))
      << softmax.ir();
}

TEST(Kernel, HeuristicsGiveValuesAndAreKept) {
  Generated softmax(kSoftmax, with({{"N", "1000"}}));
  EXPECT_TRUE(softmax.has({"{expr = [\"N\", \"next_pow2\"], name = \"BLOCK\", source = \"heuristic\", type = \"int\", "
                           "value = 1024 : i64}"}))
      << softmax.ir();
  EXPECT_TRUE(softmax.has({"tile.schedule = {warps = 4 : i64}"})) << softmax.ir();
}

TEST(Kernel, GivenValuesComeFirst) {
  Generated softmax(kSoftmax, with({{"BLOCK", "256"}, {"warps", "8"}}));
  ASSERT_TRUE(softmax.module) << softmax.errors();
  EXPECT_TRUE(softmax.has({"source = \"given\", type = \"int\", value = 256 : i64"})) << softmax.ir();
  EXPECT_TRUE(softmax.has({"tile.schedule = {warps = 8 : i64}"})) << softmax.ir();
}

TEST(Kernel, WhereAndGridArePostfix) {
  Generated softmax(kSoftmax, with({{"N", "1000"}}));
  EXPECT_TRUE(softmax.has({"grid = [[\"M\"]]"})) << softmax.ir();
  EXPECT_TRUE(softmax.has({"where = [{expr = [\"N\", 0, \">\"], text = \"N > 0\"}]"})) << softmax.ir();
}

TEST(Kernel, ReductionsHaveARegion) {
  Generated softmax(kSoftmax, with({{"N", "1000"}}));
  EXPECT_TRUE(softmax.has({"tile.reduce", "arith.maximumf", "tile.yield", "tile.reduce", "arith.addf", "tile.yield"}))
      << softmax.ir();
}

TEST(Kernel, LocationsNameTheSource) {
  Generated k(kernelAround("  y[0 :+ B] = x[0 :+ B]"));
  ASSERT_TRUE(k.module) << k.errors();
  bool isFound = false;
  k.module->walk([&](mlir::Operation *op) {
    if (op->getName().getStringRef() != "tile.load")
      return;
    auto location = llvm::cast<mlir::FileLineColLoc>(op->getLoc());
    isFound = true;
    EXPECT_EQ(location.getFilename().str(), "t.tile");
    EXPECT_EQ(location.getLine(), 2u);
    EXPECT_EQ(location.getColumn(), 15u);
  });
  EXPECT_TRUE(isFound);
}

TEST(Kernel, ExpandedFunctionsKeepTheirCallSite) {
  Generated k("fn twice(v) { v + v }\n" + kernelAround("  y[0 :+ B] = twice(x[0 :+ B])"));
  ASSERT_TRUE(k.module) << k.errors();
  unsigned found = 0;
  k.module->walk([&](mlir::arith::AddFOp op) {
    auto location = llvm::cast<mlir::CallSiteLoc>(op.getLoc());
    EXPECT_EQ(llvm::cast<mlir::FileLineColLoc>(location.getCallee()).getLine(), 1u);
    EXPECT_EQ(llvm::cast<mlir::FileLineColLoc>(location.getCaller()).getLine(), 3u);
    ++found;
  });
  EXPECT_EQ(found, 1u);
}

TEST(Matmul, AnAddOfAProductIsItsAccumulator) {
  Generated k(R"(kernel k(a: tensor<bf16>[M, K], b: tensor<bf16>[K, N], out c: tensor<f32>[M, N]) grid [1] {
    var acc = zeros<f32>[64, 32]
    for i in 0 .. K step 16 { acc += a[0 :+ 64, i :+ 16] @ b[i :+ 16, 0 :+ 32] }
    c[0 :+ 64, 0 :+ 32] = acc
}
)");
  ASSERT_TRUE(k.module) << k.errors();
  EXPECT_TRUE(k.has({"scf.for", "iter_args(", "tile.dot", "scf.yield"})) << k.ir();
  EXPECT_EQ(k.count("arith.addf"), 0u) << k.ir();
}

TEST(Matmul, WhatIsAddedIsRepeatedToItsShape) {
  Generated k(
      R"(kernel k(a: tensor<f16>[M, K], b: tensor<f16>[K, N], v: tensor<f32>[N], out c: tensor<f32>[M, N]) grid [1] {
    c[0 :+ 16, 0 :+ 32] = a[0 :+ 16, 0 :+ 16] @ b[0 :+ 16, 0 :+ 32] + v[0 :+ 32][None, :]
}
)");
  ASSERT_TRUE(k.module) << k.errors();
  EXPECT_TRUE(k.has({"tile.broadcast", "tensor<1x32xf32> -> tensor<16x32xf32>", "tile.dot"})) << k.ir();
  EXPECT_EQ(k.count("arith.addf"), 0u) << k.ir();
}

TEST(Matmul, WhatIsWiderThanTheProductIsAddedAfterIt) {
  Generated k(
      R"(kernel k(a: tensor<f16>[M, K], b: tensor<f16>[K, N], v: tensor<f64>[M, N], out c: tensor<f64>[M, N]) grid [1] {
    c[0 :+ 16, 0 :+ 32] = v[0 :+ 16, 0 :+ 32] + a[0 :+ 16, 0 :+ 16] @ b[0 :+ 16, 0 :+ 32]
}
)");
  ASSERT_TRUE(k.module) << k.errors();
  EXPECT_TRUE(k.has({"tile.dot", "arith.extf", "arith.addf"})) << k.ir();
}

TEST(Reduce, AFunctionCombinesOneOrSeveralTiles) {
  Generated k(R"(kernel k(x: tensor<f32>[N], out y: tensor<f32>[2]) grid [1] {
    let v = x[0 :+ 8]
    y[0] = reduce(v, fn(a, b) => a * b)
    let (p, _) = reduce((v, v), fn(a, b) => {
        let (a0, a1) = a
        let (b0, b1) = b
        (min(a0, b0), max(a1, b1))
    })
    y[1] = p
}
)");
  ASSERT_TRUE(k.module) << k.errors();
  EXPECT_TRUE(k.has({"tile.reduce", "arith.mulf", "tile.reduce", "arith.minimumf", "arith.maximumf", "tile.yield"}))
      << k.ir();
}

TEST(Shape, AnOrderCountsFromZero) {
  Generated k(R"(kernel k(x: tensor<f32>[M, N], out y: tensor<f32>[N, M]) grid [1] {
    y[0 :+ 8, 0 :+ 4] = x[0 :+ 4, 0 :+ 8].permute([1, 0])
}
)");
  ASSERT_TRUE(k.module) << k.errors();
  EXPECT_TRUE(k.has({"tile.permute", "[1, 0]"})) << k.ir();
}

TEST(Files, AFileMayBeNamedLikeTheStandardLibrary) {
  Generated k("import std\n" + kernelAround("  y[0 :+ B] = relu(x[0 :+ B])"), {}, "std.tile");
  ASSERT_TRUE(k.module) << k.errors();
  EXPECT_TRUE(k.has({"arith.maximumf"})) << k.ir();
}

TEST(Views, StopAtTheirBounds) {
  Generated k("kernel k(cu: tensor<i32>[B + 1], x: tensor<f32>[M, H, D], out y: tensor<f32>[M, D]) grid [B] {\n"
              "let b = program_id(0)\nlet xs = x[cu[b] .. cu[b + 1], 3, ..]\ny[0 :+ 8, 0 :+ 4] = xs[0 :+ 8, 0 :+ 4]\n"
              "let column = x[.., 0, 1]\ny[0 :+ 8, 0] = column[0 :+ 8]\n}\n");
  EXPECT_TRUE(k.has({"tile.subview", "kept [true, false, true]", "-> <?x?xf32, constant>", "tile.subview",
                     "kept [true, false, false]", "-> <?xf32, strided, constant>"}))
      << k.ir() << k.errors();
}

TEST(Gather, TilesOfPositionsBroadcast) {
  Generated k("kernel k(page: tensor<i32>[N], x: tensor<f32>[P, 16, D], out y: tensor<f32>[N, D]) grid [1] {\n"
              "let n = iota<i32>[32]\ny[0 :+ 32, 0 :+ 8] = x[page[n], n % 16, 0 :+ 8]\n}\n");
  EXPECT_TRUE(k.has({"tile.load", "gather", "tensor<32xi32>", "gather", "gather", ":+ 8]", "-> tensor<32x8xf32>"}))
      << k.ir() << k.errors();
}

TEST(Constants, TilesOfThemAreOneConstant) {
  Generated k("const TABLE: tile<f32>[2, 2] = [[-1.0, 0], [0.5, 1]]\nkernel k(out y: tensor<f32>[2, 2]) grid [1] {\n"
              "y[:, :] = TABLE\n}\n");
  EXPECT_TRUE(
      k.has({"arith.constant dense<", "-1.000000e+00, 0.000000e+00", "5.000000e-01, 1.000000e+00", "tile.store"}))
      << k.ir() << k.errors();
}

TEST(Literals, TakeTheTypeOfTheOtherOperand) {
  Generated k(
      "const HALF = 0.5\nkernel k<S: int = 3>(x: tensor<f16>[N], n: tensor<i8>[N], out y: tensor<f16>[N]) grid [1] {\n"
      "y[0 :+ 8] = x[0 :+ 8] * HALF + S * 1\nlet m = n[0 :+ 8] * S\n}\n");
  EXPECT_TRUE(
      k.has({"dense<5.000000e-01> : tensor<8xf16>", "dense<3.000000e+00> : tensor<8xf16>", "dense<3> : tensor<8xi8>"}))
      << k.ir() << k.errors();
}

TEST(Equalities, EndWithTheBranchThatSaysThem) {
  Generated k("kernel k<BM: int = 64, BN: int = 64>(x: tensor<f32>[N], out y: tensor<f32>[N]) grid [1] {\n"
              "static if BM == BN { y[0 :+ BM] = x[0 :+ BN] }\ny[0 :+ BM] = x[0 :+ BN]\n}\n");
  EXPECT_EQ(k.engine.errorCount(), 1u) << k.errors();
  EXPECT_NE(k.errors().find("t.tile:3:"), std::string::npos) << k.errors();
}

TEST(Equalities, ExtentsAreComparedAsPolynomials) {
  Generated k("fn doubled<B: int>(v: tile<f32>[B]) { zeros<f32>[2 * B] }\n"
              "kernel k<BM: int = 64>(x: tensor<f32>[N], out y: tensor<f32>[N]) grid [1] {\n"
              "y[0 :+ BM + BM] = doubled(x[0 :+ BM])\ny[0 :+ (BM * 4) / 2] = doubled(x[0 :+ BM])\n}\n");
  EXPECT_TRUE(k.module) << k.errors();
}

/// Doubling line by line what an expression is made of does not double the work.
TEST(Equalities, PowersAndNestedCallsStaySmall) {
  for (const char *step : {"a * a", "max(a, a)", "a / a + a", "a + a * 2", "a % (a + 1)"}) {
    std::string text = "kernel k<K: int = 1>(out y: tensor<i32>[]) grid [1] {\n    let x0 = K\n";
    for (int i = 0; i < 60; ++i) {
      std::string body = step, from = "x" + std::to_string(i);
      for (size_t at = 0; (at = body.find("a", at)) != std::string::npos; at += from.size())
        if (at == 0 || !std::isalpha(body[at - 1]))
          body.replace(at, 1, from);
      text += "    let x" + std::to_string(i + 1) + " = (" + body + ") % 7\n";
    }
    Generated k(text + "    y[] = x60\n}\n");
    EXPECT_TRUE(k.module) << k.errors();
  }
}
