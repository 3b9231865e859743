/// Two things that decide how much memory traffic a kernel without products has in flight: its loads are issued before
/// the first of them is waited for, and enough of its blocks are resident that some load while others compute. Of a
/// kernel with products, which has no registers to spare, only small loads are issued early, such as that of a bias: it
/// answers while the products run.
#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/Passes.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_ISSUELOADSEARLYPASS
#include "ir/TileGPU/Passes.h.inc"
} // namespace tile::tgpu

/// Half of a multiprocessor's warps: with 64 registers each they hide a reduction behind the loads of others.
static constexpr int64_t kResidentWarps = 32;
/// Registers of a thread, of the largest tile and of all that is loaded, with which the bound of 64 spills nothing.
static constexpr int64_t kMaxTileWords = 64;
/// Registers that loads issued early may keep waiting.
static constexpr int64_t kMaxWaitingWords = 32;

/// The same beside products, whose sums take most registers.
static constexpr int64_t kMaxWordsBesideProducts = 4;

/// Moves loads that nothing orders up to where their operands are known, in order, as far as `words` registers allow.
static void moveLoadsUp(Block &block, int64_t words) {
  Operation *last = nullptr; // the last load that was moved
  for (auto load : llvm::make_early_inc_range(block.getOps<LoadOp>())) {
    int64_t taken = loadedWords(load);
    if (!isMemoryEffectFree(load) || taken > words)
      continue;
    words -= taken;
    Operation *after = last;
    for (Value operand : load->getOperands())
      if (Operation *op = operand.getDefiningOp(); op && op->getBlock() == &block)
        if (!after || after->isBeforeInBlock(op))
          after = op;
    if (after)
      load->moveAfter(after);
    else
      load->moveBefore(&block, block.begin());
    last = load;
  }
}

namespace {
struct IssueLoadsEarlyPass : public tgpu::impl::IssueLoadsEarlyPassBase<IssueLoadsEarlyPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    std::optional<int64_t> warps = warpsOf(kernel);
    if (!warps || failed(verifyLaidOut(kernel)))
      return signalPassFailure();
    int64_t largest = 0, loaded = 0;
    bool hasProducts = false;
    kernel.walk([&](Operation *op) {
      hasProducts |= isProduct(op);
      if (isa<LoadOp, LoadPtrOp>(op))
        loaded += loadedWords(op);
      for (Type type : op->getResultTypes())
        largest = std::max(largest, registerWords(type));
    });
    moveLoadsUp(kernel.getBody().front(), hasProducts ? kMaxWordsBesideProducts : kMaxWaitingWords);
    if (hasProducts)
      return;
    int64_t resident = std::min<int64_t>(kResidentWarps / *warps, blocks);
    if (largest + loaded <= kMaxTileWords && resident > 0)
      kernel->setAttr(TileGPUDialect::kResidentBlocks, Builder(kernel).getI64IntegerAttr(resident));
  }
};
} // namespace
