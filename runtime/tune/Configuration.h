// One point of a space that is searched: the values of compile-time parameters and knobs that a kernel is compiled
// with.

#ifndef TILE_RUNTIME_TUNE_CONFIGURATION_H
#define TILE_RUNTIME_TUNE_CONFIGURATION_H

#include <string>
#include <utility>
#include <vector>

namespace tile {

struct Configuration {
  /// Names and values as `-D` takes them, in the order of the source: {"BM", "128"}, {"warps", "8"}.
  std::vector<std::pair<std::string, std::string>> values;

  /// `BM = 128, warps = 8`; of no values `the defaults`.
  std::string describe() const;

  bool operator==(const Configuration &other) const { return values == other.values; }
  bool operator!=(const Configuration &other) const { return values != other.values; }
};

} // namespace tile

#endif // TILE_RUNTIME_TUNE_CONFIGURATION_H
