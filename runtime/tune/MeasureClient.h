// The tuner's side of measuring: candidates in another process, which is replaced when one of them takes it down.
//
//   auto client = MeasureClient::start(options);          // returns at once: the process makes the arguments
//   …compile…
//   client->measure(trials, {{0, "a.cubin"}, {3, "b.cubin"}}, rounds);   // the reference first
//   std::optional<Choice> choice = choose(trials);
//
// A step is one request. A process that ends or does not answer in time is over, the candidate of that step has that
// result, and the next step starts another process, which loads what it is asked for and the reference anew.

#ifndef TILE_RUNTIME_TUNE_MEASURECLIENT_H
#define TILE_RUNTIME_TUNE_MEASURECLIENT_H

#include "runtime/tune/Measurement.h"
#include "runtime/tune/Process.h"
#include "runtime/tune/Rounds.h"

namespace tile {

struct MeasureOptions {
  ProcessOptions process; ///< Of a measurer: this program with kMeasurerArgument.
  MeasureSetup setup;
  /// How long the process may take to start and to make the arguments, to load, and to compare.
  double secondsToPrepare = 120;
  /// How long the first run of the reference may take. The others get the same, or fifty times what that took if it is
  /// less, but a second at least.
  double secondsToRun = 20;
  const std::atomic<bool> *cancelled = nullptr;
};

struct MeasuredCandidate {
  size_t trial;      ///< Its index.
  std::string cubin; ///< A file.
};

class MeasureClient {
public:
  virtual ~MeasureClient() = default;
  /// Starts the process and has it make the arguments meanwhile. Fails where the system gives no process.
  static Result<std::unique_ptr<MeasureClient>> start(const MeasureOptions &options);

  /// Waits until the arguments are made, which `measure` does else. Where they cannot be made, that says why.
  virtual void waitForArguments() = 0;

  /// Measures the candidates, of which the first that runs is the reference, into their trials. Fails where nothing
  /// can be measured (any more): no GPU, arguments that cannot be made. What was timed before counts.
  virtual Status measure(std::vector<Trial> &trials, const std::vector<MeasuredCandidate> &candidates,
                         const RoundOptions &rounds) = 0;
};

} // namespace tile

#endif // TILE_RUNTIME_TUNE_MEASURECLIENT_H
