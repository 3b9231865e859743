// Parse tree to AST. Checks what the grammar leaves open: precedence, chained comparisons, targets of assignments, the
// order of arguments, values of literals. A statement or item at fault is reported and left out.
#ifndef FRONTEND_PARSE_ASTBUILDER_H
#define FRONTEND_PARSE_ASTBUILDER_H

#include "frontend/ast/Item.h"
#include "frontend/parse/TileParser.h"
#include "frontend/parse/Tokens.h"

namespace tile::syntax {

class AstBuilder {
public:
  AstBuilder(const Source &source, const TokenList &list) : source(source), list(list) {}
  std::unique_ptr<ast::Module> build(TileParser::ModuleContext *context);

private:
  /// Thrown after a report; caught where a statement or item is left out.
  struct Broken {};

  /// Counts nesting of the node being built, an upper bound of the AST's depth.
  class Nesting {
  public:
    Nesting(AstBuilder &builder, const antlr4::ParserRuleContext *context, size_t levels);
    ~Nesting() { builder.depth -= levels; }
    Nesting(const Nesting &) = delete;

  private:
    AstBuilder &builder;
    size_t levels;
  };

  SourceRange range(const antlr4::Token *token) const;
  SourceRange range(const antlr4::ParserRuleContext *context) const;
  SourceRange range(antlr4::tree::TerminalNode *node) const { return range(node->getSymbol()); }
  std::string text(SourceRange range) const { return std::string(source.sources.text(range)); }
  ast::Identifier identifier(antlr4::tree::TerminalNode *node) const { return {text(range(node)), range(node)}; }
  DiagnosticBuilder report(Code code, SourceRange range, std::string message) {
    return source.engine.report(code, range, std::move(message));
  }

  //===- ExprBuilder.cpp ----------------------------------------------------------------------------------------===//
  ast::ExprPtr expression(TileParser::ExpressionContext *context);
  /// Null for null: an absent optional part.
  ast::ExprPtr optionalExpression(TileParser::ExpressionContext *context);
  std::vector<ast::ExprPtr> expressions(TileParser::ExpressionsContext *context);
  ast::ExprPtr operation(TileParser::OperationContext *context);
  ast::ExprPtr operand(TileParser::OperandContext *context);
  ast::ExprPtr prefixed(const std::vector<TileParser::PrefixOperatorContext *> &prefixes,
                        TileParser::PostfixContext *context);
  ast::ExprPtr postfix(TileParser::PostfixContext *context);
  ast::ExprPtr suffix(TileParser::SuffixContext *context, ast::ExprPtr base, SourceRange whole);
  ast::ExprPtr primary(TileParser::PrimaryContext *context);
  ast::ExprPtr parenthesized(TileParser::ParenthesizedContext *context);
  ast::ExprPtr ifExpression(TileParser::IfExpressionContext *context);
  ast::ExprPtr functionLiteral(TileParser::FunctionLiteralContext *context);
  ast::Position position(TileParser::PositionContext *context);
  std::vector<ast::Argument> arguments(TileParser::ArgumentsContext *context);
  ast::Argument argument(TileParser::ArgumentContext *context);
  std::vector<ast::Argument> options(TileParser::WithClauseContext *context);

  //===- TypeBuilder.cpp ----------------------------------------------------------------------------------------===//
  ast::ExprPtr type(TileParser::TypeContext *context);
  ast::ExprPtr optionalType(TileParser::TypeContext *context);
  ast::ExprPtr qualifiedName(TileParser::QualifiedNameContext *context);
  ast::ExprPtr genericApply(ast::ExprPtr base, TileParser::GenericArgumentsContext *arguments,
                            TileParser::ShapeContext *shape, SourceRange whole);
  ast::ExprPtr stridedType(TileParser::TypeContext *tensor, SourceRange whole);
  ast::ExprPtr arrayType(TileParser::ExpressionContext *extent, TileParser::TypeContext *element, SourceRange whole);

  //===- StmtBuilder.cpp ----------------------------------------------------------------------------------------===//
  ast::Block block(TileParser::BlockContext *context);
  ast::BlockPtr blockPtr(TileParser::BlockContext *context);
  ast::StmtPtr statement(TileParser::StatementContext *context);
  ast::StmtPtr let(TileParser::LetStatementContext *context);
  ast::StmtPtr loop(TileParser::LoopContext *context);
  ast::StmtPtr assignment(TileParser::AssignmentContext *context);
  ast::StmtPtr roles(TileParser::RolesStatementContext *context);
  ast::Pattern pattern(TileParser::PatternContext *context);
  void checkTarget(const ast::Expr &target);
  std::vector<ast::Decorator> decorators(const std::vector<TileParser::DecoratorContext *> &contexts);
  std::vector<ast::Decorator> clauses(const std::vector<TileParser::DecoratorContext *> &contexts);
  /// Condition and message, which may be null.
  std::pair<ast::ExprPtr, ast::ExprPtr> staticAssert(TileParser::StaticAssertContext *context);

  //===- ItemBuilder.cpp ----------------------------------------------------------------------------------------===//
  ast::ItemPtr item(TileParser::ItemContext *context);
  ast::ItemPtr importItem(TileParser::ImportItemContext *context);
  ast::ItemPtr structItem(TileParser::StructItemContext *context);
  std::unique_ptr<ast::FnDecl> function(TileParser::FnItemContext *context);
  ast::ItemPtr kernel(TileParser::KernelItemContext *context);
  void addAlias(ast::KernelItem &kernel, ast::KernelItem::Alias alias);
  void kernelClause(TileParser::KernelClauseContext *context, ast::KernelItem &kernel);
  std::vector<ast::GenericParameter> generics(TileParser::GenericsContext *context);
  std::vector<ast::Parameter> parameters(TileParser::ParametersContext *context);
  ast::Parameter parameter(TileParser::ParameterContext *context);
  std::string documentation(const antlr4::ParserRuleContext *context) const;

  const Source &source;
  const TokenList &list;
  size_t depth = 0;
};

} // namespace tile::syntax

#endif // FRONTEND_PARSE_ASTBUILDER_H
