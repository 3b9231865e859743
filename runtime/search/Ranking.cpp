#include "runtime/search/Ranking.h"

#include "backend/pipeline/Pipeline.h"
#include "backend/target/Throughput.h"
#include "frontend/irgen/Autotune.h"
#include "runtime/execute/Execute.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <map>

namespace tile {

int64_t numSmsOf(const IrgenOptions &options, const Target &target) {
  return options.numSms.value_or(throughputOf(target).processors);
}

/// What of `options` is a number: dims and scalars.
static LaunchFacts factsOf(const IrgenOptions &options, const Target &target) {
  LaunchFacts facts;
  for (const auto *texts : {&options.values, &options.scalarTexts})
    for (const auto &[name, text] : *texts)
      if (int64_t value; !llvm::StringRef(text).getAsInteger(0, value))
        facts.values[name] = value;
  facts.numSms = numSmsOf(options, target);
  return facts;
}

static IrgenOptions optionsOf(const IrgenOptions &options, const ast::KernelItem &kernel,
                              const Configuration &configuration) {
  IrgenOptions own = withConfiguration(options, configuration);
  own.kernel = kernel.name.text;
  own.forOneLaunch = true;
  return own;
}

static void runSourcePasses(mlir::ModuleOp ir) {
  mlir::PassManager passes(ir.getContext());
  addSourcePasses(passes);
  (void)passes.run(ir); // refuses nothing
}

Estimate estimateConfiguration(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                               const IrgenOptions &options, const Configuration &configuration, const Target &target,
                               const Refusal &refusal) {
  IrgenOptions own = optionsOf(options, kernel, configuration);
  DiagnosticEngine engine; // what is wrong with one configuration is its own result
  mlir::OwningOpRef<mlir::ModuleOp> ir = generate(module, session.sources, engine, session.context, own);
  if (!ir) {
    Estimate refused;
    for (const Diagnostic *diagnostic : engine.sorted())
      if (diagnostic->severity() == Severity::Error && refused.rejection.empty())
        refused.rejection = diagnostic->message;
    return refused;
  }
  if (std::optional<LoadedKernel> kernel = refusal ? takeKernel(session, std::move(ir)) : std::nullopt) {
    Estimate refused;
    refused.rejection = refusal(kernel->contract);
    if (!refused.rejection.empty())
      return refused;
    ir = std::move(kernel->module);
  }
  runSourcePasses(*ir);
  return estimate(*ir, factsOf(own, target), target);
}

/// Of a configuration whose code another one has, whose rank follows.
static constexpr llvm::StringLiteral kSameCode = "the same code as #";

/// Reports that configurations set `stages` and no loop has any.
static void reportStages(Session &session, const ast::KernelItem &kernel, const ast::Identifier &name) {
  session.engine
      .report(Code::E0412, name.range,
              "`@autotune` sets `stages`, and no loop of kernel `" + kernel.name.text + "` has a matrix product")
      .note("stages are iterations of such a loop whose tiles are in shared memory at a time");
}

namespace {
/// Finds, for each configuration, the first of the space that has the same code.
class SameCode {
public:
  SameCode(Session &session, const ast::Module &module, const ast::KernelItem &kernel, const IrgenOptions &options,
           const Target &target)
      : session(session), module(module), kernel(kernel), options(options), target(target) {}

  /// The place of that one, if `one` is not itself the first.
  std::optional<size_t> add(const RankedConfiguration &one) {
    if (!one.estimate.rejection.empty())
      return std::nullopt;
    std::vector<const RankedConfiguration *> &alike = firsts[one.estimate.code];
    for (const RankedConfiguration *first : alike)
      if (genericCode(*first) == genericCode(one))
        return first->place;
    alike.push_back(&one);
    return std::nullopt;
  }

private:
  /// The form that launches take whose arguments the faster one does not serve; estimates are of that.
  const std::string &genericCode(const RankedConfiguration &one) {
    auto [known, isNew] = generic.try_emplace(one.place);
    DiagnosticEngine engine;
    auto ir = isNew ? generate(module, session.sources, engine, session.context,
                               optionsOf(options, kernel, one.configuration))
                    : nullptr;
    if (ir) {
      runSourcePasses(*ir);
      known->second = decidedCode(*ir, target, "generic");
    }
    return known->second;
  }

  Session &session;
  const ast::Module &module;
  const ast::KernelItem &kernel;
  const IrgenOptions &options;
  const Target &target;
  std::map<uint64_t, std::vector<const RankedConfiguration *>> firsts; // by Estimate::code
  std::map<size_t, std::string> generic;
};
} // namespace

std::optional<std::vector<RankedConfiguration>> rankConfigurations(Session &session, const ast::Module &module,
                                                                   const ast::KernelItem &kernel,
                                                                   const IrgenOptions &options, const Space &space,
                                                                   const Target &target, const Refusal &refusal) {
  std::vector<RankedConfiguration> ranking;
  for (const Configuration &configuration : space.all)
    ranking.push_back({configuration, ranking.size(),
                       estimateConfiguration(session, module, kernel, options, configuration, target, refusal)});
  Autotune autotune = readAutotune(kernel);
  bool areStagesUsed =
      llvm::any_of(ranking, [](const auto &one) { return one.estimate.copiesAhead; }) || options.values.count("stages");
  for (uint64_t i = 0, count = areStagesUsed ? 0 : autotune.countPoints(); i < count; ++i)
    for (auto [name, value] : autotune.point(i).settings)
      if (name->text == "stages") {
        reportStages(session, kernel, *name);
        return std::nullopt;
      }
  SameCode codes(session, module, kernel, options, target);
  for (RankedConfiguration &one : ranking)
    one.sameAs = codes.add(one);
  for (RankedConfiguration &one : ranking)
    if (one.sameAs)
      one.estimate.rejection = kSameCode.str();
  llvm::sort(ranking, [](const RankedConfiguration &a, const RankedConfiguration &b) {
    auto order = [](const RankedConfiguration &one) {
      return std::tuple(!one.estimate.rejection.empty(), one.estimate.microseconds, one.place);
    };
    return order(a) < order(b);
  });
  std::map<size_t, size_t> ranks; // by place
  for (const auto &[i, one] : llvm::enumerate(ranking))
    ranks[one.place] = i + 1;
  for (RankedConfiguration &one : ranking)
    if (one.sameAs)
      one.estimate.rejection += std::to_string(ranks[*one.sameAs]);
  return ranking;
}

Trial untriedTrial(const RankedConfiguration &one) {
  Trial trial;
  trial.configuration = one.configuration;
  trial.predictedUs = one.estimate.microseconds;
  trial.reason = one.estimate.rejection;
  if (!trial.reason.empty())
    trial.outcome = TrialOutcome::Rejected;
  return trial;
}

void printRanking(const std::vector<RankedConfiguration> &ranking, size_t top, llvm::raw_ostream &out) {
  size_t rank = 0;
  bool hasDefault = false;
  for (const RankedConfiguration &one : ranking) {
    const Estimate &estimate = one.estimate;
    if (!estimate.rejection.empty()) {
      out << "   -  " << one.configuration.describe() << ": " << estimate.rejection << '\n';
      continue;
    }
    if (top > 0 && rank == top)
      out << "      a search measures those above" << (hasDefault ? "" : " and the default")
          << "; `--top` says how many\n";
    hasDefault |= one.place == 0;
    out << llvm::format("%4zu  %10.1f us, %-17s %2d warps, %3d registers, %6d bytes, %2d programs/SM, %6.1f waves  ",
                        ++rank, estimate.microseconds, estimate.bound.c_str(), int(estimate.warps),
                        int(estimate.registers), int(estimate.sharedBytes), int(estimate.programsPerSm), estimate.waves)
        << one.configuration.describe() << (one.place == 0 && !one.configuration.values.empty() ? " (the default)" : "")
        << '\n';
  }
}

} // namespace tile
