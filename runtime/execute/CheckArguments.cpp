#include "runtime/execute/CheckArguments.h"

#include "llvm/Support/FormatVariadic.h"

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
  base.shape = one.range;
  base.pointerSizes = one.sizes;
  for (const CheckField &field : one.instance)
    base.expressions[field.name] = field.value;
  base.isConfigured = one.configuration.has_value();
  if (one.configuration)
    for (const CheckField &field : *one.configuration)
      base.values[field.name] = field.text;
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
    llvm::append_range(asked, one.inputs.bounds());
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
  std::map<const ast::Expr *, std::string> values;
};
} // namespace

static const CheckField *findField(const CheckCase &one, const std::string &name) {
  auto field = llvm::find_if(one.shape, [&](const CheckField &given) { return given.name == name; });
  return field == one.shape.end() ? nullptr : &*field;
}

/// Values of names in expressions but for scalars; none after reporting a dim that the shape leaves out.
static std::optional<std::vector<Value>> slotsOf(Session &session, const KernelContract &contract, const CheckCase &one,
                                                 const CaseNumbers &numbers, int64_t numSms) {
  std::vector<Value> slots(contract.names.size());
  slots[KernelContract::kNumSmsSlot] = Value(numSms);
  for (const Constant &constant : contract.constants)
    if (constant.slot >= 0)
      slots[constant.slot] = constant.value;
  for (const Dim &dim : contract.dims) {
    const CheckField *field = findField(one, dim.name);
    if (!dim.value && !field) {
      reportMissing(session.engine, Code::E0606, one.range, {dim.name});
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

/// What a check keeps of an element beside the tensor, in bytes at most: the spec's operand in f64, its value with a
/// bound, both again while they are handed over, and who wrote it.
static constexpr double kBytesBeside = 8 + 16 + 16 + 9;

static double elementsOf(const std::vector<int64_t> &extents, int64_t padding) {
  double count = 1;
  for (int64_t extent : extents)
    count *= static_cast<double>(extent) + static_cast<double>(padding);
  return count;
}

/// What a check of `tensor` takes, in bytes: the tensor, a copy for a run of the kernel, and what is kept beside. As a
/// double, which overflows for no shape.
static double checkBytes(const Parameter &parameter, const NpyArray &tensor) {
  double held = elementsOf(tensor.extents, parameter.strided) * static_cast<double>(getBytes(tensor.type));
  return 2 * held + kBytesBeside * elementsOf(tensor.extents, 0);
}

/// Poisons `tensor`, whose extents fit the memory.
static void allocate(const Parameter &parameter, NpyArray &tensor) {
  tensor.strides = stridesFor(parameter, tensor.extents);
  int64_t last = 0;
  for (size_t axis = 0; axis < tensor.extents.size(); ++axis)
    last += std::max<int64_t>(tensor.extents[axis] - 1, 0) * tensor.strides[axis];
  if (countElements(tensor) > 0)
    tensor.data.resize((last + 1) * getBytes(tensor.type));
  poison(tensor);
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
    // As many digits as tell all values of the type apart.
    std::snprintf(text, sizeof(text), type == DataType::F64 ? "%.17g" : "%.9g", fromBits(type, bits));
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

namespace {
/// Makes the arguments of a case: first what they are, which may be too large, then their elements.
class ArgumentMaker {
public:
  ArgumentMaker(Session &session, const KernelContract &contract, const CheckCase &one, const CaseNumbers &numbers,
                uint64_t seed)
      : session(session), contract(contract), one(one), numbers(numbers), seed(seed) {}

  std::optional<CheckArguments> make(std::vector<Value> slots) {
    made.slots = std::move(slots);
    for (const Parameter &parameter : contract.parameters)
      if (!add(parameter))
        return std::nullopt;
    if (!checkMemory())
      return std::nullopt;
    for (auto [argument, parameter] : llvm::zip_equal(made.all, contract.parameters))
      if (argument.kind == HostArgument::Kind::Tensor) {
        allocate(parameter, argument.tensor);
        if (parameter.role != Parameter::Role::Out && !hasValues(parameter, argument.tensor))
          return std::nullopt;
        if (parameter.role != Parameter::Role::Out)
          fillByRule(argument.tensor, one.inputs.of(parameter.name), numbers, mixSeed(seed, parameter.name));
      }
    return std::move(made);
  }

private:
  /// Reports a range that has no value for the elements there are.
  bool hasValues(const Parameter &parameter, const NpyArray &tensor) {
    const InputRule &rule = one.inputs.of(parameter.name);
    return !rule.high || countElements(tensor) == 0 ||
           checkRange(session, rule, parameter.name, numbers.text(rule.low), numbers.text(rule.high));
  }

  bool add(const Parameter &parameter) {
    HostArgument argument;
    argument.name = parameter.name;
    argument.tensor.type = parameter.type;
    if (!parameter.present)
      argument.kind = HostArgument::Kind::None;
    else if (parameter.kind == Parameter::Kind::Scalar)
      argument.kind = HostArgument::Kind::Scalar;
    if (argument.kind == HostArgument::Kind::Scalar && !setScalar(parameter, argument))
      return false;
    if (argument.kind == HostArgument::Kind::Tensor && !setExtents(parameter, argument.tensor.extents))
      return false;
    made.all.push_back(std::move(argument));
    return true;
  }

  bool setScalar(const Parameter &parameter, HostArgument &argument) {
    const CheckField *given = findField(one, parameter.name);
    if (given) {
      argument.scalarText = numbers.text(given->value);
    } else {
      allocate(parameter, argument.tensor);
      if (!hasValues(parameter, argument.tensor))
        return false;
      fillByRule(argument.tensor, one.inputs.of(parameter.name), numbers, mixSeed(seed, parameter.name));
      argument.scalarText = textOf(parameter.type, argument.tensor);
    }
    Result<uint64_t> bits = scalarBits(argument, parameter.type);
    if (!bits) {
      session.engine.report(Code::E0606, given ? given->value->range : one.range, bits.error().message);
      return false;
    }
    made.slots[parameter.valueSlot] =
        isFloat(parameter.type) ? Value::ofReal(fromBits(parameter.type, *bits)) : Value(static_cast<int64_t>(*bits));
    return true;
  }

  bool setExtents(const Parameter &parameter, std::vector<int64_t> &extents) {
    if (parameter.kind == Parameter::Kind::Pointer) {
      std::optional<int64_t> count = sizeOf(session, parameter, one, numbers);
      if (!count)
        return false;
      extents = {*count};
    }
    for (auto [axis, extent] : llvm::enumerate(parameter.extents)) {
      extents.push_back(extent ? extent->evaluate(made.slots).toInteger() : 1);
      if (extents.back() >= 0)
        continue;
      session.engine.report(Code::E0606, one.range,
                            "extent " + std::to_string(axis) + " of `" + parameter.name + "` is " +
                                std::to_string(extents.back()) + " in this shape; expected 0 to 2^63 - 1");
      return false;
    }
    return true;
  }

  bool checkMemory() {
    double needed = 0, most = static_cast<double>(machineMemory());
    for (auto [argument, parameter] : llvm::zip_equal(made.all, contract.parameters)) {
      if (argument.kind != HostArgument::Kind::Tensor)
        continue;
      needed += checkBytes(parameter, argument.tensor);
      if (needed <= most && isAvailable(static_cast<size_t>(needed)))
        continue;
      std::string shape;
      for (int64_t extent : argument.tensor.extents)
        shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
      session.engine.report(Code::E0606, one.range,
                            "`" + parameter.name + "` is " + getName(parameter.type) + "[" + shape +
                                "] in this shape, for which there is no memory: the check would take " +
                                llvm::formatv("{0:f1} GB", needed / 1e9).str() +
                                (needed > most ? llvm::formatv("; this machine has {0:f1} GB", most / 1e9).str()
                                               : ", more than the system gives now"));
      return false;
    }
    return true;
  }

  Session &session;
  const KernelContract &contract;
  const CheckCase &one;
  const CaseNumbers &numbers;
  uint64_t seed;
  CheckArguments made;
};
} // namespace

std::optional<CheckArguments> makeCheckArguments(Session &session, const ast::Module &module,
                                                 const KernelContract &contract, const CheckCase &one,
                                                 const IrgenOptions &options, uint64_t seed) {
  CaseNumbers numbers;
  if (!numbers.compute(session, module, contract, one, options))
    return std::nullopt;
  std::optional<std::vector<Value>> slots = slotsOf(session, contract, one, numbers, *options.numSms);
  return slots ? ArgumentMaker(session, contract, one, numbers, seed).make(std::move(*slots)) : std::nullopt;
}

void poisonAgainst(NpyArray &tensor, const NpyArray &expected, uint64_t seed) {
  int64_t width = getBytes(tensor.type);
  // By chance alone a wrong kernel would leave just this. Of integers it is a quarter of their range from what is right
  // at least, so that no tolerance takes it for that.
  fill(tensor, *findFilling("rand"), seed);
  forEachElement(tensor, [&](int64_t index, int64_t offset) {
    char *element = tensor.data.data() + offset * width;
    const char *wanted = expected.data.data() + index * width;
    if (tensor.type == DataType::Bool) {
      *element = static_cast<char>(*wanted ^ 1);
      return;
    }
    uint64_t drawn = 0, right = 0, quarter = uint64_t(1) << (8 * width - 2);
    std::memcpy(&drawn, element, width);
    std::memcpy(&right, wanted, width);
    right += quarter + drawn % (2 * quarter);
    std::memcpy(element, &right, width);
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
