/// \file
/// Words of a PTX text, one ahead of the parser by two, and the first error. Reading past an error gives `End` for
/// ever, so that the parser needs no check after each step: its loops end at `End`. (PTX ISA 9.0, 4.1 to 4.5)
#ifndef BACKEND_SIMULATOR_PTX_LEXER_H
#define BACKEND_SIMULATOR_PTX_LEXER_H

#include "backend/simulator/ptx/Parser.h"

namespace tile::sim::ptx {

struct Token {
  enum class Kind : uint8_t {
    Word,   ///< `add`, `%r1`, `$L__BB0_2`, `_`
    Dotted, ///< `.global`, `.shared::cta`, `.2d`: `text` is without the dot
    Number, ///< `7U`, `0x1f`, `0f3F800000`, `1.5e-3`: `text` as written, not yet checked
    String, ///< `"a.cu"`: `text` is without the quotes
    Mark,   ///< `;`, `<<`
    End,
  };
  Kind kind = Kind::End;
  std::string_view text;
  unsigned line = 1, column = 1;

  bool is(std::string_view mark) const { return kind == Kind::Mark && text == mark; }
  bool isDotted(std::string_view name) const { return kind == Kind::Dotted && text == name; }
  bool isWord(std::string_view name) const { return kind == Kind::Word && text == name; }
  /// For messages: the source text in backticks, or `the end of the text`.
  std::string describe() const;
};

/// Tokens refer to the text they were read from.
class Tokens {
public:
  explicit Tokens(std::string_view text);

  const Token &peek() const { return first; }
  const Token &peekSecond() const { return second; }
  Token next();
  /// Takes the next token if it is `mark`.
  bool accept(std::string_view mark);
  /// Takes `mark`, or fails with it as what was expected.
  void expect(std::string_view mark);
  /// Takes a token of `kind`; `what` names it in the error.
  Token expect(Token::Kind kind, std::string_view what);

  /// Only the first failure is kept.
  void fail(const Token &at, std::string message);
  /// Found the next token, expected `what`.
  void failExpected(std::string_view what);
  bool failed() const { return failure.has_value(); }
  const ParseError &error() const { return *failure; }

private:
  friend class Nesting;

  Token scan();
  bool skipBlanks();
  Token take(Token::Kind kind, size_t length);
  size_t wordLength(size_t from) const;
  size_t dottedLength() const;
  size_t numberLength() const;

  std::string_view text;
  size_t at = 0, lineStart = 0;
  unsigned line = 1;
  Token first, second;
  std::optional<ParseError> failure;
  unsigned depth = 0;
};

/// One level of brackets, while it lives. The parser recurses over them, and the text must not choose how deep.
class Nesting {
public:
  explicit Nesting(Tokens &tokens);
  ~Nesting() { --tokens.depth; }
  Nesting(const Nesting &) = delete;
  Nesting &operator=(const Nesting &) = delete;

private:
  Tokens &tokens;
};

} // namespace tile::sim::ptx

#endif // BACKEND_SIMULATOR_PTX_LEXER_H
