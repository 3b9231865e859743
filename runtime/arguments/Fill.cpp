#include "runtime/arguments/Fill.h"

#define XXH_INLINE_ALL // no library to link
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace tile {

int64_t countElements(const NpyArray &tensor) {
  int64_t count = 1;
  for (int64_t extent : tensor.extents)
    count *= extent;
  return count;
}

void poison(NpyArray &tensor) {
  // All ones is a NaN in every float type.
  if (!tensor.data.empty())
    std::memset(tensor.data.data(), 0xff, tensor.data.size());
}

uint64_t checksum(const NpyArray &tensor) {
  XXH64_state_t *state = XXH64_createState();
  XXH64_reset(state, 0);
  int64_t width = getBytes(tensor.type);
  forEachElement(tensor,
                 [&](int64_t, int64_t offset) { XXH64_update(state, tensor.data.data() + offset * width, width); });
  uint64_t hash = XXH64_digest(state);
  XXH64_freeState(state);
  return hash;
}

uint64_t mixSeed(uint64_t seed, std::string_view name) { return XXH64(name.data(), name.size(), seed); }

namespace {

/// Random bits, and standard normal values by the polar method of Marsaglia (1964): the library's distribution differs
/// between platforms.
class RandomSource {
public:
  explicit RandomSource(uint64_t seed) : engine(seed) {}

  uint64_t bits() { return engine(); }
  double uniform() { return static_cast<double>(engine() >> 11) * 0x1p-53; }
  double normal() {
    if (hasSpare) {
      hasSpare = false;
      return spare;
    }
    double u, v, s;
    do {
      u = 2 * uniform() - 1;
      v = 2 * uniform() - 1;
      s = u * u + v * v;
    } while (s >= 1 || s == 0);
    double scale = std::sqrt(-2 * std::log(s) / s);
    spare = v * scale;
    hasSpare = true;
    return u * scale;
  }

private:
  std::mt19937_64 engine;
  double spare = 0;
  bool hasSpare = false;
};

uint64_t number(DataType type, int64_t value) {
  if (isFloat(type))
    return roundToBits(type, static_cast<double>(value));
  return type == DataType::Bool ? value != 0 : static_cast<uint64_t>(value);
}

/// Integers stay small, so that sums and products of a few stay in range.
uint64_t normalElement(DataType type, RandomSource &source, int64_t) {
  if (isFloat(type))
    return roundToBits(type, source.normal());
  if (type == DataType::Bool)
    return source.bits() >> 63;
  int64_t value = static_cast<int64_t>(source.bits() % 201);
  return number(type, isSignedInteger(type) ? value - 100 : value);
}

uint64_t anyElement(DataType type, RandomSource &source, int64_t) {
  if (isFloat(type))
    return roundToBits(type, source.normal());
  return type == DataType::Bool ? source.bits() >> 63 : source.bits();
}

uint64_t uniformElement(DataType type, RandomSource &source, int64_t) {
  if (isFloat(type))
    return roundToBits(type, source.uniform());
  return type == DataType::Bool ? source.bits() >> 63 : source.bits();
}

/// A value where something changes: a sign, a range, a rounding, a width.
uint64_t edgeElement(DataType type, RandomSource &source) {
  uint64_t choice = source.bits();
  if (isFloat(type)) {
    const double infinity = std::numeric_limits<double>::infinity();
    // Ties of every narrower type, limits of every integer, and the overflow tie of f16.
    const double values[] = {0.0,    -0.0,    infinity, -infinity, std::nan(""), 1,      -1,      0.5,
                             -0.5,   1.5,     -1.5,     2.5,       -2.5,         0x1p31, -0x1p31, 0x1p32,
                             0x1p63, -0x1p63, 127.5,    -128.5,    255.5,        65504,  65520};
    constexpr size_t kValues = sizeof(values) / sizeof(values[0]);
    int64_t bits = 8 * getBytes(type);
    uint64_t sign = uint64_t(1) << (bits - 1);
    uint64_t smallestNormal = uint64_t(1) << getMantissaBits(type);
    uint64_t limits[] = {1, smallestNormal - 1, smallestNormal, roundToBits(type, infinity) - 1};
    size_t index = choice % (kValues + 8);
    constexpr uint64_t kInfinityE5M2 = 0x7c; // which rounding does not give
    if (index < kValues && type == DataType::F8E5M2 && std::isinf(values[index]))
      return kInfinityE5M2 | (values[index] < 0 ? sign : 0);
    if (index < kValues)
      return roundToBits(type, values[index]);
    return limits[(index - kValues) / 2] | ((index - kValues) % 2 ? sign : 0);
  }
  if (type == DataType::Bool)
    return choice & 1;
  int64_t width = 8 * getBytes(type);
  uint64_t top = uint64_t(1) << (width - 1);
  const uint64_t values[] = {
      0, 1, ~uint64_t(0), 2, top, top - 1, top + 1, top - 2, uint64_t(width - 1), uint64_t(width), uint64_t(width + 1)};
  return values[choice % (sizeof(values) / sizeof(values[0]))];
}

/// One element of three is an edge, the first always.
uint64_t specialElement(DataType type, RandomSource &source, int64_t index) {
  bool isEdge = source.bits() % 3 == 0 || index == 0;
  return isEdge ? edgeElement(type, source) : anyElement(type, source, index);
}

} // namespace

struct Filling {
  std::string_view name;
  uint64_t (*element)(DataType type, RandomSource &source, int64_t index);
  bool isOfIndex = false; ///< each element is another by its place
};

static const Filling kFillings[] = {
    {"iota", [](DataType type, RandomSource &, int64_t index) { return number(type, index); }, true},
    {"normal", normalElement},
    {"ones", [](DataType type, RandomSource &, int64_t) { return number(type, 1); }},
    {"rand", anyElement},
    {"special", specialElement},
    {"uniform", uniformElement},
    {"zeros", [](DataType type, RandomSource &, int64_t) { return number(type, 0); }},
};

const Filling *findFilling(std::string_view name) {
  for (const Filling &filling : kFillings)
    if (filling.name == name)
      return &filling;
  return nullptr;
}

std::vector<std::string_view> fillingNames() {
  std::vector<std::string_view> names;
  for (const Filling &filling : kFillings)
    names.push_back(filling.name);
  return names;
}

std::string listFillings() {
  std::string names;
  for (std::string_view name : fillingNames())
    names += (names.empty() ? "" : " ") + std::string(name);
  return names;
}

template <typename Element> static void fillElements(NpyArray &tensor, uint64_t seed, Draw draw, Element element) {
  RandomSource source(seed);
  int64_t width = getBytes(tensor.type), count = countElements(tensor);
  auto write = [&](int64_t index, int64_t offset) {
    uint64_t bits = element(source, index);
    std::memcpy(tensor.data.data() + offset * width, &bits, width);
  };
  if (draw == Draw::Each || count <= kDrawnElements || tensor.strides != rowMajorStrides(tensor.extents))
    return forEachElement(tensor, write);
  for (int64_t i = 0; i < kDrawnElements; ++i)
    write(i, i);
  for (int64_t i = kDrawnElements; i < count; i += kDrawnElements)
    std::memcpy(tensor.data.data() + i * width, tensor.data.data(), std::min(kDrawnElements, count - i) * width);
}

void fill(NpyArray &tensor, const Filling &filling, uint64_t seed, Draw draw) {
  fillElements(tensor, seed, filling.isOfIndex ? Draw::Each : draw,
               [&](RandomSource &source, int64_t index) { return filling.element(tensor.type, source, index); });
}

/// The nearest number that the integer type holds.
static int64_t nearestInteger(DataType type, double value) {
  int bits = type == DataType::Bool ? 1 : std::min<int>(int(8 * getBytes(type)) - isSignedInteger(type), 63);
  double whole = std::floor(value), end = std::ldexp(1.0, bits), low = isSignedInteger(type) ? -end : 0;
  if (whole >= end)
    return static_cast<int64_t>((uint64_t(1) << bits) - 1);
  return static_cast<int64_t>(std::max(whole, low));
}

void fillRange(NpyArray &tensor, double low, double high, uint64_t seed, Draw draw) {
  fillElements(tensor, seed, draw, [&](RandomSource &source, int64_t) {
    double part = source.uniform();
    double value = std::isfinite(high - low) ? low + (high - low) * part : low * (1 - part) + high * part;
    return isFloat(tensor.type) ? roundToBits(tensor.type, value)
                                : number(tensor.type, nearestInteger(tensor.type, value));
  });
}

} // namespace tile
