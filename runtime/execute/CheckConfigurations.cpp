#include "runtime/execute/CheckConfigurations.h"

#include "frontend/irgen/Autotune.h"
#include "runtime/execute/CheckArguments.h"

#include "llvm/ADT/STLExtras.h"

namespace tile {

/// What `autotune` leaves `one` to choose from; a single one where compiling says what is wrong with it.
static std::vector<AutotunePoint> pointsOf(const Autotune &autotune, const Session &session,
                                           const IrgenOptions &options, const CheckCase &one) {
  if (autotune.countPoints() == 0 || autotune.countPoints() > Autotune::kMostPoints)
    return std::vector<AutotunePoint>(1);
  return listPoints(autotune, session.sources, [&](const std::string &name) {
    return options.values.count(name) || one.givesField(name) ||
           llvm::any_of(one.instance, [&](const CheckField &field) { return field.name == name; });
  });
}

size_t mostConfigurations(const Session &session, const ast::KernelItem &kernel, const IrgenOptions &options,
                          const std::vector<CheckCase> &cases) {
  Autotune autotune = readAutotune(kernel);
  size_t most = 0;
  for (const CheckCase &one : cases)
    most = std::max(most, pointsOf(autotune, session, options, one).size());
  return most;
}

namespace {
class Configurer {
public:
  Configurer(Session &session, const ast::Module &module, const ast::KernelItem &kernel, const IrgenOptions &options)
      : session(session), module(module), kernel(kernel), options(options), autotune(readAutotune(kernel)) {}

  /// The configurations of `one`, by what they set.
  std::vector<std::vector<CheckField>> of(const CheckCase &one) {
    std::vector<AutotunePoint> points = pointsOf(autotune, session, options, one);
    std::vector<std::vector<CheckField>> kept;
    std::vector<bool> isLeft = findLeft(one, points);
    for (auto [point, left] : llvm::zip_equal(points, isLeft)) {
      if (!left)
        continue;
      kept.emplace_back();
      for (auto [name, value] : point.settings)
        kept.back().push_back({name->text, value, settingText(*value, session.sources)});
    }
    return kept;
  }

private:
  /// Whether `where` and `prune` leave each of `points`.
  std::vector<bool> findLeft(const CheckCase &one, const std::vector<AutotunePoint> &points) {
    std::vector<Settings> settings;
    for (const AutotunePoint &point : points) {
      settings.emplace_back();
      for (auto [name, value] : point.settings)
        settings.back()[name->text] = value;
    }
    DiagnosticEngine engine; // running the case reports what is wrong with it
    IrgenOptions ofCase = irgenOptionsOf(kernel, one, options);
    std::vector<bool> isLeft = findLeftByWhere(module, session.sources, engine, session.context, ofCase, settings);
    if (!autotune.prune)
      return isLeft;
    auto texts = evaluateForEach(module, session.sources, engine, session.context, ofCase, settings, {autotune.prune});
    for (size_t i = 0; texts && i < points.size(); ++i)
      isLeft[i] = isLeft[i] && (*texts)[i].front() != "true";
    return isLeft;
  }

  Session &session;
  const ast::Module &module;
  const ast::KernelItem &kernel;
  const IrgenOptions &options;
  Autotune autotune;
};
} // namespace

std::vector<CheckCase> inAllConfigurations(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                                           const IrgenOptions &options, std::vector<CheckCase> cases) {
  if (mostConfigurations(session, kernel, options, cases) <= 1)
    return cases;
  Configurer configurer(session, module, kernel, options);
  // By `@check` and instance, as they come, then by configuration.
  std::map<std::string, size_t> order;
  std::map<std::pair<size_t, size_t>, std::vector<CheckCase>> all;
  std::pair<size_t, std::string> last;
  size_t group = 0;
  for (CheckCase &one : cases) {
    std::pair<size_t, std::string> own(one.check, one.describeInstance());
    group += own != last;
    last = own;
    std::vector<std::vector<CheckField>> configurations = configurer.of(one);
    if (configurations.empty())
      configurations.emplace_back();
    for (std::vector<CheckField> &configuration : configurations) {
      CheckCase configured = one;
      configured.configuration = std::move(configuration);
      size_t place = order.try_emplace(configured.describeInstance(), order.size()).first->second;
      all[{group, place}].push_back(std::move(configured));
    }
  }
  cases.clear();
  for (auto &[place, alike] : all)
    llvm::move(alike, std::back_inserter(cases));
  return cases;
}

} // namespace tile
