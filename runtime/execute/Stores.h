/// Where a kernel writes a parameter: what a message about a wrong result points at.
#ifndef RUNTIME_EXECUTE_STORES_H
#define RUNTIME_EXECUTE_STORES_H

#include "runtime/execute/Execute.h"

namespace tile {

/// The places in the source that write through `parameter`, in their order, each once. Not those whose view is chosen
/// at run time.
std::vector<SourceRange> storesTo(const Session &session, const LoadedKernel &kernel, int parameter);

} // namespace tile

#endif
