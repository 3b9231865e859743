/// Elements in shared memory and in other lanes, for values of any scalar type.
#ifndef BACKEND_TILEGPUTOLLVM_SHAREDMEMORY_H
#define BACKEND_TILEGPUTOLLVM_SHAREDMEMORY_H

#include "backend/TileGPUToLLVM/Emit.h"

namespace tile::tgpu {

/// Stores consecutive elements at `address` (shared), which is aligned to their whole size, where `predicate` holds
/// (null: always). Gives the instruction.
mlir::Operation *emitSharedStore(Emitter &emit, mlir::Value address, mlir::Value predicate, mlir::ValueRange values);

/// Loads `count` consecutive elements from `address` (shared), which is aligned to their whole size.
llvm::SmallVector<mlir::Value> emitSharedLoad(Emitter &emit, mlir::Value address, mlir::Type element, int64_t count);

/// What the lane `lane ^ mask` holds in `value`. All lanes take part.
mlir::Value emitShuffleXor(Emitter &emit, mlir::Value value, int64_t mask);

/// What lane `source` (i32) holds in `value`. All lanes take part.
mlir::Value emitShuffle(Emitter &emit, mlir::Value value, mlir::Value source);

} // namespace tile::tgpu

#endif
