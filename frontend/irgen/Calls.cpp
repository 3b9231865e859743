/// Calls: what is called, its arguments, and the expansion of functions.
#include "frontend/irgen/Builtins.h"
#include "frontend/irgen/Parameters.h"
#include "frontend/irgen/Program.h"

#include "ir/Tile/TileOps.h"

using namespace tile;
using namespace tile::irgen;
using ast::dynCast;

void Evaluator::evaluateArguments(CallArguments &arguments) {
  for (CallArguments::Argument &argument : arguments.arguments)
    if (argument.syntax && argument.operand.value.isError())
      argument.operand = operand(*argument.syntax);
}

/// The dotted name of a builtin that lives under a prefix, such as `approx.div`, if `member` is one.
static const Builtin *prefixedBuiltin(const ast::Member &member, const Scope &scope) {
  auto *prefix = dynCast<ast::Name>(member.base);
  if (!prefix || scope.find(prefix->text))
    return nullptr;
  return findBuiltin(prefix->text + "." + member.name.text);
}

Value Evaluator::evaluateCall(const ast::Call &call) {
  CallArguments arguments;
  arguments.range = call.range;
  arguments.callee = call.callee->range;
  const ast::Expr *callee = call.callee.get();
  if (auto *apply = dynCast<ast::GenericApply>(callee)) {
    callee = apply->base.get();
    for (const ast::Argument &argument : apply->arguments)
      arguments.generics.push_back(
          {argument.name ? argument.name->text : "", argument.range, argument.value.get(), operand(*argument.value)});
    if (apply->shape) {
      arguments.shape.emplace();
      for (const ast::ExprPtr &extent : *apply->shape)
        arguments.shape->push_back(operand(*extent));
    }
  }
  for (const ast::Argument &argument : call.arguments) {
    CallArguments::Argument passed;
    if (argument.name) {
      passed.name = argument.name->text;
      passed.nameRange = argument.name->range;
    }
    passed.syntax = argument.value.get();
    passed.operand = {Value(), argument.value->range};
    arguments.arguments.push_back(std::move(passed));
  }
  Value target;
  auto *name = dynCast<ast::Name>(callee);
  if (auto *member = dynCast<ast::Member>(callee)) {
    if (const Builtin *builtin = prefixedBuiltin(*member, *frame->scope))
      return callBuiltin(*builtin, arguments);
    auto *prefix = dynCast<ast::Name>(member->base);
    bool isModule = prefix && !frame->scope->find(prefix->text) && frame->scope->file() &&
                    frame->scope->file()->imports.count(prefix->text);
    if (!isModule)
      return evaluateMethod(*member, arguments);
    target = evaluate(*callee);
  } else if (name && (name->text == "tensor" || name->text == "tile" || name->text == "ptr")) {
    target = findBuiltin("tensor");
  } else if (name && !frame->scope->find(name->text)) {
    const LoadedModule *owner = nullptr, *file = frame->scope->file();
    bool isKnown = findBuiltin(name->text) || scalarNamed(name->text) || (file && file->find(name->text, owner));
    if (!isKnown) {
      reportUnknown(name->text, name->range, "function");
      return {};
    }
    target = lookup(*name);
  } else {
    target = evaluate(*callee);
  }
  if (target.isError()) {
    evaluateArguments(arguments); // faults in them are reported too
    return {};
  }
  if (auto *builtin = target.as<const Builtin *>())
    return callBuiltin(**builtin, arguments);
  if (const Function *function = target.asFunction()) {
    for (CallArguments::Argument &argument : arguments.arguments) {
      auto *name = dynCast<ast::Name>(argument.syntax);
      argument.operand.value = name ? lookup(*name, Use::Presence) : evaluate(*argument.syntax);
    }
    return this->call(*function, arguments);
  }
  if (target.as<TypeConstant>()) {
    report(Code::E0217, call.callee->range, "a type is not called; found " + quote(text(call.callee->range)))
        .help("to convert, write `x as " + text(call.callee->range) + "`");
    return {};
  }
  return fail(Code::E0217, call.callee->range, "found " + target.describe() + "; expected a function");
}

/// `x.reshape([A, B])`: shape functions are written as methods too.
Value Evaluator::evaluateMethod(const ast::Member &member, CallArguments &arguments) {
  Operand base = operand(*member.base);
  if (base.value.isError())
    return {};
  for (std::string_view method : {"reshape", "permute"})
    if (member.name.text == method) {
      arguments.arguments.insert(arguments.arguments.begin(), {"", {}, member.base.get(), base});
      return callBuiltin(*findBuiltin(method), arguments);
    }
  DiagnosticBuilder diagnostic =
      report(Code::E0106, member.name.range, base.value.describe() + " has no method " + quote(member.name.text));
  if (llvm::is_contained({"to", "astype", "cast"}, member.name.text) && arguments.arguments.size() == 1)
    diagnostic.replace(arguments.range,
                       spelledOperand(base.range) + " as " + text(arguments.arguments.front().operand.range),
                       "to convert, write ");
  else if (findBuiltin(member.name.text))
    diagnostic.help("write it as a function: " + quote(member.name.text + "(" + text(base.range) + ", …)"));
  return {};
}

Value Evaluator::callBuiltin(const Builtin &builtin, CallArguments &arguments) {
  if (builtin.call) {
    if (!builtin.takesSyntax)
      evaluateArguments(arguments);
    return builtin.call(*this, builtin, arguments);
  }
  evaluateArguments(arguments);
  return callElementwise(*this, builtin, arguments);
}

//===-- Functions

Value Evaluator::call(const Function &function, const std::vector<Operand> &values, SourceRange range) {
  CallArguments arguments;
  arguments.range = arguments.callee = range;
  for (const Operand &value : values)
    arguments.arguments.push_back({"", {}, nullptr, value});
  return call(function, arguments);
}

Value Evaluator::call(const Function &function, CallArguments &arguments) {
  const void *declaration = function.decl ? static_cast<const void *>(function.decl) : function.literal;
  for (const CallSite &site : calls)
    if (site.declaration == declaration)
      return fail(Code::E0109, arguments.range,
                  "function " + quote(function.name) + " calls itself; recursion is not possible");
  if (!mayCall(function.name, arguments.range) || !countExpanded(arguments.range))
    return {};
  if (arguments.shape) {
    report(Code::E0215, arguments.callee, "a shape follows " + quote(function.name) + "; expected only its arguments");
    return {};
  }
  ParameterBinder binder(*this, function, arguments);
  if (!binder.run())
    return {};
  Equalities known = equalities;
  mlir::Location location = at(arguments.range);
  calls.push_back({arguments.range, function.name, location, declaration});
  Value result;
  {
    FrameGuard guard(*this, declaration, binder.scope());
    const ast::Expr *resultType = function.decl ? function.decl->result.get() : nullptr;
    bool isValid = true;
    if (resultType) {
      frame->declaredResult = evaluateType(*resultType);
      isValid = frame->declaredResult.has_value();
    }
    if (!isValid)
      result = Value();
    else if (function.decl)
      result = executeFunctionBody(function.decl->body);
    else if (function.literal->block)
      result = executeFunctionBody(*function.literal->block);
    else
      result = evaluate(*function.literal->body);
  }
  calls.pop_back();
  equalities = std::move(known);
  if (expansion.isExhausted)
    return {}; // the body was left where the limit was reached
  if (result.as<NeverValue>())
    result = Value::unit();
  if (function.signature && function.signature->result && !result.isError()) {
    std::shared_ptr<Scope> here = std::exchange(frame->scope, function.signatureScope);
    std::optional<Type> expected = evaluateType(*function.signature->result);
    frame->scope = here;
    if (expected && (expected->isTile() || expected->isUnit()))
      result = coerce({result, arguments.range}, *expected, "the result of " + quote(function.name));
  }
  return result;
}
