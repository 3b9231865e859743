// The signature of a kernel and its launch contract: extents, dims, optional and tuple parameters, instances.
#include "Generating.h"

#include "gtest/gtest.h"

using namespace tile;
using namespace tile::test;

static std::string kernel(const std::string &signature, const std::string &body = "") {
  return "import std\nkernel k" + signature + " {\n" + body + "\n}\n";
}

TEST(Extents, AreExpressionsWithADeclaringOccurrence) {
  Generated k(kernel("<G: int = 32>(cu: tensor<i32>[B + 1], s: tensor<f32>[K / G], x: tensor<f32>[2 * M], "
                     "y: tensor<f32>[K]) grid [B]"));
  ASSERT_TRUE(k.module) << k.errors();
  EXPECT_TRUE(k.has({"dims = [{axis = 0 : i64, expr = [\"extent\", 1, \"-\"], name = \"B\", parameter = \"cu\"}, "
                     "{axis = 0 : i64, name = \"K\", parameter = \"y\"}, "
                     "{axis = 0 : i64, expr = [\"extent\", 2, \"/\"], name = \"M\", parameter = \"x\"}]"}))
      << k.ir();
  EXPECT_TRUE(
      k.has({"extents = [[\"B\", 1, \"+\"]]", "extents = [[\"K\", \"G\", \"/\"]]", "extents = [[2, \"M\", \"*\"]]"}))
      << k.ir();
}

TEST(Extents, ComputedOnesAreComputedInTheKernel) {
  Generated k(kernel("(cu: tensor<i32>[B + 1]) grid [B]"));
  EXPECT_TRUE(k.has({"arith.addi %arg1, %c1", "tile.make_view %arg0"})) << k.ir() << k.errors();
}

TEST(Extents, CompileTimeOnesAreNotPassed) {
  Generated k(kernel("<D: int = 64>(x: tensor<f32>[N, D]) grid [N]"));
  EXPECT_TRUE(k.has({"(%arg0: !tile.ptr<f32>, %arg1: index, %arg2: index)", "name = \"D\", source = \"argument\"",
                     "name = \"D\", parameter = \"x\", value = 64", "tile.make_view %arg0, [%arg1, 64], [%arg2, 1]"}))
      << k.ir() << k.errors();
}

TEST(Strided, PassesEveryStride) {
  Generated k(kernel("(x: strided tensor<f32>[M, N]) grid [M]"));
  EXPECT_TRUE(
      k.has({"strided = true", "tile.make_view %arg0, [%arg1, %arg2], [%arg3, %arg4] : <f32> -> <?x?xf32, strided"}))
      << k.ir() << k.errors();
}

TEST(Optional, AnAbsentParameterPassesNothing) {
  std::string text = kernel("(x: tensor<f32>[N], w: tensor<f32>[N]?, s: f32?, out y: tensor<f32>[N]) grid [N]",
                            "static if has(w) { y[0] = w[0] } else { y[0] = x[0] }\nif has(s) && s > 1 { y[1] = s }");
  Generated absent(text, with({{"has(w)", "false"}, {"has(s)", "false"}}));
  ASSERT_TRUE(absent.module) << absent.errors();
  EXPECT_TRUE(absent.has({"(%arg0: !tile.ptr<f32>, %arg1: index, %arg2: !tile.ptr<f32>)",
                          "name = \"w\", optional = true, present = false"}))
      << absent.ir();
  Generated present(text);
  EXPECT_TRUE(present.has({"%arg2: !tile.ptr<f32>, %arg3: f32, %arg4: !tile.ptr<f32>"})) << present.ir();
}

TEST(Tuples, AreTakenApart) {
  Generated k(kernel("<E: type = ()>(x: tensor<f32>[N], e: E, out y: tensor<f32>[N]) grid [N]",
                     "let (bias, scale) = e\ny[0] = x[0] * scale + bias[0]"),
              with({{"E", "(tensor<bf16>[N], f32)"}}));
  ASSERT_TRUE(k.module) << k.errors();
  EXPECT_TRUE(k.has({"%arg2: !tile.ptr<bf16>, %arg3: f32", "{pointer = \"e.0\"}, {scalar = \"e.1\"}",
                     "dtype = \"bf16\"", "name = \"e.0\"", "name = \"e.1\""}))
      << k.ir();
}

TEST(Tuples, TheEmptyOnePassesNothing) {
  Generated k(kernel("<E: type = ()>(x: tensor<f32>[N], e: E) grid [N]"));
  EXPECT_TRUE(k.has({"(%arg0: !tile.ptr<f32>, %arg1: index) attributes"})) << k.ir() << k.errors();
}

TEST(Epilogue, IsAFunctionOfTheFile) {
  std::string text = "fn bias_relu(acc, m, n, bias) { relu(acc + bias[n :+ 32][None, :]) }\n" +
                     kernel("<E: type = (), EPILOGUE: fn(tile<f32>[16, 32], index, index, E) -> tile<f32>[16, 32] = "
                            "identity>(x: tensor<f32>[M, N], out y: tensor<f32>[M, N], e: E) grid [1]",
                            "y[0 :+ 16, 0 :+ 32] = EPILOGUE(x[0 :+ 16, 0 :+ 32], 0, 0, e)");
  text = "import std\n" + text.substr(0, text.find("import std\n")) + text.substr(text.find("kernel"));
  Generated plain(text);
  ASSERT_TRUE(plain.module) << plain.errors();
  EXPECT_EQ(plain.count("maximumf"), 0u);
  Generated fused(text, with({{"E", "tensor<f32>[N]"}, {"EPILOGUE", "bias_relu"}}));
  ASSERT_TRUE(fused.module) << fused.errors();
  EXPECT_TRUE(fused.has({"tile.expand_dims", "arith.addf", "arith.maximumf"})) << fused.ir();
}

TEST(Where, GivesFactsToArguments) {
  Generated k(kernel("(x: tensor<f32>[M, N]) grid [M] where N % 64 == 0 && M < 1024, N <= 4096"));
  EXPECT_TRUE(k.has({"%arg1: index {tile.maximum = 1023 : i64}, "
                     "%arg2: index {tile.divisibility = 64 : i64, tile.maximum = 4096 : i64}"}))
      << k.ir() << k.errors();
}

TEST(Where, FactsOfOneKindHoldTogether) {
  Generated k(kernel("(x: tensor<f32>[N]) grid [1] where N % 16 == 0, N % 24 == 0, N <= 64, N <= 4096"));
  EXPECT_TRUE(k.has({"{tile.divisibility = 48 : i64, tile.maximum = 64 : i64}"})) << k.ir() << k.errors();
}

TEST(Where, AliasOfSeveralIsThatOfEachPair) {
  Generated k(
      kernel("(x: tensor<f32>[N], t: (tensor<f32>[N], f32), out y: tensor<f32>[N]) grid [1] where alias(x, t, y)"));
  EXPECT_TRUE(k.has({"alias = [[\"x\", \"t.0\"], [\"x\", \"y\"], [\"t.0\", \"y\"]]"})) << k.ir() << k.errors();
}

TEST(Where, MakesNamesAgree) {
  std::string body = "y[0 :+ BM] = x[0 :+ BN]";
  std::string signature = "<BM: int = 64, BN: int = 64>(x: tensor<f32>[N], out y: tensor<f32>[N]) grid [1]";
  EXPECT_TRUE(Generated(kernel(signature + " where BM == BN", body)).module);
  Generated without(kernel(signature, body));
  EXPECT_NE(without.errors().find("[E0202]"), std::string::npos) << without.errors();
}

TEST(Alias, MakesAPlainTensorChange) {
  Generated k(kernel("(x: tensor<f32>[N], inout y: tensor<f32>[N]) grid [1] where alias(x, y)"));
  EXPECT_TRUE(k.has({"alias = [[\"x\", \"y\"]]", "tile.make_view %arg0, [%arg1], [1] : <f32> -> <?xf32>"}))
      << k.ir() << k.errors();
}

TEST(Instances, AreTheProductOfTheirLists) {
  Generated k("@instances(T = [bf16, f16], D = [64, 128])\n" +
              kernel("<T: type, D: int>(x: tensor<T>[N, D]) grid [N]").substr(11));
  ASSERT_TRUE(k.module) << k.errors();
  EXPECT_TRUE(k.has({"func.func @k(%arg0: !tile.ptr<bf16>", "value = 64", "func.func @k$2(%arg0: !tile.ptr<bf16>",
                     "value = 128", "func.func @k$3(%arg0: !tile.ptr<f16>", "func.func @k$4("}))
      << k.ir();
  Generated given("@instances(T = [bf16, f16], D = [64, 128])\n" +
                      kernel("<T: type, D: int>(x: tensor<T>[N, D]) grid [N]").substr(11),
                  with({{"D", "32"}}));
  EXPECT_EQ(given.count("func.func"), 2u) << given.ir();
}

TEST(Autotune, TheFirstConfigurationIsTaken) {
  Generated k("@autotune(space = {BM: [64, 128], stages: [3, 4]}, key = [N + 1], top = 8)\n" +
              kernel("<BM: int>(x: tensor<f32>[N]) grid [cdiv(N, BM)]").substr(11));
  EXPECT_TRUE(k.has({"name = \"BM\", source = \"autotune\", type = \"int\", value = 64", "name = \"stages\"",
                     "key = [[\"N\", 1, \"+\"]]", "top = 8", "tile.schedule = {stages = 3 : i64}"}))
      << k.ir() << k.errors();
}

TEST(Autotune, BucketsStandForDimsInTheKey) {
  std::string rest = kernel("<BM: int>(x: tensor<f32>[M, N], y: tensor<f32>[M]) grid [cdiv(M, BM)]").substr(11);
  Generated k("@autotune(configs = [{BM: 64}], key = [N % 64 == 0, 2 * M], bucket = next_pow2(M))\n" + rest);
  EXPECT_TRUE(k.has(
      {"tuning = {key = [[\"N\", 64, \"%\", 0, \"==\"], [2, \"M\", \"next_pow2\", \"*\"]], state = \"default\"}"}))
      << k.ir() << k.errors();
  Generated all("@autotune(configs = [{BM: 64}], bucket = [next_pow2(M)])\n" + rest);
  EXPECT_TRUE(all.has({"tuning = {key = [[\"M\", \"next_pow2\"], [\"N\"]], state = \"default\"}"}))
      << all.ir() << all.errors();
}

TEST(Autotune, TunedInstancesReplaceTheFirstConfiguration) {
  std::string source = "@autotune(space = {BM: [64, 128], stages: [3, 4]}, key = [N])\n@instances(T = [bf16, f16])\n" +
                       kernel("<T: type, BM: int>(x: tensor<T>[N]) grid [cdiv(N, BM)]").substr(11);
  IrgenOptions options;
  options.instances["k"] = {{{{"T", "f16"}},
                             {},
                             {{{"BM", "128"}, {"stages", "4"}}},
                             "measured",
                             "",
                             {{"NVIDIA H200", "fast", {4096}, "alone"}}},
                            {{{"T", "bf16"}}, {}, {}, "default", "nobody measured", {}}};
  Generated k(source, options);
  ASSERT_TRUE(k.module) << k.errors();
  EXPECT_TRUE(
      k.has({"func.func @k(%arg0: !tile.ptr<f16>", "name = \"BM\", source = \"autotune\", type = \"int\", value = 128",
             "tuning = {chosen = [{gpu = \"NVIDIA H200\", key = [4096], variant = \"fast\", why = \"alone\"}], "
             "key = [[\"N\"]], state = \"measured\"}",
             "tile.schedule = {stages = 4 : i64}", "func.func @k$2(%arg0: !tile.ptr<bf16>",
             "name = \"BM\", source = \"autotune\", type = \"int\", value = 64",
             "tuning = {key = [[\"N\"]], state = \"default\", why = \"nobody measured\"}"}))
      << k.ir();
  EXPECT_EQ(k.count("func.func"), 2u) << k.ir();
  // What is given for the whole file holds for each of them.
  options.values["BM"] = "32";
  EXPECT_EQ(Generated(source, options).count("value = 32"), 2u);
}

TEST(Grid, FunctionsOfTheFileAreInlined) {
  Generated k(
      "const SPLIT = 4\nfn tiles(n, b) { let t = cdiv(n, b)\nt * SPLIT }\n" +
      kernel("<B: int = 128>(x: tensor<f32>[N]) grid [tiles(N, B), if B > 64 { 2 } else { 3 }, num_sms()]").substr(11));
  EXPECT_TRUE(k.has({"grid = [[\"N\", 128, \"cdiv\", 4, \"*\"], [2], [\"num_sms\"]]"})) << k.ir() << k.errors();
}
