/// Expressions that the launcher evaluates: grids, extents, preconditions, heuristics. They become postfix arrays over
/// names (runtime/launch/README.md, Expressions); what is known now is folded.
#ifndef FRONTEND_IRGEN_HOSTEXPRESSION_H
#define FRONTEND_IRGEN_HOSTEXPRESSION_H

#include "frontend/irgen/Evaluator.h"

namespace tile::irgen {

struct HostExpression {
  llvm::SmallVector<mlir::Attribute> tokens; // numbers and strings
  std::optional<Value> constant;             // an int, float or bool, if known
  size_t waiting = 1;                        // values that wait at most while it is evaluated

  mlir::ArrayAttr attribute(mlir::MLIRContext *context) const { return mlir::ArrayAttr::get(context, tokens); }
};

class HostEvaluator {
public:
  /// What a name stands for; none if it is unknown to the launcher.
  using Lookup = std::function<std::optional<HostExpression>(const std::string &)>;

  /// With `numSms`, `num_sms()` is that constant.
  HostEvaluator(Evaluator &evaluator, Lookup lookup, std::optional<int64_t> numSms = std::nullopt)
      : evaluator(evaluator), lookup(std::move(lookup)), numSms(numSms) {}

  /// `expr`, or none if reported.
  std::optional<HostExpression> evaluate(const ast::Expr &expr);

  HostExpression constant(const Value &value);
  HostExpression name(const std::string &name);

private:
  std::optional<HostExpression> apply(const std::string &op, llvm::ArrayRef<HostExpression> operands,
                                      std::optional<Value> folded, SourceRange range);
  std::optional<HostExpression> evaluateCall(const ast::Call &call);
  std::optional<HostExpression> inlineCall(const ast::FnDecl &function, const ast::Call &call);
  std::optional<HostExpression> refuse(SourceRange range);

  Evaluator &evaluator;
  Lookup lookup;
  std::optional<int64_t> numSms;
  unsigned depth = 0;
};

/// What a host expression computes when some names have values: 64-bit integers, floats and bools; none if a name lacks
/// one.
std::optional<int64_t> constantInteger(const HostExpression &expression);

} // namespace tile::irgen

#endif
