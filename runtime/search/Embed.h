/// Tuned choices in what `tilec -o` writes: an instance for each configuration that was chosen, beside those that every
/// other launch takes.
#ifndef RUNTIME_SEARCH_EMBED_H
#define RUNTIME_SEARCH_EMBED_H

#include "runtime/compile/Build.h"
#include "runtime/store/Database.h"

namespace tile {

struct Embedded {
  size_t choices = 0; ///< that were known
  size_t ranked = 0;  ///< instances in the model's first configuration
};

/// Adds to `build.source.instances` what `database` has for kernels of `module` as it stands, by this compiler, with
/// the compile-time values that `build` gives. Of a kernel without any, all of whose dims `build` gives, the instances
/// have the model's first configuration for these. None after reporting a fault of the source.
std::optional<Embedded> embedChoices(Session &session, const ast::Module &module, BuildOptions &build,
                                     Database &database);

} // namespace tile

#endif
