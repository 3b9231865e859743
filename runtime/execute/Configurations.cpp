#include "runtime/execute/Configurations.h"

#include "frontend/irgen/Autotune.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace tile {

namespace {
/// What settings are, each asked for once.
class SettingValues {
public:
  SettingValues(Session &session, const ast::Module &module, const ast::KernelItem &kernel, IrgenOptions given)
      : session(session), module(module), options(std::move(given)) {
    options.kernel = kernel.name.text;
    options.forOneLaunch = true;
    for (const std::string &dim : dimNames(kernel)) {
      options.values.erase(dim);
      options.expressions.erase(dim);
    }
    options.scalars.clear();
    options.scalarTexts.clear();
    options.shape = {};
  }

  /// Its text where it is no number, or one of the launch, which compiling refuses.
  const std::string &textOf(const ast::Expr &value) {
    auto [text, isNew] = texts.try_emplace(&value, settingText(value, session.sources));
    if (!isNew || ast::dynCast<ast::IntLiteral>(&value))
      return text->second;
    DiagnosticEngine engine;
    if (auto found = evaluateFor(module, session.sources, engine, session.context, options, {&value}))
      text->second = found->front();
    return text->second;
  }

private:
  Session &session;
  const ast::Module &module;
  IrgenOptions options;
  std::map<const ast::Expr *, std::string> texts;
};
} // namespace

std::vector<ListedConfiguration> listConfigurations(Session &session, const ast::Module &module,
                                                    const ast::KernelItem &kernel, const IrgenOptions &options) {
  Autotune autotune = readAutotune(kernel);
  uint64_t count = autotune.countPoints();
  if (count == 0 || count > Autotune::kMostPoints)
    return std::vector<ListedConfiguration>(1);
  SettingValues values(session, module, kernel, options);
  std::vector<ListedConfiguration> listed;
  std::set<std::vector<std::pair<std::string, std::string>>> known;
  for (uint64_t i = 0; i < count; ++i) {
    AutotunePoint point = autotune.point(i);
    ListedConfiguration one;
    one.range = point.range;
    for (auto [name, value] : point.settings)
      if (!options.values.count(name->text) && !options.expressions.count(name->text)) {
        one.values.emplace_back(name->text, values.textOf(*value));
        one.settings[name->text] = value;
      }
    if (known.insert(one.values).second)
      listed.push_back(std::move(one));
  }
  return listed;
}

std::vector<Settings> settingsOf(const std::vector<ListedConfiguration> &configurations) {
  std::vector<Settings> settings;
  for (const ListedConfiguration &each : configurations)
    settings.push_back(each.settings);
  return settings;
}

std::optional<Pruned> findPruned(Session &session, DiagnosticEngine &engine, const ast::Module &module,
                                 const IrgenOptions &options, const ast::Expr *prune,
                                 const std::vector<Settings> &settings) {
  Pruned pruned{std::vector<bool>(settings.size())};
  if (!prune)
    return pruned;
  auto texts = evaluateForEach(module, session.sources, engine, session.context, options, settings, {prune});
  if (!texts)
    return std::nullopt;
  for (size_t i = 0; i < settings.size(); ++i) {
    const std::string &text = (*texts)[i].front();
    if (text != "true" && text != "false") {
      engine.report(Code::E0412, prune->range, "`prune` is `" + text + "`; expected a bool");
      return std::nullopt;
    }
    pruned.isOut[i] = text == "true";
  }
  pruned.isTrueOfAll = !settings.empty() && !llvm::is_contained(pruned.isOut, false);
  if (pruned.isTrueOfAll)
    pruned.isOut.assign(settings.size(), false);
  return pruned;
}

} // namespace tile
