//===- WgmmaDescriptor.cpp ------------------------------------------------===//
//
// The canonical layouts are not matched by their form: for each swizzle the strides are read off the tile, and every
// chunk that an instruction touches is compared with where it would look.
//
//===----------------------------------------------------------------------===//
#include "ir/Layout/WgmmaDescriptor.h"

#include <algorithm>

namespace tile {

constexpr int64_t kChunkBytes = 16;
/// K of every instruction.
constexpr int64_t kDepthBytes = 32;
constexpr int64_t kAtomRows = 8;
/// A swizzle changes the number of a chunk by that of its 128 bytes.
constexpr int kSwizzleRowLog2 = 7;

/// An address with the chunks of its swizzle exchanged; the way there and back.
static int64_t swizzled(int64_t address, int swizzle) {
  int64_t mask = swizzle / kChunkBytes - 1;
  return address ^ (address >> kSwizzleRowLog2 & mask) * kChunkBytes;
}

namespace {
/// The places of a warpgroup's piece.
class Piece {
public:
  Piece(DotOperand factor, const Layout &shared, const std::vector<int> &warps, int elementBits)
      : rowDim(factor == DotOperand::A ? 0 : 1), elementBytes(elementBits / 8),
        lowMask((int64_t(1) << shared.bits(HwDim::Offset).size()) - 1),
        layout(wgmmaPieceLayout(factor, shared.shape(), warps)), map(layout, shared), rows(placesAlong(rowDim)),
        depth(placesAlong(1 - rowDim)) {}

  int64_t rowExtent() const { return int64_t(rows.size()); }
  int64_t depthExtent() const { return int64_t(depth.size()); }
  bool hasRow(int64_t row) const { return row < rowExtent() && rows[row] >= 0; }
  /// Where an element lies, in bytes; the warpgroup's own part left out.
  int64_t at(int64_t row, int64_t k) const {
    int64_t low = (rows[row] ^ depth[k]) & lowMask;
    return (low + (rows[row] & ~lowMask) + (depth[k] & ~lowMask)) * elementBytes;
  }
  /// The warpgroup's part, unless its bits meet those of the registers or those that a swizzle exchanges chunks by.
  std::optional<std::vector<CoordTerm>> threadTerms(int swizzle) const {
    std::vector<uint64_t> fixed = map.columns(HwDim::Register);
    for (int64_t bit = 1; bit < swizzle / kChunkBytes; bit *= 2)
      fixed.push_back(uint64_t((bit << kSwizzleRowLog2) / elementBytes));
    std::vector<CoordTerm> terms = map.threadTerms();
    return partsAreDisjoint(fixed, terms) ? std::optional(terms) : std::nullopt;
  }

private:
  /// Per coordinate along `dim` its part of the offset; -1 for one that other warpgroups have.
  std::vector<int64_t> placesAlong(int dim) const {
    std::vector<int64_t> places(layout.extent(dim), -1);
    for (int64_t i = 0; i < int64_t(places.size()); ++i) {
      Coords coords(2, 0);
      coords[dim] = i;
      if (std::optional<int64_t> reg = layout.registerAt(coords))
        places[i] = map.registerOffset(*reg);
    }
    return places;
  }

  int rowDim;
  int64_t elementBytes, lowMask;
  Layout layout;
  OffsetMap map;
  std::vector<int64_t> rows, depth;
};
} // namespace

/// With a swizzle of `plan.swizzle` bytes, and in its order.
static bool fillPlan(const Piece &piece, int64_t elementBytes, DescriptorPlan &plan) {
  bool isKMajor = plan.order == MatrixOrder::RowMajor;
  int64_t width = plan.swizzle / elementBytes, depth = kDepthBytes / elementBytes, chunk = kChunkBytes / elementBytes;
  auto place = [&](int64_t row, int64_t k) { return swizzled(piece.at(row, k), plan.swizzle); };
  auto strideTo = [&](int64_t row, int64_t k) { return place(row, k) - place(0, 0); };
  if (piece.depthExtent() % depth != 0 || !piece.hasRow(plan.rows - 1))
    return false;
  if (isKMajor && plan.rows > kAtomRows)
    plan.stride = strideTo(kAtomRows, 0);
  if (!isKMajor) {
    plan.stride = strideTo(0, kAtomRows);
    plan.leading = plan.rows > width ? strideTo(width, 0) : 0;
  }
  if (plan.stride < 0 || plan.leading < 0)
    return false;
  auto expected = [&](int64_t row, int64_t k) {
    if (isKMajor)
      return row / kAtomRows * plan.stride + row % kAtomRows * plan.swizzle + k * elementBytes;
    return row / width * plan.leading + row % width * elementBytes + k / kAtomRows * plan.stride +
           k % kAtomRows * plan.swizzle;
  };
  int64_t rowStep = isKMajor ? 1 : chunk, depthStep = isKMajor ? chunk : 1;
  for (int64_t k = 0; k < piece.depthExtent(); k += depth)
    plan.steps.push_back(k);
  for (int64_t first = 0; first < piece.rowExtent(); first += plan.rows) {
    if (!piece.hasRow(first))
      continue;
    plan.blocks.push_back(first);
    for (int64_t step : plan.steps) {
      plan.starts.push_back(place(first, step));
      for (int64_t row = 0; row < plan.rows; row += rowStep)
        for (int64_t k = 0; k < depth; k += depthStep)
          if (!piece.hasRow(first + row) || place(first + row, step + k) != plan.starts.back() + expected(row, k))
            return false;
    }
  }
  std::optional<std::vector<CoordTerm>> terms = piece.threadTerms(plan.swizzle);
  if (!terms)
    return false;
  plan.threadTerms = *terms;
  return true;
}

std::optional<DescriptorPlan> planDescriptor(DotOperand factor, const Layout &shared, const std::vector<int> &warps,
                                             int elementBits, int64_t rows) {
  Piece piece(factor, shared, warps, elementBits);
  int64_t elementBytes = elementBits / 8;
  for (MatrixOrder order : {MatrixOrder::RowMajor, MatrixOrder::Transposed})
    for (int swizzle : {128, 64, 32}) {
      DescriptorPlan plan;
      plan.swizzle = swizzle;
      plan.order = order;
      plan.rows = rows;
      if ((order == MatrixOrder::RowMajor || elementBits == 16) && fillPlan(piece, elementBytes, plan))
        return plan;
    }
  return std::nullopt;
}

} // namespace tile
