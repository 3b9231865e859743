/// The model against what was measured: of each recorded space one of the configurations that it expects to be fastest
/// is as good as the fastest.
#include "runtime/artifact/File.h"
#include "test/unit/runtime/search/Searching.h"

#include "llvm/Support/JSON.h"

#include "gtest/gtest.h"

#include <filesystem>

using namespace tile;
using namespace tile::test;

namespace {

/// How many configurations are measured, and how much slower than the best of all the best of them may be.
constexpr size_t kMeasured = 8;
constexpr double kSlower = 1.05;

std::string textOf(const llvm::json::Value &value) {
  if (auto text = value.getAsString())
    return text->str();
  return std::to_string(*value.getAsInteger());
}

struct Timed {
  RankedConfiguration ranked;
  double microseconds; ///< 0: not measured
};

/// The configurations of a recorded space in the model's order.
std::vector<Timed> rank(const llvm::json::Object &space) {
  std::map<std::string, std::string> values;
  for (const char *given : {"defines", "dims"})
    for (const auto &[name, value] : *space.getObject(given))
      values[name.str()] = textOf(value);
  auto searched = Searched::example(space.getString("kernel")->str(), std::move(values));
  Space all;
  std::map<std::string, double> times;
  for (const llvm::json::Value &row : *space.getArray("configurations")) {
    Configuration configuration;
    for (const auto &[name, value] : *row.getAsObject()->getObject("values"))
      configuration.values.emplace_back(name.str(), textOf(value));
    times[configuration.describe()] = row.getAsObject()->getNumber("us").value_or(0);
    all.all.push_back(std::move(configuration));
  }
  auto ranking = searched->rank(all);
  std::vector<Timed> result;
  for (RankedConfiguration &one : *ranking)
    result.push_back({one, times[one.configuration.describe()]});
  return result;
}

class RecordedSpaces : public testing::TestWithParam<std::string> {};

TEST_P(RecordedSpaces, TheModelsBestHoldOneThatIsNearTheMeasuredBest) {
  auto record = llvm::json::parse(*readFile(GetParam(), 1 << 24));
  ASSERT_TRUE(static_cast<bool>(record));
  for (const llvm::json::Value &space : *record->getAsObject()->getArray("spaces")) {
    std::vector<Timed> ranking = rank(*space.getAsObject());
    double best = 0, bestOfFew = 0;
    std::string text;
    llvm::raw_string_ostream out(text);
    out << *space.getAsObject()->getString("kernel") << ' ' << *space.getAsObject()->get("dims") << '\n';
    for (const auto &[i, one] : llvm::enumerate(ranking)) {
      bool isBetter = one.microseconds && (!best || one.microseconds < best);
      best = isBetter ? one.microseconds : best;
      if (i + 1 == kMeasured)
        bestOfFew = best;
      out << llvm::format("%10.1f us measured", one.microseconds);
      printRanking({one.ranked}, /*top=*/1, out);
    }
    EXPECT_LE(bestOfFew, best * kSlower) << text;
    if (std::getenv("TILE_PRINT_RANKING")) // to look at what the model makes of a space
      std::printf("%s", text.c_str());
  }
}

std::vector<std::string> records() {
  std::vector<std::string> paths;
  for (const auto &entry : std::filesystem::directory_iterator(TILE_RESULTS_DIR))
    if (llvm::StringRef(entry.path().string()).ends_with("-spaces.json"))
      paths.push_back(entry.path().string());
  return paths;
}

INSTANTIATE_TEST_SUITE_P(Records, RecordedSpaces, testing::ValuesIn(records()), [](const auto &info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  llvm::erase_if(name, [](char c) { return !llvm::isAlnum(c); });
  return name;
});

} // namespace
