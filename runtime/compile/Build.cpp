#include "runtime/compile/Build.h"

#include "backend/pipeline/Report.h"
#include "runtime/artifact/Cubin.h"
#include "runtime/artifact/Manifest.h"
#include "runtime/compile/ManifestText.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tile {

OwningOpRef<ModuleOp> loadKernels(Session &session, FileId file, InputKind kind, const BuildOptions &options,
                                  StepTimes &times) {
  if (kind == InputKind::Mlir)
    return times.measure("source", "parse", [&] {
      return parseSourceString<ModuleOp>(session.sources.text(file), ParserConfig(&session.context),
                                         session.sources.name(file));
    });
  std::unique_ptr<ast::Module> syntax = times.measure("source", "parse", [&] { return session.parse(file); });
  return syntax ? loadKernels(session, *syntax, options, times) : OwningOpRef<ModuleOp>();
}

OwningOpRef<ModuleOp> loadKernels(Session &session, const ast::Module &syntax, const BuildOptions &options,
                                  StepTimes &times) {
  OwningOpRef<ModuleOp> module = times.measure("source", "generate", [&] {
    return generate(syntax, session.sources, session.engine, session.context, options.source);
  });
  if (!module || !options.fuses)
    return module;
  PassManager passes(&session.context);
  addSourcePasses(passes);
  traceTimes(passes, "source", times);
  if (failed(passes.run(*module)))
    return OwningOpRef<ModuleOp>();
  return module;
}

std::optional<Artifact> build(Session &session, FileId file, ModuleOp module, const BuildOptions &options) {
  std::vector<KernelEntry> entries = contractsOf(module);
  SourceText source{session.sources.name(file), session.sources.text(file)};
  bool isGiven = source.name.ends_with(".mlir");
  FailureOr<Artifact> artifact = isGiven ? compileGiven(module, options.compile) : compile(module, options.compile);
  if (failed(artifact))
    return std::nullopt;
  if (options.reports)
    for (const KernelReport &kernel : artifact->kernels) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      printKernel(kernel, options.compile.assembledFor(), stream);
      if (!llvm::is_contained(*options.reports, text))
        options.reports->push_back(std::move(text));
    }
  bool isDescribed = !artifact->cubin.empty() || (options.describe && !artifact->ptx.empty());
  if (!isDescribed || entries.empty())
    return std::move(*artifact);
  // Which sums are fused was decided before this where the file is no source.
  std::vector<std::string> flags;
  if (source.name.ends_with(".tile"))
    flags.push_back(options.fuses ? "--fp-contract=on" : "--fp-contract=off");
  llvm::Expected<std::string> manifest =
      manifestText(source, flags, options.compile, std::move(entries), module, artifact->kernels);
  if (!manifest) {
    session.report(Code::E0602, llvm::toString(manifest.takeError()));
    return std::nullopt;
  }
  // Better here than at a launch, where nobody knows any more what was compiled.
  if (Result<Manifest> read = readManifest(*manifest); !read) {
    session.report(isGiven ? Code::E0602 : Code::E0999,
                   "the kernels of `" + source.name.str() + "` cannot be described: " + read.error().message);
    return std::nullopt;
  }
  artifact->manifest = std::move(*manifest);
  if (artifact->cubin.empty())
    return std::move(*artifact);
  Result<std::string> cubin = appendManifest(artifact->cubin, artifact->manifest);
  if (!cubin) {
    session.report(Code::E0602, cubin.error().message);
    return std::nullopt;
  }
  artifact->cubin = std::move(*cubin);
  return std::move(*artifact);
}

/// `times`, of what was done before, become those of the artifact.
static std::optional<Artifact> build(Session &session, FileId file, ModuleOp module, const BuildOptions &options,
                                     StepTimes &times) {
  std::optional<Artifact> artifact = build(session, file, module, options);
  if (!artifact)
    return std::nullopt;
  for (const StepTime &step : artifact->times.steps())
    times.add(step.stage, step.step, step.milliseconds);
  artifact->times = std::move(times);
  return artifact;
}

std::optional<Artifact> build(Session &session, FileId file, InputKind kind, const BuildOptions &options) {
  if (kind == InputKind::Llvm || kind == InputKind::Ptx) {
    llvm::MemoryBufferRef buffer(session.sources.text(file), session.sources.name(file));
    FailureOr<Artifact> artifact = compileFile(buffer, session.context, options.compile);
    return failed(artifact) ? std::nullopt : std::optional(std::move(*artifact));
  }
  StepTimes times;
  OwningOpRef<ModuleOp> module = loadKernels(session, file, kind, options, times);
  return module ? build(session, file, *module, options, times) : std::nullopt;
}

std::optional<Artifact> build(Session &session, FileId file, const ast::Module &syntax, const BuildOptions &options,
                              StepTimes times) {
  OwningOpRef<ModuleOp> module = loadKernels(session, syntax, options, times);
  return module ? build(session, file, *module, options, times) : std::nullopt;
}

} // namespace tile
