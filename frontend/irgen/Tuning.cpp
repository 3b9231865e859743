/// Which configuration is compiled where nothing chose one, and what a contract says of tuning: by which sizes
/// instances are told apart, and for which launches one was chosen.
#include "frontend/irgen/Autotune.h"
#include "frontend/irgen/Evaluator.h"
#include "frontend/irgen/Fields.h"
#include "frontend/irgen/Kernel.h"

using namespace tile;
using namespace tile::irgen;
using ast::dynCast;

bool KernelBuilder::isLeftByWhere() {
  // What is wrong with the values is reported where they are compiled.
  std::vector<Diagnostic> before = evaluator.engine.take();
  Evaluator::FrameGuard guard(evaluator, &kernel, scope);
  evaluator.frame->isKernel = true;
  bool isValid = bindTypes() && flattenParameters();
  if (isValid)
    collectDims();
  isValid = isValid && bindConstants();
  bool isFalse = isValid && llvm::any_of(kernel.where, [&](const ast::ExprPtr &condition) {
                   std::optional<HostExpression> expression = host(*condition, /*constantsByName=*/false);
                   std::optional<int64_t> known = expression ? constantInteger(*expression) : std::nullopt;
                   return known && !*known;
                 });
  evaluator.engine.take();
  for (Diagnostic &diagnostic : before)
    evaluator.engine.add(std::move(diagnostic));
  evaluator.expansion = Expansion();
  return !isFalse;
}

/// The first that `where` leaves; where it leaves none the first, for which the condition is reported.
void KernelBuilder::takeConfiguration() {
  if (values.isConfigured)
    return;
  Autotune autotune = readAutotune(kernel);
  uint64_t count = std::min(autotune.countPoints(), Autotune::kMostPoints);
  auto settingsOf = [&](uint64_t i) {
    std::map<std::string, const ast::Expr *> settings;
    for (auto [name, value] : autotune.point(i).settings)
      settings[name->text] = value;
    return settings;
  };
  if (count)
    configuration = settingsOf(0);
  auto isGiven = [&](const AutotunePoint::Setting &setting) { return values.has(setting.name->text); };
  const std::vector<AutotunePoint::Setting> listed = autotune.listedSettings();
  bool isOpen = !llvm::all_of(listed, isGiven);
  if (kernel.where.empty() || count < 2 || !isOpen)
    return;
  for (uint64_t i = 0; i < count; ++i) {
    KernelBuilder tried(evaluator, module, kernel, values, symbol);
    tried.configuration = settingsOf(i);
    if (!tried.isLeftByWhere())
      continue;
    configuration = std::move(tried.configuration);
    return;
  }
  refused = llvm::any_of(listed, isGiven) ? 0 : count;
}

/// The key with each dim that has a bucket replaced by it: what `Space::sizes` has the values of.
std::vector<HostExpression> KernelBuilder::tuningKey() {
  Autotune autotune = readAutotune(kernel);
  std::map<std::string, HostExpression> buckets;
  for (const AutotuneBucket &bucket : autotune.buckets)
    if (std::optional<HostExpression> value = host(*bucket.value, /*constantsByName=*/true);
        value && !bucket.dim.empty())
      buckets.emplace(bucket.dim, *value);
  HostEvaluator evaluateKey(evaluator, [&](const std::string &name) -> std::optional<HostExpression> {
    auto bucket = buckets.find(name);
    // Known here, but the value alone would not say of what.
    if (llvm::StringRef(name).starts_with("has("))
      return HostEvaluator(evaluator, nullptr).name(name);
    return bucket == buckets.end() ? hostName(name, /*constantsByName=*/true, /*withGiven=*/false) : bucket->second;
  });
  std::vector<HostExpression> key;
  for (const AutotuneKey &each : autotune.key) {
    std::optional<HostExpression> expression;
    if (each.value)
      expression = evaluateKey.evaluate(*each.value);
    else if (auto bucket = buckets.find(each.dim); bucket != buckets.end())
      expression = bucket->second;
    else if (isDimName(each.dim))
      expression = HostEvaluator(evaluator, nullptr).name(each.dim);
    if (expression)
      key.push_back(std::move(*expression));
  }
  return key;
}

/// How the instance came by its configuration; null for a kernel without `@autotune`.
mlir::Attribute KernelBuilder::tuningAttribute() {
  mlir::OpBuilder &builder = evaluator.builder;
  if (!readAutotune(kernel).decorator)
    return nullptr;
  static const TunedInstance plain;
  const TunedInstance &instance = values.tuned ? *values.tuned : plain;
  Fields fields(builder);
  fields.set("state", instance.state);
  if (!instance.why.empty())
    fields.set("why", instance.why);
  llvm::SmallVector<mlir::Attribute> items;
  for (const HostExpression &expression : tuningKey())
    items.push_back(expression.attribute(builder.getContext()));
  if (!items.empty())
    fields.set("key", items);
  items.clear();
  for (const ChosenLaunch &launch : instance.chosen) {
    Fields chosen(builder);
    chosen.set("gpu", launch.gpu);
    chosen.set("variant", launch.variant);
    chosen.set("key", builder.getI64ArrayAttr(launch.key));
    if (!launch.why.empty())
      chosen.set("why", launch.why);
    items.push_back(chosen.get());
  }
  if (!items.empty())
    fields.set("chosen", items);
  return fields.get();
}
