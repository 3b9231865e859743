// The database of tuned choices where nothing stands in its way, exports and imports.

#include "Storing.h"
#include "Tuning.h"

#include "runtime/store/Record.h"

#include <cmath>
#include <sstream>

namespace tile {
namespace {

class DatabaseTest : public testing::Test {
protected:
  DatabaseOptions options() { return {folder / "tuning.db", DatabaseAccess::ReadWrite, reports.collect()}; }
  std::string exportText() {
    std::ostringstream text;
    EXPECT_TRUE(Database(options()).exportLines(text));
    return text.str();
  }
  void TearDown() override { EXPECT_EQ(reports.take(), std::vector<std::string>{}); }

  TemporaryFolder folder;
  Reports reports;
};

TEST_F(DatabaseTest, LookingMakesNoFile) {
  Database database(options());
  EXPECT_FALSE(database.findChoice(keyFor("M=1")));
  EXPECT_TRUE(database.findTrials(keyFor("M=1")).empty());
  EXPECT_EQ(database.statistics().choices, 0u);
  EXPECT_EQ(database.prune(""), 0u);
  EXPECT_EQ(database.verify().entries, 0u);
  EXPECT_EQ(exportText(), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(DatabaseTest, AChoiceIsFoundForItsWholeKeyAlone) {
  EXPECT_TRUE(Database(options()).storeChoice(keyFor("M=1"), choiceOf(128)));
  Database database(options());
  std::optional<TunedChoice> choice = database.findChoice(keyFor("M=1"));
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->configuration, configurationOf(128, 8));
  EXPECT_EQ(choice->medianUs, 16);
  EXPECT_EQ(choice->why, "3.1 % faster than the default");
  EXPECT_EQ(choice->date, "2026-11-30T08:15:57Z");
  for (const TuneKeyField &field : kTuneKeyFields) {
    TuneKey other = keyFor("M=1");
    other.*field.member += "x";
    EXPECT_FALSE(database.findChoice(other)) << field.name;
    other.*field.member = "";
    EXPECT_FALSE(database.findChoice(other)) << field.name;
  }
}

TEST_F(DatabaseTest, AKeyWithoutSizesIsAKey) {
  Database database(options());
  database.storeChoice(keyFor("M=1"), choiceOf(64));
  EXPECT_FALSE(database.findChoice(keyFor("")));
  database.storeChoice(keyFor(""), choiceOf(128));
  EXPECT_EQ(database.findChoice(keyFor(""))->medianUs, 16);
}

TEST_F(DatabaseTest, TheLastChoiceCounts) {
  Database database(options());
  database.storeChoice(keyFor("M=1"), choiceOf(128));
  database.storeChoice(keyFor("M=1"), choiceOf(64));
  EXPECT_EQ(database.findChoice(keyFor("M=1"))->configuration, configurationOf(64, 8));
  EXPECT_EQ(database.statistics().choices, 1u);
}

TEST_F(DatabaseTest, AChoiceIsRemovedAndItsTrialsStay) {
  EXPECT_FALSE(Database(options()).removeChoice(keyFor("M=1")));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  Database database(options());
  for (const char *sizes : {"M=1", "M=2"}) {
    database.storeChoice(keyFor(sizes), choiceOf(128));
    database.storeTrials(keyFor(sizes), {measuredTrial(128)}, "2026-11-30T08:15:57Z");
  }
  EXPECT_TRUE(database.removeChoice(keyFor("M=1")));
  EXPECT_FALSE(database.removeChoice(keyFor("M=1")));
  EXPECT_FALSE(database.findChoice(keyFor("M=1")));
  EXPECT_EQ(database.findTrials(keyFor("M=1")).size(), 1u);
  EXPECT_TRUE(database.findChoice(keyFor("M=2")));
}

TEST_F(DatabaseTest, TrialsComeBackWithEveryField) {
  Database database(options());
  EXPECT_TRUE(database.storeTrials(keyFor("M=1"), {measuredTrial(128), rejectedTrial(256)}, "2026-11-30T08:15:57Z"));
  std::vector<Trial> trials = database.findTrials(keyFor("M=1"));
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_TRUE(isSame(trials[0], measuredTrial(128)));
  EXPECT_TRUE(isSame(trials[1], rejectedTrial(256)));
  EXPECT_TRUE(database.findTrials(keyFor("M=2")).empty());
}

TEST_F(DatabaseTest, ATrialReplacesThatOfItsConfiguration) {
  Database database(options());
  database.storeTrials(keyFor("M=1"), {measuredTrial(128), measuredTrial(64)}, "2026-11-30T08:15:57Z");
  Trial again = measuredTrial(64);
  again.outcome = TrialOutcome::Wrong;
  database.storeTrials(keyFor("M=1"), {again}, "2026-12-01T08:15:57Z");
  std::vector<Trial> trials = database.findTrials(keyFor("M=1"));
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials[1].outcome, TrialOutcome::Wrong);
}

TEST_F(DatabaseTest, ATrialThatWasNotTriedReplacesNoneThatWas) {
  Database database(options());
  Trial untried = measuredTrial(64), other = measuredTrial(32);
  untried.outcome = other.outcome = TrialOutcome::NotTried;
  database.storeTrials(keyFor("M=1"), {measuredTrial(64), other}, "2026-11-30T08:15:57Z");
  other.reason = "stopped";
  EXPECT_TRUE(database.storeTrials(keyFor("M=1"), {untried, other}, "2026-12-01T08:15:57Z"));
  std::vector<Trial> trials = database.findTrials(keyFor("M=1"));
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_TRUE(isSame(trials[0], other));
  EXPECT_TRUE(isSame(trials[1], measuredTrial(64)));
}

TEST_F(DatabaseTest, AnImportReplacesWhatWasNotTriedAndNothingByIt) {
  auto untried = [](int block) {
    Trial trial = measuredTrial(block);
    trial.outcome = TrialOutcome::NotTried;
    return trial;
  };
  const std::string older = "2026-11-30T08:15:57Z", newer = "2026-12-01T08:15:57Z";
  Database database(options());
  database.storeTrials(keyFor("M=1"), {measuredTrial(64)}, older);
  database.storeTrials(keyFor("M=1"), {untried(32)}, newer);
  std::istringstream lines(printRecord(recordOf(keyFor("M=1"), untried(64), newer)) + "\n" +
                           printRecord(recordOf(keyFor("M=1"), measuredTrial(32), older)) + "\n" +
                           printRecord(recordOf(keyFor("M=1"), untried(128), older)) + "\n");
  DatabaseImport imported = database.importLines(lines);
  EXPECT_EQ(imported.taken, 2u);
  EXPECT_EQ(imported.kept, 1u);
  for (const Trial &trial : database.findTrials(keyFor("M=1")))
    EXPECT_EQ(trial.outcome == TrialOutcome::NotTried, trial.configuration.describe().find("128") != std::string::npos);
}

TEST_F(DatabaseTest, ASearchThatBeganAnewForgetsWhatItDidNotTry) {
  Database database(options());
  Trial untried = measuredTrial(64);
  untried.outcome = TrialOutcome::NotTried;
  database.storeTrials(keyFor("M=1"), {measuredTrial(64)}, "2026-11-30T08:15:57Z");
  EXPECT_TRUE(database.storeTrials(keyFor("M=1"), {untried}, "2026-12-01T08:15:57Z", Untried::ReplaceAll));
  EXPECT_TRUE(isSame(database.findTrials(keyFor("M=1")).at(0), untried));
}

TEST_F(DatabaseTest, NumbersThatAreNoneAreNotKept) {
  Trial trial = measuredTrial(128);
  trial.predictedUs = NAN;
  trial.samplesUs = {1, INFINITY, 2};
  Database database(options());
  EXPECT_TRUE(database.storeTrials(keyFor("M=1"), {trial}, "2026-11-30T08:15:57Z"));
  EXPECT_EQ(database.findTrials(keyFor("M=1"))[0].predictedUs, 0);
  EXPECT_EQ(database.findTrials(keyFor("M=1"))[0].samplesUs, (std::vector<double>{1, 2}));
}

TEST_F(DatabaseTest, ChoicesAreFoundByAPartOfTheKey) {
  Database database(options());
  database.storeChoice(keyFor("M=2"), choiceOf(64));
  database.storeChoice(keyFor("M=1"), choiceOf(128));
  TuneKey other = keyFor("M=1");
  other.gpu = "NVIDIA A100";
  database.storeChoice(other, choiceOf(32));
  TuneKey like;
  like.gpu = "NVIDIA H200";
  auto choices = database.findChoices(like);
  ASSERT_EQ(choices.size(), 2u);
  EXPECT_EQ(choices[0].first, keyFor("M=1"));
  EXPECT_EQ(choices[1].first, keyFor("M=2"));
  EXPECT_EQ(database.findChoices().size(), 3u);
}

TEST_F(DatabaseTest, PruningByDateAndOfAll) {
  Database database(options());
  database.storeChoice(keyFor("M=1"), choiceOf(64, "2026-01-01T00:00:00Z"));
  database.storeTrials(keyFor("M=1"), {measuredTrial(64)}, "2026-01-01T00:00:00Z");
  database.storeChoice(keyFor("M=2"), choiceOf(64, "2026-06-01T00:00:00Z"));
  EXPECT_EQ(database.prune("2026-03-01T00:00:00Z"), 2u);
  EXPECT_FALSE(database.findChoice(keyFor("M=1")));
  EXPECT_TRUE(database.findChoice(keyFor("M=2")));
  EXPECT_EQ(database.prune(""), 1u);
  EXPECT_EQ(exportText(), "");
}

//===-- Exports

TEST_F(DatabaseTest, AnExportIsOrderedAndReadable) {
  Database database(options());
  database.storeTrials(keyFor("M=1"), {rejectedTrial(256)}, "2026-11-30T08:15:57Z");
  database.storeChoice(keyFor("M=1"), choiceOf(128));
  std::string key = R"("schema":1,"kernel":"matmul","kernelHash":"k1","spaceHash":"s1","gpu":"NVIDIA H200",)"
                    R"("driver":"580.1","compiler":"tile 0.1.0","arguments":"T=bf16 a:align16,rows16","sizes":"M=1",)";
  EXPECT_EQ(exportText(), R"({"record":"choice",)" + key +
                              R"("configuration":{"BM":"128","warps":"8"},"date":"2026-11-30T08:15:57Z",)"
                              R"("medianUs":16.0,"why":"3.1 % faster than the default"})"
                              "\n"
                              R"({"record":"trial",)" +
                              key +
                              R"("configuration":{"BM":"256","warps":"32"},"date":"2026-11-30T08:15:57Z",)"
                              R"("outcome":"rejected","reason":"needs 400 KiB of \"shared\" memory"})"
                              "\n");
}

TEST_F(DatabaseTest, TheOrderOfWritesDoesNotShow) {
  TemporaryFolder other;
  Database one(options()), two({other / "tuning.db", DatabaseAccess::ReadWrite, {}});
  for (int i = 0; i < 10; ++i) {
    one.storeChoice(keyFor("M=" + std::to_string(i)), choiceOf(i));
    one.storeTrials(keyFor("M=" + std::to_string(i)), {measuredTrial(1), measuredTrial(2)}, "2026-11-30T08:15:57Z");
    two.storeTrials(keyFor("M=" + std::to_string(9 - i)), {measuredTrial(2)}, "2026-11-30T08:15:57Z");
    two.storeTrials(keyFor("M=" + std::to_string(9 - i)), {measuredTrial(1)}, "2026-11-30T08:15:57Z");
    two.storeChoice(keyFor("M=" + std::to_string(9 - i)), choiceOf(9 - i));
  }
  std::ostringstream text;
  two.exportLines(text);
  EXPECT_EQ(exportText(), text.str());
}

TEST_F(DatabaseTest, AnImportedExportIsTheSameExport) {
  Database database(options());
  database.storeChoice(keyFor("M=1"), choiceOf(128));
  database.storeTrials(keyFor("M=1"), {measuredTrial(128), rejectedTrial(256)}, "2026-11-30T08:15:57Z");
  TemporaryFolder other;
  Database copy({other / "tuning.db", DatabaseAccess::ReadWrite, {}});
  std::istringstream in(exportText());
  DatabaseImport result = copy.importLines(in);
  EXPECT_TRUE(result.isDone);
  EXPECT_EQ(result.taken, 3u);
  EXPECT_TRUE(result.skipped.empty());
  std::ostringstream text;
  copy.exportLines(text);
  EXPECT_EQ(text.str(), exportText());
}

TEST_F(DatabaseTest, OfTwoEntriesTheNewerStays) {
  Database database(options());
  database.storeChoice(keyFor("M=1"), choiceOf(128, "2026-06-01T00:00:00Z"));
  std::string older = exportText();
  database.storeChoice(keyFor("M=1"), choiceOf(64, "2026-07-01T00:00:00Z"));
  std::string newer = exportText();
  for (const std::string &text : {older, newer}) {
    std::istringstream in(text);
    DatabaseImport result = database.importLines(in);
    EXPECT_EQ(result.taken, 0u);
    EXPECT_EQ(result.kept, 1u);
    EXPECT_EQ(exportText(), newer);
  }
  database.storeChoice(keyFor("M=1"), choiceOf(128, "2026-06-01T00:00:00Z"));
  std::istringstream in(newer + older);
  EXPECT_EQ(database.importLines(in).taken, 1u);
  EXPECT_EQ(exportText(), newer);
}

TEST_F(DatabaseTest, LinesThatAreNoEntryAreNamedAndSkipped) {
  Database database(options());
  database.storeChoice(keyFor("M=1"), choiceOf(128));
  database.storeTrials(keyFor("M=2"), {measuredTrial(128)}, "2026-11-30T08:15:57Z");
  std::string text = exportText();
  std::string choice = text.substr(0, text.find('\n')), trial = text.substr(choice.size() + 1);
  auto edit = [](std::string line, const std::string &from, const std::string &to) {
    size_t at = line.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return line.replace(at, from.size(), to);
  };
  std::pair<std::string, const char *> cases[] = {
      {"matmul", "line 3: is no JSON object; the line is damaged"},
      {choice.substr(0, 50), "line 3: is no JSON object; the line is damaged"},
      {edit(choice, "\"schema\":1", "\"schema\":2"), "line 3: `schema` is 2; expected 1"},
      {edit(choice, "\"choice\"", "\"guess\""), "line 3: `record` is `guess`; expected one of choice trial"},
      {edit(choice, "\"gpu\":\"NVIDIA H200\",", ""), "line 3: `gpu` is missing"},
      {edit(choice, "\"2026-11", "\"26-11"),
       "line 3: `date` is `26-11-30T08:15:57Z`; expected one such as `2026-11-30T08:15:57Z`"},
      {edit(choice, "11-30T", "13-30T"),
       "line 3: `date` is `2026-13-30T08:15:57Z`; expected one such as `2026-11-30T08:15:57Z`"},
      {edit(choice, "11-30T", "02-30T"),
       "line 3: `date` is `2026-02-30T08:15:57Z`; expected one such as `2026-11-30T08:15:57Z`"},
      {edit(choice, "16.0", "-16.5"), "line 3: `medianUs` is -16.5; expected at least 0"},
      {edit(trial, "10.25", "-1"), "line 3: `samplesUs[0]` is -1.0; expected at least 0"},
      {edit(trial, "168", "-168"), "line 3: `registers` is -168; expected at least 0"},
      {edit(choice, "16.0", "\"16\""), "line 3: `medianUs` is string; expected number"},
      {edit(choice, "\"128\"", "128"), "line 3: `configuration.BM` is number; expected string"},
      {edit(choice, "{\"BM\":\"128\",\"warps\":\"8\"}", "\"BM\""),
       "line 3: `configuration` is string; expected object"},
      {edit(trial, "\"measured\"", "\"guessed\""), "line 3: `outcome` is `guessed`; expected one such as `measured`"},
      {edit(trial, "10.25", "true"), "line 3: `samplesUs[0]` is boolean; expected number"},
      {std::string((1 << 20) + 1, 'x'), "line 3: has 1048577 bytes; expected at most 1048576"},
  };
  for (const auto &[line, message] : cases) {
    TemporaryFolder other;
    Database copy({other / "tuning.db", DatabaseAccess::ReadWrite, {}});
    std::istringstream in(choice + "\n \n" + line + "\n" + trial);
    DatabaseImport result = copy.importLines(in);
    EXPECT_EQ(result.taken, 2u);
    EXPECT_EQ(result.skipped, std::vector<std::string>{message});
  }
}

TEST_F(DatabaseTest, WhatALineHoldsBesidesIsLeftBehind) {
  Database database(options());
  database.storeChoice(keyFor("M=1"), choiceOf(128));
  std::string text = exportText();
  std::istringstream in("{\"comment\":\"by hand\"," + text.substr(1));
  database.prune("");
  EXPECT_EQ(database.importLines(in).taken, 1u);
  EXPECT_EQ(exportText(), text);
}

} // namespace
} // namespace tile
