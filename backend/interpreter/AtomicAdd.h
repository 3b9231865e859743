/// Atomic addition on one element of memory, for every element type that has it.
#ifndef BACKEND_INTERPRETER_ATOMICADD_H
#define BACKEND_INTERPRETER_ATOMICADD_H

#include "backend/interpreter/ElementLoops.h"

namespace tile::interpreter {

/// Adds `*value` to `*memory` and writes what was there to `*old`, all of one type. `format` is used for `Bounded`.
using AtomicAdd = void (*)(void *memory, const void *value, void *old, const FloatFormat *format);

/// Null if elements of this type cannot be added atomically.
AtomicAdd findAtomicAdd(Element element);

} // namespace tile::interpreter

#endif
