#include "frontend/irgen/Irgen.h"

#include "frontend/irgen/Kernel.h"
#include "frontend/irgen/SpecNames.h"

#include "ir/Tile/Knobs.h"
#include "ir/Tile/TileOps.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/ProgramStack.h"

#include <set>

using namespace tile;
using namespace tile::irgen;
using ast::dynCast;

/// What `-D` gives, parsed; none if something was reported. Names that no requested kernel knows are reported.
static std::optional<InstanceValues> parseValues(Program &program, DiagnosticEngine &engine,
                                                 const IrgenOptions &options) {
  InstanceValues values;
  for (const auto &[name, text] : options.values) {
    const ast::Expr *syntax = program.parseExpression("-D " + name + "=", text);
    if (!syntax)
      return std::nullopt;
    values.choices[name] = {syntax, "given"};
  }
  for (const auto &[name, syntax] : options.expressions)
    values.choices[name] = {syntax, "given"};
  values.scalars = options.scalars;
  for (const auto &[name, text] : options.scalarTexts) {
    const ast::Expr *syntax = program.parseExpression("--arg " + name + "=", text);
    if (!syntax)
      return std::nullopt;
    values.scalars[name] = syntax;
  }
  values.pointerSizes = options.pointerSizes;
  values.isConfigured = options.isConfigured;
  values.shape = options.shape;
  values.numSms = options.numSms;
  return values;
}

std::vector<std::string> tile::dimNames(const ast::KernelItem &kernel) {
  std::vector<std::string> names;
  auto isGeneric = [&](const std::string &name) {
    return llvm::any_of(kernel.generics, [&](const auto &generic) { return generic.name.text == name; });
  };
  for (const ast::Parameter &parameter : kernel.parameters) {
    auto *strided = dynCast<ast::StridedType>(parameter.type);
    auto *tensor = dynCast<ast::GenericApply>(strided ? strided->tensor.get() : parameter.type.get());
    if (tensor && tensor->shape)
      for (const ast::ExprPtr &extent : *tensor->shape)
        for (const ast::Name *name : namesIn(*extent))
          if (!isGeneric(name->text) && !llvm::is_contained(names, name->text))
            names.push_back(name->text);
  }
  return names;
}

/// The values of each of `tuned`, over those that are given; none if something was reported.
static std::optional<std::vector<InstanceValues>> parseInstances(Program &program, const InstanceValues &given,
                                                                 const std::vector<TunedInstance> &tuned) {
  std::vector<InstanceValues> instances;
  for (const TunedInstance &one : tuned) {
    InstanceValues &values = instances.emplace_back(given);
    values.tuned = &one;
    values.isConfigured = one.configuration.has_value();
    auto parse = [&](const std::map<std::string, std::string> &texts, auto add) {
      return llvm::all_of(texts, [&](const auto &given) {
        const ast::Expr *syntax = program.parseExpression("-D " + given.first + "=", given.second);
        if (syntax)
          add(given.first, syntax);
        return syntax != nullptr;
      });
    };
    auto choose = [&](const std::string &source, bool overrides) {
      return [&values, source, overrides](const std::string &name, const ast::Expr *syntax) {
        values.choices.try_emplace(name, InstanceValues::Choice{syntax, source, overrides});
      };
    };
    if (!parse(one.values, choose("given", /*overrides=*/false)) ||
        (one.configuration && !parse(*one.configuration, choose("autotune", /*overrides=*/true))) ||
        !parse(one.heuristics, [&](const auto &name, const auto *syntax) { values.heuristics[name] = syntax; }))
      return std::nullopt;
  }
  return instances;
}

/// Every name that `-D` may set for `kernel`.
static std::vector<std::string> settableNames(const ast::KernelItem &kernel) {
  std::vector<std::string> names;
  for (const Knob &knob : allKnobs())
    names.push_back(knob.name.str());
  for (const ast::GenericParameter &generic : kernel.generics)
    names.push_back(generic.name.text);
  for (const ast::Parameter &parameter : kernel.parameters)
    if (parameter.isOptional)
      names.push_back("has(" + parameter.name.text + ")");
  llvm::append_range(names, dimNames(kernel));
  return names;
}

bool tile::isSettable(const std::vector<const ast::KernelItem *> &kernels, const std::string &name) {
  return llvm::any_of(kernels,
                      [&](const ast::KernelItem *kernel) { return llvm::is_contained(settableNames(*kernel), name); });
}

void tile::reportUnsettable(const std::vector<const ast::KernelItem *> &kernels, DiagnosticEngine &engine,
                            SourceRange range, const std::string &name, const std::string &given,
                            const std::vector<std::string_view> &missing) {
  bool isInShape = given == name; // of a decorator, which has scalars too
  std::set<std::string> settable;
  for (const ast::KernelItem *kernel : kernels) {
    for (std::string &candidate : settableNames(*kernel))
      if (!isInShape || candidate.compare(0, 4, "has(") != 0) // there it is `p: none`
        settable.insert(std::move(candidate));
    for (const ast::Parameter &parameter : kernel->parameters)
      if (isInShape && (parameter.isOptional || dynCast<ast::Name>(parameter.type)))
        settable.insert(parameter.name.text);
  }
  std::string known;
  for (const std::string &candidate : settable)
    known += (known.empty() ? "`" : ", `") + candidate + "`";
  DiagnosticBuilder diagnostic =
      engine.report(Code::E0408, range,
                    "`" + given + "` names no compile-time parameter" + (isInShape ? ", dim or scalar" : " or dim"));
  diagnostic.note("there are " + known);
  std::string_view plain = plainKnob(name);
  std::string_view closest = missing.empty()       ? closestName(plain, {settable.begin(), settable.end()})
                             : missing.size() == 1 ? missing.front()
                                                   : closestName(plain, missing);
  if (!closest.empty() && isInShape) // in a file, where it is an edit
    diagnostic.replace(range, closest, "did you mean ", "?");
  else if (!closest.empty())
    diagnostic.help("did you mean `" + std::string(closest) + "`?");
}

std::vector<Instance> tile::listInstances(const ast::KernelItem &kernel,
                                          const std::function<bool(const std::string &name)> &isFixed) {
  std::vector<Instance> instances(1);
  for (const ast::Decorator &decorator : kernel.decorators) {
    if (decorator.name.text != "instances")
      continue;
    for (const ast::Argument &argument : decorator.arguments) {
      auto *list = dynCast<ast::List>(argument.value);
      if (!argument.name || !list || list->elements.empty())
        continue; // reported with the contract
      std::string name = argument.isHas ? "has(" + argument.name->text + ")" : argument.name->text;
      if (isFixed(name))
        continue;
      std::vector<Instance> varied;
      for (const Instance &instance : instances)
        for (const ast::ExprPtr &value : list->elements) {
          varied.push_back(instance);
          varied.back().emplace_back(name, value.get());
        }
      instances = std::move(varied);
    }
  }
  return instances;
}

/// The values of each instance to compile; what `-D` gives is not varied.
static std::vector<InstanceValues> instancesOf(const ast::KernelItem &kernel, const InstanceValues &given,
                                               bool forOneLaunch) {
  std::vector<Instance> listed = listInstances(
      kernel, [&](const std::string &name) { return given.has(name) || (forOneLaunch && hasHeuristic(kernel, name)); });
  if (forOneLaunch)
    listed.resize(1);
  std::vector<InstanceValues> instances(listed.size(), given);
  for (auto [instance, values] : llvm::zip_equal(listed, instances))
    for (const auto &[name, value] : instance)
      values.choices[name] = {value, "given", /*overridesHeuristic=*/false};
  return instances;
}

static const ast::KernelItem *findKernel(const ast::Module &root, std::string_view name) {
  for (const ast::ItemPtr &item : root.items)
    if (auto *kernel = dynCast<ast::KernelItem>(item.get()); kernel && kernel->name.text == name)
      return kernel;
  return nullptr;
}

static const ast::SpecItem *findSpec(const ast::Module &root, std::string_view name) {
  for (const ast::ItemPtr &item : root.items)
    if (auto *spec = dynCast<ast::SpecItem>(item.get()); spec && spec->name.text == name)
      return spec;
  return nullptr;
}

DiagnosticBuilder tile::reportMissing(DiagnosticEngine &engine, Code code, SourceRange shape,
                                      const std::vector<std::string_view> &names, std::string_view assigns) {
  std::string listed, added;
  for (const std::string_view &name : names) {
    bool isLast = &name == &names.back();
    listed += (listed.empty() ? "`" : isLast ? " and `" : ", `") + std::string(name) + "`";
    added += (added.empty() ? "`" : ", `") + std::string(name) + std::string(assigns) + "…`";
  }
  DiagnosticBuilder diagnostic = engine.report(code, shape, "the shape gives no value for " + listed);
  diagnostic.help("add " + added);
  return diagnostic;
}

bool tile::hasHeuristic(const ast::KernelItem &kernel, std::string_view name) { return heuristicOf(kernel, name); }

bool tile::hasSpec(const ast::Module &root, std::string_view kernel) { return findSpec(root, kernel); }

static void reportSpecWithoutKernel(const ast::SpecItem &spec, const ast::Module &root, DiagnosticEngine &engine) {
  DiagnosticBuilder diagnostic =
      engine.report(Code::E0409, spec.name.range, "spec `" + spec.name.text + "` belongs to no kernel of the file");
  std::vector<std::string_view> names;
  for (const ast::ItemPtr &item : root.items)
    if (auto *kernel = dynCast<ast::KernelItem>(item.get()); kernel && !findSpec(root, kernel->name.text))
      names.push_back(kernel->name.text);
  if (std::string_view closest = closestName(spec.name.text, names); !closest.empty())
    diagnostic.help("did you mean `" + std::string(closest) + "`?");
}

void tile::checkSpecNames(const ast::Module &root, DiagnosticEngine &engine) {
  for (const ast::ItemPtr &item : root.items)
    if (auto *spec = dynCast<ast::SpecItem>(item.get()); spec && !findKernel(root, spec->name.text))
      reportSpecWithoutKernel(*spec, root, engine);
}

namespace {

/// What both entries set up: the program, what `-D` gives, the kernels that are asked for.
struct Generation {
  Generation(const ast::Module &root, SourceManager &sources, DiagnosticEngine &engine, mlir::MLIRContext &context,
             const IrgenOptions &options)
      : root(root), engine(engine), errorsBefore(engine.errorCount()), whole{root.file, 0, 0},
        program(sources, engine, options.includeDirectories) {
    context.loadDialect<TileDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                        mlir::scf::SCFDialect>();
    module = program.load(root);
    evaluator.emplace(&context, sources, engine, program);
    std::optional<InstanceValues> parsed = parseValues(program, engine, options);
    if (!parsed)
      return;
    values = std::move(*parsed);
    isValid = chooseKernels(options);
    if (isValid)
      checkValues(options);
    result = mlir::ModuleOp::create(evaluator->at(whole));
    evaluator->builder.setInsertionPointToEnd(result->getBody());
  }

  bool chooseKernels(const IrgenOptions &options) {
    std::vector<std::string_view> names;
    for (const ast::ItemPtr &item : root.items) {
      auto *kernel = dynCast<ast::KernelItem>(item.get());
      if (!kernel)
        continue;
      names.push_back(kernel->name.text);
      if (options.kernel.empty() || kernel->name.text == options.kernel)
        kernels.push_back(kernel);
    }
    if (!kernels.empty())
      return true;
    DiagnosticBuilder diagnostic = engine.report(
        Code::E0407, whole,
        options.kernel.empty() ? "the file has no kernel" : "the file has no kernel `" + options.kernel + "`");
    std::string known;
    for (std::string_view name : names)
      known += (known.empty() ? "`" : ", `") + std::string(name) + "`";
    if (!known.empty())
      diagnostic.note("it has " + known);
    if (std::string_view closest = closestName(options.kernel, names); !closest.empty())
      diagnostic.help("did you mean `" + std::string(closest) + "`?");
    return false;
  }

  /// Reports what `-D` or a decorator gives and no kernel knows.
  void checkValues(const IrgenOptions &options) {
    for (const auto &[name, choice] : values.choices)
      if (!isSettable(kernels, name)) {
        bool isWritten = options.expressions.count(name);
        reportUnsettable(kernels, engine, isWritten ? nameOf(*choice.syntax) : nameBefore(*choice.syntax, name), name,
                         isWritten ? name : "-D " + name);
      }
  }

  /// The name in front of `value` on the command line, `NAME=`.
  static SourceRange nameBefore(const ast::Expr &value, const std::string &name) {
    uint32_t end = value.range.begin - 1;
    return {value.range.file, end - static_cast<uint32_t>(name.size()), end};
  }

  /// The name that a decorator of a kernel gives `value`, a field of a record in it; else the value.
  SourceRange nameOf(const ast::Expr &value) const {
    for (const ast::ItemPtr &item : root.items)
      if (auto *kernel = dynCast<ast::KernelItem>(item.get()))
        for (const ast::Decorator &decorator : kernel->decorators)
          for (const ast::Argument &argument : decorator.arguments)
            if (auto *list = dynCast<ast::List>(argument.value))
              for (const ast::ExprPtr &element : list->elements)
                if (auto *record = dynCast<ast::Record>(element))
                  for (const ast::Record::Field &field : record->fields)
                    if (field.value.get() == &value)
                      return field.name.range;
    return value.range;
  }

  /// The module if nothing was reported and it is right.
  mlir::OwningOpRef<mlir::ModuleOp> finish() {
    if (engine.errorCount() != errorsBefore)
      return nullptr;
    if (mlir::failed(mlir::verify(*result))) {
      engine.report(Code::E0999, whole, "the compiler made invalid tile IR; this is a fault of the compiler");
      return nullptr;
    }
    return std::move(result);
  }

  const ast::Module &root;
  DiagnosticEngine &engine;
  unsigned errorsBefore;
  SourceRange whole;
  Program program;
  const LoadedModule *module = nullptr;
  std::optional<Evaluator> evaluator;
  InstanceValues values;
  std::vector<const ast::KernelItem *> kernels;
  mlir::OwningOpRef<mlir::ModuleOp> result;
  bool isValid = false;
};

} // namespace

/// The values of the kernel that is asked for: where nothing is given, the first that `@instances` lists.
static InstanceValues valuesOfOneLaunch(const Generation &generation) {
  return instancesOf(*generation.kernels.front(), generation.values, /*forOneLaunch=*/true).front();
}

/// What `work` gives, which recurses as deep as the program nests, within the limits of Expansion.h.
template <typename Work> static auto onDeepStack(Work work) {
  std::optional<decltype(work())> result;
  llvm::runOnNewStack(kStackBytes, [&] { result.emplace(work()); });
  return std::move(*result);
}

static mlir::OwningOpRef<mlir::ModuleOp> generateHere(const ast::Module &root, SourceManager &sources,
                                                      DiagnosticEngine &engine, mlir::MLIRContext &context,
                                                      const IrgenOptions &options) {
  Generation generation(root, sources, engine, context, options);
  if (!generation.isValid)
    return nullptr;
  Evaluator &evaluator = *generation.evaluator;
  Evaluator::FrameGuard guard(evaluator, &root, generation.module->scope);
  for (const ast::ItemPtr &item : root.items) {
    if (auto *check = dynCast<ast::StaticAssertItem>(item.get()))
      evaluator.executeStaticAssert(*check->condition, check->message.get(), check->range);
    auto *spec = dynCast<ast::SpecItem>(item.get());
    if (const ast::KernelItem *kernel = spec ? findKernel(root, spec->name.text) : nullptr;
        kernel && llvm::is_contained(generation.kernels, kernel))
      checkAssignedNames(engine, *spec, *kernel);
  }
  checkSpecNames(root, engine);
  for (const ast::KernelItem *kernel : generation.kernels) {
    auto tuned = options.instances.find(kernel->name.text);
    std::optional<std::vector<InstanceValues>> instances =
        tuned == options.instances.end() ? instancesOf(*kernel, generation.values, options.forOneLaunch)
                                         : parseInstances(generation.program, generation.values, tuned->second);
    if (!instances)
      return nullptr;
    for (auto [i, instance] : llvm::enumerate(*instances)) {
      std::string symbol = kernel->name.text + (i ? "$" + std::to_string(i + 1) : "");
      KernelBuilder(evaluator, *generation.module, *kernel, instance, symbol).build();
    }
  }
  return generation.finish();
}

mlir::OwningOpRef<mlir::ModuleOp> tile::generate(const ast::Module &root, SourceManager &sources,
                                                 DiagnosticEngine &engine, mlir::MLIRContext &context,
                                                 const IrgenOptions &options) {
  return onDeepStack([&] { return generateHere(root, sources, engine, context, options); });
}

static std::optional<std::vector<std::vector<std::string>>>
evaluateAll(const ast::Module &root, SourceManager &sources, DiagnosticEngine &engine, mlir::MLIRContext &context,
            const IrgenOptions &options, const std::vector<Settings> &settings, bool areConfigurations,
            const std::vector<const ast::Expr *> &asked) {
  using Texts = std::vector<std::vector<std::string>>;
  Generation generation(root, sources, engine, context, options);
  if (!generation.isValid)
    return std::nullopt;
  return onDeepStack([&]() -> std::optional<Texts> {
    Evaluator::FrameGuard guard(*generation.evaluator, &root, generation.module->scope);
    Texts texts;
    for (const Settings &each : settings) {
      InstanceValues values = valuesOfOneLaunch(generation);
      for (const auto &[name, syntax] : each)
        values.choices[name] = {syntax, "given"};
      values.isConfigured |= areConfigurations;
      KernelBuilder kernel(*generation.evaluator, *generation.module, *generation.kernels.front(), values, "");
      std::optional<std::vector<std::string>> found = kernel.evaluate(asked);
      if (!found)
        return std::nullopt;
      texts.push_back(std::move(*found));
    }
    return texts;
  });
}

std::optional<std::vector<std::vector<std::string>>>
tile::evaluateForEach(const ast::Module &root, SourceManager &sources, DiagnosticEngine &engine,
                      mlir::MLIRContext &context, const IrgenOptions &options, const std::vector<Settings> &settings,
                      const std::vector<const ast::Expr *> &asked) {
  return evaluateAll(root, sources, engine, context, options, settings, /*areConfigurations=*/true, asked);
}

std::vector<bool> tile::findLeftByWhere(const ast::Module &root, SourceManager &sources, DiagnosticEngine &engine,
                                        mlir::MLIRContext &context, const IrgenOptions &options,
                                        const std::vector<Settings> &settings) {
  std::vector<bool> isLeft(settings.size(), true);
  Generation generation(root, sources, engine, context, options);
  if (!generation.isValid || generation.kernels.front()->where.empty())
    return isLeft;
  return onDeepStack([&] {
    Evaluator::FrameGuard guard(*generation.evaluator, &root, generation.module->scope);
    for (auto [each, left] : llvm::zip_equal(settings, isLeft)) {
      InstanceValues values = valuesOfOneLaunch(generation);
      for (const auto &[name, syntax] : each)
        values.choices[name] = {syntax, "given"};
      values.isConfigured = true;
      left = KernelBuilder(*generation.evaluator, *generation.module, *generation.kernels.front(), values, "")
                 .isLeftByWhere();
    }
    return isLeft;
  });
}

std::optional<std::vector<std::string>> tile::evaluateFor(const ast::Module &root, SourceManager &sources,
                                                          DiagnosticEngine &engine, mlir::MLIRContext &context,
                                                          const IrgenOptions &options,
                                                          const std::vector<const ast::Expr *> &asked) {
  auto texts = evaluateAll(root, sources, engine, context, options, {Settings()}, /*areConfigurations=*/false, asked);
  return texts ? std::optional(std::move(texts->front())) : std::nullopt;
}

mlir::OwningOpRef<mlir::ModuleOp> tile::generateSpec(const ast::Module &root, SourceManager &sources,
                                                     DiagnosticEngine &engine, mlir::MLIRContext &context,
                                                     const IrgenOptions &options) {
  Generation generation(root, sources, engine, context, options);
  if (!generation.isValid)
    return nullptr;
  return onDeepStack([&] {
    Evaluator::FrameGuard guard(*generation.evaluator, &root, generation.module->scope);
    for (const ast::KernelItem *kernel : generation.kernels)
      if (const ast::SpecItem *spec = findSpec(root, kernel->name.text)) {
        checkAssignsOutputs(engine, *spec, *kernel);
        KernelBuilder(*generation.evaluator, *generation.module, *kernel, generation.values, kernel->name.text)
            .buildSpec(*spec);
      }
    return generation.finish();
  });
}
