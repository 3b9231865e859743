#include "frontend/parse/Literals.h"

#include "frontend/diagnostic/DisplayLine.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

using namespace tile;
using namespace tile::syntax;

/// Reports the tail of a number that is no part of it.
static void reportTail(const Source &source, SourceRange tail, unsigned base) {
  std::string_view text = source.sources.text(tail);
  if (text.empty()) {
    source.engine.report(Code::E0006, {tail.file, tail.begin - 2, tail.begin},
                         "found no digits after `" + std::string(source.text.substr(tail.begin - 2, 2)) + "`");
    return;
  }
  bool isDigit = text[0] >= '0' && text[0] <= '9';
  std::string found = "found `" + std::string(text) + "` after a number";
  if (isDigit)
    found = "found `" + std::string(text.substr(0, 1)) + "` in a number of base " + std::to_string(base);
  source.engine.report(Code::E0006, tail, found)
      .help(isDigit ? "digits of base " + std::to_string(base) + " are `0` to `" + std::to_string(base - 1) + "`"
                    : "a number has no suffix; it takes its type from the other operand, or from `as`: `1 as f32`");
}

std::optional<uint64_t> syntax::integerValue(const Source &source, SourceRange range) {
  std::string_view text = source.sources.text(range);
  unsigned base = 10;
  uint32_t at = 0;
  if (text.size() > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'b' || text[1] == 'o')) {
    base = text[1] == 'x' ? 16 : text[1] == 'b' ? 2 : 8;
    at = 2;
  }
  uint32_t first = at;
  uint64_t value = 0;
  bool isTooLarge = false;
  for (; at < text.size(); ++at) {
    char c = text[at];
    if (c == '_' && at > first)
      continue;
    unsigned digit = c >= '0' && c <= '9'                 ? c - '0'
                     : base == 16 && c >= 'a' && c <= 'f' ? c - 'a' + 10
                     : base == 16 && c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                          : 99;
    if (digit >= base)
      break;
    isTooLarge |= value > (UINT64_MAX - digit) / base;
    value = value * base + digit;
  }
  if (at < text.size() || at == first) {
    if (base == 10) // `1.0f`: the digits of a float are no part of the tail
      at = static_cast<uint32_t>(std::min(text.find_first_not_of("0123456789_.", at), text.size()));
    reportTail(source, {range.file, range.begin + at, range.end}, base);
    return std::nullopt;
  }
  if (isTooLarge) {
    DiagnosticBuilder fault = source.engine.report(
        Code::E0007, range, "the number is 2^64 or more; the largest integer is 18446744073709551615");
    if (base == 10)
      fault.help("with `.0` it is a float");
    return std::nullopt;
  }
  return value;
}

std::optional<double> syntax::floatValue(const Source &source, SourceRange range, std::string &spelling) {
  spelling = source.sources.text(range);
  spelling.erase(std::remove(spelling.begin(), spelling.end(), '_'), spelling.end());
  double value = 0;
  auto [end, error] = std::from_chars(spelling.data(), spelling.data() + spelling.size(), value);
  if (error != std::errc::result_out_of_range)
    return value;
  // Too large or too small; strtod tells which, as the nearest double.
  value = std::strtod(spelling.c_str(), nullptr);
  if (std::isfinite(value))
    return value;
  source.engine
      .report(Code::E0007, range, "the number is too large for any float type; the largest f64 is about 1.8e308")
      .help("infinity is `inf`");
  return std::nullopt;
}

std::string syntax::stringValue(const Source &source, SourceRange range) {
  std::string_view text = source.sources.text(range).substr(1);
  if (!text.empty() && text.back() == '"')
    text.remove_suffix(1);
  std::string value;
  for (uint32_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      value += text[i];
      continue;
    }
    char c = text[++i];
    switch (c) {
    case 'n':
      value += '\n';
      break;
    case 't':
      value += '\t';
      break;
    case '0':
      value += '\0';
      break;
    case '"':
    case '\\':
      value += c;
      break;
    default: {
      uint32_t begin = range.begin + i; // of the backslash; the quote makes up for the step past it
      uint32_t length = decodeUtf8(text.substr(i)).length;
      source.engine
          .report(Code::E0005, {range.file, begin, begin + 1 + length},
                  "found `\\" + std::string(text.substr(i, length)) +
                      "` in a string; expected `\\n`, `\\t`, `\\0`, `\\\"` or `\\\\`")
          .help("a backslash itself is written `\\\\`");
      i += length - 1;
    }
    }
  }
  return value;
}
