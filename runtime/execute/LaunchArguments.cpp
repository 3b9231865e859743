#include "runtime/execute/LaunchArguments.h"

namespace tile {

/// `argument` for `parameter`, its memory at `base`.
static Result<Argument> toArgument(HostArgument &argument, const Parameter &parameter, const void *base) {
  switch (argument.kind) {
  case HostArgument::Kind::None:
    return Argument::none();
  case HostArgument::Kind::Tensor:
    // A .npy file has no bf16: it holds the bits as u16.
    if (argument.tensor.type == DataType::U16 && parameter.type == DataType::BF16)
      argument.tensor.type = DataType::BF16;
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

void report(Session &session, const Error &error) {
  session.report(error.code == ErrorCode::InvalidArgument || error.code == ErrorCode::NotCompiled ? Code::E0603
                                                                                                  : Code::E0602,
                 error.message);
}

bool take(Session &session, Status status) {
  if (!status)
    report(session, status.error());
  return status.ok();
}

bool mayWrite(const Parameter &parameter) {
  return parameter.isWritten() || parameter.kind == Parameter::Kind::Pointer;
}

std::optional<std::vector<Argument>> toLaunchArguments(Session &session, const KernelContract &contract,
                                                       std::vector<HostArgument> &arguments,
                                                       llvm::ArrayRef<const void *> bases) {
  std::vector<Argument> all;
  for (auto [argument, parameter, base] : llvm::zip_equal(arguments, contract.parameters, bases)) {
    std::optional<Argument> one = take(session, toArgument(argument, parameter, base));
    if (!one)
      return std::nullopt;
    all.push_back(*one);
  }
  return all;
}

} // namespace tile
