// Wrong programs that parse, and what irgen says about them: every `CODE-slug.tile` in test/frontend/diagnostics with a
// code of irgen is compiled, and the rendered diagnostics are compared with `CODE-slug.expected`. A first line
// `// -D NAME=VALUE` or `// --kernel NAME` gives options. With TILE_UPDATE_EXPECTED set the expected files are written
// instead, to be read before they are committed.
#include "Generating.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

using namespace tile;
using namespace tile::test;
namespace fs = std::filesystem;

/// E01xx to E05xx, E09xx, W03xx and W04xx; E0999 says that the compiler is at fault, which no program should provoke.
static bool isOurs(std::string_view code) {
  std::string_view family = code.substr(0, 3);
  bool isError = family[0] == 'E' && ((family[1] == '0' && family[2] >= '1' && family[2] <= '5') || family == "E09");
  return (isError || family == "W03" || family == "W04") && code.substr(0, 5) != "E0999";
}

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

/// The options of the first line.
static IrgenOptions optionsOf(const std::string &text) {
  IrgenOptions options;
  std::istringstream words(text.substr(0, text.find('\n')));
  std::string word, value;
  words >> word;
  if (word != "//")
    return options;
  while (words >> word >> value) {
    if (word == "--kernel")
      options.kernel = value;
    if (word == "-D")
      options.values[value.substr(0, value.find('='))] = value.substr(value.find('=') + 1);
  }
  return options;
}

static std::string diagnose(const fs::path &path) {
  fs::current_path(path.parent_path()); // imports are found beside the file, whose name has no folder
  std::string text = readFile(path);
  Generated generated(text, optionsOf(text), path.filename().string());
  return generated.errors();
}

class IrgenDiagnostics : public testing::TestWithParam<fs::path> {};

TEST_P(IrgenDiagnostics, SaysExactly) {
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
INSTANTIATE_TEST_SUITE_P(Programs, IrgenDiagnostics, testing::ValuesIn(programs()), testName);

TEST(IrgenDiagnostics, EveryCodeHasAProgram) {
  std::set<std::string> covered;
  for (const fs::path &path : programs())
    covered.insert(path.filename().string().substr(0, 5));
  for (const CodeInfo &info : allCodes())
    if (isOurs(info.name))
      EXPECT_TRUE(covered.count(std::string(info.name))) << info.name << " has no program";
}
