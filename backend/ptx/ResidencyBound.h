/// `.minnctapersm` in PTX text: how many blocks of a kernel a multiprocessor is to hold, for which the assembler limits
/// the registers of a thread, if need be by spilling some to memory.
#ifndef BACKEND_PTX_RESIDENCYBOUND_H
#define BACKEND_PTX_RESIDENCYBOUND_H

#include "llvm/ADT/StringSet.h"

#include <string>

namespace tile {

/// `ptx` without the bounds of the kernels called `names`. Expects one directive a line, as LLVM prints them.
std::string dropResidencyBounds(llvm::StringRef ptx, const llvm::StringSet<> &names);

} // namespace tile

#endif
