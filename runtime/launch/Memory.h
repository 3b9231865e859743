// The rules about where tensors lie: null, alignment, overlap, and what the variants require of bases.
//
// Apart from binding because a prepared launch repeats exactly these when it is given new addresses. Nothing here
// allocates unless it fails.

#ifndef TILE_RUNTIME_LAUNCH_MEMORY_H
#define TILE_RUNTIME_LAUNCH_MEMORY_H

#include "runtime/Result.h"
#include "runtime/artifact/Manifest.h"
#include "runtime/launch/Argument.h"
#include "runtime/launch/Overlap.h"

#include <optional>
#include <string>
#include <vector>

namespace tile {

/// Bytes that `align16` and `rows16` ask a multiple of.
inline constexpr int64_t kVectorBytes = 16;

/// The tensor's elements in memory.
Footprint footprint(const Argument &tensor);

/// Null, out of the address space, or not aligned to an element.
Status checkAddress(const Parameter &parameter, const Argument &tensor);

/// No written tensor shares memory with another, but for declared aliases.
Status checkOverlap(const KernelContract &kernel, const std::vector<Argument> &arguments);

/// What keeps a launch from a variant.
struct Obstacle {
  enum class Kind : uint8_t { Base, Row, Stride, Extent, Span };
  Kind kind;
  size_t argument;
  int axis; ///< of a row, a stride or an extent
};

/// The first of extents and strides that `variant` does not take; none if it takes them all, whatever the bases.
std::optional<Obstacle> findObstacle(const Variant &variant, const KernelContract &kernel,
                                     const std::vector<Argument> &arguments);

/// The first of the bases that it does not take.
std::optional<Obstacle> findBaseObstacle(const Variant &variant, const std::vector<Argument> &arguments);

/// The obstacle in words: "rows of `x` are 63 elements of 2 bytes, which is no multiple of 16 bytes".
std::string explain(const Obstacle &obstacle, const KernelContract &kernel, const std::vector<Argument> &arguments);

/// Why a launch takes `taken` and not the variant that is listed first; empty where they are the same.
std::string whyNotPreferred(const KernelContract &kernel, const Variant &taken, const std::vector<Argument> &arguments);

} // namespace tile

#endif // TILE_RUNTIME_LAUNCH_MEMORY_H
