#include "backend/simulator/ptx/Lexer.h"

#include <array>

namespace tile::sim::ptx {

static constexpr unsigned kDeepestNesting = 100;

static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Whether `c` may stand in an identifier; indexed, since most of a PTX text is identifiers.
static const std::array<bool, 256> kInWord = [] {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; ++c)
    table[c] = isDigit(static_cast<char>(c)) || isLetter(static_cast<char>(c)) || c == '_' || c == '$';
  return table;
}();
static bool isInWord(char c) { return kInWord[static_cast<unsigned char>(c)]; }

std::string Token::describe() const {
  switch (kind) {
  case Kind::End:
    return "the end of the text";
  case Kind::Dotted:
    return "`." + std::string(text) + "`";
  case Kind::String:
    return "`\"" + std::string(text) + "\"`";
  default:
    return "`" + std::string(text) + "`";
  }
}

Tokens::Tokens(std::string_view text) : text(text) {
  first = scan();
  second = scan();
}

Token Tokens::next() {
  Token taken = first;
  first = second;
  second = scan();
  return taken;
}

bool Tokens::accept(std::string_view mark) {
  if (!first.is(mark))
    return false;
  next();
  return true;
}

void Tokens::expect(std::string_view mark) {
  if (!accept(mark))
    failExpected("`" + std::string(mark) + "`");
}

Token Tokens::expect(Token::Kind kind, std::string_view what) {
  if (first.kind == kind)
    return next();
  failExpected(what);
  return {};
}

void Tokens::fail(const Token &where, std::string message) {
  if (!failure)
    failure = ParseError{where.line, where.column, std::move(message)};
  first = second = Token{Token::Kind::End, {}, where.line, where.column};
}

void Tokens::failExpected(std::string_view what) {
  fail(Token(first), "found " + first.describe() + "; expected " + std::string(what));
}

/// Moves to the next token. False if a comment does not end, which is then the error.
bool Tokens::skipBlanks() {
  while (at < text.size()) {
    char c = text[at];
    if (c == '\n') {
      lineStart = ++at;
      ++line;
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
      ++at;
      continue;
    }
    std::string_view rest = text.substr(at, 2);
    // `@@DWARF` lines are how PTX 1.x carried debug information (PTX ISA 9.0, 11.5.1).
    if (rest == "//" || rest == "@@") {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (rest != "/*")
      return true;
    size_t end = text.find("*/", at + 2);
    if (end == text.npos) {
      fail(take(Token::Kind::Mark, 2), "found a comment without end; expected `*/`");
      return false;
    }
    for (; at < end; ++at)
      if (text[at] == '\n') {
        lineStart = at + 1;
        ++line;
      }
    at = end + 2;
  }
  return true;
}

Token Tokens::take(Token::Kind kind, size_t length) {
  Token token{kind, text.substr(at, length), line, static_cast<unsigned>(at - lineStart + 1)};
  at += length;
  return token;
}

size_t Tokens::wordLength(size_t from) const {
  size_t end = from;
  while (end < text.size() && isInWord(text[end]))
    ++end;
  return end - from;
}

/// Of what follows the dot: `shared::cta`, `2d`.
size_t Tokens::dottedLength() const {
  size_t end = at + wordLength(at);
  while (text.substr(end, 2) == "::" && wordLength(end + 2) > 0)
    end += 2 + wordLength(end + 2);
  return end - at;
}

size_t Tokens::numberLength() const {
  size_t end = at + wordLength(at);
  // A prefix of letters makes it a number in another base or the bits of a float, which have neither point nor sign.
  bool isDecimal =
      end - at < 2 || text[at] != '0' || !isLetter(text[at + 1]) || text[at + 1] == 'e' || text[at + 1] == 'E';
  if (isDecimal && end < text.size() && text[end] == '.')
    end += 1 + wordLength(end + 1);
  bool hasExponent = isDecimal && end > at && (text[end - 1] == 'e' || text[end - 1] == 'E');
  if (hasExponent && end + 1 < text.size() && (text[end] == '-' || text[end] == '+') && isDigit(text[end + 1]))
    end += 1 + wordLength(end + 1);
  return end - at;
}

Token Tokens::scan() {
  if (failure || !skipBlanks())
    return first;
  if (at == text.size())
    return take(Token::Kind::End, 0);

  char c = text[at], following = at + 1 < text.size() ? text[at + 1] : '\0';
  if (isDigit(c))
    return take(Token::Kind::Number, numberLength());
  if (isInWord(c) || (c == '%' && isInWord(following)))
    return take(Token::Kind::Word, 1 + wordLength(at + 1));
  if (c == '.' && isInWord(following)) {
    // `.5` is a number, `.2d` a modifier: a modifier stands right behind a word.
    if (isDigit(following) && (at == 0 || !isInWord(text[at - 1])))
      return take(Token::Kind::Number, numberLength());
    Token dot = take(Token::Kind::Dotted, 1);
    Token name = take(Token::Kind::Dotted, dottedLength());
    return {Token::Kind::Dotted, name.text, dot.line, dot.column};
  }
  if (c == '"') {
    size_t end = at + 1;
    while (end < text.size() && text[end] != '"' && text[end] != '\n')
      end += text[end] == '\\' && end + 1 < text.size() && text[end + 1] != '\n' ? 2 : 1;
    if (end >= text.size() || text[end] != '"') {
      fail(take(Token::Kind::Mark, 1), "found a string without end; expected `\"` on the same line");
      return first;
    }
    Token token = take(Token::Kind::String, end + 1 - at);
    token.text = token.text.substr(1, token.text.size() - 2);
    return token;
  }
  for (std::string_view mark : {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"})
    if (c == mark[0] && following == mark[1])
      return take(Token::Kind::Mark, 2);
  static constexpr std::string_view kMarks = "{}[]()<>,;:=+-*/%!~&|^?@";
  if (kMarks.find(c) != kMarks.npos)
    return take(Token::Kind::Mark, 1);

  static constexpr char kHex[] = "0123456789abcdef";
  unsigned byte = static_cast<unsigned char>(c);
  std::string found = byte >= 0x20 && byte < 0x7f ? std::string("`") + c + "`"
                                                  : std::string("byte 0x") + kHex[byte >> 4] + kHex[byte & 15];
  fail(take(Token::Kind::Mark, 1), "found " + found + "; expected PTX, which has no such character outside comments");
  return first;
}

Nesting::Nesting(Tokens &tokens) : tokens(tokens) {
  if (++tokens.depth > kDeepestNesting)
    tokens.fail(tokens.peek(), "found more than " + std::to_string(kDeepestNesting) + " brackets inside each other");
}

} // namespace tile::sim::ptx
