// Wrong programs and what is said about them by the stages that need no LLVM: the files of codes below E0100 and W0100.
#include "Corpus.h"

#include "frontend/diagnostic/Render.h"
#include "frontend/parse/Parse.h"

#include <sstream>

using namespace tile;
using namespace tile::test;
namespace fs = std::filesystem;

static bool isOurs(std::string_view code) { return code.size() > 3 && code.substr(1, 2) == "00"; }

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

TEST_P(DiagnosticCorpus, SaysExactly) { expectSaysExactly(GetParam(), diagnose(GetParam())); }
INSTANTIATE_TEST_SUITE_P(Programs, DiagnosticCorpus, testing::ValuesIn(corpusPrograms(isOurs)), corpusTestName);

TEST(DiagnosticCorpus, HasAProgramForEveryCode) { expectAProgramForEveryCode(isOurs); }
