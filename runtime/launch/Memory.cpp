// See the header: the part of the contract that depends on addresses.

#include "runtime/launch/Memory.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tile {
namespace {

/// What `offsets31` bounds.
constexpr int64_t kOffsetLimit = int64_t(1) << 31;

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

std::optional<Obstacle> findObstacle(const Variant &variant, const KernelContract &kernel,
                                     const std::vector<Argument> &arguments) {
  using Kind = Obstacle::Kind;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument &argument = arguments[i];
    if (argument.kind != Argument::Kind::Tensor)
      continue;
    Footprint memory = footprint(argument);
    auto isWhole = [&](int64_t elements) { return elements % kVectorBytes * memory.elementBytes % kVectorBytes == 0; };
    if (variant.rows16 && argument.rank > 1 && !kernel.parameters[i].strided &&
        !isWhole(argument.extents[argument.rank - 1]))
      return Obstacle{Kind::Row, i, argument.rank - 1};
    for (int axis = 0; axis < argument.rank; ++axis) {
      bool isOuter = axis + 1 < argument.rank && argument.extents[axis] > 1;
      if (variant.align16 && isOuter && !isWhole(argument.strides[axis]))
        return Obstacle{Kind::Stride, i, axis};
      if (variant.offsets31 && argument.extents[axis] >= kOffsetLimit)
        return Obstacle{Kind::Extent, i, axis};
    }
    // The last byte's offset is the span less one.
    if (variant.offsets31 && memory.span() > static_cast<uint64_t>(kOffsetLimit))
      return Obstacle{Kind::Span, i, 0};
  }
  return std::nullopt;
}

std::optional<Obstacle> findBaseObstacle(const Variant &variant, const std::vector<Argument> &arguments) {
  if (variant.align16)
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].kind == Argument::Kind::Tensor && arguments[i].address % kVectorBytes != 0)
        return Obstacle{Obstacle::Kind::Base, i, 0};
  return std::nullopt;
}

std::string explain(const Obstacle &obstacle, const KernelContract &kernel, const std::vector<Argument> &arguments) {
  const Argument &argument = arguments[obstacle.argument];
  Footprint memory = footprint(argument);
  std::string name = quote(kernel.parameters[obstacle.argument].name), axis = std::to_string(obstacle.axis);
  std::string multiple = "multiple of " + std::to_string(kVectorBytes) + " bytes";
  auto sizeOf = [&](int64_t elements) {
    return std::to_string(elements) + (elements == 1 ? " element of " : " elements of ") +
           std::to_string(memory.elementBytes) + (memory.elementBytes == 1 ? " byte" : " bytes");
  };
  switch (obstacle.kind) {
  case Obstacle::Kind::Base:
    return name + " is at " + printAddress(argument.address) + ", which is no " + multiple;
  case Obstacle::Kind::Row:
    return "rows of " + name + " are " + sizeOf(argument.extents[obstacle.axis]) + ", which is no " + multiple;
  case Obstacle::Kind::Stride:
    return "the stride of axis " + axis + " of " + name + " is " + sizeOf(argument.strides[obstacle.axis]) +
           ", which is no " + multiple;
  case Obstacle::Kind::Extent:
    return "extent " + axis + " of " + name + " is " + std::to_string(argument.extents[obstacle.axis]) +
           ", which is not below 2^31";
  case Obstacle::Kind::Span:
    break;
  }
  return name + " spans " + std::to_string(memory.span()) + " bytes, more than 2^31";
}

std::string whyNotPreferred(const KernelContract &kernel, const Variant &taken,
                            const std::vector<Argument> &arguments) {
  const Variant &preferred = kernel.variants.front();
  if (preferred.symbol == taken.symbol)
    return "";
  std::optional<Obstacle> obstacle = findObstacle(preferred, kernel, arguments);
  if (!obstacle)
    obstacle = findBaseObstacle(preferred, arguments);
  return obstacle ? explain(*obstacle, kernel, arguments) : "";
}

} // namespace tile
