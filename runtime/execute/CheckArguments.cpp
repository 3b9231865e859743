#include "runtime/execute/CheckArguments.h"

#include <cstring>

namespace tile {

/// Values of names in expressions, from the case; `missing` is a dim without one.
static std::vector<Value> slotsOf(const KernelContract &contract, const CheckCase &one, std::string &missing) {
  std::vector<Value> slots(contract.names.size());
  slots[KernelContract::kNumSmsSlot] = Value(int64_t(1));
  for (const Constant &constant : contract.constants)
    if (constant.slot >= 0)
      slots[constant.slot] = constant.value;
  for (const Dim &dim : contract.dims) {
    auto given = one.values.find(dim.name);
    if (dim.value)
      slots[dim.slot] = Value(*dim.value);
    else if (given != one.values.end())
      slots[dim.slot] = Value(int64_t(std::strtoll(given->second.c_str(), nullptr, 10)));
    else
      missing = dim.name;
  }
  return slots;
}

/// A number, or the value of a dim.
static std::optional<double> numberOf(const std::string &text, const CheckCase &one) {
  auto dim = one.values.find(text);
  const std::string &digits = dim == one.values.end() ? text : dim->second;
  char *end = nullptr;
  double value = std::strtod(digits.c_str(), &end);
  return digits.empty() || *end ? std::nullopt : std::optional(value);
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

static NpyArray allocate(const Parameter &parameter, std::vector<int64_t> extents) {
  NpyArray tensor{parameter.type, std::move(extents), {}, {}};
  tensor.strides = stridesFor(parameter, tensor.extents);
  int64_t last = 0;
  for (size_t axis = 0; axis < tensor.extents.size(); ++axis)
    last += std::max<int64_t>(tensor.extents[axis] - 1, 0) * tensor.strides[axis];
  if (countElements(tensor) > 0)
    tensor.data.resize((last + 1) * getBytes(tensor.type));
  poison(tensor);
  return tensor;
}

static bool fillByRule(Session &session, NpyArray &tensor, const InputRule &rule, const CheckCase &one, uint64_t seed) {
  if (rule.high.empty()) {
    fill(tensor, *findFilling(rule.filling), seed);
    return true;
  }
  std::optional<double> low = numberOf(rule.low, one), high = numberOf(rule.high, one);
  if (!low || !high) {
    session.engine.report(Code::E0606, one.range,
                          "`range(" + rule.low + ", " + rule.high + ")` has a bound without a value in this shape");
    return false;
  }
  fillRange(tensor, *low, *high, seed);
  return true;
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

std::optional<std::vector<HostArgument>> makeCheckArguments(Session &session, const KernelContract &contract,
                                                            const CheckCase &one, uint64_t seed) {
  std::string missing;
  std::vector<Value> slots = slotsOf(contract, one, missing);
  if (!missing.empty()) {
    session.engine.report(Code::E0606, one.range, "the shape gives no value for `" + missing + "`");
    return std::nullopt;
  }
  std::vector<HostArgument> arguments;
  for (const Parameter &parameter : contract.parameters) {
    HostArgument argument;
    argument.name = parameter.name;
    auto rule = one.inputs.find(parameter.name);
    const InputRule &inputRule = rule == one.inputs.end() ? one.input : rule->second;
    std::vector<int64_t> extents;
    if (!parameter.present) {
      argument.kind = HostArgument::Kind::None;
      arguments.push_back(std::move(argument));
      continue;
    }
    if (parameter.kind == Parameter::Kind::Pointer) {
      auto size = one.sizes.find(parameter.name);
      std::optional<double> count = size == one.sizes.end() ? std::nullopt : numberOf(size->second, one);
      if (!count) {
        session.engine.report(Code::E0606, one.range,
                              "`@check` does not say how many elements are behind `" + parameter.name +
                                  "`; add `sizes = {" + parameter.name + ": N}`");
        return std::nullopt;
      }
      extents = {static_cast<int64_t>(*count)};
    }
    for (const std::optional<Expression> &extent : parameter.extents)
      extents.push_back(extent ? extent->evaluate(slots).toInteger() : 1);
    auto given = one.values.find(parameter.name);
    if (parameter.kind == Parameter::Kind::Scalar && given != one.values.end()) {
      argument.kind = HostArgument::Kind::Scalar;
      argument.scalarText = given->second;
      arguments.push_back(std::move(argument));
      continue;
    }
    argument.tensor = allocate(parameter, extents);
    bool isRead = parameter.role != Parameter::Role::Out;
    if (isRead && !fillByRule(session, argument.tensor, inputRule, one, mixSeed(seed, parameter.name)))
      return std::nullopt;
    if (parameter.kind == Parameter::Kind::Scalar) {
      argument.kind = HostArgument::Kind::Scalar;
      argument.scalarText = textOf(parameter.type, argument.tensor);
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
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
