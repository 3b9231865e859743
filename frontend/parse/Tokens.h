// Tokens on their way to the parser: the lexer's output, and what the token filter makes of it.
#ifndef FRONTEND_PARSE_TOKENS_H
#define FRONTEND_PARSE_TOKENS_H

#include "frontend/diagnostic/Diagnostic.h"

#include <vector>

namespace tile::syntax {

/// The type of the last token of a list; ANTLR's EOF in 32 bits.
constexpr uint32_t kEndOfFile = UINT32_MAX;

/// A token: a TileParser type and the bytes it covers.
struct Lexeme {
  uint32_t type = 0;
  uint32_t begin = 0;
  uint32_t end = 0;
  /// Brackets open around it, the same for an opener and its closer. Set by the filter.
  uint32_t depth = 0;
  /// Stands first on its line. Set by the lexer.
  bool startsLine = false;
};

/// A `///` line; `token` is the first token after it.
struct DocLine {
  uint32_t token;
  SourceRange range;
};

/// Bytes in which a fault was reported already, so that the parser keeps silent about what follows from it.
class MutedRanges {
public:
  void add(uint32_t begin, uint32_t end) { ranges.push_back({begin, end}); }
  bool contains(uint32_t offset) const {
    for (const Range &range : ranges)
      if (offset >= range.begin && offset <= range.end)
        return true;
    return false;
  }

private:
  struct Range {
    uint32_t begin, end;
  };
  std::vector<Range> ranges;
};

struct TokenList {
  std::vector<Lexeme> tokens; // ends with an EOF token
  std::vector<DocLine> docs;
  MutedRanges muted;
  bool isTooDeep = false;    // reported; not to be parsed
  bool isUnreadable = false; // reported; has no tokens
};

/// Text, file and engine: what the stages before the parser share.
struct Source {
  const SourceManager &sources;
  FileId file;
  std::string_view text;
  DiagnosticEngine &engine;
  uint32_t begin = 0; // what stands before is not lexed

  SourceRange range(uint32_t begin, uint32_t end) const { return {file, begin, end}; }
  SourceRange range(const Lexeme &lexeme) const { return {file, lexeme.begin, lexeme.end}; }
  std::string_view spelling(const Lexeme &lexeme) const { return text.substr(lexeme.begin, lexeme.end - lexeme.begin); }
};

/// Mutes the line of `offset`.
void muteLine(const Source &source, MutedRanges &muted, uint32_t offset);

/// Whether a token of this type is an operand by itself: a name or a literal.
bool isOperand(uint32_t type);

/// Whether a token of this type can end an operand, so that an operator or a bracket after it belongs to it.
bool endsOperand(uint32_t type);

/// Cuts the text into tokens. Reports bytes that are no text and characters that begin no token, and leaves them out.
TokenList lex(const Source &source);

/// Warns of comments that are meant as Python's floor division, `a // b`.
void warnOfFloorDivision(const Source &source, const TokenList &lexed);

/// Turns the lexer's tokens into the parser's; grammar/README.md lists the rules. Afterwards all brackets are balanced:
/// a missing one is reported and supplied, a surplus one reported and dropped.
TokenList filterTokens(const Source &source, const TokenList &lexed);

} // namespace tile::syntax

#endif // FRONTEND_PARSE_TOKENS_H
