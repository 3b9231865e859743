#include "runtime/execute/CheckRun.h"

#include "runtime/execute/CheckConfigurations.h"

#include <chrono>
#include <set>

namespace tile {

static bool contains(const SourceRange &outer, const SourceRange &inner) {
  return inner.file == outer.file && inner.begin >= outer.begin && inner.end <= outer.end;
}

/// Says which shape an error belongs to: at the shape itself where the error has no place or is the shape's fault.
static void attribute(Diagnostic &diagnostic, const CheckCase &one) {
  SourceRange &place = diagnostic.primary.range;
  if (diagnostic.severity() != Severity::Error || (place.isValid() && contains(one.range, place)))
    return;
  if (!place.isValid()) {
    place = one.range;
    return;
  }
  std::string instance = one.describeInstance();
  std::string text = "in this shape" + (instance.empty() ? "" : " of " + instance);
  if (diagnostic.code == Code::E0403) { // a `where` that compile-time values decide
    diagnostic.secondary.push_back({place, "required here"});
    diagnostic.primary = {one.range, text};
    return;
  }
  diagnostic.secondary.push_back({one.range, text});
}

/// Whether two errors, before they are attributed, are of one fault in the kernel: one place that fails, one output
/// that is wrong, or one expression that is refused for one reason, whatever the shape's numbers are in the text.
static bool isAlike(const Diagnostic &left, const Diagnostic &right) {
  auto isPlace = [](const Label &a, const Label &b) { return a.range == b.range; };
  if (left.code != right.code)
    return false;
  if (left.code == Code::E0605 || left.code == Code::E0410)
    return !left.secondary.empty() && std::equal(left.secondary.begin(), left.secondary.end(), right.secondary.begin(),
                                                 right.secondary.end(), isPlace);
  return left.primary.range.isValid() && left.primary.range == right.primary.range;
}

/// Whether one says what the other does, word by word.
static bool isRepetition(const Diagnostic &left, const Diagnostic &right) {
  return left.code == right.code && left.primary.range.isValid() && left.primary.range == right.primary.range &&
         left.message == right.message;
}

/// Whether an error says what is wrong with the kernel, whatever its shape: no fault of a run, no comparison.
static bool isOfKernel(const Diagnostic &diagnostic, const CheckCase &one) {
  static constexpr Code ofShape[] = {Code::E0403, Code::E0410, Code::E0602, Code::E0603,
                                     Code::E0604, Code::E0605, Code::E0606};
  const SourceRange &place = diagnostic.primary.range;
  return place.isValid() && !contains(one.range, place) &&
         std::find(std::begin(ofShape), std::end(ofShape), diagnostic.code) == std::end(ofShape);
}

namespace {
/// What is reported of all cases: of errors that are alike the first, with how many follow.
class Reports {
public:
  Reports(std::vector<Diagnostic> before, bool showsAll) : all(std::move(before)), showsAll(showsAll) {}

  void add(Diagnostic diagnostic, const CheckCase &one) {
    Diagnostic plain = diagnostic;
    attribute(diagnostic, one);
    auto known = std::find_if(firsts.begin(), firsts.end(), [&](const First &first) {
      return showsAll ? isRepetition(first.plain, plain) && diagnostic.primary.range == plain.primary.range
                      : isAlike(first.plain, plain);
    });
    if (known != firsts.end()) {
      known->shapes.insert({one.range.begin, one.describeInstance()});
      return;
    }
    firsts.push_back({std::move(plain), all.size(), {{one.range.begin, one.describeInstance()}}});
    all.push_back(std::move(diagnostic));
  }

  std::vector<Diagnostic> take() {
    for (const First &first : firsts)
      if (size_t more = first.shapes.size() - 1)
        all[first.index].notes.push_back("the same in " + std::to_string(more) + " more " +
                                         (more == 1 ? "shape" : "shapes") + (showsAll ? "" : "; `-v` shows each"));
    return std::move(all);
  }

private:
  struct First {
    Diagnostic plain;
    size_t index;
    std::set<std::pair<uint32_t, std::string>> shapes; // with their instances
  };
  std::vector<Diagnostic> all;
  bool showsAll;
  std::vector<First> firsts;
};
} // namespace

/// A kernel without `@check`; a misspelled one is what that comes from.
static void reportNoCheck(Session &session, const ast::KernelItem &kernel) {
  for (const ast::Decorator &decorator : kernel.decorators)
    checkDecoratorName(decorator, session.engine);
  if (!session.hasErrors())
    session.engine.report(Code::E0606, kernel.name.range,
                          "kernel `" + kernel.name.text + "` has a spec and no `@check(shapes = [...])`");
}

std::vector<Diagnostic> checkKernel(Session &session, FileId file, const ast::Module &module,
                                    const ast::KernelItem &kernel, CheckOptions options, const CheckObserver &observer,
                                    CheckProgress &progress) {
  std::map<std::string, std::string> &values = options.build.source.values;
  for (auto value = values.begin(); value != values.end();)
    value = isSettable({&kernel}, value->first) ? std::next(value) : values.erase(value);
  // What a case reports is set aside before the next one: with an error in the engine nothing would be compiled.
  Reports reports(session.engine.take(), options.showsAll);
  std::vector<CheckCase> cases;
  std::vector<Diagnostic> exclusions;
  progress.configurations = 0;
  if (readCheckCases(session, kernel, options.build.source, cases, exclusions) && cases.empty() && exclusions.empty())
    reportNoCheck(session, kernel);
  if (cases.empty() && !exclusions.empty()) {
    for (Diagnostic &diagnostic : reports.take())
      session.engine.add(std::move(diagnostic));
    return exclusions;
  }
  if (session.hasErrors())
    cases.clear();
  IrgenOptions source = options.build.source;
  source.numSms = options.numSms; // `prune` may ask for it
  if (options.allConfigurations)
    cases = inAllConfigurations(session, module, kernel, source, std::move(cases));
  else
    progress.configurations = mostConfigurations(session, module, kernel, source, cases);
  CheckRow row;
  row.kernel = kernel.name.text;
  row.count = cases.size();
  if (cases.empty() && progress.skipped > 0) {
    --progress.skipped;
    session.engine.clear();
  } else if (cases.empty()) {
    row.outcome = progress.isDeviceLost ? CheckOutcome::NotRun : CheckOutcome::Failed;
    row.result.summary = session.engine.sorted().front()->message;
    if (progress.isDeviceLost)
      session.engine.clear(); // whoever runs the rest reports it
    observer.end(row);
  }
  for (CheckCase &one : cases) {
    ++row.number;
    if (progress.skipped > 0) {
      --progress.skipped;
      continue;
    }
    row.one = std::move(one);
    row.outcome = CheckOutcome::NotRun;
    row.result = CheckResult();
    if (!progress.isDeviceLost) {
      observer.begin(row);
      auto start = std::chrono::steady_clock::now();
      row.result = runCheck(session, file, module, kernel, row.one, options);
      row.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
      row.outcome = row.result.passed ? CheckOutcome::Passed : CheckOutcome::Failed;
      progress.isDeviceLost = !row.result.passed && !takesRuns(options.device);
    }
    for (Diagnostic &diagnostic : session.engine.take()) {
      if (diagnostic.severity() == Severity::Error && row.result.summary.empty()) {
        row.result.summary = diagnostic.message;
        row.result.isRefused = isOfKernel(diagnostic, row.one);
      }
      reports.add(std::move(diagnostic), row.one);
    }
    observer.end(row);
  }
  for (Diagnostic &diagnostic : reports.take())
    session.engine.add(std::move(diagnostic));
  return exclusions;
}

} // namespace tile
