/// Addresses and bounds of one access through a view, for every register that a thread holds of the accessed tile.
///
/// *Address* = base + corner · stride (the same for all threads) + thread's coordinate · stride + register's coordinate
/// · stride. All but the sum with the base wrap in 32 bits where the plan says `narrow`, else in 64: an element inside
/// the view has an offset that fits, so whatever wraps on the way there is exact in the end, and an element outside is
/// not accessed. Registers that differ along the contiguous dim only share an address; the rest is an immediate.
///
/// With `Corner::InBase` the corner's part is added to the base first, in 64 bits: in a loop that moves the corner one
/// sum follows it and the parts of threads and registers stay as they are, so an address is one multiplication and sum.
/// These parts are exact by themselves only where no corner is below 0; elsewhere the choice is not taken.
///
/// *Bounds*: corner + coordinate is compared as coordinate < extent - corner, clamped to the tile's extent in 64 bits
/// first. So the comparison is 32 bits wide and right for every corner, also below 0. Extents are below 2^62. Where a
/// fixed dim is outside, another's extent counts as 0.
#ifndef BACKEND_TILEGPUTOLLVM_ACCESSEMITTER_H
#define BACKEND_TILEGPUTOLLVM_ACCESSEMITTER_H

#include "backend/TileGPUToLLVM/LowerTiles.h"
#include "ir/Analysis/AccessFacts.h"

namespace tile::tgpu {

class AccessEmitter {
public:
  enum class Corner { InOffset, InBase };

  /// `layout` is that of the accessed tile, null for a single element. `indices` are the converted index operands.
  AccessEmitter(Emitter &emit, ViewAccess access, AccessAttr plan, const Layout *layout, const ViewParts &view,
                llvm::ArrayRef<mlir::ValueRange> indices, int64_t elementBytes, Corner corner = Corner::InOffset);

  /// Address of register `reg`, and the bytes to add to it at once.
  std::pair<mlir::Value, int64_t> address(int64_t reg);

  /// Whether the element of `reg` is inside the view; null where that is known.
  mlir::Value inside(int64_t reg);
  /// Whether the elements of all registers of the vector that begins at `reg` are inside; null where that is known.
  mlir::Value vectorInside(int64_t reg, int64_t vector);

  /// Whether a vector of `vector` elements may have elements on both sides of a bound; the same for all threads.
  mlir::Value mayCutVectors(int64_t vector);

  ThreadCoordinates *threads() { return coordinates ? &*coordinates : nullptr; }

private:
  bool mayPutCornerInBase();
  mlir::Value addressOf(mlir::Value offset);
  struct DimBounds {
    mlir::Value low, high; ///< i32, of the tile's coordinates; `low` is null where no coordinate is below it
  };
  void foldPoints();
  DimBounds boundsOf(mlir::Value corner, mlir::OpFoldResult extent, int64_t size, bool nonNegative);
  mlir::Value insideDim(unsigned viewDim, int64_t first, int64_t last);
  mlir::Value gatherIndex(unsigned viewDim, int64_t reg);

  Emitter &emit;
  ViewAccess access;
  AccessAttr plan;
  const Layout *layout;
  const ViewParts &view;
  llvm::ArrayRef<mlir::ValueRange> indices;
  int64_t elementBytes;
  AccessDims dims;
  mlir::Type offsetType;
  std::optional<ThreadCoordinates> coordinates;

  bool inBase;                            ///< the parts of corner and register are added to the base
  int64_t unit;                           ///< bytes of an offset of 1
  llvm::SmallVector<mlir::Value> strides; ///< in units, per dim of the view
  mlir::Value base;                       ///< of the view, or of its corner
  mlir::Value threadOffset;               ///< corner and thread's part, of the dims whose coordinate is a sum
  mlir::Value pointsInside;               ///< of the dims that are fixed; null: known, or part of the bounds
  llvm::SmallVector<DimBounds> bounds;    ///< per dim of the view
  std::map<std::vector<int64_t>, mlir::Value> rows;
  std::map<std::tuple<unsigned, int64_t, int64_t>, mlir::Value> comparisons;
};

} // namespace tile::tgpu

#endif
