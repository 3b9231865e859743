// Searches whose processes do not start; test/tilec/tune.test has those that do.

#include "runtime/search/Tune.h"

#include "test/unit/runtime/search/Searching.h"

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

/// What a search of the kernel gives whose compilers and measurer are `program`.
std::optional<TuneResult> tuneWith(Searched &searched, const std::string &program) {
  TuneLaunch launch;
  launch.file = "t.tile";
  launch.module = searched.module.get();
  launch.kernel = searched.kernel;
  launch.build.source = searched.options;
  launch.build.compile.target = findTarget("sm_90a");
  launch.arguments = {"x=zeros:f32[64]", "y=empty:f32[64]"};
  for (const std::string &text : launch.arguments)
    launch.shapes.push_back(*makeHostArgument(text, 0));
  TuneOptions options;
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

} // namespace
