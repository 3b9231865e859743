/// What the simulator counted, as a table and as JSON.
#ifndef RUNTIME_EXECUTE_SIMULATORCOUNTERS_H
#define RUNTIME_EXECUTE_SIMULATORCOUNTERS_H

#include "backend/simulator/counters/CounterReport.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <string>

namespace tile {

/// The text of a line of a file that the PTX names, or of the PTX itself, with single spaces between words; empty where
/// it is not at hand.
using LineText = std::function<std::string(const std::string &file, unsigned line)>;

/// Lines of the source, the most wasteful ones first, each with what it moves, as many as one can read; then the sums.
/// A row with nothing to say is left out.
void printCounters(llvm::raw_ostream &out, const sim::CounterReport &report, const LineText &textOf);

/// `{"lines": [{"source", "text", counts, "instructions": [{"text", "line", "class", counts}]}], "total": {counts},
/// "classes": {"global load": {counts}}, "matrix": {"bf16 x bf16 -> f32": {counts}}}`; counts that are 0 are left out.
llvm::json::Object toJson(const sim::CounterReport &report, const LineText &textOf);

} // namespace tile

#endif
