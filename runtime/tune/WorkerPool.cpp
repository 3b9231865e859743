#include "runtime/tune/WorkerPool.h"

#include <algorithm>
#include <cstdio>
#include <sched.h>
#include <unistd.h>

namespace tile {

/// What compiling one kernel takes at most, with room.
static constexpr int64_t kWorkerBytes = int64_t(1) << 30;
/// From the start of a process to its first line; the programs are large and disks may be slow.
static constexpr double kStartSeconds = 30;
/// Workers that end before their first line, in a row, after which no more are started.
static constexpr unsigned kMostFailedStarts = 3;

unsigned defaultWorkers() {
  cpu_set_t cores;
  int64_t count = sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 1;
  int64_t free = int64_t(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  if (FILE *file = std::fopen("/proc/meminfo", "re")) { // counts what the system's caches would give back
    char line[256];
    long long kilobytes = 0;
    while (std::fgets(line, sizeof(line), file))
      if (std::sscanf(line, "MemAvailable: %lld kB", &kilobytes) == 1)
        free = kilobytes << 10;
    std::fclose(file);
  }
  return static_cast<unsigned>(std::max<int64_t>(1, std::min(count, free / kWorkerBytes)));
}

namespace {
class Pool {
public:
  using OnDone = std::function<void(size_t, const RequestResult &)>;
  Pool(const std::vector<std::string> &requests, const PoolOptions &options, const OnDone &onDone)
      : requests(requests), options(options), onDone(onDone), results(requests.size()) {
    size_t count = options.workers ? options.workers : defaultWorkers();
    workers.resize(std::min(count, requests.size()));
  }
  std::vector<RequestResult> run();

private:
  struct Worker {
    std::unique_ptr<Process> process;
    bool isReady = false;
    std::optional<size_t> request;
    Deadline begin, deadline;
  };

  bool isCancelled() const { return options.cancelled && *options.cancelled; }
  void start(Worker &worker);
  void assign(Worker &worker);
  void wait();
  void take(Worker &worker);
  void failStart(const std::string &reason);
  void finish(Worker &worker, RequestResult::End end, std::string text);

  const std::vector<std::string> &requests;
  const PoolOptions &options;
  const OnDone &onDone;
  std::vector<RequestResult> results;
  std::vector<Worker> workers;
  size_t next = 0; ///< The first request that no worker has.
  unsigned failedStarts = 0;
  std::string whyNoStart;
};
} // namespace

void Pool::failStart(const std::string &reason) {
  whyNoStart = "no worker starts: " + reason;
  ++failedStarts;
}

void Pool::start(Worker &worker) {
  Result<std::unique_ptr<Process>> process = Process::start(options.process);
  if (!process)
    return failStart(process.error().message);
  worker.process = std::move(*process);
  worker.isReady = false;
  worker.deadline = afterSeconds(kStartSeconds);
}

void Pool::assign(Worker &worker) {
  worker.request = next++;
  worker.begin = std::chrono::steady_clock::now();
  worker.deadline = afterSeconds(options.secondsPerRequest);
  worker.process->send(requests[*worker.request]);
}

void Pool::finish(Worker &worker, RequestResult::End end, std::string text) {
  RequestResult &result = results[*worker.request];
  result.end = end;
  result.text = std::move(text);
  result.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - worker.begin).count();
  if (onDone)
    onDone(*worker.request, result);
  worker.request.reset();
}

/// Takes what `worker` has said and whether it has ended or is late.
void Pool::take(Worker &worker) {
  while (std::optional<std::string> line = worker.process->takeLine()) {
    if (worker.request)
      finish(worker, RequestResult::End::Answered, std::move(*line));
    else if (!worker.isReady)
      failedStarts = 0;
    worker.isReady = true;
  }
  bool isLate = std::chrono::steady_clock::now() >= worker.deadline && (worker.request || !worker.isReady);
  if (!worker.process->hasEnded() && !isLate)
    return;
  std::string end = worker.process->howItEnded();
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%.3g s", worker.request ? options.secondsPerRequest : kStartSeconds);
  bool isOver = worker.process->hasEnded();
  if (worker.request)
    finish(worker,
           !isOver                                  ? RequestResult::End::TimedOut
           : worker.process->wasKilledFromOutside() ? RequestResult::End::Killed
                                                    : RequestResult::End::Crashed,
           isOver ? "the process " + end : "no result within " + std::string(seconds));
  else if (!worker.isReady)
    failStart(isOver ? "it " + end : "it says nothing within " + std::string(seconds));
  worker.process = nullptr;
}

void Pool::wait() {
  std::vector<Process *> running;
  Deadline deadline = Deadline::max();
  for (Worker &worker : workers)
    if (worker.process && (worker.request || !worker.isReady)) {
      running.push_back(worker.process.get());
      deadline = std::min(deadline, worker.deadline);
    }
  if (!running.empty())
    waitForAny(running, deadline, options.cancelled);
}

std::vector<RequestResult> Pool::run() {
  while (!isCancelled()) {
    bool isBusy = false;
    for (Worker &worker : workers) {
      bool isNeeded = next < requests.size();
      if (!worker.process && isNeeded && failedStarts < kMostFailedStarts)
        start(worker);
      else if (worker.process && !worker.request && worker.isReady && isNeeded)
        assign(worker);
      else if (worker.process && !worker.request && !isNeeded)
        worker.process = nullptr; // its memory is of use to others
      isBusy |= worker.process != nullptr;
    }
    if (!isBusy && (next == requests.size() || failedStarts >= kMostFailedStarts))
      break;
    wait();
    for (Worker &worker : workers)
      if (worker.process)
        take(worker);
  }
  for (RequestResult &result : results)
    if (result.end == RequestResult::End::NotRun)
      result.text = isCancelled() ? "stopped before it was done" : whyNoStart;
  return std::move(results);
}

std::vector<RequestResult> runRequests(const std::vector<std::string> &requests, const PoolOptions &options,
                                       const std::function<void(size_t, const RequestResult &)> &onDone) {
  return Pool(requests, options, onDone).run();
}

} // namespace tile
