#include "backend/simulator/counters/CounterReport.h"

#include "backend/simulator/counters/Sectors.h"

#include <algorithm>
#include <tuple>

namespace tile::sim {

/// Bytes that a wavefront of shared memory carries at most.
constexpr uint64_t kWavefrontBytes = 128;

static bool comesFirst(const CounterReport::Line &a, const CounterReport::Line &b) {
  auto weight = [](const CounterReport::Line &line) {
    const Counters &counters = line.counters;
    uint64_t moved = counters.globalSectors * kSectorBytes + counters.sharedWavefronts * kWavefrontBytes;
    return std::make_tuple(line.waste(), moved, counters.issues);
  };
  if (weight(a) != weight(b))
    return weight(a) > weight(b);
  return std::tie(a.file, a.line) < std::tie(b.file, b.line);
}

CounterReport reportCounters(const Program &program, const std::vector<CountedInstruction> &counted,
                             const std::string &ptx) {
  CounterReport report;
  report.ptx = ptx;
  report.kernel = program.kernel;
  std::map<std::pair<std::string, unsigned>, CounterReport::Line> lines;
  for (size_t i = 0; i < counted.size(); ++i) {
    const CountedInstruction &instruction = counted[i];
    if (!instruction.counters.issues)
      continue;
    report.total.add(instruction.counters);
    report.byClass[size_t(instruction.kind)].add(instruction.counters);
    if (!instruction.matrixTypes.empty())
      report.byMatrixTypes[instruction.matrixTypes].add(instruction.counters);
    const Origin &origin = program.origins[i];
    const ptx::Location &where = origin.charged;
    bool hasSource = where.line && where.file < program.files.size();
    std::pair<std::string, unsigned> key(hasSource ? program.files[where.file] : ptx, hasSource     ? where.line
                                                                                      : ptx.empty() ? 0
                                                                                                    : origin.line);
    CounterReport::Line &line = lines[key];
    std::tie(line.file, line.line) = key;
    line.counters.add(instruction.counters);
    line.instructions.push_back({origin.text, origin.line, instruction});
  }
  for (auto &[key, line] : lines) {
    std::sort(line.instructions.begin(), line.instructions.end(),
              [](const auto &a, const auto &b) { return std::tie(a.line, a.text) < std::tie(b.line, b.text); });
    report.lines.push_back(std::move(line));
  }
  std::sort(report.lines.begin(), report.lines.end(), comesFirst);
  return report;
}

} // namespace tile::sim
