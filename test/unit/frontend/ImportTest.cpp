// Imports: a neighbour, a search path, what several files share.
#include "Generating.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace tile;
using namespace tile::test;
namespace fs = std::filesystem;

class Imports : public testing::Test {
protected:
  void SetUp() override {
    folder = fs::path(testing::TempDir()) / ("imports-" + std::to_string(::getpid()));
    fs::create_directories(folder / "lib");
    write("scale.tile", "import std\nimport \"factor.tile\" as factor\nfn scaled(x) { relu(x) * factor.FACTOR }\n");
    write("factor.tile", "const FACTOR = 3.0\nfn own() { FACTOR }\n");
    write("lib/shared.tile", "fn negated(x) { -x }\n");
  }
  void TearDown() override { fs::remove_all(folder); }
  void write(const std::string &name, const std::string &text) { std::ofstream(folder / name) << text; }

  /// A kernel in `folder` that stores `value`.
  Generated generated(const std::string &imports, const std::string &value, IrgenOptions options = {}) {
    return Generated(imports + "\nkernel k(x: tensor<f32>[N], out y: tensor<f32>[N]) grid [1] {\nlet v = x[0 :+ 8]\n" +
                         "y[0 :+ 8] = " + value + "\n}\n",
                     options, (folder / "main.tile").string());
  }

  fs::path folder;
};

TEST_F(Imports, ANeighbourIsUsedByItsName) {
  Generated k = generated("import \"scale.tile\" as s", "s.scaled(v)");
  EXPECT_TRUE(k.has({"arith.maximumf", "3.000000e+00", "arith.mulf"})) << k.ir() << k.errors();
}

TEST_F(Imports, NamesOfAnImportedFileStayInIt) {
  Generated k = generated("import \"scale.tile\" as s", "scaled(v)");
  EXPECT_NE(k.errors().find("unknown function `scaled`"), std::string::npos) << k.errors();
}

TEST_F(Imports, WhatAFileLacksIsNamed) {
  Generated k = generated("import \"scale.tile\" as s", "s.FACTOR * v");
  EXPECT_NE(k.errors().find("module has no item `FACTOR`"), std::string::npos) << k.errors();
}

TEST_F(Imports, AFileIsLoadedOnce) {
  Generated k = generated("import \"scale.tile\" as s\nimport \"factor.tile\" as f", "s.scaled(v) + f.own()");
  ASSERT_TRUE(k.module) << k.errors();
  unsigned found = 0;
  for (uint32_t i = 0; i < k.sources.size(); ++i)
    found += k.sources.name({i}).find("factor.tile") != std::string_view::npos;
  EXPECT_EQ(found, 1u);
}

TEST_F(Imports, SearchPathsComeAfterTheFolder) {
  IrgenOptions options;
  options.includeDirectories = {(folder / "lib").string()};
  Generated k = generated("import \"shared.tile\" as s", "s.negated(v)", options);
  EXPECT_TRUE(k.has({"arith.negf"})) << k.errors();
}

TEST_F(Imports, ErrorsInAnImportedFileNameIt) {
  write("bad.tile", "fn f(x) { x + unknown }\n");
  Generated k = generated("import \"bad.tile\" as b", "b.f(v)");
  EXPECT_NE(k.errors().find("bad.tile:1:15"), std::string::npos) << k.errors();
  EXPECT_NE(k.errors().find("in this call of `f`"), std::string::npos) << k.errors();
}
