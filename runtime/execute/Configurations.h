/// The configurations that `@autotune` of a kernel leaves to choose from: by a search, a check or an artifact.
#ifndef RUNTIME_EXECUTE_CONFIGURATIONS_H
#define RUNTIME_EXECUTE_CONFIGURATIONS_H

#include "runtime/compile/Session.h"

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

} // namespace tile

#endif
