// Measures many candidates against each other: checks each, then times them in interleaved rounds, until it is known
// which are slower and which are not, or the time is over.
//
// What runs a candidate is behind `Bench`, so that the order, the early ends and the outcomes are tested without a GPU.
// Every round takes one batch of each candidate that is left, in another random order, so that what the one before
// leaves (clocks, heat, caches) falls on all alike.

#ifndef TILE_RUNTIME_TUNE_ROUNDS_H
#define TILE_RUNTIME_TUNE_ROUNDS_H

#include "runtime/tune/Trial.h"

#include <atomic>
#include <cstdint>
#include <functional>

namespace tile {

/// What came of one step with one candidate.
struct BenchAnswer {
  /// Nothing: it is as it should be. `NotTried`: there is nothing to run it on, or no longer was; earlier times of it
  /// count.
  std::optional<TrialOutcome> failure;
  std::string reason;      ///< Of a failure.
  double microseconds = 0; ///< Of one launch.
  size_t alike = 0;        ///< Of a wrong one: the first candidate, itself perhaps, that wrote the same.
};

/// Runs candidates, which it knows by their numbers. A candidate that failed is not asked for again.
class Bench {
public:
  virtual ~Bench() = default;
  /// Waits until there is what candidates work on. Where there will be none, each of them says why.
  virtual void waitForArguments() = 0;
  /// Loads the candidate, runs it once, compares what it writes with the reference, and estimates its time. The first
  /// that is right becomes the reference. Fills `trial` with what is learnt about its code.
  virtual BenchAnswer check(size_t candidate, Trial &trial) = 0;
  /// Times one batch of launches.
  virtual BenchAnswer time(size_t candidate) = 0;
};

/// Rounds that show how times are spread: what has fewer and is not given up was stopped.
inline constexpr unsigned kLeastRounds = 6;

/// A choice among fewer is no search.
inline constexpr size_t kLeastTried = 4;

struct RoundOptions {
  /// For all, from when there are the arguments and a reference; half of it at most for checking. The first kLeastTried
  /// are checked and timed once however long it takes.
  double seconds = 30;
  unsigned mostRounds = 40;
  uint64_t seed = 0;                            ///< Of the orders.
  const std::atomic<bool> *cancelled = nullptr; ///< Set: stops after the batch at hand and keeps what there is.
  /// Called before each candidate that is checked and before each round: `checking` or `timing`, how many of how many
  /// are done, and the best median so far, 0 at first.
  std::function<void(const char *step, size_t done, size_t of, double bestUs)> onProgress;
};

/// Measures `trials[i]` for each i of `candidates`, the reference first; `bench` knows them by their place in
/// `candidates`. Their outcomes are `Measured`, `Slower`, a failure, or `NotTried`, each of the latter with its reason.
/// Where the reference fails, the next one is it. Where more candidates agree with each other and not with the
/// reference than with it, there is nothing to go by: those that agree with it are `Wrong` as well, and nothing is
/// timed.
void runRounds(Bench &bench, std::vector<Trial> &trials, const std::vector<size_t> &candidates,
               const RoundOptions &options);

} // namespace tile

#endif // TILE_RUNTIME_TUNE_ROUNDS_H
