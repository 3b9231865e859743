#include "frontend/parse/Parse.h"
#include "frontend/parse/AstBuilder.h"
#include "frontend/parse/SyntaxErrors.h"
#include "frontend/parse/TileLexer.h"

using namespace tile;
using namespace tile::syntax;

namespace {

/// Deeper recursion of the parser ends the parse. Brackets alone, which the filter limits, need less: this is for what
/// nests without them, like `fn() => fn() => …`.
constexpr size_t kDeepestRules = 3000;

class LimitedParser final : public TileParser {
public:
  struct TooDeep {
    size_t token;
  };
  using TileParser::TileParser;

  void enterRule(antlr4::ParserRuleContext *context, size_t state, size_t rule) override {
    // `last` lies below the new context's parent or is it; rules left since then are climbed over here.
    for (; last && last != context->parent; last = last->parent)
      --depth;
    last = context;
    if (++depth > kDeepestRules)
      throw TooDeep{_input->index()};
    TileParser::enterRule(context, state, rule);
  }

private:
  const antlr4::tree::ParseTree *last = nullptr;
  size_t depth = 0;
};

std::vector<std::unique_ptr<antlr4::Token>> antlrTokens(const TokenList &list) {
  std::vector<std::unique_ptr<antlr4::Token>> result;
  result.reserve(list.tokens.size());
  for (const Lexeme &lexeme : list.tokens) {
    auto token = std::make_unique<antlr4::CommonToken>(
        lexeme.type == kEndOfFile ? antlr4::Token::EOF : static_cast<size_t>(lexeme.type), std::string());
    token->setStartIndex(lexeme.begin);
    token->setStopIndex(lexeme.end - size_t(1));
    result.push_back(std::move(token));
  }
  return result;
}

} // namespace

static ParseResult parseTokens(const Source &source, TokenList (*lexer)(const Source &)) {
  DiagnosticEngine &engine = source.engine;
  unsigned errorsBefore = engine.errorCount() + engine.droppedCount();
  ParseResult result;
  result.module = std::make_unique<ast::Module>();
  result.module->file = source.file;

  TokenList list = filterTokens(source, lexer(source));
  if (!list.isTooDeep) {
    antlr4::ListTokenSource tokens(antlrTokens(list));
    antlr4::CommonTokenStream stream(&tokens);
    LimitedParser parser(&stream);
    parser.removeErrorListeners();
    parser.setErrorHandler(std::make_shared<SyntaxErrors>(source, list));
    try {
      result.module = AstBuilder(source, list).build(parser.module());
    } catch (LimitedParser::TooDeep fault) {
      engine.report(Code::E0013, source.range(list.tokens[fault.token]), "the program is nested too deep")
          .help("name its parts with `let`");
    }
  }
  result.hasErrors = engine.errorCount() + engine.droppedCount() != errorsBefore;
  return result;
}

ParseResult tile::parse(const SourceManager &sources, FileId file, DiagnosticEngine &engine) {
  return parseTokens(Source{sources, file, sources.text(file), engine}, lex);
}

/// The tokens of an expression as the value of a constant, whose declaration is not in the text.
static TokenList lexValue(const Source &source) {
  TokenList list = lex(source);
  std::vector<Lexeme> declaration;
  for (uint32_t type : {TileLexer::CONST, TileLexer::NAME, TileLexer::ASSIGN})
    declaration.push_back({type, source.begin, source.begin});
  declaration.front().startsLine = true;
  list.tokens.front().startsLine = false;
  list.tokens.insert(list.tokens.begin(), declaration.begin(), declaration.end());
  return list;
}

ParseResult tile::parseValue(const SourceManager &sources, FileId file, uint32_t begin, DiagnosticEngine &engine) {
  return parseTokens(Source{sources, file, sources.text(file), engine, begin}, lexValue);
}
