// What choices and code are kept under: what has to tell two of them apart, and what must not.

#include "runtime/search/Keys.h"

#include "test/unit/runtime/search/Searching.h"

#include "gtest/gtest.h"

using namespace tile;
using namespace tile::test;

namespace {

constexpr const char *kKernel = R"(
kernel k<T: type, B: int = 16, NEGATIVE: bool = false>(x: tensor<T>[M, N], out y: tensor<T>[M, N]) grid [M, cdiv(N, B)] {
    let (m, n) = (program_id(0), program_id(1) * B)
    y[m, n :+ B] = if NEGATIVE { -x[m, n :+ B] } else { x[m, n :+ B] }
}
)";

struct Keyed : Searched {
  explicit Keyed(const std::string &decorators = "") : Searched(decorators + kKernel) {}

  BuildOptions build(std::map<std::string, std::string> values) const {
    BuildOptions build;
    build.source.values = std::move(values);
    build.compile.target = findTarget("sm_90a");
    return build;
  }
  TuneKey key(const BuildOptions &build) const {
    Space space;
    space.hash = "5pace";
    space.sizes = "M=4 N=64";
    return tuneKeyOf(session, *kernel, build, space, gpuName("A GPU", 13010), "fast");
  }
  CacheParts parts(std::map<std::string, std::string> values) const {
    return cubinParts(session, *kernel, build(std::move(values)));
  }
};

TEST(Keys, ADriverIsNamedByItsVersion) {
  EXPECT_EQ(gpuName("A GPU", 13010).driver, "CUDA 13.1");
  EXPECT_EQ(gpuName("A GPU", 12080).driver, "CUDA 12.8");
}

TEST(Keys, SizesAreIntegersAndBools) {
  EXPECT_EQ(readSizes("M=16 B*H=4096 N<=64=true M==N=false"), (std::vector<int64_t>{16, 4096, 1, 0}));
  EXPECT_EQ(readSizes(""), std::vector<int64_t>{});
  EXPECT_EQ(readSizes("M=abc"), std::nullopt);
  EXPECT_EQ(readSizes("64"), std::nullopt);
}

TEST(Keys, AKeyHasWhatLaunchesHaveInCommon) {
  Keyed keyed;
  TuneKey key = keyed.key(keyed.build({{"T", "f16"}, {"M", "4"}, {"N", "64"}, {"NEGATIVE", "true"}}));
  EXPECT_EQ(key.kernel, "k");
  EXPECT_EQ(key.gpu, "A GPU");
  EXPECT_EQ(key.arguments, "variant=fast T=f16 -DNEGATIVE=true");
  EXPECT_EQ(key.sizes, "M=4 N=64");
  EXPECT_EQ(key.compiler.substr(key.compiler.rfind(' ')), " sm_90a");
  BuildOptions unfused = keyed.build({{"T", "f16"}});
  unfused.fuses = false;
  EXPECT_EQ(keyed.key(unfused).arguments, "variant=fast fp-contract=off T=f16");
}

TEST(Keys, AChoiceIsForTheSameValuesOfTheCommandLineAlone) {
  Keyed keyed;
  TuneKey key = keyed.key(keyed.build({{"T", "f16"}, {"N", "64"}, {"NEGATIVE", "true"}}));
  std::optional<TunedLaunch> launch = readTunedLaunch(key, *keyed.kernel, keyed.build({{"NEGATIVE", "true"}}));
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->variant, "fast");
  EXPECT_EQ(launch->values, (std::map<std::string, std::string>{{"T", "f16"}}));
  launch = readTunedLaunch(key, *keyed.kernel, keyed.build({{"NEGATIVE", "true"}, {"T", "f16"}}));
  ASSERT_TRUE(launch);
  EXPECT_TRUE(launch->values.empty());
  using Values = std::map<std::string, std::string>;
  for (const Values &other : {Values{}, Values{{"NEGATIVE", "false"}}, Values{{"NEGATIVE", "true"}, {"T", "f32"}},
                              Values{{"NEGATIVE", "true"}, {"B", "32"}}})
    EXPECT_FALSE(readTunedLaunch(key, *keyed.kernel, keyed.build(other)));
  BuildOptions unfused = keyed.build({{"NEGATIVE", "true"}});
  unfused.fuses = false;
  EXPECT_FALSE(readTunedLaunch(key, *keyed.kernel, unfused));
}

TEST(Keys, ASourceIsItsTextWhateverItsName) {
  auto hashOf = [](const std::string &name, const std::string &text) {
    Session session;
    session.sources.add(name, text);
    return sourceHash(session);
  };
  EXPECT_EQ(hashOf("a.tile", kKernel), hashOf("there/b.tile", kKernel));
  EXPECT_NE(hashOf("a.tile", kKernel), hashOf("a.tile", std::string(kKernel) + "// more\n"));
}

TEST(Keys, DimsCountForCodeWhereAHeuristicMayReadThem) {
  Keyed plain, computed("@heuristic(B = next_pow2(N))");
  EXPECT_EQ(plain.parts({{"T", "f32"}, {"N", "64"}}), plain.parts({{"T", "f32"}, {"N", "128"}}));
  EXPECT_NE(plain.parts({{"T", "f32"}}), plain.parts({{"T", "f16"}}));
  EXPECT_NE(computed.parts({{"T", "f32"}, {"N", "64"}}), computed.parts({{"T", "f32"}, {"N", "128"}}));
}

} // namespace
