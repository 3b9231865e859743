/// Products of which one takes, out of registers, what another gave, as the second of attention does.
#ifndef IR_TILEGPU_CHAINEDPRODUCTS_H
#define IR_TILEGPU_CHAINEDPRODUCTS_H

#include "ir/TileGPU/TileGPUOps.h"

namespace tile::tgpu {

/// Registers of a thread for the sums and left factors of the products of a loop of `kernel`, the most of all loops; 0
/// where no product is chained. A left factor in registers is what other ops have made of what they know.
int64_t wordsOfChain(mlir::func::FuncOp kernel);

} // namespace tile::tgpu

#endif
