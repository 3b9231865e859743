#include "backend/interpreter/Atomic.h"

#include <mutex>

using namespace tile;
using namespace tile::interpreter;

template <typename T> static void addInteger(void *memory, const void *value, void *old, const FloatFormat *) {
  T before = __atomic_fetch_add(static_cast<T *>(memory), *static_cast<const T *>(value), __ATOMIC_ACQ_REL);
  memcpy(old, &before, sizeof(T));
}

/// `add` sums the bits of two floats.
template <typename Bits, typename Add> static void addFloat(void *memory, const void *value, void *old, Add add) {
  Bits addend, before = __atomic_load_n(static_cast<Bits *>(memory), __ATOMIC_RELAXED);
  memcpy(&addend, value, sizeof(addend));
  while (!__atomic_compare_exchange_n(static_cast<Bits *>(memory), &before, add(before, addend), /*weak=*/true,
                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    ;
  memcpy(old, &before, sizeof(before));
}

static void addHalf(void *memory, const void *value, void *old, const FloatFormat *) {
  addFloat<uint16_t>(memory, value, old,
                     [](uint16_t a, uint16_t b) { return toHalf(toFloat(Half{a}) + toFloat(Half{b})).bits; });
}
static void addBFloat(void *memory, const void *value, void *old, const FloatFormat *) {
  addFloat<uint16_t>(memory, value, old,
                     [](uint16_t a, uint16_t b) { return toBFloat(toFloat(BFloat{a}) + toFloat(BFloat{b})).bits; });
}
static void addSingle(void *memory, const void *value, void *old, const FloatFormat *) {
  addFloat<uint32_t>(memory, value, old,
                     [](uint32_t a, uint32_t b) { return bitsTo<uint32_t>(bitsTo<float>(a) + bitsTo<float>(b)); });
}
static void addDouble(void *memory, const void *value, void *old, const FloatFormat *) {
  addFloat<uint64_t>(memory, value, old,
                     [](uint64_t a, uint64_t b) { return bitsTo<uint64_t>(bitsTo<double>(a) + bitsTo<double>(b)); });
}

/// A value and its error change together, under one lock.
static void addBounded(void *memory, const void *value, void *old, const FloatFormat *format) {
  static std::mutex mutex;
  static const ElementLoop add = findElementLoop("arith.addf", Element::Bounded, Element::Bounded);
  std::lock_guard<std::mutex> lock(mutex);
  memcpy(old, memory, sizeof(Bounded));
  const void *in[] = {old, value, value};
  add(memory, in, 1, format);
}

static Atomic findAdd(Element element) {
  switch (element) {
  case Element::I8:
    return addInteger<uint8_t>;
  case Element::I16:
    return addInteger<uint16_t>;
  case Element::I32:
    return addInteger<uint32_t>;
  case Element::I64:
    return addInteger<uint64_t>;
  case Element::F16:
    return addHalf;
  case Element::BF16:
    return addBFloat;
  case Element::F32:
    return addSingle;
  case Element::F64:
    return addDouble;
  case Element::Bounded:
    return addBounded;
  default:
    return nullptr;
  }
}

Atomic tile::interpreter::findAtomic(AtomicKind kind, Element element) {
  switch (kind) {
  case AtomicKind::Add:
    return findAdd(element);
  }
  llvm_unreachable("every kind has its case");
}
