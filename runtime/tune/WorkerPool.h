// Many requests answered by several long-lived processes at a time: one request is one line, its answer another.
//
// A request that crashes its worker or takes too long is that request's result; the worker is replaced and the others
// go on. Knows nothing of what is asked. A worker says one line when it has started, so that one that never starts is
// told from a request that ends it.

#ifndef TILE_RUNTIME_TUNE_WORKERPOOL_H
#define TILE_RUNTIME_TUNE_WORKERPOOL_H

#include "runtime/tune/Process.h"

#include <functional>

namespace tile {

struct PoolOptions {
  ProcessOptions process;
  unsigned workers = 0; ///< 0: `defaultWorkers`.
  double secondsPerRequest = 60;
  const std::atomic<bool> *cancelled = nullptr; ///< Set: what is not answered yet is not run.
};

struct RequestResult {
  enum class End {
    Answered,
    Crashed,
    Killed, ///< The worker, from outside: the request has no part in it.
    TimedOut,
    NotRun
  };
  End end = End::NotRun;
  std::string text; ///< The answer, or why there is none.
  double milliseconds = 0;
};

/// As many as there are cores, and as the free memory takes compilers.
unsigned defaultWorkers();

/// Runs `requests` in their order and returns when all are done. `onDone` is called here, once for each that was run.
std::vector<RequestResult> runRequests(const std::vector<std::string> &requests, const PoolOptions &options,
                                       const std::function<void(size_t, const RequestResult &)> &onDone = {});

} // namespace tile

#endif // TILE_RUNTIME_TUNE_WORKERPOOL_H
