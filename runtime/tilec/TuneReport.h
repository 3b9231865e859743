/// What `tilec tune` prints of a search: the choice in two lines, every configuration as a table, all of it as JSON.
#ifndef RUNTIME_TILEC_TUNEREPORT_H
#define RUNTIME_TILEC_TUNEREPORT_H

#include "runtime/search/Ranking.h"
#include "runtime/search/Tune.h"

#include "llvm/Support/JSON.h"

#include <iosfwd>

namespace tile {

/// `compiled 12 of 16`
std::string describe(const TuneProgress &progress);

/// The choice, and with `isFull` a line for each configuration: those that were measured first, the fastest in front.
/// `heading` says of which launch.
void printTuneResult(const TuneResult &result, const std::string &heading, bool isFull, std::ostream &out);

/// Trials have the fields of an export of the database, and the quantiles of their times.
llvm::json::Object toJson(const TuneResult &result);

/// The order of all configurations, for a GPU of `target` with `processors` multiprocessors.
void printRankedLaunch(const RankedLaunch &ranked, const std::string &heading, const Target &target, int64_t processors,
                       std::ostream &out);

/// What `printRankedLaunch` prints.
llvm::json::Object toJson(const RankedLaunch &ranked, const Target &target, int64_t processors);

} // namespace tile

#endif
