// Whether two tensors share a byte, for any extents and strides.
//
// The question is a bounded linear equation: do index differences c exist with sum(c[i] * stride[i]) inside a window of
// a few bytes around the distance of the bases? It is searched from the largest stride down, cutting branches that the
// remaining axes cannot reach by size or by divisibility. Strides as they occur nest, and take a step or two an axis.
// Past `kOverlapSteps` steps the answer is "overlap", which may be wrong for contrived strides of five axes and more.

#ifndef TILE_RUNTIME_LAUNCH_OVERLAP_H
#define TILE_RUNTIME_LAUNCH_OVERLAP_H

#include <cstdint>

namespace tile {

constexpr int kOverlapSteps = 4096;

/// The elements of a tensor in memory. Extents are ≥ 0 and strides ≥ 0, in elements; the last byte's address fits.
struct Footprint {
  uint64_t address = 0;
  int64_t elementBytes = 1;
  int rank = 0;
  const int64_t *extents = nullptr;
  const int64_t *strides = nullptr;

  bool isEmpty() const;
  /// Bytes from the first element to behind the last; 0 for an empty tensor.
  uint64_t span() const;
};

/// True if some byte belongs to both.
bool overlap(const Footprint &a, const Footprint &b);

/// True if two different indices surely name the same element: seen for every one or two axes, not for collisions that
/// need three.
bool overlapsItself(const Footprint &tensor);

} // namespace tile

#endif // TILE_RUNTIME_LAUNCH_OVERLAP_H
