/// Compiled code from the cache, else built and kept there.
#ifndef RUNTIME_SEARCH_KEPTCODE_H
#define RUNTIME_SEARCH_KEPTCODE_H

#include "runtime/compile/Build.h"
#include "runtime/store/Cache.h"

namespace tile {

struct KeptCode {
  std::string key; ///< what the cache has it under
  std::string cubin;
  bool isBuilt = false; ///< now
};

/// The code of `module`, tile IR of `kernel` with `options`, which is spent where it is built: also where the options
/// ask for a report, which is of a compilation. None after reporting.
std::optional<KeptCode> codeOf(Session &session, FileId file, mlir::ModuleOp module, const ast::KernelItem &kernel,
                               const BuildOptions &options, Cache &cache);

} // namespace tile

#endif
