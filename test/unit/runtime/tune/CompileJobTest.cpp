// Jobs on their way to a worker and back, with a child as the worker; what a compiler makes of them is test/tilec's.

#include "runtime/tune/CompileJob.h"

#include <gtest/gtest.h>

namespace tile {
namespace {

PoolOptions poolOf(std::vector<std::string> arguments) {
  PoolOptions options;
  options.process = {TILE_CHILD, std::move(arguments)};
  options.workers = 1;
  options.secondsPerRequest = 20;
  return options;
}

/// What the child, which is to answer that, makes of one job.
CompileResult compileBy(std::vector<std::string> arguments, CompileJob job) {
  return compileAll({std::move(job)}, poolOf(std::move(arguments)))[0];
}

TEST(CompileJob, ArrivesWholeAndComesBack) {
  CompileJob job;
  job.file = "a \"b\"\n\xff.tile"; // names are bytes
  job.kernel = "matmul";
  job.values = {{"BM", "128"}, {"T", "bf16"}};
  job.scalars = {{"s", "0.5"}};
  job.numSms = 132;
  job.target = "sm_80";
  job.assembleFor = "sm_90a";
  job.includeFolders = {"x", "y"};
  job.fuses = false;
  job.ptxas = "p";
  job.output = "out.cubin";
  std::vector<size_t> done;
  std::vector<CompileResult> results =
      compileAll({job, job}, poolOf({"compile"}), [&](size_t i, const CompileResult &) { done.push_back(i); });
  EXPECT_EQ(done, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(results[1].failure, std::nullopt) << results[1].reason;
  // The child gives the job in words.
  EXPECT_EQ(results[1].diagnostics,
            "a \"b\"\n\xef\xbf\xbd.tile matmul BM=128 T=bf16 s=0.5 132 sm_80 sm_90a x y 0 p out.cubin");
  Trial trial;
  results[1].apply(trial);
  EXPECT_EQ(trial.outcome, TrialOutcome::NotTried);
  EXPECT_EQ(trial.variant, "fast");
  EXPECT_EQ(trial.registers, 128);
  EXPECT_EQ(trial.spillBytes, 16);
  EXPECT_EQ(trial.sharedBytes, 4096);
  EXPECT_EQ(trial.warps, 8);
  EXPECT_EQ(trial.programsPerSm, 2);
  EXPECT_EQ(trial.compileMs, 1.5);
}

TEST(CompileJob, FailuresHaveTheirOutcome) {
  CompileJob bad;
  bad.kernel = "bad";
  CompileResult result = compileBy({"compile"}, bad);
  EXPECT_EQ(result.failure, TrialOutcome::CompileFailed);
  EXPECT_EQ(result.reason, "error[E0403]: bad tile");
  EXPECT_EQ(result.diagnostics, "error[E0403]: bad tile\n  all of it");
  Trial trial;
  result.apply(trial);
  EXPECT_EQ(trial.outcome, TrialOutcome::CompileFailed);
  EXPECT_EQ(trial.reason, result.reason);

  bad.kernel = "crash";
  result = compileBy({"compile"}, bad);
  EXPECT_EQ(result.failure, TrialOutcome::CompileFailed);
  EXPECT_EQ(result.reason, "the process exited with code 70: error[E0999]: the compiler crashed");

  result = compileBy({"exit", "1"}, bad);
  EXPECT_EQ(result.failure, TrialOutcome::NotTried);
  EXPECT_EQ(result.reason, "no worker starts: it exited with code 1");
}

TEST(CompileJob, FailureOfTheMachineIsNotOfTheJob) {
  for (auto [kernel, reason] :
       {std::pair("full", "error[E0602]: no space left"),
        std::pair(
            "killed",
            "the process was ended by SIGKILL, as the system does where memory runs out: what a library prints")}) {
    CompileJob job;
    job.kernel = kernel;
    Trial trial;
    compileBy({"compile"}, job).apply(trial);
    EXPECT_EQ(trial.outcome, TrialOutcome::NotTried) << kernel;
    EXPECT_EQ(trial.reason, reason);
    EXPECT_TRUE(trial.machineFailed);
  }
}

TEST(CompileJob, TimeLimitIsAnOutcome) {
  PoolOptions options = poolOf({"compile"});
  options.secondsPerRequest = 0.2;
  CompileJob endless;
  endless.kernel = "endless";
  CompileResult result = compileAll({endless}, options)[0];
  EXPECT_EQ(result.failure, TrialOutcome::CompileTimeout);
  EXPECT_EQ(result.reason, "no result within 0.2 s");
  EXPECT_GE(result.milliseconds, 200);
}

TEST(CompileJob, AnswerOfAnotherShapeIsAFailure) {
  CompileResult result = compileBy({"echo", "ready"}, {}); // answers nothing that it is asked
  EXPECT_EQ(result.failure, TrialOutcome::CompileFailed);
  EXPECT_EQ(result.reason, "the worker answered `garbage`; expected an object of JSON with what was asked for");
  result = compileBy({"answer", "{\"variant\": 7}"}, {});
  EXPECT_EQ(result.reason,
            "the worker answered `{\"variant\": 7}`; expected an object of JSON with what was asked for");
}

TEST(CompileJob, WorkerRefusesWhatIsNoJob) {
  std::vector<RequestResult> results = runRequests({"nonsense", "{\"file\": 7}"}, poolOf({"compile"}));
  EXPECT_EQ(results[0].text, "{\"error\":\"found a request that cannot be read: no object of JSON\"}");
  EXPECT_NE(results[1].text.find("type must be string, but is number"), std::string::npos) << results[1].text;
}

} // namespace
} // namespace tile
