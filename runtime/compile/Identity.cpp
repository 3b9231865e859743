#include "runtime/compile/Identity.h"

#include "runtime/compile/BuildHash.h" // written by the build

#include "llvm/Config/llvm-config.h"

using namespace llvm;

namespace tile {

std::string compilerIdentity(const AssembleOptions &assembler) {
  static const std::string compiler = "tilec " TILE_VERSION " build " TILE_BUILD_HASH ", LLVM " LLVM_VERSION_STRING;
  Expected<std::string> version = assemblerVersion(assembler);
  return compiler + ", " + (version ? *version : toString(version.takeError()));
}

} // namespace tile
