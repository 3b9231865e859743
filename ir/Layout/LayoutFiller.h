//===- LayoutFiller.h - hands out a tile's digits to the hardware -*- C++ -*-===//
//
// Builds a layout by taking bits of each dim, least significant first, for a part of the hardware index. What nobody
// took goes to the registers at the end. Shared by the constructors; not part of the interface of the folder.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_IR_LAYOUT_LAYOUTFILLER_H
#define TILE_IR_LAYOUT_LAYOUTFILLER_H

#include "ir/Layout/Layout.h"

namespace tile {

class LayoutFiller {
public:
  explicit LayoutFiller(const Shape &shape, Layout::Kind kind = Layout::Kind::Registers);

  /// Gives the next free bit of `dim` to `hw`. Returns false, with nothing done, when the dim has none left.
  bool takeBit(HwDim hw, int dim);
  /// Gives bit `bit` of `dim` to `hw`, or replicates when the dim does not have it or it is taken.
  void takeBitAt(HwDim hw, int dim, int bit);
  /// Gives the odd factor of `dim` to `hw`. Returns false, with nothing done, when it has none or it is taken.
  bool takeOdd(HwDim hw, int dim);
  void replicateBit(HwDim hw) { layout.appendBit(hw, 0); }
  void replicateOdd(HwDim hw, int radix) { layout.appendOdd(hw, {radix}); }
  /// Gives `count` warps to `dim`: bits from the next free one, or with `fromTop` the dim's highest free ones, and the
  /// odd factor where it is the dim's own; the rest replicates.
  void takeWarps(int dim, int count, bool fromTop);
  /// Number of bits of `dim` that are free.
  int freeBits(int dim) const;

  /// Gives everything left to `hw`, dims in `order` (fastest first), and returns the layout.
  Layout finish(HwDim hw, const std::vector<int> &order);

private:
  Layout layout;
  std::vector<uint64_t> taken; // per dim, mask of bits
  std::vector<bool> oddTaken;
};

} // namespace tile

#endif // TILE_IR_LAYOUT_LAYOUTFILLER_H
