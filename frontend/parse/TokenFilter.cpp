#include "frontend/parse/TokenFilter.h"
#include "frontend/parse/TileParser.h"

#include <algorithm>

using namespace tile;
using namespace tile::syntax;

/// Deeper nesting of brackets is refused, which bounds the recursion of the parser and of everything after it.
static constexpr size_t kDeepestNesting = 200;

bool syntax::isOperand(uint32_t type) {
  switch (type) {
  case TileParser::NAME:
  case TileParser::WILDCARD:
  case TileParser::INT:
  case TileParser::FLOAT:
  case TileParser::STRING:
  case TileParser::TRUE:
  case TileParser::FALSE:
  case TileParser::NONE:
    return true;
  default:
    return false;
  }
}

bool syntax::endsOperand(uint32_t type) {
  return isOperand(type) || type == TileParser::RPAREN || type == TileParser::RBRACKET || type == TileParser::RBRACE ||
         type == TileParser::GENERIC_CLOSE;
}

static uint32_t closerOf(uint32_t opener) {
  switch (opener) {
  case TileParser::LPAREN:
    return TileParser::RPAREN;
  case TileParser::GENERIC_OPEN:
    return TileParser::GENERIC_CLOSE;
  case TileParser::LBRACE:
  case TileParser::RECORD_OPEN:
    return TileParser::RBRACE;
  default:
    return TileParser::RBRACKET;
  }
}

static char closerText(uint32_t opener) {
  switch (closerOf(opener)) {
  case TileParser::RPAREN:
    return ')';
  case TileParser::GENERIC_CLOSE:
    return '>';
  case TileParser::RBRACE:
    return '}';
  default:
    return ']';
  }
}

//===- Reading and writing ----------------------------------------------------------------------------------------===//

/// Line ends count at top level and directly inside braces that are not a record's.
bool TokenFilter::inBlock() const { return brackets.empty() || brackets.back().type == TileParser::LBRACE; }

/// A statement or an item may begin here.
bool TokenFilter::atStart() const {
  uint32_t last = lastType();
  return list.tokens.empty() || last == TileParser::END || last == TileParser::LBRACE ||
         decoratorEnd == list.tokens.size();
}

/// Blanks and tabs before the first token of the line that `token` is on.
uint32_t TokenFilter::indentation(const Lexeme &token) const {
  uint32_t line = source.sources.lineColumn(source.file, token.begin).line;
  std::string_view text = source.sources.line(source.file, line);
  return static_cast<uint32_t>(std::min(text.find_first_not_of(" \t"), text.size()));
}

void TokenFilter::write(uint32_t type, uint32_t begin, uint32_t end) {
  list.tokens.push_back({type, begin, end, static_cast<uint32_t>(brackets.size()), false});
}

void TokenFilter::writeEnd(uint32_t begin, uint32_t end) {
  write(TileParser::END, begin, end);
  if (brackets.empty())
    inKernelHead = false;
}

void TokenFilter::open(uint32_t type) {
  uint32_t last = lastType();
  if (brackets.size() >= kDeepestNesting) {
    source.engine.report(Code::E0013, source.range(current()),
                         "brackets are nested more than " + std::to_string(kDeepestNesting) + " deep");
    list.isTooDeep = true;
    return;
  }
  bool isTypeList = type == TileParser::GENERIC_OPEN;
  if (type == TileParser::LPAREN && !brackets.empty() && brackets.back().isTypeList)
    isTypeList = last == TileParser::LPAREN || last == TileParser::COMMA || last == TileParser::GENERIC_OPEN;
  if (type == TileParser::LPAREN)
    isTypeList |= last == TileParser::LAMBDA || last == TileParser::ARROW || (last == TileParser::COLON && inBlock());
  bool isDecorator = decoratorEnd == list.tokens.size() && type == TileParser::LPAREN;
  write(type);
  brackets.push_back({type, static_cast<uint32_t>(next), isTypeList, isDecorator});
}

void TokenFilter::close(uint32_t begin, uint32_t end) {
  Bracket bracket = brackets.back();
  if (bracket.type == TileParser::LBRACE && lastType() != TileParser::END && lastType() != TileParser::LBRACE &&
      lastType() != TileParser::TRAILING_COMMA)
    writeEnd(begin, end);
  brackets.pop_back();
  write(closerOf(bracket.type), begin, end);
  if (bracket.isDecorator)
    decoratorEnd = list.tokens.size();
  if (bracket.type == TileParser::ARRAY_OPEN)
    arrayTypeEnd = list.tokens.size();
}

//===- Line ends --------------------------------------------------------------------------------------------------===//

/// The line goes on after an operator, a comma, `=`, `->` and the like.
bool TokenFilter::continuesLine() const {
  uint32_t last = lastType();
  size_t count = list.tokens.size();
  // `i++` and `i--` are reported, not continued.
  if ((last == TileParser::PLUS || last == TileParser::MINUS) && count > 1 && list.tokens[count - 2].type == last &&
      list.tokens[count - 2].end == list.tokens[count - 1].begin)
    return false;
  bool isOperator = last >= TileParser::STAR && last <= TileParser::BANG;
  bool isAssignment = last >= TileParser::ASSIGN && last <= TileParser::OR_ASSIGN;
  switch (last) {
  case TileParser::COMMA:
  case TileParser::TRAILING_COMMA:
  case TileParser::COLON:
  case TileParser::DOT:
  case TileParser::RANGE:
  case TileParser::REGION:
  case TileParser::ARROW:
  case TileParser::FAT_ARROW:
  case TileParser::SHR:
    return true;
  default:
    return isOperator || isAssignment;
  }
}

/// The current token stands first on its line: writes END if the line before it ends a statement.
void TokenFilter::lineEnd() {
  if (!inBlock() || atStart() || (continuesLine() && !beginsStatement()))
    return;
  const Lexeme &token = current();
  if (token.type == TileParser::LBRACE || token.type == TileParser::ELSE)
    return;
  if (inKernelHead && token.type == TileParser::NAME) {
    std::string_view word = source.spelling(token);
    if (word == "grid" || word == "where" || word == "specialize" || word == "alias" || word == "resident")
      return;
  }
  uint32_t end = list.tokens.back().end;
  writeEnd(end, end);
  if (token.type == TileParser::MINUS && indentation(token) > indentation(in[statementStart]))
    source.engine
        .report(Code::W0001, source.range(token), "this line is a statement of its own, although it begins with `-`")
        .secondary(source.range(end, end), "the statement before it ends here")
        .help("to go on with that statement, end its line with the `-`");
}

//===- Words ------------------------------------------------------------------------------------------------------===//

/// The keyword that the current name is in this place, or NAME.
uint32_t TokenFilter::wordInPlace() const {
  std::string_view word = source.spelling(current());
  uint32_t last = lastType(), after = typeAfter();
  bool isOperandAfter = after == TileParser::NAME && !in[next + 1].startsLine;
  if (inKernelHead && brackets.empty() && last != TileParser::KERNEL) {
    if (word == "grid" && endsOperand(last))
      return TileParser::GRID;
    if (word == "where")
      return TileParser::WHERE;
    if (word == "specialize")
      return TileParser::SPECIALIZE;
    if (word == "alias" && endsOperand(last))
      return TileParser::ALIAS;
    if (word == "resident" && last == TileParser::RBRACKET)
      return TileParser::RESIDENT;
  }
  bool beginsParameter = last == TileParser::LPAREN || last == TileParser::COMMA ||
                         (last >= TileParser::OUT && last <= TileParser::SCRATCH);
  if (beginsParameter && after == TileParser::NAME) {
    if (word == "out")
      return TileParser::OUT;
    if (word == "inout")
      return TileParser::INOUT;
    if (word == "volatile")
      return TileParser::VOLATILE;
    if (word == "scratch")
      return TileParser::SCRATCH;
  }
  if (word == "step" && endsOperand(last))
    return TileParser::STEP;
  if (word == "unchecked" && isOperandAfter)
    return TileParser::UNCHECKED;
  if (word == "strided" && isOperandAfter)
    return TileParser::STRIDED;
  if (word == "shared" && isOperandAfter && atStart())
    return TileParser::SHARED;
  if (word == "roles" && after == TileParser::LBRACE && atStart())
    return TileParser::ROLES;
  return TileParser::NAME;
}

void TokenFilter::name() {
  bool endsDecorator = lastType() == TileParser::DECORATOR;
  write(endsDecorator ? static_cast<uint32_t>(TileParser::NAME) : wordInPlace());
  if (endsDecorator)
    decoratorEnd = list.tokens.size(); // for now: a `(` moves it
}

void TokenFilter::at() {
  bool isDecorator = atStart() && typeAfter() == TileParser::NAME && touches(next, next + 1);
  write(isDecorator ? TileParser::DECORATOR : TileParser::AT);
}

//===- Brackets ---------------------------------------------------------------------------------------------------===//

/// Reports the innermost open bracket, and closes all but `keep`.
void TokenFilter::reportUnclosed(const Lexeme &found, size_t keep) {
  Bracket bracket = brackets.back();
  if (bracket.type == TileParser::LBRACE && suspect != UINT32_MAX && suspect >= brackets[keep].token)
    bracket.token = suspect;
  const Lexeme &opener = in[bracket.token];
  uint32_t end = list.tokens.back().end;
  bool isEnd = found.type == kEndOfFile;
  std::string text = isEnd ? "the end of the file" : "`" + std::string(source.spelling(found)) + "`";
  // On a line with an unknown character or an open string the closer may be lost with it.
  if (!list.muted.contains(opener.begin))
    source.engine
        .report(Code::E0008, isEnd ? source.range(end, end) : source.range(found),
                "found " + text + "; expected `" + closerText(bracket.type) + "`")
        .secondary(source.range(opener), "opened here");
  list.muted.add(in[brackets[keep].token].begin, found.end);
  while (brackets.size() > keep)
    close(end, end);
  suspect = UINT32_MAX;
}

void TokenFilter::opener() {
  uint32_t type = current().type;
  uint32_t last = lastType();
  if (type == TileParser::LBRACKET) {
    if (last == TileParser::GENERIC_CLOSE)
      type = TileParser::SHAPE_OPEN;
    else if (opensArrayType())
      type = TileParser::ARRAY_OPEN;
  }
  if (type == TileParser::LBRACE) {
    bool isValue =
        last == TileParser::ASSIGN || (!inBlock() && (last == TileParser::LPAREN || last == TileParser::LBRACKET ||
                                                      last == TileParser::COMMA || last == TileParser::COLON));
    if (isValue)
      type = TileParser::RECORD_OPEN;
    else if (brackets.empty())
      inKernelHead = false;
  }
  open(type);
}

void TokenFilter::closer() {
  const Lexeme &token = current();
  auto isPartner = [&](const Bracket &bracket) { return closerOf(bracket.type) == token.type; };
  auto partner = std::find_if(brackets.rbegin(), brackets.rend(), isPartner);
  if (partner == brackets.rend()) {
    if (!inBlock()) { // the wrong kind of closer
      reportUnclosed(token, brackets.size() - 1);
      return;
    }
    std::string text(source.spelling(token));
    source.engine.report(Code::E0009, source.range(token), "found `" + text + "`, which closes nothing")
        .help("remove it, or open it earlier");
    muteLine(source, list.muted, token.begin);
    return;
  }
  auto keep = static_cast<size_t>(brackets.rend() - partner);
  if (keep != brackets.size())
    reportUnclosed(token, keep);
  const Lexeme &opener = in[brackets.back().token];
  bool isOutdented = token.type == TileParser::RBRACE && token.startsLine && indentation(token) < indentation(opener);
  if (isOutdented && suspect == UINT32_MAX)
    suspect = brackets.back().token;
  close(token.begin, token.end);
}

/// A word that begins a statement or an item and nothing else.
bool TokenFilter::beginsStatement() const {
  switch (current().type) {
  case TileParser::LET:
  case TileParser::VAR:
  case TileParser::FOR:
  case TileParser::WHILE:
  case TileParser::RETURN:
  case TileParser::BREAK:
  case TileParser::CONTINUE:
  case TileParser::STATIC_FOR:
  case TileParser::STATIC_ASSERT:
  case TileParser::STATIC_PRINT:
    return true;
  case TileParser::FN:
    return typeAfter() == TileParser::NAME;
  default:
    return beginsItem();
  }
}

/// A word that begins an item and nothing else; in a file whose braces do not pair, also `fn` and `@` in column one.
bool TokenFilter::beginsItem() const {
  switch (current().type) {
  case TileParser::CONST:
  case TileParser::IMPORT:
  case TileParser::KERNEL:
  case TileParser::SPEC:
  case TileParser::STRUCT:
    return true;
  case TileParser::AT:
  case TileParser::FN:
    return !isBalanced && typeAfter() == TileParser::NAME && indentation(current()) == 0;
  default:
    return false;
  }
}

/// The current token stands first on its line: closes brackets that it cannot stand inside.
void TokenFilter::closeLeftOpen() {
  if (brackets.empty())
    return;
  if (beginsItem() && !isBalanced)
    return reportUnclosed(current(), 0);
  if (inBlock() || !beginsStatement())
    return;
  size_t keep = brackets.size();
  while (keep > 0 && brackets[keep - 1].type != TileParser::LBRACE)
    --keep;
  reportUnclosed(current(), keep);
}

//===- The loop ---------------------------------------------------------------------------------------------------===//

void TokenFilter::token() {
  const Lexeme &token = current();
  if (token.startsLine) {
    closeLeftOpen();
    lineEnd();
  }
  if (atStart())
    statementStart = static_cast<uint32_t>(next);
  switch (token.type) {
  case TileParser::NAME:
    return name();
  case TileParser::SEMICOLON:
    if (!atStart() || !inBlock())
      writeEnd(token.begin, token.end);
    return;
  case TileParser::COMMA: {
    uint32_t after = typeAfter();
    bool closes = after == TileParser::RPAREN || after == TileParser::RBRACKET || after == TileParser::RBRACE ||
                  (after == TileParser::GT && !brackets.empty() && brackets.back().type == TileParser::GENERIC_OPEN);
    return write(closes ? TileParser::TRAILING_COMMA : TileParser::COMMA);
  }
  case TileParser::LPAREN:
  case TileParser::LBRACKET:
  case TileParser::LBRACE:
    return opener();
  case TileParser::RPAREN:
  case TileParser::RBRACKET:
  case TileParser::RBRACE:
    return closer();
  case TileParser::LT:
    return opensGenericList() ? open(TileParser::GENERIC_OPEN) : write(TileParser::LT);
  case TileParser::GT:
    if (!brackets.empty() && brackets.back().type == TileParser::GENERIC_OPEN)
      return close(token.begin, token.end);
    if (typeAfter() == TileParser::GT && touches(next, next + 1)) {
      write(TileParser::SHR, token.begin, in[next + 1].end);
      ++next;
      return;
    }
    return write(TileParser::GT);
  case TileParser::AT:
    return at();
  case TileParser::ELSE:
    if (lastType() == TileParser::RBRACE && typeAfter() == TileParser::IF) {
      write(TileParser::ELSE_IF, token.begin, in[next + 1].end);
      ++next;
      return;
    }
    return write(lastType() == TileParser::RBRACE ? TileParser::ELSE_BLOCK : TileParser::ELSE);
  case TileParser::FN:
    return write(typeAfter() == TileParser::LPAREN ? TileParser::LAMBDA : TileParser::FN);
  case TileParser::KERNEL:
    inKernelHead |= brackets.empty();
    return write(TileParser::KERNEL);
  default:
    return write(token.type);
  }
}

TokenList TokenFilter::run() {
  int depth = 0;
  for (const Lexeme &lexeme : in) {
    depth += lexeme.type == TileParser::LBRACE ? 1 : lexeme.type == TileParser::RBRACE ? -1 : 0;
    isBalanced &= depth >= 0;
  }
  isBalanced &= depth == 0;

  size_t doc = 0;
  for (; current().type != kEndOfFile && !list.isTooDeep; ++next) {
    size_t before = list.tokens.size();
    token();
    // A line of documentation now stands before the token written last; an END in between belongs to what is above.
    for (; doc < docs.size() && docs[doc].token <= next; ++doc)
      list.docs.push_back({static_cast<uint32_t>(std::max(before, list.tokens.size() - 1)), docs[doc].range});
  }
  if (list.isTooDeep)
    return std::move(list);
  if (!brackets.empty())
    reportUnclosed(current(), 0);
  if (!list.tokens.empty() && lastType() != TileParser::END)
    writeEnd(list.tokens.back().end, list.tokens.back().end);
  write(kEndOfFile);
  return std::move(list);
}

TokenList syntax::filterTokens(const Source &source, const TokenList &lexed) {
  return TokenFilter(source, lexed).run();
}
