/// Which launches that `@bench` lists an artifact has no instance for: it was measured for something that it refuses.
#ifndef RUNTIME_SEARCH_SERVEDSHAPES_H
#define RUNTIME_SEARCH_SERVEDSHAPES_H

#include "runtime/compile/Session.h"

namespace tile {

/// Warns of shapes of `@bench` of `kernel` whose absent parameters, element types or extents that are compile-time
/// parameters none of `instances` has, once for each reason. What `options` give is as it is wanted;
/// where they give every dim, the artifact is for that launch.
void warnOfUnserved(Session &session, const ast::KernelItem &kernel, const IrgenOptions &options,
                    const std::vector<TunedInstance> &instances);

} // namespace tile

#endif
