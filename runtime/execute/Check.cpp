#include "runtime/execute/Check.h"

#include "runtime/execute/CheckArguments.h"
#include "runtime/execute/Compare.h"
#include "runtime/execute/Interpret.h"
#include "runtime/execute/LaunchArguments.h"
#include "runtime/execute/Simulate.h"
#include "runtime/execute/Stores.h"
#include "runtime/launch/Memory.h"

#include "backend/interpreter/Bounds.h"
#include "backend/interpreter/FixedBits.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;

namespace tile {

namespace {

/// One case, step by step. Each step gives false after reporting.
class CaseRunner {
public:
  CaseRunner(Session &session, FileId file, const ast::Module &module, const ast::KernelItem &item,
             const CheckCase &one, const CheckOptions &options)
      : session(session), file(file), module(module), item(item), one(one), options(options), seed(options.seed) {}

  bool run();
  CheckResult result;

private:
  std::optional<LoadedKernel> load(bool isSpec);
  bool checkServed();
  bool checkPreconditions(const std::vector<Value> &slots);
  bool runSpec();
  bool runBounds();
  std::optional<BoundsReport> interpretWithBounds(std::vector<HostArgument> &launched, Converted converted);
  bool findEnds();
  std::optional<InterpretReport> interpret(std::vector<HostArgument> &launched);
  bool runForFault();
  bool runSeed();
  bool findCompared();
  void findFixed();
  bool runInterpreter();
  bool launch();
  bool takeVariant(const std::optional<RunResult> &run);
  bool compareAll();
  bool compareFixed();
  void reportDifference(size_t index, const std::string &what, const Comparison &comparison);
  void reportNothingCompared(const std::string &name, int64_t count);

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
  uint64_t seed;
  std::vector<HostArgument> arguments, specArguments, interpreted;
  std::vector<HostArgument> given;              ///< `arguments` before the launch, where integers are written
  std::vector<HostArgument> least, greatest;    ///< what it may leave in integers; empty unless asked for
  std::vector<std::vector<SourceRange>> stores; // per parameter
  std::vector<bool> fixed;                      // per parameter: a written tensor whose bits the language fixes
  std::optional<SimulatorCode> code;            // built by the first launch on the simulator
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

/// `check` compiles for the value that a heuristic gives. An artifact has the values that `@instances` lists, and
/// refuses a launch that needs another.
bool CaseRunner::checkServed() {
  for (const ast::Decorator &decorator : item.decorators)
    for (const ast::Argument &argument : decorator.arguments) {
      const auto *list = ast::dynCast<ast::List>(argument.value);
      if (decorator.name.text != "instances" || !list)
        continue;
      const std::string &name = argument.name->text;
      auto constant = llvm::find_if(contract.constants, [&](const Constant &each) { return each.name == name; });
      // What `-D` or the shape gives has no heuristic.
      if (constant == contract.constants.end() || !constant->heuristic)
        continue;
      std::vector<const ast::Expr *> asked;
      for (const ast::ExprPtr &element : list->elements)
        asked.push_back(element.get());
      std::optional<std::vector<std::string>> listed =
          evaluateFor(module, session.sources, session.engine, session.context, source, asked);
      if (!listed)
        return false;
      if (llvm::is_contained(*listed, constant->text))
        continue;
      session.engine
          .report(Code::E0606, one.range,
                  "no instance serves this shape: `" + name + " = " + constant->heuristic->print(contract.names) +
                      "` is " + constant->text + "; `@instances` lists " + llvm::join(*listed, ", "))
          .secondary(list->range, "listed here")
          .help("list " + constant->text + ", or let the heuristic give one of those for every shape");
      return false;
    }
  return true;
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
  if (!spec && !(spec = load(/*isSpec=*/true)))
    return false;
  specArguments = makeSpecArguments(spec->contract, contract, arguments);
  std::optional<InterpreterLaunch> launch = bindForInterpreter(session, spec->contract, specArguments, options.numSms);
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
  defined.assign(specArguments.size(), {});
  for (auto [written, parameter] : llvm::zip(report->written, launch->parameters))
    defined[parameter] = std::move(written);
  return report->findings.empty();
}

/// The kernel with bounds, which writes integers to `launched`. A report without buffers where there are no programs.
std::optional<BoundsReport> CaseRunner::interpretWithBounds(std::vector<HostArgument> &launched, Converted converted) {
  std::optional<InterpreterLaunch> bound = bindForInterpreter(session, contract, launched, options.numSms);
  if (!bound)
    return std::nullopt;
  if (bound->binding.isEmpty())
    return BoundsReport();
  InterpretOptions interpretOptions;
  interpretOptions.threads = options.threads;
  interpretOptions.maxLoopTurns = options.limits.loopTurns;
  interpretOptions.converted = converted;
  llvm::Expected<BoundsReport> report = interpretBounds(kernel->function, bound->invocation(), interpretOptions);
  if (!report) {
    reportInterpretError(session, report.takeError());
    return std::nullopt;
  }
  BoundsReport ofParameters{std::move(report->run), std::vector<BoundedElements>(launched.size())};
  for (auto [elements, parameter] : llvm::zip_equal(report->buffers, bound->parameters))
    ofParameters.buffers[parameter] = std::move(elements);
  return ofParameters;
}

bool CaseRunner::runBounds() {
  bool writesIntegers = llvm::any_of(contract.parameters, [](const Parameter &each) {
    return mayWrite(each) && each.kind == Parameter::Kind::Tensor && !isFloat(each.type);
  });
  if (writesIntegers)
    given = arguments;
  std::vector<HostArgument> copies = arguments;
  std::optional<BoundsReport> report = interpretWithBounds(copies, Converted::Exact);
  if (!report)
    return false;
  // What never ends here does not end on a GPU, where nothing stops it.
  for (const Finding &finding : report->run.findings)
    if (finding.kind == FindingKind::LoopLimit) {
      tile::report(session, finding);
      return false;
    }
  bounds = std::move(report->buffers);
  return true;
}

/// What the kernel may leave in integers that floats were converted to.
bool CaseRunner::findEnds() {
  for (auto [converted, left] : {std::pair(Converted::Least, &least), std::pair(Converted::Greatest, &greatest)}) {
    *left = given;
    if (!interpretWithBounds(*left, converted))
      return false;
  }
  return true;
}

/// The kernel by the interpreter, which writes to `launched`.
std::optional<InterpretReport> CaseRunner::interpret(std::vector<HostArgument> &launched) {
  RunOptions run;
  run.threads = options.threads;
  run.limits = options.limits;
  std::optional<InterpreterLaunch> launch = bindForInterpreter(session, contract, launched, options.numSms);
  return launch ? interpretKernel(session, *kernel, *launch, run) : std::nullopt;
}

/// The interpreter must report the fault that the case names.
bool CaseRunner::runForFault() {
  std::optional<InterpretReport> report = interpret(arguments);
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

/// Whose bits everyone who runs the kernel must leave alike.
void CaseRunner::findFixed() {
  fixed.assign(contract.parameters.size(), false);
  if (options.device == DeviceKind::Cpu)
    return;
  std::vector<bool> ofArguments = findFixedBits(kernel->function);
  bool allFixed = true;
  for (auto [slot, isFixed] : llvm::zip_equal(contract.abi, ofArguments))
    if (slot.kind == AbiSlot::Kind::Pointer) {
      fixed[slot.index] = isFixed && mayWrite(contract.parameters[slot.index]);
      allFixed &= isFixed;
    }
  // Through memory that they share, what is open in one tensor may reach another.
  if (!allFixed && !contract.alias.empty())
    fixed.assign(fixed.size(), false);
}

/// What the kernel leaves by the interpreter, before a launch writes the arguments.
bool CaseRunner::runInterpreter() {
  interpreted = arguments;
  std::optional<InterpretReport> report = interpret(interpreted);
  if (!report)
    return false;
  for (const Finding &finding : report->findings)
    tile::report(session, finding);
  return report->findings.empty();
}

bool CaseRunner::launch() {
  RunOptions run;
  run.build = options.build;
  run.threads = options.threads;
  run.limits = options.limits;
  run.checked = true;
  run.seed = seed;
  run.simulatorChecks = options.simulatorChecks;
  run.findings = &result.findings;
  if (options.device == DeviceKind::Cpu)
    return takeVariant(runOn(options.device, session, file, *kernel, arguments, run));
  // A build spends its module, and the next seed needs it again.
  std::optional<LoadedKernel> spent;
  if (!code) {
    spent = takeKernel(session, OwningOpRef<ModuleOp>(kernel->module->clone()));
    if (!spent)
      return false;
  }
  if (options.device == DeviceKind::Gpu)
    return takeVariant(runOn(options.device, session, file, *spent, arguments, run));
  if (!code && !(code = buildForSimulator(session, file, *spent, run.build)))
    return false;
  return takeVariant(runOnSimulator(session, *code, arguments, run)) && !session.hasErrors();
}

/// Whether rows of `parameter` are no multiple of a vector's bytes in any shape: with the gaps that a check leaves in
/// strided tensors, or of a constant length.
static bool hasOddRows(const Parameter &parameter) {
  if (parameter.kind != Parameter::Kind::Tensor || !parameter.present || parameter.extents.size() < 2)
    return false;
  const std::optional<Expression> &row = parameter.extents.back();
  auto isWhole = [&](int64_t count) { return count % kVectorBytes * getBytes(parameter.type) % kVectorBytes == 0; };
  return parameter.strided || (row && row->usedSlots().empty() && !isWhole(row->evaluate({}).toInteger()));
}

/// Keeps which variant ran. False where the launch failed.
bool CaseRunner::takeVariant(const std::optional<RunResult> &run) {
  if (!run)
    return false;
  result.variant = run->variant;
  result.whyVariant = run->whyVariant;
  result.hasOddRows = llvm::any_of(contract.parameters, tile::hasOddRows);
  return true;
}

/// Places that a message points at; more of them would bury it.
static constexpr size_t kShownStores = 3;

void CaseRunner::reportDifference(size_t index, const std::string &from, const Comparison &comparison) {
  const std::string &name = contract.parameters[index].name;
  const std::vector<SourceRange> &places = stores[index];
  auto of = [&](int64_t count) {
    return std::to_string(count) + " of " + std::to_string(comparison.compared) +
           (comparison.compared == 1 ? " element" : " elements") + " of `" + name + "`";
  };
  bool isAllUnwritten = comparison.unwritten == comparison.different;
  std::string what =
      isAllUnwritten ? "never writes " + of(comparison.unwritten) : from + " in " + of(comparison.different);
  if (!isAllUnwritten && comparison.unwritten > 0)
    what += ", of which it never writes " + std::to_string(comparison.unwritten);
  DiagnosticBuilder diagnostic =
      session.engine.report(Code::E0605, one.range, "kernel `" + item.name.text + one.describeInstance() + "` " + what);
  std::string drawn = describeDrawn(result);
  diagnostic.label("in this shape, seed " + std::to_string(seed) + (drawn.empty() ? "" : ", " + drawn));
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

/// A loop of the spec without turns, say: what then passes would say nothing.
void CaseRunner::reportNothingCompared(const std::string &name, int64_t count) {
  std::string what = "assigns no element of `" + name + "` in this shape: 0 of " + std::to_string(count) + " compared";
  DiagnosticBuilder diagnostic = session.engine.report(Code::E0410, one.range, "spec `" + item.name.text + "` " + what);
  for (const ast::ItemPtr &other : module.items)
    if (const auto *of = ast::dynCast<ast::SpecItem>(other); of && of->name.text == item.name.text)
      diagnostic.secondary(of->name.range, "runs here without an assignment to `" + name + "`");
  diagnostic.help("assign `" + name + "` in every shape, or leave this shape out");
  if (result.summary.empty())
    result.summary = "the spec " + what;
}

bool CaseRunner::compareAll() {
  size_t next = 0; // among the spec's arguments, which are those that are present
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind == HostArgument::Kind::None)
      continue;
    size_t wanted = next++;
    if (!mayWrite(contract.parameters[i]) || arguments[i].kind != HostArgument::Kind::Tensor)
      continue;
    Tolerance tolerance;
    tolerance.exact = one.exact;
    tolerance.rtol = one.rtol;
    tolerance.atol = one.atol;
    if (isDerived() && !bounds.empty()) {
      tolerance.errors = std::move(bounds[i].errors);
      tolerance.values = std::move(bounds[i].values);
    }
    auto compareWith = [&] {
      return compare(arguments[i].tensor, specArguments[wanted].tensor, defined[wanted], poisons[i], tolerance);
    };
    Comparison comparison = compareWith();
    // Two more runs, which few checks need.
    if (comparison.different > 0 && isDerived() && !isFloat(arguments[i].tensor.type)) {
      if (least.empty() && !findEnds())
        return false;
      tolerance.least = &least[i].tensor;
      tolerance.greatest = &greatest[i].tensor;
      comparison = compareWith();
    }
    result.compared += comparison.compared;
    result.unbounded += comparison.unbounded;
    if (comparison.leftOut > 0)
      result.leftOut[contract.parameters[i].name] += comparison.leftOut;
    if (comparison.compared == 0 && comparison.leftOut > 0)
      reportNothingCompared(contract.parameters[i].name, comparison.leftOut);
    result.ratio = std::max(result.ratio, comparison.ratio);
    if (comparison.different > 0)
      reportDifference(i, "differs from its spec", comparison);
  }
  return result.summary.empty();
}

bool CaseRunner::compareFixed() {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!fixed[i] || arguments[i].kind != HostArgument::Kind::Tensor)
      continue;
    Comparison comparison = compareBits(arguments[i].tensor, interpreted[i].tensor);
    result.fixed += comparison.compared;
    if (comparison.different > 0)
      reportDifference(i, "leaves other bits than the interpreter, where the language fixes them,", comparison);
  }
  return result.summary.empty();
}

bool CaseRunner::run() {
  source = irgenOptionsOf(item, one, options.build.source);
  source.numSms = options.numSms;
  kernel = load(/*isSpec=*/false);
  if (!kernel)
    return false;
  contract = kernel->contract;
  if (!checkServed())
    return false;
  findFixed();
  for (size_t i = 0; i < contract.parameters.size(); ++i)
    stores.push_back(storesTo(session, *kernel, static_cast<int>(i)));
  for (uint64_t run = 0; run < options.seeds; ++run) {
    seed = options.seed + run;
    if (!runSeed())
      return false;
  }
  return true;
}

/// Whether a tensor that the kernel writes has elements; else the launch itself is all that is checked.
bool CaseRunner::findCompared() {
  for (auto [argument, parameter] : llvm::zip_equal(arguments, contract.parameters)) {
    if (argument.kind != HostArgument::Kind::Tensor || !mayWrite(parameter))
      continue;
    if (countElements(argument.tensor) > 0)
      return true;
    if (result.empty.empty())
      result.empty = parameter.name;
  }
  return result.empty.empty();
}

bool CaseRunner::runSeed() {
  std::optional<CheckArguments> made = makeCheckArguments(session, module, contract, one, source, seed);
  if (!made || !checkPreconditions(made->slots))
    return false;
  arguments = std::move(made->all);
  result.drawn.clear();
  for (auto [argument, parameter] : llvm::zip_equal(arguments, contract.parameters))
    if (argument.kind == HostArgument::Kind::Scalar && !one.givesField(parameter.name))
      result.drawn.emplace_back(parameter.name, argument.scalarText);
  if (!one.fault.empty())
    return runForFault();
  if (!findCompared())
    return launch();
  bounds.clear();
  least.clear();
  if (!runSpec() || (isDerived() && !runBounds()))
    return false;
  poisons.resize(arguments.size());
  for (auto [index, parameter] : llvm::enumerate(spec->contract.parameters)) {
    int of = contract.findParameter(parameter.name);
    if (parameter.role == Parameter::Role::Out && !isFloat(parameter.type))
      poisonAgainst(arguments[of].tensor, specArguments[index].tensor, mixSeed(seed, parameter.name));
    if (parameter.role == Parameter::Role::Out)
      poisons[of] = arguments[of].tensor.data;
  }
  if (llvm::is_contained(fixed, true) && !runInterpreter())
    return false;
  return launch() && compareAll() && compareFixed();
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
