#include "backend/simulator/ptx/Constant.h"

#include <charconv>
#include <cstring>

namespace tile::sim::ptx {

template <typename To, typename From> static To bitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

double Constant::toDouble() const {
  switch (kind) {
  case Kind::Signed:
    return static_cast<double>(static_cast<int64_t>(bits));
  case Kind::Unsigned:
    return static_cast<double>(bits);
  case Kind::Float32:
    return bitsAs<float>(static_cast<uint32_t>(bits));
  case Kind::Float64:
    return bitsAs<double>(bits);
  }
  return 0;
}

uint64_t Constant::toFloatBits() const {
  return kind == Kind::Float32 ? bits : bitsAs<uint32_t>(static_cast<float>(toDouble()));
}

Constant Constant::of(double value) { return {Kind::Float64, bitsAs<uint64_t>(value)}; }

static Constant ofTruth(bool value) { return {Constant::Kind::Signed, value}; }

/// Operators of two operands from the loosest to the tightest, as in C. (PTX ISA 9.0, 4.5.5, table 4)
static constexpr struct BinaryRow {
  std::string_view mark;
  unsigned precedence;
  bool takesFloats;
} kBinary[] = {
    {"||", 1, false}, {"&&", 2, false}, {"|", 3, false}, {"^", 4, false}, {"&", 5, false}, {"==", 6, true},
    {"!=", 6, true},  {"<", 7, true},   {">", 7, true},  {"<=", 7, true}, {">=", 7, true}, {"<<", 8, false},
    {">>", 8, false}, {"+", 9, true},   {"-", 9, true},  {"*", 10, true}, {"/", 10, true}, {"%", 10, false},
};

static const BinaryRow *binaryNamed(const Token &token) {
  if (token.kind == Token::Kind::Mark)
    for (const BinaryRow &row : kBinary)
      if (row.mark == token.text)
        return &row;
  return nullptr;
}

bool startsConstant(const Token &token) {
  if (token.kind == Token::Kind::Mark)
    return token.text.size() == 1 && std::string_view("(-+~!").find(token.text) != std::string_view::npos;
  return token.kind == Token::Kind::Number || token.isWord("WARP_SZ");
}

/// The digits of `token` from `skip` on, all of them, in `base`.
static std::optional<uint64_t> digits(std::string_view text, size_t skip, int base) {
  uint64_t value = 0;
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data() + skip, end, value, base);
  if (error != std::errc() || stop != end)
    return std::nullopt;
  return value;
}

static std::optional<Constant> integerOf(std::string_view text) {
  bool isUnsigned = text.size() > 1 && text.back() == 'U';
  if (isUnsigned)
    text.remove_suffix(1);
  char letter = text.size() > 1 && text[0] == '0' ? text[1] : '\0';
  bool isHex = letter == 'x' || letter == 'X', isBinary = letter == 'b' || letter == 'B';
  std::optional<uint64_t> value = isHex      ? digits(text, 2, 16)
                                  : isBinary ? digits(text, 2, 2)
                                  : letter   ? digits(text, 1, 8)
                                             : digits(text, 0, 10);
  if (!value)
    return std::nullopt;
  // Without a `U` it is signed unless it does not fit.
  return Constant{isUnsigned || *value >> 63 ? Constant::Kind::Unsigned : Constant::Kind::Signed, *value};
}

static std::optional<Constant> numberOf(std::string_view text) {
  if (text.size() == 10 && (text.substr(0, 2) == "0f" || text.substr(0, 2) == "0F"))
    if (std::optional<uint64_t> bits = digits(text, 2, 16))
      return Constant{Constant::Kind::Float32, *bits};
  if (text.size() == 18 && (text.substr(0, 2) == "0d" || text.substr(0, 2) == "0D"))
    if (std::optional<uint64_t> bits = digits(text, 2, 16))
      return Constant{Constant::Kind::Float64, *bits};
  if (std::optional<Constant> integer = integerOf(text))
    return integer;
  if (text.find_first_of(".eE") == text.npos)
    return std::nullopt;
  double value = 0;
  auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size())
    return std::nullopt;
  return Constant::of(value);
}

static Constant readNumber(Tokens &tokens) {
  Token token = tokens.next();
  if (std::optional<Constant> number = numberOf(token.text))
    return *number;
  tokens.fail(token, "found " + token.describe() + "; expected a number of at most 64 bits");
  return {};
}

static Constant readExpression(Tokens &tokens, unsigned loosest);

/// A number, `WARP_SZ`, `(expression)`, or a cast or an operator of one operand before one of them.
static Constant readUnary(Tokens &tokens) {
  Nesting nesting(tokens);
  Token token = tokens.peek();
  if (token.kind == Token::Kind::Number)
    return readNumber(tokens);
  if (token.isWord("WARP_SZ")) {
    tokens.next();
    return {Constant::Kind::Signed, 32};
  }
  if (tokens.accept("(")) {
    bool toSigned = tokens.peek().isDotted("s64");
    if (toSigned || tokens.peek().isDotted("u64")) {
      tokens.next();
      tokens.expect(")");
      Constant value = readUnary(tokens);
      if (!value.isInteger())
        tokens.fail(token, "found a cast of a floating-point number; expected an integer");
      return {toSigned ? Constant::Kind::Signed : Constant::Kind::Unsigned, value.bits};
    }
    Constant value = readConstant(tokens);
    tokens.expect(")");
    return value;
  }
  if (!startsConstant(token)) {
    tokens.failExpected("a constant");
    return {};
  }
  tokens.next();
  Constant value = readUnary(tokens);
  switch (token.text[0]) {
  case '-':
    if (value.isInteger())
      value.bits = -value.bits;
    else
      value.bits ^= uint64_t(1) << (value.kind == Constant::Kind::Float32 ? 31 : 63);
    return value;
  case '!':
    return ofTruth(!value.isTrue());
  case '~':
    if (!value.isInteger())
      tokens.fail(token, "found `~` of a floating-point number; expected an integer");
    value.bits = ~value.bits;
    return value;
  default:
    return value;
  }
}

static Constant floats(std::string_view mark, double a, double b) {
  switch (mark[0]) {
  case '=':
    return ofTruth(a == b);
  case '!':
    return ofTruth(a != b);
  case '<':
    return ofTruth(mark.size() == 1 ? a < b : a <= b);
  case '>':
    return ofTruth(mark.size() == 1 ? a > b : a >= b);
  case '+':
    return Constant::of(a + b);
  case '-':
    return Constant::of(a - b);
  case '*':
    return Constant::of(a * b);
  default:
    return Constant::of(a / b);
  }
}

/// `a mark b` for every operator but the shifts; the divisor is not 0. Sums, products and bits are the same for both
/// signs.
template <typename Integer> static Constant integers(std::string_view mark, uint64_t a, uint64_t b) {
  Integer x = static_cast<Integer>(a), y = static_cast<Integer>(b);
  auto same = [](uint64_t bits) {
    return Constant{std::is_signed_v<Integer> ? Constant::Kind::Signed : Constant::Kind::Unsigned, bits};
  };
  // The smallest number over -1 wraps: its quotient is the negation.
  bool isNegation = std::is_signed_v<Integer> && b == ~uint64_t(0);
  switch (mark[0]) {
  case '=':
    return ofTruth(x == y);
  case '!':
    return ofTruth(x != y);
  case '<':
    return ofTruth(mark.size() == 1 ? x < y : x <= y);
  case '>':
    return ofTruth(mark.size() == 1 ? x > y : x >= y);
  case '+':
    return same(a + b);
  case '-':
    return same(a - b);
  case '*':
    return same(a * b);
  case '/':
    return same(isNegation ? -a : static_cast<uint64_t>(x / y));
  case '%':
    return same(isNegation ? 0 : static_cast<uint64_t>(x % y));
  case '&':
    return mark.size() == 1 ? same(a & b) : ofTruth(a && b);
  case '|':
    return mark.size() == 1 ? same(a | b) : ofTruth(a || b);
  default:
    return same(a ^ b);
  }
}

/// Keeps the type of the left side. Nothing of it remains past 64 bits.
static Constant shift(std::string_view mark, Constant left, uint64_t by) {
  bool isNegative = left.kind == Constant::Kind::Signed && left.bits >> 63;
  if (by > 63)
    left.bits = mark == ">>" && isNegative ? ~uint64_t(0) : 0;
  else if (mark == "<<")
    left.bits <<= by;
  else
    left.bits = isNegative ? ~(~left.bits >> by) : left.bits >> by;
  return left;
}

static Constant apply(Tokens &tokens, const Token &at, const BinaryRow &row, Constant left, Constant right) {
  if (!left.isInteger() || !right.isInteger()) {
    if (!row.takesFloats)
      tokens.fail(at, "found " + at.describe() + " of a floating-point number; expected integers");
    return row.takesFloats ? floats(row.mark, left.toDouble(), right.toDouble()) : Constant{};
  }
  if (row.mark == "<<" || row.mark == ">>")
    return shift(row.mark, left, right.bits);
  if ((row.mark == "/" || row.mark == "%") && right.bits == 0) {
    tokens.fail(at, "found a division by 0");
    return {};
  }
  bool isUnsigned = left.kind == Constant::Kind::Unsigned || right.kind == Constant::Kind::Unsigned;
  return isUnsigned ? integers<uint64_t>(row.mark, left.bits, right.bits)
                    : integers<int64_t>(row.mark, left.bits, right.bits);
}

/// Operators that bind at least as tightly as `loosest`.
static Constant readExpression(Tokens &tokens, unsigned loosest) {
  Constant left = readUnary(tokens);
  while (const BinaryRow *row = binaryNamed(tokens.peek())) {
    if (row->precedence < loosest)
      break;
    Token at = tokens.next();
    left = apply(tokens, at, *row, left, readExpression(tokens, row->precedence + 1));
  }
  return left;
}

Constant readConstant(Tokens &tokens) {
  Nesting nesting(tokens);
  Constant value = readExpression(tokens, 1);
  if (!tokens.accept("?"))
    return value;
  Constant whenTrue = readConstant(tokens);
  tokens.expect(":");
  Constant whenFalse = readConstant(tokens);
  return value.isTrue() ? whenTrue : whenFalse;
}

static uint64_t checked(Tokens &tokens, const Token &at, Constant value, uint64_t most, std::string_view what) {
  if (value.isInteger() && value.bits <= most)
    return value.bits;
  std::string found = at.describe();
  if (value.isInteger())
    found = value.kind == Constant::Kind::Signed ? std::to_string(static_cast<int64_t>(value.bits))
                                                 : std::to_string(value.bits);
  tokens.fail(at,
              "found " + found + "; expected " + std::string(what) + ", an integer of at most " + std::to_string(most));
  return 0;
}

uint64_t readInteger(Tokens &tokens, uint64_t most, std::string_view what) {
  Token at = tokens.peek();
  Constant value = readConstant(tokens);
  return tokens.failed() ? 0 : checked(tokens, at, value, most, what);
}

uint64_t readPlainInteger(Tokens &tokens, uint64_t most, std::string_view what) {
  Token at = tokens.peek();
  if (at.kind != Token::Kind::Number) {
    tokens.failExpected(what);
    return 0;
  }
  Constant value = readNumber(tokens);
  return tokens.failed() ? 0 : checked(tokens, at, value, most, what);
}

} // namespace tile::sim::ptx
