// Python's `a // b`, which is `a` and a comment here and so would pass without a word. Told from a comment by its form:
// close behind an operand, of names that the file uses, numbers and operators alone. A comment in two words, or two
// spaces off, is a comment.
#include "frontend/parse/TileLexer.h"
#include "frontend/parse/Tokens.h"

#include <cctype>
#include <set>

using namespace tile;
using namespace tile::syntax;

static bool isWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
static bool isNumber(std::string_view word) { return word.find_first_not_of("0123456789_") == std::string_view::npos; }

/// `f32`, `bf16`, `i8`: what a comment says of an operand rather than an operand.
static bool isScalarType(std::string_view word) {
  size_t letters = word.find_first_of("0123456789");
  return letters != std::string_view::npos && isNumber(word.substr(letters)) &&
         std::string_view(" i u f bf tf ").find(" " + std::string(word.substr(0, letters)) + " ") !=
             std::string_view::npos;
}

/// Whether `text` goes on as an expression that begins with an operand. It may close brackets that opened before it.
static bool readsAsOperand(std::string_view text, const std::set<std::string_view> &names) {
  bool isAfterOperand = false, hasOperand = false;
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    if (isWordChar(c)) {
      size_t end = i;
      while (end < text.size() && isWordChar(text[end]))
        ++end;
      std::string_view word = text.substr(i, end - i);
      bool isCall = end < text.size() && text[end] == '(';
      if (isAfterOperand || (!isNumber(word) && !isCall && (!names.count(word) || isScalarType(word))))
        return false;
      isAfterOperand = hasOperand = true;
      i = end;
      continue;
    }
    if (c != ' ') {
      if (!hasOperand && c != '(')
        return false;
      if (std::string_view("+-*/%()[],{}<>=&|").find(c) == std::string_view::npos)
        return false;
      isAfterOperand = c == ')' || c == ']';
    }
    ++i;
  }
  return hasOperand;
}

void syntax::warnOfFloorDivision(const Source &source, const TokenList &list) {
  std::set<std::string_view> names;
  for (const Lexeme &token : list.tokens)
    if (token.type == TileLexer::NAME)
      names.insert(source.spelling(token));
  for (size_t i = 0; i + 1 < list.tokens.size(); ++i) {
    const Lexeme &last = list.tokens[i], &next = list.tokens[i + 1];
    if ((!next.startsLine && next.type != kEndOfFile) || !endsOperand(last.type))
      continue;
    uint32_t begin = last.end + (last.end < source.text.size() && source.text[last.end] == ' ');
    std::string_view rest = source.text.substr(begin);
    rest = rest.substr(0, rest.find_first_of("\r\n"));
    if (rest.substr(0, 2) != "//" || rest.substr(0, 3) == "///" || list.muted.contains(begin))
      continue;
    std::string_view operand = rest.substr(2);
    if (operand.substr(0, 1) == " ")
      operand.remove_prefix(1);
    operand = operand.substr(0, operand.find_last_not_of(' ') + 1);
    if (!readsAsOperand(operand, names))
      continue;
    source.engine
        .report(Code::W0002, source.range(begin, begin + 2),
                "`//` begins a comment; `" + std::string(operand) + "` divides nothing")
        .replace(source.range(begin, begin + 2), "/", "write ",
                 ", which rounds towards zero; a comment that is meant stands two spaces off");
  }
}
