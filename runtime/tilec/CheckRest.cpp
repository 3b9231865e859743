#include "runtime/tilec/CheckRest.h"

#include "runtime/artifact/File.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Program.h"

#include <cstdlib>
#include <limits>

using namespace llvm;

namespace tile {

/// `FIRST,SEED`
static const char *const kVariable = "TILE_CHECK_REST";

std::optional<CheckRest> CheckRest::fromEnvironment() {
  const char *text = std::getenv(kVariable);
  auto [first, seed] = StringRef(text ? text : "").split(',');
  CheckRest rest;
  return first.getAsInteger(10, rest.first) || seed.getAsInteger(10, rest.seed) ? std::nullopt : std::optional(rest);
}

const char *toString(CheckOutcome outcome) {
  static const char *const names[] = {"passed", "failed", "not run"};
  return names[static_cast<int>(outcome)];
}

/// The command line of this process.
static std::vector<std::string> commandLine() {
  std::vector<std::string> words;
  if (Result<std::string> text = readFile("/proc/self/cmdline")) {
    SmallVector<StringRef> parts;
    StringRef(*text).split(parts, '\0');
    words.assign(parts.begin(), parts.end() - 1); // each word ends with a zero
  }
  return words;
}

/// Runs this program again with the same words; `output` gets what it prints, and `errors`, if that is a file, what it
/// reports, which else goes where ours goes.
static std::string runAgain(StringRef output, std::optional<StringRef> errors, size_t first, uint64_t seed) {
  setenv(kVariable, (std::to_string(first) + "," + std::to_string(seed)).c_str(), /*overwrite=*/1);
  std::vector<std::string> words = commandLine();
  std::optional<StringRef> redirects[] = {std::nullopt, output, errors};
  std::string error;
  sys::ExecuteAndWait("/proc/self/exe", std::vector<StringRef>(words.begin(), words.end()), /*Env=*/std::nullopt,
                      redirects, /*SecondsToWait=*/0, /*MemoryLimit=*/0, &error);
  unsetenv(kVariable);
  return error;
}

static void takeRow(const json::Object &found, CheckRow &row) {
  for (CheckOutcome outcome : {CheckOutcome::Passed, CheckOutcome::Failed, CheckOutcome::NotRun})
    if (found.getString("outcome") == StringRef(toString(outcome)))
      row.outcome = outcome;
  row.result.compared = found.getInteger("elements").value_or(0);
  row.result.unbounded = found.getInteger("unbounded_elements").value_or(0);
  if (const json::Object *leftOut = found.getObject("left_out"))
    for (const auto &[tensor, count] : *leftOut)
      row.result.leftOut[tensor.str()] = count.getAsInteger().value_or(0);
  row.result.fixed = found.getInteger("fixed_elements").value_or(0);
  row.result.ratio = found.getNumber("worst_ratio").value_or(std::numeric_limits<double>::infinity());
  row.result.summary = found.getString("message").value_or("").str();
  row.result.variant = found.getString("variant").value_or("").str();
  row.result.whyVariant = found.getString("variant_reason").value_or("").str();
  row.milliseconds = found.getNumber("milliseconds").value_or(0);
  if (const json::Object *drawn = found.getObject("drawn"))
    for (const auto &[name, text] : *drawn)
      row.result.drawn.emplace_back(name.str(), text.getAsString().value_or("").str());
}

std::string runRest(std::vector<CheckRow> &rows, size_t first, uint64_t seed, std::string *diagnostics,
                    json::Array &reportedThere) {
  SmallString<128> output, reported;
  for (SmallString<128> *path : {&output, &reported})
    if (std::error_code error = sys::fs::createTemporaryFile("tilec-check", "json", *path))
      return "no temporary file: " + error.message();
  FileRemover remover(output), otherRemover(reported);
  std::string error = runAgain(output, diagnostics ? std::optional(StringRef(reported)) : std::nullopt, first, seed);
  if (Result<std::string> text = readFile(reported.str().str()); diagnostics && text)
    *diagnostics = std::move(*text);
  Result<std::string> text = readFile(output.str().str());
  Expected<json::Value> value = json::parse(text ? StringRef(*text) : StringRef());
  if (!value)
    consumeError(value.takeError());
  const json::Object *object = value ? value->getAsObject() : nullptr;
  if (const json::Array *found = object ? object->getArray("diagnostics") : nullptr)
    reportedThere = *found;
  const json::Array *cases = object ? object->getArray("cases") : nullptr;
  if (!cases || cases->size() != rows.size())
    return error.empty() ? "the process that was to go on gave no result" : error;
  for (auto [row, found] : zip_equal(rows, *cases))
    if (const json::Object *fields = found.getAsObject())
      takeRow(*fields, row);
  return {};
}

} // namespace tile
