/// What a PTX text does, counted: the widths of its global accesses, its matrix instructions. Reports and tests read it
/// off the text, so that it is what was generated and not what a pass meant to.
#ifndef BACKEND_PTX_PTXSUMMARY_H
#define BACKEND_PTX_PTXSUMMARY_H

#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>
#include <vector>

namespace tile {

/// Counts of instructions as they stand in the text; a loop's body counts once.
struct PtxKernel {
  std::string name;
  unsigned threads = 0; ///< per block, from `.reqntid`; 0: not fixed
  unsigned instructions = 0;
  /// Bytes that one thread moves by one instruction → how many such instructions.
  std::map<unsigned, unsigned> globalLoads, globalStores, asyncCopies;
  /// Shape and input types, such as "m16n8k16 bf16" → how many. Those of warpgroups, wgmma, are apart.
  std::map<std::string, unsigned> matrixMultiplies, warpgroupMultiplies;
  unsigned matrixLoads = 0; ///< ldmatrix
  unsigned barriers = 0;
  unsigned shuffles = 0;
};

/// The kernels of `ptx` in order. Expects one instruction a line, as LLVM prints them.
std::vector<PtxKernel> summarizePtx(llvm::StringRef ptx);

} // namespace tile

#endif
