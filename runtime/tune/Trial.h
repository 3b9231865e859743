// What became of one configuration of a search: measured, or why not. Plain data, which is kept and reported.

#ifndef TILE_RUNTIME_TUNE_TRIAL_H
#define TILE_RUNTIME_TUNE_TRIAL_H

#include "runtime/tune/Configuration.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

enum class TrialOutcome {
  Rejected,       ///< By the model: not compiled.
  CompileFailed,  ///< Errors, or a crash of the compiler.
  CompileTimeout, ///< Longer than a compilation may take.
  Refused,        ///< Compiled; the driver or the launcher does not take it: too much of a resource.
  Faulted,        ///< The GPU or the measuring process faulted.
  Hung,           ///< No answer in time.
  Wrong,          ///< Another result than the reference's.
  Slower,         ///< Measured until it was known not to be the best.
  Measured,
  NotTried, ///< The time was over, the search was stopped, or the machine failed.
};

/// `rejected`, `compile failed`, …, as reports and the database have it.
const char *nameOf(TrialOutcome outcome);

/// The outcome of that name; nothing when there is none.
std::optional<TrialOutcome> findOutcome(std::string_view name);

struct Trial {
  Configuration configuration;
  TrialOutcome outcome = TrialOutcome::NotTried;
  std::string reason;     ///< Why it is not `Measured`, in words for the user.
  int modelRank = 0;      ///< 1 is the model's best; 0: the model did not rank it.
  double predictedUs = 0; ///< By the model; 0: not predicted.
  /// Microseconds of one launch, the mean of a batch each, in the order of the rounds.
  std::vector<double> samplesUs;
  double compileMs = 0;
  std::string variant; ///< That the launch took: `fast`. With its numbers, 0 where it was not compiled:
  int64_t registers = 0, spillBytes = 0, sharedBytes = 0, warps = 0;
  int64_t programsPerSm = 0; ///< Resident at a time.
  /// Not tried for what is not its own fault and may be over: a full disk, a process that was killed. Not kept.
  bool machineFailed = false;
  bool isEarlier = false; ///< Of another search: its times were not taken beside those of this one. Not kept.

  bool hasTime() const { return !samplesUs.empty(); }
  double p10Us() const;
  double medianUs() const;
  double p90Us() const;
};

/// The sample that a fraction `quantile` of all are not above, between neighbours in proportion; 0 of none.
double quantileOf(std::vector<double> samples, double quantile);

} // namespace tile

#endif // TILE_RUNTIME_TUNE_TRIAL_H
