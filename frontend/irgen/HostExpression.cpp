#include "frontend/irgen/HostExpression.h"

#include "frontend/irgen/Builtins.h"
#include "frontend/irgen/Program.h"

using namespace tile;
using namespace tile::irgen;
using ast::dynCast;

std::optional<int64_t> irgen::constantInteger(const HostExpression &expression) {
  if (!expression.constant)
    return std::nullopt;
  if (auto *integer = expression.constant->as<IntConstant>())
    return static_cast<int64_t>(integer->value);
  if (auto *boolean = expression.constant->as<BoolConstant>())
    return boolean->value;
  return std::nullopt;
}

HostExpression HostEvaluator::constant(const Value &value) {
  mlir::OpBuilder &builder = evaluator.builder;
  HostExpression result;
  result.constant = value;
  if (auto *floating = value.as<FloatConstant>())
    result.tokens.push_back(builder.getF64FloatAttr(floating->value));
  else
    result.tokens.push_back(builder.getI64IntegerAttr(*constantInteger(result)));
  return result;
}

HostExpression HostEvaluator::name(const std::string &name) {
  HostExpression result;
  result.tokens.push_back(evaluator.builder.getStringAttr(name));
  return result;
}

std::optional<HostExpression> HostEvaluator::refuse(SourceRange range) {
  evaluator.report(Code::E0402, range, quote(evaluator.text(range)) + " cannot be computed at launch")
      .note("the launcher knows extents, scalar parameters, compile-time parameters and integer arithmetic");
  return std::nullopt;
}

/// What a launch evaluates again and again; the launcher refuses more values than this waiting at once.
static constexpr size_t kMaxTokens = 1024, kMaxWaiting = 32;

std::optional<HostExpression> HostEvaluator::apply(const std::string &op, llvm::ArrayRef<HostExpression> operands,
                                                   std::optional<Value> folded, SourceRange range) {
  if (folded && folded->isError())
    return std::nullopt;
  if (folded && folded->isConstantScalar())
    return constant(*folded);
  HostExpression result;
  size_t before = 0;
  for (const HostExpression &operand : operands) {
    result.tokens.append(operand.tokens.begin(), operand.tokens.end());
    result.waiting = std::max(result.waiting, before++ + operand.waiting);
  }
  auto tooLong = [&](std::string_view what, size_t limit) {
    evaluator.report(Code::E0402, range,
                     quote(evaluator.text(range)) + " takes the launcher more than " + std::to_string(limit) + " " +
                         std::string(what));
    return std::nullopt;
  };
  if (result.tokens.size() >= kMaxTokens)
    return tooLong("steps", kMaxTokens);
  if (result.waiting > kMaxWaiting)
    return tooLong("values at once", kMaxWaiting);
  result.tokens.push_back(evaluator.builder.getStringAttr(op));
  return result;
}

std::optional<HostExpression> HostEvaluator::evaluate(const ast::Expr &expr) {
  switch (expr.kind) {
  case ast::ExprKind::IntLiteral:
  case ast::ExprKind::FloatLiteral:
  case ast::ExprKind::BoolLiteral:
    return constant(evaluator.evaluate(expr));
  case ast::ExprKind::Name: {
    auto *spelled = dynCast<ast::Name>(&expr);
    if (std::optional<HostExpression> known = lookup(spelled->text))
      return known;
    Value value = evaluator.evaluateConstant(expr, quote(spelled->text));
    if (value.isError())
      return std::nullopt;
    return value.isConstantScalar() ? std::optional(constant(value)) : refuse(expr.range);
  }
  case ast::ExprKind::Member: {
    Value value = evaluator.evaluateConstant(expr, quote(evaluator.text(expr.range)));
    if (value.isError())
      return std::nullopt;
    return value.isConstantScalar() ? std::optional(constant(value)) : refuse(expr.range);
  }
  case ast::ExprKind::Unary: {
    auto *unary = dynCast<ast::Unary>(&expr);
    std::optional<HostExpression> operand = evaluate(*unary->operand);
    if (!operand)
      return std::nullopt;
    if (unary->op == ast::UnaryOp::BitNot)
      return refuse(expr.range);
    std::optional<Value> folded;
    if (operand->constant)
      folded = evaluator.unary(unary->op, {*operand->constant, unary->operand->range}, expr.range);
    return apply(unary->op == ast::UnaryOp::Negate ? "neg" : "!", *operand, folded, expr.range);
  }
  case ast::ExprKind::Binary: {
    auto *binary = dynCast<ast::Binary>(&expr);
    std::optional<HostExpression> lhs = evaluate(*binary->lhs);
    if (!lhs)
      return std::nullopt;
    // `has(x) && e` folds, and `e` is not looked at.
    if (isLogical(binary->op) && lhs->constant)
      if (bool isAnd = binary->op == ast::BinaryOp::LogicalAnd; bool(*constantInteger(*lhs)) != isAnd)
        return lhs;
    std::optional<HostExpression> rhs = evaluate(*binary->rhs);
    if (!rhs)
      return std::nullopt;
    if (isLogical(binary->op) && lhs->constant)
      return rhs;
    if (binary->op == ast::BinaryOp::MatMul)
      return refuse(expr.range);
    std::optional<Value> folded;
    if (lhs->constant && rhs->constant)
      folded = evaluator.foldBinary(binary->op, {*lhs->constant, binary->lhs->range},
                                    {*rhs->constant, binary->rhs->range}, binary->opRange);
    return apply(std::string(ast::spelling(binary->op)), {*lhs, *rhs}, folded, expr.range);
  }
  case ast::ExprKind::If: {
    auto *conditional = dynCast<ast::IfExpr>(&expr);
    auto only = [](const ast::BlockPtr &block) -> const ast::Expr * {
      auto *statement =
          block && block->statements.size() == 1 ? dynCast<ast::ExprStmt>(block->statements.front()) : nullptr;
      return statement ? statement->expr.get() : nullptr;
    };
    const ast::Expr *yes = only(conditional->thenBlock), *no = only(conditional->elseBlock);
    std::optional<HostExpression> condition = evaluate(*conditional->condition);
    if (!condition)
      return std::nullopt;
    if (!yes || !no)
      return refuse(expr.range);
    if (condition->constant)
      return evaluate(*constantInteger(*condition) ? *yes : *no);
    std::optional<HostExpression> first = evaluate(*yes), second = evaluate(*no);
    if (!first || !second)
      return std::nullopt;
    return apply("select", {*condition, *first, *second}, std::nullopt, expr.range);
  }
  case ast::ExprKind::Call:
    return evaluateCall(*dynCast<ast::Call>(&expr));
  default:
    return refuse(expr.range);
  }
}

std::optional<HostExpression> HostEvaluator::evaluateCall(const ast::Call &call) {
  auto *callee = dynCast<ast::Name>(call.callee);
  if (!callee)
    return refuse(call.range);
  if (callee->text == "num_sms" && call.arguments.empty())
    return numSms ? constant(Value::integer(*numSms)) : name("num_sms");
  const LoadedModule *owner = nullptr, *file = evaluator.frame->scope->file();
  if (const ast::Item *item = file ? file->find(callee->text, owner) : nullptr)
    if (auto *function = dynCast<ast::FnDecl>(item))
      return inlineCall(*function, call);
  if (callee->text == "has") {
    auto *parameter = call.arguments.size() == 1 ? dynCast<ast::Name>(call.arguments[0].value) : nullptr;
    if (std::optional<HostExpression> known = parameter ? lookup("has(" + parameter->text + ")") : std::nullopt)
      return known;
    Value value = evaluator.evaluate(call);
    return value.isError() ? std::nullopt : std::optional(constant(value));
  }
  static constexpr std::pair<std::string_view, size_t> functions[] = {{"cdiv", 2}, {"floordiv", 2}, {"floormod", 2},
                                                                      {"max", 2},  {"min", 2},      {"next_pow2", 1}};
  for (auto [function, arity] : functions) {
    if (callee->text != function)
      continue;
    if (call.arguments.size() != arity) {
      evaluator.report(Code::E0215, call.range,
                       quote(function) + " is called with " + counted(call.arguments.size(), "argument") +
                           "; expected " + std::to_string(arity));
      return std::nullopt;
    }
    std::vector<HostExpression> operands;
    CallArguments arguments;
    arguments.range = call.range;
    arguments.callee = callee->range;
    bool isConstant = true;
    for (const ast::Argument &argument : call.arguments) {
      std::optional<HostExpression> operand = evaluate(*argument.value);
      if (!operand)
        return std::nullopt;
      isConstant &= operand->constant.has_value();
      operands.push_back(*operand);
      if (operand->constant)
        arguments.arguments.push_back({"", {}, nullptr, {*operand->constant, argument.range}});
    }
    std::optional<Value> folded;
    if (isConstant)
      folded = evaluator.callBuiltin(*findBuiltin(function), arguments);
    return apply(std::string(function), operands, folded, call.range);
  }
  if (!findBuiltin(callee->text)) {
    evaluator.reportUnknown(callee->text, callee->range, "function");
    return std::nullopt;
  }
  return refuse(call.range);
}

/// A function of the language whose body is `let`s and a last expression.
std::optional<HostExpression> HostEvaluator::inlineCall(const ast::FnDecl &function, const ast::Call &call) {
  if (depth > 64 || call.arguments.size() != function.parameters.size() || !function.generics.empty())
    return refuse(call.range);
  if (!evaluator.countExpanded(call.range))
    return std::nullopt;
  std::map<std::string, HostExpression> locals;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    std::optional<HostExpression> argument = evaluate(*call.arguments[i].value);
    if (!argument || call.arguments[i].name)
      return argument ? refuse(call.range) : std::nullopt;
    locals[function.parameters[i].name.text] = *argument;
  }
  HostEvaluator inner(
      evaluator,
      [&](const std::string &name) -> std::optional<HostExpression> {
        auto local = locals.find(name);
        return local == locals.end() ? std::nullopt : std::optional(local->second);
      },
      numSms);
  inner.depth = depth + 1;
  std::optional<HostExpression> result;
  for (const ast::StmtPtr &statement : function.body.statements) {
    if (auto *let = dynCast<ast::LetStmt>(statement); let && let->pattern.kind == ast::Pattern::Kind::Name) {
      std::optional<HostExpression> value = inner.evaluate(*let->value);
      if (!value)
        return std::nullopt;
      locals[let->pattern.name] = *value;
      continue;
    }
    auto *expression = dynCast<ast::ExprStmt>(statement);
    auto *returned = dynCast<ast::ReturnStmt>(statement);
    const ast::Expr *value = expression ? expression->expr.get() : returned ? returned->value.get() : nullptr;
    if (!value || statement != function.body.statements.back())
      return refuse(call.range);
    return inner.evaluate(*value);
  }
  return refuse(call.range);
}
