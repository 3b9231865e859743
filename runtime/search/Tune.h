/// Which configuration of a kernel a launch takes: the one that was found before, the model's first, or the best of
/// those that are measured now. Joins the space, the model, worker processes, the measuring process, the compile cache
/// and the database; knows nothing of the command line.
#ifndef RUNTIME_SEARCH_TUNE_H
#define RUNTIME_SEARCH_TUNE_H

#include "runtime/execute/Execute.h"
#include "runtime/search/Keys.h"
#include "runtime/search/Ranking.h"
#include "runtime/store/Cache.h"
#include "runtime/store/Database.h"
#include "runtime/tune/Trial.h"
#include "runtime/tune/TunePolicy.h"

#include <atomic>
#include <functional>

namespace tile {

/// One launch of one kernel, as `tilec run` describes it.
struct TuneLaunch {
  std::string file;
  const ast::Module *module = nullptr;
  const ast::KernelItem *kernel = nullptr;
  BuildOptions build;                 ///< for the GPU at hand, with the values that bindSignature adds
  std::vector<std::string> arguments; ///< `--arg`
  std::vector<HostArgument> shapes;   ///< the same, read; their elements are not looked at
  uint64_t seed = 0;                  ///< of the elements
  GpuName gpu;
};

struct TuneProgress {
  enum class Phase { Model, Compile, Check, Measure };
  Phase phase = Phase::Model;
  size_t done = 0, count = 0; ///< configurations, and rounds while measuring
  double bestUs = 0;          ///< 0: none is known
};

struct TuneOptions {
  TunePolicy policy = TunePolicy::Missing;
  unsigned top = 0; ///< configurations to measure; 0: as many as the kernel says, else `kDefaultTop`
  /// That is a compiler and a measurer on demand: tilec.
  std::string program = "/proc/self/exe";
  unsigned workers = 0;       ///< compiler processes; 0: as many as there are cores
  double seconds = 10;        ///< that measuring may take, without what makes the arguments and their reference
  double compileSeconds = 60; ///< that one compilation may take
  const std::atomic<bool> *cancelled = nullptr;
  std::function<void(const TuneProgress &)> onProgress;
  Cache *cache = nullptr;       ///< null: no compiled code is kept
  Database *database = nullptr; ///< null: no choice is known, and none is kept
};

/// Without `top` of the kernel or the command line. On an H200 the model's first eight held one within 5 % of the best
/// for each space recorded in test/gpu/results.
inline constexpr unsigned kDefaultTop = 16;

struct TuneResult {
  enum class Source {
    Only,      ///< nothing else to choose from
    Known,     ///< from the database
    Model,     ///< not measured
    Measured,  ///< now
    Cancelled, ///< what is known, else the model's first: the search was stopped before it had anything better
    None,      ///< no configuration runs, which is reported; `trials` say why, and `chosen` is empty
  };
  Source source = Source::Only;
  Configuration chosen;
  std::string why;
  double medianUs = 0; ///< of one launch; 0: not measured
  Space space;
  TuneKey key;
  /// Of each of `space.all`, those of earlier searches among them; empty where nothing was asked of the model.
  std::vector<Trial> trials;
  size_t asked = 0;  ///< how many were to be measured: the model's first, and the default
  size_t open = 0;   ///< of these, how many neither this search nor one before it came to
  size_t cached = 0; ///< configurations whose code was kept from before
  double modelSeconds = 0, compileSeconds = 0, measureSeconds = 0;
  double argumentSeconds = 0; ///< that measuring waited for the arguments, which are made from the beginning on
  bool isCancelled = false;
};

/// None after reporting a fault of the kernel or its `@autotune`, or what keeps anything from being measured.
std::optional<TuneResult> tune(Session &session, const TuneLaunch &launch, const TuneOptions &options);

struct RankedLaunch {
  Space space;
  std::vector<RankedConfiguration> ranking; ///< as a search would look at them
  std::string whyNothing;                   ///< a search would measure nothing; empty where it would
  TuneKey key;
  size_t top = 0; ///< how many of the first ones a search measures
};

/// The order alone, in which `tune` would look at the configurations; needs no GPU. One that fits no configuration has
/// been reported as well, and has its ranking all the same. None after reporting what keeps it from being known.
std::optional<RankedLaunch> rankLaunch(Session &session, const TuneLaunch &launch, const TuneOptions &options);

} // namespace tile

#endif
