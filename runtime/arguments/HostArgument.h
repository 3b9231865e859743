// Arguments made from text: `rand:f32[1823,781]`, `weights.npy`, `0.5`. The forms of `tilec run --arg`, and of every
// other program that fills a kernel's parameters from a command line.
//
//   rand:T[shape]     normal floats, integers over the whole type, fair bools
//   normal: uniform: special: zeros: ones: iota: likewise; uniform floats are in [0, 1), normal integers below 100,
//                     special ones have infinities, NaNs, denormals and limits among them
//   range(LOW,HIGH):T[shape]   evenly from [LOW, HIGH); integers round down
//   empty:T[shape]    poison: NaN, or all bits set
//   any of them with strides in elements: rand:f32[4,5]@[8,1]; the gaps are poison
//   FILE.npy          what the file holds
//   0.5  -7  true  inf  i32:7  f16:0.5   a scalar; without a type it takes the parameter's
//   none              an absent optional parameter
//
// The same seed and name give the same bits on every machine.

#ifndef TILE_RUNTIME_ARGUMENTS_HOSTARGUMENT_H
#define TILE_RUNTIME_ARGUMENTS_HOSTARGUMENT_H

#include "runtime/Result.h"
#include "runtime/arguments/Fill.h"
#include "runtime/artifact/DataType.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tile {

/// A tensor that is to be filled says its shape at once and takes memory with `allocate`, so that it can be refused for
/// its shape first.
struct HostArgument {
  enum class Kind { Tensor, Scalar, None };

  std::string name; ///< Empty when given by position.
  Kind kind = Kind::Tensor;
  NpyArray tensor;
  std::optional<DataType> scalarType; ///< As written before the colon.
  std::string scalarText;
  bool isPoisoned = false; ///< Made by `empty`.
  /// What `allocate` is to take and to write; 0 bytes where the tensor is complete.
  int64_t bytes = 0;
  const Filling *filling = nullptr;
  std::optional<std::pair<double, double>> range; ///< [first, second) in place of a filling
  uint64_t seed = 0;

  /// Whether its elements are made, not read from a file.
  bool isMade() const { return filling || range || isPoisoned; }

  /// Takes the memory of a tensor and fills it. Fails where there is not as much.
  Status allocate(Draw draw = Draw::Each);
};

/// What this machine has, in bytes.
int64_t machineMemory();

/// Whether the system gives as much memory now. A vector could only end the process if it does not.
bool isAvailable(size_t bytes);

/// The argument that `text` describes, with `name=` in front or without. Fails with what was found and the forms
/// expected.
Result<HostArgument> makeHostArgument(std::string_view text, uint64_t seed);

/// The value of a scalar argument in `type`, as raw bits, low end first. Fails if the text is no such value.
Result<uint64_t> scalarBits(const HostArgument &argument, DataType type);

} // namespace tile

#endif // TILE_RUNTIME_ARGUMENTS_HOSTARGUMENT_H
