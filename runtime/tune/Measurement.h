// Candidates on the GPU of this process: loaded, run once against the reference, and timed. One step is one call, so
// that whoever asks knows which candidate is at fault when a call gives an error or never returns.
//
// All candidates work on the same arguments, which are made from their texts as `tilec run` makes them, but that large
// tensors repeat their first million elements. Of these there
// are as many copies as twice the L2 cache holds, in turn: a launch finds in the cache what a launch among others finds
// there, not what the one before it left. (Copies are bounded in number, so that arguments of less than a few hundred
// kilobytes stay in the cache.)
//
// A time is that of a batch of launches, long against the resolution of events, replayed as a graph, so that short
// kernels are not measured by the host's calls. A few launches before it cover what the host does meanwhile.

#ifndef TILE_RUNTIME_TUNE_MEASUREMENT_H
#define TILE_RUNTIME_TUNE_MEASUREMENT_H

#include "runtime/artifact/Manifest.h"
#include "runtime/tune/Agreement.h"

#include <memory>
#include <optional>

namespace tile {

/// An argument as `tilec run --arg` takes it.
struct MeasuredArgument {
  std::string name; ///< Of the parameter.
  std::string text; ///< With a name in front where the user wrote one: the values depend on it.
};

struct MeasureSetup {
  int device = 0;
  std::string kernel;
  std::vector<MeasuredArgument> arguments; ///< In any order; a parameter without one is absent.
  uint64_t seed = 0;
  AgreementOptions agreement;
};

/// What a launch took.
struct LaunchedCode {
  std::string variant;
  int64_t registers = 0, spillBytes = 0, sharedBytes = 0, warps = 0;
};

struct Comparison {
  std::string difference; ///< Of what was written from what the first candidate wrote; empty if they agree.
  size_t alike = 0;       ///< The first candidate that wrote the same: itself where none did.
};

class Measurement {
public:
  /// Makes the arguments and takes the GPU. Fails on texts that are no arguments, and without a GPU.
  static Result<std::unique_ptr<Measurement>> create(const MeasureSetup &setup);
  virtual ~Measurement() = default;

  /// Loads the cubin of a candidate and checks the arguments against it; the first one also takes the GPU's memory.
  virtual Status load(size_t candidate, const std::string &cubin) = 0;
  /// Launches it once, with poison in what it is to write and the arguments as they were made.
  virtual Status run(size_t candidate) = 0;
  /// Compares what it wrote with what the candidates before wrote, above all the first one.
  virtual Result<Comparison> compare(size_t candidate) = 0;
  /// Microseconds of one launch, roughly.
  virtual Result<double> estimate(size_t candidate) = 0;
  /// Microseconds of one launch, by a batch.
  virtual Result<double> time(size_t candidate) = 0;
  /// Of a candidate that ran.
  virtual LaunchedCode facts(size_t candidate) const = 0;
  /// Whether the GPU still takes work of this process. After a kernel's fault it does not.
  virtual bool isUsable() const = 0;
};

/// The sole argument of `tilec` that makes it a measurer.
inline constexpr const char *kMeasurerArgument = "--measurer";

/// The process's side of `MeasureClient`: takes steps from standard input until there are no more. Gives the exit code.
int serveMeasurements();

} // namespace tile

#endif // TILE_RUNTIME_TUNE_MEASUREMENT_H
