// Texts that are not PTX: recorded modules cut, doubled and sprinkled with other bytes and tokens, every prefix of one,
// and noise. The parser ends, with a module or a message at a place in the text. Seeds are fixed; TILE_FUZZ_TEXTS says
// how many are tried.
#include "ParsePtx.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstdlib>
#include <random>

using namespace tile::sim::ptx;
using namespace tile::sim::test;

static const char *const kPieces[] = {
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "{{",
    "}}",
    ",",
    ";",
    ":",
    "=",
    "<",
    ">",
    "+",
    "-",
    "|",
    "||",
    "@",
    "@!",
    "!",
    "~",
    "?",
    "%",
    "%r",
    "%r1",
    "%p|%q",
    "_",
    "$L__BB0_1",
    "$L__BB0_1:",
    ".",
    "..",
    "::",
    ".5",
    "1e",
    "1e-9",
    "0x",
    "0f3F800000",
    "0d",
    "99999999999",
    "\"",
    "/*",
    "*/",
    "//",
    "\n",
    "\r\n",
    "\xC3",
    ".reg .b32 x;",
    ".reg .v4 .f32 v;",
    ".b8",
    ".pred",
    ".v4",
    ".align",
    ".global",
    ".extern",
    ".shared .b8 s[4] = {1,2};",
    ".param",
    ".ptr",
    ".loc 1",
    ".file",
    ".func",
    ".entry",
    ".alias a,b;",
    ".section",
    ".pragma",
    "call (r), f, (a), p;",
    "generic(",
    "0xff(",
    "WARP_SZ",
    "T: .branchtargets L;",
    "P: .callprototype _ ();",
    "v.x",
    "[]",
    "[2][3]",
    "= {{1},{2}}",
    "<9>",
};

static size_t fuzzTexts(size_t preset) {
  const char *setting = std::getenv("TILE_FUZZ_TEXTS");
  return setting ? std::strtoull(setting, nullptr, 10) : preset;
}

/// Whatever comes out, its parts can be looked at.
static void tryToParse(std::string_view text) {
  // Without slack behind the text, reading past its end is seen by the address sanitizer.
  std::vector<char> exact(text.begin(), text.end());
  Parsed result = parse(std::string_view(exact.data(), exact.size()));
  if (!result) {
    const ParseError &error = result.error();
    ASSERT_FALSE(error.message.empty());
    ASSERT_GE(error.line, 1u);
    ASSERT_LE(error.line, 1u + std::count(text.begin(), text.end(), '\n'));
    ASSERT_GE(error.column, 1u);
    ASSERT_LE(error.column, text.size() + 1);
    return;
  }
  for (const Function &function : result->functions) {
    ASSERT_EQ(result->find(function.name) == nullptr, false);
    for (auto &[label, position] : function.labels)
      ASSERT_LE(position, function.instructions.size());
  }
  for (const Variable &variable : result->variables)
    ASSERT_TRUE(variable.initial.empty() || variable.initial.size() == variable.bytes) << variable.name;
}

static std::string mutate(std::string text, const std::vector<RecordedPtx> &corpus, std::mt19937 &random) {
  auto below = [&](size_t n) { return n ? random() % n : 0; };
  // A short stretch is tried as often as a long one, and takes far less time.
  if (text.size() > 2000 && below(8))
    text.erase(500 + below(200), below(text.size() - 1000));
  for (size_t i = 0, count = 1 + below(6); i < count; ++i) {
    size_t at = below(text.size() + 1), length = below(std::min<size_t>(text.size() - at, 40) + 1);
    switch (below(6)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, kPieces[below(std::size(kPieces))]);
      break;
    case 2:
      text.insert(at, text.substr(below(text.size() + 1), below(60)));
      break;
    case 3:
      if (at < text.size())
        text[at] = static_cast<char>(random());
      break;
    case 4: {
      const std::string &other = corpus[below(corpus.size())].text;
      text.insert(at, other.substr(below(other.size() + 1), below(80)));
      break;
    }
    default:
      if (below(3) == 0)
        text.resize(at);
    }
  }
  return text;
}

TEST(PtxFuzz, MutatedModules) {
  std::vector<RecordedPtx> corpus = recordedPtx();
  ASSERT_FALSE(corpus.empty());
  for (unsigned seed = 0; seed < fuzzTexts(5000); ++seed) {
    std::mt19937 random(seed);
    std::string text = mutate(corpus[random() % corpus.size()].text, corpus, random);
    ASSERT_NO_FATAL_FAILURE(tryToParse(text)) << "seed " << seed << "\n" << text;
  }
}

TEST(PtxFuzz, EveryPrefix) {
  for (const RecordedPtx &ptx : recordedPtx()) {
    if (ptx.path != TILE_FOREIGN_PTX_DIR "/features.ptx")
      continue;
    for (size_t size = 0; size <= ptx.text.size(); ++size)
      ASSERT_NO_FATAL_FAILURE(tryToParse(std::string_view(ptx.text).substr(0, size))) << size;
  }
}

TEST(PtxFuzz, TokensInAnyOrder) {
  for (unsigned seed = 0; seed < fuzzTexts(20000); ++seed) {
    std::mt19937 random(seed);
    bool isBody = random() % 2;
    std::string text;
    for (size_t i = 0, count = random() % 30; i < count; ++i)
      text.append(kPieces[random() % std::size(kPieces)]).append(random() % 4 ? " " : "");
    ASSERT_NO_FATAL_FAILURE(tryToParse(isBody ? kernelOf(text) : moduleOf(text))) << "seed " << seed << "\n" << text;
  }
}

TEST(PtxFuzz, RandomBytes) {
  for (unsigned seed = 0; seed < fuzzTexts(20000); ++seed) {
    std::mt19937 random(seed);
    std::string text(random() % 60, '\0');
    for (char &c : text)
      c = static_cast<char>(random());
    ASSERT_NO_FATAL_FAILURE(tryToParse(random() % 2 ? kernelOf(text) : text)) << "seed " << seed;
  }
}
