/// Host expressions computed now, for a launch whose extents and scalars are given: the sizes behind raw pointers and
/// the bounds of inputs that `@check` names, and what `@autotune` asks of a launch.
#include "frontend/irgen/Kernel.h"

#include <cmath>

using namespace tile;
using namespace tile::irgen;

/// `expr` as a constant, or none if reported.
std::optional<HostExpression> KernelBuilder::evaluateNow(const ast::Expr &expr) {
  HostEvaluator plain(evaluator, nullptr);
  HostEvaluator now(
      evaluator,
      [&](const std::string &name) -> std::optional<HostExpression> {
        // In a spec extents are bound, and carry their names, so that types made of them agree.
        if (std::shared_ptr<Binding> bound = scope->find(name); bound && bound->value.isConstantScalar())
          return plain.constant(bound->value);
        if (auto given = values.scalars.find(name); given != values.scalars.end())
          if (Value value = evaluator.evaluateConstant(*given->second, quote(name)); value.isConstantScalar())
            return plain.constant(value);
        std::optional<HostExpression> known = hostName(name, /*constantsByName=*/false, /*withGiven=*/true);
        auto knob = values.choices.find(name);
        if (known || !isKnob(name) || knob == values.choices.end())
          return known;
        Value value = evaluator.evaluateConstant(*knob->second.syntax, quote(name));
        return value.isConstantScalar() ? std::optional(plain.constant(value)) : std::nullopt;
      },
      values.numSms);
  std::optional<HostExpression> result = now.evaluate(expr);
  if (!result || result->constant)
    return result;
  std::string missing;
  auto require = [&](const std::string &name) {
    if (missing.empty() && llvm::is_contained(result->tokens, mlir::Attribute(evaluator.builder.getStringAttr(name))))
      missing = name;
  };
  for (const Dim &dim : dims)
    require(dim.name);
  for (const KernelLeaf &leaf : leaves)
    require(leaf.name);
  require("num_sms");
  evaluator
      .report(Code::E0308, expr.range,
              quote(evaluator.text(expr.range)) + " has no value: it needs " + quote(missing) + ", which nothing gives")
      .help("give " + quote(missing) + " a value in the shape");
  return std::nullopt;
}

/// As the language writes it; a float so that reading it gives the same one.
static std::string literal(const Value &value) {
  if (auto *integer = value.as<IntConstant>())
    return toString(integer->value);
  if (auto *boolean = value.as<BoolConstant>())
    return boolean->value ? "true" : "false";
  double number = value.as<FloatConstant>()->value;
  if (std::isnan(number))
    return "nan";
  char text[40];
  std::snprintf(text, sizeof(text), "%.17g", number);
  return text;
}

std::optional<std::vector<std::string>> KernelBuilder::evaluate(const std::vector<const ast::Expr *> &asked) {
  unsigned errorsBefore = evaluator.engine.errorCount();
  Evaluator::FrameGuard guard(evaluator, &kernel, scope);
  evaluator.frame->isKernel = true;
  takeConfiguration();
  bool isValid = bindTypes() && flattenParameters();
  if (isValid)
    collectDims();
  isValid = isValid && bindConstants();
  if (!isValid || evaluator.engine.errorCount() != errorsBefore)
    return std::nullopt;
  std::vector<std::string> texts;
  for (const ast::Expr *expr : asked) {
    std::optional<HostExpression> result = evaluateNow(*expr);
    if (!result)
      return std::nullopt;
    texts.push_back(literal(*result->constant));
  }
  return texts;
}
