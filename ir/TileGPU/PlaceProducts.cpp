/// Places the factors of products on warpgroups that no loop was pipelined for: wgmma reads at least the right one from
/// shared memory. Each product waits for itself.
#include "ir/TileGPU/Passes.h"
#include "ir/TileGPU/ProductPlacer.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_PLACEPRODUCTSPASS
#include "ir/TileGPU/Passes.h.inc"
} // namespace tile::tgpu

namespace {
struct PlaceProductsPass : public tgpu::impl::PlaceProductsPassBase<PlaceProductsPass> {
  void runOnOperation() override {
    if (failed(verifyLaidOut(getOperation())))
      return signalPassFailure();
    SmallVector<DotOp> dots;
    getOperation().walk([&](DotOp dot) {
      if (std::optional<ProductShare> share = shareOf(dot); share && share->inWarpgroups)
        dots.push_back(dot);
    });
    for (DotOp dot : dots)
      place(dot);
  }

private:
  /// A product whose right factor has no place that wgmma can read stays as it is: mma.sync takes the same layouts.
  static void place(DotOp dot) {
    IRRewriter rewriter(dot);
    Location loc = dot.getLoc();
    SmallVector<Value> factors;
    std::optional<Layout> right = storedLayout(dot, dot.getRhs(), DotOperand::B, /*stays=*/false);
    if (!right)
      return;
    Value first = arith::ConstantIndexOp::create(rewriter, loc, 0);
    for (auto [factor, which] : factorsOf(dot)) {
      std::optional<Layout> shared = which == DotOperand::B ? right : storedLayout(dot, factor, which, /*stays=*/false);
      if (!shared) {
        factors.push_back(toFragment(rewriter, dot, factor, which));
        continue;
      }
      Value buffer = AllocOp::create(rewriter, loc, bufferTypeOf(factor.getType(), *shared, 1));
      factors.push_back(storeTo(rewriter, factor, buffer, first));
    }
    rewriter.replaceOp(dot, multiply(rewriter, dot, factors[0], factors[1], /*waits=*/true)->getResult(0));
  }
};
} // namespace
