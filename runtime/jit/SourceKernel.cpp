/// A file is read and parsed once, in a session that lasts; each compilation generates tile IR from the syntax anew.
#include "runtime/jit/SourceKernel.h"

#include "frontend/irgen/Autotune.h"
#include "runtime/artifact/File.h"
#include "runtime/execute/Signature.h"
#include "runtime/jit/DescribeArgument.h"
#include "runtime/search/KeptCode.h"
#include "runtime/search/Tune.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <sstream>

using namespace llvm;

namespace tile {
namespace {

/// A leaf of the parameters: what one argument is for.
struct Leaf {
  std::string name;
  const ast::Expr *type; ///< null: any
};

void addLeaves(std::vector<Leaf> &leaves, const std::string &name, const ast::Expr *type) {
  auto *tuple = type ? ast::dynCast<ast::Tuple>(type) : nullptr;
  if (!tuple) {
    leaves.push_back({name, type});
    return;
  }
  for (size_t i = 0; i < tuple->elements.size(); ++i)
    addLeaves(leaves, name + "." + std::to_string(i), tuple->elements[i].get());
}

class ParsedKernel : public SourceKernel {
public:
  ParsedKernel(JitShared &shared, std::string path, const std::map<std::string, std::string> &values)
      : shared(shared), path(std::move(path)) {
    base.source.values = values;
    base.source.includeDirectories = shared.options.includeFolders;
    base.source.forOneLaunch = true;
  }

  Status read(const std::string &kernelName) {
    Result<std::string> text = readFile(path);
    if (!text)
      return text.error();
    file = session.sources.add(path, std::move(*text));
    std::optional<InputKind> kind = kindOf(session, file);
    if (kind && *kind != InputKind::Tile)
      return Error{ErrorCode::InvalidSource, "`" + path + "` is " + describe(*kind).str() + "; expected Tile source"};
    syntax = kind ? session.parse(file) : nullptr;
    item = syntax ? chooseKernel(session, *syntax, kernelName) : nullptr;
    if (!item)
      return failure();
    base.source.kernel = item->name.text;
    for (const ast::Parameter &parameter : item->parameters)
      addLeaves(leaves, parameter.name.text, parameter.type.get());
    autotune = readAutotune(*item);
    return {};
  }

  const std::string &name() const override { return item->name.text; }
  bool isToldByContract() const override { return !autotune.prune; }
  bool readsScalars() const override {
    return autotune.decorator ||
           any_of(item->decorators, [](const ast::Decorator &each) { return each.name.text == "heuristic"; });
  }

  Result<JitCode> compile(const std::vector<Argument> &arguments, const JitGpu &gpu) override {
    TuneLaunch launch;
    launch.file = path;
    launch.module = syntax.get();
    launch.kernel = item;
    launch.build = base;
    launch.build.source.numSms = gpu.device.numSms;
    launch.gpu = gpuName(gpu.device.name, gpu.driverVersion);
    if (Status status = describeAll(arguments, launch); !status)
      return status.error();
    std::optional<JitCode> code = compile(std::move(launch), gpu);
    if (!code)
      return failure();
    reportWarnings();
    return std::move(*code);
  }

private:
  /// What the session has to say of what failed. A fault of the arguments alone needs no place in the source.
  Error failure() {
    std::vector<Diagnostic> found = session.engine.take();
    std::string text;
    for (const Diagnostic &each : found)
      if (each.severity() == Severity::Error)
        text += (text.empty() ? "" : "; ") + each.message + (each.help.empty() ? "" : "; " + each.help);
    bool isOfArguments = all_of(
        found, [](const Diagnostic &each) { return each.severity() == Severity::Warning || each.code == Code::E0603; });
    if (isOfArguments)
      return {ErrorCode::InvalidArgument, text};
    for (Diagnostic &each : found)
      session.engine.add(std::move(each));
    return {ErrorCode::InvalidSource, printed()};
  }

  std::string printed() {
    std::ostringstream out;
    session.print(out, DiagnosticFormat::Text);
    return out.str();
  }

  void reportWarnings() {
    if (std::string text = printed(); !text.empty())
      shared.report(text);
  }

  Status describeAll(const std::vector<Argument> &arguments, TuneLaunch &launch) const {
    if (arguments.size() != leaves.size()) {
      std::string names;
      for (const Leaf &leaf : leaves)
        names += (names.empty() ? "" : ", ") + leaf.name;
      return Error{ErrorCode::InvalidArgument, "kernel `" + name() + "` is given " + std::to_string(arguments.size()) +
                                                   " arguments; expected " + std::to_string(leaves.size()) + ": " +
                                                   names};
    }
    for (const auto &[argument, leaf] : zip_equal(arguments, leaves)) {
      auto *type = leaf.type ? ast::dynCast<ast::Name>(leaf.type) : nullptr;
      Result<DescribedArgument> described = describeArgument(argument, leaf.name, type && type->text == "bool");
      if (!described)
        return described.error();
      launch.shapes.push_back(std::move(described->argument));
      launch.arguments.push_back(std::move(described->text));
    }
    return {};
  }

  std::optional<JitCode> compile(TuneLaunch launch, const JitGpu &gpu) {
    launch.build.compile.target = targetOf(session, gpu.device);
    if (!launch.build.compile.target || !bindSignature(session, *item, launch.shapes, launch.build.source))
      return std::nullopt;
    std::optional<Configuration> configuration = autotune.decorator ? chooseConfiguration(launch) : Configuration();
    if (!configuration)
      return std::nullopt;
    BuildOptions build = launch.build;
    build.source = withConfiguration(std::move(build.source), *configuration);
    StepTimes times;
    mlir::OwningOpRef<mlir::ModuleOp> module = loadKernels(session, *syntax, build, times);
    std::optional<KeptCode> code = module ? codeOf(session, file, *module, *item, build, shared.cache) : std::nullopt;
    if (!code)
      return std::nullopt;
    ++(code->isBuilt ? shared.compiled : shared.fromCache);
    return JitCode{std::move(code->key), std::move(code->cubin)};
  }

  /// What cannot be measured goes on as if it were not asked for: a launch needs some code, not the best.
  std::optional<Configuration> chooseConfiguration(const TuneLaunch &launch) {
    TuneOptions options;
    options.policy = shared.options.tune;
    options.program = shared.options.program;
    options.seconds = shared.options.tuneSeconds;
    options.cache = &shared.cache;
    options.database = &shared.database;
    if (options.policy != TunePolicy::Never && is_contained(launch.arguments, "")) {
      shared.report("kernel `" + name() +
                    "` takes a raw pointer, which says not how much memory a measurement needs; "
                    "its configuration is taken without one");
      options.policy = TunePolicy::Never;
    }
    std::optional<TuneResult> result = tune(session, launch, options);
    bool isFound = result && result->source != TuneResult::Source::None;
    if (!isFound && options.policy != TunePolicy::Never) {
      shared.report("no configuration of `" + name() + "` could be measured; going on with the model's first:\n" +
                    printed());
      options.policy = TunePolicy::Never;
      result = tune(session, launch, options);
      isFound = result && result->source != TuneResult::Source::None;
    }
    if (!isFound)
      return std::nullopt;
    if (result->source == TuneResult::Source::Known)
      ++shared.known;
    if (result->source == TuneResult::Source::Measured)
      ++shared.searches;
    return std::move(result->chosen);
  }

  JitShared &shared;
  std::string path;
  Session session;
  FileId file;
  std::unique_ptr<ast::Module> syntax;
  const ast::KernelItem *item = nullptr;
  std::vector<Leaf> leaves;
  Autotune autotune;
  BuildOptions base;
};

} // namespace

Result<std::unique_ptr<SourceKernel>> SourceKernel::open(JitShared &shared, const std::string &file,
                                                         const std::string &name,
                                                         const std::map<std::string, std::string> &values) {
  auto kernel = std::make_unique<ParsedKernel>(shared, file, values);
  if (Status status = kernel->read(name); !status)
    return status.error();
  return std::unique_ptr<SourceKernel>(std::move(kernel));
}

} // namespace tile
