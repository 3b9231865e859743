// The order, the early ends and the outcomes of a measurement, on a bench that makes its times up.

#include "runtime/tune/Rounds.h"

#include "runtime/tune/Choice.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <random>
#include <set>
#include <thread>

namespace tile {
namespace {

class SyntheticBench : public Bench {
public:
  explicit SyntheticBench(std::vector<double> times, uint64_t seed = 0) : times(std::move(times)), random(seed) {}

  void waitForArguments() override { std::this_thread::sleep_for(std::chrono::milliseconds(msOfArguments)); }
  BenchAnswer check(size_t candidate, Trial &trial) override {
    if (candidate < msOfChecks.size())
      std::this_thread::sleep_for(std::chrono::milliseconds(msOfChecks[candidate]));
    trial.registers = 64;
    if (candidate < alike.size() && alike[candidate] != 0)
      return {TrialOutcome::Wrong, "it differs", 0, alike[candidate]};
    if (candidate == checkFails)
      return {failure, "it failed", 0};
    return {std::nullopt, "", times[candidate]};
  }
  BenchAnswer time(size_t candidate) override {
    std::this_thread::sleep_for(std::chrono::microseconds(pauseUs));
    order.push_back(candidate);
    if (candidate == timeFails && ++timesOfFailing > 2)
      return {failure, "it failed late", 0};
    if (onTime)
      onTime();
    level *= 1 + drift;
    return {std::nullopt, "", times[candidate] * level * std::exp(0.002 * normal(random))};
  }

  std::vector<double> times;
  std::vector<size_t> alike;                          ///< For each candidate, the first that writes the same.
  double drift = 0;                                   ///< Per batch.
  size_t checkFails = SIZE_MAX, timeFails = SIZE_MAX; ///< Candidates.
  TrialOutcome failure = TrialOutcome::Faulted;
  int64_t pauseUs = 0, msOfArguments = 0;
  std::vector<int64_t> msOfChecks;
  std::function<void()> onTime;
  std::vector<size_t> order;

private:
  double level = 1;
  int timesOfFailing = 0;
  std::mt19937_64 random;
  std::normal_distribution<double> normal;
};

std::vector<Trial> run(SyntheticBench &bench, RoundOptions options = {}) {
  std::vector<Trial> trials(bench.times.size());
  std::vector<size_t> candidates;
  for (size_t i = 0; i < trials.size(); ++i) {
    trials[i].configuration.values = {{"BM", std::to_string(i)}};
    trials[i].modelRank = static_cast<int>(i + 1);
    candidates.push_back(i);
  }
  runRounds(bench, trials, candidates, options);
  return trials;
}

TEST(Rounds, FindTheFastestOfMany) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<double> times;
    std::vector<size_t> alike; ///< For each candidate, the first that writes the same.
    for (int i = 0; i < 60; ++i)
      times.push_back(100 + (i * 37 % 60));
    SyntheticBench bench(times, seed);
    bench.drift = seed % 2 ? 1e-4 : 0;
    std::vector<Trial> trials = run(bench);
    EXPECT_EQ(choose(trials)->index, 0u) << seed;
    EXPECT_EQ(trials[0].registers, 64);
    EXPECT_LT(bench.order.size(), 600u) << "slow ones are given up early";
  }
}

TEST(Rounds, SlowOnesSayHowMuch) {
  SyntheticBench bench({100, 120, 1000});
  std::vector<Trial> trials = run(bench);
  EXPECT_EQ(trials[0].outcome, TrialOutcome::Measured);
  EXPECT_EQ(trials[0].reason, "");
  EXPECT_GE(trials[0].samplesUs.size(), 6u);
  EXPECT_EQ(trials[1].outcome, TrialOutcome::Slower);
  EXPECT_EQ(trials[1].reason, "its time is 1.20 times that of the best");
  EXPECT_EQ(trials[1].samplesUs.size(), 3u);
  EXPECT_EQ(trials[2].outcome, TrialOutcome::Slower);
  EXPECT_EQ(trials[2].reason, "a first estimate was 10.00 times that of the best");
  EXPECT_EQ(std::count(bench.order.begin(), bench.order.end(), 2u), 0);
}

TEST(Rounds, EstimatesOfShortKernelsProveNothing) {
  SyntheticBench bench({4, 20}); // launches alone take that long
  std::vector<Trial> trials = run(bench);
  EXPECT_EQ(trials[1].reason, "its time is 5.00 times that of the best");
}

TEST(Rounds, EqualOnesAreMeasuredUntilThatIsKnown) {
  SyntheticBench bench({100, 100});
  std::vector<Trial> trials = run(bench);
  EXPECT_EQ(trials[1].outcome, TrialOutcome::Measured);
  EXPECT_LT(trials[0].samplesUs.size(), 40u);
  EXPECT_EQ(choose(trials)->index, 0u);
}

TEST(Rounds, EachTakesABatchOfEachInAnotherOrder) {
  SyntheticBench bench({100, 100.6, 101, 100.3});
  run(bench);
  bench.order.erase(bench.order.begin(), bench.order.begin() + (bench.order.size() % 4));
  std::set<std::vector<size_t>> orders;
  for (size_t i = bench.order.size() - 12; i < bench.order.size(); i += 4)
    orders.insert({bench.order.begin() + i, bench.order.begin() + i + 4});
  EXPECT_GT(orders.size(), 1u);
}

TEST(Rounds, FailureIsThatCandidatesResult) {
  for (TrialOutcome outcome : {TrialOutcome::Wrong, TrialOutcome::Faulted, TrialOutcome::Hung, TrialOutcome::Refused}) {
    SyntheticBench bench({100, 50, 101});
    bench.checkFails = 1;
    bench.failure = outcome;
    std::vector<Trial> trials = run(bench);
    EXPECT_EQ(trials[1].outcome, outcome);
    EXPECT_EQ(trials[1].reason, "it failed");
    EXPECT_EQ(choose(trials)->index, 0u);
    EXPECT_EQ(std::count(bench.order.begin(), bench.order.end(), 1u), 0);
  }
}

TEST(Rounds, FailureWhileTimingLeavesNoTimes) {
  for (size_t failing : {0, 1}) { // of which one is what the clocks are settled with
    SyntheticBench bench({100, 50, 101});
    bench.timeFails = failing;
    std::vector<Trial> trials = run(bench);
    EXPECT_EQ(trials[failing].outcome, TrialOutcome::Faulted);
    EXPECT_EQ(trials[failing].reason, "it failed late");
    EXPECT_FALSE(trials[failing].hasTime());
    EXPECT_EQ(choose(trials)->index, failing ? 0u : 1u);
  }
}

TEST(Rounds, FailingReferenceLeavesTheOthers) {
  SyntheticBench bench({100, 120});
  bench.checkFails = 0;
  std::vector<Trial> trials = run(bench);
  EXPECT_EQ(trials[0].outcome, TrialOutcome::Faulted);
  EXPECT_EQ(trials[1].outcome, TrialOutcome::Measured);
}

TEST(Rounds, ReferenceThatFewAgreeWithIsNone) {
  SyntheticBench bench({100, 100, 50, 50, 50, 50});
  bench.alike = {0, 0, 2, 3, 2, 2};
  std::vector<Trial> trials = run(bench);
  for (size_t i : {0, 1}) {
    EXPECT_EQ(trials[i].outcome, TrialOutcome::Wrong);
    EXPECT_EQ(trials[i].reason, "its results differ from those of 3 others, which agree with each other");
  }
  EXPECT_FALSE(choose(trials));
  EXPECT_TRUE(bench.order.empty());
}

TEST(Rounds, ReferenceThatAsManyAgreeWithStays) {
  SyntheticBench bench({100, 100, 50, 50, 50});
  bench.alike = {0, 0, 2, 3, 2};
  EXPECT_EQ(choose(run(bench))->index, 0u);
  SyntheticBench alone({100, 50});
  alone.alike = {0, 1};
  EXPECT_EQ(choose(run(alone))->why,
            "the only one that was measured; the results of all others that ran, 1, differ from its");
}

TEST(Rounds, NoneLeftIsNoChoice) {
  SyntheticBench bench({100});
  bench.checkFails = 0;
  EXPECT_FALSE(choose(run(bench)));
  SyntheticBench empty({});
  EXPECT_TRUE(run(empty).empty());
}

TEST(Rounds, StopKeepsWholeRounds) {
  std::atomic<bool> cancelled = false;
  SyntheticBench bench({100, 101, 102});
  RoundOptions options;
  options.cancelled = &cancelled;
  size_t rounds = 0;
  options.onProgress = [&](const char *step, size_t done, size_t of, double bestUs) {
    if (std::string(step) == "timing" && (rounds = done) == 3) {
      EXPECT_EQ(of, 40u);
      EXPECT_GT(bestUs, 99);
      bench.onTime = [&] { cancelled = true; };
    }
  };
  std::vector<Trial> trials = run(bench, options);
  EXPECT_EQ(rounds, 3u);
  for (const Trial &trial : trials)
    EXPECT_LE(trial.samplesUs.size(), 3u);
  EXPECT_EQ(choose(trials)->index, 0u);
}

TEST(Rounds, SayWhatTheyAreAt) {
  SyntheticBench bench({100, 120});
  RoundOptions options;
  std::vector<std::string> steps;
  options.onProgress = [&](const char *step, size_t done, size_t of, double) {
    if (done < 2)
      steps.push_back(step + (" " + std::to_string(done)) + "/" + std::to_string(of));
  };
  run(bench, options);
  EXPECT_EQ(steps, (std::vector<std::string>{"checking 0/2", "checking 1/2", "timing 0/40", "timing 1/40"}));
}

TEST(Rounds, BenchThatIsLostKeepsWhatWasTimed) {
  SyntheticBench bench({100, 100.6});
  bench.timeFails = 1;
  bench.failure = TrialOutcome::NotTried;
  std::vector<Trial> trials = run(bench);
  EXPECT_EQ(trials[0].outcome, TrialOutcome::Measured);
  EXPECT_EQ(trials[1].outcome, TrialOutcome::Measured);
  EXPECT_EQ(trials[1].samplesUs.size(), 2u);
  bench.timeFails = 0;
  trials = run(bench);
  EXPECT_EQ(trials[0].outcome, TrialOutcome::NotTried);
  EXPECT_EQ(trials[0].reason, "it failed late");
}

TEST(Rounds, StopBeforeARoundIsNotTried) {
  std::atomic<bool> cancelled = true;
  SyntheticBench bench({100, 101});
  RoundOptions options;
  options.cancelled = &cancelled;
  std::vector<Trial> trials = run(bench, options);
  for (const Trial &trial : trials) {
    EXPECT_EQ(trial.outcome, TrialOutcome::NotTried);
    EXPECT_EQ(trial.reason, "stopped before it was measured");
  }
}

TEST(Rounds, StopInTheFirstRoundKeepsWhatWasTimed) {
  std::atomic<bool> cancelled = false;
  SyntheticBench bench({100, 101});
  RoundOptions options;
  options.cancelled = &cancelled;
  options.onProgress = [&](const char *step, size_t, size_t, double) {
    if (std::string(step) == "timing")
      bench.onTime = [&] { cancelled = true; };
  };
  std::vector<Trial> trials = run(bench, options);
  EXPECT_EQ(trials[0].hasTime() + trials[1].hasTime(), 1);
  EXPECT_TRUE(choose(trials));
  for (const Trial &trial : trials)
    EXPECT_EQ(trial.outcome, trial.hasTime() ? TrialOutcome::Measured : TrialOutcome::NotTried);
}

TEST(Rounds, TimeLimitEndsTheRounds) {
  SyntheticBench bench({100, 100.4, 100.6, 100.5});
  bench.pauseUs = 10000;
  RoundOptions options;
  options.seconds = 0.4;
  auto start = std::chrono::steady_clock::now();
  run(bench, options);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
}

TEST(Rounds, TimeLimitLeavesTheFirstAChoice) {
  SyntheticBench bench({100, 100.4, 100.6, 50, 20});
  RoundOptions options;
  options.seconds = 0;
  std::vector<Trial> trials = run(bench, options);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(trials[i].outcome, TrialOutcome::Measured);
    EXPECT_EQ(trials[i].samplesUs.size(), 1u);
  }
  EXPECT_EQ(trials[4].outcome, TrialOutcome::NotTried);
  EXPECT_EQ(trials[4].reason, "the 0 s for measuring were over");
  EXPECT_EQ(choose(trials)->index, 3u);
}

TEST(Rounds, ArgumentsAndReferenceAreBeforeTheTimeLimit) {
  SyntheticBench bench({100, 120, 120, 120, 120, 120});
  bench.msOfArguments = 300;
  bench.msOfChecks = {300};
  RoundOptions options;
  options.seconds = 0.4;
  EXPECT_EQ(run(bench, options)[5].outcome, TrialOutcome::Slower);
  bench.checkFails = 0; // which leaves all to another reference
  bench.msOfChecks = {0, 300};
  EXPECT_EQ(run(bench, options)[5].outcome, TrialOutcome::Measured);
  bench.msOfChecks = {0, 0, 0, 300};
  EXPECT_EQ(run(bench, options)[5].reason, "the 0.4 s for measuring were over");
}

} // namespace
} // namespace tile
