/// The parts of `tgpu-lower-tiles`: how types become scalars, and one set of patterns per op family.
#ifndef BACKEND_TILEGPUTOLLVM_LOWERTILES_H
#define BACKEND_TILEGPUTOLLVM_LOWERTILES_H

#include "backend/TileGPUToLLVM/Emit.h"
#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/TileGPUOps.h"

#include "mlir/Transforms/DialectConversion.h"

namespace tile::tgpu {

/// A tile becomes one scalar per register of its layout, in order; a pointer an LLVM pointer to global memory; a view
/// its base, its run-time extents and its run-time strides (index); a buffer or slot its address in shared memory
/// (i32); a token an i32 that nobody reads; an 8-bit float a byte, i8. Other types stay.
class TileTypeConverter : public mlir::TypeConverter {
public:
  explicit TileTypeConverter(mlir::MLIRContext *context);
};

/// The layout of a tile that is being lowered.
inline const Layout &layoutIn(mlir::Value tile) { return layoutOf(tile.getType()).getLayout(); }

/// A constant of 8-bit floats, a number or a tile, as the bytes that they become; others as they are.
mlir::TypedAttr withBytes(mlir::TypedAttr constant);

/// The parts of a view; an attribute where static.
struct ViewParts {
  ViewParts(ViewType type, mlir::ValueRange values);

  mlir::Value base;
  llvm::SmallVector<mlir::OpFoldResult> extents, strides;
};

/// What an instruction is to asynchronous copies, until `interleaveCopies` has moved these.
enum class CopyRole { None, Copy, Product, Wait };
CopyRole roleOf(mlir::Operation *op);
void setRole(mlir::Operation *op, CopyRole role);
/// See InterleaveCopies.cpp.
void interleaveCopies(mlir::ModuleOp module);

/// Says that `op` stores part of a slice, until `computeInSlices` has ordered what leads to it.
void markSlice(mlir::Operation *op);
/// See ComputeInSlices.cpp.
void computeInSlices(mlir::ModuleOp module);

void populateAccessPatterns(const TileTypeConverter &types, mlir::RewritePatternSet &patterns);
void populateAtomicPatterns(const TileTypeConverter &types, mlir::RewritePatternSet &patterns);
void populateBufferPatterns(const TileTypeConverter &types, mlir::RewritePatternSet &patterns);
void populateDotPatterns(const TileTypeConverter &types, mlir::RewritePatternSet &patterns);
void populateElementwisePatterns(const TileTypeConverter &types, mlir::RewritePatternSet &patterns);
/// `hasInstructions`: the target converts 8-bit floats.
void populateFloat8Patterns(const TileTypeConverter &types, bool hasInstructions, mlir::RewritePatternSet &patterns);
void populateMmaPatterns(const TileTypeConverter &types, mlir::RewritePatternSet &patterns);
void populatePointerPatterns(const TileTypeConverter &types, mlir::RewritePatternSet &patterns);
void populateProgramPatterns(const TileTypeConverter &types, mlir::RewritePatternSet &patterns);
void populateReducePatterns(const TileTypeConverter &types, mlir::RewritePatternSet &patterns);
void populateShapePatterns(const TileTypeConverter &types, mlir::RewritePatternSet &patterns);
void populateWgmmaPatterns(const TileTypeConverter &types, mlir::RewritePatternSet &patterns);

} // namespace tile::tgpu

#endif
