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

/// Addresses in a shared layout that a thread accesses: its own part of the offset, and one that differs from access to
/// access.
class SharedAddresses {
public:
  SharedAddresses(Emitter &emit, llvm::ArrayRef<CoordTerm> threadTerms, bool disjoint, const Layout &shared,
                  int64_t elementBytes, mlir::Value base);
  /// `part` counts elements; `bytes` come on top.
  mlir::Value at(int64_t part, int64_t bytes = 0);
  /// The same as an address that several parts share, and bytes to add to it.
  std::pair<mlir::Value, int64_t> split(int64_t part);

private:
  Emitter &emit;
  int64_t elementBytes;
  mlir::Value base;
  SplitIndex offset;
  std::map<int64_t, mlir::Value> bases; ///< by the bits of the part that do not just add up
};

/// A conversion between layouts of the same warps, one slice of the tile after the other: each warp reads what it
/// wrote, and waits for nobody else.
class SlicedConversion {
public:
  /// Shared memory for all slices begins at `base`. `values` are the registers of `from`.
  SlicedConversion(Emitter &emit, const SharedExchange &exchange, const Layout &from, const Layout &to,
                   mlir::ValueRange values, mlir::Value base);

  /// Moves a slice and gives the registers of `to` that it holds, in ascending order, with their elements.
  llvm::SmallVector<std::pair<int64_t, mlir::Value>> convert(int64_t slice);

private:
  void storeVectors(int64_t slice);
  void storeMatrices(int64_t slice);

  Emitter &emit;
  const SharedExchange &exchange;
  mlir::ValueRange values;
  mlir::Type element;
  SharedAddresses stores, loads; ///< those of stores are the rows' where matrices are stored
};

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
