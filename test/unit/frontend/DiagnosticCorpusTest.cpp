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

class DiagnosticFixes : public testing::TestWithParam<fs::path> {};

/// What a help offers as an edit ends the fault.
TEST_P(DiagnosticFixes, EndTheirFaults) {
  std::string text = readFile(GetParam());
  SourceManager sources;
  DiagnosticEngine before;
  parse(sources, sources.add("before", text), before);
  for (const Diagnostic *diagnostic : before.sorted()) {
    if (!diagnostic->fix)
      continue;
    DiagnosticEngine after;
    parse(sources, sources.add("after", edited(text, *diagnostic->fix)), after);
    expectFixed(*diagnostic, before.errorCount(), after);
  }
}
INSTANTIATE_TEST_SUITE_P(Programs, DiagnosticFixes, testing::ValuesIn(corpusPrograms(isOurs)), corpusTestName);

TEST(DiagnosticCorpus, HasAProgramForEveryCode) { expectAProgramForEveryCode(isOurs); }
