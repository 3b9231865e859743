// Programs with slips: words, numbers and operators of the examples and test programs are swapped for others of their
// kind, which mostly still parse. Whatever comes of it, irgen neither crashes nor blames itself.
#include "Generating.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <random>

using namespace tile;
using namespace tile::test;
namespace fs = std::filesystem;

static std::vector<std::string> programs() {
  std::vector<std::string> texts;
  for (const char *folder : {TILE_EXAMPLES_DIR, TILE_PROGRAMS_DIR, TILE_DIAGNOSTICS_DIR})
    for (const fs::directory_entry &entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".tile") {
        std::ifstream in(entry.path(), std::ios::binary);
        texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
      }
  std::sort(texts.begin(), texts.end());
  return texts;
}

static bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Words and single signs, with the blanks between them.
static std::vector<std::string> tokensOf(const std::string &text) {
  std::vector<std::string> tokens;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (isWord(text[i]))
      while (end < text.size() && isWord(text[end]))
        ++end;
    tokens.push_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

/// Tokens of one kind may stand for each other; none for those that stay.
static int kindOf(const std::string &token) {
  static const std::string operators = "+-*/%@&|^<>";
  if (std::isdigit(static_cast<unsigned char>(token[0])))
    return 1;
  if (isWord(token[0]))
    return 2;
  return token.size() == 1 && operators.find(token) != std::string::npos ? 3 : 0;
}

TEST(IrgenFuzz, NeitherCrashesNorBlamesItself) {
  std::vector<std::string> texts = programs();
  ASSERT_FALSE(texts.empty());
  std::vector<std::string> pools[4];
  for (const std::string &text : texts)
    for (const std::string &token : tokensOf(text))
      pools[kindOf(token)].push_back(token);
  for (const char *number : {"0", "1", "3", "7", "1000000", "4294967296", "1e30"})
    pools[1].push_back(number);
  std::mt19937 random(20240711);
  auto below = [&](size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random); };
  unsigned generated = 0;
  for (unsigned trial = 0; trial < 2000; ++trial) {
    std::vector<std::string> tokens = tokensOf(texts[below(texts.size())]);
    for (size_t slips = 1 + below(2); slips > 0 && !tokens.empty();) {
      std::string &token = tokens[below(tokens.size())];
      if (int kind = kindOf(token)) {
        token = pools[kind][below(pools[kind].size())];
        --slips;
      }
    }
    std::string text;
    for (const std::string &token : tokens)
      text += token;
    bool isSpec = below(4) == 0;
    Generated program(text, isSpec ? with({{"M", "8"}, {"N", "16"}}) : with({{"N", "64"}}), "t.tile",
                      isSpec ? Generated::What::Specs : Generated::What::Kernels);
    generated += bool(program.module);
    EXPECT_EQ(program.errors().find("[E0999]"), std::string::npos) << program.errors() << text;
  }
  // The slips are small enough that some programs survive them.
  EXPECT_GT(generated, 10u);
}
