//===- LayoutFiller.cpp ---------------------------------------------------===//
#include "ir/Layout/LayoutFiller.h"

#include <cassert>

namespace tile {

LayoutFiller::LayoutFiller(const Shape &shape, Layout::Kind kind)
    : layout(shape, kind), taken(shape.size()), oddTaken(shape.size()) {
  for (int dim = 0; dim < layout.rank(); ++dim)
    oddTaken[dim] = layout.oddFactor(dim) == 1;
}

bool LayoutFiller::takeBit(HwDim hw, int dim) {
  for (int bit = 0; bit < layout.lowBits(dim); ++bit)
    if (!(taken[dim] >> bit & 1)) {
      takeBitAt(hw, dim, bit);
      return true;
    }
  return false;
}

void LayoutFiller::takeBitAt(HwDim hw, int dim, int bit) {
  if (bit >= layout.lowBits(dim) || (taken[dim] >> bit & 1)) {
    replicateBit(hw);
    return;
  }
  taken[dim] |= uint64_t(1) << bit;
  layout.appendBit(hw, layout.pack(dim, int64_t(1) << bit));
}

bool LayoutFiller::takeOdd(HwDim hw, int dim) {
  if (oddTaken[dim])
    return false;
  oddTaken[dim] = true;
  layout.appendOdd(hw, {layout.oddFactor(dim), dim});
  return true;
}

void LayoutFiller::takeWarps(int dim, int count, bool fromTop) {
  int bits = exponentOfTwo(count);
  int first = layout.lowBits(dim) - bits;
  for (int bit = 0; bit < bits; ++bit)
    if (fromTop && freeBits(dim) >= bits - bit)
      takeBitAt(HwDim::Warp, dim, first + bit);
    else if (!takeBit(HwDim::Warp, dim))
      replicateBit(HwDim::Warp);
  int odd = count >> bits;
  if (odd != 1 && (odd != layout.oddFactor(dim) || !takeOdd(HwDim::Warp, dim)))
    replicateOdd(HwDim::Warp, odd);
}

int LayoutFiller::freeBits(int dim) const {
  int count = 0;
  for (int bit = 0; bit < layout.lowBits(dim); ++bit)
    count += !(taken[dim] >> bit & 1);
  return count;
}

Layout LayoutFiller::finish(HwDim hw, const std::vector<int> &order) {
  for (int dim : order)
    while (takeBit(hw, dim))
      ;
  for (int dim : order)
    takeOdd(hw, dim);
  return std::move(layout);
}

} // namespace tile
