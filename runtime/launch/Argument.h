// What a caller passes for one parameter of a kernel: a tensor, a raw pointer, a scalar, or nothing.
//
// Plain data without ownership or allocation: the memory is the caller's. An address is of the GPU's memory for a
// launch and of the host's for the CPU interpreter; nothing here follows it.

#ifndef TILE_RUNTIME_LAUNCH_ARGUMENT_H
#define TILE_RUNTIME_LAUNCH_ARGUMENT_H

#include "runtime/artifact/Manifest.h"

#include <cstdint>
#include <vector>

namespace tile {

struct Argument {
  enum class Kind : uint8_t { None, Tensor, Pointer, Integer, Real };

  Kind kind = Kind::None;
  DataType type = DataType::F32; ///< Of a tensor's elements.
  bool isUnsigned = false;       ///< The integer is an u64.
  int rank = 0;
  int device = -1; ///< The GPU's ordinal where a tensor lies; -1: unknown.
  uint64_t address = 0;
  int64_t integer = 0;
  double real = 0;
  int64_t extents[kMaxRank] = {};
  int64_t strides[kMaxRank] = {}; ///< In elements.

  /// An optional parameter left out.
  static Argument none() { return {}; }

  /// A row-major tensor.
  static Argument tensor(const void *data, DataType type, const std::vector<int64_t> &extents);

  /// A tensor with strides in elements. More axes than `kMaxRank` are a rank error at the launch.
  static Argument tensor(const void *data, DataType type, const std::vector<int64_t> &extents,
                         const std::vector<int64_t> &strides);

  static Argument pointer(const void *data);

  /// Integers fit any integer parameter that holds the value, and any float parameter. Reals are rounded to the
  /// parameter's float type, to nearest.
  static Argument scalar(bool value);
  static Argument scalar(int value);
  static Argument scalar(int64_t value);
  static Argument scalar(uint64_t value);
  static Argument scalar(double value);
};

} // namespace tile

#endif // TILE_RUNTIME_LAUNCH_ARGUMENT_H
