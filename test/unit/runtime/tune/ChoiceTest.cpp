// The choice among noisy times: what noise, drift, outliers and two clocks may not change.

#include "runtime/tune/Choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tile {
namespace {

/// What measuring does to a time: `factor` of a round is the same for all trials of it.
struct Noise {
  double spread = 0;         ///< Relative, of each sample.
  double drift = 0;          ///< From the first round to the last.
  double outliers = 0;       ///< Fraction of samples that take half as long again.
  bool hasTwoClocks = false; ///< A round is at either, a tenth apart.
};

std::vector<Trial> measure(const std::vector<double> &times, const Noise &noise, uint64_t seed, int rounds = 20) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<Trial> trials(times.size());
  for (size_t i = 0; i < times.size(); ++i) {
    trials[i].configuration.values = {{"BM", std::to_string(16 << i)}};
    trials[i].outcome = TrialOutcome::Measured;
    trials[i].modelRank = static_cast<int>(i + 1);
  }
  for (int round = 0; round < rounds; ++round) {
    double factor = 1 + noise.drift * round / rounds;
    if (noise.hasTwoClocks && uniform(random) < 0.5)
      factor *= 1.1;
    for (size_t i = 0; i < times.size(); ++i) {
      double sample = times[i] * factor * std::exp(noise.spread * normal(random));
      trials[i].samplesUs.push_back(uniform(random) < noise.outliers ? sample * 1.5 : sample);
    }
  }
  return trials;
}

const Noise kNoises[] = {{0.002}, {0.002, 0.2}, {0.002, 0, 0.1}, {0.002, 0, 0, true}, {0.002, -0.1, 0.1, true}};

TEST(Choice, FindsWhatIsFasterUnderEveryNoise) {
  for (const Noise &noise : kNoises)
    for (uint64_t seed = 0; seed < 200; ++seed) {
      std::optional<Choice> choice = choose(measure({102, 100, 103}, noise, seed, 40));
      ASSERT_TRUE(choice);
      EXPECT_EQ(choice->index, 1u) << seed;
    }
}

TEST(Choice, TiesGoToTheModelUnderEveryNoise) {
  for (const Noise &noise : kNoises)
    for (uint64_t seed = 0; seed < 200; ++seed) {
      std::optional<Choice> choice = choose(measure({100.1, 100, 100.2, 108}, noise, seed, 40));
      ASSERT_TRUE(choice);
      EXPECT_EQ(choice->index, 0u) << seed;
      EXPECT_EQ(choice->tied.size(), 2u) << seed;
    }
}

TEST(Choice, SaysWhy) {
  EXPECT_EQ(choose(measure({101.8, 100}, {}, 0))->why, "1.8 % faster than the next, `BM = 16`, 95 % sure");
  EXPECT_EQ(choose(measure({101.8, 100}, {}, 0, 1))->why, "a tie within 1.8 % with `BM = 32`: the first by the model");
  EXPECT_EQ(choose(measure({110, 100}, {}, 0, 1))->why, "10.0 % faster than the next, `BM = 16`, 95 % sure");
  EXPECT_EQ(choose(measure({100.4, 100}, {}, 0))->why, "a tie within 0.4 % with `BM = 32`: the first by the model");
  EXPECT_EQ(choose(measure({100, 100.4, 100.2}, {}, 0))->why,
            "a tie within 0.4 % with `BM = 32` and 1 more: the first by the model");
  EXPECT_EQ(choose(measure({100}, {}, 0))->why, "the only one that was measured");
  std::vector<Trial> unranked = measure({100.4, 100}, {}, 0);
  unranked[0].modelRank = unranked[1].modelRank = 0;
  EXPECT_EQ(choose(unranked)->why, "a tie within 0.4 % with `BM = 16`: the fastest");
  EXPECT_EQ(choose(unranked)->index, 1u);
}

TEST(Choice, WhatHasNoRankComesAfterWhatHasOne) {
  std::vector<Trial> trials = measure({100, 100.1}, {}, 0);
  trials[0].modelRank = 0;
  EXPECT_EQ(choose(trials)->index, 1u);
}

TEST(Choice, OnlyMeasuredOnesAreChosen) {
  std::vector<Trial> trials = measure({90, 100, 104}, {}, 0);
  trials[0].outcome = TrialOutcome::Wrong;
  trials[0].samplesUs.clear();
  trials[2].outcome = TrialOutcome::Slower;
  trials[2].samplesUs.resize(2);
  EXPECT_EQ(choose(trials)->index, 1u);
  EXPECT_EQ(choose(trials)->why, "4.0 % faster than the next, `BM = 64`, after few rounds");
  trials[1].outcome = TrialOutcome::Faulted;
  EXPECT_FALSE(choose(trials));
  EXPECT_FALSE(choose({}));
}

TEST(Choice, IntervalHoldsTheMedianAsOftenAsItSays) {
  // Of an exponential distribution, which is as far from symmetric as times get.
  std::mt19937_64 random(1);
  std::exponential_distribution<double> exponential;
  for (int count : {6, 9, 20, 40}) {
    int holds = 0;
    constexpr int kRepeats = 4000;
    for (int i = 0; i < kRepeats; ++i) {
      std::vector<double> samples(count);
      for (double &sample : samples)
        sample = exponential(random);
      Interval interval = medianInterval(samples);
      holds += interval.low <= std::log(2) && std::log(2) <= interval.high;
    }
    EXPECT_GE(holds, kConfidence * kRepeats) << count;
    EXPECT_LE(holds, 0.995 * kRepeats) << count << ": an interval that is too wide decides nothing";
  }
}

TEST(Choice, FewSamplesAreUnsure) {
  Interval one = medianInterval({100});
  EXPECT_DOUBLE_EQ(one.low, 95);
  EXPECT_DOUBLE_EQ(one.high, 105);
  Interval two = medianInterval({100, 120});
  EXPECT_DOUBLE_EQ(two.low, 80);
  EXPECT_DOUBLE_EQ(two.high, 140);
  EXPECT_FALSE(isSlower(slowdown({}, {1})));
  EXPECT_FALSE(isSettled(slowdown({}, {1})));
}

TEST(Choice, SettledIsSlowerOrTheSame) {
  EXPECT_TRUE(isSettled({1.001, 1.02, 1.04}));
  EXPECT_TRUE(isSettled({0.995, 1.001, 1.008}));
  EXPECT_FALSE(isSettled({0.98, 1.001, 1.008}));
  EXPECT_FALSE(isSlower({1.001, 1.009, 1.012}));
  EXPECT_FALSE(isSlower({0.999, 1.02, 1.04}));
}

} // namespace
} // namespace tile
