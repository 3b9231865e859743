//===- SmallLayouts.h - every small blocked layout --------------*- C++ -*-===//
//
// The space over which the laws are tested: all shapes of rank 1 and 2 up to an extent, odd factors included, with
// every size per thread, arrangement of four lanes and of one to four warps, and order. Warps of four lanes keep the
// space small and lose nothing: no rule of the algebra knows how many lane bits there are.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TEST_UNIT_LAYOUT_SMALLLAYOUTS_H
#define TILE_TEST_UNIT_LAYOUT_SMALLLAYOUTS_H

#include "ir/Layout/Constructors.h"

#include <functional>

namespace tile {

/// The extents tested; the sanitizers are ten times slower and look for other faults.
#if defined(__SANITIZE_ADDRESS__)
constexpr int64_t kMaxSmallExtent = 6;
#elif defined(__has_feature) && __has_feature(address_sanitizer)
constexpr int64_t kMaxSmallExtent = 6;
#else
constexpr int64_t kMaxSmallExtent = 12;
#endif

/// Calls `fn` with every shape of rank 1 and 2 whose extents are at most `maxExtent`.
void forEachSmallShape(int64_t maxExtent, const std::function<void(const Shape &)> &fn);

/// The distinct blocked layouts of `shape` with `numWarps` warps of `numLanes` lanes.
std::vector<Layout> smallLayouts(const Shape &shape, int numWarps, int numLanes = 4);

/// `count` layouts of `shape` with 16 lanes and four warps whose bases are arbitrary vectors: elements replicated
/// anywhere, bits of several dims mixed. They hold every element. The same for the same arguments.
std::vector<Layout> randomLayouts(const Shape &shape, int count);

/// Calls `fn` with every register, lane and warp of `layout`.
void forEachRegister(const Layout &layout, const std::function<void(int64_t, int64_t, int64_t)> &fn);

/// Row-major position of `coords`.
int64_t position(const Shape &shape, const Coords &coords);

} // namespace tile

#endif // TILE_TEST_UNIT_LAYOUT_SMALLLAYOUTS_H
