#include "runtime/search/Tune.h"

#include "runtime/artifact/File.h"
#include "runtime/execute/LaunchArguments.h"
#include "runtime/execute/Signature.h"
#include "runtime/search/CompileWorker.h"
#include "runtime/search/Rounding.h"
#include "runtime/tune/Choice.h"
#include "runtime/tune/EarlierTrials.h"
#include "runtime/tune/MeasureClient.h"
#include "runtime/tune/ScratchFolder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <chrono>
#include <ctime>

using namespace llvm;

namespace tile {
namespace {

/// Adds the time of its life to `seconds`.
class Timer {
public:
  explicit Timer(double &seconds) : seconds(seconds), begin(std::chrono::steady_clock::now()) {}
  ~Timer() { seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); }

private:
  double &seconds;
  std::chrono::steady_clock::time_point begin;
};

/// A candidate that takes a part like this of all the time is taken for one that never ends, so that some may.
constexpr double kHangs = 4;

std::string countOf(size_t configurations) {
  return std::to_string(configurations) + (configurations == 1 ? " configuration" : " configurations");
}

/// Ends the reason of a choice that a whole search may replace, and that replaces none of a whole search.
constexpr StringLiteral kStopped = "the search was stopped before its end";

class Search {
public:
  Search(Session &session, const TuneLaunch &launch, const TuneOptions &options)
      : session(session), launch(launch), options(options) {}

  std::optional<TuneResult> run() {
    if (!readLaunch())
      return std::nullopt;
    known = options.policy == TunePolicy::Force ? std::nullopt : findKnown();
    if (known && (options.policy != TunePolicy::Wider || !whyNothing.empty() || isNothingOpen())) {
      take(*known);
      return std::move(result);
    }
    if (!whyNothing.empty()) {
      takeUnmeasured(result.space.all.front(), whyNothing);
      return std::move(result);
    }
    if (result.space.all.size() == 1) {
      result.chosen = result.space.all.front();
      result.why = "the only configuration";
      // Where `prune` leaves it alone, another would be taken without the choice.
      if (options.database && options.policy != TunePolicy::Never && !result.space.pruned.empty())
        options.database->storeChoice(result.key, {result.chosen, 0, result.why, printDate(std::time(nullptr))});
      return std::move(result);
    }
    if (!rank())
      return std::nullopt;
    if (order.empty())
      return refuseAll();
    if (options.policy == TunePolicy::Never) {
      takeFirstOfModel();
      return std::move(result);
    }
    const std::vector<size_t> asked = shortlist(), tried = known ? whatToAdd(asked) : asked;
    std::vector<size_t> candidates = tried;
    std::unique_ptr<MeasureClient> client = startMeasuring();
    if (!client || !compile(candidates) || !measure(*client, candidates))
      return std::nullopt;
    return conclude(asked, tried);
  }

  std::optional<RankedLaunch> rankOnly() {
    if (!readLaunch() || !rank())
      return std::nullopt;
    RankedLaunch ranked{result.space, ranking, whyNothing, result.key,
                        whyNothing.empty() ? std::min(top(), order.size()) : 0};
    if (order.empty())
      (void)refuseAll();
    return ranked;
  }

private:
  TuneResult refuseAll() {
    return refuse("the model rejects every configuration of `" + launch.kernel->name.text + "`",
                  to_vector(seq(result.trials.size())));
  }

  /// Reports that none of `tried` runs, with what failed of them; where nothing did, why they were not tried. Then says
  /// what follows from it.
  TuneResult refuse(std::string message, ArrayRef<size_t> tried, StringRef consequence = "") {
    result.source = TuneResult::Source::None;
    result.why = message;
    DiagnosticBuilder diagnostic = session.engine.report(Code::E0607, launch.kernel->name.range, std::move(message));
    auto isFailure = [&](size_t i) { return result.trials[i].outcome != TrialOutcome::NotTried; };
    bool hasFailure = any_of(tried, isFailure);
    constexpr size_t kMostShown = 4;
    size_t shown = 0;
    for (size_t i : tried)
      if ((isFailure(i) || !hasFailure) && shown++ < kMostShown)
        diagnostic.note(result.trials[i].configuration.describe() + ": " + result.trials[i].reason);
    if (!consequence.empty())
      diagnostic.note(consequence.str());
    return std::move(result);
  }

  bool readLaunch() {
    std::optional<Space> space = readSpace(session, *launch.module, *launch.kernel, launch.build.source);
    if (!space)
      return false;
    result.space = std::move(*space);
    std::optional<LoadedKernel> kernel = load(result.space.all.front());
    std::optional<std::vector<HostArgument>> arguments =
        kernel ? orderArguments(session, kernel->contract, launch.shapes) : std::nullopt;
    std::optional<std::string> variant = arguments ? variantOf(session, kernel->contract, *arguments) : std::nullopt;
    if (!variant)
      return false;
    given = std::move(*arguments);
    agreement = agreementOf(kernel->function);
    if (!fitsAny(*kernel))
      return false;
    result.key = tuneKeyOf(session, *launch.kernel, launch.build, result.space, launch.gpu, *variant);
    return true;
  }

  int numSms() const { return static_cast<int>(numSmsOf(launch.build.source, *launch.build.compile.target)); }

  /// Whether the arguments fit the default, `kernel`, or, as `where` may have it, another configuration. False after
  /// reporting why not.
  bool fitsAny(const LoadedKernel &kernel) {
    Result<Binding> binding = bindShapes(kernel.contract, given, numSms());
    if (binding) {
      if (binding->isEmpty())
        whyNothing = "the grid is [" +
                     join(map_range(binding->grid, [](int64_t axis) { return std::to_string(axis); }), ", ") +
                     "], so that there is nothing to measure";
      return true;
    }
    bool isFit = any_of(drop_begin(result.space.all), [&](const Configuration &each) { return fits(each); });
    if (!isFit)
      report(session, binding.error());
    return isFit;
  }

  /// Whether the arguments fit `configuration`.
  bool fits(const Configuration &configuration) {
    bool isFit = false;
    (void)estimateConfiguration(session, *launch.module, *launch.kernel, launch.build.source, configuration,
                                *launch.build.compile.target, [&](const KernelContract &contract) {
                                  isFit = bindShapes(contract, given, numSms()).ok();
                                  return std::string("only whether it fits is asked");
                                });
    return isFit;
  }

  BuildOptions buildOf(const Configuration &configuration) const {
    BuildOptions build = launch.build;
    build.source = withConfiguration(std::move(build.source), configuration);
    build.source.kernel = launch.kernel->name.text;
    build.source.forOneLaunch = true;
    return build;
  }

  std::optional<LoadedKernel> load(const Configuration &configuration) {
    StepTimes times;
    mlir::OwningOpRef<mlir::ModuleOp> module = loadKernels(session, *launch.module, buildOf(configuration), times);
    return module ? takeKernel(session, std::move(module)) : std::nullopt;
  }

  /// What is known for the key of this launch, unless this launch does not take it: others of its `bucket` may be
  /// larger.
  std::optional<TunedChoice> findKnown() {
    std::optional<TunedChoice> found = options.database ? options.database->findChoice(result.key) : std::nullopt;
    if (options.database && !found && options.policy == TunePolicy::Never)
      found = findOfOtherDriver();
    if (!found)
      return std::nullopt;
    std::vector<Configuration> listed = result.space.all;
    append_range(listed, result.space.pruned);
    if (std::string problem = findChoiceProblem(found->configuration, listed); !problem.empty())
      options.database->reportRefused(result.key, problem);
    bool isTaken = is_contained(result.space.all, found->configuration) && fits(found->configuration);
    return isTaken ? found : std::nullopt;
  }

  /// The newest choice that another driver's times gave: better than none where nothing is to be measured.
  std::optional<TunedChoice> findOfOtherDriver() const {
    TuneKey like = result.key;
    like.driver.clear();
    std::optional<TunedChoice> newest;
    for (auto &[key, choice] : options.database->findChoices(like)) {
      TuneKey ours = result.key;
      ours.driver = key.driver;
      if (!(key == ours) || (newest && choice.date < newest->date))
        continue;
      newest = choice;
      newest->why += "; with the driver of " + key.driver;
    }
    return newest;
  }

  void take(const TunedChoice &choice) {
    result.source = TuneResult::Source::Known;
    result.chosen = choice.configuration;
    result.why = choice.why;
    result.medianUs = choice.medianUs;
  }

  //===-- What searches before this one came to

  static bool isStopped(const TunedChoice &choice) { return StringRef(choice.why).ends_with(kStopped); }

  bool isDone(const Trial &trial) const { return tile::isDone(trial, options.compileSeconds, isStopped(*known)); }

  /// Reads the trials behind `known`. Whether they leave nothing to measure, by what the model said then; where it was
  /// not asked about a configuration of this launch, it has to be.
  bool isNothingOpen() {
    earlier = EarlierTrials(options.database->findTrials(result.key));
    std::optional<std::vector<Trial>> trials = earlier.findAll(result.space.all);
    if (!trials)
      return false;
    result.trials = std::move(*trials);
    for (auto [i, trial] : enumerate(result.trials))
      if (trial.modelRank)
        order.push_back(i);
    llvm::sort(order, [&](size_t a, size_t b) {
      return std::pair(result.trials[a].modelRank, a) < std::pair(result.trials[b].modelRank, b);
    });
    std::vector<size_t> asked = shortlist();
    countOpen(asked);
    if (all_of(asked, [&](size_t i) { return isDone(result.trials[i]); }))
      return true;
    result.trials.clear();
    order.clear();
    return false;
  }

  void countOpen(ArrayRef<size_t> asked) {
    result.asked = asked.size();
    result.open = count_if(asked, [&](size_t i) { return result.trials[i].outcome == TrialOutcome::NotTried; });
  }

  /// Of `asked`, what is not done, after what it is compared with: the default, unless it failed, and the choice.
  std::vector<size_t> whatToAdd(ArrayRef<size_t> asked) const {
    std::vector<size_t> candidates;
    for (size_t i = 0; i < result.trials.size(); ++i) {
      const Trial *trial = earlier.find(result.trials[i].configuration);
      bool isCompared = i == 0 && (!trial || trial->hasTime() || !isDone(*trial));
      if ((isCompared || result.trials[i].configuration == known->configuration) &&
          result.trials[i].outcome != TrialOutcome::Rejected)
        candidates.push_back(i);
    }
    for (size_t i : asked)
      if (const Trial *trial = earlier.find(result.trials[i].configuration);
          !is_contained(candidates, i) && !(trial && isDone(*trial)))
        candidates.push_back(i);
    return candidates;
  }

  /// Whether the choice that is known was not measured beside the others, so that none of these replaces it.
  bool isKnownAlone() const {
    return known && any_of(result.trials, [&](const Trial &trial) {
             return trial.configuration == known->configuration &&
                    (trial.outcome == TrialOutcome::NotTried || trial.outcome == TrialOutcome::Rejected);
           });
  }

  //===-- One search

  void takeUnmeasured(const Configuration &configuration, std::string why) {
    result.source = TuneResult::Source::Model;
    result.chosen = configuration;
    result.why = std::move(why);
  }

  void takeFirstOfModel() {
    takeUnmeasured(result.trials[order.front()].configuration, "the model's first of " + countOf(order.size()));
  }

  bool isCancelled() const { return options.cancelled && *options.cancelled; }

  void progress(TuneProgress::Phase phase, size_t done, size_t of, double bestUs = 0) const {
    if (options.onProgress)
      options.onProgress({phase, done, of, bestUs});
  }

  /// Asks the model about every configuration. `order` are those that it does not reject, the best first.
  bool rank() {
    Timer timer(result.modelSeconds);
    progress(TuneProgress::Phase::Model, 0, result.space.all.size());
    std::optional<std::vector<RankedConfiguration>> ranked =
        rankConfigurations(session, *launch.module, *launch.kernel, launch.build.source, result.space,
                           *launch.build.compile.target, [&](const KernelContract &contract) {
                             Result<Binding> binding = bindShapes(contract, given, numSms());
                             return binding ? "" : binding.error().message;
                           });
    if (!ranked)
      return false;
    ranking = std::move(*ranked);
    result.trials.resize(result.space.all.size());
    for (const RankedConfiguration &one : ranking) {
      Trial &trial = result.trials[one.place];
      trial = untriedTrial(one);
      agreement.terms = std::max(agreement.terms, one.estimate.terms);
      if (trial.outcome == TrialOutcome::Rejected)
        continue;
      order.push_back(one.place);
      trial.modelRank = static_cast<int>(order.size());
    }
    return true;
  }

  size_t top() const { return options.top ? options.top : result.space.top ? result.space.top : kDefaultTop; }

  /// The configurations to measure: the default, which the others are compared with, and the model's first.
  std::vector<size_t> shortlist() const {
    std::vector<size_t> candidates(order.begin(), order.begin() + std::min(top(), order.size()));
    if (auto place = llvm::find(candidates, 0u); place != candidates.end())
      candidates.erase(place);
    if (result.trials[0].outcome != TrialOutcome::Rejected)
      candidates.insert(candidates.begin(), 0);
    return candidates;
  }

  std::string cacheKey(const Configuration &configuration) const {
    return hashParts(cubinParts(session, *launch.kernel, buildOf(configuration)));
  }

  /// Leaves the code of each of `candidates` in its file, and takes out those that have none.
  bool compile(std::vector<size_t> &candidates) {
    std::optional<std::unique_ptr<ScratchFolder>> made = tile::take(session, ScratchFolder::make());
    if (!made)
      return false;
    scratch = std::move(*made);
    Timer timer(result.compileSeconds);
    std::vector<size_t> missing;
    for (size_t i : candidates)
      if (!takeCached(i))
        missing.push_back(i);
    result.cached = candidates.size() - missing.size();
    std::vector<CompileJob> jobs;
    for (size_t i : missing)
      jobs.push_back(toCompileJob(session, launch.file, buildOf(result.trials[i].configuration), codeFile(i)));
    PoolOptions pool{{options.program, {kWorkerArgument}}, options.workers, options.compileSeconds, options.cancelled};
    size_t done = 0;
    progress(TuneProgress::Phase::Compile, 0, jobs.size());
    std::vector<CompileResult> all = compileAll(jobs, pool, [&](size_t job, const CompileResult &compiled) {
      if (!compiled.failure)
        keep(missing[job]);
      progress(TuneProgress::Phase::Compile, ++done, jobs.size());
    });
    for (const auto &[i, compiled] : zip_equal(missing, all)) { // those that no worker took as well
      compiled.apply(result.trials[i]);
      result.trials[i].machineFailed &= !isCancelled();
    }
    llvm::erase_if(candidates, [&](size_t i) { return !sys::fs::exists(codeFile(i)); });
    return true;
  }

  std::string codeFile(size_t i) const { return scratch->path() + "/" + std::to_string(i) + ".cubin"; }

  bool takeCached(size_t i) {
    std::optional<std::string> cubin =
        options.cache ? options.cache->get(cacheKey(result.trials[i].configuration)) : std::nullopt;
    return cubin && writeFile(codeFile(i), *cubin).ok();
  }

  void keep(size_t i) {
    Result<std::string> cubin = readFile(codeFile(i));
    if (!options.cache || !cubin)
      return;
    BuildOptions build = buildOf(result.trials[i].configuration);
    options.cache->put(hashParts(cubinParts(session, *launch.kernel, build)), *cubin,
                       cubinFacts(*launch.kernel, build));
  }

  /// The process that measures, which makes the arguments while the code is compiled. Null after reporting.
  std::unique_ptr<MeasureClient> startMeasuring() {
    MeasureOptions measuring;
    measuring.process = {options.program, {kMeasurerArgument}};
    measuring.setup.kernel = launch.kernel->name.text;
    measuring.setup.seed = launch.seed;
    measuring.setup.agreement = agreement;
    for (const auto &[argument, text] : zip_equal(launch.shapes, launch.arguments))
      measuring.setup.arguments.push_back({argument.name, text});
    measuring.cancelled = options.cancelled;
    measuring.secondsToRun = std::max(1.0, options.seconds / kHangs);
    std::optional<std::unique_ptr<MeasureClient>> client = tile::take(session, MeasureClient::start(measuring));
    return client ? std::move(*client) : nullptr;
  }

  bool measure(MeasureClient &client, const std::vector<size_t> &candidates) {
    if (candidates.empty() || isCancelled())
      return true;
    {
      Timer timer(result.argumentSeconds);
      client.waitForArguments();
    }
    Timer timer(result.measureSeconds);
    std::vector<MeasuredCandidate> code;
    for (size_t i : candidates)
      code.push_back({i, codeFile(i)});
    RoundOptions rounds;
    rounds.seconds = options.seconds;
    rounds.seed = launch.seed;
    rounds.cancelled = options.cancelled;
    rounds.onProgress = [&](const char *step, size_t done, size_t of, double bestUs) {
      bool isChecking = StringRef(step) == "checking";
      progress(isChecking ? TuneProgress::Phase::Check : TuneProgress::Phase::Measure, done, of, bestUs);
    };
    if (!tile::take(session, client.measure(result.trials, code, rounds)))
      return false;
    const Target &target = launch.build.compile.assembledFor();
    for (Trial &trial : result.trials)
      if (trial.registers)
        trial.programsPerSm =
            occupancy(target, static_cast<unsigned>(32 * trial.warps), static_cast<unsigned>(trial.registers),
                      static_cast<unsigned>(trial.sharedBytes))
                .blocks;
    return true;
  }

  /// Of a search that was stopped: takes what is known, else the model's first. False where `choice` is better founded.
  bool fallBack(const std::optional<Choice> &choice) {
    std::optional<TunedChoice> before = findKnown();
    if (choice && (!before || isStopped(*before)))
      return false;
    if (before)
      take(*before);
    else
      takeFirstOfModel();
    result.source = TuneResult::Source::Cancelled;
    result.why = kStopped.str() + (before ? "; known from before, " : "; ") + result.why;
    return true;
  }

  TuneResult conclude(ArrayRef<size_t> asked, ArrayRef<size_t> tried) {
    result.isCancelled = isCancelled();
    for (auto [i, trial] : enumerate(result.trials))
      if (trial.outcome == TrialOutcome::NotTried && trial.reason.empty())
        trial.reason = is_contained(asked, i) ? "the search was stopped" : "not among the first by the model";
    std::vector<size_t> failedByMachine;
    llvm::copy_if(asked, std::back_inserter(failedByMachine), [&](size_t i) { return result.trials[i].machineFailed; });
    std::optional<Choice> choice = isKnownAlone() ? std::nullopt : choose(result.trials);
    std::string date = printDate(std::time(nullptr));
    bool fallsBack = result.isCancelled && fallBack(choice);
    const Trial &reference = triedReference();
    bool isUnchecked = choice && !fallsBack && gaveNoResult(reference);
    bool isKept = !isUnchecked || !reference.machineFailed;
    // What a choice does not stem from must not say that there is nothing left to measure.
    bool isAnew = options.policy == TunePolicy::Force && !fallsBack;
    if (options.database)
      options.database->storeTrials(result.key, isKept ? result.trials : withoutCompared(), date,
                                    isAnew ? Untried::ReplaceAll : Untried::ReplaceNothing);
    if (!choice && !known && !fallsBack) {
      bool isForgotten =
          isAnew && failedByMachine.empty() && options.database && options.database->removeChoice(result.key);
      return refuse("no configuration of `" + launch.kernel->name.text + "` could be measured", tried,
                    isForgotten ? "what was chosen before is forgotten" : "");
    }
    if (!choice && !fallsBack)
      take(*known);
    else if (!fallsBack)
      takeMeasured(*choice, date, isKept);
    if (isUnchecked)
      warnOfNoReference(reference, isKept);
    warnOfMachine(failedByMachine, asked.size());
    earlier.addTo(result.trials);
    countOpen(asked);
    return std::move(result);
  }

  /// Says what was not tried and is the next time.
  void warnOfMachine(ArrayRef<size_t> failed, size_t count) {
    if (failed.empty())
      return;
    const Trial &first = result.trials[failed.front()];
    session.engine
        .report(Code::W0604, launch.kernel->name.range,
                std::to_string(failed.size()) + " of the first " + countOf(count) + " of `" + launch.kernel->name.text +
                    "` were not tried, which is no fault of theirs")
        .note(first.configuration.describe() + ": " + first.reason)
        .help("`tilec tune` tries them again");
  }

  //===-- The default, which says what is right

  /// The trial of the default, by an earlier search where that left it out of this one.
  const Trial &triedReference() const {
    const Trial &now = result.trials.front();
    const Trial *before = earlier.find(now.configuration);
    return before && now.outcome == TrialOutcome::NotTried && !now.machineFailed ? *before : now;
  }

  static bool hasResult(const Trial &trial) {
    return trial.outcome == TrialOutcome::Slower || trial.outcome == TrialOutcome::Measured ||
           trial.outcome == TrialOutcome::Wrong;
  }

  /// Whether nothing was compared with `reference`. One that was stopped had its result before.
  static bool gaveNoResult(const Trial &reference) {
    return !hasResult(reference) && (reference.outcome != TrialOutcome::NotTried || reference.machineFailed);
  }

  /// The trials without what was found by comparing it with another than the default.
  std::vector<Trial> withoutCompared() const {
    std::vector<Trial> trials = result.trials;
    for (Trial &trial : trials)
      if (hasResult(trial)) {
        trial.outcome = TrialOutcome::NotTried;
        trial.reason = "the default, which it is compared with, was not tried";
        trial.samplesUs.clear();
      }
    return trials;
  }

  void warnOfNoReference(const Trial &reference, bool isKept) {
    session.engine
        .report(Code::W0604, launch.kernel->name.range,
                "nothing checked the choice for `" + launch.kernel->name.text +
                    "`, since the default gave no result to compare with" + (isKept ? "" : "; the choice is not kept"))
        .note(reference.configuration.describe() + ": " + nameOf(reference.outcome) + ": " + reference.reason)
        .help(isKept ? "let a configuration that runs be the first; `tilec check` compares each with the `spec`"
                     : "`tilec tune` tries it again");
  }

  void takeMeasured(const Choice &choice, const std::string &date, bool isKept) {
    const Trial &chosen = result.trials[choice.index];
    result.source = TuneResult::Source::Measured;
    result.chosen = chosen.configuration;
    result.why = choice.why;
    result.medianUs = chosen.medianUs();
    if (result.isCancelled)
      result.why += "; " + kStopped.str();
    if (options.database && isKept)
      options.database->storeChoice(result.key, {result.chosen, result.medianUs, result.why, date});
  }

  Session &session;
  const TuneLaunch &launch;
  const TuneOptions &options;
  TuneResult result;
  std::vector<HostArgument> given; ///< the arguments, in the order of the parameters
  std::string whyNothing;          ///< there is to measure; empty where there is
  std::vector<RankedConfiguration> ranking;
  std::optional<TunedChoice> known; ///< unless the search begins anew
  EarlierTrials earlier;            ///< those behind `known`
  std::vector<size_t> order;        ///< of what the model does not reject, the best first
  AgreementOptions agreement;
  std::unique_ptr<ScratchFolder> scratch;
};

} // namespace

std::optional<TuneResult> tune(Session &session, const TuneLaunch &launch, const TuneOptions &options) {
  return Search(session, launch, options).run();
}

std::optional<RankedLaunch> rankLaunch(Session &session, const TuneLaunch &launch, const TuneOptions &options) {
  return Search(session, launch, options).rankOnly();
}

} // namespace tile
