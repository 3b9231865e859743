#include "frontend/irgen/Kernel.h"

#include "frontend/ast/Children.h"
#include "frontend/irgen/Autotune.h"
#include "frontend/irgen/Builtins.h"
#include "frontend/irgen/Parameters.h"

#include "ir/Tile/Knobs.h"
#include "ir/Tile/TileOps.h"

using namespace tile;
using namespace tile::irgen;
using ast::dynCast;

bool irgen::isKnob(std::string_view name) { return findKnob(name); }

KernelBuilder::KernelBuilder(Evaluator &evaluator, const LoadedModule &module, const ast::KernelItem &kernel,
                             const InstanceValues &values, std::string symbol)
    : evaluator(evaluator), module(module), kernel(kernel), values(values), symbol(std::move(symbol)),
      scope(std::make_shared<Scope>(module.scope)) {
  evaluator.expansion = Expansion();
  evaluator.kernel = &kernel;
  evaluator.givenKnobs.clear();
  for (const auto &[name, choice] : values.choices)
    if (isKnob(name))
      evaluator.givenKnobs.insert(name);
}

//===-- Compile-time parameters

static bool isTypeOrFunction(const ast::GenericParameter &generic) {
  auto *name = dynCast<ast::Name>(generic.type);
  return dynCast<ast::FnType>(generic.type) || (name && name->text == "type");
}

void KernelBuilder::declareConstant(Constant constant) {
  Binding binding;
  binding.kind = Binding::Kind::CompileTimeParameter;
  binding.range = constant.parameter->name.range;
  binding.value = constant.value;
  // Extents made of this parameter carry its name.
  if (auto *integer = constant.value.as<IntConstant>())
    binding.value = IntConstant{integer->value, std::nullopt, Symbolic::atom(constant.parameter->name.text)};
  evaluator.declare(constant.parameter->name.text, std::move(binding));
  constants.push_back(std::move(constant));
}

void KernelBuilder::reportNoValue(const ast::GenericParameter &generic) {
  // What a decorator that is at fault was to give is missing for that alone.
  for (const Diagnostic *known : evaluator.engine.sorted())
    for (const ast::Decorator &decorator : kernel.decorators)
      if (const SourceRange &place = known->primary.range;
          known->severity() == Severity::Error && place.file == decorator.range.file &&
          place.begin >= decorator.range.begin && place.end <= decorator.range.end)
        return;
  const std::string &name = generic.name.text;
  evaluator
      .report(Code::E0308, generic.range,
              "compile-time parameter " + quote(name) + " of kernel " + quote(kernel.name.text) + " has no value")
      .help("pass `-D " + name + "=…`, " + (readAutotune(kernel).decorator ? "list it in `@autotune`, " : "") +
            "or give it a default");
}

const ast::Expr *irgen::heuristicOf(const ast::KernelItem &kernel, std::string_view name) {
  for (const ast::Decorator &decorator : kernel.decorators)
    for (const ast::Argument &argument : decorator.arguments)
      if (decorator.name.text == "heuristic" && argument.name && argument.name->text == name)
        return argument.value.get();
  return nullptr;
}

/// The heuristic of `name`, unless `-D`, a shape or a configuration stands above it: then no launch asks for it.
const ast::Expr *KernelBuilder::heuristicOfLaunch(const std::string &name) const {
  auto choice = values.choices.find(name);
  bool isOverridden = choice != values.choices.end() ? choice->second.overridesHeuristic : configuration.count(name);
  return isOverridden ? nullptr : heuristicOf(kernel, name);
}

/// Its value for the launch that `-D`, a shape or arguments describe; none if reported at `place`, as `what` `name`
/// lacking one.
std::optional<Value> KernelBuilder::computeHeuristic(const ast::Expr &heuristic, const std::string &what,
                                                     const std::string &name, SourceRange place) {
  HostEvaluator now(
      evaluator, [&](const std::string &used) { return hostName(used, false, /*withGiven=*/true); }, values.numSms);
  unsigned errorsBefore = evaluator.engine.errorCount();
  std::optional<HostExpression> result = now.evaluate(heuristic);
  if (!result || result->constant)
    return result ? result->constant : std::nullopt;
  if (evaluator.engine.errorCount() != errorsBefore) // of what is given for a scalar
    return std::nullopt;
  auto needs = [&](const std::string &used) {
    return llvm::is_contained(result->tokens, mlir::Attribute(evaluator.builder.getStringAttr(used)));
  };
  std::string missing, first;
  for (const Dim &dim : dims)
    if (needs(dim.name) && !values.has(dim.name))
      missing += (missing.empty() ? "" : ", ") + dim.name;
  for (const KernelLeaf &leaf : leaves)
    if (leaf.kind == KernelLeaf::Kind::Scalar && needs(leaf.name))
      first = leaf.name;
  first = missing.empty() ? first : missing.substr(0, missing.find(','));
  if (values.shape.isValid() && !first.empty()) {
    tile::reportMissing(evaluator.engine, Code::E0606, values.shape, {first}).secondary(heuristic.range, "needed here");
    return std::nullopt;
  }
  bool needsDevice = needs("num_sms");
  std::string unknown = missing.empty() ? (needsDevice ? "`num_sms()`" : "a launch")
                                        : quote(missing) + (needsDevice ? " and `num_sms()`" : "");
  DiagnosticBuilder diagnostic =
      evaluator.report(Code::E0308, place, what + " " + quote(name) + " has no value: its heuristic needs " + unknown);
  if (!(place == heuristic.range))
    diagnostic.secondary(heuristic.range, "the heuristic");
  std::string given = "`-D " + name + "=…`";
  if (needsDevice)
    diagnostic.note("`num_sms()` is known where the kernel runs: by `tilec run` and `tilec check`, not when a cubin is "
                    "compiled");
  diagnostic.help(
      "pass " + (missing.empty() || needsDevice ? given : "`-D " + missing + "=…` for a typical launch, or " + given));
  return std::nullopt;
}

/// What stands for a parameter in place of its default leaves a name in that unseen: `Q: type = float8` would be found
/// by the first who relies on it.
void KernelBuilder::checkDefault(const ast::GenericParameter &generic) {
  std::function<void(const ast::Expr &, ast::ChildRole)> check = [&](const ast::Expr &expr, ast::ChildRole role) {
    auto *name = dynCast<ast::Name>(&expr);
    bool isOfKernel = name && llvm::any_of(kernel.generics, [&](const ast::GenericParameter &other) {
                        return other.name.text == name->text;
                      });
    if (name && !isOfKernel && role != ast::ChildRole::Callee)
      evaluator.operand(expr);
    ast::forEachChild(expr, {check, [](const ast::Block &) {}});
  };
  if (generic.defaultValue)
    check(*generic.defaultValue, ast::ChildRole::Value);
}

/// What `syntax` gives `generic`, a type or function; an error value after reporting.
Value KernelBuilder::valueOf(const ast::GenericParameter &generic, const ast::Expr &syntax) {
  auto *tuple = dynCast<ast::Tuple>(&syntax);
  bool isWrittenType = !dynCast<ast::FnType>(generic.type) &&
                       (dynCast<ast::GenericApply>(&syntax) || dynCast<ast::StridedType>(&syntax) ||
                        (tuple && !tuple->elements.empty()));
  if (isWrittenType)
    return TypeConstant{Type::error(), &syntax, scope};
  return checkCompileTimeParameter(evaluator, generic, evaluator.operand(syntax));
}

/// What `value` is as `generic`, a number or bool; an error value after reporting.
Value KernelBuilder::numberOf(const ast::GenericParameter &generic, const Operand &value) {
  Value number = checkCompileTimeParameter(evaluator, generic, value);
  if (number.isError() || (!number.isRuntime() && number.isConstantScalar()))
    return number;
  return evaluator.fail(Code::E0300, value.range,
                        "compile-time parameter " + quote(generic.name.text) + " is " + value.value.describe() +
                            "; expected a compile-time number or bool");
}

/// Types and functions come first: the signature needs them.
bool KernelBuilder::bindTypes() {
  bool isValid = true;
  for (const ast::GenericParameter &generic : kernel.generics) {
    if (!isTypeOrFunction(generic))
      continue;
    const std::string &name = generic.name.text;
    auto choice = values.choices.find(name);
    const ast::Expr *syntax = choice != values.choices.end() ? choice->second.syntax : generic.defaultValue.get();
    if (auto configured = configuration.find(name); choice == values.choices.end() && configured != configuration.end())
      syntax = configured->second;
    if (syntax != generic.defaultValue.get())
      checkDefault(generic);
    if (!syntax) {
      reportNoValue(generic);
      isValid = false;
      continue;
    }
    Value value = valueOf(generic, *syntax);
    if (value.isError())
      isValid = false;
    declareConstant(
        {&generic, value, choice != values.choices.end() ? choice->second.source : "default", std::nullopt});
  }
  return isValid;
}

bool KernelBuilder::bindConstant(const ast::GenericParameter &generic) {
  const std::string &name = generic.name.text;
  Constant constant{&generic, Value(), "", std::nullopt};
  Operand value;
  auto choice = values.choices.find(name);
  const ast::Expr *heuristic = heuristicOfLaunch(name);
  if (heuristic)
    constant.heuristic = host(*heuristic, /*constantsByName=*/true);
  if (choice != values.choices.end() || configuration.count(name) || heuristic)
    checkDefault(generic);
  if (choice != values.choices.end()) {
    value = evaluator.operand(*choice->second.syntax);
    constant.source = choice->second.source;
  } else if (auto configured = configuration.find(name); configured != configuration.end()) {
    value = evaluator.operand(*configured->second);
    constant.source = "autotune";
  } else if (auto known = values.heuristics.find(name); constant.heuristic && known != values.heuristics.end()) {
    value = evaluator.operand(*known->second);
    constant.source = "heuristic";
  } else if (constant.heuristic) {
    std::optional<Value> result = computeHeuristic(*heuristic, "compile-time parameter", name, generic.range);
    if (!result)
      return false;
    value = {*result, heuristic->range};
    constant.source = "heuristic";
  } else if (generic.defaultValue) {
    value = evaluator.operand(*generic.defaultValue);
    constant.source = "default";
  } else {
    reportNoValue(generic);
    return false;
  }
  constant.value = numberOf(generic, value);
  if (constant.value.isError())
    return false;
  declareConstant(std::move(constant));
  return true;
}

/// Parameters that a heuristic does not compute first, so that heuristics may use them: those that something sets, too.
bool KernelBuilder::bindConstants() {
  bool isValid = true;
  for (bool isHeuristicTurn : {false, true})
    for (const ast::GenericParameter &generic : kernel.generics)
      if (!isTypeOrFunction(generic) && (heuristicOfLaunch(generic.name.text) != nullptr) == isHeuristicTurn)
        isValid &= bindConstant(generic);
  return isValid;
}

/// What `value` gives for a knob; none after reporting.
std::optional<int64_t> KernelBuilder::knobValue(const std::string &name, const ast::Expr &value) {
  std::optional<Value> result = computeHeuristic(value, "launch configuration", name, value.range);
  if (!result)
    return std::nullopt;
  const tile::Knob *knob = findKnob(name);
  auto *number = result->as<IntConstant>();
  if (number && number->value >= knob->least && number->value <= knob->most && knob->accepts(int64_t(number->value)))
    return int64_t(number->value);
  evaluator.report(Code::E0301, value.range,
                   quote(name) + " is " + result->describe() + "; expected " + knob->expected.str());
  return std::nullopt;
}

/// Sets `name` to `value`; the launcher looks whether its heuristic, where one counts, gives that too.
void KernelBuilder::setKnob(const std::string &name, const ast::Expr &value, const std::string &source) {
  std::optional<int64_t> number = knobValue(name, value);
  if (!number)
    return;
  Knob knob{*number, source, std::nullopt, value.range};
  if (const ast::Expr *heuristic = heuristicOfLaunch(name))
    knob.heuristic = host(*heuristic, /*constantsByName=*/true);
  knobs[name] = knob;
}

/// Every value that a configuration or a space gives a compile-time parameter has its type: a search tries them all.
bool KernelBuilder::checkListedValues() {
  unsigned errorsBefore = evaluator.engine.errorCount();
  for (auto [name, value] : readAutotune(kernel).listedSettings())
    for (const ast::GenericParameter &generic : kernel.generics) {
      if (generic.name.text != name->text)
        continue;
      if (isTypeOrFunction(generic))
        valueOf(generic, *value);
      else
        numberOf(generic, evaluator.operand(*value));
    }
  return evaluator.engine.errorCount() == errorsBefore;
}

/// The same of knobs.
void KernelBuilder::checkListedKnobs() {
  for (auto [name, value] : readAutotune(kernel).listedSettings())
    if (isKnob(name->text))
      knobValue(name->text, *value);
}

/// What was given, else the configuration, else heuristics.
void KernelBuilder::setKnobs() {
  checkListedKnobs();
  for (const auto &[name, value] : configuration)
    if (isKnob(name) && !values.has(name))
      setKnob(name, *value, "autotune");
  for (const ast::Decorator &decorator : kernel.decorators)
    if (decorator.name.text == "heuristic")
      for (const ast::Argument &argument : decorator.arguments)
        if (std::string name = argument.name ? argument.name->text : "";
            isKnob(name) && !values.has(name) && heuristicOfLaunch(name)) {
          auto known = values.heuristics.find(name);
          setKnob(name, known == values.heuristics.end() ? *argument.value : *known->second, "heuristic");
        }
  for (const auto &[name, choice] : values.choices)
    if (isKnob(name))
      setKnob(name, *choice.syntax, choice.source);
  // One stage and one block per cluster are what the plain form has.
  for (const auto &[name, knob] : knobs)
    if (knob.value != 1 && !findKnob(name)->isHonoured)
      evaluator.report(Code::W0400, knob.range,
                       quote(name) + " is not honoured by this version; the plain form is compiled");
}

//===-- The function

mlir::func::FuncOp KernelBuilder::beginFunction() {
  // A named location is how messages tell the name from the signature that follows it.
  auto location =
      mlir::NameLoc::get(evaluator.builder.getStringAttr(kernel.name.text), evaluator.at(kernel.name.range));
  auto function =
      mlir::func::FuncOp::create(evaluator.builder, location, symbol, evaluator.builder.getFunctionType({}, {}));
  entry = &function.getBody().emplaceBlock();
  evaluator.builder.setInsertionPointToEnd(entry);
  return function;
}

void KernelBuilder::build() {
  unsigned errorsBefore = evaluator.engine.errorCount();
  Evaluator::FrameGuard guard(evaluator, &kernel, scope);
  evaluator.frame->isKernel = true;
  evaluator.equalities = Equalities();
  mlir::OpBuilder::InsertionGuard insertion(evaluator.builder);
  checkDecorators();
  takeConfiguration();
  for (const auto &[name, value] : configuration)
    if (isKnob(name))
      evaluator.givenKnobs.insert(name);
  mlir::func::FuncOp function = beginFunction();
  bool isValid = bindTypes() && flattenParameters();
  if (isValid)
    collectDims();
  isValid = isValid && checkGivenDims() && bindConstants() && checkListedValues() && checkDims() && buildArguments();
  if (!isValid || evaluator.engine.errorCount() != errorsBefore)
    return; // what follows would only repeat it
  for (const ast::ExprPtr &condition : kernel.where)
    learnFromWhere(*condition, function);
  setKnobs();
  runBody(function, kernel.body);
  if (evaluator.engine.errorCount() == errorsBefore) // a name that is misspelt may be the use
    checkAutotuneUses(kernel, evaluator.sources, evaluator.engine);
  function->setAttr(TileDialect::kContract, buildContract());
  if (!knobs.empty()) {
    llvm::SmallVector<mlir::NamedAttribute> schedule;
    for (const auto &[name, knob] : knobs)
      schedule.emplace_back(evaluator.builder.getStringAttr(name), evaluator.builder.getI64IntegerAttr(knob.value));
    function->setAttr(TileDialect::kSchedule, evaluator.builder.getDictionaryAttr(schedule));
  }
}

void KernelBuilder::runBody(mlir::func::FuncOp function, const ast::Block &body) {
  evaluator.frame->scope = std::make_shared<Scope>(scope);
  evaluator.executeFunctionBody(body);
  mlir::func::ReturnOp::create(evaluator.builder, evaluator.at(kernel.name.range));
  function.setFunctionType(evaluator.builder.getFunctionType(entry->getArgumentTypes(), {}));
  for (const auto &[argument, attributes] : facts)
    for (mlir::NamedAttribute attribute : attributes)
      function.setArgAttr(argument, attribute.getName(), attribute.getValue());
}
