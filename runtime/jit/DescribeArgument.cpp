#include "runtime/jit/DescribeArgument.h"

#include "runtime/launch/Memory.h"

#include <cstdio>

namespace tile {

/// `[4096,4096]`
static std::string listOf(const std::vector<int64_t> &values) {
  std::string text = "[";
  for (int64_t value : values)
    text += (text.size() > 1 ? "," : "") + std::to_string(value);
  return text + "]";
}

static DescribedArgument describeTensor(const Argument &tensor) {
  DescribedArgument described;
  HostArgument &argument = described.argument;
  argument.kind = HostArgument::Kind::Tensor;
  argument.tensor.type = tensor.type;
  argument.tensor.extents.assign(tensor.extents, tensor.extents + tensor.rank);
  argument.tensor.strides.assign(tensor.strides, tensor.strides + tensor.rank);
  argument.isPoisoned = true; // no file, which could hold bf16 as integers
  argument.bytes = static_cast<int64_t>(footprint(tensor).span());
  described.text = std::string("normal:") + std::string(getName(tensor.type)) + listOf(argument.tensor.extents);
  if (argument.tensor.strides != rowMajorStrides(argument.tensor.extents))
    described.text += "@" + listOf(argument.tensor.strides);
  return described;
}

Result<DescribedArgument> describeArgument(const Argument &argument, const std::string &name, bool isBool) {
  DescribedArgument described;
  switch (argument.kind) {
  case Argument::Kind::Tensor:
    if (argument.rank > kMaxRank)
      return Error{ErrorCode::InvalidArgument, "`" + name + "` has rank " + std::to_string(argument.rank) +
                                                   "; expected at most " + std::to_string(kMaxRank)};
    described = describeTensor(argument);
    break;
  case Argument::Kind::Pointer:
    described.argument.kind = HostArgument::Kind::Tensor;
    described.argument.tensor.type = DataType::U8;
    described.argument.tensor.extents = described.argument.tensor.strides = {1};
    break;
  case Argument::Kind::None:
    described.argument.kind = HostArgument::Kind::None;
    described.text = "none";
    break;
  case Argument::Kind::Integer:
  case Argument::Kind::Real: {
    char text[40];
    if (argument.kind == Argument::Kind::Real)
      std::snprintf(text, sizeof(text), "%.17g", argument.real); // so that reading it gives the same number
    else if (isBool && (argument.integer == 0 || argument.integer == 1))
      std::snprintf(text, sizeof(text), "%s", argument.integer ? "true" : "false");
    else if (argument.isUnsigned)
      std::snprintf(text, sizeof(text), "%llu", static_cast<unsigned long long>(argument.integer));
    else
      std::snprintf(text, sizeof(text), "%lld", static_cast<long long>(argument.integer));
    described.argument.kind = HostArgument::Kind::Scalar;
    described.argument.scalarText = described.text = text;
    break;
  }
  }
  described.argument.name = name;
  return described;
}

} // namespace tile
