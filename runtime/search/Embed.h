/// Tuned choices in what `tilec -o` writes: an instance for each configuration that was chosen, beside those that every
/// other launch takes.
#ifndef RUNTIME_SEARCH_EMBED_H
#define RUNTIME_SEARCH_EMBED_H

#include "runtime/compile/Build.h"
#include "runtime/store/Database.h"

namespace tile {

/// Adds to `build.source.instances` what `database` has for kernels of `module` as it stands, by this compiler, with
/// the compile-time values that `build` gives. Gives how many choices that are; none after reporting a fault of the
/// source.
std::optional<size_t> embedChoices(Session &session, const ast::Module &module, BuildOptions &build,
                                   Database &database);

} // namespace tile

#endif
