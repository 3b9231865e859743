/// What `AxisInfo` and the kernel's promises say of an access of global memory: how its addresses are aligned, and how
/// its positions lie in the accessed tile. Views are followed to the op that made them; of a view chosen at run time
/// nothing is known.
#ifndef IR_ANALYSIS_ACCESSFACTS_H
#define IR_ANALYSIS_ACCESSFACTS_H

#include "ir/Analysis/AxisInfo.h"
#include "ir/Tile/TileOps.h"

namespace tile {

/// Facts about a view, all powers of two: what divides its base (bytes), its extents and its strides (elements).
struct ViewFacts {
  int64_t base = 1;
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<int64_t> strides;
  /// The kernel's argument that the base comes from; null where it is not one.
  mlir::BlockArgument root;
};
ViewFacts viewFactsOf(const mlir::DataFlowSolver &solver, mlir::Value view);

/// Where the positions of a view's dims stand in the accessed tile.
struct AccessDims {
  explicit AccessDims(ViewAccess access);

  /// Per dim of the view the dim of the tile that a region walks, or the first of the dims of the gather tiles; none
  /// for a point.
  llvm::SmallVector<std::optional<unsigned>> tileDim;
  /// Dims of the tile that the gather tiles span together: `gatherRank` from `gatherBegin` on.
  unsigned gatherBegin = 0, gatherRank = 0;
  /// The dim of the tile along which neighbours are neighbours in memory; none where there is no such dim.
  std::optional<unsigned> contiguous;
};

/// A power of two that divides the address, in bytes, of every element whose position in the contiguous dim of the tile
/// is a multiple of 16 bytes (of any position where there is none).
int64_t addressDivisor(const mlir::DataFlowSolver &solver, ViewAccess access);

/// Whether vectors of `vector` elements along the contiguous dim are never cut by the end of the view.
bool hasWholeVectors(const mlir::DataFlowSolver &solver, ViewAccess access, int64_t vector);

} // namespace tile

#endif
