#include "runtime/search/Embed.h"

#include "frontend/irgen/Autotune.h"
#include "ir/TileGPU/Variants.h"
#include "runtime/execute/Configurations.h"
#include "runtime/execute/Execute.h"
#include "runtime/search/Keys.h"
#include "runtime/search/Ranking.h"
#include "runtime/search/ServedShapes.h"
#include "runtime/search/Shapes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace llvm;

namespace tile {

/// The instances that are compiled without any choice.
static std::vector<TunedInstance> plainInstances(const Session &session, const ast::KernelItem &kernel,
                                                 const IrgenOptions &options) {
  std::vector<TunedInstance> instances;
  for (const Instance &listed :
       listInstances(kernel, [&](const std::string &name) { return options.values.count(name); })) {
    TunedInstance &instance = instances.emplace_back();
    for (const auto &[name, value] : listed)
      instance.values[name] = session.sources.text(value->range);
  }
  return instances;
}

/// Takes out of `values` what `kernel` has anyway, so that equal instances are told to be equal: defaults, and optional
/// parameters that are there.
static void dropDefaults(const Session &session, const ast::KernelItem &kernel, const TunedInstance &plain,
                         std::map<std::string, std::string> &values) {
  for (const ast::GenericParameter &generic : kernel.generics) {
    auto given = values.find(generic.name.text);
    if (given != values.end() && generic.defaultValue && !plain.values.count(given->first) &&
        given->second == session.sources.text(generic.defaultValue->range))
      values.erase(given);
  }
  for (const ast::Parameter &parameter : kernel.parameters)
    if (auto given = values.find("has(" + parameter.name.text + ")");
        given != values.end() && given->second == "true" && !plain.values.count(given->first))
      values.erase(given);
}

static bool hasDims(const ast::KernelItem &kernel, const IrgenOptions &options) {
  return all_of(dimNames(kernel), [&](const std::string &dim) { return options.values.count(dim) != 0; });
}

namespace {
/// The launches that `instance` is to be fast for.
struct ExpectedLaunches {
  std::vector<IrgenOptions> all;
  std::string from; ///< what describes them, for the reason of a choice
};
} // namespace

/// The one of the dims that `build` gives; else those that `@bench` lists, of which the instance's own compile-time
/// values are not read.
static ExpectedLaunches expectedLaunches(Session &session, const ast::KernelItem &kernel, const BuildOptions &build,
                                         const TunedInstance &instance) {
  ExpectedLaunches launches;
  auto withInstance = [&](IrgenOptions options) {
    for (const auto *values : {&instance.values, &build.source.values})
      for (const auto &[name, value] : *values)
        options.values[name] = value;
    options.numSms = numSmsOf(options, *build.compile.target); // `key` and `prune` may ask for it
    return options;
  };
  if (!dimNames(kernel).empty() && hasDims(kernel, build.source)) {
    launches.all.push_back(withInstance(build.source));
    return launches;
  }
  bool isPart = any_of(dimNames(kernel), [&](const std::string &dim) { return build.source.values.count(dim) != 0; });
  launches.from = isPart ? " of `-D` and `@bench`" : " of `@bench`";
  for (LaunchShape &shape : benchShapes(session, kernel, build.source.values)) {
    for (const auto &[name, value] : compiledValues(kernel, shape))
      shape.values.erase(name);
    IrgenOptions options = withInstance(withShape(build.source, kernel, shape));
    if (hasDims(kernel, options))
      launches.all.push_back(std::move(options));
  }
  return launches;
}

/// What heuristics of `kernel` are for the launch and the configuration of `options`, as `@instances` would list it;
/// without those that `options` give or leave open.
static std::map<std::string, std::string> heuristicValues(Session &session, const ast::Module &module,
                                                          const ast::KernelItem &kernel, IrgenOptions options) {
  std::map<std::string, std::string> values;
  options.kernel = kernel.name.text;
  options.forOneLaunch = true;
  for (const ast::Decorator &decorator : kernel.decorators)
    for (const ast::Argument &argument : decorator.arguments) {
      if (decorator.name.text != "heuristic" || !argument.name || options.values.count(argument.name->text))
        continue;
      DiagnosticEngine engine; // what stays open is reported where it is compiled
      if (auto found = evaluateFor(module, session.sources, engine, session.context, options, {argument.value.get()}))
        values[argument.name->text] = found->front();
    }
  return values;
}

/// What `database` has of `kernel`, the newest first.
static std::vector<std::pair<TuneKey, TunedChoice>> knownChoices(const Session &session, const ast::KernelItem &kernel,
                                                                 const BuildOptions &build, Database &database) {
  TuneKey like;
  like.kernel = kernel.name.text;
  like.kernelHash = sourceHash(session);
  like.compiler = compilerOf(build);
  std::vector<std::pair<TuneKey, TunedChoice>> found = database.findChoices(like);
  llvm::sort(found, [](const auto &a, const auto &b) { return a.second.date > b.second.date; });
  return found;
}

/// `options` with the dims that a key has as `sizes`.
static IrgenOptions withSizes(IrgenOptions options, const ast::KernelItem &kernel, const std::string &sizes) {
  for (const std::string &dim : dimNames(kernel))
    for (StringRef word : split(StringRef(sizes), ' '))
      if (word.consume_front(dim + "="))
        options.values[dim] = word.str();
  return options;
}

/// `options` with what `instance` has of its own, but for its heuristics.
static IrgenOptions withValuesOf(IrgenOptions options, const TunedInstance &instance) {
  options.values.insert(instance.values.begin(), instance.values.end());
  if (instance.configuration)
    options.values.insert(instance.configuration->begin(), instance.configuration->end());
  options.isConfigured |= instance.configuration.has_value();
  return options;
}

/// Why `choice`, for `launch` and `sizes`, is not taken, as far as that can be said without compiling it; empty where
/// it is. Whoever edits or joins exports may have made it.
static std::string findProblem(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                               const BuildOptions &build, const TunedLaunch &launch, const std::string &sizes,
                               const TunedChoice &choice) {
  if (!tgpu::findVariant(launch.variant))
    return "`" + launch.variant + "` is no variant";
  for (const auto &[name, value] : launch.values)
    if (!isSettable({&kernel}, name))
      return "the kernel has no `" + name + "`";
  if (!readSizes(sizes))
    return "`" + sizes + "` are no sizes; expected some such as `N=128`";
  IrgenOptions given = build.source;
  given.values.insert(launch.values.begin(), launch.values.end());
  return findChoiceProblem(choice.configuration, configurationsOf(session, module, kernel, given));
}

/// Gives `instance` what its heuristics are for the launch of `-D`, else for the first one of `@bench`, else for the
/// newest choice that is known. Whether `-D` leaves one of them open.
static bool fixHeuristics(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                          const BuildOptions &build, Database *database, TunedInstance &instance) {
  ExpectedLaunches launches = expectedLaunches(session, kernel, build, instance);
  IrgenOptions given = withValuesOf(build.source, instance);
  // Reads what the file imports as well, before its hash is asked for.
  std::map<std::string, std::string> known = heuristicValues(session, module, kernel, given);
  bool isGiven = launches.all.empty() || launches.from.empty();
  IrgenOptions launch = isGiven ? given : withValuesOf(launches.all.front(), instance);
  if (launches.all.empty() && database)
    for (const auto &[key, choice] : knownChoices(session, kernel, build, *database))
      if (auto tuned = readTunedLaunch(key, kernel, build);
          tuned && findProblem(session, module, kernel, build, *tuned, key.sizes, choice).empty()) {
        launch = withSizes(given, kernel, key.sizes);
        break;
      }
  instance.heuristics = heuristicValues(session, module, kernel, launch);
  return any_of(instance.heuristics, [&](const auto &value) { return !known.count(value.first); });
}

namespace {
/// What the model expects of a launch in the configuration that an instance has for several.
struct Compromise {
  std::string sizes; ///< of the launch
  double us = 0, bestUs = 0;
  double slowdown() const { return us / bestUs; }
};
} // namespace

/// A launch that is slower by more than this, against the best configuration for it alone, is warned of.
static constexpr double kMostSlowdown = 1.5;

/// Gives `instance` the configuration that the model expects to lose least against the best of each launch, of those
/// that serve all, or says why there is none; adds to `slow` the launches that it is a poor one for. None after
/// reporting.
static std::optional<std::string> rank(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                                       const Target &target, const ExpectedLaunches &launches, TunedInstance &instance,
                                       std::vector<Compromise> &slow) {
  if (launches.all.empty())
    return "no sizes are known to choose one for";
  struct Candidate {
    Configuration configuration;
    size_t served = 0;   ///< launches
    bool isOwn = false;  ///< has, in one of them at least, code that none before it has
    double slowdown = 0; ///< against the best, of all launches together
    std::vector<Compromise> launches;
  };
  std::map<std::string, Candidate> candidates;
  std::vector<const Candidate *> order; ///< of the first launch
  SmallVector<std::string> sizes;
  bool isBucketed = false; // sizes of the launches are not those of the key
  for (const IrgenOptions &options : launches.all) {
    std::optional<Space> space = readSpace(session, module, kernel, options);
    auto ranking = space ? rankConfigurations(session, module, kernel, options, *space, target) : std::nullopt;
    if (!ranking)
      return std::nullopt;
    double bestUs = ranking->front().estimate.microseconds; // 0 where there are no programs
    for (const RankedConfiguration &one : *ranking) {
      auto [entry, isNew] = candidates.try_emplace(one.configuration.describe());
      Candidate &candidate = entry->second;
      if (isNew) {
        candidate.configuration = one.configuration;
        order.push_back(&candidate);
      }
      if (!one.estimate.rejection.empty() && !one.sameAs)
        continue;
      ++candidate.served;
      candidate.isOwn |= !one.sameAs;
      if (bestUs <= 0)
        continue;
      candidate.launches.push_back({space->sizes, one.estimate.microseconds, bestUs});
      candidate.slowdown += candidate.launches.back().slowdown();
    }
    if (!is_contained(sizes, space->sizes))
      sizes.push_back(space->sizes);
    for (const AutotuneBucket &bucket : readAutotune(kernel).buckets)
      isBucketed |= !is_contained(split(space->sizes, ' '), bucket.dim + "=" + options.values.at(bucket.dim));
  }
  erase_if(order, [&](const Candidate *each) { return each->served != launches.all.size(); });
  std::string expected = join(sizes, ", ") + (isBucketed ? " by `bucket`" : "") + launches.from;
  if (order.empty())
    return "none serves " + expected;
  auto first = std::min_element(order.begin(), order.end(),
                                [](const Candidate *a, const Candidate *b) { return a->slowdown < b->slowdown; });
  // What has the code of others in each launch counts where no other serves them all.
  size_t count = std::max<size_t>(1, count_if(order, [](const Candidate *each) { return each->isOwn; }));
  const auto &values = (*first)->configuration.values;
  instance.configuration.emplace(values.begin(), values.end());
  instance.state = "model";
  instance.why = "the first of " + std::to_string(count) + " for " + expected;
  copy_if((*first)->launches, std::back_inserter(slow),
          [](const Compromise &each) { return each.slowdown() > kMostSlowdown; });
  return "";
}

/// Warns of the slowest of `slow` that no choice of `instances` is for.
static void warnOfSlow(Session &session, const ast::KernelItem &kernel, std::vector<Compromise> slow,
                       const std::vector<TunedInstance> &instances) {
  erase_if(slow, [&](const Compromise &each) {
    return any_of(instances, [&](const TunedInstance &instance) {
      return any_of(instance.chosen, [&](const ChosenLaunch &launch) { return launch.key == readSizes(each.sizes); });
    });
  });
  auto worst = std::max_element(slow.begin(), slow.end(),
                                [](const Compromise &a, const Compromise &b) { return a.slowdown() < b.slowdown(); });
  if (worst == slow.end())
    return;
  session.engine
      .report(
          Code::W0607, kernel.name.range,
          formatv("one configuration of kernel `{0}` is for all shapes of `@bench`, and `{1}` takes {2:f1} times as "
                  "long as it could: {3:f1} us by the model, where another takes {4:f1} us",
                  kernel.name.text, worst->sizes, worst->slowdown(), worst->us, worst->bestUs)
              .str())
      .help("`tilec tune` and `--tuned` give each shape its own; `-D` of the dims compiles for one of them");
}

/// How many of `listed` `where` leaves `instance`.
static size_t countLeft(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                        const IrgenOptions &options, const TunedInstance &instance,
                        const std::vector<ListedConfiguration> &listed) {
  IrgenOptions ofInstance = options;
  ofInstance.kernel = kernel.name.text;
  ofInstance.values.insert(instance.values.begin(), instance.values.end());
  DiagnosticEngine engine; // compiling reports what is wrong with it
  return llvm::count(findLeftByWhere(module, session.sources, engine, session.context, ofInstance, settingsOf(listed)),
                     true);
}

/// Gives each of `instances` its configuration, where there are several, and adds to `slow` the launches that it is a
/// poor one for. False after reporting.
static bool rankInstances(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                          const BuildOptions &build, std::vector<TunedInstance> &instances,
                          std::vector<Compromise> &slow) {
  const std::vector<ListedConfiguration> listed = listConfigurations(session, module, kernel, build.source);
  if (listed.size() < 2)
    return true;
  for (TunedInstance &instance : instances) {
    ExpectedLaunches launches = expectedLaunches(session, kernel, build, instance);
    std::optional<std::string> problem = rank(session, module, kernel, *build.compile.target, launches, instance, slow);
    if (!problem)
      return false;
    size_t count = countLeft(session, module, kernel, build.source, instance, listed);
    if (problem->empty() || count == 1)
      continue;
    instance.why = "the first that is written, since " + *problem;
    std::string dims;
    for (const std::string &dim : dimNames(kernel))
      dims += (dims.empty() ? "`-D " : " -D ") + dim + "=…";
    std::string toGive = "give " + (dims.empty() ? "" : dims + "`, or ") + "the kernel a `@bench(shapes = [{…}])`";
    session.engine
        .report(Code::W0605, kernel.name.range,
                "kernel `" + kernel.name.text + "` is compiled in the first of its " + std::to_string(count) +
                    " configurations, since " + *problem)
        .help(launches.all.empty()
                  ? toGive
                  : "`tilec tune --dry-run` shows for each size which serve it, and why others do not");
  }
  return true;
}

/// Why the kernel cannot be compiled as `instance`, which is for one launch; empty where it can.
static std::string findProblem(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                               const BuildOptions &build, const TunedInstance &instance) {
  IrgenOptions options = build.source;
  options.kernel = kernel.name.text;
  options.instances = {{kernel.name.text, {instance}}};
  options.instances.begin()->second.front().chosen.clear(); // how many sizes it has to have is asked for
  std::vector<Diagnostic> before = session.engine.take();
  mlir::OwningOpRef<mlir::ModuleOp> made = generate(module, session.sources, session.engine, session.context, options);
  std::optional<LoadedKernel> loaded = made ? takeKernel(session, std::move(made)) : std::nullopt;
  std::vector<Diagnostic> found = session.engine.take();
  for (Diagnostic &diagnostic : before)
    session.engine.add(std::move(diagnostic));
  if (!loaded) {
    auto error = find_if(found, [](const Diagnostic &each) { return each.severity() == Severity::Error; });
    return "the kernel cannot be compiled for it" + (error == found.end() ? "" : ": " + error->message);
  }
  size_t given = instance.chosen.front().key.size(), expected = loaded->contract.tuning.key.size();
  return given == expected
             ? ""
             : "it is for " + std::to_string(given) + " sizes; the key of the kernel has " + std::to_string(expected);
}

/// Adds to `instances` one for each configuration that `database` has of `kernel` and they have not, behind the first
/// ones, which every launch takes; reports the choices that are left out. Gives how many choices there are.
static size_t addKnown(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                       const BuildOptions &build, Database &database, std::vector<TunedInstance> &instances) {
  size_t choices = 0;
  std::set<std::vector<std::string>> launches;
  // Of what was found for one launch with several drivers the newest counts.
  for (const auto &[key, choice] : knownChoices(session, kernel, build, database)) {
    std::optional<TunedLaunch> launch = readTunedLaunch(key, kernel, build);
    if (!launch || launches.count({key.gpu, key.arguments, key.sizes}))
      continue;
    if (std::string problem = findProblem(session, module, kernel, build, *launch, key.sizes, choice);
        !problem.empty()) {
      database.reportRefused(key, problem);
      continue;
    }
    dropDefaults(session, kernel, instances.front(), launch->values);
    std::map<std::string, std::string> configuration(choice.configuration.values.begin(),
                                                     choice.configuration.values.end());
    // A search of one launch takes the first of what `@instances` lists, unless a heuristic computes it.
    for (const auto &[name, value] : instances.front().values)
      if (!configuration.count(name) && !hasHeuristic(kernel, name))
        launch->values.try_emplace(name, value);
    TunedInstance found{launch->values, {}, configuration, "measured", "", {}};
    found.chosen = {{key.gpu, launch->variant, *readSizes(key.sizes), choice.why}};
    // Its heuristics are those of the sizes that it was chosen for; of what the key leaves open, those of the others.
    IrgenOptions sized = withSizes(withValuesOf(build.source, found), kernel, key.sizes);
    found.heuristics = heuristicValues(session, module, kernel, sized);
    for (const auto *values : {&instances.front().values, &instances.front().heuristics})
      for (const auto &value : *values)
        if (hasHeuristic(kernel, value.first) && !configuration.count(value.first))
          found.heuristics.insert(value);
    if (std::string problem = findProblem(session, module, kernel, build, found); !problem.empty()) {
      database.reportRefused(key, problem);
      continue;
    }
    launches.insert({key.gpu, key.arguments, key.sizes});
    auto instance = llvm::find_if(instances, [&](const TunedInstance &each) {
      return each.values == found.values && each.heuristics == found.heuristics &&
             each.configuration == found.configuration;
    });
    if (instance == instances.end())
      instances.push_back(std::move(found));
    else
      instance->chosen.push_back(found.chosen.front());
    ++choices;
  }
  return choices;
}

/// `build` with what it gives `kernel`; other names are those of other kernels.
static BuildOptions buildOf(const ast::KernelItem &kernel, BuildOptions build) {
  for (auto value = build.source.values.begin(); value != build.source.values.end();)
    value = isSettable({&kernel}, value->first) ? std::next(value) : build.source.values.erase(value);
  return build;
}

/// Whether the shapes of `@bench` give the parameters of `kernel` what they take. False after reporting.
static bool checkBench(Session &session, const ast::KernelItem &kernel, const BuildOptions &build) {
  std::vector<LaunchShape> shapes = benchShapes(session, kernel, build.source.values);
  return count_if(shapes, [&](const LaunchShape &shape) { return !checkScalars(session, kernel, shape); }) == 0;
}

std::optional<size_t> embedConfigurations(Session &session, const ast::Module &module, BuildOptions &build,
                                          Database *database) {
  std::vector<const ast::KernelItem *> kernels;
  for (const ast::ItemPtr &item : module.items) {
    auto *kernel = ast::dynCast<ast::KernelItem>(item.get());
    if (!kernel || (!build.source.kernel.empty() && kernel->name.text != build.source.kernel))
      continue;
    if (database || readAutotune(*kernel).decorator)
      kernels.push_back(kernel);
    else
      warnOfUnserved(session, *kernel, build.source, plainInstances(session, *kernel, build.source));
  }
  if (kernels.empty())
    return 0;
  std::map<const ast::KernelItem *, std::vector<TunedInstance>> plain;
  for (const ast::KernelItem *kernel : kernels) {
    plain[kernel] = plainInstances(session, *kernel, build.source);
    bool isFixed = false;
    BuildOptions own = buildOf(*kernel, build);
    if (!checkBench(session, *kernel, own))
      return std::nullopt;
    for (TunedInstance &instance : plain[kernel])
      isFixed |= readAutotune(*kernel).decorator && fixHeuristics(session, module, *kernel, own, database, instance);
    if (isFixed)
      build.source.instances[kernel->name.text] = plain[kernel];
  }
  // Reads what the file imports, which its hash needs, and what is wrong with it is said as without a choice.
  StepTimes times;
  if (!loadKernels(session, module, build, times)) {
    for (const ast::KernelItem *kernel : kernels) {
      IrgenOptions own = buildOf(*kernel, build).source;
      noteConfiguration(session, module, *kernel, own, configurationsOf(session, module, *kernel, own));
    }
    return std::nullopt;
  }
  size_t choices = 0;
  for (const ast::KernelItem *kernel : kernels) {
    std::vector<TunedInstance> &instances = plain[kernel];
    BuildOptions own = buildOf(*kernel, build);
    std::vector<Compromise> slow;
    if (!rankInstances(session, module, *kernel, own, instances, slow))
      return std::nullopt;
    for (TunedInstance &instance : instances)
      if (instance.configuration) // others than those of the first one
        fixHeuristics(session, module, *kernel, own, database, instance);
    if (database)
      choices += addKnown(session, module, *kernel, own, *database, instances);
    warnOfSlow(session, *kernel, std::move(slow), instances);
    warnOfUnserved(session, *kernel, own.source, instances);
    if (build.source.instances.count(kernel->name.text) ||
        any_of(instances, [](const TunedInstance &each) { return each.state != "default" || !each.why.empty(); }))
      build.source.instances[kernel->name.text] = std::move(instances);
  }
  return choices;
}

} // namespace tile
