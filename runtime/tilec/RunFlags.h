/// What `tilec run` and `tilec check` share beside the compile options.
#ifndef RUNTIME_TILEC_RUNFLAGS_H
#define RUNTIME_TILEC_RUNFLAGS_H

#include "runtime/execute/Execute.h"

#include "llvm/Support/JSON.h"

namespace tile {

/// `--seed`, or another one each time.
uint64_t seedOfRun();

/// Every `--arg`.
const std::vector<std::string> &argumentsOfRun();

/// Arguments from their texts, named or not; none after reporting one that is none, or given twice. Nothing is filled.
std::optional<std::vector<HostArgument>> readArguments(Session &session, const std::vector<std::string> &texts,
                                                       uint64_t seed);

/// `--max-steps`, in the unit of each device; without it the defaults.
StepLimits stepLimitsOfRun();

/// `--counters`, and whether they are to be printed as JSON.
bool wantsCounters();
bool wantsCountersAsJson();

/// The counters of a run of `tilec run` or `tilec sim` as a table; lines are shown from the files that `session` has
/// read.
void printCounters(const Session &session, const sim::CounterReport &report);
/// Likewise as JSON.
llvm::json::Object countersToJson(const Session &session, const sim::CounterReport &report);

/// Prints to stderr, with `--report`, what the kernels that were built take of the GPU; on the CPU that none was.
void printReports(const std::vector<std::string> &reports, DeviceKind device);

/// `--device`; none after reporting.
std::optional<DeviceKind> deviceOfRun(Session &session);

} // namespace tile

#endif
