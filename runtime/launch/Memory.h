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

#include <vector>

namespace tile {

/// The tensor's elements in memory.
Footprint footprint(const Argument &tensor);

/// Null, out of the address space, or not aligned to an element.
Status checkAddress(const Parameter &parameter, const Argument &tensor);

/// No written tensor shares memory with another, but for declared aliases.
Status checkOverlap(const KernelContract &kernel, const std::vector<Argument> &arguments);

/// True if strides and extents allow `variant`, whatever the bases.
bool allowsVariant(const Variant &variant, const std::vector<Argument> &arguments);

/// True if the bases allow it too.
bool allowsBases(const Variant &variant, const std::vector<Argument> &arguments);

} // namespace tile

#endif // TILE_RUNTIME_LAUNCH_MEMORY_H
