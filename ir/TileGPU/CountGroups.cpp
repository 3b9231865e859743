/// Lowers what waits name to what the hardware counts: how many groups of copies may still be under way. A group's
/// *age* is the number of groups that were committed after it, on the path with the fewest; a wait for it may leave
/// that many.
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
  void visit(Block &block, GroupAges &ages) {
    for (Operation &op : block)
      visit(&op, ages);
  }

private:
  void visit(Operation *op, GroupAges &ages) {
    if (auto commit = dyn_cast<CommitOp>(op))
      return ages.commit(commit.getGroup());
    if (auto wait = dyn_cast<WaitOp>(op))
      return wait.setPending(ages.of(wait.getGroups()));
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visitLoop(loop, ages);
    // A path with fewer commits counts, and one through none of the regions may have none.
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        GroupAges inside = ages;
        visit(block, inside);
      }
  }

  void visitLoop(scf::ForOp loop, GroupAges &ages) {
    for (auto [argument, init] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
      if (isa<TokenType>(init.getType()))
        ages.meet(argument, ages.of(init));
    for (bool changed = true; changed;) {
      GroupAges end = ages;
      visit(*loop.getBody(), end);
      changed = false;
      for (auto [argument, yielded] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues()))
        if (isa<TokenType>(yielded.getType()))
          changed |= ages.meet(argument, end.of(yielded));
    }
    for (auto [result, argument] : llvm::zip_equal(loop.getResults(), loop.getRegionIterArgs()))
      if (isa<TokenType>(result.getType()))
        ages.meet(result, ages.of(argument));
  }
};

struct CountGroupsPass : public tgpu::impl::CountGroupsPassBase<CountGroupsPass> {
  void runOnOperation() override {
    GroupAges ages;
    GroupCounter().visit(getOperation().getBody().front(), ages);
  }
};
} // namespace
