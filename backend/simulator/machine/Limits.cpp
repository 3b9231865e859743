#include "backend/simulator/machine/Limits.h"

#include <charconv>

namespace tile::sim {

namespace {
struct Generation {
  unsigned capability;
  uint64_t sharedKiB;
};
} // namespace

/// "Maximum amount of shared memory per thread block", by compute capability.
static constexpr Generation kGenerations[] = {{0, 48},   {70, 96}, {75, 64},  {80, 163}, {86, 99},
                                              {87, 163}, {89, 99}, {90, 227}, {120, 99}};

/// What `ptxas` takes from a module, however much the GPU has.
static constexpr uint64_t kFixedSharedBytes = 48 << 10;

SharedLimits sharedLimitsOf(std::string_view target) {
  std::string_view name = target.substr(0, target.find(','));
  std::string_view digits = name.substr(name.find('_') + 1);
  unsigned capability = 0;
  const char *end = std::from_chars(digits.data(), digits.data() + digits.size(), capability).ptr;
  std::string_view suffix(end, size_t(digits.data() + digits.size() - end));
  uint64_t all = 0;
  for (const Generation &generation : kGenerations)
    if (generation.capability <= capability)
      all = generation.sharedKiB << 10;
  // Code for sm_90a alone may say all of it (ptxas 13.0).
  bool mayFixAll = capability == 90 && suffix == "a";
  return {mayFixAll ? all : kFixedSharedBytes, all};
}

} // namespace tile::sim
