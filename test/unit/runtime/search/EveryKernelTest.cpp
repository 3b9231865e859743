/// The model takes whatever the language has: every kernel of the examples and the op tests has an estimate.
#include "runtime/execute/CheckArguments.h"
#include "runtime/execute/Configurations.h"
#include "test/unit/runtime/search/Searching.h"

#include "gtest/gtest.h"

#include <cmath>
#include <filesystem>

using namespace tile;

namespace {

std::vector<std::string> sources() {
  std::vector<std::string> paths;
  for (const char *folder : {TILE_EXAMPLES_DIR, TILE_E2E_DIR})
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".tile")
        paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

class EveryKernel : public testing::TestWithParam<std::string> {};

TEST_P(EveryKernel, HasAnEstimate) {
  Session session;
  std::unique_ptr<ast::Module> module = session.parse(*session.read(GetParam()));
  ASSERT_TRUE(module);
  for (const ast::ItemPtr &item : module->items) {
    auto *kernel = ast::dynCast<ast::KernelItem>(item);
    std::vector<CheckCase> cases;
    std::vector<Diagnostic> exclusions;
    if (!kernel || !readCheckCases(session, *kernel, {}, cases, exclusions) || cases.empty())
      continue;
    IrgenOptions options = irgenOptionsOf(*kernel, cases.back(), {});
    for (const CheckField &field : cases.back().shape)
      if (options.expressions.count(field.name)) // numbers, as arguments give them
        options.values[field.name] = field.text;
    Configuration first{listConfigurations(session, *module, *kernel, options).front().values};
    for (const char *name : {"sm_90a", "sm_80"}) {
      Estimate estimate = estimateConfiguration(session, *module, *kernel, options, first, *findTarget(name));
      EXPECT_EQ(estimate.rejection, "") << kernel->name.text << " on " << name;
      EXPECT_TRUE(std::isfinite(estimate.microseconds)) << kernel->name.text << " on " << name;
      EXPECT_GE(estimate.terms, 1) << kernel->name.text;
      EXPECT_GE(estimate.programsPerSm, 1) << kernel->name.text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sources, EveryKernel, testing::ValuesIn(sources()), [](const auto &info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

} // namespace
