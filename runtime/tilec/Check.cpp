/// `tilec check FILE`: every kernel that has a spec, over its `@check` shapes, against the spec in f64.
///
/// Standard output has a line per kernel and instance, one per shape that fails, and the count; with --json one object
/// instead, whatever happens. Details of what failed are diagnostics, as everywhere, and stand in that object, too.
#include "runtime/tilec/CheckRest.h"
#include "runtime/tilec/Flags.h"
#include "runtime/tilec/JsonReport.h"
#include "runtime/tilec/RunFlags.h"
#include "runtime/tilec/SimulatorFlags.h"

#include "runtime/execute/CheckRun.h"
#include "runtime/execute/Signature.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Process.h"

#include <cmath>
#include <iostream>

using namespace llvm;

namespace tile {

static Switch verboseOption{{"v", "", "print every shape"}, {Command::Check}};
static Switch jsonOption{{"json", "", "print the result of every shape as one JSON object"}, {Command::Check}};
static NumberOption seedsOption{
    {"seeds", "N", "run each shape with N seeds, of its inputs and of the simulator's schedule; default 1"},
    {Command::Check},
    1,
    1000000,
    1};

static ChoiceOption configurationsOption{
    {"configs", "first|all",
     "the configurations of `@autotune` to check: the one that is compiled without a search, or each; default first"},
    {Command::Check},
    {"first", "all"},
    "first"};

namespace {
struct Counts {
  size_t of[3] = {0, 0, 0};
  CheckResult passed; ///< the largest error of what passed, and the numbers of its elements

  size_t &operator[](CheckOutcome outcome) { return of[static_cast<int>(outcome)]; }
  size_t total() const { return of[0] + of[1] + of[2]; }
  std::string print() const { return formatv("{0} passed, {1} failed, {2} not run", of[0], of[1], of[2]); }
  void add(const CheckRow &row) {
    ++(*this)[row.outcome];
    if (row.outcome != CheckOutcome::Passed)
      return;
    passed.ratio = std::max(passed.ratio, row.result.ratio);
    passed.compared += row.result.compared;
    passed.unbounded += row.result.unbounded;
    for (const auto &[tensor, count] : row.result.leftOut)
      passed.leftOut[tensor] += count;
  }
};

/// Whether shapes of a kernel took its faster variant.
struct Coverage {
  std::string kernel;
  std::vector<std::string> whyNot; ///< each reason that a shape has
  bool isCovered = false;          ///< or none can, or of what failed nobody knows
};

/// Prints rows as they come.
class CheckPrinter {
public:
  void begin(const CheckRow &row);
  void end(const CheckRow &row);
  /// Ends the rows of this process: another one runs what this one could not. `first` cases came before the first row.
  void endRows(size_t first, uint64_t seed);
  /// A kernel, or a `@check` of it, of which no shape was asked for.
  void addExclusion(const Diagnostic &reason) {
    if (printsJson)
      notChecked.push_back(reason.message);
    else
      std::cout << "not checked: " << reason.message << "\n";
  }
  void addNote(std::string note) { ownNotes.push_back(std::move(note)); }
  void endFile(const std::string &input, DeviceKind device, uint64_t seed);
  Counts counts;
  bool printsJson = false;
  std::string otherDiagnostics; ///< what another process reported, if as JSON
  json::Object document;        ///< with --json

private:
  static std::string instanceOf(const CheckRow &row) {
    return row.kernel + row.one.describeInstance() +
           (row.one.check ? " (@check " + std::to_string(row.one.check) + ")" : "");
  }
  static std::string shapeOf(const CheckRow &row) {
    std::string drawn = describeDrawn(row.result);
    return row.count ? " " + row.one.describeShape() + (drawn.empty() ? "" : " with " + drawn) : "";
  }
  void clearProgress();
  void cover(const CheckRow &row);
  std::vector<std::string> notes() const;
  void add(const CheckRow &row);
  void endInstance();
  void printRow(const CheckRow &row);
  static json::Object toJson(const CheckRow &row);

  // What runs now is shown only where it can be wiped away again.
  bool showsProgress = sys::Process::StandardErrIsDisplayed() && !jsonOption.isOn();
  bool isShowing = false;
  std::string instance;
  Counts ofInstance;
  std::vector<Coverage> coverage;
  std::vector<std::string> ownNotes;
  std::string refusal; ///< why the compiler refused a shape of the instance
  json::Array rows, notChecked, diagnosticsOfRest;
  std::vector<CheckRow> notRun; ///< they come after all that ran
};
} // namespace

void CheckPrinter::clearProgress() {
  if (isShowing)
    std::cerr << "\r\x1b[K" << std::flush;
  isShowing = false;
}

void CheckPrinter::begin(const CheckRow &row) {
  if (!showsProgress)
    return;
  clearProgress();
  std::string text = formatv("{0} of {1}: {2} {3}", row.number, row.count, instanceOf(row), row.one.describeShape());
  std::cerr << text.substr(0, 79) << std::flush;
  isShowing = true;
}

static std::string errorText(double ratio) {
  return ratio > 0 && std::isfinite(ratio) ? formatv(", worst error {0:f2} of its bound", ratio).str() : "";
}

/// `4032 of 8064 elements compared, the spec leaves out 4032 of `o``; empty where all of them are.
static std::string partText(const CheckResult &result) {
  int64_t all = result.compared;
  std::string tensors;
  for (const auto &[tensor, count] : result.leftOut) {
    all += count;
    tensors += (tensors.empty() ? "" : ", ") + std::to_string(count) + " of `" + tensor + "`";
  }
  return tensors.empty()
             ? ""
             : formatv("{0} of {1} elements compared, the spec leaves out {2}", result.compared, all, tensors).str();
}

/// Elements that passed with whatever number they held.
static std::string unboundedText(const CheckResult &result) {
  return result.unbounded ? formatv(", the error of {0} has no bound", result.unbounded).str() : "";
}

/// Which variant ran, and why not the faster one.
static std::string variantText(const CheckResult &result) {
  if (result.variant.empty())
    return "";
  return ", variant " + result.variant + (result.whyVariant.empty() ? "" : " as " + result.whyVariant);
}

void CheckPrinter::printRow(const CheckRow &row) {
  std::cout << toString(row.outcome) << " " << instanceOf(row) << shapeOf(row) << ": ";
  std::string part = partText(row.result);
  if (row.outcome == CheckOutcome::Passed && !row.result.empty.empty() && row.result.compared == 0)
    std::cout << "launched, nothing compared: `" << row.result.empty << "` has no elements\n";
  else if (row.outcome == CheckOutcome::Passed)
    std::cout << (part.empty()
                      ? std::to_string(row.result.compared) + (row.result.compared == 1 ? " element" : " elements")
                      : part)
              << (row.result.fixed ? formatv(", {0} as the interpreter bit for bit", row.result.fixed).str() : "")
              << errorText(row.result.ratio) << unboundedText(row.result) << variantText(row.result)
              << (row.one.reason.empty() ? "" : ", tolerance given: " + row.one.reason)
              << formatv(", {0:f0} ms", row.milliseconds).str() << "\n";
  else if (row.outcome == CheckOutcome::Failed)
    std::cout << row.result.summary << "\n";
  else
    std::cout << "the GPU takes no more work after the fault above; " << row.result.summary << "\n";
}

/// `shapes` and `instance` as their source has them.
static json::Object toJson(const std::vector<CheckField> &fields) {
  json::Object object;
  for (const CheckField &field : fields)
    object[field.name] = field.text;
  return object;
}

json::Object CheckPrinter::toJson(const CheckRow &row) {
  json::Object object{{"kernel", row.kernel},
                      {"instance", tile::toJson(row.one.instance)},
                      {"shape", tile::toJson(row.one.shape)},
                      {"outcome", toString(row.outcome)},
                      {"elements", row.result.compared},
                      {"fixed_elements", row.result.fixed},
                      {"unbounded_elements", row.result.unbounded},
                      {"milliseconds", row.milliseconds}};
  if (row.one.configuration)
    object["configuration"] = tile::toJson(*row.one.configuration);
  if (row.one.check)
    object["check"] = static_cast<int64_t>(row.one.check);
  json::Object leftOut;
  for (const auto &[tensor, count] : row.result.leftOut)
    leftOut[tensor] = count;
  if (!leftOut.empty())
    object["left_out"] = std::move(leftOut);
  json::Object drawn;
  for (const auto &[name, text] : row.result.drawn)
    drawn[name] = text;
  if (!drawn.empty())
    object["drawn"] = std::move(drawn);
  if (!row.result.variant.empty())
    object["variant"] = row.result.variant;
  if (!row.result.whyVariant.empty())
    object["variant_reason"] = row.result.whyVariant;
  if (std::isfinite(row.result.ratio))
    object["worst_ratio"] = row.result.ratio;
  if (!row.one.reason.empty())
    object["tolerance_reason"] = row.one.reason;
  if (!row.result.summary.empty())
    object["message"] = row.result.summary;
  if (!row.result.findings.empty())
    object["findings"] = json::Array(row.result.findings);
  return object;
}

void CheckPrinter::end(const CheckRow &row) {
  clearProgress();
  if (row.outcome == CheckOutcome::NotRun)
    notRun.push_back(row);
  else
    add(row);
}

void CheckPrinter::endRows(size_t first, uint64_t seed) {
  if (!notRun.empty())
    if (std::string reason = runRest(notRun, first + counts.total(), seed,
                                     printsJsonDiagnostics() ? &otherDiagnostics : nullptr, diagnosticsOfRest);
        !reason.empty())
      for (CheckRow &row : notRun)
        row.result.summary = reason;
  for (const CheckRow &row : notRun)
    add(row);
  endInstance();
}

void CheckPrinter::cover(const CheckRow &row) {
  if (coverage.empty() || coverage.back().kernel != row.kernel)
    coverage.push_back({row.kernel, {}, false});
  Coverage &all = coverage.back();
  const CheckResult &result = row.result;
  all.isCovered |=
      result.hasOddRows || (result.variant.empty() ? row.outcome != CheckOutcome::Passed : result.whyVariant.empty());
  if (!result.whyVariant.empty() && !llvm::is_contained(all.whyNot, result.whyVariant))
    all.whyNot.push_back(result.whyVariant);
}

/// What the shapes leave out.
std::vector<std::string> CheckPrinter::notes() const {
  std::vector<std::string> notes = ownNotes;
  for (const Coverage &all : coverage)
    if (!all.isCovered && !all.whyNot.empty())
      notes.push_back("no shape of kernel `" + all.kernel +
                      "` took its faster variant: " + llvm::join(all.whyNot, "; ") + "; add one to `@check` that does");
  return notes;
}

void CheckPrinter::add(const CheckRow &row) {
  counts.add(row);
  cover(row);
  if (printsJson) {
    rows.push_back(toJson(row));
    return;
  }
  if (instanceOf(row) != instance)
    endInstance();
  instance = instanceOf(row);
  ofInstance.add(row);
  // What the compiler refuses for one shape it refuses for the next in the same words.
  bool isRepeated = row.result.isRefused && row.result.summary == refusal;
  if (row.result.isRefused)
    refusal = row.result.summary;
  if (verboseOption.isOn() || (row.outcome != CheckOutcome::Passed && !isRepeated))
    printRow(row);
  std::cout << std::flush;
}

void CheckPrinter::endInstance() {
  std::string part = partText(ofInstance.passed);
  if (ofInstance.total() > 0 && !verboseOption.isOn())
    std::cout << instance << ": " << ofInstance.print() << errorText(ofInstance.passed.ratio)
              << unboundedText(ofInstance.passed) << (part.empty() ? "" : "; " + part) << std::endl;
  ofInstance = Counts();
  refusal.clear();
}

static std::string describeSeeds(uint64_t first) {
  uint64_t count = seedsOption.get();
  return count == 1 ? formatv("seed {0}", first).str() : formatv("seeds {0} to {1}", first, first + count - 1).str();
}

void CheckPrinter::endFile(const std::string &input, DeviceKind device, uint64_t seed) {
  const char *where = nameOf(device);
  if (!printsJson) {
    for (const std::string &note : notes())
      std::cout << "note: " << note << "\n";
    std::cout << input << ": " << counts.print() << "; " << where << ", " << describeSeeds(seed) << std::endl;
    return;
  }
  document = json::Object{{"file", input},
                          {"device", where},
                          {"seed", seed},
                          {"seeds", seedsOption.get()},
                          {"passed", counts[CheckOutcome::Passed]},
                          {"failed", counts[CheckOutcome::Failed]},
                          {"not_run", counts[CheckOutcome::NotRun]},
                          {"cases", std::move(rows)}};
  if (std::vector<std::string> all = notes(); !all.empty())
    document["notes"] = json::Array(all);
  if (!notChecked.empty())
    document["not_checked"] = std::move(notChecked);
  if (!diagnosticsOfRest.empty())
    document["diagnostics"] = std::move(diagnosticsOfRest);
}

/// The kernels to check.
static std::vector<const ast::KernelItem *> kernelsOf(const ast::Module &module, const std::string &chosen) {
  std::vector<const ast::KernelItem *> kernels;
  for (const ast::ItemPtr &item : module.items)
    if (const auto *kernel = ast::dynCast<ast::KernelItem>(item))
      if ((chosen.empty() || kernel->name.text == chosen) && hasSpec(module, kernel->name.text))
        kernels.push_back(kernel);
  return kernels;
}

/// Reports what `-D` gives and none of `kernels` knows.
static void checkGiven(Session &session, const std::vector<const ast::KernelItem *> &kernels,
                       const IrgenOptions &source) {
  for (const auto &[name, value] : source.values)
    if (!isSettable(kernels, name))
      reportUnsettable(kernels, session.engine, {}, name, "-D " + name);
}

static void reportNoSpec(Session &session, const std::string &input, const ast::Module &module,
                         const std::string &chosen) {
  DiagnosticBuilder diagnostic = session.engine.report(
      Code::E0602, {}, input + " has no kernel with a spec" + (chosen.empty() ? "" : " called `" + chosen + "`"));
  std::vector<std::string_view> with, without;
  for (const ast::ItemPtr &item : module.items)
    if (const auto *kernel = ast::dynCast<ast::KernelItem>(item))
      (hasSpec(module, kernel->name.text) ? with : without).push_back(kernel->name.text);
  if (!with.empty())
    diagnostic.note("kernels with a spec: `" + join(with, "`, `") + "`");
  if (std::string_view closest = closestName(chosen, with); !closest.empty())
    diagnostic.help("did you mean `" + std::string(closest) + "`?");
  else if (chosen.empty() ? !without.empty() : is_contained(without, chosen))
    diagnostic.help("write `spec " + (chosen.empty() ? std::string(without.front()) : chosen) +
                    " { … }`, which says what the kernel means");
}

/// Whether every shape passed.
static bool checkFile(Session &session, const std::string &input, CheckPrinter &printer) {
  std::optional<CheckRest> rest = CheckRest::fromEnvironment();
  printer.printsJson = jsonOption.isOn() || rest;
  std::optional<BuildOptions> build = readCompileFlags(session);
  std::optional<DeviceKind> device = deviceOfRun(session);
  std::optional<sim::Checks> checks = device ? checksOfSimulator(session, *device) : std::nullopt;
  std::optional<int> numSms = checks ? numSmsOf(session, *device) : std::nullopt;
  if (!build || !numSms || session.hasErrors())
    return false;
  if (*device == DeviceKind::Gpu && !isTargetGiven() && !(build->compile.target = targetOfGpu(session)))
    return false;
  std::optional<FileId> file = session.read(input);
  std::optional<InputKind> kind = file ? kindOf(session, *file) : std::nullopt;
  if (!kind)
    return false;
  if (*kind != InputKind::Tile) {
    session.report(Code::E0602,
                   "`" + input + "` is " + describe(*kind).str() + "; expected Tile source, which has specs");
    return false;
  }
  std::unique_ptr<ast::Module> module = session.parse(*file);
  if (!module)
    return false;
  checkSpecNames(*module, session.engine);
  if (session.hasErrors())
    return false;
  std::vector<const ast::KernelItem *> kernels = kernelsOf(*module, build->source.kernel);
  if (kernels.empty()) {
    reportNoSpec(session, input, *module, build->source.kernel);
    return false;
  }
  checkGiven(session, kernels, build->source);
  if (session.hasErrors())
    return false;
  CheckOptions options;
  options.device = *device;
  options.numSms = *numSms;
  options.build = *build;
  std::vector<std::string> reports;
  if (wantsRemarks())
    options.build.reports = &reports;
  options.seed = rest ? rest->seed : seedOfRun();
  options.seeds = seedsOption.get();
  options.limits = stepLimitsOfRun();
  options.showsAll = verboseOption.isOn();
  options.simulatorChecks = *checks;
  options.allConfigurations = configurationsOption.get() == "all";
  CheckObserver observer{[&](const CheckRow &row) { printer.begin(row); },
                         [&](const CheckRow &row) { printer.end(row); }};
  CheckProgress progress;
  size_t first = progress.skipped = rest ? rest->first : 0;
  std::vector<Diagnostic> excluded;
  for (const ast::KernelItem *kernel : kernels) {
    for (Diagnostic &reason : checkKernel(session, *file, *module, *kernel, options, observer, progress))
      excluded.push_back(std::move(reason));
    if (progress.configurations > 1)
      printer.addNote("kernel `" + kernel->name.text + "` was checked in 1 of " +
                      std::to_string(progress.configurations) + " configurations; `--configs=all` checks each");
  }
  printer.endRows(first, options.seed);
  // What `-D` leaves of a file may be some of its kernels, but not nothing.
  bool ranNone = first + printer.counts.total() == 0;
  for (Diagnostic &reason : excluded) {
    printer.addExclusion(reason);
    if (ranNone)
      session.engine.add(std::move(reason));
  }
  printer.endFile(input, *device, options.seed);
  printReports(reports, *device);
  return !ranNone && printer.counts[CheckOutcome::Passed] == printer.counts.total();
}

int checkMain(const std::string &input) {
  Session session(wantsRemarks());
  CheckPrinter printer;
  bool passed = checkFile(session, input, printer);
  if (printer.printsJson)
    printJsonReport(session, std::move(printer.document));
  return finish(session, printer.otherDiagnostics) || !passed;
}

} // namespace tile
