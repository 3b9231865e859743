/// `tilec tune FILE`: finds the fastest configuration of a kernel for each launch asked for, and keeps it.
#include "runtime/tilec/Flags.h"
#include "runtime/tilec/JsonReport.h"
#include "runtime/tilec/RunFlags.h"
#include "runtime/tilec/StoreFlags.h"
#include "runtime/tilec/TuneHeading.h"
#include "runtime/tilec/TuneReport.h"

#include "runtime/driver/Device.h"
#include "runtime/execute/Signature.h"
#include "runtime/search/Shapes.h"
#include "runtime/search/Tune.h"
#include "runtime/tune/Interrupt.h"

#include <iostream>
#include <unistd.h>

using namespace llvm;

namespace tile {

static TextOption shapesOption{
    {"shapes", "FILE", "launches to tune for, one a line: `M=4096 N=4096 K=4096`; default: those of `@bench`"},
    {Command::Tune}};
static Switch forceOption{{"force", "", "forget what is known of a launch, and measure anew"}, {Command::Tune}};
static Switch dryRunOption{
    {"dry-run", "", "print the model's order of all configurations, and compile and measure nothing"}, {Command::Tune}};
static NumberOption topOption{
    {"top", "N", "configurations to measure, the model's first; default: as `@autotune` says, else 16"},
    {Command::Tune},
    0,
    10000,
    1};
static NumberOption jobsOption{
    {"jobs", "N", "compilers at a time; default: one for each core"}, {Command::Tune}, 0, 1024, 1};
static NumberOption secondsOption{
    {"seconds", "N", "that measuring one launch may take, once its arguments are made; default 10"},
    {Command::Tune},
    10,
    86400,
    1};
static NumberOption compileSecondsOption{
    {"compile-seconds", "N", "that compiling one configuration may take; default 60"}, {Command::Tune}, 60, 86400};
static FormOption tuneReportOption{
    {"report", "json",
     "print every configuration with its times, what it takes of the GPU, or why it was not measured"},
    {Command::Tune},
    {"json"}};

/// One launch to tune for.
struct AskedLaunch {
  std::string title; ///< `M=4096 N=4096`; empty for the one of --arg
  std::vector<std::string> arguments;
  std::map<std::string, std::string> values; ///< of compile-time parameters and knobs, as `-D` has them
  SourceRange place;                         ///< of its shape; invalid for the one of --arg
};

/// The launches of --arg, of --shapes, or of `@bench`; none after reporting.
static std::optional<std::vector<AskedLaunch>> readLaunches(Session &session, const ast::Module &module,
                                                            const ast::KernelItem &item, const IrgenOptions &options) {
  if (!argumentsOfRun().empty() && shapesOption.isGiven()) {
    session.report(Code::E0602, "`--arg` and `--shapes` both say what to tune for; expected one of them");
    return std::nullopt;
  }
  if (!argumentsOfRun().empty())
    return std::vector<AskedLaunch>{{"", argumentsOfRun(), {}, {}}};
  std::optional<std::vector<LaunchShape>> shapes = shapesOption.isGiven()
                                                       ? readShapeFile(session, item, shapesOption.get())
                                                       : std::optional(benchShapes(session, item, options.values));
  if (!shapes)
    return std::nullopt;
  if (shapes->empty()) {
    session.engine
        .report(Code::E0603, item.name.range, "nothing says which launch of `" + item.name.text + "` to tune for")
        .help(
            "give `--arg NAME=rand:TYPE[SHAPE]` for each parameter, `--shapes FILE`, or the kernel a `@bench(shapes = "
            "[{…}])`");
    return std::nullopt;
  }
  std::vector<AskedLaunch> launches;
  for (const LaunchShape &shape : *shapes) {
    std::optional<std::vector<std::string>> arguments = argumentsOf(session, module, item, options, shape);
    if (!arguments)
      return std::nullopt;
    launches.push_back({shape.text, std::move(*arguments), compiledValues(item, shape), shape.range});
  }
  return launches;
}

/// A line on a terminal that is written over; nothing elsewhere.
class ProgressLine {
public:
  explicit ProgressLine(std::string title) : title(std::move(title)), isShown(isatty(STDERR_FILENO)) {}
  ~ProgressLine() {
    if (isShown && width)
      std::cerr << "\r" << std::string(width, ' ') << "\r" << std::flush;
  }
  ProgressLine(const ProgressLine &) = delete;

  void show(const TuneProgress &progress) {
    if (!isShown)
      return;
    std::string text = title + ": " + describe(progress);
    std::cerr << "\r" << text << std::string(width > text.size() ? width - text.size() : 0, ' ') << std::flush;
    width = std::max(width, text.size());
  }

private:
  std::string title;
  bool isShown;
  size_t width = 0;
};

/// What the report has of a launch that is refused, for which an error was reported.
static json::Object refusedLaunch(const Session &session) {
  json::Object entry{{"source", "none"}};
  for (const Diagnostic *diagnostic : session.engine.sorted())
    if (diagnostic->severity() == Severity::Error)
      entry.try_emplace("why", diagnostic->message);
  return entry;
}

/// Gives the entry of the report, which is printed unless `--report=json`. `session` has reported nothing before.
static json::Object tuneLaunch(Session &session, TuneLaunch &launch, const AskedLaunch &asked, TuneOptions options) {
  launch.arguments = asked.arguments;
  for (const auto &[name, value] : asked.values)
    launch.build.source.values[name] = value;
  std::optional<std::vector<HostArgument>> given = readArguments(session, asked.arguments, launch.seed);
  bool isBound = given && bindSignature(session, *launch.kernel, *given, launch.build.source);
  if (given)
    launch.shapes = std::move(*given);
  if (!isBound)
    return refusedLaunch(session);
  if (dryRunOption.isOn()) {
    std::optional<RankedLaunch> ranked = rankLaunch(session, launch, options);
    const Target &target = *launch.build.compile.target;
    int64_t processors = *launch.build.source.numSms;
    if (!ranked)
      return refusedLaunch(session);
    if (!tuneReportOption.is("json"))
      printRankedLaunch(*ranked, headingOf(launch, ranked->key), target, processors, std::cout);
    return toJson(*ranked, target, processors);
  }
  std::optional<TuneResult> result;
  {
    ProgressLine line(launch.kernel->name.text + (asked.title.empty() ? "" : " " + asked.title));
    options.onProgress = [&](const TuneProgress &progress) { line.show(progress); };
    result = tune(session, launch, options);
  }
  if (!result)
    return refusedLaunch(session);
  bool isPrinted = result->source != TuneResult::Source::None || tuneReportOption.isGiven();
  if (isPrinted && !tuneReportOption.is("json"))
    printTuneResult(*result, headingOf(launch, result->key), tuneReportOption.isGiven(), std::cout);
  return toJson(*result);
}

static void tuneFile(Session &session, const std::string &input, const std::atomic<bool> &interrupted,
                     json::Object &report) {
  std::optional<BuildOptions> build = readCompileFlags(session);
  std::optional<FileId> file = build ? session.read(input) : std::nullopt;
  std::optional<InputKind> kind = file ? kindOf(session, *file) : std::nullopt;
  if (!kind)
    return;
  if (*kind != InputKind::Tile)
    return session.report(Code::E0602, "`" + input + "` is " + describe(*kind).str() + "; expected Tile source");
  if (input == "-")
    return session.report(Code::E0602,
                          "standard input cannot be tuned, since the compilers read the file; expected its "
                          "name");
  bool needsGpu = !dryRunOption.isOn();
  std::optional<GpuName> gpu = needsGpu ? gpuOfTune(session) : std::optional(GpuName());
  if (!gpu) {
    for (Diagnostic &diagnostic : session.engine.take()) {
      if (diagnostic.severity() == Severity::Error && diagnostic.help.empty())
        diagnostic.help = "`--dry-run` prints the order of the model, without a GPU";
      session.engine.add(std::move(diagnostic));
    }
    return;
  }
  if (needsGpu && !isTargetGiven() && !(build->compile.target = targetOfGpu(session)))
    return;
  if (needsGpu && !(build = buildForGpu(session, std::move(*build))))
    return;
  std::unique_ptr<ast::Module> syntax = session.parse(*file);
  const ast::KernelItem *item = syntax ? chooseKernel(session, *syntax, build->source.kernel) : nullptr;
  if (!item)
    return;
  build->source.kernel = item->name.text;
  build->source.forOneLaunch = true;
  if (needsGpu)
    build->source.numSms = numSmsOf(session, DeviceKind::Gpu);
  else
    build->source.numSms = numSmsOf(build->source, *build->compile.target);
  if (!build->source.numSms)
    return;
  std::optional<std::vector<AskedLaunch>> launches = readLaunches(session, *syntax, *item, build->source);
  if (!launches)
    return;
  TuneLaunch launch;
  launch.file = input;
  launch.module = syntax.get();
  launch.kernel = item;
  launch.build = std::move(*build);
  launch.seed = seedOfRun();
  launch.gpu = *gpu;
  Kept kept(session);
  TuneOptions options;
  options.policy = forceOption.isOn() ? TunePolicy::Force : TunePolicy::Wider;
  options.top = static_cast<unsigned>(topOption.get());
  options.workers = static_cast<unsigned>(jobsOption.get());
  options.seconds = static_cast<double>(secondsOption.get());
  options.compileSeconds = static_cast<double>(compileSecondsOption.get());
  options.cancelled = &interrupted;
  options.cache = &kept.cache;
  options.database = &kept.database;
  json::Array results;
  for (const AskedLaunch &asked : *launches)
    if (!interrupted)
      reportAt(session, asked.place, [&] {
        TuneLaunch one = launch;
        json::Object entry = tuneLaunch(session, one, asked, options);
        entry["launch"] = toJson(one);
        results.push_back(std::move(entry));
      });
  report["launches"] = std::move(results);
}

int tuneMain(const std::string &input) {
  Session session;
  json::Object report;
  Interrupt interrupt;
  tuneFile(session, input, interrupt.flag(), report);
  if (tuneReportOption.is("json"))
    printJsonReport(session, std::move(report));
  int code = finish(session);
  return interrupt.flag() ? interrupt.exitCode() : code;
}

} // namespace tile
