/// Configurations of `@autotune` in what `tilec -o` writes: an instance for each that was chosen by measuring, beside
/// those that every other launch takes, which have the model's first.
#ifndef RUNTIME_SEARCH_EMBED_H
#define RUNTIME_SEARCH_EMBED_H

#include "runtime/compile/Build.h"
#include "runtime/store/Database.h"

namespace tile {

/// Sets `build.source.instances` for kernels of `module` that have several configurations:
/// - those that every launch takes have the model's first for the dims that `build` gives, else for what `@bench`
///   lists; where there is neither they keep the first that is written, which a warning says;
/// - where `-D` does not say for which launch heuristics are computed, that is the first one of `@bench`, else that of
///   the newest choice;
/// - each choice that `database`, which may be null, has for the kernel as it stands, by this compiler, with the
///   compile-time values that `build` gives, has one more, with heuristics for the sizes of its key.
/// Gives the number of such choices. None after reporting a fault of the source.
std::optional<size_t> embedConfigurations(Session &session, const ast::Module &module, BuildOptions &build,
                                          Database *database);

} // namespace tile

#endif
