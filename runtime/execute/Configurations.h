/// The configurations that `@autotune` of a kernel leaves to choose from: by a search, a check or an artifact.
#ifndef RUNTIME_EXECUTE_CONFIGURATIONS_H
#define RUNTIME_EXECUTE_CONFIGURATIONS_H

#include "runtime/compile/Session.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tile {

struct ListedConfiguration {
  std::vector<std::pair<std::string, std::string>> values; ///< what each is, as `-D` takes it: `2` for `1 + 1`
  Settings settings;                                       ///< the same as syntax
  SourceRange range;                                       ///< where it stands, or the space that it is a point of
};

/// Those of `kernel`, of `module`, in their order, without the names that `options` give; of those whose values are the
/// same otherwise the first. A single one that sets nothing, if compiling says what is wrong with the decorator, or
/// there is none.
std::vector<ListedConfiguration> listConfigurations(Session &session, const ast::Module &module,
                                                    const ast::KernelItem &kernel, const IrgenOptions &options);

/// The settings of each.
std::vector<Settings> settingsOf(const std::vector<ListedConfiguration> &configurations);

struct Pruned {
  std::vector<bool> isOut; ///< of each of the configurations
  /// It is true of all of them. Then none is out: `prune` says what is slow, not what is wrong, and something has to
  /// run.
  bool isTrueOfAll = false;
};

/// Which of `settings`, configurations that `where` leaves, `prune` leaves out in the launch that `options` describe;
/// null is true of none. None after reporting to `engine`.
std::optional<Pruned> findPruned(Session &session, DiagnosticEngine &engine, const ast::Module &module,
                                 const IrgenOptions &options, const ast::Expr *prune,
                                 const std::vector<Settings> &settings);

} // namespace tile

#endif
