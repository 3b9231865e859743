#include "frontend/parse/AstBuilder.h"
#include "frontend/parse/Operators.h"

#include <map>

using namespace tile;
using namespace tile::ast;
using namespace tile::syntax;

Block AstBuilder::block(TileParser::BlockContext *context) {
  Block block;
  block.range = range(context);
  for (auto *each : context->statement()) {
    if (each->exception)
      continue;
    try {
      block.statements.push_back(statement(each));
    } catch (Broken) { // reported
    }
  }
  return block;
}

BlockPtr AstBuilder::blockPtr(TileParser::BlockContext *context) { return std::make_unique<Block>(block(context)); }

StmtPtr AstBuilder::statement(TileParser::StatementContext *context) {
  Nesting nesting(*this, context, 1);
  // All but the END.
  SourceRange whole = range(context->start);
  if (auto *inner = dynamic_cast<antlr4::ParserRuleContext *>(context->children.front()))
    whole = range(inner);
  if (auto *each = context->letStatement())
    return let(each);
  if (auto *each = context->loop())
    return loop(each);
  if (auto *each = context->assignment())
    return assignment(each);
  if (auto *each = context->rolesStatement())
    return roles(each);
  if (auto *each = context->sharedStatement()) {
    auto node = std::make_unique<SharedStmt>(whole);
    node->name = identifier(each->NAME());
    node->type = type(each->type());
    return node;
  }
  if (auto *each = context->returnStatement()) {
    auto node = std::make_unique<ReturnStmt>(whole);
    node->value = optionalExpression(each->expression());
    return node;
  }
  if (context->BREAK())
    return std::make_unique<BreakStmt>(whole);
  if (context->CONTINUE())
    return std::make_unique<ContinueStmt>(whole);
  if (auto *each = context->staticAssert()) {
    auto node = std::make_unique<StaticAssertStmt>(whole);
    std::tie(node->condition, node->message) = staticAssert(each);
    return node;
  }
  if (auto *each = context->staticPrint()) {
    auto node = std::make_unique<StaticPrintStmt>(whole);
    node->values = expressions(each->expressions());
    return node;
  }
  auto node = std::make_unique<FnStmt>(whole);
  node->function = function(context->fnItem());
  return node;
}

StmtPtr AstBuilder::let(TileParser::LetStatementContext *context) {
  auto node = std::make_unique<LetStmt>(range(context));
  node->isMutable = context->VAR() != nullptr;
  node->pattern = pattern(context->pattern());
  node->type = optionalType(context->type());
  node->value = expression(context->expression());
  return node;
}

Pattern AstBuilder::pattern(TileParser::PatternContext *context) {
  Pattern result;
  result.range = range(context);
  if (context->NAME()) {
    result.name = text(result.range);
  } else if (context->WILDCARD()) {
    result.kind = Pattern::Kind::Wildcard;
  } else {
    result.kind = Pattern::Kind::Tuple;
    for (auto *each : context->pattern())
      result.elements.push_back(pattern(each));
  }
  return result;
}

std::vector<Decorator> AstBuilder::decorators(const std::vector<TileParser::DecoratorContext *> &contexts) {
  std::vector<Decorator> result;
  for (auto *each : contexts)
    result.push_back({identifier(each->NAME()), arguments(each->arguments()), range(each)});
  return result;
}

/// The clauses before a loop, each of which says one thing.
std::vector<Decorator> AstBuilder::clauses(const std::vector<TileParser::DecoratorContext *> &contexts) {
  std::vector<Decorator> result = decorators(contexts);
  std::map<std::string_view, SourceRange> seen;
  for (const Decorator &clause : result)
    if (auto [first, isNew] = seen.try_emplace(clause.name.text, clause.range); !isNew)
      report(Code::E0018, clause.range, "a loop has one `@" + clause.name.text + "`; found a second")
          .secondary(first->second, "the first");
  return result;
}

StmtPtr AstBuilder::loop(TileParser::LoopContext *context) {
  if (context->WHILE()) {
    auto node = std::make_unique<WhileStmt>(range(context));
    node->clauses = clauses(context->decorator());
    node->condition = expression(context->expression());
    node->body = block(context->block());
    return node;
  }
  auto node = std::make_unique<ForStmt>(range(context));
  node->clauses = clauses(context->decorator());
  node->isStatic = context->STATIC_FOR() != nullptr;
  node->pattern = pattern(context->pattern());
  node->iterable = expression(context->expression());
  if (auto *call = dynCast<Call>(node->iterable)) {
    auto *callee = dynCast<Name>(call->callee);
    if (callee && callee->text == "range") {
      std::vector<std::string> parts;
      for (const Argument &argument : call->arguments)
        parts.push_back(text(argument.range));
      if (parts.size() == 1)
        parts.insert(parts.begin(), "0");
      std::string help = "write `lo .. hi step s`";
      if (parts.size() == 2 || parts.size() == 3)
        help = "write `" + parts[0] + " .. " + parts[1] + (parts.size() == 3 ? " step " + parts[2] : "") + "`";
      report(Code::E0012, callee->range, "there is no `range`; a loop runs over `lo .. hi`").help(help);
      throw Broken();
    }
  }
  node->body = block(context->block());
  return node;
}

void AstBuilder::checkTarget(const Expr &target) {
  switch (target.kind) {
  case ExprKind::Name:
  case ExprKind::Member:
    return;
  case ExprKind::Tuple:
    for (const ExprPtr &element : static_cast<const Tuple &>(target).elements)
      checkTarget(*element);
    return;
  case ExprKind::Index: {
    auto &access = static_cast<const Index &>(target);
    if (!access.fallback)
      return;
    report(Code::E0016, access.fallback->range, "found `else` in the target of an assignment")
        .help("lanes out of bounds are not written");
    throw Broken();
  }
  default: {
    DiagnosticBuilder fault = report(Code::E0016, target.range,
                                     "found `" + text(target.range) +
                                         "` as the target of an assignment; expected "
                                         "a variable, `a[…]`, a field or a tuple of them");
    if (target.kind == ExprKind::Binary)
      fault.help("`==` compares");
    if (target.kind == ExprKind::Wildcard)
      fault.help("write `let _ = …`");
    throw Broken();
  }
  }
}

StmtPtr AstBuilder::assignment(TileParser::AssignmentContext *context) {
  auto parts = context->expression();
  ExprPtr first = expression(parts[0]);
  if (parts.size() == 1) {
    auto node = std::make_unique<ExprStmt>(range(context));
    node->expr = std::move(first);
    return node;
  }
  checkTarget(*first);
  auto *sign = context->assignmentOperator();
  auto node = std::make_unique<AssignStmt>(range(context));
  node->op = syntax::assignmentOperator(static_cast<uint32_t>(sign->start->getType()));
  node->opRange = range(sign);
  if (node->op && first->kind == ExprKind::Tuple) {
    report(Code::E0016, node->opRange, "found `" + text(node->opRange) + "` after a tuple; expected `=`");
    throw Broken();
  }
  node->target = std::move(first);
  node->value = expression(parts[1]);
  return node;
}

StmtPtr AstBuilder::roles(TileParser::RolesStatementContext *context) {
  auto node = std::make_unique<RolesStmt>(range(context));
  for (auto *each : context->role())
    if (!each->exception)
      node->roles.push_back({identifier(each->NAME()), arguments(each->arguments()), block(each->block())});
  return node;
}

std::pair<ExprPtr, ExprPtr> AstBuilder::staticAssert(TileParser::StaticAssertContext *context) {
  std::vector<ExprPtr> parts = expressions(context->expressions());
  if (parts.size() > 2) {
    report(Code::E0019, parts[2]->range,
           "found a third argument of `static_assert`; expected a condition and a message");
    throw Broken();
  }
  return {std::move(parts[0]), parts.size() == 2 ? std::move(parts[1]) : nullptr};
}
