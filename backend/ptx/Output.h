/// Files that the compiler writes on its way: dumps, and what an external assembler reads.
#ifndef BACKEND_PTX_OUTPUT_H
#define BACKEND_PTX_OUTPUT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tile {

/// Makes a file of `bytes`. Fails with the path and the system's text, also where the disk is full.
llvm::Error writeOutput(llvm::StringRef path, llvm::StringRef bytes);

} // namespace tile

#endif
