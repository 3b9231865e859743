// What a worker process compiles, and what it says of it: one kernel of a file with one set of values, to one cubin.
//
//   tuner:  std::vector<CompileResult> results = compileAll(jobs, {{"/proc/self/exe", {kWorkerArgument}}}, onDone);
//   worker: serveCompileJobs(compile)
//
// The text of the source does not travel: a worker reads the file, and refuses one that is not what the tuner read. It
// refuses as well where it is not the compiler that what it makes is kept as.

#ifndef TILE_RUNTIME_TUNE_COMPILEJOB_H
#define TILE_RUNTIME_TUNE_COMPILEJOB_H

#include "runtime/tune/Trial.h"
#include "runtime/tune/WorkerPool.h"

#include <functional>
#include <map>

namespace tile {

/// The sole argument of `tilec` that makes it a worker.
inline constexpr const char *kWorkerArgument = "--worker";

struct CompileJob {
  std::string file;
  std::string sourceHash; ///< Of the file and its imports, as the tuner read them; empty: whatever they are.
  std::string compiler;   ///< Who the worker has to be; empty: anyone.
  std::string kernel;
  /// As `-D` takes them: the values of the configuration, and those of the launch that are known.
  std::map<std::string, std::string> values;
  std::map<std::string, std::string> scalars; ///< The launch's scalar arguments, for host expressions.
  std::optional<int64_t> numSms;              ///< Of the launch's GPU.
  std::string target;                         ///< `sm_90a`
  std::string assembleFor;                    ///< A later GPU that takes the code of `target`; empty: `target`.
  std::vector<std::string> includeFolders;
  bool fuses = true;  ///< Whether `a * b + c` rounds once.
  std::string ptxas;  ///< An assembler to use; empty: the one built in.
  std::string output; ///< Where the cubin goes; written whole or not at all.
};

struct CompileResult {
  /// `CompileFailed`, `CompileTimeout`, or `NotTried` where it is not the job's fault; nothing where there is a cubin.
  std::optional<TrialOutcome> failure;
  std::string reason;      ///< In one line, if there is none.
  std::string diagnostics; ///< All that the compiler reported.
  /// Of the variant that is taken where the launch allows it, and how many such programs a multiprocessor holds.
  std::string variant;
  int64_t registers = 0, spillBytes = 0, sharedBytes = 0, warps = 0, programsPerSm = 0;
  double milliseconds = 0;

  /// Writes into `trial` what is known now; its outcome only if there is no cubin.
  void apply(Trial &trial) const;
};

/// Compiles `jobs` in their order, several at a time. `onDone` is called in this thread as each is finished.
std::vector<CompileResult> compileAll(const std::vector<CompileJob> &jobs, const PoolOptions &options,
                                      const std::function<void(size_t, const CompileResult &)> &onDone = {});

/// The worker's side: answers the jobs that come in standard input by `compile` until there are no more. What `compile`
/// prints to standard output goes to standard error. Gives the exit code.
int serveCompileJobs(const std::function<CompileResult(const CompileJob &)> &compile);

} // namespace tile

#endif // TILE_RUNTIME_TUNE_COMPILEJOB_H
