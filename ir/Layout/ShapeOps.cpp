//===- ShapeOps.cpp - layouts under tensor shape operations ---------------===//
//
// Each operation is a rewriting of bases: `moveCoordinates` rebuilds a layout with every packed basis and every odd
// digit's dim sent through a function.
//
//===----------------------------------------------------------------------===//
#include "ir/Layout/ShapeOps.h"

#include <algorithm>
#include <cassert>

namespace tile {

constexpr HwDim kAllHwDims[] = {HwDim::Register, HwDim::Lane, HwDim::Warp, HwDim::Block, HwDim::Offset};

template <typename BasisFn, typename DimFn>
static Layout moveCoordinates(const Layout &layout, Shape shape, BasisFn basisFn, DimFn dimFn) {
  Layout result(std::move(shape), layout.isShared() ? Layout::Kind::Shared : Layout::Kind::Registers);
  for (HwDim hw : kAllHwDims) {
    for (uint64_t basis : layout.bits(hw))
      result.appendBit(hw, basisFn(result, basis));
    for (OddDigit digit : layout.odd(hw))
      result.appendOdd(hw, {digit.radix, digit.dim < 0 ? digit.dim : dimFn(digit.dim)});
  }
  return result;
}

/// Sends dim i of `layout` to dim `to[i]` of a tile of `shape`, or drops its coordinates when `to[i]` is -1.
static Layout moveDims(const Layout &layout, Shape shape, const std::vector<int> &to) {
  return moveCoordinates(
      layout, std::move(shape),
      [&](const Layout &result, uint64_t basis) {
        uint64_t moved = 0;
        for (int dim = 0; dim < layout.rank(); ++dim)
          if (to[dim] >= 0)
            moved |= result.pack(to[dim], layout.unpack(dim, basis));
        return moved;
      },
      [&](int dim) { return to[dim]; });
}

Layout permuteLayout(const Layout &layout, const std::vector<int> &permutation) {
  Shape shape;
  std::vector<int> to(layout.rank());
  for (int dim = 0; dim < layout.rank(); ++dim) {
    shape.push_back(layout.extent(permutation[dim]));
    to[permutation[dim]] = dim;
  }
  return moveDims(layout, std::move(shape), to);
}

/// The digits of the row-major position from the most significant: 2, or an odd factor with its dim.
static std::vector<OddDigit> positionDigits(const Layout &layout) {
  std::vector<OddDigit> digits;
  for (int dim = 0; dim < layout.rank(); ++dim) {
    if (layout.oddFactor(dim) != 1)
      digits.push_back({layout.oddFactor(dim), dim});
    digits.insert(digits.end(), layout.lowBits(dim), OddDigit{2, dim});
  }
  return digits;
}

std::optional<Layout> reshapeLayout(const Layout &layout, const Shape &shape) {
  std::vector<OddDigit> from = positionDigits(layout), to = positionDigits(Layout(shape));
  if (from.size() != to.size())
    return std::nullopt;
  std::vector<int> dimOfOdd(layout.rank(), OddDigit::kReplicated);
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i].radix != to[i].radix)
      return std::nullopt;
    if (from[i].radix != 2)
      dimOfOdd[from[i].dim] = to[i].dim;
  }
  // Packed coordinates are the row-major position without its odd digits, the same on both sides.
  return moveCoordinates(
      layout, shape, [](const Layout &, uint64_t basis) { return basis; }, [&](int dim) { return dimOfOdd[dim]; });
}

static Layout removeDim(const Layout &layout, int removed) {
  Shape shape = layout.shape();
  shape.erase(shape.begin() + removed);
  std::vector<int> to(layout.rank());
  for (int dim = 0; dim < layout.rank(); ++dim)
    to[dim] = dim == removed ? -1 : dim - (dim > removed);
  return moveDims(layout, std::move(shape), to);
}

Layout sliceLayout(const Layout &parent, int dim) { return withoutReplicatedRegisters(removeDim(parent, dim)); }

std::vector<int64_t> sliceRegisters(const Layout &parent, int dim) {
  Layout removed = removeDim(parent, dim);
  return *matchRegisters(withoutReplicatedRegisters(removed), removed);
}

Layout expandDimsLayout(const Layout &layout, int inserted) {
  Shape shape = layout.shape();
  shape.insert(shape.begin() + inserted, 1);
  std::vector<int> to(layout.rank());
  for (int dim = 0; dim < layout.rank(); ++dim)
    to[dim] = dim + (dim >= inserted);
  return moveDims(layout, std::move(shape), to);
}

Layout broadcastLayout(const Layout &layout, int dim, int64_t extent) {
  assert(layout.extent(dim) == 1 && "only a dim of extent 1 is broadcast");
  Shape shape = layout.shape();
  shape[dim] = extent;
  std::vector<int> to(layout.rank());
  for (int i = 0; i < layout.rank(); ++i)
    to[i] = i;
  Layout result = moveDims(layout, std::move(shape), to);
  for (int bit = 0; bit < result.lowBits(dim); ++bit)
    result.appendBit(HwDim::Register, result.pack(dim, int64_t(1) << bit));
  if (result.oddFactor(dim) != 1)
    result.appendOdd(HwDim::Register, {result.oddFactor(dim), dim});
  return result;
}

Layout collapseLayout(const Layout &layout, const Shape &shape) {
  std::vector<int> to(layout.rank());
  for (int dim = 0; dim < layout.rank(); ++dim) {
    assert((shape[dim] == 1 || shape[dim] == layout.extent(dim)) && "a broadcast keeps a dim or makes it from 1");
    to[dim] = shape[dim] == layout.extent(dim) ? dim : -1;
  }
  return moveDims(layout, shape, to);
}

} // namespace tile
