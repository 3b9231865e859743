/// The launch contract of a kernel as the attribute `tile.contract` (runtime/launch/README.md, Manifest), and the
/// checks of its decorators and preconditions.
#include "frontend/irgen/Autotune.h"
#include "frontend/irgen/Fields.h"
#include "frontend/irgen/Kernel.h"

#include "ir/Tile/Knobs.h"
#include "ir/Tile/TileOps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <set>

using namespace tile;
using namespace tile::irgen;
using ast::dynCast;

//===-- Host expressions

/// What the launch passes for `leaf`, as the launcher reads it: a value of its type, with which it computes in 64 bits.
/// An error value where that is not known or was reported.
Value KernelBuilder::givenScalar(const KernelLeaf &leaf) {
  auto given = values.scalars.find(leaf.name);
  if (given == values.scalars.end())
    return {};
  Value value = evaluator.evaluateConstant(*given->second, quote(leaf.name));
  value = evaluator.coerce({value, given->second->range}, Type::scalar(leaf.scalar), quote(leaf.name));
  if (auto *integer = value.as<IntConstant>())
    return IntConstant{integer->value, std::nullopt, integer->symbol};
  if (auto *floating = value.as<FloatConstant>())
    return FloatConstant{floating->value, std::nullopt};
  return value;
}

std::optional<HostExpression> KernelBuilder::hostName(const std::string &name, bool constantsByName, bool withGiven) {
  HostEvaluator plain(evaluator, nullptr);
  for (const Dim &dim : dims) {
    if (dim.name != name || dim.value)
      continue;
    bool isParameter = scope->find(name) && scope->find(name)->kind == Binding::Kind::CompileTimeParameter;
    if (isParameter)
      break;
    auto given = values.choices.find(name);
    if (withGiven && given != values.choices.end()) {
      Value value = evaluator.evaluateConstant(*given->second.syntax, quote(name));
      return value.isConstantScalar() ? std::optional(plain.constant(value)) : std::nullopt;
    }
    return plain.name(name);
  }
  for (const Constant &constant : constants)
    if (constant.parameter->name.text == name && constant.value.isConstantScalar())
      return constantsByName ? plain.name(name) : plain.constant(constant.value);
  for (const KernelLeaf &leaf : leaves) {
    if (leaf.name != name || leaf.kind != KernelLeaf::Kind::Scalar || !leaf.isPresent)
      continue;
    Value given = withGiven ? givenScalar(leaf) : Value();
    return given.isConstantScalar() ? plain.constant(given) : plain.name(name);
  }
  // Before parameters have values, too.
  for (const KernelLeaf &leaf : leaves)
    if ("has(" + leaf.parameter->name.text + ")" == name)
      return plain.constant(Value::boolean(leaf.isPresent));
  return std::nullopt;
}

std::optional<HostExpression> KernelBuilder::host(const ast::Expr &expr, bool constantsByName) {
  HostEvaluator host(evaluator,
                     [&](const std::string &name) { return hostName(name, constantsByName, /*withGiven=*/false); });
  return host.evaluate(expr);
}

//===-- Preconditions

/// What `where` says is used: equal extents agree, arguments are known multiples and bounded.
void KernelBuilder::learnFromWhere(const ast::Expr &condition, mlir::func::FuncOp function) {
  evaluator.assumeEqualities(condition);
  auto *binary = dynCast<ast::Binary>(&condition);
  if (!binary)
    return;
  if (binary->op == ast::BinaryOp::LogicalAnd) {
    learnFromWhere(*binary->lhs, function);
    learnFromWhere(*binary->rhs, function);
    return;
  }
  auto dimOf = [&](const ast::Expr &expr) -> const Dim * {
    auto *name = dynCast<ast::Name>(&expr);
    auto it = llvm::find_if(dims, [&](const Dim &dim) { return name && dim.name == name->text && !dim.value; });
    return it == dims.end() ? nullptr : &*it;
  };
  auto numberOf = [&](const ast::Expr &expr) -> std::optional<int64_t> {
    std::optional<HostExpression> number = host(expr, /*constantsByName=*/false);
    return number ? constantInteger(*number) : std::nullopt;
  };
  auto fact = [&](const Dim &dim, llvm::StringRef name, int64_t value) {
    if (value < 1)
      return;
    // Two facts of one kind hold both: a multiple of each, below each bound.
    mlir::NamedAttrList &known = facts[dim.argument];
    if (auto before = mlir::dyn_cast_or_null<mlir::IntegerAttr>(known.get(name))) {
      int64_t other = before.getInt(), rest = value / std::gcd(value, other), both = 0;
      if (name == TileDialect::kMaximum)
        value = std::min(value, other);
      else
        value = llvm::MulOverflow(rest, other, both) ? std::max(value, other) : both;
    }
    known.set(name, evaluator.builder.getI64IntegerAttr(value));
  };
  auto *remainder = dynCast<ast::Binary>(binary->lhs);
  if (binary->op == ast::BinaryOp::Equal && remainder && remainder->op == ast::BinaryOp::Rem) {
    const Dim *dim = dimOf(*remainder->lhs);
    std::optional<int64_t> divisor = numberOf(*remainder->rhs), rest = numberOf(*binary->rhs);
    if (dim && divisor && rest && *rest == 0)
      fact(*dim, TileDialect::kDivisibility, *divisor);
    return;
  }
  bool isBound = binary->op == ast::BinaryOp::LessEqual || binary->op == ast::BinaryOp::Less;
  if (const Dim *dim = isBound ? dimOf(*binary->lhs) : nullptr)
    if (std::optional<int64_t> bound = numberOf(*binary->rhs))
      fact(*dim, TileDialect::kMaximum, *bound - (binary->op == ast::BinaryOp::Less));
}

//===-- Decorators

static constexpr std::string_view kDecorators[] = {"autotune",  "bench",      "check",  "cluster",        "heuristic",
                                                   "instances", "persistent", "stages", "warp_specialize"};

void tile::checkDecoratorName(const ast::Decorator &decorator, DiagnosticEngine &engine) {
  const std::string &name = decorator.name.text;
  if (llvm::is_contained(kDecorators, name))
    return;
  DiagnosticBuilder diagnostic = engine.report(Code::E0405, decorator.range, "unknown decorator " + quote("@" + name));
  if (std::string_view closest = closestName(name, {std::begin(kDecorators), std::end(kDecorators)}); !closest.empty())
    diagnostic.replace(decorator.name.range, closest, "")
        .help("did you mean " + quote("@" + std::string(closest)) + "?");
  else if (tile::findKnob(plainKnob(name)))
    diagnostic.help("write " + quote("@heuristic(" + plainKnob(name).str() + " = …)"));
}

void KernelBuilder::checkDecorators() {
  static constexpr std::string_view clauses[] = {"cluster", "persistent", "stages", "warp_specialize"};
  for (const ast::Decorator &decorator : kernel.decorators) {
    const std::string &name = decorator.name.text;
    if (!llvm::is_contained(kDecorators, name)) {
      checkDecoratorName(decorator, evaluator.engine);
      continue;
    }
    if (llvm::is_contained(clauses, name))
      evaluator.report(Code::W0400, decorator.range,
                       quote("@" + name) + " is not honoured by this version; the plain form is compiled");
    checkDecoratorNames(decorator);
  }
  checkGivenOnce();
  checkAutotune(kernel, evaluator.sources, evaluator.engine);
  checkKeyNames();
  if (!kernel.specialize.empty())
    evaluator.report(Code::W0401, kernel.specialize.front()->range,
                     "`specialize` makes no variant in this version; the generic one serves");
  if (kernel.isResident)
    evaluator.report(Code::E0900, kernel.gridRange, "`resident` is not supported by this version");
}

/// Of two values of one name only one would count, and nobody would say which. `@bench` may stand more than once, and
/// so may `@check`, which `tilec check` reads.
void KernelBuilder::checkGivenOnce() {
  auto reportTwice = [&](const std::string &name, SourceRange range, SourceRange before, const std::string &expected) {
    evaluator.report(Code::E0411, range, quote(name) + " is given twice; expected one " + expected)
        .secondary(before, "given here before");
  };
  std::map<std::pair<std::string, std::string>, SourceRange> given; // by decorator and name
  for (const ast::Decorator &decorator : kernel.decorators) {
    const std::string &whose = decorator.name.text;
    if (whose == "check")
      continue;
    std::set<std::string> own;
    for (const ast::Argument &argument : decorator.arguments) {
      if (!argument.name)
        continue;
      std::string name = argument.isHas ? "has(" + argument.name->text + ")" : argument.name->text;
      SourceRange &before = given[{whose, name}];
      if (!own.insert(name).second || (whose != "bench" && before.isValid()))
        reportTwice(name, argument.name->range, before, whose == "instances" ? "list" : "value");
      before = argument.name->range;
      auto *list = dynCast<ast::List>(argument.value);
      if (list && whose == "instances")
        checkListedOnce(*list);
    }
  }
  std::set<std::string> ofInstances;
  for (const ast::Record *record : readAutotune(kernel).records()) {
    std::map<std::string, SourceRange> fields;
    for (const ast::Record::Field &field : record->fields) {
      const std::string &name = field.name.text;
      if (auto [before, isNew] = fields.try_emplace(name, field.name.range); !isNew)
        reportTwice(name, field.name.range, before->second, "value");
      auto listed = given.find({"instances", name});
      if (listed != given.end() && isTunable(name) && ofInstances.insert(name).second)
        evaluator
            .report(Code::E0411, field.name.range,
                    quote(name) + " is set by `@autotune` and by `@instances`; expected one of them")
            .secondary(listed->second, "`@instances` lists it here")
            .help("`@autotune` lists what a search chooses from, `@instances` what an artifact holds all of");
    }
  }
}

/// A value of `@instances` that stands there twice would be compiled twice, and the second never be launched.
void KernelBuilder::checkListedOnce(const ast::List &list) {
  std::map<std::string, SourceRange> listed;
  for (const ast::ExprPtr &element : list.elements) {
    auto *number = dynCast<ast::IntLiteral>(element);
    std::string value = number ? std::to_string(number->value) : evaluator.text(element->range);
    llvm::erase_if(value, [](char c) { return c == ' '; });
    if (auto [before, isNew] = listed.try_emplace(value, element->range); !isNew)
      evaluator.report(Code::E0411, element->range, quote(value) + " is listed twice; expected each value once")
          .secondary(before->second, "listed here before");
  }
}

/// What `key` tells launches apart by is of the launch.
void KernelBuilder::checkKeyNames() {
  std::vector<std::string> known = dimNames(kernel);
  for (const ast::Parameter &parameter : kernel.parameters)
    if (dynCast<ast::Name>(parameter.type))
      known.push_back(parameter.name.text);
  for (const AutotuneKey &key : readAutotune(kernel).key)
    for (const ast::Name *name : key.value ? namesIn(*key.value) : std::vector<const ast::Name *>()) {
      const LoadedModule *owner = nullptr;
      auto isIt = [&](const auto &each) { return each.name.text == name->text; };
      if (llvm::is_contained(known, name->text) || isTunable(name->text) || llvm::any_of(kernel.parameters, isIt) ||
          module.find(name->text, owner) || module.imports.lookup(name->text))
        continue;
      DiagnosticBuilder diagnostic =
          evaluator.report(Code::E0100, name->range, "unknown name " + quote(name->text) + " in `key`");
      if (!known.empty())
        diagnostic.note("launches of " + quote(kernel.name.text) + " have `" + llvm::join(known, "`, `") + "`");
      if (std::string_view closest = closestName(name->text, {known.begin(), known.end()}); !closest.empty())
        diagnostic.replace(name->range, closest, "did you mean ", "?");
    }
}

static constexpr std::string_view kBenchArguments[] = {"bytes", "flops", "inputs", "shapes"};

/// The arguments of `decorator` have names, of those that are `known`.
void KernelBuilder::checkArgumentNames(const ast::Decorator &decorator, llvm::ArrayRef<std::string_view> known) {
  std::string whose = quote("@" + decorator.name.text);
  for (const ast::Argument &argument : decorator.arguments) {
    std::string name = argument.name ? argument.name->text : "";
    if (argument.name && !argument.isHas && llvm::is_contained(known, name))
      continue;
    DiagnosticBuilder diagnostic =
        evaluator.report(Code::E0406, argument.name ? argument.name->range : argument.range,
                         argument.name ? whose + " has no argument " + quote(name)
                                       : "an argument of " + whose + " has no name; expected one of " +
                                             quote(llvm::join(known, " = …`, `") + " = …"));
    if (std::string_view closest = closestName(name, {known.begin(), known.end()}); argument.name && !closest.empty())
      diagnostic.replace(argument.name->range, closest, "did you mean ", "?");
    else if (decorator.name.text == "autotune" && isTunable(name))
      diagnostic.help("write " + quote("space = {" + name + ": …}"));
  }
}

bool KernelBuilder::isTunable(std::string_view name) const {
  return isKnob(name) || llvm::any_of(kernel.generics, [&](const auto &generic) { return generic.name.text == name; });
}

/// Names that configurations, heuristics and instances set are compile-time parameters or knobs.
void KernelBuilder::checkDecoratorNames(const ast::Decorator &decorator) {
  auto check = [&](const ast::Identifier &name) {
    if (isTunable(name.text))
      return;
    std::vector<std::string_view> candidates;
    for (const ast::GenericParameter &generic : kernel.generics)
      candidates.push_back(generic.name.text);
    for (const tile::Knob &knob : allKnobs())
      candidates.push_back(knob.name);
    DiagnosticBuilder diagnostic =
        evaluator.report(Code::E0406, name.range,
                         quote("@" + decorator.name.text) + " sets " + quote(name.text) +
                             ", which is no compile-time parameter of " + quote(kernel.name.text));
    if (std::string_view closest = closestName(plainKnob(name.text), candidates); !closest.empty())
      diagnostic.replace(name.range, closest, "did you mean ", "?");
  };
  if (decorator.name.text == "autotune")
    checkArgumentNames(decorator, kAutotuneArguments);
  if (decorator.name.text == "bench")
    checkArgumentNames(decorator, kBenchArguments);
  auto isEmptyList = [&](const ast::ExprPtr &expr, const std::string &name) {
    auto *list = dynCast<ast::List>(expr);
    if (list && list->elements.empty())
      evaluator.report(Code::E0606, expr->range,
                       "the list of " + quote(name) + " is empty; expected at least one value");
    return list && list->elements.empty();
  };
  for (const ast::Argument &argument : decorator.arguments) {
    if (decorator.name.text == "heuristic" && argument.name)
      check(*argument.name);
    if (decorator.name.text == "instances") {
      if (argument.name && isEmptyList(argument.value, argument.name->text))
        continue;
      if (!argument.name || !dynCast<ast::List>(argument.value))
        evaluator.report(Code::E0606, argument.range, "`@instances` takes `NAME = [values]`");
      else if (!argument.isHas)
        check(*argument.name);
    }
    std::string name = argument.name ? argument.name->text : "";
    if (decorator.name.text == "autotune" ? name == "configs" : decorator.name.text == "bench" && name == "shapes")
      isEmptyList(argument.value, name);
    if (auto *space = dynCast<ast::Record>(argument.value);
        space && decorator.name.text == "autotune" && name == "space")
      for (const ast::Record::Field &choices : space->fields)
        isEmptyList(choices.value, choices.name.text);
  }
  if (decorator.name.text == "autotune")
    for (auto [name, value] : readAutotune(kernel).listedSettings())
      check(*name);
}

/// A decorator's argument as data: numbers, lists and records as such, expressions over dims as postfix arrays, the
/// rest as source.
mlir::Attribute KernelBuilder::syntaxAttribute(const ast::Expr &expr) {
  mlir::OpBuilder &builder = evaluator.builder;
  switch (expr.kind) {
  case ast::ExprKind::IntLiteral:
    return builder.getI64IntegerAttr(static_cast<int64_t>(dynCast<ast::IntLiteral>(&expr)->value));
  case ast::ExprKind::FloatLiteral:
    return builder.getF64FloatAttr(dynCast<ast::FloatLiteral>(&expr)->value);
  case ast::ExprKind::BoolLiteral:
    return builder.getBoolAttr(dynCast<ast::BoolLiteral>(&expr)->value);
  case ast::ExprKind::StringLiteral:
    return builder.getStringAttr(dynCast<ast::StringLiteral>(&expr)->value);
  case ast::ExprKind::Name:
    return builder.getStringAttr(dynCast<ast::Name>(&expr)->text);
  case ast::ExprKind::Unary: {
    auto *unary = dynCast<ast::Unary>(&expr);
    bool isNumber = dynCast<ast::IntLiteral>(unary->operand) || dynCast<ast::FloatLiteral>(unary->operand);
    if (unary->op != ast::UnaryOp::Negate || !isNumber)
      return builder.getStringAttr(evaluator.text(expr.range));
    HostEvaluator host(evaluator, nullptr);
    return host.constant(evaluator.evaluate(expr)).tokens.front();
  }
  case ast::ExprKind::Tuple:
  case ast::ExprKind::List: {
    auto *tuple = dynCast<ast::Tuple>(&expr);
    llvm::SmallVector<mlir::Attribute> elements;
    for (const ast::ExprPtr &element : tuple ? tuple->elements : dynCast<ast::List>(&expr)->elements)
      elements.push_back(syntaxAttribute(*element));
    return builder.getArrayAttr(elements);
  }
  case ast::ExprKind::Record: {
    Fields fields(builder);
    for (const ast::Record::Field &field : dynCast<ast::Record>(&expr)->fields)
      fields.set(field.name.text, syntaxAttribute(*field.value));
    return fields.get();
  }
  default:
    return builder.getStringAttr(evaluator.text(expr.range));
  }
}

mlir::Attribute KernelBuilder::decoratorAttribute(const ast::Decorator &decorator) {
  Fields fields(evaluator.builder);
  fields.set("name", decorator.name.text);
  unsigned position = 0;
  // Expressions over the launch, which the launcher and the tuner evaluate.
  static constexpr std::string_view computed[] = {"bytes", "flops", "key", "bucket", "prune"};
  for (const ast::Argument &argument : decorator.arguments) {
    std::string name = argument.name ? argument.name->text : std::to_string(position++);
    if (argument.isHas)
      name = "has(" + name + ")";
    mlir::Attribute value = syntaxAttribute(*argument.value);
    auto *list = dynCast<ast::List>(argument.value);
    HostEvaluator ofLaunch(evaluator, [&](const std::string &used) {
      std::optional<HostExpression> known = hostName(used, /*constantsByName=*/true, /*withGiven=*/false);
      bool isOfConfiguration = !known && name == "prune" && isKnob(used);
      return isOfConfiguration ? HostEvaluator(evaluator, nullptr).name(used) : known;
    });
    if (decorator.name.text == "heuristic" || (llvm::is_contained(computed, name) && !list)) {
      if (std::optional<HostExpression> expression = ofLaunch.evaluate(*argument.value))
        value = expression->attribute(evaluator.context());
    } else if ((name == "key" || name == "bucket") && list) {
      llvm::SmallVector<mlir::Attribute> expressions;
      for (const ast::ExprPtr &element : list->elements)
        if (std::optional<HostExpression> expression = ofLaunch.evaluate(*element))
          expressions.push_back(expression->attribute(evaluator.context()));
      value = evaluator.builder.getArrayAttr(expressions);
    }
    fields.set(name, value);
  }
  return fields.get();
}

//===-- The contract

mlir::Attribute KernelBuilder::parameterAttribute(const KernelLeaf &leaf) {
  using Mode = ast::Parameter::Mode;
  static constexpr std::string_view kinds[] = {"tensor", "scalar", "pointer"};
  Fields fields(evaluator.builder);
  fields.set("name", leaf.name);
  fields.set("kind", kinds[static_cast<size_t>(leaf.kind)]);
  fields.set("dtype", nameOf(leaf.scalar));
  if (leaf.parameter->isOptional)
    fields.set("optional", true);
  if (!leaf.isPresent)
    fields.set("present", false);
  if (leaf.kind != KernelLeaf::Kind::Tensor)
    return fields.get();
  fields.set("role", leaf.parameter->mode == Mode::Out ? "out" : leaf.parameter->mode == Mode::InOut ? "inout" : "in");
  if (leaf.isStrided)
    fields.set("strided", true);
  llvm::SmallVector<mlir::Attribute> extents;
  for (const ast::ExprPtr &extent : *leaf.extents) {
    // A name is kept by name even if it is a compile-time value: messages at launch use it.
    auto *name = dynCast<ast::Name>(extent);
    std::optional<HostExpression> expression;
    if (name)
      expression = HostEvaluator(evaluator, nullptr).name(name->text);
    else if (leaf.isPresent)
      expression = host(*extent, /*constantsByName=*/true);
    else
      expression = HostEvaluator(evaluator, nullptr).name("_");
    if (expression)
      extents.push_back(expression->attribute(evaluator.context()));
  }
  fields.set("extents", extents);
  return fields.get();
}

mlir::Attribute KernelBuilder::constantAttribute(const Constant &constant) {
  Fields fields(evaluator.builder);
  fields.set("name", constant.parameter->name.text);
  if (auto *integer = constant.value.as<IntConstant>()) {
    fields.set("type", "int");
    fields.set("value", static_cast<int64_t>(integer->value));
  } else if (auto *floating = constant.value.as<FloatConstant>()) {
    fields.set("type", "float");
    if (std::isfinite(floating->value))
      fields.set("value", evaluator.builder.getF64FloatAttr(floating->value));
    else
      fields.set("value", std::isnan(floating->value) ? "nan" : floating->value > 0 ? "inf" : "-inf");
  } else if (auto *boolean = constant.value.as<BoolConstant>()) {
    fields.set("type", "bool");
    fields.set("value", boolean->value);
  } else if (auto *type = constant.value.as<TypeConstant>()) {
    fields.set("type", "type");
    fields.set("value", type->syntax ? evaluator.text(type->syntax->range) : type->type.text());
  } else if (const Function *function = constant.value.asFunction()) {
    fields.set("type", "fn");
    fields.set("value", function->name);
  }
  fields.set("source", constant.source);
  if (constant.heuristic)
    fields.set("expr", constant.heuristic->attribute(evaluator.context()));
  return fields.get();
}

void KernelBuilder::reportFalse(const ast::Expr &condition) {
  DiagnosticBuilder diagnostic = evaluator.report(
      Code::E0403, condition.range, "`where` is false for the values that the compile-time parameters have");
  std::vector<const ast::Name *> used = namesIn(condition);
  for (const Constant &constant : constants) {
    const std::string &name = constant.parameter->name.text;
    if (llvm::any_of(used, [&](const ast::Name *each) { return each->text == name; }))
      diagnostic.note(quote(name) + " is " + constant.value.describe() + " here");
  }
  if (refused)
    diagnostic.note("so it is in each of the " + std::to_string(refused) +
                    " configurations of `@autotune`; this is the first");
}

mlir::DictionaryAttr KernelBuilder::buildContract() {
  mlir::OpBuilder &builder = evaluator.builder;
  Fields contract(builder);
  contract.set("name", kernel.name.text);
  if (!kernel.doc.empty())
    contract.set("doc", kernel.doc);
  llvm::SmallVector<mlir::Attribute> items;
  for (const KernelLeaf &leaf : leaves)
    items.push_back(parameterAttribute(leaf));
  contract.set("parameters", items);

  items.clear();
  for (const Dim &dim : dims) {
    if (!dim.isDeclared)
      continue;
    Fields fields(builder);
    fields.set("name", dim.name);
    fields.set("parameter", dim.parameter);
    fields.set("axis", static_cast<int64_t>(dim.axis));
    if (!dim.inverse.empty())
      fields.set("expr", llvm::ArrayRef(dim.inverse));
    if (dim.value)
      fields.set("value", *dim.value);
    items.push_back(fields.get());
  }
  contract.set("dims", items);

  items.clear();
  for (const Constant &constant : constants)
    items.push_back(constantAttribute(constant));
  for (const auto &[name, knob] : knobs) {
    Fields fields(builder);
    fields.set("name", name);
    fields.set("type", "int");
    fields.set("value", knob.value);
    fields.set("source", knob.source);
    if (knob.heuristic)
      fields.set("expr", knob.heuristic->attribute(builder.getContext()));
    items.push_back(fields.get());
  }
  if (!items.empty())
    contract.set("constants", items);

  items.clear();
  for (const ast::ExprPtr &condition : kernel.where) {
    std::optional<HostExpression> expression = host(*condition, /*constantsByName=*/false);
    if (!expression)
      continue;
    if (std::optional<int64_t> known = constantInteger(*expression)) {
      if (!*known)
        reportFalse(*condition);
      continue;
    }
    Fields fields(builder);
    fields.set("expr", expression->attribute(builder.getContext()));
    fields.set("text", evaluator.text(condition->range));
    items.push_back(fields.get());
  }
  if (!items.empty())
    contract.set("where", items);

  items.clear();
  for (const ast::KernelItem::Alias &alias : kernel.aliases) {
    // The manifest knows pairs of tensors; a tuple stands for the tensors in it.
    std::vector<std::vector<std::string>> tensors;
    for (const ast::Identifier &name : alias.names) {
      std::vector<std::string> of;
      bool isKnown = false;
      for (const KernelLeaf &leaf : leaves) {
        if (leaf.parameter->name.text != name.text)
          continue;
        isKnown = true;
        if (leaf.kind == KernelLeaf::Kind::Tensor)
          of.push_back(leaf.name);
      }
      if (!isKnown)
        evaluator.reportUnknown(name.text, name.range, "parameter");
      else if (of.empty())
        evaluator.report(Code::E0206, name.range, quote(name.text) + " in `alias` is no tensor; expected one");
      for (const std::vector<std::string> &others : tensors)
        for (const std::string &other : others)
          for (const std::string &tensor : of)
            items.push_back(builder.getStrArrayAttr({other, tensor}));
      tensors.push_back(std::move(of));
    }
  }
  if (!items.empty())
    contract.set("alias", items);

  items.clear();
  for (const ast::ExprPtr &axis : kernel.grid)
    if (std::optional<HostExpression> expression = host(*axis, /*constantsByName=*/false))
      items.push_back(expression->attribute(builder.getContext()));
  if (kernel.grid.empty() || kernel.grid.size() > 3)
    evaluator
        .report(Code::E0404, kernel.grid.empty() ? kernel.name.range : kernel.gridRange,
                "the grid of " + quote(kernel.name.text) + " has " + std::to_string(kernel.grid.size()) +
                    " axes; expected 1 to 3")
        .help(kernel.grid.empty() ? "write `grid [n]` after the parameters"
                                  : "make one axis of two, `grid [a * b]`, and take it apart: `program_id(0) / b` and "
                                    "`program_id(0) % b`");
  contract.set("grid", items);
  contract.set("abi", llvm::ArrayRef(abi));

  items.clear();
  for (const ast::Decorator &decorator : kernel.decorators)
    items.push_back(decoratorAttribute(decorator));
  if (!items.empty())
    contract.set("decorators", items);
  if (mlir::Attribute tuning = tuningAttribute())
    contract.set("tuning", tuning);
  return contract.get();
}
