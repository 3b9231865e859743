// What a search takes over from those before it.

#include "runtime/tune/EarlierTrials.h"

#include <gtest/gtest.h>

namespace tile {
namespace {

Trial trialOf(int block, TrialOutcome outcome, size_t rounds = 0) {
  Trial trial;
  trial.configuration.values = {{"BM", std::to_string(block)}};
  trial.outcome = outcome;
  trial.samplesUs.assign(rounds, 10);
  trial.modelRank = block;
  return trial;
}

TEST(EarlierTrials, WhatHasTimesOrFailedIsDone) {
  for (TrialOutcome outcome : {TrialOutcome::Rejected, TrialOutcome::CompileFailed, TrialOutcome::Refused,
                               TrialOutcome::Faulted, TrialOutcome::Hung, TrialOutcome::Wrong, TrialOutcome::Slower})
    EXPECT_TRUE(isDone(trialOf(1, outcome), 60, /*wasStopped=*/true)) << nameOf(outcome);
  EXPECT_FALSE(isDone(trialOf(1, TrialOutcome::NotTried), 60, false));
  EXPECT_TRUE(isDone(trialOf(1, TrialOutcome::Measured, 6), 60, false));
  EXPECT_FALSE(isDone(trialOf(1, TrialOutcome::Measured, 5), 60, false)) << "the time was over";
  EXPECT_FALSE(isDone(trialOf(1, TrialOutcome::Measured, 6), 60, true));
}

TEST(EarlierTrials, LateCompilationIsDoneUnlessItMayTakeLonger) {
  Trial late = trialOf(1, TrialOutcome::CompileTimeout);
  late.compileMs = 60001;
  EXPECT_TRUE(isDone(late, 60, false));
  EXPECT_FALSE(isDone(late, 61, false));
}

TEST(EarlierTrials, AreShownWhereNothingIsNewer) {
  EarlierTrials earlier({trialOf(1, TrialOutcome::Slower, 3), trialOf(2, TrialOutcome::Wrong),
                         trialOf(3, TrialOutcome::Rejected), trialOf(4, TrialOutcome::NotTried)});
  std::vector<Trial> now;
  for (int block : {1, 2, 3, 4, 5})
    now.push_back(trialOf(block, block == 2 ? TrialOutcome::Measured : TrialOutcome::NotTried));
  now[0].modelRank = 7;
  earlier.addTo(now);
  EXPECT_EQ(now[0].outcome, TrialOutcome::Slower);
  EXPECT_EQ(now[0].modelRank, 7);
  EXPECT_TRUE(now[0].isEarlier);
  EXPECT_EQ(now[1].outcome, TrialOutcome::Measured);
  for (size_t i : {2, 3, 4})
    EXPECT_EQ(now[i].outcome, TrialOutcome::NotTried);
}

TEST(EarlierTrials, AllOrNone) {
  EarlierTrials earlier({trialOf(1, TrialOutcome::Slower), trialOf(2, TrialOutcome::Wrong)});
  Configuration one = trialOf(1, TrialOutcome::NotTried).configuration,
                three = trialOf(3, TrialOutcome::NotTried).configuration;
  EXPECT_EQ(earlier.findAll({one})->at(0).outcome, TrialOutcome::Slower);
  EXPECT_FALSE(earlier.findAll({one, three}));
}

} // namespace
} // namespace tile
