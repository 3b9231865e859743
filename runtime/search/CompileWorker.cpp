#include "runtime/search/CompileWorker.h"

#include "runtime/artifact/File.h"
#include "runtime/artifact/Manifest.h"
#include "runtime/search/Keys.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <sstream>

using namespace llvm;

namespace tile {

CompileJob toCompileJob(const Session &session, const std::string &file, const BuildOptions &options,
                        const std::string &output) {
  CompileJob job;
  job.file = file;
  job.sourceHash = sourceHash(session);
  job.compiler = compilerOf(options);
  job.kernel = options.source.kernel;
  job.values = options.source.values;
  job.scalars = options.source.scalarTexts;
  job.numSms = options.source.numSms;
  job.includeFolders = options.source.includeDirectories;
  job.target = options.compile.target->name;
  if (options.compile.assembleFor)
    job.assembleFor = options.compile.assembleFor->name;
  job.fuses = options.fuses;
  job.ptxas = options.compile.assembler.ptxas;
  job.output = output;
  return job;
}

/// None, after reporting, where a target is unknown.
static std::optional<BuildOptions> toBuildOptions(Session &session, const CompileJob &job) {
  BuildOptions options;
  options.source.kernel = job.kernel;
  options.source.values = job.values;
  options.source.scalarTexts = job.scalars;
  options.source.numSms = job.numSms;
  options.source.includeDirectories = job.includeFolders;
  options.source.forOneLaunch = true;
  options.source.isConfigured = true;
  options.fuses = job.fuses;
  options.compile.assembler.ptxas = job.ptxas;
  options.compile.target = findTarget(job.target);
  options.compile.assembleFor = job.assembleFor.empty() ? nullptr : findTarget(job.assembleFor);
  for (const std::string &name : {job.target, job.assembleFor})
    if (!name.empty() && !findTarget(name))
      session.report(Code::E0602, unknownTargetMessage(name));
  if (job.target.empty())
    session.report(Code::E0602, unknownTargetMessage(job.target));
  return session.hasErrors() ? std::nullopt : std::optional(std::move(options));
}

/// What is reported of the variant that comes first in the manifest, with what else the assembler knows of it.
static void describe(const Artifact &artifact, const Target &target, CompileResult &result) {
  Result<Manifest> manifest = readManifest(artifact.manifest);
  if (!manifest || manifest->kernels.empty() || manifest->kernels[0].variants.empty())
    return;
  const Variant &variant = manifest->kernels[0].variants[0];
  result.variant = variant.name;
  result.registers = variant.registers;
  result.spillBytes = variant.spillBytes;
  result.sharedBytes = variant.sharedBytes;
  result.warps = variant.warps;
  auto kernel =
      find_if(artifact.kernels, [&](const KernelReport &kernel) { return kernel.resources.name == variant.symbol; });
  if (kernel == artifact.kernels.end())
    return;
  result.sharedBytes = kernel->sharedBytes();
  result.programsPerSm =
      occupancy(target, kernel->threads(), kernel->resources.registers, kernel->sharedBytes()).blocks;
}

static std::optional<Artifact> build(Session &session, const CompileJob &job, CompileResult &result) {
  std::optional<BuildOptions> options = toBuildOptions(session, job);
  if (options && !job.compiler.empty() && job.compiler != compilerOf(*options)) {
    session.report(Code::E0602, "the worker is `" + compilerOf(*options) + "`; expected `" + job.compiler + "`");
    return std::nullopt;
  }
  std::optional<FileId> file = options ? session.read(job.file) : std::nullopt;
  std::optional<InputKind> kind = file ? kindOf(session, *file) : std::nullopt;
  std::optional<Artifact> artifact = kind ? build(session, *file, *kind, *options) : std::nullopt;
  if (!artifact || session.hasErrors())
    return std::nullopt;
  // Only now are the imports read as well.
  if (!job.sourceHash.empty() && job.sourceHash != sourceHash(session)) {
    session.report(Code::E0602, "`" + job.file + "` or what it imports was changed while it was tuned");
    return std::nullopt;
  }
  describe(*artifact, options->compile.assembledFor(), result);
  if (Status written = writeFile(job.output, artifact->cubin); !written)
    session.report(Code::E0602, written.error().message);
  return artifact;
}

/// The first error of rendered diagnostics, in one line.
static std::string firstError(StringRef text) {
  size_t begin = text.starts_with("error") ? 0 : text.find("\nerror");
  return text.substr(begin == StringRef::npos ? 0 : begin).ltrim().split('\n').first.str();
}

static CompileResult runJob(const CompileJob &job) {
  auto begin = std::chrono::steady_clock::now();
  Session session;
  session.context.disableMultithreading(); // the other cores have workers of their own
  CompileResult result;
  bool isFailed = !build(session, job, result) || session.hasErrors();
  bool isJobsFault = none_of(session.engine.sorted(), [](const Diagnostic *each) { return each->code == Code::E0602; });
  std::ostringstream text;
  session.print(text, DiagnosticFormat::Text);
  result.diagnostics = text.str();
  if (isFailed) {
    // Files and options are none of a configuration: a disk is full, the source has gone.
    result.failure = isJobsFault ? TrialOutcome::CompileFailed : TrialOutcome::NotTried;
    result.reason = firstError(result.diagnostics);
  }
  result.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

int workerMain() { return serveCompileJobs(runJob); }

} // namespace tile
