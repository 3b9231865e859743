/// The wrong programs of test/frontend/diagnostics: every `CODE-slug.tile` with what is said about it in
/// `CODE-slug.expected`. With TILE_UPDATE_EXPECTED set the expected files are written instead, to be read before they
/// are committed.
#ifndef TEST_UNIT_FRONTEND_CORPUS_H
#define TEST_UNIT_FRONTEND_CORPUS_H

#include "frontend/diagnostic/Diagnostic.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tile::test {

/// The code that a program is named for.
inline std::string codeOf(const std::filesystem::path &path) { return path.filename().string().substr(0, 5); }

/// The programs of the codes that `isOurs` takes, in order.
inline std::vector<std::filesystem::path> corpusPrograms(bool isOurs(std::string_view code)) {
  std::vector<std::filesystem::path> result;
  for (const std::filesystem::directory_entry &entry : std::filesystem::directory_iterator(TILE_DIAGNOSTICS_DIR))
    if (entry.path().extension() == ".tile" && isOurs(codeOf(entry.path())))
      result.push_back(entry.path());
  std::sort(result.begin(), result.end());
  return result;
}

inline std::string readFile(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Expects that `actual` is what stands beside `program`, and names its code.
inline void expectSaysExactly(std::filesystem::path program, const std::string &actual) {
  std::string code = codeOf(program);
  program.replace_extension(".expected");
  if (std::getenv("TILE_UPDATE_EXPECTED"))
    std::ofstream(program, std::ios::binary) << actual;
  EXPECT_EQ(actual, readFile(program));
  EXPECT_NE(actual.find("[" + code + "]"), std::string::npos) << code << " is not reported";
}

/// `text` after the edit that `fix` asks for.
inline std::string edited(std::string text, const Fix &fix) {
  return text.replace(fix.range.begin, fix.range.end - fix.range.begin, fix.text);
}

/// Expects that what `engine` says after the edit of `fault` is no longer that fault, and not more than `errorsBefore`:
/// what was silent because of it may now be said.
inline void expectFixed(const Diagnostic &fault, unsigned errorsBefore, const DiagnosticEngine &engine) {
  const Fix &fix = *fault.fix;
  uint32_t place = fault.primary.range.begin;
  if (fix.range.end <= place)
    place += fix.text.size() - (fix.range.end - fix.range.begin);
  EXPECT_LE(engine.errorCount(), errorsBefore) << fault.message << "\n" << fault.help;
  for (const Diagnostic *left : engine.sorted())
    EXPECT_FALSE(left->message == fault.message && left->primary.range.begin == place) << fault.message << "\n"
                                                                                       << fault.help;
}

inline void expectAProgramForEveryCode(bool isOurs(std::string_view code)) {
  std::set<std::string> covered;
  for (const std::filesystem::path &path : corpusPrograms(isOurs))
    covered.insert(codeOf(path));
  for (const CodeInfo &info : allCodes())
    if (isOurs(info.name))
      EXPECT_TRUE(covered.count(std::string(info.name))) << info.name << " has no program";
}

inline std::string corpusTestName(const testing::TestParamInfo<std::filesystem::path> &info) {
  std::string name = info.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

} // namespace tile::test

#endif
