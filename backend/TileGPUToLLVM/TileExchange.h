/// A whole tile on its way between threads: by shuffles, or through shared memory in a layout made for it or in
/// row-major order.
#ifndef BACKEND_TILEGPUTOLLVM_TILEEXCHANGE_H
#define BACKEND_TILEGPUTOLLVM_TILEEXCHANGE_H

#include "backend/TileGPUToLLVM/Emit.h"
#include "ir/Layout/Conversion.h"

namespace tile::tgpu {

/// The registers of `to` with the elements that `values`, the registers of `from`, hold. Shared memory, where the plan
/// needs it, begins at `base`. Contains a barrier in that case.
llvm::SmallVector<mlir::Value> emitConversion(Emitter &emit, const ConversionPlan &plan, const Layout &from,
                                              const Layout &to, mlir::ValueRange values, mlir::Value base);

/// Stores the registers of a tile at their places in a shared layout, each element once.
void emitTileStore(Emitter &emit, const SharedAccess &access, const Layout &registers, const Layout &shared,
                   mlir::ValueRange values, mlir::Value base);
/// Loads all registers of a tile.
llvm::SmallVector<mlir::Value> emitTileLoad(Emitter &emit, const SharedAccess &access, const Layout &registers,
                                            const Layout &shared, mlir::Type element, mlir::Value base);

/// The same in row-major order, element by element; for tiles whose shape changes on the way.
void emitRowMajorStore(Emitter &emit, const Layout &registers, mlir::ValueRange values, mlir::Value base);
llvm::SmallVector<mlir::Value> emitRowMajorLoad(Emitter &emit, const Layout &registers, mlir::Type element,
                                                mlir::Value base);

} // namespace tile::tgpu

#endif
