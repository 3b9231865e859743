#include "runtime/search/Embed.h"

#include "frontend/irgen/Autotune.h"
#include "runtime/search/Keys.h"
#include "runtime/search/Ranking.h"

#include "llvm/ADT/STLExtras.h"

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

/// Takes out of `values` what `kernel` has anyway, so that equal instances are told to be equal.
static void dropDefaults(const Session &session, const ast::KernelItem &kernel, const TunedInstance &plain,
                         std::map<std::string, std::string> &values) {
  for (const ast::GenericParameter &generic : kernel.generics) {
    auto given = values.find(generic.name.text);
    if (given != values.end() && generic.defaultValue && !plain.values.count(given->first) &&
        given->second == session.sources.text(generic.defaultValue->range))
      values.erase(given);
  }
}

/// Gives each of `instances` the model's first configuration for the launch that `build` describes. False after
/// reporting.
static bool rankInstances(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                          const BuildOptions &build, std::vector<TunedInstance> &instances) {
  for (TunedInstance &instance : instances) {
    IrgenOptions options = build.source;
    options.values.insert(instance.values.begin(), instance.values.end());
    std::optional<Space> space = readSpace(session, module, kernel, options);
    auto ranking =
        space ? rankConfigurations(session, module, kernel, options, *space, *build.compile.target) : std::nullopt;
    if (!ranking)
      return false;
    const RankedConfiguration &first = ranking->front();
    if (!first.estimate.rejection.empty()) // compiling says why
      continue;
    instance.configuration.clear();
    instance.configuration.insert(first.configuration.values.begin(), first.configuration.values.end());
    instance.state = "model";
    instance.why = "the first of " + std::to_string(ranking->size()) + " for " + space->sizes;
  }
  return true;
}

std::optional<Embedded> embedChoices(Session &session, const ast::Module &module, BuildOptions &build,
                                     Database &database) {
  StepTimes times;
  if (!loadKernels(session, module, build, times)) // reads what the file imports, which its hash needs
    return std::nullopt;
  Embedded embedded;
  for (const ast::ItemPtr &item : module.items) {
    auto *kernel = ast::dynCast<ast::KernelItem>(item.get());
    if (!kernel || (!build.source.kernel.empty() && kernel->name.text != build.source.kernel))
      continue;
    TuneKey like;
    like.kernel = kernel->name.text;
    like.kernelHash = sourceHash(session);
    like.compiler = compilerOf(build);
    std::vector<TunedInstance> instances = plainInstances(session, *kernel, build.source);
    size_t plain = instances.size(), before = embedded.choices;
    std::vector<std::pair<TuneKey, TunedChoice>> found = database.findChoices(like);
    // Of what was found for one launch with several drivers the newest counts.
    llvm::sort(found, [](const auto &a, const auto &b) { return a.second.date > b.second.date; });
    std::set<std::vector<std::string>> launches;
    for (const auto &[key, choice] : found) {
      std::optional<TunedLaunch> launch = readTunedLaunch(key, *kernel, build);
      if (!launch || !launches.insert({key.gpu, key.arguments, key.sizes}).second)
        continue;
      dropDefaults(session, *kernel, instances.front(), launch->values);
      std::map<std::string, std::string> configuration(choice.configuration.values.begin(),
                                                       choice.configuration.values.end());
      auto instance = std::find_if(instances.begin() + plain, instances.end(), [&](const TunedInstance &each) {
        return each.values == launch->values && each.configuration == configuration;
      });
      if (instance == instances.end())
        instance = instances.insert(instances.end(), {launch->values, configuration, "measured", "", {}});
      instance->chosen.push_back({key.gpu, launch->variant, sizeValues(key.sizes), choice.why});
      ++embedded.choices;
    }
    bool isDescribed = readAutotune(*kernel).decorator && all_of(dimNames(*kernel), [&](const std::string &dim) {
                         return build.source.values.count(dim) != 0;
                       });
    if (embedded.choices == before && !isDescribed)
      continue;
    if (embedded.choices == before) {
      if (!rankInstances(session, module, *kernel, build, instances))
        return std::nullopt;
      embedded.ranked += instances.size();
    }
    build.source.instances[kernel->name.text] = std::move(instances);
  }
  return embedded;
}

} // namespace tile
