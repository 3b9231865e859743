// Wrong programs and what is said about them: every `CODE-slug.tile` in test/frontend/diagnostics is run through the
// frontend, and the rendered diagnostics are compared with `CODE-slug.expected`. With TILE_UPDATE_EXPECTED set the
// expected files are written instead, to be read before they are committed.
//
// This program runs the stages that need no LLVM, so it takes the files of codes below E0100 and W0100.
#include "frontend/diagnostic/Render.h"
#include "frontend/parse/Parse.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

using namespace tile;
namespace fs = std::filesystem;

static bool isOurs(std::string_view code) { return code.size() > 3 && code.substr(1, 2) == "00"; }

static std::vector<fs::path> programs() {
  std::vector<fs::path> result;
  for (const fs::directory_entry &entry : fs::directory_iterator(TILE_DIAGNOSTICS_DIR))
    if (entry.path().extension() == ".tile" && isOurs(entry.path().filename().string()))
      result.push_back(entry.path());
  std::sort(result.begin(), result.end());
  return result;
}

static std::string readFile(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

static std::string diagnose(const fs::path &path) {
  SourceManager sources;
  DiagnosticEngine engine;
  FileId file = sources.add(path.filename().string(), readFile(path));
  parse(sources, file, engine);
  std::ostringstream out;
  renderText(out, sources, engine);
  return out.str();
}

class DiagnosticCorpus : public testing::TestWithParam<fs::path> {};

TEST_P(DiagnosticCorpus, SaysExactly) {
  fs::path expectedPath = GetParam();
  expectedPath.replace_extension(".expected");
  std::string actual = diagnose(GetParam());
  if (std::getenv("TILE_UPDATE_EXPECTED"))
    std::ofstream(expectedPath, std::ios::binary) << actual;
  EXPECT_EQ(actual, readFile(expectedPath));
  std::string code = GetParam().filename().string().substr(0, 5);
  EXPECT_NE(actual.find("[" + code + "]"), std::string::npos) << code << " is not reported";
}

static std::string testName(const testing::TestParamInfo<fs::path> &info) {
  std::string name = info.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Programs, DiagnosticCorpus, testing::ValuesIn(programs()), testName);

TEST(DiagnosticCorpus, HasAProgramForEveryCode) {
  std::set<std::string> covered;
  for (const fs::path &path : programs())
    covered.insert(path.filename().string().substr(0, 5));
  for (const CodeInfo &info : allCodes())
    if (isOurs(info.name))
      EXPECT_TRUE(covered.count(std::string(info.name))) << info.name << " has no program";
}
