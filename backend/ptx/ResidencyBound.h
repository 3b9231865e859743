/// `.minnctapersm` in PTX text: how many blocks of a kernel a multiprocessor is to hold, for which the assembler limits
/// the registers of a thread, if need be by spilling some to memory. Without it the assembler has a limit of its own,
/// which for the largest blocks is half of what their threads may have.
#ifndef BACKEND_PTX_RESIDENCYBOUND_H
#define BACKEND_PTX_RESIDENCYBOUND_H

#include "llvm/ADT/StringSet.h"

#include <string>

namespace tile {

/// `ptx` with a bound of one block for the kernels called `names`: a thread of theirs has all the registers that it
/// may. Expects one directive a line, as LLVM prints them, and `.reqntid` among them.
std::string relaxResidencyBounds(llvm::StringRef ptx, const llvm::StringSet<> &names);

} // namespace tile

#endif
