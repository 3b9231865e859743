// One kernel of a source file, and the code for a launch of it: the half of the JIT that knows the compiler, behind a
// header that does not. Internal to this folder.

#ifndef TILE_RUNTIME_JIT_SOURCEKERNEL_H
#define TILE_RUNTIME_JIT_SOURCEKERNEL_H

#include "runtime/jit/JitShared.h"

namespace tile {

struct JitCode {
  std::string key; ///< What the cache has it under: equal code has equal keys.
  std::string cubin;
};

class SourceKernel {
public:
  /// Fails where the file cannot be read, has no such kernel, or is no Tile source.
  static Result<std::unique_ptr<SourceKernel>> open(JitShared &shared, const std::string &file, const std::string &name,
                                                    const std::map<std::string, std::string> &values);
  virtual ~SourceKernel() = default;

  virtual const std::string &name() const = 0;
  /// Whether what the code depends on may be seen by binding to its contract. Otherwise only a launch of the very same
  /// extents and scalars may take it: `prune` says of each size by itself which configurations there are.
  virtual bool isToldByContract() const = 0;
  /// Whether scalars can make a difference.
  virtual bool readsScalars() const = 0;

  /// For launches like the one with `arguments` on `gpu`; their memory does not matter. One thread at a time.
  virtual Result<JitCode> compile(const std::vector<Argument> &arguments, const JitGpu &gpu) = 0;
};

} // namespace tile

#endif // TILE_RUNTIME_JIT_SOURCEKERNEL_H
