#include "test/unit/runtime/search/Searching.h"

#include "gtest/gtest.h"

using namespace tile;
using namespace tile::test;

namespace {

std::string describe(const std::vector<Configuration> &configurations) {
  std::string text;
  for (const Configuration &configuration : configurations)
    text += (text.empty() ? "" : "; ") + configuration.describe();
  return text;
}

/// The space of the kernel of a text, or the diagnostics.
struct Read : Searched {
  explicit Read(const std::string &text, std::map<std::string, std::string> values = {},
                std::map<std::string, std::string> scalars = {})
      : Searched(text, std::move(values), std::move(scalars)), space(Searched::space()) {}

  std::string all() { return space ? describe(space->all) : errors(); }
  bool warns(const std::string &message) { return space && errors().find(message) != std::string::npos; }
  bool fails(const std::string &message) { return !space && errors().find(message) != std::string::npos; }

  std::optional<Space> space;
};

/// A kernel with dims M and N, parameters BM and BN, and a scalar.
std::string kernel(const std::string &decorators, const std::string &generics = "BM: int = 32, BN: int = 32") {
  return decorators + "\nkernel k<" + generics +
         ">(x: tensor<f32>[M, N], out y: tensor<f32>[M, N], s: f32) grid [cdiv(M, BM), cdiv(N, BN)] {\n"
         "    let (i, j) = (program_id(0) * BM, program_id(1) * BN)\n"
         "    y[i :+ BM, j :+ BN] = x[i :+ BM, j :+ BN] * s\n}\n";
}

const std::map<std::string, std::string> kLaunch = {{"M", "1000"}, {"N", "64"}};

TEST(Space, ConfigurationsStandInTheirOrder) {
  Read read(kernel("@autotune(configs = [{BM: 64, warps: 8}, {warps: 4, BM: 0x20}, {}], top = 2)"), kLaunch);
  EXPECT_EQ(read.all(), "BM = 64, warps = 8; warps = 4, BM = 32; the defaults");
  EXPECT_EQ(read.space->top, 2u);
  EXPECT_TRUE(read.space->isDeclared);
}

TEST(Space, TheLastNameOfAProductVariesFastest) {
  Read read(kernel("@autotune(space = {BM: [64, 32], BN: 16, warps: [4, 8]})"), kLaunch);
  EXPECT_EQ(read.all(), "BM = 64, BN = 16, warps = 4; BM = 64, BN = 16, warps = 8; "
                        "BM = 32, BN = 16, warps = 4; BM = 32, BN = 16, warps = 8");
  EXPECT_EQ(read.space->top, 0u);
}

TEST(Space, WhatIsTheSameIsTriedOnce) {
  Read read("const WIDE = 64\n" + kernel("@autotune(space = {BM: [32 + 32, 64, WIDE, 32], BN: [8 * 2, 16]})"), kLaunch);
  EXPECT_EQ(read.all(), "BM = 64, BN = 16; BM = 32, BN = 16");
}

TEST(Space, WithoutADecoratorTheDefaultsAreAllThereIs) {
  Read read(kernel(""), kLaunch);
  EXPECT_EQ(read.all(), "the defaults");
  EXPECT_FALSE(read.space->isDeclared);
}

TEST(Space, WhatIsGivenIsNotVaried) {
  std::map<std::string, std::string> values = kLaunch;
  values["BM"] = "16";
  Read read(kernel("@autotune(space = {BM: [64, 32], warps: [4, 8]})"), values);
  EXPECT_EQ(read.all(), "warps = 4; warps = 8");
}

TEST(Space, WhatIsPrunedIsKeptApart) {
  Read read(
      kernel("@autotune(space = {BM: [64, 32, 16], warps: [4, 8]}, prune = BM > M || (warps == 8 && BM * s < 20))"),
      {{"M", "40"}, {"N", "64"}}, {{"s", "0.5"}});
  EXPECT_EQ(read.all(), "BM = 32, warps = 4; BM = 16, warps = 4");
  EXPECT_EQ(describe(read.space->pruned),
            "BM = 64, warps = 4; BM = 64, warps = 8; BM = 32, warps = 8; BM = 16, warps = 8");
  EXPECT_EQ(read.session.sources.text(read.space->prune), "BM > M || (warps == 8 && BM * s < 20)");
}

TEST(Space, WhatWhereRefusesIsLeftOutFirst) {
  auto text = [](const std::string &prune, const std::string &where) {
    std::string text = kernel("@autotune(space = {BM: [64, 32, 16]}" + prune + ")");
    return text.insert(text.find("cdiv(N, BN)] {") + 13, "where " + where + " ");
  };
  Read read(text(", prune = BM == 32", "M > 0, BM < 64"), kLaunch);
  EXPECT_EQ(read.all(), "BM = 16");
  EXPECT_EQ(describe(read.space->pruned), "BM = 32; BM = 64");
  EXPECT_EQ(read.space->refused, 1u);
  EXPECT_TRUE(Read(text(", prune = BM < 64", "BM < 64"), kLaunch)
                  .warns("`prune` is true of every configuration that `where` leaves for `M=1000 N=64`"));
  EXPECT_TRUE(Read(text("", "BM > 64"), kLaunch).fails("`where` is false for the values"));
  EXPECT_EQ(Read(text("", "BM <= M"), {{"M", "40"}, {"N", "64"}}).all(), "BM = 64; BM = 32; BM = 16")
      << "what it says of launches is not looked at";
}

TEST(Space, PruneThatIsTrueOfAllLeavesOutNone) {
  auto read = [](const std::string &prune, const std::string &rest = "") {
    return Read(kernel("@autotune(space = {BM: [64, 32]}, prune = " + prune + rest + ")"), kLaunch);
  };
  Read all = read("N == 1 || BM < M");
  EXPECT_EQ(all.all(), "BM = 64; BM = 32");
  EXPECT_TRUE(all.space->pruned.empty());
  EXPECT_TRUE(all.warns("W0606]: `prune` is true of every configuration for `M=1000 N=64`, so that none is left out"));
  EXPECT_TRUE(all.warns("= help: `BM < M` is true of them all; loosen it, so that the smallest always stays"));
  EXPECT_TRUE(read("BM > N / 4").warns("= help: write `BM > max(32, N / 4)`, so that the smallest always stays"));
  EXPECT_TRUE(read("BM > 32 || BM < 64").warns("= help: loosen it, so that the smallest always stays"));
  EXPECT_TRUE(read("BM > 0", ", bucket = next_pow2(M)").warns("for `M=1000 N=64` (as `M=1024` by its key), so"));
  EXPECT_TRUE(read("BM").fails("`prune` is `64`; expected a bool"));
}

TEST(Space, AParameterWithoutAValueIsAnError) {
  std::string generics = "BM: int, BN: int = 16";
  Read read(kernel("@autotune(configs = [{BM: 64}, {BN: 8}])", generics), kLaunch);
  EXPECT_TRUE(read.fails("a configuration gives compile-time parameter `BM` of kernel `k` no value")) << read.all();
  EXPECT_TRUE(read.fails("it has no default either"));
  EXPECT_TRUE(read.fails("= help: add `BM: …` to it"));
  for (const char *beside : {"@instances(BM = [16])\n@autotune(configs = [{BN: 4}, {BN: 8}])",
                             "@heuristic(BM = next_pow2(N))\n@autotune(configs = [{BM: 64}, {BN: 8}])"})
    EXPECT_TRUE(Read(kernel(beside, generics), kLaunch).space) << beside;
}

TEST(Space, WhatIsWrongWithTheDefaultIsReported) {
  EXPECT_TRUE(Read(kernel("@autotune(configs = [{BM: 64}, {BM: 32, warp: 4}])"), kLaunch)
                  .fails("`@autotune` sets `warp`, which is no compile-time parameter of `k`"));
  EXPECT_TRUE(Read(kernel("@autotune(configs = [{BM: 64}, {warps: 3}])"), kLaunch).fails("`warps` is 3; expected"));
  EXPECT_TRUE(Read(kernel("@autotune(key = [M])"), kLaunch).fails("neither `configs` nor `space`"));
}

TEST(Sizes, AreTheKeyOfTheLaunch) {
  EXPECT_EQ(Read(kernel("@autotune(configs = [{}], key = [N, M / 8, N >= 64])"), kLaunch).space->sizes,
            "N=64 M/8=125 N>=64=true");
  EXPECT_EQ(Read(kernel("@autotune(configs = [{}])"), kLaunch).space->sizes, "M=1000 N=64");
}

TEST(Sizes, ABucketStandsForItsDim) {
  auto sizes = [](const std::string &bucket, const std::string &m) {
    Read read(kernel("@autotune(configs = [{}], key = [M, M * N], bucket = " + bucket + ")"), {{"M", m}, {"N", "64"}});
    return read.space ? read.space->sizes : read.errors();
  };
  EXPECT_EQ(sizes("next_pow2(M)", "1000"), "M=1024 M*N=65536");
  EXPECT_EQ(sizes("next_pow2(M)", "1024"), "M=1024 M*N=65536");
  EXPECT_EQ(sizes("[next_pow2(M), min(N, 32)]", "1025"), "M=2048 M*N=65536");
}

TEST(Hash, TellsSpacesAndWhatIsCompiledApart) {
  auto hash = [](const std::string &decorator, std::map<std::string, std::string> values) {
    return Read(kernel(decorator), std::move(values)).space->hash;
  };
  std::string one = hash("@autotune(space = {BM: [64, 32]})", kLaunch);
  EXPECT_EQ(one.size(), 32u);
  EXPECT_EQ(hash("@autotune(configs = [{BM: 64}, {BM: 32}], key = [M])", {{"M", "7"}, {"N", "7"}}), one);
  EXPECT_EQ(hash("@autotune(space = {BM: [64, 32]}, prune = BM > M)", {{"M", "40"}, {"N", "7"}}), one);
  EXPECT_NE(hash("@autotune(space = {BM: [64, 16]})", kLaunch), one);
  EXPECT_NE(hash("@autotune(space = {BM: [64, 32]})", {{"M", "1000"}, {"N", "64"}, {"BN", "16"}}), one);
}

TEST(Examples, HaveSpacesWhoseDefaultIsTheirUsualForm) {
  std::map<std::string, std::string> product = {{"T", "bf16"}, {"M", "4096"}, {"N", "4096"}, {"K", "4096"}};
  auto matmul = Searched::example("matmul", product);
  std::optional<Space> space = matmul->space();
  ASSERT_TRUE(space) << matmul->errors();
  EXPECT_EQ(space->all.size(), 64u);
  EXPECT_EQ(space->all.front().describe(), "BM = 128, BN = 128, BK = 64, warps = 8, stages = 4");
  EXPECT_EQ(space->sizes, "M=4096 N=4096 K=4096");
  auto attention = Searched::example("flash_attention", {{"T", "bf16"},
                                                         {"B", "2"},
                                                         {"H", "16"},
                                                         {"HK", "8"},
                                                         {"S", "1000"},
                                                         {"L", "4096"},
                                                         {"D", "64"},
                                                         {"has(lse)", "false"}});
  space = attention->space();
  ASSERT_TRUE(space) << attention->errors();
  EXPECT_EQ(space->all.front().describe(), "the defaults");
  EXPECT_EQ(space->sizes, "B*H=32 S=1024 L=4096");
}

} // namespace
