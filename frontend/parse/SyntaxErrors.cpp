#include "frontend/parse/SyntaxErrors.h"

#include <algorithm>

using namespace tile;
using namespace tile::syntax;
using antlr4::ParserRuleContext;

//===- Faults in words --------------------------------------------------------------------------------------------===//

Lexeme Fault::at(int offset) const {
  auto wanted = static_cast<int64_t>(index) + offset;
  if (wanted < 0 || wanted >= static_cast<int64_t>(tokens.size()))
    return Lexeme{TileParser::END, 0, 0};
  return tokens[static_cast<size_t>(wanted)];
}

bool Fault::isInside(size_t rule) const {
  for (const antlr4::RuleContext *each = context; each; each = static_cast<const antlr4::RuleContext *>(each->parent)) {
    if (each->getRuleIndex() == rule)
      return true;
    if (each->getRuleIndex() == TileParser::RuleStatement || each->getRuleIndex() == TileParser::RuleItem)
      return false;
  }
  return false;
}

bool Fault::beginsStatement(int offset) const {
  uint32_t before = type(offset - 1);
  return before == TileParser::END || before == TileParser::LBRACE;
}

std::string syntax::describeFound(const Fault &fault) {
  Lexeme token = fault.at();
  if (token.begin < token.end)
    return "`" + std::string(fault.text()) + "`";
  bool isAtEnd = token.type == kEndOfFile || fault.type(1) == kEndOfFile;
  return isAtEnd ? "the end of the file" : "the end of the line";
}

/// Names of token types that are no fixed text, and of those that are made by the filter.
static std::string tokenName(const antlr4::dfa::Vocabulary &vocabulary, size_t type) {
  switch (type) {
  case antlr4::Token::EOF:
    return "the end of the file";
  case TileParser::END:
    return "the end of the statement";
  case TileParser::NAME:
    return "a name";
  case TileParser::STRING:
    return "a string";
  case TileParser::INT:
  case TileParser::FLOAT:
    return "a number";
  case TileParser::GENERIC_OPEN:
    return "`<`";
  case TileParser::GENERIC_CLOSE:
    return "`>`";
  case TileParser::SHAPE_OPEN:
  case TileParser::ARRAY_OPEN:
    return "`[`";
  case TileParser::RECORD_OPEN:
    return "`{`";
  case TileParser::DECORATOR:
    return "a decorator";
  case TileParser::ELSE_IF:
  case TileParser::ELSE_BLOCK:
    return "`else`";
  case TileParser::LAMBDA:
    return "`fn`";
  case TileParser::SHR:
    return "`>>`";
  case TileParser::STATIC_FOR:
    return "`static for`";
  case TileParser::STATIC_IF:
    return "`static if`";
  default:
    break;
  }
  std::string literal = vocabulary.getLiteralName(type);
  if (literal.size() > 2)
    return "`" + literal.substr(1, literal.size() - 2) + "`";
  // A word that is a keyword in its place, like GRID.
  std::string word = vocabulary.getSymbolicName(type);
  std::transform(word.begin(), word.end(), word.begin(), [](char c) { return static_cast<char>(tolower(c)); });
  return "`" + word + "`";
}

namespace {

/// Token types that together mean one thing to the reader; expected as a whole they are named as a whole.
struct Group {
  std::string_view name;
  uint32_t first, second;       // both expected: the group is
  std::vector<uint32_t> hidden; // not named again
};

const std::vector<uint32_t> kExpressionBegins = {
    TileParser::NAME,      TileParser::INT,       TileParser::FLOAT,  TileParser::STRING,   TileParser::TRUE,
    TileParser::FALSE,     TileParser::NONE,      TileParser::LPAREN, TileParser::LBRACKET, TileParser::RECORD_OPEN,
    TileParser::IF,        TileParser::STATIC_IF, TileParser::LAMBDA, TileParser::STRIDED,  TileParser::ARRAY_OPEN,
    TileParser::UNCHECKED, TileParser::MINUS,     TileParser::TILDE,  TileParser::BANG,     TileParser::WILDCARD,
};

std::vector<uint32_t> with(std::vector<uint32_t> base, std::initializer_list<uint32_t> more) {
  base.insert(base.end(), more);
  return base;
}

const std::vector<Group> &groups() {
  static const std::vector<Group> all = {
      {"an item (`import`, `const`, `struct`, `fn`, `kernel` or `spec`)",
       TileParser::KERNEL,
       TileParser::IMPORT,
       {TileParser::IMPORT, TileParser::CONST, TileParser::STRUCT, TileParser::FN, TileParser::KERNEL, TileParser::SPEC,
        TileParser::STATIC_ASSERT, TileParser::DECORATOR, kEndOfFile}},
      {"a statement", TileParser::LET, TileParser::RETURN,
       with(kExpressionBegins,
            {TileParser::LET, TileParser::VAR, TileParser::FOR, TileParser::STATIC_FOR, TileParser::WHILE,
             TileParser::RETURN, TileParser::BREAK, TileParser::CONTINUE, TileParser::STATIC_ASSERT,
             TileParser::STATIC_PRINT, TileParser::FN, TileParser::SHARED, TileParser::ROLES, TileParser::DECORATOR})},
      {"an expression", TileParser::INT, TileParser::MINUS, kExpressionBegins},
      {"a type",
       TileParser::STRIDED,
       TileParser::ARRAY_OPEN,
       {TileParser::NAME, TileParser::STRIDED, TileParser::ARRAY_OPEN, TileParser::LAMBDA, TileParser::LPAREN,
        TileParser::WILDCARD}},
      {"a pattern",
       TileParser::NAME,
       TileParser::WILDCARD,
       {TileParser::NAME, TileParser::WILDCARD, TileParser::LPAREN}},
      {"a parameter",
       TileParser::OUT,
       TileParser::NAME,
       {TileParser::OUT, TileParser::INOUT, TileParser::VOLATILE, TileParser::SCRATCH, TileParser::NAME}},
      {"an assignment", TileParser::ADD_ASSIGN, TileParser::ASSIGN,
       [] {
         std::vector<uint32_t> types;
         for (uint32_t type = TileParser::ASSIGN; type <= TileParser::OR_ASSIGN; ++type)
           types.push_back(type);
         return types;
       }()},
  };
  return all;
}

} // namespace

/// What may follow any operand; left unsaid where something else is expected too.
static bool isOperatorOrSuffix(const Fault &fault, uint32_t type) {
  switch (type) {
  case TileParser::SHR:
  case TileParser::LPAREN:
  case TileParser::LBRACKET:
  case TileParser::GENERIC_OPEN:
  case TileParser::SHAPE_OPEN:
  case TileParser::DOT:
  case TileParser::AS:
  case TileParser::WITH:
  case TileParser::ELSE:
  case TileParser::STEP:
    return true;
  case TileParser::RANGE:
    return !fault.expects(TileParser::REGION);
  default:
    return type >= TileParser::STAR && type <= TileParser::OR;
  }
}

std::string syntax::describeExpected(const Fault &fault) {
  std::vector<std::string> names;
  std::vector<uint32_t> hidden = {TileParser::TRAILING_COMMA};
  for (const Group &group : groups()) {
    if (!fault.expects(group.first) || !fault.expects(group.second))
      continue;
    if (std::find(hidden.begin(), hidden.end(), group.first) != hidden.end())
      continue;
    names.emplace_back(group.name);
    hidden.insert(hidden.end(), group.hidden.begin(), group.hidden.end());
  }
  bool isAfterOperand = fault.expects(TileParser::STAR) && fault.expects(TileParser::PLUS);
  for (ssize_t type : fault.expected.toList()) {
    auto narrow = static_cast<uint32_t>(type);
    if (isAfterOperand && isOperatorOrSuffix(fault, narrow))
      continue;
    if (std::find(hidden.begin(), hidden.end(), narrow) != hidden.end())
      continue;
    std::string name = tokenName(fault.vocabulary, static_cast<size_t>(type));
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i)
      text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

//===- The strategy -----------------------------------------------------------------------------------------------===//

/// Rules whose loops go on after a broken member, and the rules of the members.
static bool isMemberList(size_t rule) {
  return rule == TileParser::RuleModule || rule == TileParser::RuleBlock || rule == TileParser::RuleStructItem ||
         rule == TileParser::RuleRolesStatement;
}
static bool isMember(size_t rule) {
  return rule == TileParser::RuleItem || rule == TileParser::RuleStatement || rule == TileParser::RuleField ||
         rule == TileParser::RuleRole;
}

void SyntaxErrors::report(antlr4::Parser *parser) {
  size_t index = parser->getTokenStream()->index();
  const Lexeme &token = list.tokens[index];
  if (list.muted.contains(token.begin))
    return;
  antlr4::misc::IntervalSet expected = parser->getExpectedTokens();
  if (optionalAt == index)
    expected.addAll(optional);
  Fault fault{source, list.tokens, index, parser->getContext(), expected, parser->getVocabulary()};
  if (reportSlip(fault))
    return;
  source.engine.report(Code::E0001, source.range(token),
                       "found " + describeFound(fault) + "; expected " + describeExpected(fault));
}

void SyntaxErrors::reportError(antlr4::Parser *parser, const antlr4::RecognitionException &) {
  if (!isReported)
    report(parser);
  isReported = true;
}

antlr4::Token *SyntaxErrors::recoverInline(antlr4::Parser *parser) { throw antlr4::InputMismatchException(parser); }

/// Skips to the end of a member of `rule` that lies inside `depth` brackets: past its END, or before what closes the
/// list around it.
void SyntaxErrors::skipMember(antlr4::Parser *parser, uint32_t depth, size_t rule) {
  antlr4::TokenStream *stream = parser->getTokenStream();
  for (;;) {
    const Lexeme &token = list.tokens[stream->index()];
    if (token.type == kEndOfFile || token.depth < depth)
      return;
    stream->consume();
    bool isFieldEnd = rule == TileParser::RuleField && token.type == TileParser::COMMA;
    if (token.depth == depth && (token.type == TileParser::END || isFieldEnd))
      return;
  }
}

void SyntaxErrors::recover(antlr4::Parser *parser, std::exception_ptr error) {
  ParserRuleContext *context = parser->getContext();
  size_t rule = context->getRuleIndex();
  if (!isMember(rule))
    std::rethrow_exception(error);
  skipMember(parser, list.tokens[context->getStart()->getTokenIndex()].depth, rule);
  isReported = false;
  if (rule == TileParser::RuleItem)
    isLastItemBroken = true;
}

/// Called by the generated code before each optional part and each turn of a loop.
void SyntaxErrors::sync(antlr4::Parser *parser) {
  const antlr4::atn::ATN &atn = parser->getATN();
  antlr4::atn::ATNState *state = atn.states[parser->getState()];
  const antlr4::misc::IntervalSet &following = atn.nextTokens(state);
  auto fits = [&] { return following.contains(parser->getTokenStream()->LA(1)); };
  size_t rule = parser->getContext()->getRuleIndex();
  if (rule == TileParser::RuleModule && !parser->getContext()->children.empty())
    isLastItemBroken = static_cast<ParserRuleContext *>(parser->getContext()->children.back())->exception != nullptr;
  if (fits())
    return;
  if (following.contains(antlr4::Token::EPSILON)) {
    // An optional part is left out here; should the token not fit after it either, the part was expected as well.
    size_t index = parser->getTokenStream()->index();
    if (optionalAt != index)
      optional.clear();
    optionalAt = index;
    for (const antlr4::misc::Interval &interval : following.getIntervals())
      if (interval.a > 0)
        optional.add(interval);
    return;
  }
  bool isLoop = state->getStateType() == antlr4::atn::ATNState::STAR_LOOP_ENTRY ||
                state->getStateType() == antlr4::atn::ATNState::STAR_LOOP_BACK;
  if (!isMemberList(rule) || !isLoop)
    throw antlr4::InputMismatchException(parser);
  // No member begins here: say so once, and look for the next.
  while (!fits() && parser->getTokenStream()->LA(1) != antlr4::Token::EOF) {
    // What follows a broken item and is indented is its rest.
    uint32_t begin = list.tokens[parser->getTokenStream()->index()].begin;
    bool isRest = isLastItemBroken && source.sources.lineColumn(source.file, begin).column > 1;
    if (rule != TileParser::RuleModule || !isRest)
      report(parser);
    isLastItemBroken = rule == TileParser::RuleModule;
    uint32_t depth = list.tokens[parser->getTokenStream()->index()].depth;
    skipMember(parser, depth, TileParser::RuleStatement);
  }
}
