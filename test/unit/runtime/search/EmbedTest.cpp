// Which instances an artifact has of a kernel with configurations. `prune` leaves so few for a size that they do not
// depend on what the model thinks of them.

#include "runtime/search/Embed.h"

#include "runtime/search/Keys.h"
#include "test/unit/runtime/search/Searching.h"
#include "test/unit/runtime/store/Storing.h"

using namespace tile;
using namespace tile::test;

namespace {

constexpr const char *kKernel = R"(
@autotune(space = {B: [64, 128, 256]}, prune = B * 2 < N || B > N * 2, key = [N])
kernel k<T: type = f32, B: int>(x: tensor<T>[N], out y: tensor<T>[N]) grid [cdiv(N, B)] {
    let i = program_id(0) * B
    y[i :+ B] = x[i :+ B]
}
)";

struct Embedding : Searched {
  explicit Embedding(const std::string &decorators = "") : Searched(decorators + kKernel) {}

  static BuildOptions build(std::map<std::string, std::string> values) {
    BuildOptions build;
    build.source.values = std::move(values);
    build.compile.target = findTarget("sm_90a");
    return build;
  }

  /// The instances of the kernel; without any for it, those that it has anyway are compiled.
  std::vector<TunedInstance> instances(std::map<std::string, std::string> values = {}, Database *database = nullptr) {
    BuildOptions options = build(std::move(values));
    choices = embedConfigurations(session, *module, options, database).value_or(-1);
    return options.source.instances["k"];
  }

  /// Keeps that `configuration` was chosen for a launch of `type` and `n`.
  void choose(Database &database, const std::string &type, const std::string &n, const std::string &configuration,
              int driver, const std::string &date) {
    Space space;
    space.sizes = "N=" + n;
    TuneKey key = tuneKeyOf(session, *kernel, build({{"T", type}, {"N", n}}), space, gpuName("A GPU", driver), "fast");
    database.storeChoice(key, {{{{"B", configuration}}}, 1, "by " + date, date});
  }

  size_t choices = 0;
};

using Values = std::map<std::string, std::string>;

TEST(Embed, SizesThatAreGivenChoose) {
  Embedding embedding;
  std::vector<TunedInstance> instances = embedding.instances({{"N", "512"}});
  ASSERT_EQ(instances.size(), 1u) << embedding.errors();
  EXPECT_EQ(instances[0].state, "model");
  EXPECT_EQ(instances[0].why, "the first of 1 for N=512");
  EXPECT_EQ(instances[0].configuration, (Values{{"B", "256"}}));
}

TEST(Embed, OneServesAllSizesOfBench) {
  Embedding embedding("@bench(shapes = [{N: 64}, {N: 256}])");
  std::vector<TunedInstance> instances = embedding.instances();
  ASSERT_EQ(instances.size(), 1u) << embedding.errors();
  EXPECT_EQ(instances[0].configuration, (Values{{"B", "128"}}));
  EXPECT_EQ(instances[0].why, "the first of 1 for N=64, N=256 of `@bench`");
  EXPECT_EQ(embedding.errors(), "");
}

constexpr const char *kStages = R"(
@autotune(space = {B: [64, 128], warps: 8, stages: [3, 4]}, prune = stages == 3 && M > 100, key = [M])
@bench(shapes = [SHAPES])
kernel k<B: int>(a: tensor<f16>[M, K], b: tensor<f16>[K, N], out c: tensor<f32>[M, N]) grid [cdiv(M, B), cdiv(N, B)] {
    let (i, j) = (program_id(0) * B, program_id(1) * B)
    var sums = zeros<f32>[B, B]
    for k in 0 .. K step 128 { sums += dot(a[i :+ B, k :+ 128], b[k :+ 128, j :+ B]) }
    c[i :+ B, j :+ B] = sums
}
)";

/// What the only instance of `kStages` gets for `shapes`, and why.
std::string choiceOfStages(const std::string &shapes, Values given = {}) {
  std::string text = kStages;
  text.replace(text.find("SHAPES"), 6, shapes);
  Searched searched(text);
  BuildOptions build = Embedding::build(std::move(given));
  (void)embedConfigurations(searched.session, *searched.module, build, nullptr);
  std::string chosen = searched.errors();
  for (const TunedInstance &instance : build.source.instances["k"]) {
    for (const auto &[name, value] : instance.configuration.value_or(Values()))
      chosen += name + "=" + value + " ";
    chosen += instance.why;
  }
  return chosen;
}

TEST(Embed, OneWithTheCodeOfAnotherServesWhatThatServes) {
  // There is room for three stages of 128, so that four are the same code; `prune` leaves the larger M four alone.
  EXPECT_EQ(choiceOfStages("{M: 64, N: 4096, K: 4096}, {M: 4096, N: 4096, K: 4096}", {{"B", "128"}}),
            "stages=4 warps=8 the first of 1 for M=64, M=4096 of `@bench`");
}

constexpr const char *kTiles = R"(
@autotune(space = {B: [16, 128], stages: [2, 3]}, prune = B > max(16, next_pow2(M)), key = [M])
@bench(shapes = [{M: 16, N: 4096, K: 4096}, {M: 4096, N: 4096, K: 4096}])
kernel k<B: int>(a: tensor<f16>[M, K], b: tensor<f16>[K, N], out c: tensor<f32>[M, N]) grid [cdiv(M, B), cdiv(N, 128)] {
    let (i, j) = (program_id(0) * B, program_id(1) * 128)
    var sums = zeros<f32>[B, 128]
    for k in 0 .. K step 64 { sums += dot(a[i :+ B, k :+ 64], b[k :+ 64, j :+ 128]) }
    c[i :+ B, j :+ 128] = sums
}
)";

TEST(Embed, AShapeThatIsMuchSlowerThanItCouldBeIsSaid) {
  auto said = [](const std::string &shapes, Database *database = nullptr) {
    std::string text = kTiles;
    size_t begin = text.find("[{M: 16"), end = text.find("])\nkernel") + 1;
    Searched searched(text.replace(begin, end - begin, shapes));
    BuildOptions build = Embedding::build({});
    (void)embedConfigurations(searched.session, *searched.module, build, database);
    return searched.errors();
  };
  const std::string both = "[{M: 16, N: 4096, K: 4096}, {M: 4096, N: 4096, K: 4096}]";
  const std::string slow = said(both);
  EXPECT_NE(
      slow.find("warning[W0607]: one configuration of kernel `k` is for all shapes of `@bench`, and `M=4096` takes"),
      std::string::npos)
      << slow;
  EXPECT_NE(slow.find("= help: `tilec tune` and `--tuned` give each shape its own; `-D` of the dims compiles for one"),
            std::string::npos)
      << slow;
  EXPECT_EQ(said("[{M: 16, N: 4096, K: 4096}, {M: 64, N: 64, K: 64}]"), "") << "a little slower";
  EXPECT_EQ(said("[{M: 4096, N: 4096, K: 4096}]"), "");
  // What is chosen for it has an instance of its own.
  TemporaryFolder folder;
  Database database({folder / "tuning.db", DatabaseAccess::ReadWrite, {}});
  Searched searched(kTiles);
  Space space;
  space.sizes = "M=4096";
  database.storeChoice(
      tuneKeyOf(searched.session, *searched.kernel, Embedding::build({}), space, gpuName("A GPU", 13000), "fast"),
      {{{{"B", "128"}, {"stages", "3"}}}, 1, "", "2026-01-01T00:00:00Z"});
  EXPECT_EQ(said(both, &database), "");
}

TEST(Embed, LaunchesWithoutProgramsDecideNothing) {
  EXPECT_EQ(choiceOfStages("{M: 0, N: 4096, K: 4096}, {M: 4096, N: 4096, K: 4096}"),
            "B=128 stages=4 warps=8 the first of 2 for M=0, M=4096 of `@bench`");
}

TEST(Embed, WithoutSizesTheFirstIsTakenAndSaid) {
  Embedding embedding;
  std::vector<TunedInstance> instances = embedding.instances();
  ASSERT_EQ(instances.size(), 1u);
  EXPECT_EQ(instances[0].state, "default");
  EXPECT_FALSE(instances[0].configuration);
  EXPECT_NE(embedding.errors().find("warning[W0605]"), std::string::npos) << embedding.errors();
}

/// What is said of a kernel with an optional parameter, two types and `shapes`.
std::string saidOfServed(const std::string &shapes, const std::string &instances = "T = [f32, f16]",
                         Values given = {}) {
  Searched searched("@instances(" + instances + ")\n@bench(shapes = [" + shapes + R"(])
kernel k<T: type = f32, B: int = 64>(x: tensor<T>[N], w: tensor<T>[N]?, out y: tensor<T>[N]) grid [cdiv(N, B)] {
    let i = program_id(0) * B
    y[i :+ B] = if has(w) { x[i :+ B] * w[i :+ B] } else { x[i :+ B] }
}
)");
  BuildOptions build = Embedding::build(std::move(given));
  (void)embedConfigurations(searched.session, *searched.module, build, nullptr);
  return searched.errors();
}

TEST(Embed, ShapesThatNoInstanceServesAreSaid) {
  const std::string none = saidOfServed("{N: 8, w: none}, {N: 64, w: none}, {N: 64}");
  EXPECT_NE(none.find("warning[W0608]: no instance of kernel `k` serves this shape of `@bench`, of which `w` is none"),
            std::string::npos)
      << none;
  EXPECT_NE(none.find("= help: list `has(w) = [false, …]` in `@instances`, or give `-D 'has(w)=false'`"),
            std::string::npos)
      << none;
  EXPECT_EQ(none.find("W0608"), none.rfind("W0608")) << "once for each reason\n" << none;
  const std::string type = saidOfServed("{N: 8, T: bf16}");
  EXPECT_NE(type.find("of which `T` is `bf16`"), std::string::npos) << type;
  EXPECT_NE(type.find("`T = [bf16, …]` in `@instances`, or give `-D T=bf16`"), std::string::npos) << type;
}

TEST(Embed, ShapesThatAnInstanceServesAreNot) {
  EXPECT_EQ(saidOfServed("{N: 8}, {N: 8, T: f16}, {N: 8, B: 32}"), "");
  EXPECT_EQ(saidOfServed("{N: 8, w: none}", "has(w) = [true, false]"), "");
  EXPECT_EQ(saidOfServed("{N: 8, w: none}", "T = [f32]", {{"has(w)", "true"}}), "") << "wanted so";
  EXPECT_EQ(saidOfServed("{N: 8, w: none}", "T = [f32]", {{"N", "8"}}), "") << "not for those of `@bench`";
}

TEST(Embed, AConfigurationThatIsGivenLeavesNothingToChoose) {
  Embedding embedding;
  EXPECT_TRUE(embedding.instances({{"B", "32"}}).empty());
  EXPECT_EQ(embedding.errors(), "");
}

TEST(Embed, ChoicesStandBesideWhatOtherLaunchesTake) {
  TemporaryFolder folder;
  Database database({folder / "tuning.db", DatabaseAccess::ReadWrite, {}});
  Embedding embedding("@bench(shapes = [{N: 512}])");
  embedding.choose(database, "f32", "64", "128", 13000, "2026-01-01T00:00:00Z");
  embedding.choose(database, "f32", "100", "128", 13000, "2026-01-02T00:00:00Z");
  embedding.choose(database, "f16", "64", "64", 13000, "2026-01-03T00:00:00Z");
  std::vector<TunedInstance> instances = embedding.instances({}, &database);
  EXPECT_EQ(embedding.choices, 3u);
  ASSERT_EQ(instances.size(), 3u) << embedding.errors();
  EXPECT_EQ(instances[0].state, "model");
  EXPECT_TRUE(instances[0].chosen.empty());
  EXPECT_EQ(instances[1].values, (Values{{"T", "f16"}}));
  EXPECT_EQ(instances[1].state, "measured");
  EXPECT_EQ(instances[2].values, Values{}); // the default type
  EXPECT_EQ(instances[2].configuration, (Values{{"B", "128"}}));
  ASSERT_EQ(instances[2].chosen.size(), 2u); // the newest first
  EXPECT_EQ(instances[2].chosen[0].key, std::vector<int64_t>{100});
  EXPECT_EQ(instances[2].chosen[1].key, std::vector<int64_t>{64});
  EXPECT_EQ(instances[2].chosen[1].variant, "fast");
}

TEST(Embed, AChoiceThatOtherLaunchesTakeAnywayIsNoInstanceOfItsOwn) {
  TemporaryFolder folder;
  Database database({folder / "tuning.db", DatabaseAccess::ReadWrite, {}});
  Embedding embedding("@bench(shapes = [{N: 512}])"); // for which there is one configuration
  embedding.choose(database, "f32", "400", "256", 13000, "2026-01-01T00:00:00Z");
  std::vector<TunedInstance> instances = embedding.instances({}, &database);
  EXPECT_EQ(embedding.choices, 1u);
  ASSERT_EQ(instances.size(), 1u) << embedding.errors();
  EXPECT_EQ(instances[0].state, "model");
  ASSERT_EQ(instances[0].chosen.size(), 1u);
  EXPECT_EQ(instances[0].chosen[0].key, std::vector<int64_t>{400});
}

TEST(Embed, OfOneLaunchWithTwoDriversTheNewestChoiceCounts) {
  TemporaryFolder folder;
  Database database({folder / "tuning.db", DatabaseAccess::ReadWrite, {}});
  Embedding embedding("@bench(shapes = [{N: 512}])");
  embedding.choose(database, "f32", "64", "128", 13010, "2026-01-02T00:00:00Z");
  embedding.choose(database, "f32", "64", "64", 13000, "2026-01-01T00:00:00Z");
  std::vector<TunedInstance> instances = embedding.instances({}, &database);
  EXPECT_EQ(embedding.choices, 1u);
  ASSERT_EQ(instances.size(), 2u);
  EXPECT_EQ(instances[1].configuration, (Values{{"B", "128"}}));
}

TEST(Embed, AChoiceForAnotherSourceIsNone) {
  TemporaryFolder folder;
  Database database({folder / "tuning.db", DatabaseAccess::ReadWrite, {}});
  Embedding before("@bench(shapes = [{N: 512}])"), after("@bench(shapes = [{N: 256}])");
  before.choose(database, "f32", "64", "128", 13000, "2026-01-01T00:00:00Z");
  EXPECT_EQ(after.instances({}, &database).size(), 1u);
  EXPECT_EQ(after.choices, 0u);
}

constexpr const char *kHeuristics = R"(
@heuristic(B = next_pow2(N), W = B + N)
@autotune(configs = [CONFIGS], prune = B != 64 && B != 256, key = [N])
@bench(shapes = [{N: 200}])
kernel k<B: int, W: int = 1>(x: tensor<f32>[N], out y: tensor<f32>[N]) grid [cdiv(N, B)] {
    let i = program_id(0) * B
    if W > 0 { y[i :+ B] = x[i :+ B] }
}
)";

/// The only instance of `kHeuristics` with `configs`.
TunedInstance instanceWith(const std::string &configs) {
  std::string text = kHeuristics;
  Searched searched(text.replace(text.find("CONFIGS"), 7, configs));
  BuildOptions build = Embedding::build({});
  (void)embedConfigurations(searched.session, *searched.module, build, nullptr);
  std::vector<TunedInstance> &instances = build.source.instances["k"];
  EXPECT_EQ(instances.size(), 1u) << searched.errors();
  return instances.empty() ? TunedInstance() : instances.front();
}

TEST(Embed, HeuristicsAreThoseOfTheConfigurationThatIsChosen) {
  TunedInstance instance = instanceWith("{B: 128}, {B: 64}");
  EXPECT_EQ(instance.configuration, (Values{{"B", "64"}}));
  EXPECT_EQ(instance.heuristics, (Values{{"W", "264"}}));
}

TEST(Embed, AHeuristicDecidesWhatTheConfigurationLeaves) {
  TunedInstance instance = instanceWith("{B: 128}, {}");
  EXPECT_EQ(instance.configuration, Values{});
  EXPECT_EQ(instance.heuristics, (Values{{"B", "256"}, {"W", "456"}}));
}

} // namespace
