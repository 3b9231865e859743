// The contract's rules in the order a reader would check them: each parameter by itself, then dims, then everything
// that relates parameters to each other, then the grid and the variant.

#include "runtime/launch/Bind.h"

#include "runtime/launch/Memory.h"

#include <algorithm>

namespace tile {
namespace {

Error invalid(std::string message) { return {ErrorCode::InvalidArgument, std::move(message)}; }
Error notCompiled(std::string message) { return {ErrorCode::NotCompiled, std::move(message)}; }

std::string quote(const std::string &name) { return "`" + name + "`"; }
std::string number(int64_t value) { return std::to_string(value); }

std::string listExtents(const KernelContract &kernel, const Parameter &parameter) {
  std::string text = "[";
  for (size_t i = 0; i < parameter.extents.size(); ++i)
    text += (i ? ", " : "") + (parameter.extents[i] ? parameter.extents[i]->print(kernel.names) : "_");
  return text + "]";
}

const char *describe(Argument::Kind kind) {
  switch (kind) {
  case Argument::Kind::None:
    return "none";
  case Argument::Kind::Tensor:
    return "a tensor";
  case Argument::Kind::Pointer:
    return "a pointer";
  case Argument::Kind::Integer:
    return "an integer";
  case Argument::Kind::Real:
    return "a real number";
  }
  return "";
}

class Binder {
public:
  Binder(const KernelContract &kernel, const std::vector<Argument> &arguments, const BindOptions &options)
      : kernel(kernel), arguments(arguments), options(options) {
    binding.kernel = &kernel;
    binding.values.resize(kernel.names.size());
    binding.values[KernelContract::kNumSmsSlot] = int64_t(options.numSms);
  }

  Result<Binding> bind();

private:
  const KernelContract &kernel;
  const std::vector<Argument> &arguments;
  const BindOptions &options;
  Binding binding;

  Status checkPresence(const Parameter &parameter, const Argument &argument);
  Status checkTensor(const Parameter &parameter, const Argument &argument);
  Status bindScalar(const Parameter &parameter, const Argument &argument);
  void bindDims();
  Status checkExtents();
  Status checkConstants();
  Status checkPreconditions();
  Status bindGrid();
  void chooseVariant();
  void fillCells();

  /// `M = 4 from extent 0 of `x``, for each dim that `expression` uses; other names by their value.
  std::string explain(const Expression &expression) const;
  uint64_t scalarBits(const Parameter &parameter) const;
};

Status Binder::checkPresence(const Parameter &parameter, const Argument &argument) {
  bool isNone = argument.kind == Argument::Kind::None;
  if (isNone && !parameter.optional)
    return invalid(quote(parameter.name) + " is none; expected a value");
  if (isNone == parameter.present) {
    std::string has = "has(" + parameter.name + ")";
    return notCompiled(
        quote(parameter.name) + (isNone ? " is none; compiled with it" : " is given; compiled without it") +
        "; expected `@instances(" + has + " = [true, false])` or `-D '" + has + (isNone ? "=false'`" : "=true'`"));
  }
  return {};
}

Status Binder::checkTensor(const Parameter &parameter, const Argument &argument) {
  std::string name = quote(parameter.name);
  if (argument.kind != Argument::Kind::Tensor)
    return invalid(name + " is " + describe(argument.kind) + "; expected a tensor of " + getName(parameter.type));
  if (argument.type != parameter.type)
    return notCompiled(name + " has elements of " + getName(argument.type) + "; expected " + getName(parameter.type));
  int rank = static_cast<int>(parameter.extents.size());
  if (argument.rank != rank)
    return invalid(name + " has rank " + number(argument.rank) + "; expected " + number(rank) + ", " +
                   listExtents(kernel, parameter));
  int64_t last = 0;
  bool wraps = false;
  for (int axis = 0; axis < rank; ++axis) {
    int64_t extent = argument.extents[axis], stride = argument.strides[axis];
    std::string place = number(axis) + " of " + name;
    if (extent < 0)
      return invalid("extent " + place + " is " + number(extent) + "; expected 0 or more");
    if (stride < 0)
      return invalid("stride " + place + " is " + number(stride) + "; expected 0 or more");
    // A stride that is never taken may be anything.
    if (axis == rank - 1 && !parameter.strided && extent > 1 && stride != 1)
      return invalid("stride " + place + " is " + number(stride) +
                     "; expected 1, the tensor is not declared `strided`");
    int64_t reach;
    wraps |= extent > 1 &&
             (__builtin_mul_overflow(extent - 1, stride, &reach) || __builtin_add_overflow(last, reach, &last));
  }
  int64_t bytes;
  if (wraps || __builtin_add_overflow(last, 1, &last) || __builtin_mul_overflow(last, getBytes(parameter.type), &bytes))
    return invalid(name + " spans more than the address space");
  if (options.device >= 0 && argument.device >= 0 && argument.device != options.device)
    return invalid(name + " is on device " + number(argument.device) + "; the launch is on device " +
                   number(options.device));
  if (parameter.isWritten() && overlapsItself(footprint(argument)))
    return invalid(name + " is written and has one element under two indices; expected strides that keep them apart");
  return checkAddress(parameter, argument);
}

Status Binder::bindScalar(const Parameter &parameter, const Argument &argument) {
  std::string name = quote(parameter.name);
  bool isInteger = argument.kind == Argument::Kind::Integer;
  if (!isInteger && argument.kind != Argument::Kind::Real)
    return invalid(name + " is " + describe(argument.kind) + "; expected a scalar of " + getName(parameter.type));
  if (isFloat(parameter.type)) {
    double value = argument.real;
    if (isInteger)
      value = argument.isUnsigned ? static_cast<double>(static_cast<uint64_t>(argument.integer))
                                  : static_cast<double>(argument.integer);
    // Expressions see what the kernel sees.
    binding.values[parameter.valueSlot] = Value::ofReal(fromBits(parameter.type, encode(parameter.type, value)));
    return {};
  }
  if (!isInteger)
    return invalid(name + " is " + Value::ofReal(argument.real).print() + "; expected a scalar of " +
                   getName(parameter.type));
  if (!holdsInteger(parameter.type, argument.integer, argument.isUnsigned))
    return invalid(
        name + " is " +
        (argument.isUnsigned ? std::to_string(static_cast<uint64_t>(argument.integer)) : number(argument.integer)) +
        ", which is no value of " + getName(parameter.type));
  binding.values[parameter.valueSlot] = argument.integer;
  return {};
}

std::string Binder::explain(const Expression &expression) const {
  std::string text;
  for (int slot : expression.usedSlots()) {
    auto dim = std::find_if(kernel.dims.begin(), kernel.dims.end(), [&](const Dim &each) { return each.slot == slot; });
    text += (text.empty() ? "" : ", ") + kernel.names[slot] + " = " + binding.values[slot].print();
    if (dim == kernel.dims.end())
      continue;
    if (dim->value)
      text += ", which is compiled in";
    else
      text += " from extent " + number(dim->axis) + " of " + quote(kernel.parameters[dim->parameter].name);
  }
  return text;
}

void Binder::bindDims() {
  for (const Dim &dim : kernel.dims) {
    if (dim.value) {
      binding.values[dim.slot] = *dim.value;
      continue;
    }
    int64_t extent = arguments[dim.parameter].extents[dim.axis];
    binding.values[KernelContract::kExtentSlot] = extent;
    binding.values[dim.slot] = dim.expression ? dim.expression->evaluate(binding.values) : Value(extent);
  }
}

Status Binder::checkExtents() {
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter &parameter = kernel.parameters[i];
    if (!parameter.present)
      continue;
    for (size_t axis = 0; axis < parameter.extents.size(); ++axis) {
      const std::optional<Expression> &expression = parameter.extents[axis];
      if (!expression)
        continue;
      int64_t found = arguments[i].extents[axis];
      Value expected = expression->evaluate(binding.values);
      if (expected == Value(found))
        continue;
      std::string message =
          "extent " + number(int64_t(axis)) + " of " + quote(parameter.name) + " is " + number(found) + "; expected ";
      std::string explanation = explain(*expression);
      if (expression->bareSlot() >= 0)
        message += explanation;
      else
        message += expression->print(kernel.names) + " = " + expected.print() +
                   (explanation.empty() ? "" : " where " + explanation);
      // Another instance may have been compiled for this extent.
      for (const Dim &dim : kernel.dims)
        if (dim.value && dim.slot == expression->bareSlot())
          return notCompiled(message);
      return invalid(message);
    }
  }
  return {};
}

Status Binder::checkConstants() {
  for (const Constant &constant : kernel.constants) {
    auto given = std::find_if(options.given.begin(), options.given.end(),
                              [&](const auto &each) { return each.first == constant.name; });
    if (given != options.given.end()) {
      if (constant.slot >= 0 && constant.value != Value(given->second))
        return notCompiled("compiled for " + constant.name + " = " + constant.text + "; asked for " +
                           number(given->second));
      continue;
    }
    if (!constant.heuristic)
      continue;
    Value needed = constant.heuristic->evaluate(binding.values);
    if (needed == constant.value)
      continue;
    std::string because;
    for (int slot : constant.heuristic->usedSlots())
      because += (because.empty() ? "" : ", ") + kernel.names[slot] + " = " + binding.values[slot].print();
    return notCompiled("compiled for " + constant.name + " = " + constant.text + "; " + because +
                       (because.empty() ? "its heuristic" : "") + " needs " + needed.print());
  }
  return {};
}

Status Binder::checkPreconditions() {
  for (const Precondition &condition : kernel.where)
    if (!condition.expression.evaluate(binding.values).isTrue()) {
      std::string explanation = explain(condition.expression);
      return invalid("`where " + condition.text + "` does not hold" + (explanation.empty() ? "" : ": " + explanation));
    }
  return {};
}

Status Binder::bindGrid() {
  bool isEmpty = false;
  int64_t programs = 1;
  bool tooMany = false;
  for (size_t axis = 0; axis < kernel.grid.size(); ++axis) {
    int64_t extent = kernel.grid[axis].evaluate(binding.values).toInteger();
    if (extent < 0)
      return invalid("grid axis " + number(int64_t(axis)) + ", " + kernel.grid[axis].print(kernel.names) + ", is " +
                     number(extent) + "; expected 0 or more");
    isEmpty |= extent == 0;
    tooMany |= __builtin_mul_overflow(programs, extent, &programs);
    binding.grid.push_back(extent);
  }
  if (!isEmpty && tooMany)
    return invalid("grid has more than 2^63 programs");
  return {};
}

void Binder::chooseVariant() {
  auto fits = [&](const Variant &variant) {
    return !findObstacle(variant, kernel, arguments) && !findBaseObstacle(variant, arguments);
  };
  auto chosen = std::find_if(kernel.variants.begin(), kernel.variants.end(), fits);
  binding.variant = chosen == kernel.variants.end() ? nullptr : &*chosen;
}

uint64_t Binder::scalarBits(const Parameter &parameter) const {
  const Value &value = binding.values[parameter.valueSlot];
  return isFloat(parameter.type) ? encode(parameter.type, value.real) : static_cast<uint64_t>(value.integer);
}

void Binder::fillCells() {
  for (const AbiSlot &slot : kernel.abi) {
    switch (slot.kind) {
    case AbiSlot::Kind::Pointer:
      binding.cells.push_back(arguments[slot.index].address);
      break;
    case AbiSlot::Kind::Dim:
      binding.cells.push_back(static_cast<uint64_t>(binding.values[kernel.dims[slot.index].slot].toInteger()));
      break;
    case AbiSlot::Kind::Stride:
      binding.cells.push_back(static_cast<uint64_t>(arguments[slot.index].strides[slot.axis]));
      break;
    case AbiSlot::Kind::Scalar:
      binding.cells.push_back(scalarBits(kernel.parameters[slot.index]));
      break;
    }
  }
}

Result<Binding> Binder::bind() {
  if (arguments.size() != kernel.parameters.size()) {
    std::string names;
    for (const Parameter &parameter : kernel.parameters)
      names += (names.empty() ? "" : ", ") + parameter.name;
    return invalid("kernel " + quote(kernel.name) + " is given " + number(int64_t(arguments.size())) +
                   " arguments; expected " + number(int64_t(kernel.parameters.size())) + ": " + names);
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Parameter &parameter = kernel.parameters[i];
    const Argument &argument = arguments[i];
    if (Status status = checkPresence(parameter, argument); !status)
      return status.error();
    binding.values[parameter.hasSlot] = int64_t(parameter.present);
    binding.values[parameter.bitsSlot] = getBytes(parameter.type) * 8;
    if (!parameter.present)
      continue;
    Status status;
    if (parameter.kind == Parameter::Kind::Tensor)
      status = checkTensor(parameter, argument);
    else if (parameter.kind == Parameter::Kind::Scalar)
      status = bindScalar(parameter, argument);
    else if (argument.kind != Argument::Kind::Pointer)
      status = invalid(quote(parameter.name) + " is " + describe(argument.kind) + "; expected a pointer");
    if (!status)
      return status.error();
  }
  for (const Constant &constant : kernel.constants)
    if (constant.slot >= 0)
      binding.values[constant.slot] = constant.value;
  bindDims();
  for (auto step : {&Binder::checkExtents, &Binder::checkConstants, &Binder::checkPreconditions, &Binder::bindGrid})
    if (Status status = (this->*step)(); !status)
      return status.error();
  if (Status status = checkOverlap(kernel, arguments); !status)
    return status.error();
  chooseVariant();
  fillCells();
  return std::move(binding);
}

} // namespace

bool Binding::isEmpty() const {
  return std::any_of(grid.begin(), grid.end(), [](int64_t extent) { return extent == 0; });
}

Result<Binding> bindArguments(const KernelContract &kernel, const std::vector<Argument> &arguments,
                              const BindOptions &options) {
  return Binder(kernel, arguments, options).bind();
}

/// Whether measuring chose the instance of `binding` for a launch like it on `gpu`.
static bool isChosenFor(const Binding &binding, std::string_view gpu) {
  const Tuning &tuning = binding.kernel->tuning;
  return std::any_of(tuning.chosen.begin(), tuning.chosen.end(), [&](const ChosenFor &chosen) {
    return chosen.gpu == gpu && binding.variant && chosen.variant == binding.variant->name &&
           std::equal(
               chosen.key.begin(), chosen.key.end(), tuning.key.begin(),
               [&](int64_t value, const Expression &key) { return key.evaluate(binding.values) == Value(value); });
  });
}

Result<Binding> bindInstance(const std::vector<const KernelContract *> &instances,
                             const std::vector<Argument> &arguments, const BindOptions &options) {
  bool areTuned = std::any_of(instances.begin(), instances.end(),
                              [](const KernelContract *instance) { return !instance->tuning.chosen.empty(); });
  std::optional<Binding> fitting;
  std::optional<Error> refusal; // of an instance, which does not speak for the others where these were tuned
  std::string list;
  std::string first;
  bool differ = false;
  for (const KernelContract *instance : instances) {
    Result<Binding> binding = bindArguments(*instance, arguments, options);
    if (binding && areTuned && !isChosenFor(*binding, options.gpu)) {
      if (!fitting)
        fitting = std::move(*binding);
      continue;
    }
    if (binding || (binding.error().code != ErrorCode::NotCompiled && !areTuned))
      return binding;
    if (binding.error().code != ErrorCode::NotCompiled) {
      if (!refusal)
        refusal = binding.error();
      continue;
    }
    const std::string &message = binding.error().message;
    first = list.empty() ? message : first;
    differ |= message != first;
    std::string name = instance->describeInstance();
    list += "\n  " + (name.empty() ? "the plain one" : name) + ": " + message;
  }
  if (fitting)
    return std::move(*fitting);
  if (refusal)
    return *refusal;
  if (!differ)
    return notCompiled(first);
  return notCompiled("kernel " + quote(instances.front()->name) + " has no instance for these arguments:" + list);
}

Status layOutGrid(const Variant &variant, const std::vector<int64_t> &grid, unsigned hardware[3]) {
  int64_t axes[3] = {1, 1, 1};
  for (size_t i = 0; i < grid.size(); ++i)
    axes[variant.linearGrid ? 0 : std::min<size_t>(i, 2)] *= grid[i];
  for (int i = 0; i < 3; ++i) {
    int64_t limit = i == 0 ? kMaxGrid : 65535;
    if (axes[i] > limit)
      return invalid("grid axis " + number(i) + " has " + number(axes[i]) + " programs; the GPU takes " +
                     number(limit));
    hardware[i] = static_cast<unsigned>(axes[i]);
  }
  return {};
}

} // namespace tile
