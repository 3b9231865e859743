/// Which compiler this is. What it makes is kept under this name, so two builds that could give different code must not
/// share one; the programs and libraries of one build do.
#ifndef RUNTIME_COMPILE_IDENTITY_H
#define RUNTIME_COMPILE_IDENTITY_H

#include "backend/ptx/Assemble.h"

#include <string>

namespace tile {

/// `tilec 0.1.0 build 3f0c…, LLVM 22.1.8, nvPTXCompiler 13.5`. The build is a hash of the libraries that the
/// compiler is made of, from the syntax to the artifact. `assembler` is the one that is used.
std::string compilerIdentity(const AssembleOptions &assembler);

} // namespace tile

#endif
