#include "runtime/execute/CheckConfigurations.h"

#include "frontend/irgen/Autotune.h"
#include "runtime/execute/CheckArguments.h"
#include "runtime/execute/Configurations.h"

#include "llvm/ADT/STLExtras.h"

namespace tile {

namespace {
class Configurer {
public:
  Configurer(Session &session, const ast::Module &module, const ast::KernelItem &kernel, const IrgenOptions &options)
      : session(session), module(module), kernel(kernel), options(options), prune(readAutotune(kernel).prune) {}

  /// Those of `one`, whatever `where` and `prune` say; a single one where compiling says what is wrong with them.
  std::vector<ListedConfiguration> listed(const CheckCase &one) const {
    return listConfigurations(session, module, kernel, irgenOptionsOf(kernel, one, options));
  }

  /// Those that `where` and `prune` leave.
  std::vector<ListedConfiguration> left(const CheckCase &one) const {
    std::vector<ListedConfiguration> all = listed(one), left;
    DiagnosticEngine engine; // running the case reports what is wrong with it
    IrgenOptions ofCase = irgenOptionsOf(kernel, one, options);
    std::vector<bool> isLeft =
        findLeftByWhere(module, session.sources, engine, session.context, ofCase, settingsOf(all));
    for (size_t i = 0; i < all.size(); ++i)
      if (isLeft[i])
        left.push_back(std::move(all[i]));
    std::optional<Pruned> pruned = findPruned(session, engine, module, ofCase, prune, settingsOf(left));
    size_t next = 0;
    llvm::erase_if(left, [&](const ListedConfiguration &) { return pruned && pruned->isOut[next++]; });
    return left;
  }

private:
  Session &session;
  const ast::Module &module;
  const ast::KernelItem &kernel;
  const IrgenOptions &options;
  const ast::Expr *prune;
};
} // namespace

size_t mostConfigurations(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                          const IrgenOptions &options, const std::vector<CheckCase> &cases) {
  Configurer configurer(session, module, kernel, options);
  size_t most = 0;
  for (const CheckCase &one : cases)
    if (configurer.listed(one).size() > most) // else asking is in vain
      most = std::max(most, configurer.left(one).size());
  return most;
}

std::vector<CheckCase> inAllConfigurations(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                                           const IrgenOptions &options, std::vector<CheckCase> cases) {
  Configurer configurer(session, module, kernel, options);
  if (llvm::all_of(cases, [&](const CheckCase &one) { return configurer.listed(one).size() <= 1; }))
    return cases;
  // By `@check` and instance, as they come, then by configuration.
  std::map<std::string, size_t> order;
  std::map<std::pair<size_t, size_t>, std::vector<CheckCase>> all;
  std::pair<size_t, std::string> last;
  size_t group = 0;
  for (CheckCase &one : cases) {
    std::pair<size_t, std::string> own(one.check, one.describeInstance());
    group += own != last;
    last = own;
    std::vector<CheckCase> configured;
    for (const ListedConfiguration &configuration : configurer.left(one)) {
      std::vector<CheckField> &fields = configured.emplace_back(one).configuration.emplace();
      for (const auto &[name, value] : configuration.values)
        fields.push_back({name, configuration.settings.at(name), value});
    }
    if (configured.empty())
      configured.push_back(one);
    for (CheckCase &each : configured) {
      size_t place = order.try_emplace(each.describeInstance(), order.size()).first->second;
      all[{group, place}].push_back(std::move(each));
    }
  }
  cases.clear();
  for (auto &[place, alike] : all)
    llvm::move(alike, std::back_inserter(cases));
  return cases;
}

} // namespace tile
