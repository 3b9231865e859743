/// Lowers what waits name to what the hardware counts: how many groups of copies, or how many products, may still be
/// under way. A group's *age* is the number of groups of its kind that were committed after it, on the path with the
/// fewest; a wait for it may leave that many.
#include "ir/TileGPU/GroupAges.h"
#include "ir/TileGPU/Passes.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_COUNTGROUPSPASS
#include "ir/TileGPU/Passes.h.inc"
} // namespace tile::tgpu

namespace {
class GroupCounter {
public:
  void visit(Block &block, AsyncAges &ages) {
    for (Operation &op : block)
      visit(&op, ages);
  }

private:
  void visit(Operation *op, AsyncAges &ages) {
    ages.visit(op);
    if (auto wait = dyn_cast<WaitOp>(op))
      return wait.setPending(ages.copies.of(wait.getGroups()));
    if (auto wait = dyn_cast<MmaWaitOp>(op))
      return wait.setPending(ages.products.of(wait.getProducts()));
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visitLoop(loop, ages);
    // A path with fewer commits counts, and one through none of the regions may have none.
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        AsyncAges inside = ages;
        visit(block, inside);
      }
  }

  void visitLoop(scf::ForOp loop, AsyncAges &ages) {
    ages.enter(loop);
    for (bool changed = true; changed;) {
      AsyncAges end = ages;
      visit(*loop.getBody(), end);
      changed = ages.meetEdges(loop.getRegionIterArgs(), loop.getYieldedValues(), end);
    }
    ages.leave(loop);
  }
};

struct CountGroupsPass : public tgpu::impl::CountGroupsPassBase<CountGroupsPass> {
  void runOnOperation() override {
    AsyncAges ages;
    GroupCounter().visit(getOperation().getBody().front(), ages);
  }
};
} // namespace
