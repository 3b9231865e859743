#include "runtime/arguments/LaunchArgument.h"

namespace tile {

bool mayWrite(const Parameter &parameter) {
  return parameter.isWritten() || parameter.kind == Parameter::Kind::Pointer;
}

bool isDefined(const HostArgument &argument, const Parameter &parameter) {
  return parameter.role != Parameter::Role::Out && !argument.isPoisoned;
}

bool isKeptAsBits(DataType type, DataType found) {
  return type == DataType::BF16 ? found == DataType::U16
                                : (type == DataType::F8E4M3 || type == DataType::F8E5M2) && found == DataType::U8;
}

/// `argument` for `parameter`, its memory at `base`.
static Result<Argument> toArgument(HostArgument &argument, const Parameter &parameter, const void *base) {
  switch (argument.kind) {
  case HostArgument::Kind::None:
    return Argument::none();
  case HostArgument::Kind::Tensor:
    if (isKeptAsBits(parameter.type, argument.tensor.type))
      argument.tensor.type = parameter.type;
    if (parameter.kind == Parameter::Kind::Pointer)
      return Argument::pointer(base);
    return Argument::tensor(base, argument.tensor.type, argument.tensor.extents, argument.tensor.strides);
  case HostArgument::Kind::Scalar:
    break;
  }
  if (parameter.kind != Parameter::Kind::Scalar)
    return Error{ErrorCode::InvalidArgument, "`" + parameter.name + "` is the number " + argument.scalarText +
                                                 "; expected a tensor such as `rand:f32[4,5]` or a file"};
  Result<uint64_t> bits = scalarBits(argument, parameter.type);
  if (!bits)
    return bits.error();
  if (isFloat(parameter.type))
    return Argument::scalar(fromBits(parameter.type, *bits));
  if (parameter.type == DataType::U64)
    return Argument::scalar(*bits);
  return Argument::scalar(static_cast<int64_t>(*bits));
}

Result<std::vector<Argument>> toLaunchArguments(const KernelContract &contract, std::vector<HostArgument> &arguments,
                                                const std::vector<const void *> &bases) {
  std::vector<Argument> all;
  for (size_t i = 0; i < arguments.size(); ++i) {
    Result<Argument> one = toArgument(arguments[i], contract.parameters[i], bases[i]);
    if (!one)
      return one.error();
    all.push_back(*one);
  }
  return all;
}

} // namespace tile
