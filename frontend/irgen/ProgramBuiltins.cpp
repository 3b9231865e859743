/// Builtins about the program itself: where it is in the grid, what it has been given, what it claims.
#include "frontend/irgen/Builtins.h"

#include "ir/Tile/TileOps.h"

using namespace tile;
using namespace tile::irgen;

/// `program_id(0)`, `num_programs(0)`.
static Value callGrid(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  BuiltinArguments bound(evaluator, self, arguments, {"which"}, 1, 1);
  if (!bound.isValid())
    return {};
  if (evaluator.isSpec)
    return evaluator.fail(Code::E0217, arguments.callee, quote(self.name) + " stands in a spec, which has no programs");
  Operand axis = bound.operand("which");
  auto *constant = axis.value.as<IntConstant>();
  if (!constant || constant->value < 0 || constant->value > 2)
    return evaluator.fail(Code::E0216, axis.range,
                          "axis of " + quote(self.name) + " is " + axis.value.describe() + "; expected 0, 1 or 2");
  size_t axes = evaluator.kernel ? evaluator.kernel->grid.size() : 0;
  if (axes > 0 && constant->value >= static_cast<WideInt>(axes)) {
    static constexpr std::string_view legal[] = {"0", "0 or 1", "0, 1 or 2"};
    evaluator
        .report(Code::E0216, axis.range,
                "axis of " + quote(self.name) + " is " + axis.value.describe() + "; expected " +
                    std::string(legal[std::min<size_t>(axes, 3) - 1]) + ", as the grid of " +
                    quote(evaluator.kernel->name.text) + " has " + std::to_string(axes) +
                    (axes == 1 ? " axis" : " axes"))
        .secondary(evaluator.kernel->gridRange, "the grid");
    return {};
  }
  mlir::Location location = evaluator.at(arguments.range);
  auto number = static_cast<uint32_t>(constant->value);
  mlir::Value value = self.name == "program_id"
                          ? ProgramIdOp::create(evaluator.builder, location, number).getResult()
                          : NumProgramsOp::create(evaluator.builder, location, number).getResult();
  return Value(value, Type::scalar(Scalar::Index));
}

/// `has(w)`: whether this instance was given the optional parameter.
static Value callHas(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  BuiltinArguments bound(evaluator, self, arguments, {"parameter"}, 1, 1);
  if (!bound.isValid())
    return {};
  auto *name = ast::dynCast<ast::Name>(bound.get("parameter")->syntax);
  if (!name)
    return evaluator.fail(Code::E0215, arguments.range, "`has` takes the name of a parameter");
  Value value = evaluator.lookup(*name, Evaluator::Use::Presence);
  if (value.isError())
    return {};
  return Value::boolean(!value.as<AbsentValue>());
}

/// `assert(condition, "message")`.
static Value callAssert(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  BuiltinArguments bound(evaluator, self, arguments, {"condition", "message"}, 1, 2);
  if (!bound.isValid())
    return {};
  Operand condition = bound.operand("condition");
  Type type = condition.value.type();
  if (!type.isTile() || !(type.element == Element{Scalar::Bool}))
    return evaluator.fail(Code::E0206, condition.range,
                          "condition of `assert` is " + condition.value.describe() + "; expected bool");
  std::string message = evaluator.text(condition.range);
  if (auto *argument = bound.get("message")) {
    auto *string = argument->operand.value.as<StringConstant>();
    if (!string)
      return evaluator.fail(Code::E0206, argument->operand.range,
                            "message of `assert` is " + argument->operand.value.describe() + "; expected a string");
    message = string->value;
  }
  Value claim = evaluator.materialize(condition.value, condition.range);
  AssertOp::create(evaluator.builder, evaluator.at(arguments.range), claim.ssa(), message);
  return Value::unit();
}

/// Names that have a meaning only in one place of a program.
static Value callMisplaced(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  std::string place = self.name == "rev" ? "the range of a `for`" : "`grid`, extents and heuristics";
  return evaluator.fail(Code::E0217, arguments.callee, quote(self.name) + " stands outside " + place);
}

llvm::ArrayRef<Builtin> irgen::programBuiltins() {
  static const Builtin rows[] = {
      builtinRow("assert", callAssert),     builtinRow("has", callHas, /*takesSyntax=*/true),
      builtinRow("num_programs", callGrid), builtinRow("num_sms", callMisplaced, /*takesSyntax=*/true),
      builtinRow("program_id", callGrid),   builtinRow("rev", callMisplaced, /*takesSyntax=*/true),
  };
  return rows;
}
