/// What a contract says of tuning: by which sizes instances are told apart, and for which launches one was chosen.
#include "frontend/irgen/Autotune.h"
#include "frontend/irgen/Evaluator.h"
#include "frontend/irgen/Fields.h"
#include "frontend/irgen/Kernel.h"

using namespace tile;
using namespace tile::irgen;
using ast::dynCast;

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
