// Syntax errors. ANTLR decides that a token does not fit; the words are ours: what was found, what was expected, and,
// for a slip that is recognised, how Tile says it (Slips.cpp). After an error the parser goes on with the next
// statement or item, so that a run reports several.
#ifndef FRONTEND_PARSE_SYNTAXERRORS_H
#define FRONTEND_PARSE_SYNTAXERRORS_H

#include "frontend/parse/TileParser.h"
#include "frontend/parse/Tokens.h"

namespace tile::syntax {

/// A token that does not fit, and where the parser was.
struct Fault {
  const Source &source;
  const std::vector<Lexeme> &tokens;
  size_t index; // of the token
  const antlr4::ParserRuleContext *context;
  const antlr4::misc::IntervalSet &expected;
  const antlr4::dfa::Vocabulary &vocabulary;

  /// The token `offset` after the one at fault; END before the first and after the last.
  Lexeme at(int offset = 0) const;
  uint32_t type(int offset = 0) const { return at(offset).type; }
  std::string_view text(int offset = 0) const { return source.spelling(at(offset)); }
  bool touches(int first, int second) const { return at(first).end == at(second).begin; }
  bool expects(uint32_t type) const {
    return expected.contains(type == kEndOfFile ? antlr4::Token::EOF : static_cast<size_t>(type));
  }
  /// Whether the parser is in rule `rule`, at any depth up to the innermost statement or item.
  bool isInside(size_t rule) const;
  /// Whether the token at `offset` is the first of a statement or item.
  bool beginsStatement(int offset) const;
};

/// "`x`", "the end of the line".
std::string describeFound(const Fault &fault);
/// "`,` or `)`", "an expression".
std::string describeExpected(const Fault &fault);
/// Reports `fault` if it is a slip that is known.
bool reportSlip(const Fault &fault);

class SyntaxErrors final : public antlr4::ANTLRErrorStrategy {
public:
  SyntaxErrors(const Source &source, const TokenList &list) : source(source), list(list) {}

  void reset(antlr4::Parser *) override {}
  antlr4::Token *recoverInline(antlr4::Parser *parser) override;
  void recover(antlr4::Parser *parser, std::exception_ptr error) override;
  void sync(antlr4::Parser *parser) override;
  bool inErrorRecoveryMode(antlr4::Parser *) override { return false; }
  void reportError(antlr4::Parser *parser, const antlr4::RecognitionException &error) override;
  void reportMatch(antlr4::Parser *) override {}

private:
  void report(antlr4::Parser *parser);
  void skipMember(antlr4::Parser *parser, uint32_t depth, size_t rule);

  const Source &source;
  const TokenList &list;
  antlr4::misc::IntervalSet optional; // what could stand at token `optionalAt` beside what must
  size_t optionalAt = SIZE_MAX;
  bool isReported = false;       // of the exception under way
  bool isLastItemBroken = false; // a broken item's remains are not reported again
};

} // namespace tile::syntax

#endif // FRONTEND_PARSE_SYNTAXERRORS_H
