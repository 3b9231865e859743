#include "ir/TileGPU/ChainedProducts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

static int64_t wordsIn(Block &block) {
  int64_t words = 0;
  bool isChained = false;
  for (auto product : block.getOps<MmaAsyncOp>()) {
    words += registerWords(product.getResult().getType());
    if (!isa<RankedTensorType>(product.getLhs().getType()))
      continue;
    words += registerWords(product.getLhs().getType());
    isChained = true;
  }
  return isChained ? words : 0;
}

int64_t tgpu::wordsOfChain(func::FuncOp kernel) {
  int64_t words = 0;
  kernel.walk([&](scf::ForOp loop) { words = std::max(words, wordsIn(*loop.getBody())); });
  return words;
}
