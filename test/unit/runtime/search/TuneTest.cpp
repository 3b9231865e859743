// Searches whose processes do not start; test/tilec/tune.test has those that do.

#include "runtime/search/Tune.h"

#include "test/unit/runtime/search/Searching.h"
#include "test/unit/runtime/store/Storing.h"

#include "gtest/gtest.h"

using namespace tile;
using namespace tile::test;

namespace {

constexpr const char *kKernel = R"(
@autotune(space = {B: [16, 32]}, top = 2)
kernel k<B: int>(x: tensor<f32>[N], out y: tensor<f32>[N]) grid [cdiv(N, B)] {
    let i = program_id(0) * B
    y[i :+ B] = x[i :+ B]
}
)";

/// What a search of the kernel for `n` elements gives whose compilers and measurer are `program`.
std::optional<TuneResult> tuneWith(Searched &searched, const std::string &program, const std::string &n = "64",
                                   TuneOptions options = {}) {
  TuneLaunch launch;
  launch.file = "t.tile";
  launch.module = searched.module.get();
  launch.kernel = searched.kernel;
  launch.build.source = searched.options;
  launch.build.compile.target = findTarget("sm_90a");
  launch.arguments = {"x=zeros:f32[" + n + "]", "y=empty:f32[" + n + "]"};
  for (const std::string &text : launch.arguments)
    launch.shapes.push_back(*makeHostArgument(text, 0));
  options.program = program;
  return tune(searched.session, launch, options);
}

TEST(Tune, CompilersThatDoNotStartAreTheReason) {
  for (const char *program : {"/bin/false", "/none/tilec"}) {
    Searched searched(kKernel, {{"N", "64"}});
    std::optional<TuneResult> result = tuneWith(searched, program);
    ASSERT_TRUE(result) << searched.errors();
    EXPECT_EQ(result->source, TuneResult::Source::None);
    for (const Trial &trial : result->trials) {
      EXPECT_EQ(trial.outcome, TrialOutcome::NotTried);
      EXPECT_EQ(trial.reason.substr(0, 20), "no worker starts: it") << trial.configuration.describe();
    }
    std::string errors = searched.errors();
    EXPECT_NE(errors.find("no configuration of `k` could be measured"), std::string::npos) << errors;
    EXPECT_NE(errors.find("note: B = 16: no worker starts: it "), std::string::npos) << errors;
  }
}

TEST(Tune, AChoiceThatTheLaunchDoesNotTakeIsNotKnown) {
  std::string text = kKernel;
  text.replace(text.find("top = 2"), 7, "key = [N], bucket = cdiv(N, 64) * 64");
  text.replace(text.find(" {\n    let"), 2, " where B <= N {");
  TemporaryFolder folder;
  Database database({folder / "tuning.db", DatabaseAccess::ReadWrite, {}});
  TuneOptions options;
  options.policy = TunePolicy::Never;
  options.database = &database;
  auto resultFor = [&](const std::string &n) {
    Searched searched(text, {{"N", n}});
    std::optional<TuneResult> result = tuneWith(searched, "/none/tilec", n, options);
    EXPECT_TRUE(result) << searched.errors();
    return result.value_or(TuneResult());
  };
  TuneResult before = resultFor("64");
  EXPECT_EQ(before.source, TuneResult::Source::Model);
  database.storeChoice(before.key, {{{{"B", "32"}}}, 1, "it was", "2026-01-01T00:00:00Z"});
  EXPECT_EQ(resultFor("64").source, TuneResult::Source::Known);
  TuneResult smaller = resultFor("20");
  EXPECT_TRUE(smaller.key == before.key);
  EXPECT_EQ(smaller.source, TuneResult::Source::Model);
  EXPECT_EQ(smaller.chosen.describe(), "B = 16");
}

} // namespace
