#include "runtime/execute/Check.h"

#include "runtime/execute/CheckArguments.h"
#include "runtime/execute/Compare.h"
#include "runtime/execute/Interpret.h"
#include "runtime/execute/LaunchArguments.h"
#include "runtime/execute/Stores.h"

#include "backend/interpreter/Bounds.h"

#include <cmath>

using namespace mlir;

namespace tile {

namespace {

/// One case, step by step. Each step gives false after reporting.
class CaseRunner {
public:
  CaseRunner(Session &session, FileId file, const ast::Module &module, const ast::KernelItem &item,
             const CheckCase &one, const CheckOptions &options)
      : session(session), file(file), module(module), item(item), one(one), options(options) {}

  bool run();
  CheckResult result;

private:
  std::optional<LoadedKernel> load(bool isSpec);
  bool checkPreconditions(const std::vector<Value> &slots);
  bool runSpec();
  bool runBounds();
  bool runForFault();
  bool launch();
  bool compareAll();
  void reportDifference(size_t index, const Comparison &comparison, const std::vector<SourceRange> &stores);

  bool isDerived() const { return !one.exact && !one.rtol && !one.atol; }

  Session &session;
  FileId file;
  const ast::Module &module;
  const ast::KernelItem &item;
  const CheckCase &one;
  const CheckOptions &options;
  IrgenOptions source;
  std::optional<LoadedKernel> kernel, spec;
  KernelContract contract; // of the kernel, which a launch spends
  std::vector<HostArgument> arguments, specArguments;
  std::vector<std::vector<SourceRange>> stores; // per parameter
  // Per parameter; empty where there is none.
  std::vector<BoundedElements> bounds;
  std::vector<std::vector<char>> poisons;
  std::vector<std::vector<bool>> defined; // of the spec's parameters
};

std::optional<LoadedKernel> CaseRunner::load(bool isSpec) {
  BuildOptions build = options.build;
  build.source = source;
  StepTimes times;
  OwningOpRef<ModuleOp> generated =
      isSpec ? generateSpec(module, session.sources, session.engine, session.context, build.source)
             : loadKernels(session, module, build, times);
  return generated ? takeKernel(session, std::move(generated)) : std::nullopt;
}

/// A shape that `where` excludes is a fault of the shape.
bool CaseRunner::checkPreconditions(const std::vector<Value> &slots) {
  for (const Precondition &condition : contract.where) {
    if (condition.expression.evaluate(slots).isTrue())
      continue;
    std::string values;
    for (int slot : condition.expression.usedSlots())
      values += (values.empty() ? ": " : ", ") + contract.names[slot] + " = " + slots[slot].print();
    DiagnosticBuilder diagnostic = session.engine.report(
        Code::E0606, one.range, "`where " + condition.text + "` does not hold in this shape" + values);
    for (const ast::ExprPtr &clause : item.where)
      if (session.sources.text(clause->range) == condition.text)
        diagnostic.secondary(clause->range, "required here");
    return false;
  }
  return true;
}

bool CaseRunner::runSpec() {
  spec = load(/*isSpec=*/true);
  if (!spec)
    return false;
  specArguments = makeSpecArguments(spec->contract, contract, arguments);
  std::optional<InterpreterLaunch> launch = bindForInterpreter(session, spec->contract, specArguments);
  if (!launch)
    return false;
  RunOptions run;
  run.threads = options.threads;
  run.limits = options.limits;
  run.checked = true;
  std::optional<InterpretReport> report = interpretKernel(session, *spec, *launch, run);
  if (!report)
    return false;
  for (const Finding &finding : report->findings)
    tile::report(session, finding);
  defined.resize(specArguments.size());
  for (auto [written, parameter] : llvm::zip(report->written, launch->parameters))
    defined[parameter] = std::move(written);
  return report->findings.empty();
}

bool CaseRunner::runBounds() {
  std::vector<HostArgument> copies = arguments; // integers are written, and the launch is still to come
  std::optional<InterpreterLaunch> bound = bindForInterpreter(session, contract, copies);
  if (!bound || bound->binding.isEmpty())
    return bound.has_value();
  InterpretOptions interpretOptions;
  interpretOptions.threads = options.threads;
  interpretOptions.maxLoopTurns = options.limits.loopTurns;
  llvm::Expected<BoundsReport> report = interpretBounds(kernel->function, bound->invocation(), interpretOptions);
  if (!report) {
    reportInterpretError(session, report.takeError());
    return false;
  }
  // What never ends here does not end on a GPU, where nothing stops it.
  for (const Finding &finding : report->run.findings)
    if (finding.kind == FindingKind::LoopLimit) {
      tile::report(session, finding);
      return false;
    }
  bounds.resize(arguments.size());
  for (auto [elements, parameter] : llvm::zip_equal(report->buffers, bound->parameters))
    bounds[parameter] = std::move(elements);
  return true;
}

/// The interpreter must report the fault that the case names.
bool CaseRunner::runForFault() {
  RunOptions run;
  run.threads = options.threads;
  run.limits = options.limits;
  std::optional<InterpreterLaunch> launch = bindForInterpreter(session, contract, arguments);
  std::optional<InterpretReport> report = launch ? interpretKernel(session, *kernel, *launch, run) : std::nullopt;
  if (!report)
    return false;
  for (const Finding &finding : report->findings)
    if (llvm::StringRef(finding.message).contains(one.fault))
      return true;
  DiagnosticBuilder diagnostic = session.engine.report(
      Code::E0605, one.range,
      "kernel `" + item.name.text + "` has " + std::to_string(report->findings.size()) +
          (report->findings.size() == 1 ? " fault" : " faults") + " in this shape; expected `" + one.fault + "`");
  for (const Finding &finding : report->findings)
    diagnostic.note("found: " + finding.message);
  result.summary = "the fault `" + one.fault + "` did not happen";
  return false;
}

bool CaseRunner::launch() {
  RunOptions run;
  run.build = options.build;
  run.threads = options.threads;
  run.limits = options.limits;
  run.checked = true;
  run.seed = options.seed;
  run.simulatorChecks = options.simulatorChecks;
  for (size_t i = 0; i < arguments.size(); ++i)
    stores.push_back(storesTo(session, *kernel, static_cast<int>(i)));
  return runOn(options.device, session, file, *kernel, arguments, run).has_value();
}

/// Places that a message points at; more of them would bury it.
static constexpr size_t kShownStores = 3;

void CaseRunner::reportDifference(size_t index, const Comparison &comparison, const std::vector<SourceRange> &places) {
  const std::string &name = contract.parameters[index].name;
  auto of = [&](int64_t count) {
    return std::to_string(count) + " of " + std::to_string(comparison.compared) +
           (comparison.compared == 1 ? " element" : " elements") + " of `" + name + "`";
  };
  bool isAllUnwritten = comparison.unwritten == comparison.different;
  std::string what = isAllUnwritten ? "never writes " + of(comparison.unwritten)
                                    : "differs from its spec in " + of(comparison.different);
  if (!isAllUnwritten && comparison.unwritten > 0)
    what += ", of which it never writes " + std::to_string(comparison.unwritten);
  DiagnosticBuilder diagnostic =
      session.engine.report(Code::E0605, one.range, "kernel `" + item.name.text + one.describeInstance() + "` " + what);
  std::string drawn = describeDrawn(result);
  diagnostic.label("in this shape, seed " + std::to_string(options.seed) + (drawn.empty() ? "" : ", " + drawn));
  for (size_t i = 0; i < std::min(places.size(), kShownStores); ++i)
    diagnostic.secondary(places[i], "`" + name + "` is written here");
  if (places.empty())
    for (const ast::Parameter &parameter : item.parameters)
      if (parameter.name.text == name)
        diagnostic.secondary(parameter.range, "`" + name + "`");
  if (comparison.unwritten > 0)
    diagnostic.note("never written: " + std::to_string(comparison.unwritten) +
                    (comparison.unwritten == 1 ? " element, `" : " elements, the first `") + name + "[" +
                    comparison.firstUnwritten + "]`");
  bool isOne = comparison.first.place == comparison.worst.place;
  if (!isAllUnwritten)
    diagnostic.note((isOne ? "first and worst: " : "first: ") + comparison.first.describe(name));
  if (!isAllUnwritten && !isOne)
    diagnostic.note("worst: " + comparison.worst.describe(name));
  if (result.summary.empty())
    result.summary = what;
}

bool CaseRunner::compareAll() {
  size_t next = 0; // among the spec's arguments, which are those that are present
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind == HostArgument::Kind::None)
      continue;
    size_t wanted = next++;
    if (!mayWrite(contract.parameters[i]) || arguments[i].kind != HostArgument::Kind::Tensor)
      continue;
    Tolerance tolerance{one.exact, one.rtol, one.atol, {}};
    if (isDerived() && !bounds.empty())
      tolerance.errors = std::move(bounds[i].errors);
    Comparison comparison =
        compare(arguments[i].tensor, specArguments[wanted].tensor, defined[wanted], poisons[i], tolerance);
    result.compared += comparison.compared;
    result.ratio = std::max(result.ratio, comparison.ratio);
    if (comparison.different > 0)
      reportDifference(i, comparison, stores[i]);
  }
  return result.summary.empty();
}

bool CaseRunner::run() {
  source = irgenOptionsOf(item, one, options.build.source);
  kernel = load(/*isSpec=*/false);
  if (!kernel)
    return false;
  contract = kernel->contract;
  std::optional<CheckArguments> made = makeCheckArguments(session, module, contract, one, source, options.seed);
  if (!made || !checkPreconditions(made->slots))
    return false;
  arguments = std::move(made->all);
  for (auto [argument, parameter] : llvm::zip_equal(arguments, contract.parameters))
    if (argument.kind == HostArgument::Kind::Scalar && !one.givesField(parameter.name))
      result.drawn.emplace_back(parameter.name, argument.scalarText);
  if (!one.fault.empty())
    return runForFault();
  // A spec has no tiles of extent 0; then only the launch itself is checked.
  bool hasEmpty = llvm::any_of(arguments, [](const HostArgument &argument) {
    return argument.kind == HostArgument::Kind::Tensor && countElements(argument.tensor) == 0;
  });
  if (hasEmpty)
    return launch();
  if (!runSpec() || (isDerived() && !runBounds()))
    return false;
  poisons.resize(arguments.size());
  for (auto [index, parameter] : llvm::enumerate(spec->contract.parameters)) {
    int of = contract.findParameter(parameter.name);
    if (parameter.role == Parameter::Role::Out && !isFloat(parameter.type))
      poisonAgainst(arguments[of].tensor, specArguments[index].tensor, mixSeed(options.seed, parameter.name));
    if (parameter.role == Parameter::Role::Out)
      poisons[of] = arguments[of].tensor.data;
  }
  return launch() && compareAll();
}

} // namespace

std::string describeDrawn(const CheckResult &result) {
  std::string text;
  for (const auto &[name, value] : result.drawn)
    text += (text.empty() ? "" : ", ") + name + " = " + value;
  return text;
}

CheckResult runCheck(Session &session, FileId file, const ast::Module &module, const ast::KernelItem &kernel,
                     const CheckCase &one, const CheckOptions &options) {
  CaseRunner runner(session, file, module, kernel, one, options);
  runner.result.passed = runner.run();
  return runner.result;
}

} // namespace tile
