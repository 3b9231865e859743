/// Atomics on one element of memory, for every kind and element type that has it.
#ifndef BACKEND_INTERPRETER_ATOMIC_H
#define BACKEND_INTERPRETER_ATOMIC_H

#include "backend/interpreter/ElementLoops.h"
#include "ir/Tile/TileOps.h"

namespace tile::interpreter {

/// Combines `*value` with `*memory` and writes what was there to `*old`, all of one type. `format` is used for
/// `Bounded`.
using Atomic = void (*)(void *memory, const void *value, void *old, const FloatFormat *format);

/// Null if elements of this type cannot be combined atomically.
Atomic findAtomic(AtomicKind kind, Element element);

} // namespace tile::interpreter

#endif
