#include "runtime/execute/SimulatorCounters.h"

#include "backend/simulator/counters/Sectors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using tile::sim::CounterReport;
using tile::sim::Counters;
using tile::sim::InstructionClass;

namespace tile {

//===-- Numbers

/// `1,234,567`
static std::string number(uint64_t value) { return formatv("{0:N}", value).str(); }

/// `49.5 %`; what is not all of it is never said to be 100 %.
static std::string percent(uint64_t part, uint64_t whole) {
  if (part == whole)
    return "100 %";
  return formatv("{0:f1} %", std::min(100.0 * double(part) / double(whole), 99.9)).str();
}

/// `1.5 KiB`, `3.2 GFLOP`
static std::string scaled(uint64_t value, unsigned step, ArrayRef<const char *> units) {
  double rest = double(value);
  size_t unit = 0;
  for (; rest >= step && unit + 1 < units.size(); ++unit)
    rest /= step;
  return unit ? formatv("{0:f1} {1}", rest, units[unit]).str() : std::to_string(value) + " " + units[0];
}
static std::string bytes(uint64_t value) { return scaled(value, 1024, {"bytes", "KiB", "MiB", "GiB", "TiB"}); }
static std::string flops(uint64_t value) { return scaled(value, 1000, {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"}); }

static std::string plural(uint64_t count, const char *noun) {
  return number(count) + " " + noun + (count == 1 ? "" : "s");
}

//===-- Rows

namespace {
struct Row {
  std::string name, text;
};
} // namespace

static void addRow(std::vector<Row> &rows, std::string name, std::string text) {
  if (!text.empty())
    rows.push_back({std::move(name), std::move(text)});
}

static std::string globalText(const Counters &counters) {
  if (!counters.globalRequests)
    return {};
  std::string text = plural(counters.globalRequests, "request") + ", " + plural(counters.globalSectors, "sector") +
                     " (" + bytes(counters.globalSectors * sim::kSectorBytes) + ")";
  if (!counters.wastedSectors())
    return text + ", fully coalesced";
  return text + " where " + number(counters.globalIdeal) +
         " would do: " + percent(counters.globalIdeal, counters.globalSectors) + " coalesced";
}

static std::string sharedText(const Counters &counters) {
  if (!counters.sharedRequests)
    return {};
  std::string text = plural(counters.sharedRequests, "request") + ", " + plural(counters.sharedWavefronts, "wavefront");
  return counters.bankConflicts() ? text + ": " + plural(counters.bankConflicts(), "bank conflict")
                                  : text + ", no bank conflicts";
}

static std::string matrixText(const Counters &counters) {
  if (!counters.mmas)
    return {};
  return plural(counters.mmas, "instruction") + ", " + flops(counters.flops) +
         (counters.matrixBytes ? ", " + bytes(counters.matrixBytes) + " of operands from shared memory" : "");
}

static std::string localText(const Counters &counters) {
  return counters.localRequests ? plural(counters.localRequests, "request") + ", " + bytes(counters.localBytes)
                                : std::string();
}

static std::string barrierText(const Counters &counters) {
  if (!counters.divergentBarriers)
    return {};
  return number(counters.divergentBarriers) + " of " + number(counters.barriers) + " without some lanes of their warp";
}

static std::string divergenceText(const Counters &counters) {
  if (!counters.divergentBranches)
    return {};
  return plural(counters.divergentBranches, "branching") + " on which lanes differ";
}

/// Rows of a line: each kind of access by itself, then the rest.
static std::vector<Row> rowsOf(const CounterReport::Line &line) {
  std::map<InstructionClass, Counters> byClass;
  for (const CounterReport::Instruction &instruction : line.instructions)
    byClass[instruction.counted.kind].add(instruction.counted.counters);
  std::vector<Row> rows;
  for (const auto &[kind, counters] : byClass) {
    bool isCopy = kind == InstructionClass::AsyncCopy;
    addRow(rows, isCopy ? "copy from global" : sim::nameOf(kind), globalText(counters));
    addRow(rows, isCopy ? "copy to shared" : sim::nameOf(kind), sharedText(counters));
  }
  addRow(rows, "local memory", localText(line.counters));
  addRow(rows, "tensor core", matrixText(line.counters));
  addRow(rows, "barriers", barrierText(line.counters));
  addRow(rows, "divergence", divergenceText(line.counters));
  return rows;
}

/// The instruction of a line that wastes most, if one does; where it stands, if the PTX is a file.
static std::string worstText(const CounterReport &report, const CounterReport::Line &line) {
  const CounterReport::Instruction *worst = nullptr;
  uint64_t most = 0;
  for (const CounterReport::Instruction &instruction : line.instructions) {
    const Counters &counters = instruction.counted.counters;
    uint64_t waste = counters.wastedSectors() + counters.bankConflicts();
    if (waste > most)
      worst = &instruction;
    most = std::max(most, waste);
  }
  if (!worst)
    return {};
  return "`" + worst->text + "`" +
         (report.ptx.empty() ? std::string() : ", " + report.ptx + ":" + std::to_string(worst->line));
}

/// What of all instructions the largest classes are.
static std::string mixText(const CounterReport &report) {
  constexpr size_t kMostClasses = 6;
  auto issuesOf = [&](size_t kind) { return report.byClass[kind].issues; };
  std::vector<size_t> kinds;
  for (size_t kind = 0; kind < sim::kInstructionClasses; ++kind)
    if (issuesOf(kind))
      kinds.push_back(kind);
  llvm::sort(kinds, [&](size_t a, size_t b) { return std::pair(issuesOf(b), a) < std::pair(issuesOf(a), b); });
  std::string text;
  uint64_t rest = report.total.issues;
  for (size_t kind : ArrayRef(kinds).take_front(kMostClasses)) {
    text += (text.empty() ? "" : ", ") + std::string(sim::nameOf(InstructionClass(kind))) + " " +
            percent(issuesOf(kind), report.total.issues);
    rest -= issuesOf(kind);
  }
  return rest ? text + ", others " + percent(rest, report.total.issues) : text;
}

static std::vector<Row> totalsOf(const CounterReport &report) {
  const Counters &total = report.total;
  std::vector<Row> rows;
  addRow(
      rows, "instructions",
      number(total.issues) + " of warps, " + percent(total.threads, total.issues * sim::kLanes) + " of lanes active" +
          (total.lanes == total.threads ? ""
                                        : ", " + percent(total.lanes, total.issues * sim::kLanes) + " after guards"));
  addRow(rows, "mix", mixText(report));
  addRow(rows, "global memory", globalText(total));
  addRow(rows, "shared memory", sharedText(total));
  addRow(rows, "local memory", localText(total));
  addRow(rows, "async copies", total.asyncBytes ? bytes(total.asyncBytes) : "");
  for (const auto &[types, counters] : report.byMatrixTypes)
    addRow(rows, "tensor core", types + ": " + matrixText(counters));
  addRow(rows, "barriers", total.barriers ? plural(total.barriers, "arrival") + " of warps" : "");
  addRow(rows, "divergent", barrierText(total));
  addRow(rows, "waits", total.waits ? plural(total.waits, "wait") + " of warps" : "");
  addRow(rows, "failed polls", total.failedPolls ? number(total.failedPolls) + ", as the schedule makes them" : "");
  addRow(rows, "divergence", divergenceText(total));
  return rows;
}

//===-- Printing

static void print(raw_ostream &out, ArrayRef<Row> rows) {
  for (const Row &row : rows)
    out << formatv("    {0,-18}{1}\n", row.name, row.text);
}

/// `softmax.tile:14`
static std::string placeOf(const CounterReport::Line &line) {
  return line.file.empty() ? "code of no line" : line.file + ":" + std::to_string(line.line);
}

/// A line with so large a part of the instructions is shown though it moves nothing: one in so many.
constexpr uint64_t kSmallestPart = 10;

void printCounters(raw_ostream &out, const CounterReport &report, const LineText &textOf) {
  out << "counters of " << report.kernel << ", by line, the worst first:\n";
  constexpr unsigned kMostLines = 16;
  unsigned shown = 0;
  uint64_t issuesOfShown = 0;
  for (const CounterReport::Line &line : report.lines) {
    std::vector<Row> rows = rowsOf(line);
    bool isLarge = line.counters.issues * kSmallestPart >= report.total.issues;
    if ((rows.empty() && !isLarge) || shown == kMostLines)
      continue;
    ++shown;
    issuesOfShown += line.counters.issues;
    addRow(rows, "worst", worstText(report, line));
    out << "  " << placeOf(line) << "  " << textOf(line.file, line.line) << "  ("
        << percent(line.counters.issues, report.total.issues) << " of instructions)\n";
    print(out, rows);
  }
  if (uint64_t others = report.lines.size() - shown)
    out << "  " << plural(others, "other line") << "  ("
        << percent(report.total.issues - issuesOfShown, report.total.issues) << " of instructions)\n";
  out << "in all:\n";
  print(out, totalsOf(report));
}

//===-- JSON

static json::Object countsOf(const Counters &counters) {
  json::Object object;
  for (const sim::CounterField &field : sim::kCounterFields)
    if (uint64_t value = counters.*field.value)
      object[field.key] = int64_t(value);
  return object;
}

json::Object toJson(const CounterReport &report, const LineText &textOf) {
  json::Array lines;
  for (const CounterReport::Line &line : report.lines) {
    json::Array instructions;
    for (const CounterReport::Instruction &instruction : line.instructions) {
      json::Object entry = countsOf(instruction.counted.counters);
      entry["text"] = instruction.text;
      if (!report.ptx.empty())
        entry["line"] = int64_t(instruction.line);
      entry["class"] = sim::nameOf(instruction.counted.kind);
      instructions.push_back(std::move(entry));
    }
    json::Object entry = countsOf(line.counters);
    entry["source"] = json::fixUTF8(placeOf(line));
    entry["text"] = json::fixUTF8(textOf(line.file, line.line));
    entry["instructions"] = std::move(instructions);
    lines.push_back(std::move(entry));
  }
  json::Object classes, matrix;
  for (size_t kind = 0; kind < sim::kInstructionClasses; ++kind)
    if (report.byClass[kind].issues)
      classes[sim::nameOf(InstructionClass(kind))] = countsOf(report.byClass[kind]);
  for (const auto &[types, counters] : report.byMatrixTypes)
    matrix[types] = countsOf(counters);
  return json::Object{{"lines", std::move(lines)},
                      {"total", countsOf(report.total)},
                      {"classes", std::move(classes)},
                      {"matrix", std::move(matrix)}};
}

} // namespace tile
