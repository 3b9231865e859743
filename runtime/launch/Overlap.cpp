// The search behind `overlap`; see the header for the idea. Sums of byte offsets are 128-bit, so nothing wraps.

#include "runtime/launch/Overlap.h"

#include "runtime/artifact/Manifest.h"

#include <algorithm>
#include <numeric>

namespace tile {
namespace {

__extension__ typedef __int128 Wide;

Wide floorDivide(Wide a, Wide b) { return a / b - (a % b != 0 && a < 0 ? 1 : 0); }
Wide ceilDivide(Wide a, Wide b) { return -floorDivide(-a, b); }

/// c * stride with c in [low, high], and what this axis and all smaller ones reach together.
struct Axis {
  int64_t stride;
  Wide low, high;
  Wide reachLow = 0, reachHigh = 0;
  int64_t divisor = 0; ///< Of all strides from here on.
};

class Search {
public:
  Search(const Footprint &a, const Footprint &b) {
    addAxes(a, 1);
    addAxes(b, -1);
    std::sort(axes, axes + count, [](const Axis &x, const Axis &y) { return x.stride > y.stride; });
    for (int i = count; i-- > 0;) {
      Axis &axis = axes[i];
      bool isLast = i + 1 == count;
      axis.reachLow = axis.low * axis.stride + (isLast ? 0 : axes[i + 1].reachLow);
      axis.reachHigh = axis.high * axis.stride + (isLast ? 0 : axes[i + 1].reachHigh);
      axis.divisor = std::gcd(axis.stride, isLast ? 0 : axes[i + 1].divisor);
    }
  }

  /// True if the axes from `first` on can sum to a value in [low, high], or if the search ran out of steps.
  bool reaches(Wide low, Wide high, int first = 0) {
    if (first == count)
      return low <= 0 && 0 <= high;
    const Axis &axis = axes[first];
    if (high < axis.reachLow || low > axis.reachHigh || floorDivide(high, axis.divisor) * axis.divisor < low)
      return false;
    if (++steps > kOverlapSteps)
      return true;
    Wide restLow = first + 1 == count ? 0 : axes[first + 1].reachLow;
    Wide restHigh = first + 1 == count ? 0 : axes[first + 1].reachHigh;
    Wide begin = std::max(axis.low, ceilDivide(low - restHigh, axis.stride));
    Wide end = std::min(axis.high, floorDivide(high - restLow, axis.stride));
    for (Wide c = begin; c <= end; ++c)
      if (reaches(low - c * axis.stride, high - c * axis.stride, first + 1))
        return true;
    return false;
  }

private:
  Axis axes[2 * kMaxRank];
  int count = 0;
  int steps = 0;

  void addAxes(const Footprint &tensor, int sign) {
    for (int i = 0; i < tensor.rank; ++i) {
      Wide reach = tensor.extents[i] - 1;
      if (reach == 0 || tensor.strides[i] == 0)
        continue;
      int64_t stride = tensor.strides[i] * tensor.elementBytes; // Fits, as the span does.
      // Equal strides are one axis: this is what makes views of one buffer cheap.
      Axis *axis = std::find_if(axes, axes + count, [&](const Axis &each) { return each.stride == stride; });
      if (axis == axes + count) {
        *axis = {stride, 0, 0};
        ++count;
      }
      (sign > 0 ? axis->high : axis->low) += sign * reach;
    }
  }
};

} // namespace

bool Footprint::isEmpty() const {
  return std::any_of(extents, extents + rank, [](int64_t extent) { return extent == 0; });
}

uint64_t Footprint::span() const {
  if (isEmpty())
    return 0;
  uint64_t last = 0;
  for (int i = 0; i < rank; ++i)
    last += static_cast<uint64_t>(extents[i] - 1) * static_cast<uint64_t>(strides[i]);
  return (last + 1) * static_cast<uint64_t>(elementBytes);
}

bool overlap(const Footprint &a, const Footprint &b) {
  uint64_t spanA = a.span(), spanB = b.span();
  if (spanA == 0 || spanB == 0 || a.address + spanA <= b.address || b.address + spanB <= a.address)
    return false;
  Wide distance = Wide(b.address) - Wide(a.address);
  return Search(a, b).reaches(distance - (a.elementBytes - 1), distance + (b.elementBytes - 1));
}

bool overlapsItself(const Footprint &tensor) {
  if (tensor.isEmpty())
    return false;
  for (int i = 0; i < tensor.rank; ++i) {
    if (tensor.extents[i] > 1 && tensor.strides[i] == 0)
      return true;
    // Axes i and j collide when i's index can change by stride[j] / gcd while j's changes by stride[i] / gcd.
    for (int j = 0; j < i; ++j) {
      int64_t divisor = std::gcd(tensor.strides[i], tensor.strides[j]);
      if (divisor != 0 && tensor.strides[i] != 0 && tensor.strides[j] != 0 &&
          tensor.strides[j] / divisor < tensor.extents[i] && tensor.strides[i] / divisor < tensor.extents[j])
        return true;
    }
  }
  return false;
}

} // namespace tile
