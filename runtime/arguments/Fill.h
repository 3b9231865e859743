// Fills tensors with inputs for runs and tests: constants, random values, and the values that break things. The same
// seed gives the same bits on every machine.

#ifndef TILE_RUNTIME_ARGUMENTS_FILL_H
#define TILE_RUNTIME_ARGUMENTS_FILL_H

#include "runtime/npy/Npy.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

/// A way to fill a tensor, by name. Static storage.
struct Filling;

/// Null when there is none of that name.
const Filling *findFilling(std::string_view name);

/// Every name; and separated by spaces, for messages.
std::vector<std::string_view> fillingNames();
std::string listFillings();

/// Whether each element is drawn, or those of a large row-major tensor repeat: to draw 10^9 takes a minute.
enum class Draw { Each, First };

/// How many are drawn then. A prime, so that rows and tiles, which are multiples of smaller primes, differ.
inline constexpr int64_t kDrawnElements = 1048583;

/// Writes every element; the gaps between strided elements stay as they are.
void fill(NpyArray &tensor, const Filling &filling, uint64_t seed, Draw draw = Draw::Each);

/// Values evenly from [low, high); integers round down, and what the type does not hold becomes its nearest number.
void fillRange(NpyArray &tensor, double low, double high, uint64_t seed, Draw draw = Draw::Each);

/// Sets every byte so that an element that is not written shows: NaN for floats, all ones otherwise.
void poison(NpyArray &tensor);

/// 64 bits of XXH64 over the elements in row-major order, gaps skipped: equal for equal values under any strides.
uint64_t checksum(const NpyArray &tensor);

/// Another seed for each name, so that adding a tensor changes no other.
uint64_t mixSeed(uint64_t seed, std::string_view name);

int64_t countElements(const NpyArray &tensor);

/// Calls `visit(row-major index, element offset)` for each element.
template <typename Visit> void forEachElement(const NpyArray &tensor, Visit visit) {
  int64_t count = countElements(tensor);
  std::vector<int64_t> position(tensor.extents.size(), 0);
  int64_t offset = 0;
  for (int64_t i = 0; i < count; ++i) {
    visit(i, offset);
    for (size_t axis = position.size(); axis-- > 0;) {
      offset += tensor.strides[axis];
      if (++position[axis] < tensor.extents[axis])
        break;
      offset -= tensor.strides[axis] * tensor.extents[axis];
      position[axis] = 0;
    }
  }
}

} // namespace tile

#endif // TILE_RUNTIME_ARGUMENTS_FILL_H
