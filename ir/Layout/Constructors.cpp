//===- Constructors.cpp - blocked and coalesced layouts -------------------===//
#include "ir/Layout/Constructors.h"

#include "ir/Layout/LayoutFiller.h"

#include <algorithm>
#include <cassert>

namespace tile {

std::vector<int> rowMajorOrder(int rank) {
  std::vector<int> order(rank);
  for (int i = 0; i < rank; ++i)
    order[i] = rank - 1 - i;
  return order;
}

Layout blockedLayout(const Shape &shape, const std::vector<int> &sizePerThread, const std::vector<int> &threadsPerWarp,
                     const std::vector<int> &warpsPerBlock, const std::vector<int> &order) {
  LayoutFiller filler(shape);
  for (int dim : order)
    for (int bit = 0; bit < exponentOfTwo(sizePerThread[dim]); ++bit)
      filler.takeBit(HwDim::Register, dim);
  for (int dim : order)
    for (int bit = 0; bit < exponentOfTwo(threadsPerWarp[dim]); ++bit)
      if (!filler.takeBit(HwDim::Lane, dim))
        filler.replicateBit(HwDim::Lane);
  for (int dim : order)
    filler.takeWarps(dim, warpsPerBlock[dim], /*fromTop=*/false);
  return filler.finish(HwDim::Register, order);
}

Layout coalescedLayout(const Shape &shape, int elementBits, const std::vector<int64_t> &contiguity,
                       const std::vector<int> &order, int numWarps, int numLanes) {
  LayoutFiller filler(shape);
  int rank = static_cast<int>(shape.size());
  int lanes = exponentOfTwo(numLanes), warps = exponentOfTwo(numWarps), odd = numWarps >> warps;
  int available = 0;
  for (int dim = 0; dim < rank; ++dim)
    available += filler.freeBits(dim);

  if (rank > 0) {
    int vector = exponentOfTwo(std::max(1, kMaxVectorBits / elementBits));
    // Whole elements of the power-of-two part of the contiguity: 24 contiguous elements are vectors of 8.
    vector = std::min({vector, exponentOfTwo(contiguity[order[0]]), std::max(0, available - lanes - warps)});
    for (int bit = 0; bit < vector; ++bit)
      filler.takeBit(HwDim::Register, order[0]);
  }

  // Lanes from the fastest dim on, warps from the slowest on.
  auto take = [&](HwDim hw, int count, const std::vector<int> &dims) {
    for (int dim : dims)
      while (count > 0 && filler.takeBit(hw, dim))
        --count;
    for (; count > 0; --count)
      filler.replicateBit(hw);
  };
  std::vector<int> slowestFirst(order.rbegin(), order.rend());
  take(HwDim::Lane, lanes, order);
  take(HwDim::Warp, warps, slowestFirst);
  if (odd != 1) {
    bool placed = false;
    for (int dim : slowestFirst)
      if (!placed && shape[dim] >> exponentOfTwo(shape[dim]) == odd)
        placed = filler.takeOdd(HwDim::Warp, dim);
    if (!placed)
      filler.replicateOdd(HwDim::Warp, odd);
  }
  return filler.finish(HwDim::Register, order);
}

} // namespace tile
