// An argument of a launch without its memory: what is compiled for, and what the measuring process makes of its own.
// Internal to this folder.

#ifndef TILE_RUNTIME_JIT_DESCRIBEARGUMENT_H
#define TILE_RUNTIME_JIT_DESCRIBEARGUMENT_H

#include "runtime/arguments/HostArgument.h"
#include "runtime/launch/Argument.h"

namespace tile {

struct DescribedArgument {
  HostArgument argument;
  std::string
      text; ///< As `--arg` takes it: `normal:bf16[4096,4096]`. Empty for a pointer, which says not how far it goes.
};

/// `argument` of the parameter `name`, which is a bool or may be. Fails on more axes than a tensor may have.
Result<DescribedArgument> describeArgument(const Argument &argument, const std::string &name, bool isBool);

} // namespace tile

#endif // TILE_RUNTIME_JIT_DESCRIBEARGUMENT_H
