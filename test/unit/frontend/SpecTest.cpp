// Specs: the kernel's signature with known extents, whole tensors, every float an f64.
#include "Generating.h"

#include "gtest/gtest.h"

using namespace tile;
using namespace tile::test;

/// A spec `body` of a kernel with `x` (bf16, read), `y` (f32, written), `n` (i32, read) of extents [M, N], [M, N], [M].
static std::string around(const std::string &body) {
  return "import std\n"
         "kernel k<T: type = bf16>(x: tensor<T>[M, N], out y: tensor<f32>[M, N], n: tensor<i32>[M], s: f32, "
         "w: tensor<f32>[N]?) grid [1] { }\n"
         "spec k {\n" +
         body + "\n}\n";
}

static std::map<std::string, std::string> dims() { return {{"M", "4"}, {"N", "8"}}; }

static Generated specOf(const std::string &body) {
  return Generated(around(body), with(dims()), "t.tile", Generated::What::Specs);
}

TEST(Spec, PassesPointersAndScalarsWithFloatsAsF64) {
  Generated spec = specOf("    y = x");
  ASSERT_TRUE(spec.module) << spec.errors();
  EXPECT_TRUE(spec.has({"func.func @k(%arg0: !tile.ptr<f64>, %arg1: !tile.ptr<f64>, %arg2: !tile.ptr<i32>, %arg3: f64, "
                        "%arg4: !tile.ptr<f64>)"}))
      << spec.ir();
  EXPECT_TRUE(spec.has({"grid = [[1]]", "dtype = \"f64\", extents = [[4], [8]]"})) << spec.ir();
}

TEST(Spec, ANameIsTheWholeTensor) {
  Generated spec = specOf("    y = x * s");
  EXPECT_TRUE(spec.has({"tile.load", ":+ 4", ":+ 8", "tensor<4x8xf64>", "arith.mulf", "tile.store", "tensor<4x8xf64>"}))
      << spec.ir() << spec.errors();
}

TEST(Spec, RegionsAndGathersAreOrdinaryAccesses) {
  Generated spec = specOf("    for i in 0 .. M { y[i, :] = x[n[i], :] }\n    y = x[n, :]");
  EXPECT_TRUE(spec.has({"scf.for", "tile.store", "tensor<8xf64>", "gather", "tensor<4x8xf64>"}))
      << spec.ir() << spec.errors();
}

TEST(Spec, CastsToFloatAreTheIdentity) {
  Generated spec = specOf("    y = ((x as bf16) as f32) + (n as f32)[:, None]");
  ASSERT_TRUE(spec.module) << spec.errors();
  EXPECT_EQ(spec.count("truncf"), 0u) << spec.ir();
  EXPECT_TRUE(spec.has({"arith.sitofp", "tensor<4xf64>"})) << spec.ir();
}

TEST(Spec, RoundToRounds) {
  Generated spec = specOf("    y = round_to<T>(x * s)");
  EXPECT_TRUE(spec.has({"arith.truncf", "to tensor<4x8xbf16>", "arith.extf", "to tensor<4x8xf64>"}))
      << spec.ir() << spec.errors();
}

TEST(Spec, ReductionsAndProductsAreF64) {
  Generated spec = specOf("    y = sum(x, axis = 1, keep = true) * (x @ x.T @ x)");
  ASSERT_TRUE(spec.module) << spec.errors();
  EXPECT_EQ(spec.count("xf32"), 0u) << spec.ir();
  EXPECT_TRUE(spec.has({"tile.dot", "tensor<4x4xf64>"})) << spec.ir();
}

TEST(Spec, HelpersTakeWholeTensors) {
  Generated spec = Generated("fn half(v) { v * 0.5 }\nfn row(t: tensor<f32>[_, _], i) { t[i, :] }\n" +
                                 around("    y = half(x)\n    y[0, :] = row(x, 1)"),
                             with(dims()), "t.tile", Generated::What::Specs);
  EXPECT_TRUE(spec.module) << spec.errors();
}

TEST(Spec, AbsentParametersAreNotPassed) {
  auto values = dims();
  values["has(w)"] = "false";
  Generated spec(around("    y = x\n    static if has(w) { y = x + w[None, :] }"), with(values), "t.tile",
                 Generated::What::Specs);
  ASSERT_TRUE(spec.module) << spec.errors();
  EXPECT_EQ(spec.count("arith.addf"), 0u);
  EXPECT_TRUE(spec.has({"%arg3: f64) attributes"})) << spec.ir();
}

TEST(Spec, ATensorTakesANewDim) {
  Generated spec = specOf("    y = x * w[None, :] + (n as f32)[:, None]");
  EXPECT_TRUE(spec.has({"tile.load", "tile.expand_dims", "tensor<1x8xf64>"})) << spec.ir() << spec.errors();
}

TEST(Spec, AnEpilogueTakesWholeTensors) {
  Generated spec(
      "import std\nkernel k<B: int = 64, EPILOGUE: fn(tile<f32>[B, B], index) -> tile<f32>[B, B] = identity>(\n"
      "x: tensor<f32>[M, N], out y: tensor<f32>[M, N]) grid [1] { }\nspec k { y = EPILOGUE(x, 0) }\n",
      with(dims()), "t.tile", Generated::What::Specs);
  EXPECT_TRUE(spec.module) << spec.errors();
}

TEST(Spec, APointerIsATensorOfTheGivenSize) {
  std::string text = "kernel k(p: ptr<f32>, x: tensor<f32>[N]) grid [1] { }\nspec k { p = x * 2\np[0] = 1 }\n";
  IrgenOptions options = with({{"N", "8"}});
  ast::Name size(SourceRange{});
  size.text = "N";
  options.pointerSizes["p"] = &size;
  Generated spec(text, options, "t.tile", Generated::What::Specs);
  EXPECT_TRUE(spec.has({"kind = \"tensor\", name = \"p\", role = \"inout\"", "tile.store", "tensor<8xf64>"}))
      << spec.ir() << spec.errors();
  Generated unknown(text, with({{"N", "8"}}), "t.tile", Generated::What::Specs);
  EXPECT_NE(unknown.errors().find("nothing says how many elements `p` points to"), std::string::npos)
      << unknown.errors();
}

TEST(Spec, NeedsEveryExtent) {
  Generated spec(around("    y = x"), with({{"M", "4"}}), "t.tile", Generated::What::Specs);
  EXPECT_NE(spec.errors().find("dim `N` has no value; a spec needs every extent"), std::string::npos) << spec.errors();
}

TEST(Spec, HoldsForEveryShapeNotByChance) {
  Generated spec(around("    y = x.T"), with({{"M", "8"}, {"N", "8"}}), "t.tile", Generated::What::Specs);
  EXPECT_NE(spec.errors().find("[E0202]"), std::string::npos) << spec.errors();
}
