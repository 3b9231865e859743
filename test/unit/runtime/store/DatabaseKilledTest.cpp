// The database of tuned choices when its writers are killed at random points, and when processes write, begin it and
// find it damaged at one time: what was said to be kept is there, and nothing that is read is wrong.

#include "Storing.h"
#include "Tuning.h"

namespace tile {
namespace {

constexpr int kRounds = 200;
const std::string kDate = "2026-11-30T08:15:57Z";

TEST(Killed, WritersOfTheDatabaseLoseNothingThatIsKept) {
  TemporaryFolder folder;
  std::mt19937 random(20261130);
  Reports reports;
  auto open = [&] { return DatabaseOptions{folder / "tuning.db", DatabaseAccess::ReadWrite, reports.collect()}; };
  int kept = 0;
  for (int round = 0; round < kRounds; ++round) {
    auto key = [&](int i) { return keyFor("round=" + std::to_string(round) + " i=" + std::to_string(i)); };
    int count = countBeforeKill(random, [&](int i) {
      Database database(open());
      if (!database.storeTrials(key(i), {measuredTrial(i), rejectedTrial(i)}, kDate) ||
          !database.storeChoice(key(i), choiceOf(i)))
        _exit(1);
    });
    Database database(open());
    for (int i = 0; i <= count; ++i) {
      std::optional<TunedChoice> choice = database.findChoice(key(i));
      std::vector<Trial> trials = database.findTrials(key(i));
      // What it was at may be kept or not, the trials of a search all or none.
      EXPECT_TRUE(choice || i == count);
      EXPECT_TRUE(trials.size() == 2 || (i == count && trials.empty() && !choice));
      if (choice)
        EXPECT_EQ(choice->configuration, configurationOf(i, 8));
      for (const Trial &trial : trials)
        EXPECT_TRUE(isSame(trial, trial.hasTime() ? measuredTrial(i) : rejectedTrial(i)));
    }
    kept += count;
  }
  EXPECT_GT(kept, kRounds / 2);
  EXPECT_TRUE(Database(open()).verify().damaged.empty());
  EXPECT_EQ(reports.take(), std::vector<std::string>{});
}

TEST(Together, ProcessesThatTuneOneKey) {
  TemporaryFolder folder;
  auto open = [&](Reports &reports) {
    return DatabaseOptions{folder / "tuning.db", DatabaseAccess::ReadWrite, reports.collect()};
  };
  constexpr int kProcesses = 4, kKeys = 15;
  EXPECT_TRUE(passTogether(kProcesses, [&](int process) {
    Reports reports;
    Database database(open(reports));
    bool right = true;
    for (int i = 0; i < kKeys; ++i) {
      right = database.storeTrials(keyFor("one"), {measuredTrial(process), measuredTrial(100)}, kDate) && right;
      right = database.storeChoice(keyFor("one"), choiceOf(process)) && right;
      right = database.storeChoice(keyFor(std::to_string(process * kKeys + i)), choiceOf(process)) && right;
      std::optional<TunedChoice> choice = database.findChoice(keyFor("one"));
      right = choice && choice->medianUs < kProcesses && right;
      if (process == 0)
        database.prune("2020-01-01T00:00:00Z");
    }
    return right && reports.take().empty();
  }));
  Reports reports;
  Database database(open(reports));
  EXPECT_EQ(database.findChoices().size(), size_t(kProcesses * kKeys + 1));
  EXPECT_EQ(database.findTrials(keyFor("one")).size(), size_t(kProcesses + 1));
  EXPECT_TRUE(database.verify().damaged.empty());
  EXPECT_TRUE(reports.take().empty());
}

TEST(Together, WhoeverBeginsTheDatabaseOrFindsItDamaged) {
  constexpr int kProcesses = 4;
  for (int round = 0; round < 20; ++round) {
    TemporaryFolder folder;
    DatabaseOptions options{folder / "tuning.db", DatabaseAccess::ReadWrite, {}};
    if (round % 2)
      writeText(options.path, std::string(5000, 'x'));
    EXPECT_TRUE(passTogether(kProcesses, [&](int process) {
      Database database(options);
      database.findChoice(keyFor("none"));
      return database.storeChoice(keyFor(std::to_string(process)), choiceOf(process));
    }));
    EXPECT_EQ(Database(options).findChoices().size(), size_t(kProcesses)) << round;
    EXPECT_EQ(std::filesystem::exists(options.path + ".damaged-1"), round % 2 == 1);
    EXPECT_FALSE(std::filesystem::exists(options.path + ".damaged-2"));
  }
}

TEST(Together, ThreadsOfOneDatabase) {
  TemporaryFolder folder;
  Reports reports;
  Database database({folder / "tuning.db", DatabaseAccess::ReadWrite, reports.collect()});
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 5; ++i) {
        TuneKey key = keyFor(std::to_string(i * 4 + thread));
        EXPECT_TRUE(database.storeChoice(key, choiceOf(i)));
        EXPECT_TRUE(database.findChoice(key));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(database.statistics().choices, 20u);
  EXPECT_TRUE(reports.take().empty());
}

} // namespace
} // namespace tile
