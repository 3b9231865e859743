#include "runtime/tune/Rounds.h"

#include "runtime/tune/Choice.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <random>

namespace tile {

/// A first estimate so many times the best one's is not timed: it is rough, but not that rough.
static constexpr double kHopeless = 3;
/// Below this an estimate is of the launches rather than of the kernel.
static constexpr double kEstimableUs = 50;
/// No fewer rounds say that one is slower: a single batch may be disturbed.
static constexpr unsigned kRoundsToDrop = 3;
/// Clocks are settled when the medians of that many batches agree from one group to the next, within the resolution.
static constexpr unsigned kSettlingGroup = 5, kMostSettlingGroups = 40;

namespace {
class Rounds {
public:
  Rounds(Bench &bench, std::vector<Trial> &trials, const std::vector<size_t> &candidates, const RoundOptions &options)
      : bench(bench), trials(trials), candidates(candidates), options(options), random(options.seed) {}
  void run();

private:
  struct Alive {
    size_t candidate; ///< As `bench` knows it.
    double estimateUs;
  };

  Trial &trialOf(const Alive &one) { return trials[candidates[one.candidate]]; }
  double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); }
  void startClock() { begin = std::chrono::steady_clock::now(); }
  /// Why there is to be no further step; empty while there may be one.
  std::string whyStop(double seconds) const;
  /// The same for a first step with `candidate`.
  std::string whyNotTry(size_t candidate, double seconds) const {
    return whyStop(candidate < kLeastTried ? std::numeric_limits<double>::infinity() : seconds);
  }
  bool isCancelled() const { return options.cancelled && *options.cancelled; }
  void fail(Trial &trial, const BenchAnswer &answer) const;
  void report(const char *step, size_t done, size_t of);
  void refuseOddReference(const std::map<size_t, size_t> &others);
  void check();
  void settle();
  bool timeRound(unsigned round);
  bool drop();

  Bench &bench;
  std::vector<Trial> &trials;
  const std::vector<size_t> &candidates;
  const RoundOptions &options;
  std::mt19937_64 random;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  std::vector<Alive> alive;
  double bestUs = 0;
  std::string whyNotTried; ///< As `bench` said it.
};
} // namespace

std::string Rounds::whyStop(double seconds) const {
  if (isCancelled())
    return "stopped before it was measured";
  if (elapsed() < seconds)
    return "";
  char text[64];
  std::snprintf(text, sizeof(text), "the %.3g s for measuring were over", options.seconds);
  return text;
}

void Rounds::report(const char *step, size_t done, size_t of) {
  if (options.onProgress)
    options.onProgress(step, done, of, bestUs);
}

void Rounds::fail(Trial &trial, const BenchAnswer &answer) const {
  trial.outcome = *answer.failure;
  trial.reason = answer.reason;
  trial.machineFailed = answer.failure == TrialOutcome::NotTried && !isCancelled();
}

static std::string times(const char *what, double ratio) {
  char text[96];
  std::snprintf(text, sizeof(text), "%s %.2f times that of the best", what, ratio);
  return text;
}

/// Refuses what agrees with a reference that fewer agree with than with one of the `others`, which count those alike.
void Rounds::refuseOddReference(const std::map<size_t, size_t> &others) {
  size_t most = 0;
  for (auto [candidate, count] : others)
    most = std::max(most, count);
  if (most <= alive.size())
    return;
  for (const Alive &one : alive)
    fail(trialOf(one),
         {TrialOutcome::Wrong,
          "its results differ from those of " + std::to_string(most) + " others, which agree with each other", 0});
  alive.clear();
}

void Rounds::check() {
  std::map<size_t, size_t> others;
  for (size_t i = 0; i < candidates.size(); ++i) {
    Trial &trial = trials[candidates[i]];
    report("checking", i, candidates.size());
    if (i == 0) {
      bench.waitForArguments();
      startClock();
    }
    if (std::string why = whyNotTry(i, options.seconds / 2); !why.empty()) {
      trial.outcome = TrialOutcome::NotTried;
      trial.reason = why;
      continue;
    }
    BenchAnswer answer = bench.check(i, trial);
    if (answer.failure) {
      fail(trial, answer);
      if (answer.failure == TrialOutcome::Wrong)
        ++others[answer.alike];
      continue;
    }
    if (alive.empty()) // the reference, with which the arguments went to the GPU
      startClock();
    alive.push_back({i, answer.microseconds});
    if (bestUs == 0 || answer.microseconds < bestUs)
      bestUs = answer.microseconds;
  }
  refuseOddReference(others);
  auto isHopeless = [&](const Alive &one) {
    if (one.estimateUs <= kHopeless * std::max(bestUs, kEstimableUs))
      return false;
    trialOf(one).outcome = TrialOutcome::Slower;
    trialOf(one).samplesUs = {one.estimateUs};
    trialOf(one).reason = times("a first estimate was", one.estimateUs / bestUs);
    return true;
  };
  alive.erase(std::remove_if(alive.begin(), alive.end(), isHopeless), alive.end());
}

/// Runs the fastest until its time no longer changes: after a pause clocks are lower, or higher until heat lowers them.
void Rounds::settle() {
  auto fastest = std::min_element(alive.begin(), alive.end(),
                                  [](const Alive &a, const Alive &b) { return a.estimateUs < b.estimateUs; });
  double before = 0;
  for (unsigned group = 0; fastest != alive.end() && group < kMostSettlingGroups; ++group) {
    std::vector<double> samples;
    for (unsigned i = 0; i < kSettlingGroup; ++i) {
      if (!whyStop(options.seconds).empty())
        return;
      BenchAnswer answer = bench.time(fastest->candidate);
      if (answer.failure == TrialOutcome::NotTried)
        return;
      if (answer.failure) {
        fail(trialOf(*fastest), answer);
        alive.erase(fastest);
        return settle();
      }
      samples.push_back(answer.microseconds);
    }
    double median = quantileOf(std::move(samples), 0.5);
    if (std::fabs(median / before - 1) < kResolution)
      return;
    before = median;
  }
}

/// Times a batch of each that is left. False where it was stopped: then the batches of this round are dropped, since
/// only whole rounds compare; of a first round, in which the time limit leaves out some, they are all there is.
bool Rounds::timeRound(unsigned round) {
  std::vector<size_t> order(alive.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  std::vector<double> samples(alive.size(), 0);
  std::vector<bool> hasFailed(alive.size(), false);
  bool isWhole = true;
  for (size_t i : order) {
    if (!(round == 0 ? whyNotTry(alive[i].candidate, options.seconds) : whyStop(options.seconds)).empty()) {
      isWhole = false;
      continue;
    }
    BenchAnswer answer = bench.time(alive[i].candidate);
    if (answer.failure == TrialOutcome::NotTried) {
      isWhole = false;
      whyNotTried = answer.reason;
      break;
    }
    hasFailed[i] = answer.failure.has_value();
    if (hasFailed[i]) {
      fail(trialOf(alive[i]), answer);
      trialOf(alive[i]).samplesUs.clear();
    }
    samples[i] = answer.microseconds;
  }
  std::vector<Alive> left;
  for (size_t i = 0; i < alive.size(); ++i) {
    if (hasFailed[i])
      continue;
    left.push_back(alive[i]);
    if (samples[i] > 0 && (isWhole || round == 0))
      trialOf(alive[i]).samplesUs.push_back(samples[i]);
  }
  alive = std::move(left);
  return isWhole;
}

/// Leaves those that are not known to be slower than the fastest. True if more rounds would say no more of them.
bool Rounds::drop() {
  std::vector<size_t> left;
  for (const Alive &one : alive)
    left.push_back(candidates[one.candidate]);
  size_t fastest = fastestOf(trials, left);
  if (fastest == trials.size())
    return true;
  bestUs = trials[fastest].medianUs();
  bool isKnown = true;
  auto isKnownSlower = [&](const Alive &one) {
    Trial &trial = trialOf(one);
    if (&trial == &trials[fastest])
      return false;
    Interval ratio = slowdown(trial.samplesUs, trials[fastest].samplesUs);
    isKnown &= isSettled(ratio);
    if (!isSlower(ratio))
      return false;
    trial.outcome = TrialOutcome::Slower;
    trial.reason = times("its time is", ratio.median);
    return true;
  };
  alive.erase(std::remove_if(alive.begin(), alive.end(), isKnownSlower), alive.end());
  return isKnown;
}

void Rounds::run() {
  check();
  settle();
  for (const Alive &one : alive)
    trialOf(one).outcome = TrialOutcome::Measured;
  for (unsigned round = 0; round < options.mostRounds && !alive.empty(); ++round) {
    report("timing", round, options.mostRounds);
    if (!timeRound(round))
      break;
    if (round + 1 >= kRoundsToDrop && drop() && round + 1 >= kLeastRounds)
      break;
  }
  for (const Alive &one : alive)
    if (!trialOf(one).hasTime()) {
      trialOf(one).outcome = TrialOutcome::NotTried;
      trialOf(one).reason = whyNotTried.empty() ? whyStop(options.seconds) : whyNotTried;
      trialOf(one).machineFailed = !whyNotTried.empty() && !isCancelled();
    }
}

void runRounds(Bench &bench, std::vector<Trial> &trials, const std::vector<size_t> &candidates,
               const RoundOptions &options) {
  Rounds(bench, trials, candidates, options).run();
}

} // namespace tile
