// Whether configurations are measured for a launch.

#ifndef TILE_RUNTIME_TUNE_TUNEPOLICY_H
#define TILE_RUNTIME_TUNE_TUNEPOLICY_H

namespace tile {

enum class TunePolicy {
  Never,   ///< What is known, else the model's first.
  Missing, ///< What is known, else measure.
  Wider,   ///< What is known, but measure against it what was to be measured and was not.
  Force,   ///< Measure.
};

} // namespace tile

#endif // TILE_RUNTIME_TUNE_TUNEPOLICY_H
