/// How much of a kernel's tiles is held at the same time.
#ifndef IR_TILETOTILEGPU_LIVETILES_H
#define IR_TILETOTILEGPU_LIVETILES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tile {

/// 32-bit registers that a tile takes of all threads together while it is computed: arithmetic is not packed.
int64_t wordsOf(mlir::Type type);

/// The same while it waits for memory.
int64_t loadedWordsOf(mlir::Type type);

/// The most words of tiles that are live at one place of `kernel`, in program order. What is made again where it is
/// needed takes none (constants, numbers that count up, copies along a dim, comparisons), nor do the factors of
/// products that are loaded in the same block.
int64_t mostLiveWords(mlir::func::FuncOp kernel);

/// The same of sums of products alone, which have to stay in registers while the tensor cores add to them.
int64_t mostLiveSumWords(mlir::func::FuncOp kernel);

} // namespace tile

#endif
