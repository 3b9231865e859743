/// What the language fixes the bits of: which ops leave a value open, and where open values go.
#include "backend/interpreter/FixedBits.h"
#include "test/unit/interpreter/Launch.h"

using namespace tile;

/// Whether what `%a` and `%b` point to has fixed bits after `body`, which has them as views of 64 f32 and loads from
/// them as `%x`, `%y`: `a`, `b`, both or none.
static std::string fixedAfter(const std::string &body) {
  mlir::MLIRContext context;
  context.loadDialect<TileDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect>();
  std::string text = R"(
    func.func @k(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>, %pn: !tile.ptr<i32>) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %ten = arith.constant 10 : index
      %a = tile.make_view %pa, [64], [1] : !tile.ptr<f32> -> !tile.view<64xf32>
      %b = tile.make_view %pb, [64], [1] : !tile.ptr<f32> -> !tile.view<64xf32>
      %n = tile.make_view %pn, [64], [1] : !tile.ptr<i32> -> !tile.view<64xi32>
      %x = tile.load %a[%zero :+ 64] : !tile.view<64xf32>, (index) -> tensor<64xf32>
      %exp = math.exp %x : tensor<64xf32>
      %first = tile.load %a[%zero] : !tile.view<64xf32>, (index) -> f32
      %open = math.exp %first : f32
      %yes = arith.cmpf ogt, %open, %first : f32
)" + body + "\nreturn\n}";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context, "kernel.mlir");
  EXPECT_TRUE(module) << text;
  if (!module)
    return "";
  std::vector<bool> fixed = findFixedBits(*module->getOps<mlir::func::FuncOp>().begin());
  return std::string(fixed[0] ? "a" : "") + (fixed[1] ? "b" : "") + (fixed[2] ? "n" : "");
}

static std::string store(const std::string &value, const std::string &view) {
  return "tile.store " + value + ", " + view + "[%zero :+ 64] : tensor<64xf32>, !tile.view<64xf32>, (index)\n";
}

TEST(FixedBits, WhatRoundsToNearestIsFixed) {
  EXPECT_EQ(fixedAfter(store("%x", "%b")), "abn");
  for (const char *op : {"arith.addf %x, %x", "arith.divf %x, %x", "math.fma %x, %x, %x", "math.sqrt %x",
                         "arith.maximumf %x, %x", "math.floor %x"})
    EXPECT_EQ(fixedAfter("%r = " + std::string(op) + " : tensor<64xf32>\n" + store("%r", "%b")), "abn") << op;
}

TEST(FixedBits, WhatApproximatesIsOpen) {
  for (const char *op : {"math.exp %x", "math.sin %x", "math.rsqrt %x", "tile.approximate div %x, %x"})
    EXPECT_EQ(fixedAfter("%r = " + std::string(op) + " : tensor<64xf32>\n" + store("%r", "%b")), "an") << op;
}

TEST(FixedBits, SumsOfFloatsAreOpenAndExtremesAreNot) {
  auto reduced = [](const std::string &combine) {
    return fixedAfter("%s = tile.reduce %x axis 0 : tensor<64xf32> -> f32 {\n^bb0(%l: f32, %r: f32):\n%c = " + combine +
                      " %l, %r : f32\ntile.yield %c : f32\n}\n" +
                      "tile.store %s, %b[%zero] : f32, !tile.view<64xf32>, (index)");
  };
  EXPECT_EQ(reduced("arith.addf"), "an");
  EXPECT_EQ(reduced("arith.mulf"), "an");
  EXPECT_EQ(reduced("arith.maximumf"), "abn");
}

TEST(FixedBits, OpenValuesPassThroughMemoryLoopsAndConditions) {
  EXPECT_EQ(fixedAfter(store("%exp", "%a")), "bn");
  EXPECT_EQ(fixedAfter("%before = tile.load %a[%zero :+ 64] : !tile.view<64xf32>, (index) -> tensor<64xf32>\n" +
                       store("%before", "%b") + store("%exp", "%a")),
            "n"); // whatever the order: a loop may turn it around
  EXPECT_EQ(fixedAfter("%r = scf.for %i = %zero to %ten step %one iter_args(%c = %x) -> (tensor<64xf32>) {\n"
                       "%d = math.exp %c : tensor<64xf32>\nscf.yield %d : tensor<64xf32>\n}\n" +
                       store("%r", "%b")),
            "an");
  EXPECT_EQ(fixedAfter("scf.if %yes {\n" + store("%x", "%b") + "}"), "an");
  EXPECT_EQ(
      fixedAfter("%r = scf.if %yes -> (tensor<64xf32>) {\nscf.yield %x : tensor<64xf32>\n} else {\n%d = arith.negf "
                 "%x : tensor<64xf32>\nscf.yield %d : tensor<64xf32>\n}\n" +
                 store("%r", "%b")),
      "an");
  EXPECT_EQ(fixedAfter("%w = scf.if %yes -> (!tile.view<64xf32>) {\nscf.yield %a : !tile.view<64xf32>\n} else {\n"
                       "scf.yield %b : !tile.view<64xf32>\n}\n" +
                       store("%x", "%w")),
            "n"); // which of the two it writes is open
  EXPECT_EQ(
      fixedAfter("%k = arith.fptosi %open : f32 to i32\ntile.store %k, %n[%zero] : i32, !tile.view<64xi32>, (index)"),
      "ab");
}

TEST(FixedBits, AtomicsOfIntegersLeaveFixedMemoryAndOpenResults) {
  const std::string atomic = "%one32 = arith.constant 1 : i32\n%old = tile.atomic add %one32, %n[%zero] : i32, "
                             "!tile.view<64xi32>, (index)\n";
  EXPECT_EQ(fixedAfter(atomic), "abn");
  EXPECT_EQ(fixedAfter(atomic + "%f = arith.sitofp %old : i32 to f32\ntile.store %f, %b[%zero] : f32, "
                                "!tile.view<64xf32>, (index)"),
            "an");
  EXPECT_EQ(fixedAfter("%old = tile.atomic add %first, %b[%zero] : f32, !tile.view<64xf32>, (index)"), "an");
}
