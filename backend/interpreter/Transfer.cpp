#include "backend/interpreter/Transfer.h"

using namespace tile;
using namespace tile::interpreter;

namespace {
template <int64_t kBytes> struct Opaque {
  char bytes[kBytes];
};

/// Calls `then` with an opaque element of `size` bytes.
template <typename Then> void withSize(int64_t size, Then then) {
  switch (size) {
  case 1:
    return then(Opaque<1>());
  case 2:
    return then(Opaque<2>());
  case 4:
    return then(Opaque<4>());
  case 8:
    return then(Opaque<8>());
  default:
    return then(Opaque<16>());
  }
}
} // namespace

void tile::interpreter::copyElements(char *to, int64_t toStep, const char *from, int64_t fromStep, int64_t count,
                                     int64_t size) {
  if (toStep == size && fromStep == size) {
    memcpy(to, from, count * size);
    return;
  }
  withSize(size, [&](auto element) {
    for (int64_t i = 0; i < count; ++i)
      memcpy(to + i * toStep, from + i * fromStep, sizeof(element));
  });
}

void tile::interpreter::fillElements(char *to, const char *value, int64_t count, int64_t size) {
  withSize(size, [&](auto element) {
    memcpy(&element, value, sizeof(element));
    for (int64_t i = 0; i < count; ++i)
      memcpy(to + i * sizeof(element), &element, sizeof(element));
  });
}

void tile::interpreter::finishLoad(Loaded kind, char *elements, int64_t count, const Memory &memory) {
  if (kind == Loaded::Bool)
    for (int64_t i = 0; i < count; ++i)
      elements[i] = elements[i] != 0;
  if (kind == Loaded::Pointer)
    for (int64_t i = 0; i < count; ++i) {
      uint64_t address;
      memcpy(&address, elements + i * sizeof(address), sizeof(address));
      address = memory.pointerTo(address);
      memcpy(elements + i * sizeof(address), &address, sizeof(address));
    }
}

int64_t tile::interpreter::integerAt(const char *data, Element element, int64_t index) {
  uint64_t bits = 0;
  int64_t size = sizeOf(element), unused = 64 - 8 * size;
  memcpy(&bits, data + index * size, size);
  return static_cast<int64_t>(bits << unused) >> unused;
}

double tile::interpreter::floatAt(const void *data, Element element) {
  double value;
  const void *in[] = {data, data, data};
  const char *conversion = element == Element::F64 ? "arith.bitcast" : "arith.extf";
  findElementLoop(conversion, element, Element::F64)(&value, in, 1, nullptr);
  return value;
}
