/// Moves elements between memory and the values of a program: copies, and what bools and pointers need beside.
#ifndef BACKEND_INTERPRETER_TRANSFER_H
#define BACKEND_INTERPRETER_TRANSFER_H

#include "backend/interpreter/Memory.h"

namespace tile::interpreter {

/// Copies `count` elements of `size` bytes; steps are in bytes.
void copyElements(char *to, int64_t toStep, const char *from, int64_t fromStep, int64_t count, int64_t size);

/// Fills `count` dense elements with the one at `value`.
void fillElements(char *to, const char *value, int64_t count, int64_t size);

/// What an element type needs when it comes from memory: any byte but 0 is true, and a pointer finds its buffer.
enum class Loaded : uint8_t { AsIs, Bool, Pointer };
void finishLoad(Loaded kind, char *elements, int64_t count, const Memory &memory);

/// A signed integer of any type.
int64_t integerAt(const char *data, Element element, int64_t index);

/// A float of any stored type.
double floatAt(const void *data, Element element);

} // namespace tile::interpreter

#endif
