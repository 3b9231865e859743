#include "runtime/execute/SimulatorFindings.h"

#include "runtime/execute/Execute.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tile {

/// `[3, 0, 0]`
static std::string list(const std::array<uint32_t, 3> &index) {
  return "[" + std::to_string(index[0]) + ", " + std::to_string(index[1]) + ", " + std::to_string(index[2]) + "]";
}

static const sim::ptx::Location *sourceOf(const sim::Program &program, const sim::Origin &origin) {
  const sim::ptx::Location &where = origin.location.line ? origin.location : origin.charged;
  return where.line && where.file < program.files.size() ? &where : nullptr;
}

const sim::ptx::Location *sourceOf(const sim::Program &program, const sim::Place &place) {
  return sourceOf(program, program.origins[place.origin]);
}

/// `softmax.tile:12:5`; empty if the PTX does not say.
static std::string sourceText(const sim::Program &program, const sim::Origin &origin) {
  const sim::ptx::Location *where = sourceOf(program, origin);
  return where ? program.files[where->file] + ":" + std::to_string(where->line) + ":" + std::to_string(where->column)
               : "";
}

std::string describe(const sim::Program &program, const sim::Place &place) {
  const sim::Origin &origin = program.origins[place.origin];
  std::string source = sourceText(program, origin);
  return "`" + origin.text + "`, line " + std::to_string(origin.line) + " of the PTX" +
         (source.empty() ? "" : " (" + source + ")") + ", in thread " + list(place.thread) + " of CTA " +
         list(place.cta);
}

std::string describe(const sim::Program &program, const sim::Finding &finding) {
  std::string text = std::string(sim::nameOf(finding.fault)) + ": " + finding.message;
  if (finding.hasPlace)
    text += ", at " + describe(program, finding.place);
  if (finding.hasOther)
    text += "; the other access: " + describe(program, finding.other);
  if (finding.count > 1)
    text += "; " + std::to_string(finding.count) + " times in all";
  if (finding.fault == sim::Fault::StepLimit)
    text += kMoreSteps;
  return text;
}

static json::Object toJson(const sim::Program &program, const sim::Place &place) {
  const sim::Origin &origin = program.origins[place.origin];
  return json::Object{{"instruction", origin.text},
                      {"line", int64_t(origin.line)},
                      {"source", json::fixUTF8(sourceText(program, origin))},
                      {"cta", json::Array(place.cta)},
                      {"thread", json::Array(place.thread)}};
}

json::Object toJson(const sim::Program &program, const sim::Finding &finding) {
  json::Object entry{{"fault", sim::keyOf(finding.fault)},
                     {"message", json::fixUTF8(finding.message)},
                     {"count", int64_t(finding.count)}};
  if (finding.hasPlace)
    entry["place"] = toJson(program, finding.place);
  if (finding.hasOther)
    entry["other"] = toJson(program, finding.other);
  if (finding.address)
    entry["address"] = int64_t(finding.address);
  if (finding.memory) {
    entry["buffer"] = json::fixUTF8(finding.memory->buffer);
    entry["offset"] = finding.memory->offset;
    entry["size"] = int64_t(finding.memory->bytes);
  }
  return entry;
}

json::Object toJson(const sim::Program &program, const sim::RunResult &result) {
  json::Array findings, instructions;
  for (const sim::Finding &finding : result.findings)
    findings.push_back(toJson(program, finding));
  for (auto [origin, count] : zip_equal(program.origins, result.counts))
    if (count.warps)
      instructions.push_back(json::Object{{"text", origin.text},
                                          {"line", int64_t(origin.line)},
                                          {"source", json::fixUTF8(sourceText(program, origin))},
                                          {"warps", int64_t(count.warps)},
                                          {"lanes", int64_t(count.lanes)}});
  return json::Object{{"kernel", program.kernel},
                      {"finished", result.finished},
                      {"long_ways", json::Object{{"requests", int64_t(result.longWays.requests)},
                                                 {"cells", int64_t(result.longWays.cells)}}},
                      {"findings", std::move(findings)},
                      {"instructions", std::move(instructions)}};
}

} // namespace tile
