// See the header: the part of the contract that depends on addresses.

#include "runtime/launch/Memory.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tile {
namespace {

Error invalid(std::string message) { return {ErrorCode::InvalidArgument, std::move(message)}; }
std::string quote(const std::string &name) { return "`" + name + "`"; }

std::string printAddress(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

bool mayShare(const KernelContract &kernel, int first, int second) {
  std::pair<int, int> pair(first, second), reverse(second, first);
  return std::any_of(kernel.alias.begin(), kernel.alias.end(),
                     [&](const auto &each) { return each == pair || each == reverse; });
}

} // namespace

Footprint footprint(const Argument &tensor) {
  return {tensor.address, getBytes(tensor.type), tensor.rank, tensor.extents, tensor.strides};
}

Status checkAddress(const Parameter &parameter, const Argument &tensor) {
  Footprint memory = footprint(tensor);
  uint64_t span = memory.span();
  if (tensor.address == 0 && span != 0)
    return invalid(quote(parameter.name) + " is a null pointer; expected " + std::to_string(span) + " bytes");
  if (tensor.address + span < tensor.address)
    return invalid(quote(parameter.name) + " spans more than the address space");
  if (tensor.address % static_cast<uint64_t>(memory.elementBytes) != 0)
    return invalid(quote(parameter.name) + " is at " + printAddress(tensor.address) + "; expected a multiple of " +
                   std::to_string(memory.elementBytes) + " bytes for " + getName(parameter.type));
  return {};
}

Status checkOverlap(const KernelContract &kernel, const std::vector<Argument> &arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Parameter &written = kernel.parameters[i];
    if (!written.isWritten() || !written.present)
      continue;
    for (size_t j = 0; j < arguments.size(); ++j) {
      const Parameter &other = kernel.parameters[j];
      // Of two written tensors the pair is seen once, from the second.
      if (i == j || !other.present || other.kind != Parameter::Kind::Tensor || (other.isWritten() && j > i))
        continue;
      if (!overlap(footprint(arguments[i]), footprint(arguments[j])) ||
          mayShare(kernel, static_cast<int>(i), static_cast<int>(j)))
        continue;
      return invalid(quote(written.name) + " is written and shares memory with " + quote(other.name) +
                     "; expected them apart, or `alias(" + written.name + ", " + other.name + ")` in the kernel");
    }
  }
  return {};
}

bool allowsVariant(const Variant &variant, const std::vector<Argument> &arguments) {
  constexpr int64_t kLimit = int64_t(1) << 31;
  for (const Argument &argument : arguments) {
    if (argument.kind != Argument::Kind::Tensor)
      continue;
    Footprint memory = footprint(argument);
    for (int axis = 0; axis < argument.rank; ++axis) {
      bool isOuter = axis + 1 < argument.rank && argument.extents[axis] > 1;
      if (variant.align16 && isOuter && argument.strides[axis] % 16 * memory.elementBytes % 16 != 0)
        return false;
      if (variant.offsets31 && argument.extents[axis] >= kLimit)
        return false;
    }
    // The last byte's offset is the span less one.
    if (variant.offsets31 && memory.span() > static_cast<uint64_t>(kLimit))
      return false;
  }
  return true;
}

bool allowsBases(const Variant &variant, const std::vector<Argument> &arguments) {
  return !variant.align16 || std::all_of(arguments.begin(), arguments.end(), [](const Argument &argument) {
    return argument.kind != Argument::Kind::Tensor || argument.address % 16 == 0;
  });
}

} // namespace tile
