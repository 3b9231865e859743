// Which of several measured configurations is the best, and how sure that is. Pure: samples in, a choice and words out.
//
// Samples of two trials with the same index were taken in the same round, next to each other in time. They are compared
// as ratios, in which clocks and temperatures that change from round to round cancel. What is asked of the ratios is
// the median, and where it may lie, by ranks: that holds for any distribution, with outliers and two clocks as well.
//
// One is slower than another if the whole interval of its ratio is above 1, and the median by more than kResolution:
// what is less is not the same in the next process, however often it is measured in this one. All that are not slower
// than the fastest are a tie, of which the model's first is taken, so that two searches in a row choose alike.

#ifndef TILE_RUNTIME_TUNE_CHOICE_H
#define TILE_RUNTIME_TUNE_CHOICE_H

#include "runtime/tune/Trial.h"

#include <optional>

namespace tile {

/// How sure an interval is, at least.
inline constexpr double kConfidence = 0.95;
/// A relative difference below this is none. One attention, loaded twice into a process on an H200, differed from
/// itself by one percent and by two in the next process, while each of the two varied by less: where code lies has a
/// part in it.
inline constexpr double kResolution = 0.01;

struct Interval {
  double low = 0, median = 0, high = 0;
};

/// Where the median of the distribution lies that `samples` are of. With fewer than six no rank is sure enough: then
/// what was seen, widened by its own width, and by a twentieth at least. Of no samples: from 0 to infinity.
Interval medianInterval(std::vector<double> samples);

/// How much slower `trial` is than `other`: of the ratios of the rounds that both have.
Interval slowdown(const std::vector<double> &trial, const std::vector<double> &other);

bool isSlower(const Interval &slowdown);

/// Whether more rounds would say no more: slower, or within the resolution on either side.
bool isSettled(const Interval &slowdown);

/// The fastest of `candidates`, indices into `trials`, over the rounds that all of them have; `trials.size()` of none.
size_t fastestOf(const std::vector<Trial> &trials, const std::vector<size_t> &candidates);

struct Choice {
  size_t index = 0;         ///< Of the trial.
  std::string why;          ///< `1.8 % faster than the next, …`, `a tie within 0.4 % with …: the first by the model`
  std::vector<size_t> tied; ///< The others that are as fast.
};

/// Chooses among the trials that are `Measured`; nothing where none is.
std::optional<Choice> choose(const std::vector<Trial> &trials);

} // namespace tile

#endif // TILE_RUNTIME_TUNE_CHOICE_H
