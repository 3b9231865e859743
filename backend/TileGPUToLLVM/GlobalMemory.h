/// Loads and stores of global memory by one thread: a vector of elements under a predicate, as one PTX instruction.
///
/// A predicated access is inline PTX, because LLVM has no predicated load that is not a branch. PTX ISA: ld,
/// ld.global.nc, st. An access without a predicate and without a cache hint is an LLVM load or store, which the
/// optimiser understands.
#ifndef BACKEND_TILEGPUTOLLVM_GLOBALMEMORY_H
#define BACKEND_TILEGPUTOLLVM_GLOBALMEMORY_H

#include "backend/TileGPUToLLVM/Emit.h"
#include "ir/Tile/TileOps.h"

namespace tile::tgpu {

/// Where and how: `vector` elements `bytes` after `pointer`, aligned to the size of the whole vector.
struct GlobalAddress {
  mlir::Value pointer;
  int64_t bytes = 0;
  mlir::Type element; ///< converted: integer, float, index or LLVM pointer
  int64_t vector = 1;
  CacheHint cache = CacheHint::Default;
  bool constant = false; ///< nobody writes the memory during the launch
};

/// Bytes of an element in memory; a bool takes one.
int64_t memoryBytes(mlir::Type element);

/// Loads where `predicate` holds (null: always); elsewhere gives `others`, one value per element.
llvm::SmallVector<mlir::Value> emitLoad(Emitter &emit, const GlobalAddress &address, mlir::Value predicate,
                                        mlir::ValueRange others);

/// The same as registers of `wordBytesOf(address)`, as the instruction gives them: `unpackWords` makes elements of
/// them.
llvm::SmallVector<mlir::Value> emitLoadWords(Emitter &emit, const GlobalAddress &address, mlir::Value predicate,
                                             mlir::ValueRange others);
int64_t wordBytesOf(const GlobalAddress &address);

/// Stores where `predicate` holds (null: always).
void emitStore(Emitter &emit, const GlobalAddress &address, mlir::Value predicate, mlir::ValueRange values);

/// `values`, elements of one type whose sizes sum up to a multiple of 4 bytes or are 1, 2 or 8 bytes, as registers of
/// `wordBytes`: the first element in the lowest bits.
llvm::SmallVector<mlir::Value> packWords(Emitter &emit, mlir::ValueRange values, int64_t wordBytes);
/// The inverse of it: `count` elements of `element`.
llvm::SmallVector<mlir::Value> unpackWords(Emitter &emit, mlir::ValueRange words, mlir::Type element, int64_t count);

} // namespace tile::tgpu

#endif
