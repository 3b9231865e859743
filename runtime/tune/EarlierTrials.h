// What searches before this one found for the same launch, and what of it need not be looked at again.

#ifndef TILE_RUNTIME_TUNE_EARLIERTRIALS_H
#define TILE_RUNTIME_TUNE_EARLIERTRIALS_H

#include "runtime/tune/Trial.h"

#include <map>

namespace tile {

class EarlierTrials {
public:
  EarlierTrials() = default;
  explicit EarlierTrials(std::vector<Trial> trials);

  /// Null where there is none.
  const Trial *find(const Configuration &configuration) const;
  /// One for each of `configurations`; nothing where one of them has none.
  std::optional<std::vector<Trial>> findAll(const std::vector<Configuration> &configurations) const;
  /// Gives those of `trials` that were not tried now what was found then; ranks and predictions stay.
  void addTo(std::vector<Trial> &trials) const;

private:
  std::map<std::string, Trial> trials; ///< By configuration.
};

/// Whether a search that goes on need not look at what `trial` is of: it has times or failed, but not for a limit that
/// is wider now. `wasStopped`: the search that chose among these trials was, so that none of them is known to be fast.
bool isDone(const Trial &trial, double compileSeconds, bool wasStopped);

} // namespace tile

#endif // TILE_RUNTIME_TUNE_EARLIERTRIALS_H
