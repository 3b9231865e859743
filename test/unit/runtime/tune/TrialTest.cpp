// What a trial says of itself.

#include "runtime/tune/Trial.h"

#include <gtest/gtest.h>

namespace tile {

TEST(Trial, OutcomesAreFoundByTheirNames) {
  for (int i = 0; i <= static_cast<int>(TrialOutcome::NotTried); ++i) {
    TrialOutcome outcome = static_cast<TrialOutcome>(i);
    EXPECT_EQ(findOutcome(nameOf(outcome)), outcome);
  }
  EXPECT_STREQ(nameOf(TrialOutcome::CompileTimeout), "compile timeout");
  EXPECT_STREQ(nameOf(TrialOutcome::NotTried), "not tried");
  EXPECT_EQ(findOutcome("fine"), std::nullopt);
}

TEST(Trial, ConfigurationsAreWordsInTheirOrder) {
  Configuration configuration{{{"BM", "128"}, {"warps", "8"}}};
  EXPECT_EQ(configuration.describe(), "BM = 128, warps = 8");
  EXPECT_EQ(Configuration().describe(), "the defaults");
  EXPECT_NE(configuration, Configuration());
}

TEST(Trial, QuantilesLieBetweenSamples) {
  Trial trial;
  EXPECT_FALSE(trial.hasTime());
  EXPECT_EQ(trial.medianUs(), 0);
  trial.samplesUs = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(trial.medianUs(), 2.5);
  EXPECT_DOUBLE_EQ(trial.p10Us(), 1.3);
  EXPECT_DOUBLE_EQ(trial.p90Us(), 3.7);
  EXPECT_DOUBLE_EQ(quantileOf({7}, 0.9), 7);
}

} // namespace tile
