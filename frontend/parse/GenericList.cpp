// Which `<` opens a generic list: one that touches the name before it, and whose `>`, with only types, names, literals
// and `+ - * / %` between, is followed by `(` or `[`. Where a type must stand, what follows does not matter.
#include "frontend/parse/TileParser.h"
#include "frontend/parse/TokenFilter.h"

using namespace tile;
using namespace tile::syntax;

/// A list longer than this is none, which bounds the look-ahead.
static constexpr size_t kLongestList = 1000;

static bool mayStandInGenericList(uint32_t type) {
  if (isOperand(type))
    return true;
  switch (type) {
  case TileParser::FN:
  case TileParser::COMMA:
  case TileParser::COLON:
  case TileParser::DOT:
  case TileParser::ARROW:
  case TileParser::FAT_ARROW:
  case TileParser::ASSIGN:
  case TileParser::QUESTION:
  case TileParser::PLUS:
  case TileParser::MINUS:
  case TileParser::STAR:
  case TileParser::SLASH:
  case TileParser::PERCENT:
    return true;
  default:
    return false;
  }
}

bool TokenFilter::inTypePosition() const {
  // Step back over the name, which may be qualified.
  size_t start = list.tokens.size() - 1;
  while (start >= 2 && list.tokens[start - 1].type == TileParser::DOT &&
         list.tokens[start - 2].type == TileParser::NAME)
    start -= 2;
  uint32_t before = start == 0 ? 0 : list.tokens[start - 1].type;
  uint32_t inside = brackets.empty() ? 0 : brackets.back().type;
  if (inside == TileParser::GENERIC_OPEN || start == arrayTypeEnd)
    return true;
  switch (before) {
  case TileParser::ARROW:
  case TileParser::STRIDED:
    return true;
  case TileParser::COLON: // in an index it is a whole dimension, in a record the value follows
    return inside != TileParser::LBRACKET && inside != TileParser::RECORD_OPEN;
  case TileParser::LPAREN:
  case TileParser::COMMA:
    return !brackets.empty() && brackets.back().isTypeList;
  default:
    return false;
  }
}

/// Index of the `>` that closes the list opened by the current `<`, or 0.
size_t TokenFilter::findGenericClose() const {
  std::vector<uint32_t> open = {TileParser::GT}; // the closers awaited
  for (size_t i = next + 1; i < in.size() && i - next < kLongestList; ++i) {
    uint32_t type = in[i].type;
    switch (type) {
    case TileParser::LPAREN:
      open.push_back(TileParser::RPAREN);
      break;
    case TileParser::LBRACKET:
      open.push_back(TileParser::RBRACKET);
      break;
    case TileParser::LT:
      if (in[i - 1].type != TileParser::NAME || !touches(i - 1, i))
        return 0;
      open.push_back(TileParser::GT);
      break;
    case TileParser::RPAREN:
    case TileParser::RBRACKET:
    case TileParser::GT:
      if (open.back() != type)
        return 0;
      open.pop_back();
      if (open.empty())
        return i;
      break;
    default:
      if (!mayStandInGenericList(type))
        return 0;
    }
  }
  return 0;
}

bool TokenFilter::opensGenericList() const {
  if (lastType() != TileParser::NAME || list.tokens.back().end != current().begin)
    return false;
  uint32_t before = list.tokens.size() < 2 ? 0 : list.tokens[list.tokens.size() - 2].type;
  if (before == TileParser::FN || before == TileParser::KERNEL || before == TileParser::STRUCT)
    return true;
  size_t close = findGenericClose();
  if (close == 0)
    return false;
  uint32_t after = in[close + 1].type;
  return after == TileParser::LPAREN || after == TileParser::LBRACKET || inTypePosition();
}

/// A `[` opens an array type, not a list or an index, if it follows no operand and its `]` is followed by a name.
bool TokenFilter::opensArrayType() const {
  bool isElement = arrayTypeEnd == list.tokens.size();
  if ((endsOperand(lastType()) && !isElement) || lastType() == TileParser::GRID)
    return false;
  unsigned depth = 0;
  for (size_t i = next; i < in.size() && i - next < kLongestList; ++i) {
    uint32_t type = in[i].type;
    if (type == TileParser::LBRACKET)
      ++depth;
    if (type != TileParser::RBRACKET || --depth != 0)
      continue;
    const Lexeme &after = in[i + 1];
    if (after.startsLine)
      return false;
    if (after.type == TileParser::LBRACKET) // `[2] [3] T`
      continue;
    return after.type == TileParser::NAME || after.type == TileParser::FN;
  }
  return false;
}
