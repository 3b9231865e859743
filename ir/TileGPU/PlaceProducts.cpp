/// Places the factors of products on warpgroups that no loop was pipelined for: wgmma reads at least the right one from
/// shared memory. Each product waits for itself. What a loop does not change is stored once, before it.
#include "ir/TileGPU/Passes.h"
#include "ir/TileGPU/ProductPlacer.h"
#include "ir/TileGPU/Scratch.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_PLACEPRODUCTSPASS
#include "ir/TileGPU/Passes.h.inc"
} // namespace tile::tgpu

/// The outermost loop around `op` that leaves `factor` as it is; null if none does.
static Operation *loopAround(Operation *op, Value factor) {
  Operation *outermost = nullptr;
  for (Operation *parent = op->getParentOp(); parent && !parent->isAncestor(factor.getParentRegion()->getParentOp());
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      outermost = parent;
  return outermost;
}

namespace {
struct PlaceProductsPass : public tgpu::impl::PlaceProductsPassBase<PlaceProductsPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(verifyLaidOut(getOperation())))
      return signalPassFailure();
    SmallVector<DotOp> dots;
    int64_t largest = 0, scratch = 0;
    room = limit;
    getOperation().walk([&](Operation *op) {
      if (auto known = dyn_cast<AllocOp>(op))
        room -= known.getType().getSlotBytes() * known.getType().getStages();
      auto dot = dyn_cast<DotOp>(op);
      if (!dot)
        scratch = std::max(scratch, scratchBytes(op));
      if (std::optional<ProductShare> share = dot ? shareOf(dot) : std::nullopt; share && share->inWarpgroups) {
        dots.push_back(dot);
        int64_t bytes = 0;
        for (auto [factor, which] : factorsOf(dot))
          if (std::optional<Layout> shared = storedLayout(dot, factor, which, /*stays=*/true))
            bytes += bufferTypeOf(factor.getType(), *shared, 1).getSlotBytes();
        largest = std::max(largest, bytes);
      }
    });
    room -= largest + scratch;
    stored = StoredFactors();
    for (DotOp dot : dots)
      place(dot);
  }

private:
  /// A product whose right factor has no place that wgmma can read stays as it is: mma.sync takes the same layouts.
  void place(DotOp dot) {
    IRRewriter rewriter(dot);
    if (!storedLayout(dot, dot.getRhs(), DotOperand::B, /*stays=*/false))
      return;
    SmallVector<Value> factors;
    for (auto [factor, which] : factorsOf(dot)) {
      Value slot = storeBefore(loopAround(dot, factor), dot, factor, which);
      if (!slot) {
        std::optional<Layout> shared = storedLayout(dot, factor, which, /*stays=*/false);
        slot = shared ? store(rewriter, factor, *shared) : toFragment(rewriter, dot, factor, which);
      }
      factors.push_back(slot);
    }
    rewriter.replaceOp(dot, multiply(rewriter, dot, factors[0], factors[1], /*waits=*/true)->getResult(0));
  }

  static Value store(OpBuilder &b, Value factor, const Layout &shared) {
    Value first = arith::ConstantIndexOp::create(b, factor.getLoc(), 0);
    Value buffer = AllocOp::create(b, factor.getLoc(), bufferTypeOf(factor.getType(), shared, 1));
    return storeTo(b, factor, buffer, first);
  }

  /// The slot of a factor that is stored once, before `loop`; null if there is no such loop or no room.
  Value storeBefore(Operation *loop, DotOp dot, Value factor, DotOperand which) {
    std::optional<Layout> shared = loop ? storedLayout(dot, factor, which, /*stays=*/true) : std::nullopt;
    if (!shared)
      return Value();
    if (Value slot = stored.find(factor, *shared, loop))
      return slot;
    int64_t bytes = bufferTypeOf(factor.getType(), *shared, 1).getSlotBytes();
    if (bytes > room)
      return Value();
    room -= bytes;
    OpBuilder b(loop);
    Value slot = store(b, factor, *shared);
    stored.add(slot);
    return slot;
  }

  StoredFactors stored;
  /// Bytes of shared memory that are left for what stays, with the largest product and scratch beside it.
  int64_t room = 0;
};
} // namespace
