/// Orders what is computed for a store that goes slice by slice: for each slice just before the slice is stored.
/// Lowering an op on a tile leaves its registers side by side, so that the first store would stand behind the last
/// element. The assembler moves instructions over short distances only.
#include "backend/TileGPUToLLVM/LowerTiles.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

static constexpr llvm::StringLiteral kSlice{"tgpu.slice"};

void tgpu::markSlice(Operation *op) { op->setAttr(kSlice, UnitAttr::get(op->getContext())); }

/// Joins blocks of which the first alone leads to the second.
static void joinBlocks(Region &region) {
  for (Block &block : region)
    while (auto branch = dyn_cast<cf::BranchOp>(block.getTerminator())) {
      Block *next = branch.getDest();
      if (next == &block || !next->getSinglePredecessor())
        break;
      for (auto [argument, value] : llvm::zip_equal(next->getArguments(), branch.getDestOperands()))
        argument.replaceAllUsesWith(value);
      branch.erase();
      block.getOperations().splice(block.end(), next->getOperations());
      next->erase();
    }
}

/// Whether `op` reads shared memory. `tgpu-insert-barriers` has put a barrier of the block before whoever writes there
/// next; the barriers of a warp, within a store in slices, order the bytes of that store alone.
static bool readsShared(Operation *op) {
  auto load = dyn_cast<LLVM::LoadOp>(op);
  return load && load.getAddr().getType().getAddressSpace() == NVVM::NVVMMemorySpace::Shared;
}

/// Moves ops that only lead to marked ones down to the first that uses them, and loads from shared memory one marked op
/// further up: what was loaded for a slice could not be moved over the stores of the one before, and all that it leads
/// to would wait for it.
static void orderBlock(Block &block) {
  llvm::DenseMap<Operation *, size_t> places;
  SmallVector<size_t> marked;
  size_t count = 0, nextBarrier = 0;
  for (Operation &op : block) {
    if (op.hasAttr(kSlice))
      marked.push_back(count);
    places[&op] = count++;
  }
  nextBarrier = count;
  llvm::DenseSet<Operation *> leads;
  bool isMoved = false;
  for (Operation &op : llvm::reverse(block)) {
    if (op.hasAttr(kSlice)) {
      leads.insert(&op);
      continue;
    }
    if (isa<NVVM::Barrier0Op>(op))
      nextBarrier = places[&op];
    if (op.use_empty() || op.getNumRegions() != 0 || !(isMemoryEffectFree(&op) || readsShared(&op)))
      continue;
    size_t first = count;
    bool all = llvm::all_of(op.getUsers(), [&](Operation *user) {
      if (!leads.contains(user))
        return false;
      first = std::min(first, places[user]);
      return true;
    });
    if (!all || (readsShared(&op) && first > nextBarrier))
      continue;
    leads.insert(&op);
    if (readsShared(&op))
      if (auto after = llvm::lower_bound(marked, first); after != marked.begin())
        first = std::max(places[&op], *std::prev(after));
    places[&op] = first;
    isMoved = true;
  }
  if (!isMoved)
    return;
  // The order of ops with one place is as it was: what is used stands before its user.
  SmallVector<std::tuple<size_t, size_t, Operation *>> order;
  for (auto [i, op] : llvm::enumerate(block))
    order.emplace_back(places[&op], i, &op);
  llvm::sort(order);
  for (auto [place, i, op] : order)
    op->moveBefore(&block, block.end());
}

void tgpu::computeInSlices(ModuleOp module) {
  llvm::SmallSetVector<Region *, 4> regions;
  module.walk([&](Operation *op) {
    if (op->hasAttr(kSlice))
      regions.insert(op->getParentRegion());
  });
  for (Region *region : regions) {
    joinBlocks(*region);
    for (Block &block : *region)
      orderBlock(block);
  }
  module.walk([](Operation *op) { op->removeAttr(kSlice); });
}
