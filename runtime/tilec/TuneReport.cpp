#include "runtime/tilec/TuneReport.h"

#include "runtime/store/Record.h"
#include "runtime/tilec/JsonReport.h"
#include "runtime/tune/Choice.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_os_ostream.h"

#include <ostream>

using namespace llvm;

namespace tile {

std::string describe(const TuneProgress &progress) {
  static constexpr const char *words[] = {"ranked", "compiled", "checked", "measured, round"};
  std::string text;
  raw_string_ostream out(text);
  out << words[static_cast<size_t>(progress.phase)] << ' ' << progress.done << " of " << progress.count;
  if (progress.bestUs > 0)
    out << format(", best %.1f us", progress.bestUs);
  return text;
}

static const char *nameOf(TuneResult::Source source) {
  static constexpr const char *names[] = {"only", "known", "model", "measured", "cancelled", "none"};
  return names[static_cast<size_t>(source)];
}

/// `21 rejected, 23 not tried, 14 measured, 2 slower`, in the order of outcomes.
static std::string countOutcomes(const std::vector<Trial> &trials) {
  std::map<TrialOutcome, size_t> counts;
  for (const Trial &trial : trials)
    ++counts[trial.outcome];
  std::string text;
  for (auto [outcome, count] : counts)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + nameOf(outcome);
  return text;
}

/// Those with times by their median, then the others by what the model expects, then what it rejects.
static std::vector<const Trial *> sorted(const std::vector<Trial> &trials) {
  std::vector<const Trial *> order;
  for (const Trial &trial : trials)
    order.push_back(&trial);
  auto key = [](const Trial &trial) {
    return std::make_tuple(!trial.hasTime(), trial.hasTime() ? trial.medianUs() : 0, trial.modelRank == 0,
                           trial.modelRank, &trial); // equal ones as the space has them
  };
  llvm::sort(order, [&](const Trial *a, const Trial *b) { return key(*a) < key(*b); });
  return order;
}

static void printTrials(const std::vector<Trial> &trials, raw_ostream &out) {
  out << "  median us     p10     p90   model us  rank  registers  spilled   shared  programs/SM  configuration\n";
  for (const Trial *trial : sorted(trials)) {
    if (trial->hasTime())
      out << format("  %9.1f %7.1f %7.1f", trial->medianUs(), trial->p10Us(), trial->p90Us());
    else
      out << "          -       -       -";
    if (trial->modelRank)
      out << format(" %10.1f %5d", trial->predictedUs, trial->modelRank);
    else
      out << "          -     -";
    if (trial->registers)
      out << format(" %10lld %8lld %8lld %12lld", (long long)trial->registers, (long long)trial->spillBytes,
                    (long long)trial->sharedBytes, (long long)trial->programsPerSm);
    else
      out << "          -        -        -            -";
    out << "  " << trial->configuration.describe();
    if (trial->outcome != TrialOutcome::Measured)
      out << "; " << nameOf(trial->outcome) << (trial->reason.empty() ? "" : ": " + trial->reason);
    out << (trial->isEarlier ? ", by an earlier search\n" : "\n");
  }
}

/// What was not measured, and what measures it.
static void printRest(const TuneResult &result, raw_ostream &out) {
  auto count = [&](bool (*is)(TrialOutcome)) {
    return count_if(result.trials, [&](const Trial &trial) { return is(trial.outcome); });
  };
  auto rest = count([](TrialOutcome outcome) { return outcome == TrialOutcome::NotTried; });
  auto all = count([](TrialOutcome outcome) { return outcome != TrialOutcome::Rejected; });
  bool hasMachineFailed = any_of(result.trials, [](const Trial &trial) { return trial.machineFailed; });
  if (result.open > 0)
    out << "  " << result.open << " of the first " << result.asked
        << (hasMachineFailed ? " were not measured" : " were not measured in time")
        << "; the same command goes on with them\n";
  else if (rest > 0)
    out << "  " << rest << " were not measured; `--top " << all << "` goes on with them\n";
}

/// What `prune` and `where` left out; nothing where that are none.
static void printPruned(const Space &space, raw_ostream &out) {
  if (size_t count = space.pruned.size())
    out << "  " << count << " of " << count + space.all.size() << " configurations are left out by "
        << (space.refused == 0       ? "`prune`"
            : space.refused == count ? "`where`"
                                     : "`prune` and `where`")
        << "\n";
}

void printTuneResult(const TuneResult &result, const std::string &heading, bool isFull, std::ostream &stream) {
  raw_os_ostream out(stream);
  out << heading << ", " << result.key.gpu << ":\n";
  out << "  " << (result.source == TuneResult::Source::None ? "no choice" : result.chosen.describe());
  if (result.medianUs > 0)
    out << format(": %.1f us", result.medianUs);
  out << "; " << (result.source == TuneResult::Source::Known ? "known from before, " : "") << result.why << "\n";
  if (result.trials.empty())
    return;
  out << "  " << result.trials.size() << " configurations: " << countOutcomes(result.trials);
  if (result.modelSeconds > 0) {
    out << format("; model %.2f s, compiled in %.2f s", result.modelSeconds, result.compileSeconds);
    if (result.cached)
      out << " with " << result.cached << " kept from before";
    out << format(", waited %.2f s for the arguments, measured in %.2f s", result.argumentSeconds,
                  result.measureSeconds);
  }
  out << "\n";
  printRest(result, out);
  printPruned(result.space, out);
  if (isFull)
    printTrials(result.trials, out);
}

/// As exports of the database have it.
static json::Object toJson(const Trial &trial) {
  return parseObject(printContent(recordOf(TuneKey(), trial, /*date=*/"")));
}

static json::Value toJson(const Configuration &configuration) {
  Trial trial;
  trial.configuration = configuration;
  return std::move(*toJson(trial).get("configuration"));
}

static json::Array toJson(const std::vector<Configuration> &configurations) {
  json::Array all;
  for (const Configuration &configuration : configurations)
    all.push_back(toJson(configuration));
  return all;
}

/// With the times of the rounds that it has in common with `chosen`, the median of the ratios: medians of different
/// rounds do not compare.
static json::Object toJson(const Trial &trial, const Trial *chosen) {
  json::Object entry = toJson(trial);
  if (trial.isEarlier)
    entry["earlier"] = true;
  if (!trial.hasTime())
    return entry;
  entry["medianUs"] = trial.medianUs();
  entry["p10Us"] = trial.p10Us();
  entry["p90Us"] = trial.p90Us();
  if (chosen && !trial.isEarlier && !chosen->isEarlier)
    entry["slowdown"] = slowdown(trial.samplesUs, chosen->samplesUs).median;
  return entry;
}

json::Object toJson(const TuneResult &result) {
  json::Array trials;
  auto chosen = find_if(result.trials,
                        [&](const Trial &trial) { return trial.hasTime() && trial.configuration == result.chosen; });
  for (const Trial *trial : sorted(result.trials))
    trials.push_back(toJson(*trial, chosen == result.trials.end() ? nullptr : &*chosen));
  json::Object entry{{"key", parseObject(printKey(result.key))},
                     {"source", nameOf(result.source)},
                     {"why", result.why},
                     {"cached", static_cast<int64_t>(result.cached)},
                     {"modelSeconds", result.modelSeconds},
                     {"compileSeconds", result.compileSeconds},
                     {"argumentSeconds", result.argumentSeconds},
                     {"measureSeconds", result.measureSeconds},
                     {"cancelled", result.isCancelled},
                     {"trials", std::move(trials)},
                     {"pruned", toJson(result.space.pruned)}};
  if (result.source != TuneResult::Source::None)
    entry["chosen"] = toJson(result.chosen);
  if (result.medianUs > 0)
    entry["medianUs"] = result.medianUs;
  return entry;
}

void printRankedLaunch(const RankedLaunch &ranked, const std::string &heading, const Target &target, int64_t processors,
                       std::ostream &stream) {
  raw_os_ostream out(stream);
  out << heading << ", by the model of " << target.name << " with " << processors << " multiprocessors:\n";
  if (!ranked.whyNothing.empty())
    out << "  " << ranked.whyNothing << "\n";
  printPruned(ranked.space, out);
  printRanking(ranked.ranking, ranked.top, out);
}

static json::Array toJson(const std::vector<RankedConfiguration> &ranking) {
  json::Array entries;
  int rank = 0;
  for (const RankedConfiguration &one : ranking) {
    const Estimate &estimate = one.estimate;
    Trial trial = untriedTrial(one);
    if (trial.outcome == TrialOutcome::Rejected) {
      entries.push_back(toJson(trial));
      continue;
    }
    trial.modelRank = ++rank;
    trial.registers = estimate.registers;
    trial.sharedBytes = estimate.sharedBytes;
    trial.warps = estimate.warps;
    trial.programsPerSm = estimate.programsPerSm;
    json::Object entry = toJson(trial);
    // Of which a record leaves out a zero.
    entry["predictedUs"] = trial.predictedUs;
    entry["sharedBytes"] = trial.sharedBytes;
    if (!estimate.bound.empty()) // nothing bounds what has no programs
      entry["bound"] = estimate.bound;
    entry["waves"] = estimate.waves;
    entries.push_back(std::move(entry));
  }
  return entries;
}

json::Object toJson(const RankedLaunch &ranked, const Target &target, int64_t processors) {
  json::Object entry{{"kernel", ranked.key.kernel},      {"sizes", ranked.space.sizes},
                     {"arch", std::string(target.name)}, {"multiprocessors", processors},
                     {"top", int64_t(ranked.top)},       {"pruned", toJson(ranked.space.pruned)},
                     {"ranking", toJson(ranked.ranking)}};
  if (!ranked.whyNothing.empty())
    entry["why"] = ranked.whyNothing;
  return entry;
}

} // namespace tile
