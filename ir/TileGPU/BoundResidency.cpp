/// How many blocks of a kernel with chained products are to be resident. While the warps of one block make the left
/// factor of a product out of the sum of another, as the softmax of attention does, the tensor cores have nothing to do
/// but the products of other blocks. So as many blocks are asked for as have the registers and the shared memory that
/// they need, up to the warps beyond which nothing was gained on an H200.
#include "ir/TileGPU/ChainedProducts.h"
#include "ir/TileGPU/Passes.h"
#include "ir/TileGPU/TileGPUOps.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_BOUNDRESIDENCYPASS
#include "ir/TileGPU/Passes.h.inc"
} // namespace tile::tgpu

/// Four warps for each scheduler, with 128 registers a thread.
static constexpr int64_t kMostWarps = 16;
static constexpr int64_t kLanes = 32;
/// Registers are given to a thread in eights.
static constexpr int64_t kUnit = 8;
/// Registers of a thread for addresses, counters, maxima and sums of rows.
static constexpr int64_t kWordsBeside = 16;

namespace {
struct BoundResidencyPass : public tgpu::impl::BoundResidencyPassBase<BoundResidencyPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    std::optional<int64_t> warps = warpsOf(kernel);
    if (!warps || failed(verifyLaidOut(kernel)))
      return signalPassFailure();
    // Factors that are not copied ahead pass through registers on their way to shared memory.
    if (!kernel->hasAttr(TileGPUDialect::kStages))
      return;
    int64_t words = wordsOfChain(kernel);
    if (words == 0)
      return;
    int64_t perThread = llvm::alignTo(words + kWordsBeside, kUnit);
    auto bytes = kernel->getAttrOfType<IntegerAttr>(TileGPUDialect::kSharedBytes);
    int64_t perBlock = (bytes ? bytes.getInt() : 0) + reserved;
    int64_t blocks = std::min({kMostWarps / *warps, registers / (*warps * kLanes * perThread), shared / perBlock});
    if (blocks > 1)
      kernel->setAttr(TileGPUDialect::kResidentBlocks, Builder(kernel).getI64IntegerAttr(blocks));
  }
};
} // namespace
