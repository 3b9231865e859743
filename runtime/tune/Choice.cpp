#include "runtime/tune/Choice.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace tile {

/// How many samples from either end the interval begins, so that it holds the median with kConfidence: each sample is
/// below the median with probability one half, whatever the distribution. 0: there are too few.
static size_t rankOfBound(size_t count) {
  double probability = std::pow(0.5, static_cast<double>(count)), sum = 0;
  size_t rank = 0;
  for (; rank < count / 2; ++rank) {
    sum += probability; // of exactly `rank` samples below
    if (sum > (1 - kConfidence) / 2)
      break;
    probability *= static_cast<double>(count - rank) / static_cast<double>(rank + 1);
  }
  return rank;
}

Interval medianInterval(std::vector<double> samples) {
  if (samples.empty())
    return {0, 0, std::numeric_limits<double>::infinity()};
  double median = quantileOf(samples, 0.5);
  std::sort(samples.begin(), samples.end());
  if (size_t rank = rankOfBound(samples.size()))
    return {samples[rank - 1], median, samples[samples.size() - rank]};
  double margin = std::max(samples.back() - samples.front(), median / 20);
  return {samples.front() - margin, median, samples.back() + margin};
}

Interval slowdown(const std::vector<double> &trial, const std::vector<double> &other) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(trial.size(), other.size()); ++i)
    ratios.push_back(trial[i] / other[i]);
  return medianInterval(std::move(ratios));
}

bool isSlower(const Interval &slowdown) { return slowdown.low > 1 && slowdown.median > 1 + kResolution; }

bool isSettled(const Interval &slowdown) {
  return isSlower(slowdown) || (slowdown.low > 1 - kResolution && slowdown.high < 1 + kResolution);
}

static std::string percent(double ratio) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f %%", (ratio - 1) * 100);
  return text;
}

static std::string quoted(const Trial &trial) { return "`" + trial.configuration.describe() + "`"; }

size_t fastestOf(const std::vector<Trial> &trials, const std::vector<size_t> &candidates) {
  size_t rounds = std::numeric_limits<size_t>::max();
  for (size_t i : candidates)
    rounds = std::min(rounds, trials[i].samplesUs.size());
  // By what a round has for all: medians of raw times of two clocks are those of one or the other by chance.
  std::vector<std::vector<double>> relative(candidates.size());
  for (size_t round = 0; !candidates.empty() && round < rounds; ++round) {
    std::vector<double> samples;
    for (size_t i : candidates)
      samples.push_back(trials[i].samplesUs[round]);
    double level = quantileOf(samples, 0.5);
    for (size_t k = 0; k < candidates.size(); ++k)
      relative[k].push_back(samples[k] / level);
  }
  size_t fastest = trials.size();
  double least = 0;
  for (size_t k = 0; k < candidates.size(); ++k)
    if (double median = quantileOf(relative[k], 0.5); fastest == trials.size() || median < least) {
      fastest = candidates[k];
      least = median;
    }
  return fastest;
}

/// Smaller is better; what has no rank comes last.
static int rankOf(const Trial &trial) {
  return trial.modelRank > 0 ? trial.modelRank : std::numeric_limits<int>::max();
}

/// Why `chosen`, which ties with none, is the best.
static std::string whyFastest(const std::vector<Trial> &trials, size_t chosen) {
  std::vector<size_t> others;
  for (size_t i = 0; i < trials.size(); ++i)
    if (i != chosen && trials[i].hasTime())
      others.push_back(i);
  size_t next = fastestOf(trials, others);
  auto differ = std::count_if(trials.begin(), trials.end(),
                              [](const Trial &trial) { return trial.outcome == TrialOutcome::Wrong; });
  if (next == trials.size())
    return std::string("the only one that was measured") +
           (differ ? "; the results of all others that ran, " + std::to_string(differ) + ", differ from its" : "");
  Interval ratio = slowdown(trials[next].samplesUs, trials[chosen].samplesUs);
  return percent(ratio.median) + " faster than the next, " + quoted(trials[next]) +
         (ratio.low > 1 ? ", 95 % sure" : ", after few rounds");
}

std::optional<Choice> choose(const std::vector<Trial> &trials) {
  std::vector<size_t> measured;
  for (size_t i = 0; i < trials.size(); ++i)
    if (trials[i].outcome == TrialOutcome::Measured && trials[i].hasTime())
      measured.push_back(i);
  size_t fastest = fastestOf(trials, measured);
  if (fastest == trials.size())
    return std::nullopt;
  Choice choice;
  choice.index = fastest;
  double widest = 1;
  for (size_t i : measured) {
    Interval ratio = slowdown(trials[i].samplesUs, trials[fastest].samplesUs);
    if (i == fastest || isSlower(ratio))
      continue;
    choice.tied.push_back(i);
    widest = std::max(widest, ratio.median);
    if (rankOf(trials[i]) < rankOf(trials[choice.index]))
      choice.index = i;
  }
  if (choice.tied.empty()) {
    choice.why = whyFastest(trials, fastest);
    return choice;
  }
  std::replace(choice.tied.begin(), choice.tied.end(), choice.index, fastest);
  choice.why = "a tie within " + percent(widest) + " with " + quoted(trials[choice.tied.front()]);
  if (choice.tied.size() > 1)
    choice.why += " and " + std::to_string(choice.tied.size() - 1) + " more";
  choice.why += rankOf(trials[choice.index]) == rankOf(trials[choice.tied.front()]) ? ": the fastest"
                                                                                    : ": the first by the model";
  return choice;
}

} // namespace tile
