// Expressions. Operators come flat from the grammar and are grouped here by precedence.
#include "frontend/parse/AstBuilder.h"
#include "frontend/parse/Literals.h"
#include "frontend/parse/Operators.h"

using namespace tile;
using namespace tile::ast;
using namespace tile::syntax;
using antlr4::ParserRuleContext;
using antlr4::tree::TerminalNode;

/// An AST deeper than this is refused, so that everything that walks it may recurse.
static constexpr size_t kDeepestNesting = 1000;

AstBuilder::Nesting::Nesting(AstBuilder &builder, const ParserRuleContext *context, size_t levels)
    : builder(builder), levels(levels) {
  if (builder.depth + levels > kDeepestNesting) {
    builder
        .report(Code::E0013, builder.range(context->start),
                "the expression is nested more than " + std::to_string(kDeepestNesting) + " deep")
        .help("name its parts with `let`");
    throw Broken();
  }
  builder.depth += levels;
}

SourceRange AstBuilder::range(const antlr4::Token *token) const {
  return source.range(list.tokens[token->getTokenIndex()]);
}

SourceRange AstBuilder::range(const ParserRuleContext *context) const {
  return range(context->start).to(range(context->stop));
}

/// Type of the token that `node`, a rule of one token, is made of.
static uint32_t tokenOf(const ParserRuleContext *context) { return static_cast<uint32_t>(context->start->getType()); }

ExprPtr AstBuilder::expression(TileParser::ExpressionContext *context) {
  Nesting nesting(*this, context, 1);
  if (context->functionLiteral())
    return functionLiteral(context->functionLiteral());
  if (context->STRIDED())
    return stridedType(context->type(), range(context));
  if (context->ARRAY_OPEN())
    return arrayType(context->expression(), context->type(), range(context));
  auto parts = context->operation();
  ExprPtr lo = operation(parts[0]);
  if (parts.size() == 1)
    return lo;
  auto node = std::make_unique<RangeExpr>(range(context));
  node->lo = std::move(lo);
  node->hi = operation(parts[1]);
  if (parts.size() > 2)
    node->step = operation(parts[2]);
  return node;
}

ExprPtr AstBuilder::optionalExpression(TileParser::ExpressionContext *context) {
  return context ? expression(context) : nullptr;
}

std::vector<ExprPtr> AstBuilder::expressions(TileParser::ExpressionsContext *context) {
  std::vector<ExprPtr> result;
  if (context)
    for (auto *each : context->expression())
      result.push_back(expression(each));
  return result;
}

ExprPtr AstBuilder::operation(TileParser::OperationContext *context) {
  struct Operand {
    ExprPtr expr;
    SourceRange range; // with parentheses
  };
  struct Pending {
    const BinaryOperator *row;
    SourceRange range;
  };
  auto operands = context->operand();
  if (operands.size() == 1)
    return operand(operands[0]);
  auto signs = context->binaryOperator();
  Nesting nesting(*this, context, operands.size());

  std::vector<Operand> values;
  std::vector<Pending> pending;
  auto reduce = [&] {
    Operand rhs = std::move(values.back());
    values.pop_back();
    Operand &lhs = values.back();
    auto node = std::make_unique<Binary>(lhs.range.to(rhs.range));
    node->op = pending.back().row->op;
    node->opRange = pending.back().range;
    node->lhs = std::move(lhs.expr);
    node->rhs = std::move(rhs.expr);
    pending.pop_back();
    lhs.range = node->range;
    lhs.expr = std::move(node);
  };
  for (size_t i = 0; i < operands.size(); ++i) {
    values.push_back({operand(operands[i]), range(operands[i])});
    if (i == signs.size())
      break;
    Pending sign{&binaryOperator(tokenOf(signs[i])), range(signs[i])};
    while (!pending.empty() && pending.back().row->level > sign.row->level)
      reduce();
    if (!pending.empty() && pending.back().row->level == sign.row->level) {
      if (sign.row->isComparison) {
        report(Code::E0010, sign.range,
               "comparisons do not chain: found `" + text(sign.range) + "` after `" + text(pending.back().range) + "`")
            .secondary(pending.back().range, "the first comparison")
            .help("join them with `&&`: `" + text(values[values.size() - 2].range.to(values.back().range)) + " && " +
                  text(values.back().range.to(range(operands[i + 1]))) + "`");
        throw Broken();
      }
      reduce();
    }
    pending.push_back(sign);
  }
  while (!pending.empty())
    reduce();
  return std::move(values.back().expr);
}

ExprPtr AstBuilder::operand(TileParser::OperandContext *context) {
  auto casts = context->cast();
  Nesting nesting(*this, context, casts.size());
  ExprPtr value = prefixed(context->prefixOperator(), context->postfix());
  for (auto *cast : casts) {
    auto node = std::make_unique<Cast>(range(context->start).to(range(cast)));
    node->operand = std::move(value);
    node->type = qualifiedName(cast->qualifiedName());
    node->options = options(cast->withClause());
    value = std::move(node);
  }
  return value;
}

ExprPtr AstBuilder::prefixed(const std::vector<TileParser::PrefixOperatorContext *> &prefixes,
                             TileParser::PostfixContext *context) {
  Nesting nesting(*this, context, prefixes.size());
  ExprPtr value = postfix(context);
  for (auto prefix = prefixes.rbegin(); prefix != prefixes.rend(); ++prefix) {
    auto node = std::make_unique<Unary>(range(*prefix).to(range(context)));
    uint32_t sign = tokenOf(*prefix);
    node->op = sign == TileParser::MINUS   ? UnaryOp::Negate
               : sign == TileParser::TILDE ? UnaryOp::BitNot
                                           : UnaryOp::LogicalNot;
    node->operand = std::move(value);
    value = std::move(node);
  }
  return value;
}

ExprPtr AstBuilder::postfix(TileParser::PostfixContext *context) {
  auto suffixes = context->suffix();
  Nesting nesting(*this, context, suffixes.size() + 1);
  ExprPtr value = primary(context->primary());
  SourceRange first = range(context->primary());
  for (auto *each : suffixes)
    value = suffix(each, std::move(value), first.to(range(each)));

  if (!context->UNCHECKED() && !context->withClause() && !context->ELSE())
    return value;
  if (value->kind != ExprKind::Index) {
    TerminalNode *word = context->UNCHECKED() ? context->UNCHECKED() : context->ELSE();
    SourceRange at = word ? range(word) : range(context->withClause()->WITH());
    std::string found = text(at);
    auto *call = dynCast<Call>(value);
    auto *callee = call ? dynCast<Name>(call->callee) : nullptr;
    bool isLoad = callee && callee->text == "load";
    report(Code::E0017, at, "`" + found + "` belongs to an access `a[…]`")
        .secondary(value->range, "this is none")
        .help(isLoad ? "write `load(p, mask = m, other = value)`" : "put it right next to the access");
    throw Broken();
  }
  auto &access = static_cast<Index &>(*value);
  access.isUnchecked = context->UNCHECKED() != nullptr;
  if (context->withClause())
    access.options = options(context->withClause());
  if (auto *fallback = context->fallback())
    access.fallback = prefixed(fallback->prefixOperator(), fallback->postfix());
  access.range = range(context);
  return value;
}

ExprPtr AstBuilder::suffix(TileParser::SuffixContext *context, ExprPtr base, SourceRange whole) {
  if (context->genericArguments())
    return genericApply(std::move(base), context->genericArguments(), context->shape(), whole);
  if (context->DOT()) {
    auto node = std::make_unique<Member>(whole);
    node->base = std::move(base);
    node->name = identifier(context->NAME());
    return node;
  }
  if (context->LPAREN()) {
    auto node = std::make_unique<Call>(whole);
    node->callee = std::move(base);
    node->arguments = arguments(context->arguments());
    return node;
  }
  auto node = std::make_unique<Index>(whole);
  node->base = std::move(base);
  if (context->positions())
    for (auto *each : context->positions()->position())
      node->positions.push_back(position(each));
  return node;
}

Position AstBuilder::position(TileParser::PositionContext *context) {
  Position position;
  position.range = range(context);
  auto parts = context->operation();
  if (parts.empty()) {
    position.kind = context->COLON()      ? Position::Kind::Whole
                    : context->NEW_AXIS() ? Position::Kind::NewAxis
                                          : Position::Kind::All;
    return position;
  }
  position.value = operation(parts[0]);
  if (parts.size() > 1) {
    position.kind = context->REGION() ? Position::Kind::Region : Position::Kind::Range;
    position.bound = operation(parts[1]);
  }
  return position;
}

Argument AstBuilder::argument(TileParser::ArgumentContext *context) {
  auto parts = context->expression();
  Argument argument;
  argument.range = range(context);
  if (parts.size() == 1) {
    argument.value = expression(parts[0]);
    return argument;
  }
  ExprPtr name = expression(parts[0]);
  const Expr *named = name.get();
  if (auto *call = dynCast<Call>(named)) {
    auto *callee = dynCast<Name>(call->callee);
    argument.isHas = callee && callee->text == "has" && call->arguments.size() == 1 && !call->arguments[0].name;
    named = argument.isHas ? call->arguments[0].value.get() : nullptr;
  }
  auto *plain = dynCast<Name>(named);
  if (!plain) {
    report(Code::E0019, name->range, "found `" + text(name->range) + "` before `=`; expected a parameter's name")
        .help("`==` compares");
    throw Broken();
  }
  argument.name = Identifier{plain->text, plain->range};
  argument.value = expression(parts[1]);
  return argument;
}

std::vector<Argument> AstBuilder::arguments(TileParser::ArgumentsContext *context) {
  std::vector<Argument> result;
  if (!context)
    return result;
  auto all = context->argument();
  for (auto *each : all) {
    Argument next = argument(each);
    bool isLastFunction = each == all.back() && dynCast<FnLiteral>(next.value);
    if (!next.name && !isLastFunction && !result.empty() && result.back().name) {
      report(Code::E0019, next.range, "found an argument without a name after a named one")
          .secondary(result.back().range, "named")
          .help("give it its name too, or put it before the named ones");
      throw Broken();
    }
    result.push_back(std::move(next));
  }
  return result;
}

std::vector<Argument> AstBuilder::options(TileParser::WithClauseContext *context) {
  return context ? arguments(context->arguments()) : std::vector<Argument>();
}

ExprPtr AstBuilder::primary(TileParser::PrimaryContext *context) {
  SourceRange whole = range(context);
  switch (tokenOf(context)) {
  case TileParser::NAME: {
    auto node = std::make_unique<Name>(whole);
    node->text = text(whole);
    return node;
  }
  case TileParser::INT: {
    auto value = integerValue(source, whole);
    if (!value)
      throw Broken();
    auto node = std::make_unique<IntLiteral>(whole);
    node->value = *value;
    return node;
  }
  case TileParser::FLOAT: {
    auto node = std::make_unique<FloatLiteral>(whole);
    auto value = floatValue(source, whole, node->spelling);
    if (!value)
      throw Broken();
    node->value = *value;
    return node;
  }
  case TileParser::STRING: {
    auto node = std::make_unique<StringLiteral>(whole);
    node->value = stringValue(source, whole);
    return node;
  }
  case TileParser::TRUE:
  case TileParser::FALSE: {
    auto node = std::make_unique<BoolLiteral>(whole);
    node->value = context->TRUE() != nullptr;
    return node;
  }
  case TileParser::NONE:
    return std::make_unique<NoneLiteral>(whole);
  case TileParser::WILDCARD:
    return std::make_unique<Wildcard>(whole);
  case TileParser::LPAREN:
    return parenthesized(context->parenthesized());
  case TileParser::LBRACKET: {
    auto node = std::make_unique<List>(whole);
    node->elements = expressions(context->list()->expressions());
    return node;
  }
  case TileParser::RECORD_OPEN: {
    auto node = std::make_unique<Record>(whole);
    for (auto *field : context->record()->recordField())
      node->fields.push_back({identifier(field->NAME()), expression(field->expression())});
    return node;
  }
  default:
    return ifExpression(context->ifExpression());
  }
}

/// `(a)` is `a`; `()`, `(a,)` and `(a, b)` are tuples.
ExprPtr AstBuilder::parenthesized(TileParser::ParenthesizedContext *context) {
  TileParser::ExpressionsContext *inner = context->expressions();
  std::vector<ExprPtr> elements = expressions(inner);
  if (elements.size() == 1 && !inner->TRAILING_COMMA())
    return std::move(elements[0]);
  auto node = std::make_unique<Tuple>(range(context));
  node->elements = std::move(elements);
  return node;
}

ExprPtr AstBuilder::ifExpression(TileParser::IfExpressionContext *context) {
  auto conditions = context->expression();
  auto blocks = context->block();
  if (conditions.size() > kDeepestNesting) {
    report(Code::E0013, range(context->start),
           "the `if` has " + std::to_string(conditions.size()) + " conditions; expected at most " +
               std::to_string(kDeepestNesting))
        .help("divide them under a few conditions first, or look the value up in a `const` tile");
    throw Broken();
  }
  Nesting nesting(*this, context, conditions.size());
  SourceRange end = range(context);
  BlockPtr elseBlock;
  if (context->ELSE_BLOCK())
    elseBlock = blockPtr(blocks.back());
  // From the last `else if` to the `if`: each is the one statement of the else block of the one before.
  for (size_t i = conditions.size(); i-- > 0;) {
    auto node = std::make_unique<IfExpr>(i == 0 ? end : range(conditions[i]).to(end));
    node->isStatic = context->STATIC_IF() != nullptr;
    node->condition = expression(conditions[i]);
    node->thenBlock = blockPtr(blocks[i]);
    node->elseBlock = std::move(elseBlock);
    if (i == 0)
      return node;
    auto stmt = std::make_unique<ExprStmt>(node->range);
    elseBlock = std::make_unique<Block>();
    elseBlock->range = node->range;
    stmt->expr = std::move(node);
    elseBlock->statements.push_back(std::move(stmt));
  }
  return nullptr;
}

ExprPtr AstBuilder::functionLiteral(TileParser::FunctionLiteralContext *context) {
  auto parameters = context->lambdaParameter();
  if (!context->FAT_ARROW()) { // the type of a function
    auto node = std::make_unique<FnType>(range(context));
    for (auto *each : parameters) {
      if (each->COLON()) {
        report(Code::E0021, range(each), "found a named parameter in the type of a function; expected a type")
            .help("a function literal goes on with `=>` and its value: `fn(a, b) => a + b`");
        throw Broken();
      }
      node->parameters.push_back(type(each->type(0)));
    }
    node->result = optionalType(context->type());
    return node;
  }
  auto node = std::make_unique<FnLiteral>(range(context));
  for (auto *each : parameters) {
    ExprPtr name = type(each->type(0));
    auto *plain = dynCast<Name>(name);
    if (!plain) {
      report(Code::E0021, name->range, "found a type; expected a parameter's name")
          .help("write `fn(name: type) => …`, or `fn(name) => …`");
      throw Broken();
    }
    node->parameters.push_back({{plain->text, plain->range}, each->COLON() ? type(each->type(1)) : nullptr});
  }
  if (context->block())
    node->block = blockPtr(context->block());
  else
    node->body = expression(context->expression());
  return node;
}
