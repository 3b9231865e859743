// Wrong programs that parse, and what irgen says about them. A first line `// -D NAME=VALUE` or `// --kernel NAME`
// gives options, and `// --spec NAME` asks for the spec of a kernel.
#include "Corpus.h"
#include "Generating.h"

using namespace tile;
using namespace tile::test;
namespace fs = std::filesystem;

/// E01xx to E05xx, E09xx, W03xx and W04xx; E0999 says that the compiler is at fault, which no program should provoke.
static bool isOurs(std::string_view code) {
  std::string_view family = code.substr(0, 3);
  bool isError = family[0] == 'E' && ((family[1] == '0' && family[2] >= '1' && family[2] <= '5') || family == "E09");
  return (isError || family == "W03" || family == "W04") && code.substr(0, 5) != "E0999";
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
    if (word == "--kernel" || word == "--spec")
      options.kernel = value;
    if (word == "-D")
      options.values[value.substr(0, value.find('='))] = value.substr(value.find('=') + 1);
  }
  return options;
}

static std::string diagnose(const fs::path &path) {
  fs::current_path(path.parent_path()); // imports are found beside the file, whose name has no folder
  std::string text = readFile(path);
  bool isSpec = text.rfind("// --spec ", 0) == 0;
  Generated generated(text, optionsOf(text), path.filename().string(),
                      isSpec ? Generated::What::Specs : Generated::What::Kernels);
  return generated.errors();
}

class IrgenDiagnostics : public testing::TestWithParam<fs::path> {};

TEST_P(IrgenDiagnostics, SaysExactly) { expectSaysExactly(GetParam(), diagnose(GetParam())); }
INSTANTIATE_TEST_SUITE_P(Programs, IrgenDiagnostics, testing::ValuesIn(corpusPrograms(isOurs)), corpusTestName);

TEST(IrgenDiagnostics, EveryCodeHasAProgram) { expectAProgramForEveryCode(isOurs); }
