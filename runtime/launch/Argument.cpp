// Builders of arguments.

#include "runtime/launch/Argument.h"

#include <algorithm>

namespace tile {

Argument Argument::tensor(const void *data, DataType type, const std::vector<int64_t> &extents) {
  std::vector<int64_t> strides(extents.size());
  uint64_t stride = 1; // Unsigned: extents are not checked yet, and their product may wrap.
  for (size_t i = extents.size(); i-- > 0;) {
    strides[i] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(std::max<int64_t>(extents[i], 1));
  }
  return tensor(data, type, extents, strides);
}

Argument Argument::tensor(const void *data, DataType type, const std::vector<int64_t> &extents,
                          const std::vector<int64_t> &strides) {
  Argument argument;
  argument.kind = Kind::Tensor;
  argument.type = type;
  argument.address = reinterpret_cast<uint64_t>(data);
  argument.rank = static_cast<int>(extents.size());
  for (size_t i = 0; i < std::min<size_t>(extents.size(), kMaxRank); ++i) {
    argument.extents[i] = extents[i];
    argument.strides[i] = i < strides.size() ? strides[i] : 1;
  }
  return argument;
}

Argument Argument::pointer(const void *data) {
  Argument argument;
  argument.kind = Kind::Pointer;
  argument.address = reinterpret_cast<uint64_t>(data);
  return argument;
}

Argument Argument::scalar(int64_t value) {
  Argument argument;
  argument.kind = Kind::Integer;
  argument.integer = value;
  return argument;
}

Argument Argument::scalar(bool value) { return scalar(int64_t(value)); }
Argument Argument::scalar(int value) { return scalar(int64_t(value)); }

Argument Argument::scalar(uint64_t value) {
  Argument argument = scalar(static_cast<int64_t>(value));
  argument.isUnsigned = true;
  return argument;
}

Argument Argument::scalar(double value) {
  Argument argument;
  argument.kind = Kind::Real;
  argument.real = value;
  return argument;
}

} // namespace tile
