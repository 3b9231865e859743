#include "runtime/execute/CheckArguments.h"

#include <cstdlib>
#include <cstring>

namespace tile {

static bool isNone(const CheckField &field) { return field.text == "none"; }

static const ast::Parameter *findParameter(const ast::KernelItem &item, const std::string &name) {
  for (const ast::Parameter &parameter : item.parameters)
    if (parameter.name.text == name)
      return &parameter;
  return nullptr;
}

IrgenOptions irgenOptionsOf(const ast::KernelItem &item, const CheckCase &one, IrgenOptions base) {
  base.kernel = item.name.text;
  base.forOneLaunch = true;
  base.pointerSizes = one.sizes;
  for (const CheckField &field : one.instance)
    base.expressions[field.name] = field.value;
  for (const CheckField &field : one.shape) {
    if (isNone(field))
      base.values["has(" + field.name + ")"] = "false";
    else
      (findParameter(item, field.name) ? base.scalars : base.expressions)[field.name] = field.value;
  }
  for (const ast::Parameter &parameter : item.parameters)
    if (std::string has = "has(" + parameter.name.text + ")"; parameter.isOptional && !base.expressions.count(has))
      base.values.try_emplace(has, "true");
  return base;
}

namespace {
/// What a case's host expressions are, as text.
class CaseNumbers {
public:
  /// Computes every number that `one` mentions; false after reporting.
  bool compute(Session &session, const ast::Module &module, const KernelContract &contract, const CheckCase &one,
               const IrgenOptions &options) {
    std::vector<const ast::Expr *> asked;
    for (const CheckField &field : one.shape) {
      bool isDim = llvm::any_of(contract.dims, [&](const Dim &dim) { return dim.name == field.name && !dim.value; });
      if (isDim || (options.scalars.count(field.name) && !isNone(field)))
        asked.push_back(field.value);
    }
    for (const auto &[name, size] : one.sizes)
      asked.push_back(size);
    for (const auto &[name, rule] : one.inputs)
      ask(rule, asked);
    ask(one.input, asked);
    std::optional<std::vector<std::string>> texts =
        evaluateFor(module, session.sources, session.engine, session.context, options, asked);
    if (!texts)
      return false;
    for (auto [expr, text] : llvm::zip_equal(asked, *texts))
      values[expr] = text;
    return true;
  }

  const std::string &text(const ast::Expr *expr) const { return values.at(expr); }
  /// A count of elements; none if it is something else.
  std::optional<int64_t> count(const ast::Expr *expr) const {
    int64_t number = 0;
    return !llvm::StringRef(text(expr)).getAsInteger(10, number) && number >= 0 ? std::optional(number) : std::nullopt;
  }
  double real(const ast::Expr *expr) const { return std::strtod(text(expr).c_str(), nullptr); }

private:
  static void ask(const InputRule &rule, std::vector<const ast::Expr *> &asked) {
    if (rule.high)
      asked.insert(asked.end(), {rule.low, rule.high});
  }
  std::map<const ast::Expr *, std::string> values;
};
} // namespace

static const CheckField *findField(const CheckCase &one, const std::string &name) {
  auto field = llvm::find_if(one.shape, [&](const CheckField &given) { return given.name == name; });
  return field == one.shape.end() ? nullptr : &*field;
}

/// Values of names in expressions but for scalars; none after reporting a dim that the shape leaves out.
static std::optional<std::vector<Value>> slotsOf(Session &session, const KernelContract &contract, const CheckCase &one,
                                                 const CaseNumbers &numbers) {
  std::vector<Value> slots(contract.names.size());
  slots[KernelContract::kNumSmsSlot] = Value(int64_t(1));
  for (const Constant &constant : contract.constants)
    if (constant.slot >= 0)
      slots[constant.slot] = constant.value;
  for (const Dim &dim : contract.dims) {
    const CheckField *field = findField(one, dim.name);
    if (!dim.value && !field) {
      session.engine.report(Code::E0606, one.range, "the shape gives no value for `" + dim.name + "`")
          .help("write `{" + dim.name + ": …}`");
      return std::nullopt;
    }
    slots[dim.slot] = Value(dim.value ? *dim.value : *numbers.count(field->value)); // an extent, as irgen checked
  }
  return slots;
}

/// Row-major strides, or for a strided tensor those of the axes reversed, each padded by one element.
static std::vector<int64_t> stridesFor(const Parameter &parameter, const std::vector<int64_t> &extents) {
  if (!parameter.strided)
    return rowMajorStrides(extents);
  std::vector<int64_t> strides(extents.size());
  int64_t stride = 1;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    strides[axis] = stride;
    stride *= extents[axis] + 1;
  }
  return strides;
}

/// A poisoned tensor; none if this machine does not have the memory.
static std::optional<NpyArray> allocate(const Parameter &parameter, std::vector<int64_t> extents) {
  NpyArray tensor{parameter.type, std::move(extents), {}, {}};
  // Every extent and one more, which is what a strided tensor may take, in bytes; far below where strides overflow.
  double most = static_cast<double>(getBytes(tensor.type));
  for (int64_t extent : tensor.extents)
    most *= static_cast<double>(extent) + 1;
  if (most > 0x1p62)
    return std::nullopt;
  tensor.strides = stridesFor(parameter, tensor.extents);
  int64_t last = 0;
  for (size_t axis = 0; axis < tensor.extents.size(); ++axis)
    last += std::max<int64_t>(tensor.extents[axis] - 1, 0) * tensor.strides[axis];
  if (countElements(tensor) > 0) {
    size_t bytes = (last + 1) * getBytes(tensor.type);
    // A vector cannot say that there is no memory, and every `new` calls LLVM's handler, which ends the process.
    // Volatile, since an allocation that nobody uses may be left out.
    void *volatile probe = std::malloc(bytes);
    std::free(probe);
    if (!probe)
      return std::nullopt;
    tensor.data.resize(bytes);
  }
  poison(tensor);
  return tensor;
}

static void fillByRule(NpyArray &tensor, const InputRule &rule, const CaseNumbers &numbers, uint64_t seed) {
  if (rule.high)
    fillRange(tensor, numbers.real(rule.low), numbers.real(rule.high), seed);
  else
    fill(tensor, *findFilling(rule.filling), seed);
}

/// The text of a scalar, exact for its type.
static std::string textOf(DataType type, const NpyArray &tensor) {
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.data.data(), tensor.data.size());
  if (type == DataType::Bool)
    return bits ? "true" : "false";
  if (isFloat(type)) {
    char text[40];
    std::snprintf(text, sizeof(text), "%.17g", fromBits(type, bits));
    return text;
  }
  if (!isSignedInteger(type))
    return std::to_string(bits);
  int shift = 64 - 8 * static_cast<int>(tensor.data.size());
  return std::to_string(static_cast<int64_t>(bits << shift) >> shift);
}

/// How many elements the pointer `parameter` points to; none after reporting.
static std::optional<int64_t> sizeOf(Session &session, const Parameter &parameter, const CheckCase &one,
                                     const CaseNumbers &numbers) {
  auto size = one.sizes.find(parameter.name);
  if (size == one.sizes.end()) {
    session.engine.report(Code::E0606, one.range,
                          "`@check` does not say how many elements are behind `" + parameter.name +
                              "`; add `sizes = {" + parameter.name + ": N}`");
    return std::nullopt;
  }
  std::optional<int64_t> count = numbers.count(size->second);
  if (!count)
    session.engine.report(Code::E0606, size->second->range,
                          "`" + parameter.name + "` points to " + numbers.text(size->second) +
                              " elements in this shape; expected an integer of at least 0");
  return count;
}

std::optional<CheckArguments> makeCheckArguments(Session &session, const ast::Module &module,
                                                 const KernelContract &contract, const CheckCase &one,
                                                 const IrgenOptions &options, uint64_t seed) {
  CaseNumbers numbers;
  if (!numbers.compute(session, module, contract, one, options))
    return std::nullopt;
  std::optional<std::vector<Value>> slots = slotsOf(session, contract, one, numbers);
  if (!slots)
    return std::nullopt;
  CheckArguments arguments{{}, std::move(*slots)};
  for (const Parameter &parameter : contract.parameters) {
    HostArgument argument;
    argument.name = parameter.name;
    auto rule = one.inputs.find(parameter.name);
    const InputRule &inputRule = rule == one.inputs.end() ? one.input : rule->second;
    const CheckField *given = findField(one, parameter.name);
    std::vector<int64_t> extents;
    if (!parameter.present) {
      argument.kind = HostArgument::Kind::None;
      arguments.all.push_back(std::move(argument));
      continue;
    }
    if (parameter.kind == Parameter::Kind::Pointer) {
      std::optional<int64_t> count = sizeOf(session, parameter, one, numbers);
      if (!count)
        return std::nullopt;
      extents = {*count};
    }
    for (const std::optional<Expression> &extent : parameter.extents)
      extents.push_back(extent ? extent->evaluate(arguments.slots).toInteger() : 1);
    if (parameter.kind == Parameter::Kind::Scalar && given) {
      argument.scalarText = numbers.text(given->value);
    } else {
      std::optional<NpyArray> tensor = allocate(parameter, extents);
      if (!tensor) {
        std::string shape;
        for (int64_t extent : extents)
          shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
        session.engine.report(Code::E0606, one.range,
                              "`" + parameter.name + "` is " + getName(parameter.type) + "[" + shape +
                                  "] in this shape, for which there is no memory");
        return std::nullopt;
      }
      argument.tensor = std::move(*tensor);
      if (parameter.role != Parameter::Role::Out)
        fillByRule(argument.tensor, inputRule, numbers, mixSeed(seed, parameter.name));
    }
    if (parameter.kind == Parameter::Kind::Scalar) {
      argument.kind = HostArgument::Kind::Scalar;
      if (!given)
        argument.scalarText = textOf(parameter.type, argument.tensor);
      Result<uint64_t> bits = scalarBits(argument, parameter.type);
      if (!bits) {
        session.engine.report(Code::E0606, given ? given->value->range : one.range, bits.error().message);
        return std::nullopt;
      }
      arguments.slots[parameter.valueSlot] =
          isFloat(parameter.type) ? Value::ofReal(fromBits(parameter.type, *bits)) : Value(static_cast<int64_t>(*bits));
    }
    arguments.all.push_back(std::move(argument));
  }
  return arguments;
}

void poisonAgainst(NpyArray &tensor, const NpyArray &expected) {
  int64_t width = getBytes(tensor.type);
  forEachElement(tensor, [&](int64_t index, int64_t offset) {
    uint64_t bits = 0;
    std::memcpy(&bits, expected.data.data() + index * width, width);
    bits = tensor.type == DataType::Bool ? bits ^ 1 : ~bits;
    std::memcpy(tensor.data.data() + offset * width, &bits, width);
  });
}

std::vector<HostArgument> makeSpecArguments(const KernelContract &spec, const KernelContract &contract,
                                            const std::vector<HostArgument> &arguments) {
  std::vector<HostArgument> wide;
  for (const Parameter &wanted : spec.parameters) {
    int i = contract.findParameter(wanted.name);
    const Parameter &parameter = contract.parameters[i];
    HostArgument argument = arguments[i];
    if (argument.kind == HostArgument::Kind::Scalar && isFloat(parameter.type)) {
      // What the kernel gets is rounded to the parameter's type; the spec starts from the same value.
      char text[40];
      std::snprintf(text, sizeof(text), "%.17g", fromBits(parameter.type, *scalarBits(argument, parameter.type)));
      argument.scalarText = text;
    }
    if (argument.kind != HostArgument::Kind::Tensor) {
      wide.push_back(std::move(argument));
      continue;
    }
    const NpyArray &narrow = arguments[i].tensor;
    NpyArray &tensor = argument.tensor;
    bool isReal = isFloat(narrow.type);
    tensor.type = isReal ? DataType::F64 : narrow.type;
    tensor.strides = rowMajorStrides(tensor.extents);
    int64_t from = getBytes(narrow.type), to = getBytes(tensor.type);
    tensor.data.assign(countElements(tensor) * to, char(0xff));
    if (parameter.role == Parameter::Role::Out) {
      wide.push_back(std::move(argument));
      continue;
    }
    forEachElement(narrow, [&](int64_t index, int64_t offset) {
      uint64_t bits = 0;
      std::memcpy(&bits, narrow.data.data() + offset * from, from);
      if (isReal)
        bits = roundToBits(DataType::F64, fromBits(narrow.type, bits));
      std::memcpy(tensor.data.data() + index * to, &bits, to);
    });
    wide.push_back(std::move(argument));
  }
  return wide;
}

} // namespace tile
