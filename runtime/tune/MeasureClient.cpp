#include "runtime/tune/MeasureClient.h"

#include "runtime/tune/LineServer.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace tile {

using Json = nlohmann::json;

/// A candidate so many times slower than the reference is of no use, however it ends.
static constexpr double kMostSlowdown = 50;
static constexpr double kLeastSecondsToRun = 1;
/// Estimates and batches are many launches: what they are bounded to, and what they may take beyond one.
static constexpr double kSecondsOfManyLaunches = 2;

namespace {
/// What a step gave: what its reader took from the answer, or why there is none.
struct Step {
  BenchAnswer failed;
  bool isDone() const { return !failed.failure; }
};

class ProcessBench : public MeasureClient, public Bench {
public:
  explicit ProcessBench(const MeasureOptions &options) : options(options) {}
  Status begin();
  Status measure(std::vector<Trial> &trials, const std::vector<MeasuredCandidate> &candidates,
                 const RoundOptions &rounds) override;
  void waitForArguments() override { (void)setUp(); }
  BenchAnswer check(size_t candidate, Trial &trial) override;
  BenchAnswer time(size_t candidate) override;

private:
  using Reader = std::function<void(const Json &answer)>;
  Step ask(Json request, double seconds, TrialOutcome refusal, const Reader &read = {});
  Step askOf(const char *step, size_t candidate, double seconds, TrialOutcome refusal, const Reader &read);
  BenchAnswer askForTime(const char *step, size_t candidate);
  Step setUp();
  Step load(size_t candidate);
  Step bringBackReference();
  Step prepare(size_t candidate);
  Step runAndCompare(size_t candidate, Trial *trial);

  MeasureOptions options;
  std::unique_ptr<Process> process;
  bool isSetUp = false;
  std::string whyUseless; ///< Why no process can measure anything.
  std::vector<MeasuredCandidate> candidates;
  std::optional<size_t> reference;
  bool hasReference = false; ///< In the process at hand.
  std::set<size_t> loaded;   ///< Likewise.
  double secondsToRun = 0;
};
} // namespace

static Step failedStep(TrialOutcome outcome, std::string reason) {
  Step step;
  step.failed.failure = outcome;
  step.failed.reason = std::move(reason);
  return step;
}

static std::string inSeconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g s", seconds);
  return text;
}

/// Starts a process, unless there is one, and queues the setup: the answer is waited for when it is needed.
Status ProcessBench::begin() {
  if (process)
    return {};
  Result<std::unique_ptr<Process>> started = Process::start(options.process);
  if (!started)
    return started.error();
  process = std::move(*started);
  isSetUp = hasReference = false;
  loaded.clear();
  Json arguments = Json::array();
  for (const MeasuredArgument &argument : options.setup.arguments)
    arguments.push_back({{"name", argument.name}, {"text", argument.text}});
  process->send(dumpLine({{"do", "setup"},
                          {"device", options.setup.device},
                          {"kernel", options.setup.kernel},
                          {"arguments", arguments},
                          {"seed", options.setup.seed},
                          {"terms", options.setup.agreement.terms},
                          {"intermediate", options.setup.agreement.intermediate},
                          {"rounds_to_integers", options.setup.agreement.roundsToIntegers},
                          {"accumulator", options.setup.agreement.accumulator}}));
  return {};
}

/// Sends `request`, unless it is empty, and has `read` take an answer, which ends the process where it cannot. What the
/// process answers with an error is `refusal`, but for a GPU that is lost, which is a fault.
Step ProcessBench::ask(Json request, double seconds, TrialOutcome refusal, const Reader &read) {
  if (!request.empty())
    process->send(dumpLine(request));
  bool hasCome = waitForAny({process.get()}, afterSeconds(seconds), options.cancelled);
  std::optional<std::string> line = process->takeLine();
  if (!line) {
    std::string end = process->howItEnded();
    bool hasEnded = process->hasEnded(), wasKilled = process->wasKilledFromOutside();
    process = nullptr;
    if (hasEnded)
      return failedStep(wasKilled ? TrialOutcome::NotTried : TrialOutcome::Faulted, "the measuring process " + end);
    if (!hasCome && options.cancelled && *options.cancelled)
      return failedStep(TrialOutcome::NotTried, "stopped before it was measured");
    return failedStep(TrialOutcome::Hung, "gave no result within " + inSeconds(seconds));
  }
  std::string error;
  bool isLost = false;
  std::string fault = readLine(*line, [&](const Json &answer) {
    error = answer.value("error", "");
    isLost = answer.value("is_lost", false);
    if (error.empty() && read)
      read(answer);
  });
  if (!fault.empty()) {
    process = nullptr;
    return failedStep(TrialOutcome::Faulted, unreadable("measuring process", *line));
  }
  if (error.empty())
    return {};
  if (isLost)
    process = nullptr;
  return failedStep(isLost ? TrialOutcome::Faulted : refusal, error);
}

Step ProcessBench::askOf(const char *step, size_t candidate, double seconds, TrialOutcome refusal, const Reader &read) {
  return ask({{"do", step}, {"candidate", candidate}}, seconds, refusal, read);
}

/// Of a step that times. JSON has no infinity: it comes as `null`.
BenchAnswer ProcessBench::askForTime(const char *step, size_t candidate) {
  std::string found;
  double us = 0;
  Step timed =
      askOf(step, candidate, secondsToRun + kSecondsOfManyLaunches, TrialOutcome::Faulted, [&](const Json &answer) {
        const Json &given = answer.at("us");
        found = dumpLine(given);
        us = given.is_null() ? 0 : given.get<double>();
      });
  if (timed.isDone() && !(us > 0)) {
    process = nullptr; // whose clock is in doubt
    timed = failedStep(TrialOutcome::Faulted, "its time was measured as `" + found + "` us; expected a number above 0");
  }
  timed.failed.microseconds = us;
  return timed.failed;
}

/// Waits for a process that has the arguments. What fails here is no candidate's fault.
Step ProcessBench::setUp() {
  if (!whyUseless.empty())
    return failedStep(TrialOutcome::NotTried, whyUseless);
  if (Status begun = begin(); !begun) {
    whyUseless = begun.error().message;
    return failedStep(TrialOutcome::NotTried, whyUseless);
  }
  // It says that it is ready, and then that it has the arguments.
  for (int line = 0; line < 2 && !isSetUp; ++line) {
    Step step = ask(Json::object(), options.secondsToPrepare, TrialOutcome::NotTried);
    if (!step.isDone()) {
      if (!options.cancelled || !*options.cancelled)
        whyUseless = step.failed.reason;
      return failedStep(TrialOutcome::NotTried, step.failed.reason);
    }
  }
  isSetUp = true;
  return {};
}

Step ProcessBench::load(size_t candidate) {
  if (loaded.count(candidate))
    return {};
  Step step = ask({{"do", "load"}, {"candidate", candidate}, {"cubin", candidates[candidate].cubin}},
                  options.secondsToPrepare, TrialOutcome::Refused);
  if (step.isDone())
    loaded.insert(candidate);
  return step;
}

/// Has a new process run the reference again, so that there is something to compare with.
Step ProcessBench::bringBackReference() {
  if (hasReference || !reference)
    return {};
  Step step = load(*reference);
  if (step.isDone())
    step = runAndCompare(*reference, nullptr);
  if (step.isDone())
    hasReference = true;
  else if (step.failed.failure != TrialOutcome::NotTried)
    step = failedStep(TrialOutcome::NotTried,
                      whyUseless = "the reference, which ran before, fails now: " + step.failed.reason);
  return step;
}

Step ProcessBench::prepare(size_t candidate) {
  Step step = setUp();
  if (step.isDone())
    step = bringBackReference();
  return step.isDone() ? load(candidate) : step;
}

Step ProcessBench::runAndCompare(size_t candidate, Trial *trial) {
  auto begin = std::chrono::steady_clock::now();
  Step step = askOf("run", candidate, secondsToRun, TrialOutcome::Refused, [&](const Json &answer) {
    if (!trial)
      return;
    trial->variant = answer.value("variant", trial->variant);
    trial->registers = answer.value("registers", trial->registers);
    trial->spillBytes = answer.value("spill_bytes", trial->spillBytes);
    trial->warps = answer.value("warps", trial->warps);
    // Of shared memory the launcher knows the dynamic part alone, and the compiler all.
    trial->sharedBytes = std::max(trial->sharedBytes, answer.value("shared_bytes", trial->sharedBytes));
  });
  if (!step.isDone())
    return step;
  if (!reference) {
    double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    secondsToRun = std::clamp(kMostSlowdown * took, kLeastSecondsToRun, options.secondsToRun);
  }
  std::string difference;
  size_t alike = candidate;
  step = askOf("compare", candidate, options.secondsToPrepare, TrialOutcome::Faulted, [&](const Json &answer) {
    difference = answer.at("difference").get<std::string>();
    alike = answer.at("alike").get<size_t>();
  });
  if (!step.isDone() || difference.empty())
    return step;
  Step wrong = failedStep(TrialOutcome::Wrong, difference);
  wrong.failed.alike = alike;
  return wrong;
}

BenchAnswer ProcessBench::check(size_t candidate, Trial &trial) {
  Step step = prepare(candidate);
  if (step.isDone())
    step = runAndCompare(candidate, &trial);
  if (step.isDone() && !reference) {
    reference = candidate;
    hasReference = true;
  }
  return step.isDone() ? askForTime("estimate", candidate) : step.failed;
}

BenchAnswer ProcessBench::time(size_t candidate) {
  auto attempt = [&] {
    Step step = prepare(candidate);
    return step.isDone() ? askForTime("time", candidate) : step.failed;
  };
  BenchAnswer timed = attempt();
  bool isStopped = !whyUseless.empty() || (options.cancelled && *options.cancelled);
  if (timed.failure == TrialOutcome::NotTried && !isStopped) // killed: that need not end the rounds
    timed = attempt();
  return timed;
}

Status ProcessBench::measure(std::vector<Trial> &trials, const std::vector<MeasuredCandidate> &given,
                             const RoundOptions &rounds) {
  candidates = given;
  reference.reset();
  hasReference = false;
  secondsToRun = options.secondsToRun;
  std::vector<size_t> indices;
  for (const MeasuredCandidate &candidate : candidates)
    indices.push_back(candidate.trial);
  runRounds(*this, trials, indices, rounds);
  return whyUseless.empty() ? Status() : Error{ErrorCode::Driver, whyUseless};
}

Result<std::unique_ptr<MeasureClient>> MeasureClient::start(const MeasureOptions &options) {
  auto bench = std::make_unique<ProcessBench>(options);
  if (Status begun = bench->begin(); !begun)
    return begun.error();
  return std::unique_ptr<MeasureClient>(std::move(bench));
}

} // namespace tile
