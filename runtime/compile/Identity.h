/// Which compiler this is. What it makes is kept under this name, so two builds that could give different code must not
/// share one.
#ifndef RUNTIME_COMPILE_IDENTITY_H
#define RUNTIME_COMPILE_IDENTITY_H

#include "backend/ptx/Assemble.h"

#include <string>

namespace tile {

/// `tilec 0.1.0 build 3f0c…, LLVM 22.1.8, nvPTXCompiler 13.5`. The build is the linker's hash of this program's, or
/// this shared library's, content; where the linker was told to write none, the time of the file. `assembler` is the
/// one that is used.
std::string compilerIdentity(const AssembleOptions &assembler);

} // namespace tile

#endif
