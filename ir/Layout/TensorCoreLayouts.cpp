//===- TensorCoreLayouts.cpp - fragments of mma.sync and wgmma ------------===//
//
// All fragments of m16n8 tiles share one shape (PTX ISA, "Matrix Fragments for mma.m16n8k…"): lane = 4·group + thread
// in group. The group is the row, the thread takes `width` consecutive elements of the other dim; 32-bit registers then
// repeat 8 rows further down, and 4·width elements further on.
//
//===----------------------------------------------------------------------===//
#include "ir/Layout/Constructors.h"
#include "ir/Layout/LayoutFiller.h"

#include <cassert>

namespace tile {

constexpr int kThreadsInGroupLog2 = 2;
constexpr int kGroupsLog2 = 3;
/// A warp's piece of a wgmma tile: 16 rows, four warps to 64.
constexpr int kWarpRowsLog2 = 4;
constexpr int kWarpgroupLog2 = 2;

namespace {
/// What is placed along M: warps, the four warps of a group with 16 rows each, or groups as a whole.
enum class Unit { Warp, Warpgroup, WholeWarpgroup };

/// Hands out the warps of all dims of the accumulator to a tile whose dim `rows` or `columns` stand for M and N; -1 for
/// the one that the tile does not have. Warps count along M first.
class WarpPlacer {
public:
  WarpPlacer(LayoutFiller &filler, const std::vector<int> &warps, Unit unit)
      : filler(filler), warps(warps), unit(unit) {}

  void place(int rows, int columns) {
    int rank = static_cast<int>(warps.size());
    placeMatrixDim(rows, warps[rank - 2], unit);
    placeMatrixDim(columns, warps[rank - 1], Unit::Warp);
    for (int batch = 0; batch < rank - 2; ++batch)
      filler.takeWarps(batch, warps[batch], /*fromTop=*/false);
  }

private:
  void placeMatrixDim(int dim, int count, Unit dimUnit) {
    if (dim < 0) {
      for (int bit = 0; bit < exponentOfTwo(count); ++bit)
        filler.replicateBit(HwDim::Warp);
      if (int odd = count >> exponentOfTwo(count); odd != 1)
        filler.replicateOdd(HwDim::Warp, odd);
      return;
    }
    if (dimUnit != Unit::Warp) {
      assert(count % (1 << kWarpgroupLog2) == 0 && "a warpgroup is four warps along M");
      for (int bit = 0; bit < kWarpgroupLog2; ++bit)
        if (dimUnit == Unit::Warpgroup)
          filler.takeBitAt(HwDim::Warp, dim, kWarpRowsLog2 + bit);
        else
          filler.replicateBit(HwDim::Warp);
      count >>= kWarpgroupLog2;
    }
    filler.takeWarps(dim, count, /*fromTop=*/true);
  }

  LayoutFiller &filler;
  const std::vector<int> &warps;
  Unit unit;
};
} // namespace

/// One fragment: `width` consecutive elements of `along` to a thread, groups along `rows`.
static void takeFragment(LayoutFiller &filler, int rows, int along, int widthLog2, bool repeatsRows,
                         bool repeatsAlong) {
  for (int bit = 0; bit < widthLog2; ++bit)
    filler.takeBitAt(HwDim::Register, along, bit);
  for (int bit = 0; bit < kThreadsInGroupLog2; ++bit)
    filler.takeBitAt(HwDim::Lane, along, widthLog2 + bit);
  for (int bit = 0; bit < kGroupsLog2; ++bit)
    filler.takeBitAt(HwDim::Lane, rows, bit);
  if (repeatsRows)
    filler.takeBitAt(HwDim::Register, rows, kGroupsLog2);
  if (repeatsAlong)
    filler.takeBitAt(HwDim::Register, along, widthLog2 + kThreadsInGroupLog2);
}

static std::vector<int> orderFrom(int first, int second, int rank) {
  std::vector<int> order = {first, second};
  for (int batch = rank - 3; batch >= 0; --batch)
    order.push_back(batch);
  return order;
}

static Layout accumulatorLayout(const Shape &shape, const std::vector<int> &warps, Unit unit) {
  int rank = static_cast<int>(shape.size()), m = rank - 2, n = rank - 1;
  assert(shape[m] % (unit == Unit::Warp ? 16 : 64) == 0 && shape[n] % 8 == 0 && "not a tile of the instruction");
  LayoutFiller filler(shape);
  takeFragment(filler, m, n, /*widthLog2=*/1, /*repeatsRows=*/true, /*repeatsAlong=*/false);
  WarpPlacer(filler, warps, unit).place(m, n);
  return filler.finish(HwDim::Register, orderFrom(n, m, rank));
}

static Layout operandLayout(DotOperand operand, const Shape &shape, const std::vector<int> &warps, int elementBits,
                            int kWidth, Unit unit) {
  int rank = static_cast<int>(shape.size());
  bool isA = operand == DotOperand::A;
  int k = isA ? rank - 1 : rank - 2, other = isA ? rank - 2 : rank - 1;
  int widthLog2 = exponentOfTwo(kWidth ? kWidth : 32 / elementBits);
  assert(shape[other] % (isA ? 16 : 8) == 0 && exponentOfTwo(shape[k]) >= widthLog2 + kThreadsInGroupLog2 + 1 &&
         "not a tile of the instruction");
  LayoutFiller filler(shape);
  takeFragment(filler, other, k, widthLog2, /*repeatsRows=*/isA, /*repeatsAlong=*/true);
  WarpPlacer(filler, warps, unit).place(isA ? other : -1, isA ? -1 : other);
  return filler.finish(HwDim::Register, orderFrom(k, other, rank));
}

Layout mmaAccumulatorLayout(const Shape &shape, const std::vector<int> &warps) {
  return accumulatorLayout(shape, warps, Unit::Warp);
}

Layout mmaOperandLayout(DotOperand operand, const Shape &shape, const std::vector<int> &warps, int elementBits,
                        int kWidth) {
  return operandLayout(operand, shape, warps, elementBits, kWidth, Unit::Warp);
}

Layout wgmmaAccumulatorLayout(const Shape &shape, const std::vector<int> &warps) {
  return accumulatorLayout(shape, warps, Unit::Warpgroup);
}

Layout wgmmaOperandLayout(DotOperand operand, const Shape &shape, const std::vector<int> &warps, int elementBits) {
  return operandLayout(operand, shape, warps, elementBits, 0, Unit::Warpgroup);
}

Layout wgmmaPieceLayout(DotOperand operand, const Shape &shape, const std::vector<int> &warps) {
  assert(shape.size() == 2 && "wgmma multiplies matrices");
  bool isA = operand == DotOperand::A;
  int other = isA ? 0 : 1, k = 1 - other;
  LayoutFiller filler(shape);
  for (int lanes = 1; lanes < kLanesPerWarp; lanes *= 2)
    filler.replicateBit(HwDim::Lane);
  WarpPlacer(filler, warps, Unit::WholeWarpgroup).place(isA ? other : -1, isA ? -1 : other);
  return filler.finish(HwDim::Register, {k, other});
}

} // namespace tile
