/// Issues the loads of a product's loop one iteration early, into registers, so that the tensor cores have work while
/// memory answers. A load qualifies when nobody writes its view during the launch, when it touches nothing outside of
/// the view (so that the one past the last iteration is harmless), and when its positions depend on the loop's variable
/// alone.
#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/LoopSlice.h"
#include "ir/TileGPU/Passes.h"
#include "ir/TileGPU/VariantRemark.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_PREFETCHLOADSPASS
#include "ir/TileGPU/Passes.h.inc"
} // namespace tile::tgpu

/// Registers of a thread that tiles carried by a loop may take; the rest of 255 is for fragments and addresses.
static constexpr int64_t kMaxCarriedWords = 144;

namespace {
struct Prefetch {
  LoadOp load;
  LoopSlice slice;

  /// The load as the iteration of `variable` issues it.
  Value emit(OpBuilder &builder, scf::ForOp loop, Value variable) {
    IRMapping mapping;
    cloneSlice(builder, loop, slice, variable, mapping);
    Operation *copy = builder.clone(*load, mapping);
    // One past the last iteration is among them, for which nothing is proved.
    copy->removeAttr(TileGPUDialect::kAccess);
    return copy->getResult(0);
  }
};

struct PrefetchLoadsPass : public tgpu::impl::PrefetchLoadsPassBase<PrefetchLoadsPass> {
  void runOnOperation() override {
    if (failed(verifyLaidOut(getOperation())))
      return signalPassFailure();
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      bool hasProducts = llvm::any_of(*loop.getBody(), [](Operation &op) { return isProduct(&op); });
      if (hasProducts && !loop->hasAttr(TileGPUDialect::kPrefetched))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      prefetch(loop);
  }

private:
  static std::optional<Prefetch> candidate(scf::ForOp loop, LoadOp load) {
    Prefetch prefetch{load, {}};
    if (!load.getView().getType().getConstant() || !isSpeculatable(load) || !registerWords(load.getType()))
      return std::nullopt;
    for (Value operand : load->getOperands())
      if (failed(collectSlice(loop, operand, prefetch.slice)))
        return std::nullopt;
    // What does not change is hoisted, not prefetched.
    bool varies = llvm::any_of(
        prefetch.slice, [&](Operation *op) { return llvm::is_contained(op->getOperands(), loop.getInductionVar()); });
    return varies || llvm::is_contained(load->getOperands(), loop.getInductionVar()) ? std::optional(prefetch)
                                                                                     : std::nullopt;
  }

  void prefetch(scf::ForOp loop) {
    int64_t words = 0;
    for (Type type : loop.getResultTypes())
      words += registerWords(type);
    SmallVector<Prefetch> prefetches;
    for (auto load : loop.getBody()->getOps<LoadOp>())
      if (std::optional<Prefetch> found = candidate(loop, load)) {
        prefetches.push_back(*found);
        words += loadedWords(load);
      }
    if (prefetches.empty())
      return;
    if (words > kMaxCarriedWords) {
      remark::missed(loop.getLoc(), remarkOn(loop, "PrefetchLoads", "tgpu-prefetch-loads"))
          << "loads are not issued an iteration early"
          << remark::reason("tiles carried by the loop would take {0} registers of a thread", words)
          << remark::suggest("smaller tiles or more warps leave fewer to a thread");
      return;
    }
    IRRewriter rewriter(loop);
    SmallVector<Value> first;
    for (Prefetch &prefetch : prefetches)
      first.push_back(prefetch.emit(rewriter, loop, loop.getLowerBound()));
    auto addNext = [&](OpBuilder &builder, Location loc, ArrayRef<BlockArgument> arguments) {
      OpBuilder::InsertionGuard guard(builder);
      auto inner = cast<scf::ForOp>(arguments.front().getOwner()->getParentOp());
      builder.setInsertionPointToStart(inner.getBody());
      Value next = arith::AddIOp::create(builder, loc, inner.getInductionVar(), inner.getStep());
      SmallVector<Value> yields;
      // The body is still that of the old loop; it is moved behind these ops afterwards.
      for (Prefetch &prefetch : prefetches)
        yields.push_back(prefetch.emit(builder, loop, next));
      return yields;
    };
    auto replaced = cast<scf::ForOp>(
        *loop.replaceWithAdditionalYields(rewriter, first, /*replaceInitOperandUsesInLoop=*/false, addNext));
    replaced->setAttr(TileGPUDialect::kPrefetched, rewriter.getUnitAttr());
    for (auto [prefetch, argument] :
         llvm::zip_equal(prefetches, replaced.getRegionIterArgs().take_back(prefetches.size()))) {
      rewriter.replaceAllUsesWith(prefetch.load.getResult(), argument);
      rewriter.eraseOp(prefetch.load);
    }
  }
};
} // namespace
