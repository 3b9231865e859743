#include "frontend/irgen/Builtins.h"

#include "llvm/ADT/STLExtras.h"

using namespace tile;
using namespace tile::irgen;

/// Names that the language reserves for functions this version lacks.
static Value reportUnsupported(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  DiagnosticBuilder diagnostic =
      evaluator.report(Code::E0900, arguments.callee, quote(self.name) + " is not supported by this version");
  if (self.name == "cumsum" || self.name == "scan")
    diagnostic.help(std::string(kRunningSum));
  if (self.name == "topk" || self.name == "sort" || self.name == "argsort")
    diagnostic.help("take the largest, and then the rest of it: `let at = argmax(x)`, `x = where(iota<i32>[n] == at, "
                    "-inf, x)`");
  return {};
}

static llvm::ArrayRef<Builtin> unsupportedBuiltins() {
  static const std::vector<Builtin> rows = [] {
    std::vector<Builtin> result;
    for (std::string_view name :
         {"argsort",    "assume",    "atomic_and",   "atomic_cas",  "atomic_load", "atomic_max",
          "atomic_min", "atomic_or", "atomic_store", "atomic_xchg", "atomic_xor",  "cat",
          "cumprod",    "cumsum",    "dot_scaled",   "flip",        "gather",      "grid_launch_dependents",
          "grid_wait",  "histogram", "inline_ptx",   "join",        "multiple_of", "philox",
          "print",      "rand",      "randint",      "randn",       "scan",        "sort",
          "spin",       "split",     "topk"}) {
      Builtin row;
      row.name = name;
      row.call = reportUnsupported;
      row.takesSyntax = true;
      result.push_back(row);
    }
    return result;
  }();
  return rows;
}

static const std::map<std::string_view, const Builtin *> &table() {
  static const std::map<std::string_view, const Builtin *> rows = [] {
    std::map<std::string_view, const Builtin *> result;
    for (llvm::ArrayRef<Builtin> family : {elementwiseBuiltins(), memoryBuiltins(), programBuiltins(),
                                           reductionBuiltins(), tileBuiltins(), unsupportedBuiltins()})
      for (const Builtin &row : family)
        result.emplace(row.name, &row);
    return result;
  }();
  return rows;
}

const Builtin *irgen::findBuiltin(std::string_view name) {
  auto row = table().find(name);
  return row == table().end() ? nullptr : row->second;
}

void irgen::collectBuiltins(std::vector<std::string_view> &names) {
  for (const auto &[name, row] : table())
    if (row->call != reportUnsupported)
      names.push_back(name);
}

//===-- Elementwise calls

/// The value of the call if all operands are constants and the function folds.
static std::optional<Value> fold(Evaluator &evaluator, const Builtin &builtin, const std::vector<Operand> &operands,
                                 SourceRange range) {
  auto isInteger = [](const Operand &operand) { return operand.value.as<IntConstant>() != nullptr; };
  auto isNumber = [&](const Operand &operand) { return isInteger(operand) || operand.value.as<FloatConstant>(); };
  bool areIntegers = llvm::all_of(operands, isInteger);
  if (!llvm::all_of(operands, isNumber) ||
      !(areIntegers ? builtin.foldInteger != nullptr : builtin.foldFloat != nullptr))
    return std::nullopt;
  std::optional<std::vector<Operand>> unified =
      evaluator.unifyConstants(operands, range, "operands of " + quote(builtin.name));
  if (!unified)
    return Value();
  if (!areIntegers) {
    double values[2] = {0, 0};
    std::optional<Scalar> type;
    for (auto [value, operand] : llvm::zip(values, *unified)) {
      auto *floating = operand.value.as<FloatConstant>();
      value = floating ? floating->value : static_cast<double>(operand.value.as<IntConstant>()->value);
      type = floating ? floating->type : type;
    }
    return evaluator.folded(builtin.foldFloat(values[0], values[1]), type);
  }
  WideInt values[2] = {0, 0};
  std::vector<Symbolic> symbols;
  for (auto [value, operand] : llvm::zip(values, *unified)) {
    value = operand.value.as<IntConstant>()->value;
    symbols.push_back(operand.value.as<IntConstant>()->symbol);
  }
  WideInt result = builtin.foldInteger(values[0], values[1]);
  bool isLiteral = llvm::all_of(symbols, [](const Symbolic &symbol) { return symbol.asConstant().has_value(); });
  Symbolic symbol = isLiteral ? Symbolic(static_cast<int64_t>(result)) : Symbolic::call(builtin.name, symbols);
  return evaluator.folded(result, unified->front().value.as<IntConstant>()->type, symbol, range);
}

static bool isInDomain(Domain domain, Scalar scalar, bool isSpec) {
  switch (domain) {
  case Domain::F32:
    return scalar == Scalar::F32 || (isSpec && scalar == Scalar::F64);
  case Domain::Float:
    return isFloat(scalar);
  case Domain::Integer:
    return isInteger(scalar);
  case Domain::Number:
    return scalar != Scalar::Bool;
  }
  return false;
}

static std::string_view describe(Domain domain) {
  static constexpr std::string_view names[] = {"f32", "floats", "integers", "numbers"};
  return names[static_cast<size_t>(domain)];
}

/// What who wrote the call at `range` calls `builtin`: within the standard library, the function that was called there.
static std::string nameForCaller(const Evaluator &evaluator, const Builtin &builtin, SourceRange range) {
  auto isStandard = [&](const SourceRange &place) { return evaluator.sources.name(place.file) == kStandardLibrary; };
  if (isStandard(range))
    for (const Emitter::CallSite &site : llvm::reverse(evaluator.calls))
      if (!isStandard(site.range))
        return site.callee;
  return std::string(builtin.name);
}

Value irgen::callElementwise(Evaluator &evaluator, const Builtin &builtin, CallArguments &arguments) {
  std::vector<Operand> operands;
  for (const CallArguments::Argument &argument : arguments.arguments) {
    if (!argument.name.empty())
      return evaluator.fail(Code::E0215, argument.nameRange,
                            quote(builtin.name) + " has no parameter " + quote(argument.name));
    if (argument.operand.value.isError())
      return {};
    operands.push_back(argument.operand);
  }
  if (operands.size() != builtin.arity || !arguments.generics.empty() || arguments.shape)
    return evaluator.fail(Code::E0215, arguments.range,
                          quote(builtin.name) + " is called with " + counted(operands.size(), "argument") +
                              "; expected " + std::to_string(builtin.arity));
  if (std::optional<Value> constant = fold(evaluator, builtin, operands, arguments.range))
    return *constant;
  // An integer literal alone becomes a float where only floats are accepted.
  for (Operand &operand : operands)
    if (auto *integer = operand.value.as<IntConstant>(); integer && !integer->type && builtin.domain <= Domain::Float)
      operand.value = FloatConstant{static_cast<double>(integer->value), std::nullopt};
  std::optional<Emitter::Unified> unified =
      evaluator.unify(operands, arguments.range, "operands of " + quote(builtin.name));
  if (!unified)
    return {};
  Scalar scalar = unified->type.element.scalar;
  if (!isInDomain(builtin.domain, scalar, evaluator.isSpec)) {
    std::string name = nameForCaller(evaluator, builtin, arguments.range);
    DiagnosticBuilder diagnostic = evaluator.report(Code::E0203, arguments.range,
                                                    quote(name) + " is not defined for " + unified->type.text() +
                                                        "; expected " + std::string(describe(builtin.domain)));
    bool wantsFloats = isInteger(scalar) && builtin.domain <= Domain::Float;
    if (wantsFloats && name == builtin.name)
      evaluator.suggestCast(diagnostic, operands[0].range, "f32", "convert first: ");
    else if (wantsFloats)
      diagnostic.help("convert what it is called with: `… as f32`");
    return {};
  }
  mlir::Location location = evaluator.at(arguments.range);
  mlir::Value result = evaluator.compute(scalar, unified->values, builtin.exactness, location,
                                         [&](llvm::ArrayRef<mlir::Value> operands, Scalar wide) {
                                           return builtin.emit(evaluator, operands, wide, location);
                                         });
  return Value(result, unified->type);
}

//===-- Arguments by name

/// What other languages call a parameter, and its name here; empty for others.
static std::string_view ourParameter(std::string_view theirs) {
  static constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"dim", "axis"}, {"keep_dims", "keep"}, {"keepdim", "keep"}, {"keepdims", "keep"}};
  const auto *known = llvm::find_if(names, [&](const auto &pair) { return pair.first == theirs; });
  return known == std::end(names) ? std::string_view() : known->second;
}

BuiltinArguments::BuiltinArguments(Evaluator &evaluator, const Builtin &builtin, CallArguments &arguments,
                                   std::vector<std::string_view> parameterNames, unsigned required, unsigned positional)
    : parameters(std::move(parameterNames)), bound(parameters.size(), nullptr) {
  size_t position = 0, unnamed = 0; // of those that only a name gives
  for (const CallArguments::Argument &argument : arguments.arguments) {
    size_t target = 0;
    if (argument.name.empty()) {
      // What was bound by name is passed over.
      while (position < positional && bound[position])
        ++position;
      if (position >= positional) {
        bool takesAxis = llvm::is_contained(parameters, "axis");
        DiagnosticBuilder diagnostic = evaluator.report(
            takesAxis ? Code::E0216 : Code::E0215, argument.operand.range,
            takesAxis
                ? "the axis of " + quote(builtin.name) + " is given by position; expected `axis = …`"
                : quote(builtin.name) + " is called with too many arguments; expected " + std::to_string(positional));
        size_t meant = position + unnamed++;
        if (!takesAxis && meant < parameters.size())
          diagnostic.replace(argument.operand.range,
                             std::string(parameters[meant]) + " = " + evaluator.text(argument.operand.range), "write ");
        if (takesAxis)
          diagnostic.replace(argument.operand.range, "axis = " + evaluator.text(argument.operand.range), "write ");
        valid = false;
        continue;
      }
      target = position++;
    } else {
      target = llvm::find(parameters, argument.name) - parameters.begin();
      if (target == parameters.size()) {
        DiagnosticBuilder diagnostic = evaluator.report(
            Code::E0215, argument.nameRange, quote(builtin.name) + " has no parameter " + quote(argument.name));
        if (std::string_view ours = ourParameter(argument.name); llvm::is_contained(parameters, ours))
          diagnostic.replace(argument.nameRange, ours, "it is called ");
        else if (std::string_view closest = closestName(argument.name, parameters); !closest.empty())
          diagnostic.replace(argument.nameRange, closest, "did you mean ", "?");
        valid = false;
        continue;
      }
    }
    if (bound[target]) {
      evaluator.report(Code::E0215, argument.operand.range,
                       "parameter " + quote(parameters[target]) + " of " + quote(builtin.name) + " is given twice");
      valid = false;
    }
    bound[target] = &argument;
    valid &= builtin.takesSyntax || !argument.operand.value.isError();
  }
  for (size_t i = 0; valid && i < required; ++i) {
    if (bound[i])
      continue;
    evaluator.report(Code::E0215, arguments.range,
                     quote(builtin.name) + " is called without its parameter " + quote(parameters[i]));
    valid = false;
  }
}

const CallArguments::Argument *BuiltinArguments::get(std::string_view name) const {
  return bound[llvm::find(parameters, name) - parameters.begin()];
}
