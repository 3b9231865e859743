#include "runtime/execute/Signature.h"

#include "runtime/execute/LaunchArguments.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdio>

namespace tile {

static const ast::KernelItem *asKernel(const ast::ItemPtr &item) { return ast::dynCast<ast::KernelItem>(item); }

void reportNoKernel(Session &session, const std::string &name, const std::string &file,
                    const std::vector<std::string_view> &names) {
  DiagnosticBuilder diagnostic = session.engine.report(
      Code::E0602, {}, "no kernel `" + name + "` in " + file + "; it has `" + llvm::join(names, "`, `") + "`");
  if (std::string_view closest = closestName(name, names); !closest.empty())
    diagnostic.help("did you mean `" + std::string(closest) + "`?");
}

const ast::KernelItem *chooseKernel(Session &session, const ast::Module &module, const std::string &name) {
  std::string known;
  std::vector<const ast::KernelItem *> kernels;
  std::vector<std::string_view> names;
  for (const ast::ItemPtr &item : module.items) {
    const ast::KernelItem *kernel = asKernel(item);
    if (!kernel)
      continue;
    if (kernel->name.text == name)
      return kernel;
    kernels.push_back(kernel);
    names.push_back(kernel->name.text);
    known += (known.empty() ? "`" : ", `") + kernel->name.text + "`";
  }
  std::string file(session.sources.name(module.file));
  if (kernels.empty())
    session.report(Code::E0602, file + " has no kernel");
  else if (!name.empty())
    reportNoKernel(session, name, file, names);
  else if (kernels.size() == 1)
    return kernels.front();
  else
    session.report(Code::E0602, file + " has several kernels: " + known + "; choose one with `--kernel NAME`");
  return nullptr;
}

/// The name that `expr` is, or null.
static const std::string *asName(const ast::ExprPtr &expr) {
  const ast::Name *name = ast::dynCast<ast::Name>(expr);
  return name ? &name->text : nullptr;
}

/// Reports an argument that none of `names` is; those of a tuple's elements begin with the tuple's.
static bool checkNames(Session &session, const std::string &kernel, const std::vector<std::string_view> &names,
                       const std::vector<HostArgument> &given) {
  std::string known;
  for (std::string_view name : names)
    known += (known.empty() ? "`" : ", `") + std::string(name) + "`";
  for (const HostArgument &argument : given) {
    if (argument.name.empty() || llvm::is_contained(names, argument.name) ||
        llvm::is_contained(names, std::string_view(argument.name).substr(0, argument.name.find('.'))))
      continue;
    DiagnosticBuilder diagnostic = session.engine.report(
        Code::E0603, {}, "kernel `" + kernel + "` has no parameter `" + argument.name + "`; it has " + known);
    if (std::string_view closest = closestName(argument.name, names); !closest.empty())
      diagnostic.help("did you mean `" + std::string(closest) + "`?");
    return false;
  }
  return true;
}

/// A parameter that nothing was given for, and what could be: `x=rand:f32[...]`.
struct Missing {
  std::string name, example;
};
static const std::string kScalarExample = "=0.5";

/// All at once, so that one more run suffices.
static bool reportMissing(Session &session, const std::vector<Missing> &missing) {
  std::string names, arguments;
  for (const Missing &each : missing) {
    bool isLast = &each == &missing.back();
    names += (names.empty() ? "`" : isLast ? " and `" : ", `") + each.name + "`";
    arguments += (arguments.empty() ? "--arg " : " --arg ") + each.name + each.example;
  }
  session.report(Code::E0603, names + (missing.size() == 1 ? " has no argument" : " have no arguments") + "; add `" +
                                  arguments + "`");
  return false;
}

/// The type of a tensor parameter, as written; null for other parameters.
static const ast::GenericApply *tensorType(const ast::Parameter &parameter) {
  auto *strided = ast::dynCast<ast::StridedType>(parameter.type);
  auto *type = ast::dynCast<ast::GenericApply>(strided ? strided->tensor.get() : parameter.type.get());
  return type && type->arguments.size() == 1 && type->shape ? type : nullptr;
}

/// The type that the elements of `argument` give the type parameter `name` of `item`: the default, where a file can
/// only hold it as the integers found there, else their own. `bound` are the parameters that have a value.
static std::string elementType(const ast::KernelItem &item, const std::string &name, const HostArgument &argument,
                               const std::map<std::string, std::string> &bound) {
  DataType found = argument.tensor.type;
  bool isFile = !argument.isMade();
  for (const ast::GenericParameter &generic : item.generics) {
    const std::string *fallback =
        isFile && generic.name.text == name && generic.defaultValue ? asName(generic.defaultValue) : nullptr;
    if (auto other = fallback ? bound.find(*fallback) : bound.end(); other != bound.end())
      fallback = &other->second; // `U: type = T`
    std::optional<DataType> type = fallback ? findDataType(*fallback) : std::nullopt;
    if (type && isKeptAsBits(*type, found))
      return *fallback;
  }
  return std::string(getName(found));
}

/// Adds the names that the tensor of `argument`, for `parameter` of `type`, binds: extents, and a type parameter, to
/// which `binders` says which tensor bound it. A name of a type binds nothing; the contract is checked against it
/// later. False after reporting what contradicts it.
static bool bindTensor(Session &session, const ast::KernelItem &item, const ast::Parameter &parameter,
                       const ast::GenericApply &type, const HostArgument &argument,
                       const std::map<std::string, std::string> &defined, std::map<std::string, std::string> &binders,
                       IrgenOptions &options) {
  const std::string &name = parameter.name.text;
  const NpyArray &tensor = argument.tensor;
  if (tensor.extents.size() != type.shape->size()) {
    session.engine.report(Code::E0603, parameter.range,
                          "`" + name + "` has rank " + std::to_string(tensor.extents.size()) + "; expected " +
                              std::to_string(type.shape->size()) + ", `" +
                              std::string(session.sources.text(type.range)) + "`");
    return false;
  }
  if (const std::string *element = asName(type.arguments[0].value); element && !findDataType(*element)) {
    auto [value, isNew] = options.values.try_emplace(*element, elementType(item, *element, argument, options.values));
    if (isNew)
      binders[*element] = name;
    std::optional<DataType> expected = findDataType(value->second);
    if (expected && *expected != tensor.type && !isKeptAsBits(*expected, tensor.type)) {
      auto binder = binders.find(*element);
      session.engine.report(
          Code::E0603, parameter.range,
          "`" + name + "` has elements of " + getName(tensor.type) + "; expected " + value->second + ", for `" +
              (binder == binders.end() ? "-D " + *element + "=" + value->second + "`"
                                       : *element + " = " + value->second + "` from `" + binder->second + "`"));
      return false;
    }
  }
  for (size_t axis = 0; axis < type.shape->size(); ++axis) {
    const std::string *extent = asName((*type.shape)[axis]);
    if (!extent)
      continue;
    std::string found = std::to_string(tensor.extents[axis]);
    options.values.try_emplace(*extent, found);
    auto value = defined.find(*extent); // what another tensor gave is compared by the contract
    int64_t given = 0;
    bool isGeneric = llvm::any_of(item.generics, [&](const ast::GenericParameter &generic) {
      return generic.name.text == *extent; // then the contract says what it was compiled for
    });
    if (value == defined.end() || isGeneric || llvm::StringRef(value->second).getAsInteger(0, given) ||
        given == tensor.extents[axis])
      continue;
    session.engine.report(Code::E0603, parameter.range,
                          "extent " + std::to_string(axis) + " of `" + name + "` is " + found + "; `-D " + *extent +
                              "=" + value->second + "` says otherwise");
    return false;
  }
  return true;
}

/// `=rand:f32[...]`; the element type is the one that is written, given or a default, else any.
static std::string exampleOf(const ast::KernelItem &item, const ast::Parameter &parameter,
                             const ast::GenericApply &type, const IrgenOptions &options) {
  const std::string *element = asName(type.arguments[0].value);
  if (auto given = element ? options.values.find(*element) : options.values.end(); given != options.values.end())
    element = &given->second;
  for (const ast::GenericParameter &generic : item.generics)
    if (element && generic.name.text == *element && generic.defaultValue)
      element = asName(generic.defaultValue);
  return std::string(parameter.mode == ast::Parameter::Mode::Out ? "=empty:" : "=rand:") +
         (element && findDataType(*element) ? *element : "f32") + "[...]";
}

/// The type of a scalar parameter, as written or given; none for other parameters.
static std::optional<DataType> scalarType(const ast::Parameter &parameter, const IrgenOptions &options) {
  const std::string *name = asName(parameter.type);
  auto generic = name ? options.values.find(*name) : options.values.end();
  if (generic != options.values.end())
    name = &generic->second;
  return name ? findDataType(*name) : std::nullopt;
}

/// Adds what `argument` gives a scalar parameter. False after reporting a text that is no value of its type.
static bool bindScalar(Session &session, const ast::Parameter &parameter, const HostArgument &argument,
                       IrgenOptions &options) {
  std::optional<DataType> type = scalarType(parameter, options);
  if (!type)
    return true;
  std::optional<uint64_t> bits = take(session, scalarBits(argument, *type));
  if (!bits)
    return false;
  char text[40]; // of a float, so that reading it gives the same one
  if (isFloat(*type))
    std::snprintf(text, sizeof(text), "%.17g", fromBits(*type, *bits));
  options.scalarTexts[parameter.name.text] = isFloat(*type) ? text : argument.scalarText;
  return true;
}

/// Adds the dims that no extent names alone, from those that they follow from. The contract looks whether they fit.
static void bindSolvable(const ast::KernelItem &item, const std::vector<HostArgument> &arguments,
                         IrgenOptions &options) {
  std::vector<std::string> dims = dimNames(item);
  for (const ast::Parameter &parameter : item.parameters)
    for (const HostArgument &argument : arguments) {
      const ast::GenericApply *type = tensorType(parameter);
      if (argument.name != parameter.name.text || argument.kind != HostArgument::Kind::Tensor || !type)
        continue;
      for (size_t axis = 0; axis < type->shape->size(); ++axis)
        if (std::optional<SolvableExtent> extent = solvableExtent(*(*type->shape)[axis]);
            extent && llvm::is_contained(dims, extent->name))
          if (int64_t value = extent->solve(argument.tensor.extents[axis]); value >= 0)
            options.values.try_emplace(extent->name, std::to_string(value));
    }
}

bool bindSignature(Session &session, const ast::KernelItem &item, std::vector<HostArgument> &arguments,
                   IrgenOptions &options) {
  std::vector<std::string_view> names;
  for (const ast::Parameter &parameter : item.parameters)
    names.push_back(parameter.name.text);
  if (!checkNames(session, item.name.text, names, arguments))
    return false;
  const std::map<std::string, std::string> defined = options.values;
  std::map<std::string, std::string> binders;
  std::vector<const ast::Parameter *> missing;
  size_t position = 0;
  for (const ast::Parameter &parameter : item.parameters) {
    const std::string &name = parameter.name.text;
    HostArgument *argument = nullptr;
    for (HostArgument &candidate : arguments)
      if (candidate.name == name)
        argument = &candidate;
    while (!argument && position < arguments.size()) {
      if (arguments[position].name.empty())
        argument = &arguments[position];
      ++position;
    }
    bool isPresent = argument && argument->kind != HostArgument::Kind::None;
    if (parameter.isOptional)
      options.values.try_emplace("has(" + name + ")", isPresent ? "true" : "false");
    const ast::GenericApply *type = tensorType(parameter);
    if (argument)
      argument->name = name;
    else if ((type || scalarType(parameter, options)) && !parameter.isOptional)
      missing.push_back(&parameter);
    if (argument && argument->kind == HostArgument::Kind::Scalar && !bindScalar(session, parameter, *argument, options))
      return false;
    if (argument && argument->kind == HostArgument::Kind::Tensor && type &&
        !bindTensor(session, item, parameter, *type, *argument, defined, binders, options))
      return false;
  }
  bindSolvable(item, arguments, options);
  if (missing.empty())
    return true;
  std::vector<Missing> examples; // by now the types that the other arguments bind are known
  for (const ast::Parameter *parameter : missing)
    examples.push_back({parameter->name.text, tensorType(*parameter)
                                                  ? exampleOf(item, *parameter, *tensorType(*parameter), options)
                                                  : kScalarExample});
  return reportMissing(session, examples);
}

std::optional<std::vector<HostArgument>> orderArguments(Session &session, const KernelContract &contract,
                                                        std::vector<HostArgument> given) {
  std::vector<std::string_view> names;
  for (const Parameter &parameter : contract.parameters)
    names.push_back(parameter.name);
  if (!checkNames(session, contract.name, names, given))
    return std::nullopt;
  std::vector<HostArgument> ordered;
  std::vector<bool> used(given.size(), false);
  std::vector<Missing> missing;
  for (const Parameter &parameter : contract.parameters) {
    HostArgument argument;
    argument.name = parameter.name;
    argument.kind = HostArgument::Kind::None;
    bool isFound = false;
    for (size_t i = 0; i < given.size(); ++i)
      if (given[i].name == parameter.name) {
        argument = std::move(given[i]);
        used[i] = isFound = true;
        break;
      }
    if (!isFound && !parameter.optional) {
      std::string example = parameter.kind == Parameter::Kind::Scalar
                                ? kScalarExample
                                : std::string(parameter.role == Parameter::Role::Out ? "=empty:" : "=rand:") +
                                      getName(parameter.type) + "[...]";
      missing.push_back({parameter.name, example});
    }
    ordered.push_back(std::move(argument));
  }
  if (!missing.empty()) {
    reportMissing(session, missing);
    return std::nullopt;
  }
  for (size_t i = 0; i < given.size(); ++i)
    if (!used[i]) {
      // It has no name, and is one more than there are parameters.
      session.report(Code::E0603, "kernel `" + contract.name + "` is given " + std::to_string(given.size()) +
                                      " arguments; expected " + std::to_string(contract.parameters.size()) + ": `" +
                                      llvm::join(names, "`, `") + "`");
      return std::nullopt;
    }
  return ordered;
}

} // namespace tile
