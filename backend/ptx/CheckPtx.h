/// Rules that every PTX text of ours keeps, checked on the text. Every compilation runs it over what it generates.
#ifndef BACKEND_PTX_CHECKPTX_H
#define BACKEND_PTX_CHECKPTX_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tile {

/// A broken rule: the PTX line (from 1) and "`add.f32` has no rounding mode: the assembler may fuse it".
struct PtxProblem {
  unsigned line;
  std::string message;
};

/// Finds float `add`, `sub`, `mul` and `fma` without a rounding mode, which the assembler may contract, and the
/// `debug` option of `.target`, with which it optimises nothing.
std::vector<PtxProblem> checkPtx(llvm::StringRef ptx);

} // namespace tile

#endif
