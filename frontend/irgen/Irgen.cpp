#include "frontend/irgen/Irgen.h"

#include "frontend/irgen/Kernel.h"

#include "ir/Tile/TileOps.h"

#include "mlir/IR/Verifier.h"

using namespace tile;
using namespace tile::irgen;
using ast::dynCast;

/// What `-D` gives, parsed; none if something was reported. Names that no requested kernel knows are reported.
static std::optional<InstanceValues> parseValues(Program &program, DiagnosticEngine &engine,
                                                 const IrgenOptions &options) {
  InstanceValues values;
  for (const auto &[name, text] : options.values) {
    const ast::Expr *syntax = program.parseExpression("-D " + name, text);
    if (!syntax)
      return std::nullopt;
    values.choices[name] = {syntax, "given"};
  }
  return values;
}

/// Every name that `-D` may set for `kernel`.
static std::vector<std::string> settableNames(const ast::KernelItem &kernel) {
  std::vector<std::string> names;
  for (const ast::GenericParameter &generic : kernel.generics)
    names.push_back(generic.name.text);
  for (const ast::Parameter &parameter : kernel.parameters) {
    if (parameter.isOptional)
      names.push_back("has(" + parameter.name.text + ")");
    // Extents: any name in them.
    auto *strided = dynCast<ast::StridedType>(parameter.type);
    auto *tensor = dynCast<ast::GenericApply>(strided ? strided->tensor.get() : parameter.type.get());
    if (tensor && tensor->shape)
      for (const ast::ExprPtr &extent : *tensor->shape)
        if (auto *name = dynCast<ast::Name>(extent))
          names.push_back(name->text);
  }
  return names;
}

/// The instances that `@instances(T = [bf16, f16], D = [64, 128])` lists: every combination, the first value of every
/// name first; what `-D` gives is not varied.
static std::vector<InstanceValues> instancesOf(const ast::KernelItem &kernel, const InstanceValues &given) {
  std::vector<InstanceValues> instances = {given};
  for (const ast::Decorator &decorator : kernel.decorators) {
    if (decorator.name.text != "instances")
      continue;
    for (const ast::Argument &argument : decorator.arguments) {
      auto *list = dynCast<ast::List>(argument.value);
      if (!argument.name || !list)
        continue;
      std::string name = argument.isHas ? "has(" + argument.name->text + ")" : argument.name->text;
      if (given.has(name))
        continue;
      std::vector<InstanceValues> varied;
      for (const InstanceValues &instance : instances)
        for (const ast::ExprPtr &value : list->elements) {
          varied.push_back(instance);
          varied.back().choices[name] = {value.get(), "given"};
        }
      if (!varied.empty())
        instances = std::move(varied);
    }
  }
  return instances;
}

mlir::OwningOpRef<mlir::ModuleOp> tile::generate(const ast::Module &root, SourceManager &sources,
                                                 DiagnosticEngine &engine, mlir::MLIRContext &context,
                                                 const IrgenOptions &options) {
  context.loadDialect<TileDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect>();
  unsigned errorsBefore = engine.errorCount();
  Program program(sources, engine, options.includeDirectories);
  const LoadedModule *module = program.load(root);
  Evaluator evaluator(&context, sources, engine, program);
  std::optional<InstanceValues> values = parseValues(program, engine, options);
  if (!values)
    return nullptr;
  SourceRange whole{root.file, 0, 0};

  std::vector<const ast::KernelItem *> kernels;
  std::vector<std::string_view> names;
  for (const ast::ItemPtr &item : root.items) {
    auto *kernel = dynCast<ast::KernelItem>(item.get());
    if (!kernel)
      continue;
    names.push_back(kernel->name.text);
    if (options.kernel.empty() || kernel->name.text == options.kernel)
      kernels.push_back(kernel);
  }
  if (kernels.empty()) {
    DiagnosticBuilder diagnostic = engine.report(
        Code::E0407, whole,
        options.kernel.empty() ? "the file has no kernel" : "the file has no kernel `" + options.kernel + "`");
    if (std::string_view closest = closestName(options.kernel, names); !closest.empty())
      diagnostic.help("did you mean `" + std::string(closest) + "`?");
    return nullptr;
  }
  for (const auto &[name, choice] : values->choices) {
    std::vector<std::string> settable;
    for (const ast::KernelItem *kernel : kernels)
      for (std::string &candidate : settableNames(*kernel))
        settable.push_back(std::move(candidate));
    if (llvm::is_contained(settable, name) || isKnob(name))
      continue;
    DiagnosticBuilder diagnostic =
        engine.report(Code::E0408, choice.syntax->range, "`-D " + name + "` names no compile-time parameter or dim");
    if (std::string_view closest = closestName(name, {settable.begin(), settable.end()}); !closest.empty())
      diagnostic.help("did you mean `" + std::string(closest) + "`?");
  }

  mlir::OwningOpRef<mlir::ModuleOp> result = mlir::ModuleOp::create(evaluator.at(whole));
  evaluator.builder.setInsertionPointToEnd(result->getBody());
  Evaluator::FrameGuard guard(evaluator, &root, module->scope);
  for (const ast::ItemPtr &item : root.items)
    if (auto *check = dynCast<ast::StaticAssertItem>(item.get()))
      evaluator.executeStaticAssert(*check->condition, check->message.get(), check->range);
  for (const ast::KernelItem *kernel : kernels)
    for (auto [i, instance] : llvm::enumerate(instancesOf(*kernel, *values))) {
      std::string symbol = kernel->name.text + (i ? "$" + std::to_string(i + 1) : "");
      KernelBuilder(evaluator, *module, *kernel, instance, symbol).build();
    }
  if (engine.errorCount() != errorsBefore)
    return nullptr;
  if (mlir::failed(mlir::verify(*result))) {
    engine.report(Code::E0999, whole, "the compiler made invalid tile IR; this is a fault of the compiler");
    return nullptr;
  }
  return result;
}
