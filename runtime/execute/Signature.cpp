#include "runtime/execute/Signature.h"

namespace tile {

static const ast::KernelItem *asKernel(const ast::ItemPtr &item) { return ast::dynCast<ast::KernelItem>(item); }

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
    session.report(Code::E0602, "no kernel `" + name + "` in " + file + "; it has " + known);
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

void bindSignature(const ast::KernelItem &item, std::vector<HostArgument> &arguments, IrgenOptions &options) {
  size_t position = 0;
  for (const ast::Parameter &parameter : item.parameters) {
    HostArgument *argument = nullptr;
    for (HostArgument &candidate : arguments)
      if (candidate.name == parameter.name.text)
        argument = &candidate;
    while (!argument && position < arguments.size()) {
      if (arguments[position].name.empty())
        argument = &arguments[position];
      ++position;
    }
    bool isPresent = argument && argument->kind != HostArgument::Kind::None;
    if (parameter.isOptional)
      options.values.try_emplace("has(" + parameter.name.text + ")", isPresent ? "true" : "false");
    if (!argument)
      continue;
    argument->name = parameter.name.text;
    const ast::GenericApply *type = parameter.type ? ast::dynCast<ast::GenericApply>(parameter.type) : nullptr;
    if (argument->kind != HostArgument::Kind::Tensor || !type || type->arguments.size() != 1 || !type->shape)
      continue;
    // A type parameter; a name of a type binds nothing, and then the contract is checked against it later.
    if (const std::string *element = asName(type->arguments[0].value); element && !findDataType(*element))
      options.values.try_emplace(*element, getName(argument->tensor.type));
    for (size_t axis = 0; axis < type->shape->size() && axis < argument->tensor.extents.size(); ++axis)
      if (const std::string *extent = asName((*type->shape)[axis]))
        options.values.try_emplace(*extent, std::to_string(argument->tensor.extents[axis]));
  }
}

std::optional<std::vector<HostArgument>> orderArguments(Session &session, const KernelContract &contract,
                                                        std::vector<HostArgument> given) {
  std::vector<HostArgument> ordered;
  std::vector<bool> used(given.size(), false);
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
                                ? "=0.5"
                                : std::string(parameter.role == Parameter::Role::Out ? "=empty:" : "=rand:") +
                                      getName(parameter.type) + "[...]";
      session.report(Code::E0603,
                     "`" + parameter.name + "` has no argument; add `--arg " + parameter.name + example + "`");
      return std::nullopt;
    }
    ordered.push_back(std::move(argument));
  }
  for (size_t i = 0; i < given.size(); ++i)
    if (!used[i]) {
      std::string known;
      for (const Parameter &parameter : contract.parameters)
        known += (known.empty() ? "`" : ", `") + parameter.name + "`";
      // What is left without a name is one more than there are parameters.
      session.report(Code::E0603,
                     given[i].name.empty()
                         ? "kernel `" + contract.name + "` is given " + std::to_string(given.size()) +
                               " arguments; expected " + std::to_string(contract.parameters.size()) + ": " + known
                         : "kernel `" + contract.name + "` has no parameter `" + given[i].name + "`; it has " + known);
      return std::nullopt;
    }
  return ordered;
}

} // namespace tile
