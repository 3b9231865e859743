// From bytes to tokens: runs the generated lexer and reports what is no token. A line with such a fault is muted.
#include "frontend/diagnostic/DisplayLine.h"
#include "frontend/diagnostic/Utf8Text.h"
#include "frontend/parse/ByteStream.h"
#include "frontend/parse/TileLexer.h"
#include "frontend/parse/Tokens.h"

#include <algorithm>
#include <cstdio>

using namespace tile;
using namespace tile::syntax;

namespace {

/// Characters that come from other keyboards, editors or languages, and what to write for them.
struct Replacement {
  uint32_t codePoint;
  std::string_view help;
};
constexpr Replacement kReplacements[] = {
    {'#', "a comment begins with `//`"},
    {'\'', "a string stands in double quotes"},
    {'`', "a string stands in double quotes"},
    {'\\', "a statement goes on in the next line after an operator or a comma, or inside `(` or `[`"},
    {'$', "a name has letters, digits and `_`"},
    {0x00A0, "this is a no-break space; write a plain one"},
    {0x00B7, "write `*`"},
    {0x00D7, "write `*`"},
    {0x2013, "write `-`"},
    {0x2014, "write `-`"},
    {0x2018, "a string stands in double quotes, `\"`"},
    {0x2019, "a string stands in double quotes, `\"`"},
    {0x201C, "write a plain `\"`"},
    {0x201D, "write a plain `\"`"},
    {0x2026, "write `..`"},
    {0x2192, "write `->`"},
    {0x21D2, "write `=>`"},
    {0x2212, "write `-`"},
    {0x221E, "write `inf`"},
    {0x2260, "write `!=`"},
    {0x2264, "write `<=`"},
    {0x2265, "write `>=`"},
};

class LexRun {
public:
  explicit LexRun(const Source &source) : source(source) {}
  TokenList run();

private:
  void checkText();
  void add(uint32_t type, uint32_t begin, uint32_t end);
  void reportUnknown(uint32_t begin, Utf8Unit unit);

  const Source &source;
  TokenList list;
  uint32_t scanned = 0; // how far line ends were looked for
};

} // namespace

void syntax::muteLine(const Source &source, MutedRanges &muted, uint32_t offset) {
  uint32_t line = source.sources.lineColumn(source.file, offset).line;
  uint32_t begin = source.sources.lineBegin(source.file, line);
  muted.add(begin, begin + static_cast<uint32_t>(source.sources.line(source.file, line).size()));
}

void LexRun::checkText() {
  BadBytes bad = reportBadBytes(source.sources, source.file, source.engine, source.begin);
  for (uint32_t begin : bad.begins)
    muteLine(source, list.muted, begin);
  list.isUnreadable = bad.isBinary && !bad.begins.empty();
}

void LexRun::reportUnknown(uint32_t begin, Utf8Unit unit) {
  SourceRange range = source.range(begin, begin + unit.length);
  std::string name(source.spelling({0, begin, begin + unit.length}));
  char number[16];
  std::snprintf(number, sizeof number, "U+%04X", unit.codePoint);
  bool isVisible = unit.codePoint > 0x20 && unit.codePoint != 0x7F && unit.codePoint != 0xA0;
  std::string found = isVisible ? "`" + name + "`" : std::string("the character ") + number;
  if (list.muted.contains(begin))
    return;
  DiagnosticBuilder report = source.engine.report(Code::E0003, range, "found " + found + ", which begins no token");
  for (const Replacement &replacement : kReplacements)
    if (replacement.codePoint == unit.codePoint)
      report.help(std::string(replacement.help));
  bool isLetter = unit.codePoint >= 0xC0 && unit.codePoint < 0x2000 && unit.codePoint != 0xD7;
  if (isLetter)
    report.help("a name has letters `a` to `z`, digits and `_`");
  muteLine(source, list.muted, begin);
  uint32_t line = source.sources.lineColumn(source.file, begin).line;
  if (unit.codePoint == '\\' && line < source.sources.lineCount(source.file)) // the next line was meant to go on
    muteLine(source, list.muted, source.sources.lineBegin(source.file, line + 1));
}

void LexRun::add(uint32_t type, uint32_t begin, uint32_t end) {
  Lexeme lexeme{type, begin, end};
  lexeme.startsLine = list.tokens.empty();
  for (; scanned < begin; ++scanned)
    lexeme.startsLine |= source.text[scanned] == '\n' || source.text[scanned] == '\r';
  scanned = end;
  list.tokens.push_back(lexeme);
}

TokenList LexRun::run() {
  checkText();
  uint32_t first = std::max(byteOrderMarkLength(source.text), source.begin);
  scanned = source.begin;
  if (list.isUnreadable)
    first = static_cast<uint32_t>(source.text.size());
  ByteStream stream(source.text, first);
  TileLexer lexer(&stream);
  lexer.removeErrorListeners();
  uint32_t unknownEnd = 0; // the last unknown character reaches here
  for (;;) {
    std::unique_ptr<antlr4::Token> token = lexer.nextToken();
    auto begin = static_cast<uint32_t>(token->getStartIndex());
    auto end = static_cast<uint32_t>(token->getStopIndex() + 1);
    size_t type = token->getType();
    if (type == antlr4::Token::EOF)
      break;
    switch (type) {
    case TileLexer::DOC:
      list.docs.push_back({static_cast<uint32_t>(list.tokens.size()), source.range(begin, end)});
      break;
    case TileLexer::BAD: {
      if (begin < unknownEnd)
        break;
      Utf8Unit unit = decodeUtf8(source.text.substr(begin));
      unknownEnd = begin + unit.length;
      if (unit.isValid && unit.codePoint != 0)
        reportUnknown(begin, unit);
      break;
    }
    case TileLexer::OPEN_COMMENT:
      source.engine.report(Code::E0014, source.range(begin, end), "found `/*` without `*/`; comments begin with `//`");
      list.muted.add(begin, static_cast<uint32_t>(source.text.size()));
      stream.seek(source.text.size());
      break;
    case TileLexer::BLOCK_COMMENT:
      source.engine.report(Code::E0014, source.range(begin, end), "found `/* … */`; comments begin with `//`")
          .help("put `//` before each line");
      list.muted.add(begin, end);
      break;
    case TileLexer::OPEN_STRING:
      source.engine.report(Code::E0004, source.range(begin, end), "found the end of the line; expected `\"`")
          .label("this string has no end")
          .help("a string ends on its line; write `\\n` for a line end in it");
      muteLine(source, list.muted, begin);
      add(TileLexer::STRING, begin, end);
      break;
    case TileLexer::BAD_NUMBER:
      // Reported when its value is taken; see Literals.cpp.
      add(TileLexer::INT, begin, end);
      break;
    default:
      add(static_cast<uint32_t>(type), begin, end);
    }
  }
  auto end = static_cast<uint32_t>(source.text.size());
  add(kEndOfFile, end, end);
  warnOfFloorDivision(source, list);
  return std::move(list);
}

TokenList syntax::lex(const Source &source) { return LexRun(source).run(); }
