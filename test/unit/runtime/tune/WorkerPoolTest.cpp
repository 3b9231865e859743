// Requests that end their worker, hang or never get one; and that the others are answered all the same.

#include "runtime/tune/WorkerPool.h"

#include <gtest/gtest.h>

#include <thread>

namespace tile {
namespace {

using End = RequestResult::End;

PoolOptions poolOf(unsigned workers, std::vector<std::string> arguments = {"echo", "ready"}) {
  PoolOptions options;
  options.process = {TILE_CHILD, std::move(arguments)};
  options.workers = workers;
  options.secondsPerRequest = 20;
  return options;
}

TEST(WorkerPool, AnswersInTheOrderOfTheRequests) {
  std::vector<std::string> requests;
  for (int i = 0; i < 50; ++i)
    requests.push_back("echo " + std::to_string(i));
  size_t done = 0;
  std::vector<RequestResult> results = runRequests(
      requests, poolOf(3), [&](size_t i, const RequestResult &result) { done += result.text == std::to_string(i); });
  EXPECT_EQ(done, 50u);
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(results[i].text, std::to_string(i));
}

TEST(WorkerPool, OneWorkerTakesMany) {
  EXPECT_EQ(runRequests({"echo a", "echo b"}, poolOf(1))[1].text, "b");
  EXPECT_TRUE(runRequests({}, poolOf(1)).empty());
  EXPECT_GE(defaultWorkers(), 1u);
}

TEST(WorkerPool, WhatEndsAWorkerIsItsOwnResult) {
  for (unsigned workers : {1u, 2u}) {
    std::vector<RequestResult> results = runRequests({"echo a", "crash", "exit 3", "crash", "echo b"}, poolOf(workers));
    EXPECT_EQ(results[0].text, "a");
    EXPECT_EQ(results[1].end, End::Crashed);
    EXPECT_EQ(results[1].text, "the process was ended by SIGSEGV (Segmentation fault)");
    EXPECT_EQ(results[2].text, "the process exited with code 3");
    EXPECT_EQ(results[3].end, End::Crashed);
    EXPECT_EQ(results[4].end, End::Answered);
    EXPECT_EQ(results[4].text, "b");
  }
}

TEST(WorkerPool, WhatHangsIsEnded) {
  PoolOptions options = poolOf(2);
  options.secondsPerRequest = 1;
  std::vector<RequestResult> results = runRequests({"sleep 1000", "garbage", "echo a", "echo b"}, options);
  EXPECT_EQ(results[0].end, End::TimedOut);
  EXPECT_EQ(results[0].text, "no result within 1 s");
  EXPECT_GE(results[0].milliseconds, 1000);
  EXPECT_EQ(results[1].end, End::TimedOut) << "half a line is no answer";
  EXPECT_EQ(results[2].text, "a");
  EXPECT_EQ(results[3].text, "b");
}

TEST(WorkerPool, WorkerThatNeverStartsIsGivenUp) {
  std::vector<RequestResult> results = runRequests({"echo a", "echo b"}, poolOf(2, {"exit", "5"}));
  for (const RequestResult &result : results) {
    EXPECT_EQ(result.end, End::NotRun);
    EXPECT_EQ(result.text, "no worker starts: it exited with code 5");
  }
}

TEST(WorkerPool, CancellingKeepsWhatIsDone) {
  std::atomic<bool> cancelled = false;
  PoolOptions options = poolOf(1);
  options.cancelled = &cancelled;
  std::vector<RequestResult> results = runRequests({"echo a", "sleep 1000", "echo b"}, options,
                                                   [&](size_t, const RequestResult &) { cancelled = true; });
  EXPECT_EQ(results[0].text, "a");
  EXPECT_EQ(results[1].end, End::NotRun);
  EXPECT_EQ(results[1].text, "stopped before it was done");
  EXPECT_EQ(results[2].end, End::NotRun);
}

TEST(WorkerPool, CancellingEndsTheWait) {
  std::atomic<bool> cancelled = false;
  PoolOptions options = poolOf(1);
  options.secondsPerRequest = 1000;
  options.cancelled = &cancelled;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cancelled = true;
  });
  EXPECT_EQ(runRequests({"sleep 1000"}, options)[0].end, End::NotRun);
  other.join();
}

} // namespace
} // namespace tile
