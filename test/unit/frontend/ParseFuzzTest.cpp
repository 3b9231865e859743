// Broken programs: the corpus is cut, doubled and sprinkled with other bytes and tokens. Whatever comes out, the parser
// ends, reports or not, and the report can be rendered. Seeds are fixed; TILE_FUZZ_SECONDS lengthens the run.
#include "Parsing.h"

#include "gtest/gtest.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

using namespace tile;
using namespace tile::test;

static std::vector<std::string> corpus() {
  std::vector<std::filesystem::path> paths;
  for (const char *folder : {TILE_PROGRAMS_DIR, TILE_DIAGNOSTICS_DIR})
    for (auto &entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".tile")
        paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const std::filesystem::path &path : paths) {
    std::ifstream in(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return texts;
}

static std::string mutate(std::string text, const std::vector<std::string> &texts, std::mt19937 &random) {
  static const std::vector<std::string> pieces = {"(",
                                                  ")",
                                                  "[",
                                                  "]",
                                                  "{",
                                                  "}",
                                                  "<",
                                                  ">",
                                                  ">>",
                                                  ",",
                                                  ";",
                                                  ":",
                                                  "=",
                                                  "==",
                                                  ":+",
                                                  "..",
                                                  ".",
                                                  "->",
                                                  "=>",
                                                  "else",
                                                  "if ",
                                                  "fn ",
                                                  "fn(",
                                                  "@",
                                                  "let ",
                                                  "kernel ",
                                                  "static ",
                                                  "\n",
                                                  "\"",
                                                  "/*",
                                                  "//",
                                                  "///",
                                                  "0x",
                                                  "1.",
                                                  "e9",
                                                  "none",
                                                  " as ",
                                                  "?",
                                                  "\t",
                                                  "\r\n",
                                                  "\xC3",
                                                  "\xE2\x80",
                                                  "\xEF\xBB\xBF",
                                                  "-",
                                                  "step ",
                                                  std::string(1, '\0')};
  auto below = [&](size_t n) { return n ? random() % n : 0; };
  for (size_t i = 0, count = 1 + below(6); i < count; ++i) {
    size_t at = below(text.size() + 1), length = below(std::min<size_t>(text.size() - at, 40) + 1);
    switch (below(6)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, pieces[below(pieces.size())]);
      break;
    case 2:
      text.insert(at, text.substr(below(text.size() + 1), below(60)));
      break;
    case 3:
      if (at < text.size())
        text[at] = static_cast<char>(random());
      break;
    case 4: {
      const std::string &other = texts[below(texts.size())];
      text.insert(at, other.substr(below(other.size() + 1), below(80)));
      break;
    }
    default:
      text.resize(at);
    }
  }
  return text;
}

TEST(ParseFuzz, AnyBytesEndInATree) {
  std::vector<std::string> texts = corpus();
  ASSERT_FALSE(texts.empty());
  // As many as a build under the sanitizers does in a few seconds, however loaded the machine is.
  constexpr unsigned kPrograms = 500;
  const char *setting = std::getenv("TILE_FUZZ_SECONDS");
  auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(setting ? std::atoi(setting) : 0);
  unsigned seed = 0;
  for (; seed < kPrograms || std::chrono::steady_clock::now() < limit; ++seed) {
    std::mt19937 random(seed);
    std::string text = mutate(texts[random() % texts.size()], texts, random);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    Parsed parsed(text);
    ASSERT_TRUE(parsed.result.module);
    ASSERT_EQ(parsed.result.hasErrors, parsed.engine.hasErrors());
    parsed.ast();
    parsed.errors();
    std::ostringstream json;
    renderJson(json, parsed.sources, parsed.engine);
    for (const Diagnostic *diagnostic : parsed.engine.sorted()) {
      ASSERT_LE(diagnostic->primary.range.begin, diagnostic->primary.range.end);
      ASSERT_LE(diagnostic->primary.range.end, text.size());
    }
  }
  RecordProperty("programs", static_cast<int>(seed));
}
