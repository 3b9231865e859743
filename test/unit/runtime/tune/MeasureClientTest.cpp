// Whole measurements, in processes of the child on the fake driver: what a candidate that faults, hangs or is wrong
// does to itself, and to no other.

#include "runtime/tune/MeasureClient.h"

#include "runtime/tune/Choice.h"
#include "test/unit/runtime/tune/MeasuredKernel.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

namespace tile {
namespace {

MeasureOptions optionsOf(std::vector<std::string> arguments = {"measure"}) {
  MeasureOptions options;
  options.process = {TILE_CHILD, std::move(arguments)};
  options.setup.kernel = "scale";
  options.setup.arguments = {{"x", "rand:f32[1000]"}, {"y", "empty:f32[1000]"}, {"c", "7"}};
  options.secondsToPrepare = options.secondsToRun = 20;
  return options;
}

struct Outcome {
  std::vector<Trial> trials;
  Status status;

  std::string words(size_t i) const { return std::string(nameOf(trials[i].outcome)) + ": " + trials[i].reason; }
};

/// Measures a candidate for each of `symbols`; what they do is in `script`.
Outcome measure(const std::string &script, const std::vector<std::string> &symbols,
                const MeasureOptions &options = optionsOf(), RoundOptions rounds = {}) {
  setenv("TILE_FAKE_SCRIPT", script.c_str(), /*overwrite=*/1);
  Outcome outcome;
  std::vector<MeasuredCandidate> candidates;
  for (size_t i = 0; i < symbols.size(); ++i) {
    Trial trial;
    trial.configuration.values = {{"S", symbols[i]}};
    trial.modelRank = static_cast<int>(i + 1);
    outcome.trials.push_back(trial);
    candidates.push_back({i, symbols[i] == "absent" ? "absent.cubin" : writeCubin(testing::TempDir(), symbols[i])});
  }
  rounds.cancelled = options.cancelled;
  Result<std::unique_ptr<MeasureClient>> client = MeasureClient::start(options);
  EXPECT_TRUE(client.ok());
  outcome.status = (*client)->measure(outcome.trials, candidates, rounds);
  return outcome;
}

const char *const kRest = "; * us=200 noise=0.002 out=2";

TEST(MeasureClient, FindsTheFastestAndWhatItTakes) {
  Outcome outcome =
      measure(std::string("b/* us=190 noise=0.002 out=2; d/* us=900 out=2") + kRest, {"a", "b", "c", "d"});
  ASSERT_TRUE(outcome.status.ok()) << outcome.status.error().message;
  EXPECT_EQ(outcome.words(1), "measured: ");
  EXPECT_EQ(outcome.trials[0].outcome, TrialOutcome::Slower);
  EXPECT_EQ(outcome.words(3), "slower: a first estimate was 4.74 times that of the best");
  EXPECT_NEAR(outcome.trials[1].medianUs(), 190, 2);
  EXPECT_EQ(outcome.trials[1].variant, "generic");
  EXPECT_EQ(outcome.trials[1].registers, 40);
  EXPECT_EQ(outcome.trials[1].spillBytes, 8);
  EXPECT_EQ(outcome.trials[1].sharedBytes, 2048);
  EXPECT_EQ(outcome.trials[1].warps, 4);
  EXPECT_EQ(choose(outcome.trials)->index, 1u);
}

TEST(MeasureClient, FaultsHangsAndWrongAnswersAreTheirOwn) {
  MeasureOptions options = optionsOf();
  Outcome outcome = measure(
      std::string("fault/* fault=1; hang/* hang=1; wrong/* out=2 wrong; missing/* out=2 unwritten; "
                  "refuse/* refuse; crash/* crash=1; late/* us=150 out=2 fault=60; best/* us=180 out=2") +
          kRest,
      {"first", "fault", "hang", "wrong", "missing", "refuse", "crash", "late", "best", "absent", "last"}, options);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status.error().message;
  EXPECT_EQ(outcome.trials[0].outcome, TrialOutcome::Slower);
  EXPECT_EQ(outcome.words(1), "faulted: `cuStreamSynchronize` failed: CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(outcome.words(2), "hung: gave no result within 1 s") << "what the reference took bounds the others";
  EXPECT_EQ(outcome.words(3).substr(0, 20), "wrong: `y[0]` is 12.");
  EXPECT_EQ(outcome.words(4), "wrong: never writes 1000 of 1000 elements of `y`, the first `y[0]`");
  EXPECT_EQ(outcome.words(5), "refused: `cuLaunchKernelEx` failed: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES");
  EXPECT_EQ(outcome.words(6), "faulted: the measuring process was ended by SIGSEGV (Segmentation fault)");
  EXPECT_EQ(outcome.words(7).substr(0, 10), "faulted: `");
  EXPECT_FALSE(outcome.trials[7].hasTime());
  EXPECT_EQ(outcome.words(9), "refused: cannot open `absent.cubin`: No such file or directory");
  EXPECT_EQ(outcome.trials[10].outcome, TrialOutcome::Slower);
  EXPECT_EQ(choose(outcome.trials)->index, 8u);
  EXPECT_EQ(choose(outcome.trials)->why.substr(0, 34), "11.1 % faster than the next, `S = ");
}

TEST(MeasureClient, KilledProcessSaysNothingOfItsCandidate) {
  Outcome outcome = measure(std::string("b/* us=150 out=2 kill=1; c/* us=180 out=2 kill=60") + kRest, {"a", "b", "c"});
  ASSERT_TRUE(outcome.status.ok()) << outcome.status.error().message;
  EXPECT_EQ(outcome.words(1),
            "not tried: the measuring process was ended by SIGKILL, as the system does where memory runs out");
  EXPECT_TRUE(outcome.trials[1].machineFailed);
  EXPECT_EQ(outcome.words(2), "measured: ") << "once more, in another process";
  EXPECT_GE(outcome.trials[2].samplesUs.size(), kLeastRounds);
}

TEST(MeasureClient, NextOneIsTheReferenceWhereTheFirstFails) {
  Outcome outcome = measure(std::string("a/* fault=1; c/* out=2 wrong") + kRest, {"a", "b", "c", "d"});
  EXPECT_EQ(outcome.trials[0].outcome, TrialOutcome::Faulted);
  EXPECT_EQ(outcome.trials[1].outcome, TrialOutcome::Measured);
  EXPECT_EQ(outcome.trials[2].outcome, TrialOutcome::Wrong);
  EXPECT_EQ(outcome.trials[3].outcome, TrialOutcome::Measured);
}

TEST(MeasureClient, ReferenceThatFailsLaterEndsTheMeasurement) {
  // It runs once in a process, and faults at what comes after it.
  Outcome outcome = measure(std::string("a/* us=500 out=2 fault=2") + kRest, {"a", "b"});
  EXPECT_EQ(outcome.trials[0].outcome, TrialOutcome::Faulted);
  EXPECT_EQ(outcome.trials[1].outcome, TrialOutcome::Measured) << "the one run is what it is compared with";
}

TEST(MeasureClient, ReferenceThatDoesNotComeBackEndsIt) {
  RoundOptions rounds;
  rounds.onProgress = [](const char *, size_t done, size_t, double) {
    if (done == 3) // rounds; meanwhile the second one faults
      std::remove((testing::TempDir() + "/a.cubin").c_str());
  };
  Outcome outcome = measure(std::string("b/* us=199 out=2 fault=112") + kRest, {"a", "b"}, optionsOf(), rounds);
  std::string message = outcome.status ? "" : outcome.status.error().message;
  EXPECT_EQ(message.substr(0, 57), "the reference, which ran before, fails now: cannot open `");
  EXPECT_EQ(outcome.trials[1].outcome, TrialOutcome::Faulted);
  EXPECT_TRUE(outcome.trials[0].hasTime());
  EXPECT_EQ(choose(outcome.trials)->index, 0u);
}

TEST(MeasureClient, NoGpuAndBadArgumentsAreErrors) {
  MeasureOptions options = optionsOf();
  options.setup.device = 3;
  Outcome outcome = measure(kRest, {"a", "b"}, options);
  EXPECT_EQ(outcome.status.error().message, "device 3 of 1 does not exist");
  EXPECT_EQ(outcome.words(1), "not tried: device 3 of 1 does not exist");
  options = optionsOf();
  options.setup.arguments[0].text = "x=rand:f33[4]";
  EXPECT_EQ(measure(kRest, {"a"}, options).status.error().message.substr(0, 34), "unknown element type `f33` in `ran");
}

TEST(MeasureClient, ProcessThatIsNoMeasurerIsAnError) {
  EXPECT_EQ(measure(kRest, {"a"}, optionsOf({"exit", "5"})).status.error().message,
            "the measuring process exited with code 5");
  EXPECT_EQ(measure(kRest, {"a"}, optionsOf({"answer", "garbage"})).status.error().message,
            "the measuring process answered `ready`; expected an object of JSON with what was asked for");
  MeasureOptions options = optionsOf({"sleep", "1000"});
  options.secondsToPrepare = 0.2;
  Outcome outcome = measure(kRest, {"a"}, options);
  EXPECT_EQ(outcome.status.error().message, "gave no result within 0.2 s");
  EXPECT_EQ(outcome.trials[0].outcome, TrialOutcome::NotTried);
}

TEST(MeasureClient, AnswerThatCannotBeReadIsAFailureOfItsCandidate) {
  for (auto [step, text] :
       {std::pair("load", "[]"), std::pair("run", R"({"variant": 7})"), std::pair("run", R"({"registers": "x"})"),
        std::pair("run", R"({"error": 7})"), std::pair("compare", R"({"difference": [], "alike": 0})"),
        std::pair("compare", "{}"), std::pair("estimate", R"({"us": "fast"})"),
        std::pair("estimate", R"({"us": 1e999})"), std::pair("time", "{}"), std::pair("time", R"({"us": [100]})")}) {
    Outcome outcome = measure(kRest, {"a", "b"}, optionsOf({"measure-but", step, text}));
    EXPECT_TRUE(outcome.status.ok()) << outcome.status.error().message;
    for (size_t i : {0, 1})
      EXPECT_EQ(outcome.words(i), std::string("faulted: the measuring process answered `") + text +
                                      "`; expected an object of JSON with what was asked for")
          << step;
  }
}

TEST(MeasureClient, TimeThatIsNoneIsAFailureOfItsCandidate) {
  for (auto [us, shown] : {std::pair("nan", "null"), std::pair("inf", "null"), std::pair("0", "0.0")}) {
    Outcome outcome = measure(std::string("b/* out=2 us=") + us + kRest, {"a", "b"});
    EXPECT_EQ(outcome.trials[0].outcome, TrialOutcome::Measured) << us;
    EXPECT_EQ(outcome.words(1),
              std::string("faulted: its time was measured as `") + shown + "` us; expected a number above 0");
  }
  for (const char *step : {"estimate", "time"}) {
    Outcome outcome = measure(kRest, {"a"}, optionsOf({"measure-but", step, R"({"us": -1})"}));
    EXPECT_EQ(outcome.words(0), "faulted: its time was measured as `-1` us; expected a number above 0");
  }
}

TEST(MeasureClient, StopInAHangKeepsWhatWasMeasured) {
  std::atomic<bool> cancelled = false;
  MeasureOptions options = optionsOf();
  options.cancelled = &cancelled;
  RoundOptions rounds;
  std::thread stopper;
  rounds.onProgress = [&](const char *step, size_t done, size_t, double) {
    if (std::string(step) == "timing" && done == 1)
      stopper = std::thread([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        cancelled = true;
      });
  };
  // The second one hangs in the second round or a later one.
  Outcome outcome = measure(std::string("b/* us=199 out=2 hang=100") + kRest, {"a", "b"}, options, rounds);
  stopper.join();
  EXPECT_TRUE(cancelled);
  for (size_t i : {0, 1}) {
    EXPECT_EQ(outcome.words(i), "measured: ") << "nobody waited for the end of the hang";
    EXPECT_TRUE(outcome.trials[i].hasTime());
  }
}

TEST(MeasureClient, ServerRefusesWhatIsNoStep) {
  auto child = std::move(*Process::start({TILE_CHILD, {"measure"}}));
  std::vector<std::string> answers;
  for (const char *request :
       {R"({"do": "run"})", R"({"do": "setup", "arguments": 7})", R"({"do": "setup"})", R"({"do": "dance"})"})
    child->send(request);
  while (answers.size() < 5 && waitForAny({child.get()}, afterSeconds(20)) && !child->hasEnded())
    while (std::optional<std::string> line = child->takeLine())
      answers.push_back(*line);
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_EQ(answers[1], R"({"error":"found `run`; expected `setup` first","is_lost":true})");
  EXPECT_NE(answers[2].find("found a request that cannot be read"), std::string::npos);
  EXPECT_EQ(answers[3], "{}");
  EXPECT_EQ(answers[4], R"({"error":"found step `dance`; expected setup, load, run, compare, estimate or time"})");
}

} // namespace
} // namespace tile
