/// A walk over the blocks in program order that adds a tile where it is made and takes it off after its last use. Of
/// ops with regions the dearest block counts, beside what is live around it.
///
/// Elementwise ops are computed element by element along their chains, so of all tiles that one hands to the next only
/// the largest counts.
#include "ir/TileToTileGPU/LiveTiles.h"

#include "ir/Tile/TileOps.h"
#include "ir/TileToTileGPU/Passes.h"

#include <set>

using namespace mlir;
using namespace tile;

static int64_t elementBits(Type type) {
  Type element = elementOf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

int64_t tile::wordsOf(Type type) {
  return isa<RankedTensorType>(type) ? tgpu::countElements(type) * llvm::divideCeil(elementBits(type), 32) : 0;
}

int64_t tile::loadedWordsOf(Type type) {
  return isa<RankedTensorType>(type) ? llvm::divideCeil(tgpu::countElements(type) * elementBits(type), 32) : 0;
}

/// Whether products take `loaded` from memory a fragment at a time: nothing else uses it, and nobody keeps it for other
/// iterations.
static bool isReadByProducts(Value loaded) {
  return llvm::all_of(loaded.getUsers(), [&](Operation *user) {
    return user->getBlock() == loaded.getParentBlock() &&
           (isa<DotOp>(user) || (isa<PermuteOp>(user) && isReadByProducts(user->getResult(0))));
  });
}

/// What `value` takes of the registers while it waits for its uses.
static int64_t heldWords(Value value) {
  Operation *maker = value.getDefiningOp();
  if (!isa<RankedTensorType>(value.getType()) || elementBits(value.getType()) == 1)
    return 0;
  if (maker && (maker->hasTrait<OpTrait::ConstantLike>() || isa<SplatOp, IotaOp, BroadcastOp, ExpandDimsOp>(maker) ||
                (isa<LoadOp, PermuteOp>(maker) && isReadByProducts(value))))
    return 0;
  // The wider form of what was loaded can be made where it is used, an element at a time.
  if (auto extended = value.getDefiningOp<arith::ExtFOp>())
    if (extended.getIn().getDefiningOp<LoadOp>() && extended.getIn().hasOneUse() &&
        llvm::none_of(value.getUsers(), llvm::IsaPred<DotOp>))
      return loadedWordsOf(extended.getIn().getType());
  return loadedWordsOf(value.getType());
}

/// Whether `value` stays where the products of matrices add to it: it comes from one or goes to the next.
static bool isSum(Value value) {
  auto comesFromProduct = [](OpOperand *yielded) { return yielded && yielded->get().getDefiningOp<DotOp>(); };
  if (value.getDefiningOp<DotOp>())
    return true;
  if (auto result = dyn_cast<OpResult>(value))
    if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
      return comesFromProduct(loop.getTiedLoopYieldedValue(loop.getTiedLoopRegionIterArg(result)));
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
      return argument != loop.getInductionVar() && comesFromProduct(loop.getTiedLoopYieldedValue(argument));
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    auto dot = dyn_cast<DotOp>(use.getOwner());
    return dot && use.get() == dot.getAcc();
  });
}

static int64_t sumWords(Value value) { return isSum(value) ? heldWords(value) : 0; }

/// Whether an elementwise op hands `value` on to others of its block only.
static bool isWithinChain(Value value) {
  Operation *maker = value.getDefiningOp();
  return maker && maker->hasTrait<OpTrait::Elementwise>() && llvm::all_of(value.getUsers(), [&](Operation *user) {
           return user->getBlock() == maker->getBlock() && user->hasTrait<OpTrait::Elementwise>();
         });
}

/// `weigh` says what a value counts.
static int64_t mostLiveIn(Block &block, int64_t (*weigh)(Value)) {
  llvm::DenseMap<Operation *, SmallVector<Value, 2>> lastUses;
  int64_t held = 0;
  std::multiset<int64_t> chained;
  auto live = [&] { return held + (chained.empty() ? 0 : *chained.rbegin()); };
  auto begin = [&](ValueRange values) {
    for (Value value : values) {
      int64_t words = weigh(value);
      Operation *last = nullptr;
      if (words)
        for (Operation *user : value.getUsers()) {
          Operation *here = block.findAncestorOpInBlock(*user);
          if (here && (!last || last->isBeforeInBlock(here)))
            last = here;
        }
      if (!last)
        continue;
      lastUses[last].push_back(value);
      if (isWithinChain(value))
        chained.insert(words);
      else
        held += words;
    }
  };
  if (!block.isEntryBlock() || !isa<func::FuncOp>(block.getParentOp())) // a launch passes no tiles
    begin(block.getArguments());
  int64_t most = live();
  for (Operation &op : block) {
    // What the blocks of `op` read is live in all of them; what `op` itself takes becomes one of their arguments.
    int64_t inside = 0;
    for (Value value : lastUses.lookup(&op)) {
      int64_t words = weigh(value);
      if (isWithinChain(value)) {
        chained.erase(chained.find(words));
        continue;
      }
      held -= words;
      if (llvm::any_of(value.getUsers(), [&](Operation *user) { return user->getBlock() != &block; }))
        inside += words;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        most = std::max(most, live() + inside + mostLiveIn(inner, weigh));
    begin(op.getResults());
    most = std::max(most, live());
  }
  return most;
}

int64_t tile::mostLiveWords(func::FuncOp kernel) { return mostLiveIn(kernel.front(), heldWords); }

int64_t tile::mostLiveSumWords(func::FuncOp kernel) { return mostLiveIn(kernel.front(), sumWords); }
