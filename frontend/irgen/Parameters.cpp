#include "frontend/irgen/Parameters.h"

#include "frontend/irgen/Program.h"

#include "ir/Tile/TileOps.h"

using namespace tile;
using namespace tile::irgen;
using ast::dynCast;

ParameterBinder::ParameterBinder(Evaluator &evaluator, const Function &function, CallArguments &arguments)
    : evaluator(evaluator), function(function), arguments(arguments), body(std::make_shared<Scope>(function.scope)) {
  if (function.decl)
    for (const ast::Parameter &parameter : function.decl->parameters)
      parameters.push_back(
          {&parameter.name, parameter.type.get(), parameter.defaultValue.get(), parameter.isOptional, parameter.mode});
  else
    for (const ast::FnLiteral::Parameter &parameter : function.literal->parameters)
      parameters.push_back({&parameter.name, parameter.type.get(), nullptr, false, ast::Parameter::Mode::In});
  values.resize(parameters.size());
}

bool ParameterBinder::run() {
  if (function.decl)
    for (const ast::Parameter &parameter : function.decl->parameters)
      if (parameter.isVolatile) {
        evaluator.report(Code::E0900, parameter.range, "`volatile` is not supported by this version");
        return false;
      }
  return bindArguments() && bindGenerics() && declareGenerics() && declareParameters();
}

/// Runs `work` where names mean what they mean in the body.
template <typename Work> auto ParameterBinder::inBody(Work work) {
  std::shared_ptr<Scope> here = std::exchange(evaluator.frame->scope, body);
  auto result = work();
  evaluator.frame->scope = here;
  return result;
}

//===-- Arguments

bool ParameterBinder::bindArguments() {
  std::string name = quote(function.name);
  size_t position = 0, positional = 0;
  for (const CallArguments::Argument &argument : arguments.arguments)
    positional += argument.name.empty();
  size_t expected = function.signature ? function.signature->parameters.size() : parameters.size();
  if (positional > std::min(parameters.size(), expected)) {
    evaluator.report(Code::E0215, arguments.range,
                     name + " is called with " + counted(positional, "argument") + "; expected " +
                         std::to_string(expected));
    return false;
  }
  bool isValid = true;
  for (const CallArguments::Argument &argument : arguments.arguments) {
    size_t target = position;
    if (argument.name.empty()) {
      ++position;
    } else {
      auto found = llvm::find_if(parameters, [&](const Parameter &p) { return p.name->text == argument.name; });
      target = found - parameters.begin();
      if (found == parameters.end()) {
        std::vector<std::string_view> names;
        for (const Parameter &parameter : parameters)
          names.push_back(parameter.name->text);
        DiagnosticBuilder diagnostic =
            evaluator.report(Code::E0215, argument.nameRange, name + " has no parameter " + quote(argument.name));
        if (std::string_view closest = closestName(argument.name, names); !closest.empty())
          diagnostic.replace(argument.nameRange, closest, "did you mean ", "?");
        isValid = false;
        continue;
      }
    }
    if (values[target]) {
      evaluator.report(Code::E0215, argument.operand.range,
                       "parameter " + quote(parameters[target].name->text) + " of " + name + " is given twice");
      isValid = false;
    }
    values[target] = argument.operand;
    isValid &= !argument.operand.value.isError();
  }
  for (auto [parameter, value] : llvm::zip_equal(parameters, values)) {
    if (value || parameter.defaultValue)
      continue;
    if (parameter.isOptional) {
      value = Operand{AbsentValue{parameter.name->text}, arguments.range};
      continue;
    }
    evaluator
        .report(Code::E0215, arguments.range, name + " is called without its parameter " + quote(parameter.name->text))
        .secondary(parameter.name->range, "declared here");
    isValid = false;
  }
  return isValid;
}

//===-- Compile-time parameters

const ast::GenericParameter *ParameterBinder::unboundGeneric(const ast::Expr &expr) const {
  auto *name = dynCast<ast::Name>(&expr);
  if (!name || !function.decl || generics.count(name->text))
    return nullptr;
  for (const ast::GenericParameter &generic : function.decl->generics)
    if (generic.name.text == name->text)
      return &generic;
  return nullptr;
}

bool ParameterBinder::setGeneric(const ast::GenericParameter &generic, const Operand &value) {
  if (value.value.isError())
    return false;
  generics[generic.name.text] = value;
  return true;
}

bool ParameterBinder::bindGenerics() {
  std::string name = quote(function.name);
  static const std::vector<ast::GenericParameter> none;
  const std::vector<ast::GenericParameter> &declared = function.decl ? function.decl->generics : none;
  size_t position = 0;
  for (const CallArguments::Argument &argument : arguments.generics) {
    const ast::GenericParameter *generic = nullptr;
    if (argument.name.empty())
      generic = position < declared.size() ? &declared[position++] : nullptr;
    else
      for (const ast::GenericParameter &candidate : declared)
        if (candidate.name.text == argument.name)
          generic = &candidate;
    if (!generic) {
      evaluator.report(Code::E0215, argument.operand.range,
                       name + " has " + std::to_string(declared.size()) +
                           " compile-time parameters; found one more argument");
      return false;
    }
    if (!setGeneric(*generic, argument.operand))
      return false;
  }
  for (auto [parameter, value] : llvm::zip_equal(parameters, values))
    if (parameter.type && value && !value->value.as<AbsentValue>())
      deduce(*parameter.type, value->value, value->range);
  return true;
}

void ParameterBinder::deduceExtent(const ast::Expr &extent, const std::optional<Dim> &dim, const Value &view,
                                   size_t axis, bool isTile, SourceRange range) {
  if (const ast::GenericParameter *generic = unboundGeneric(extent)) {
    if (dim)
      setGeneric(*generic, {Value::integer(*dim), range});
    return;
  }
  // A name that nothing declares stands for the extent.
  auto *name = dynCast<ast::Name>(&extent);
  const LoadedModule *owner = nullptr;
  bool isFree = name && !isTile && !dims.count(name->text) && !generics.count(name->text) && !body->find(name->text) &&
                !(body->file() && body->file()->find(name->text, owner));
  if (!isFree)
    return;
  Value value =
      dim ? Value::integer(*dim)
          : Value(DimOp::create(evaluator.builder, evaluator.at(range), view.ssa(), axis), Type::scalar(Scalar::Index));
  dims[name->text] = {value, name->range};
}

/// Binds compile-time parameters that stand alone in `type` as an element type, an extent or a whole type.
void ParameterBinder::deduce(const ast::Expr &type, const Value &value, SourceRange range) {
  if (value.isError())
    return;
  if (const ast::GenericParameter *generic = unboundGeneric(type)) {
    setGeneric(*generic, {Value::type(value.type()), range});
    return;
  }
  if (auto *strided = dynCast<ast::StridedType>(&type))
    return deduce(*strided->tensor, value, range);
  if (auto *tuple = dynCast<ast::Tuple>(&type)) {
    const TupleValue *elements = value.asTuple();
    for (size_t i = 0; elements && i < std::min(tuple->elements.size(), elements->elements.size()); ++i)
      deduce(*tuple->elements[i], elements->elements[i], range);
    return;
  }
  auto *apply = dynCast<ast::GenericApply>(&type);
  Type actual = value.type();
  if (!apply || apply->arguments.size() != 1 || (!actual.isTile() && !actual.isView()))
    return;
  if (const ast::GenericParameter *element = unboundGeneric(*apply->arguments.front().value))
    setGeneric(*element, {Value::type(Type::scalar(actual.element.scalar)), range});
  size_t rank = actual.isView() ? actual.extents.size() : actual.shape.size();
  if (!apply->shape || apply->shape->size() != rank)
    return; // the check reports it
  for (size_t axis = 0; axis < rank; ++axis) {
    std::optional<Dim> dim = actual.isView() ? actual.extents[axis] : std::optional(actual.shape[axis]);
    deduceExtent(*(*apply->shape)[axis], dim, value, axis, actual.isTile(), range);
  }
}

bool ParameterBinder::declareGenerics() {
  if (!function.decl)
    return true;
  for (const ast::GenericParameter &generic : function.decl->generics) {
    auto bound = generics.find(generic.name.text);
    Operand value;
    if (bound != generics.end()) {
      value = bound->second;
    } else if (generic.defaultValue) {
      value = inBody([&] { return evaluator.operand(*generic.defaultValue); });
    } else {
      evaluator
          .report(Code::E0307, arguments.range,
                  "nothing binds the compile-time parameter " + quote(generic.name.text) + " of " +
                      quote(function.name))
          .secondary(generic.name.range, "declared here")
          .help("give it: " + quote(function.name + "<…>(…)"));
      return false;
    }
    value.value = inBody([&] { return checkCompileTimeParameter(evaluator, generic, value); });
    if (value.value.isError())
      return false;
    Binding binding;
    binding.kind = Binding::Kind::CompileTimeParameter;
    binding.range = generic.name.range;
    binding.value = value.value;
    body->declare(generic.name.text, std::move(binding));
  }
  return true;
}

Value irgen::checkCompileTimeParameter(Evaluator &evaluator, const ast::GenericParameter &generic,
                                       const Operand &value) {
  if (!generic.type)
    return value.value;
  std::string what = "compile-time parameter " + quote(generic.name.text);
  if (auto *signature = dynCast<ast::FnType>(generic.type)) {
    const Function *function = value.value.asFunction();
    if (!function)
      return value.value.isError() ? Value()
                                   : evaluator.fail(Code::E0206, value.range,
                                                    what + " is " + value.value.describe() + "; expected a function");
    // The tiles of the kernel that a signature speaks of are whole tensors in a spec.
    if (evaluator.isSpec)
      return value.value;
    Function typed = *function;
    typed.signature = signature;
    typed.signatureScope = evaluator.frame->scope;
    return std::make_shared<const Function>(std::move(typed));
  }
  std::optional<Type> type = evaluator.evaluateType(*generic.type);
  if (!type)
    return {};
  // The type `()` is written like the value.
  if (type->kind == Type::Kind::Type && value.value.isUnit())
    return Value::type(Type::unit());
  if (type->kind == Type::Kind::Type && value.value.asTuple()) {
    std::optional<Type> members = evaluator.typeOf(value);
    return members ? Value::type(*members) : Value();
  }
  return evaluator.coerce(value, *type, what);
}

//===-- Parameters

bool ParameterBinder::declareParameters() {
  for (auto &[name, dim] : dims) {
    Binding binding;
    binding.kind = Binding::Kind::Dim;
    binding.range = dim.range;
    binding.value = dim.value;
    body->declare(name, std::move(binding));
  }
  bool isValid = true;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter &parameter = parameters[i];
    Operand value;
    if (values[i])
      value = *values[i];
    else
      value = inBody([&] { return evaluator.operand(*parameter.defaultValue); });
    value.value = inBody([&] { return check(parameter, value); });
    if (function.signature && i < function.signature->parameters.size() && value.value.isTile()) {
      std::shared_ptr<Scope> here = std::exchange(evaluator.frame->scope, function.signatureScope);
      std::optional<Type> type = evaluator.evaluateType(*function.signature->parameters[i]);
      evaluator.frame->scope = here;
      if (type && type->isTile())
        value.value = evaluator.coerce(value, *type, "argument " + std::to_string(i) + " of " + quote(function.name));
    }
    isValid &= !value.value.isError();
    Binding binding;
    binding.kind = Binding::Kind::Parameter;
    binding.range = parameter.name->range;
    binding.value = value.value;
    if (body->findHere(parameter.name->text))
      evaluator.report(Code::E0103, parameter.name->range, quote(parameter.name->text) + " is declared twice");
    body->declare(parameter.name->text, std::move(binding));
  }
  return isValid;
}

Value ParameterBinder::check(const Parameter &parameter, const Operand &value) {
  if (value.value.isError())
    return {};
  std::string what = "argument " + quote(parameter.name->text) + " of " + quote(function.name);
  if (auto *absent = value.value.as<AbsentValue>()) {
    if (parameter.isOptional || !parameter.type)
      return AbsentValue{parameter.name->text};
    return evaluator.fail(Code::E0105, value.range,
                          what + " is " +
                              (absent->parameter.empty() ? "none" : "an optional parameter that is absent") +
                              "; expected a value");
  }
  if (parameter.mode != ast::Parameter::Mode::In && !value.value.isView())
    return evaluator.fail(Code::E0206, value.range,
                          what + " is " + value.value.describe() +
                              "; expected a tensor, as the parameter is `out` or `inout`");
  if (!parameter.type)
    return value.value;
  if (dynCast<ast::FnType>(parameter.type)) {
    if (value.value.asFunction())
      return value.value;
    return evaluator.fail(Code::E0206, value.range, what + " is " + value.value.describe() + "; expected a function");
  }
  auto *apply = dynCast<ast::GenericApply>(parameter.type);
  auto *constructor = apply ? dynCast<ast::Name>(apply->base) : nullptr;
  bool takesTensor = dynCast<ast::StridedType>(parameter.type) || (constructor && constructor->text == "tensor");
  if (value.value.isView() && (takesTensor || !evaluator.isSpec))
    return checkView(parameter, *parameter.type, value);
  if (value.value.isView())
    return check(parameter, {evaluator.readWhole(value), value.range});
  if (auto *name = dynCast<ast::Name>(parameter.type))
    if (auto generic = generics.find(name->text); generic != generics.end() && !value.value.isConstantScalar())
      if (BindingPtr binding = body->find(name->text))
        if (auto *type = binding->value.as<TypeConstant>(); type && isSameType(type->type, value.value.type()))
          return value.value;
  std::optional<Type> type = evaluator.evaluateType(*parameter.type);
  return type ? evaluator.coerce(value, *type, what) : Value();
}

Value ParameterBinder::checkView(const Parameter &parameter, const ast::Expr &type, const Operand &value) {
  std::string what = "argument " + quote(parameter.name->text) + " of " + quote(function.name);
  Type actual = value.value.type();
  auto *strided = dynCast<ast::StridedType>(&type);
  auto *apply = dynCast<ast::GenericApply>(strided ? strided->tensor.get() : &type);
  auto *constructor = apply ? dynCast<ast::Name>(apply->base) : nullptr;
  if (!constructor || constructor->text != "tensor" || !apply->shape || apply->arguments.size() != 1) {
    std::optional<Type> expected = evaluator.evaluateType(type);
    return !expected || isSameType(actual, *expected)
               ? value.value
               : evaluator.fail(Code::E0206, value.range,
                                what + " is " + actual.text() + "; expected " + expected->text());
  }
  std::optional<Scalar> element = evaluator.evaluateScalarType(evaluator.operand(*apply->arguments.front().value));
  if (!element)
    return {};
  bool fits = actual.element.scalar == *element && actual.extents.size() == apply->shape->size() &&
              (strided || !actual.isStrided);
  if (!fits) {
    evaluator
        .report(Code::E0206, value.range,
                what + " is " + actual.text() + "; expected " + quote(evaluator.text(type.range)))
        .secondary(parameter.name->range, "declared here");
    return {};
  }
  for (size_t axis = 0; axis < apply->shape->size(); ++axis) {
    const ast::Expr &extent = *(*apply->shape)[axis];
    if (dynCast<ast::Wildcard>(&extent))
      continue;
    Value wanted = evaluator.evaluate(extent);
    auto *expected = wanted.as<IntConstant>();
    if (!expected)
      continue;
    const std::optional<Dim> &dim = actual.extents[axis];
    if (!dim)
      return evaluator.fail(Code::E0206, value.range,
                            "extent " + std::to_string(axis) + " of " + what + " is known only at run time; expected " +
                                wanted.describe());
    Dim other{static_cast<int64_t>(expected->value), expected->symbol};
    if (evaluator.Emitter::compare(*dim, other) != Emitter::Agreement::Same) {
      evaluator.reportExtents(Code::E0206, *dim, other, value.range, value, value,
                              "extent " + std::to_string(axis) + " of " + what + " is " + std::to_string(dim->value) +
                                  "; expected " + std::to_string(other.value));
      return {};
    }
  }
  bool writes = parameter.mode != ast::Parameter::Mode::In;
  if (writes && !actual.isWritable)
    return evaluator.fail(Code::E0214, value.range, what + " cannot be written; expected an `out` or `inout` tensor");
  bool reads = parameter.mode != ast::Parameter::Mode::Out;
  if (reads && !actual.isReadable)
    return evaluator.fail(Code::E0213, value.range,
                          what + " is `out` and never read; expected a tensor that may be read");
  actual.isReadable &= reads;
  actual.isWritable &= writes;
  return Value(value.value.ssa(), actual);
}
