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
void printTuneResult(const TuneResult &result, bool isFull, std::ostream &out);

/// Trials have the fields of an export of the database, and the quantiles of their times.
llvm::json::Object toJson(const TuneResult &result);

/// What `printRanking` prints, the best first.
llvm::json::Array toJson(const std::vector<RankedConfiguration> &ranking);

} // namespace tile

#endif
