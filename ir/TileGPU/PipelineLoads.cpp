/// Copies the factors of a loop's products to shared memory ahead of their use. With S stages the copies for iteration
/// n + S - 1 begin in iteration n, after the wait for those of iteration n: the barrier that makes these visible also
/// says that iteration n - 1 has read the slot that is written next, so one barrier per iteration is enough.
///
/// Products of warpgroups go on by themselves: that of iteration n is begun, then that of iteration n - 1 is waited
/// for. Slots are free an iteration later, so copies are an iteration less ahead, and there is still one barrier.
///
/// Copies that would be for iterations past the last are predicated off, so trip counts need not be known, and no part
/// of the loop is peeled. The order of every sum is that of the loop: the number of stages never changes a result.
#include "ir/TileGPU/Passes.h"
#include "ir/TileGPU/PipelinePlan.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_PIPELINELOADSPASS
#include "ir/TileGPU/Passes.h.inc"
} // namespace tile::tgpu

namespace {
class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp loop, PipelinePlan &plan, StoredFactors &storedBefore)
      : loop(loop), plan(plan), storedBefore(storedBefore) {}

  /// Gives the loop that takes its place.
  scf::ForOp run() {
    IRRewriter rewriter(loop);
    noteStages();
    for (DotOp dot : plan.dots)
      if (plan.isCarried(dot))
        carried.push_back({dot, indexOfSum(dot)});
    makeBuffers(rewriter);
    trips = emitTrips(rewriter, loop.getLoc());
    holdSums(rewriter);
    addArguments(rewriter, beginCopies(rewriter));
    rewriteBody(rewriter);
    finish(rewriter);
    return loop;
  }

private:
  /// A product that goes on in the next iteration, and which of the loop's results its sum is.
  struct Carried {
    DotOp dot;
    unsigned index;
  };

  unsigned indexOfSum(DotOp dot) { return dot->use_begin()->getOperandNumber(); }

  Value emitIndex(OpBuilder &b, int64_t value) { return arith::ConstantIndexOp::create(b, loop.getLoc(), value); }

  /// What stays comes first, so that the rings of later loops lie beside each other.
  void makeBuffers(OpBuilder &b) {
    for (auto &[key, store] : plan.stored) {
      Value factor = PipelinePlan::factorOf(key);
      if (store.isInvariant && (store.slot = storedBefore.find(factor, store.shared, loop)))
        continue;
      store.buffer =
          AllocOp::create(b, loop.getLoc(), bufferTypeOf(factor.getType(), store.shared, plan.storedStages(store)));
      if (!store.isInvariant)
        continue;
      store.slot = storeTo(b, factor, store.buffer, emitIndex(b, 0));
      storedBefore.add(store.slot);
    }
    for (PipelinePlan::Ahead &ahead : plan.loads)
      ahead.buffer =
          AllocOp::create(b, ahead.load.getLoc(), bufferTypeOf(ahead.load.getType(), ahead.shared, plan.stages));
  }

  /// Copies what the first iterations read; gives the new initial arguments of the loop: a counter of iterations, the
  /// groups of copies, and the last product of the iteration before.
  SmallVector<Value> beginCopies(OpBuilder &b) {
    Location loc = loop.getLoc();
    SmallVector<Value> inits = {emitIndex(b, 0)};
    for (int64_t n = 0; n < plan.distance(); ++n) {
      Value step = castTo(b, loc, n);
      Value variable =
          arith::AddIOp::create(b, loc, loop.getLowerBound(), arith::MulIOp::create(b, loc, loop.getStep(), step));
      inits.push_back(copyAll(b, emitIndex(b, n), variable));
    }
    if (!carried.empty())
      inits.push_back(DoneOp::create(b, loc));
    return inits;
  }

  /// A wait hands out the registers that the carried sums begin in. Were these constants, a loop of no trips would set
  /// them where its end joins, among products under way; the assembler then lets no product of the kernel overlap
  /// another (its message C7515).
  void holdSums(OpBuilder &b) {
    if (carried.empty())
      return;
    SmallVector<Value> sums;
    for (const Carried &known : carried)
      sums.push_back(loop.getInitArgs()[known.index]);
    auto wait = MmaWaitOp::create(b, loop.getLoc(), ValueRange(), sums, IntegerAttr());
    for (auto [known, held] : llvm::zip_equal(carried, wait.getResults()))
      loop.getInitArgsMutable()[known.index].set(held);
  }

  void addArguments(IRRewriter &rewriter, ArrayRef<Value> inits) {
    auto keep = [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
      return SmallVector<Value>(arguments.begin(), arguments.end());
    };
    firstNew = loop.getNumRegionIterArgs();
    loop = cast<scf::ForOp>(
        *loop.replaceWithAdditionalYields(rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, keep));
    plan.moveTo(loop);
    counter = loop.getRegionIterArg(firstNew);
    groups = llvm::to_vector_of<Value>(loop.getRegionIterArgs().slice(firstNew + 1, plan.distance()));
    if (!carried.empty())
      lastProduct = loop.getRegionIterArgs().back();
  }

  void rewriteBody(IRRewriter &rewriter) {
    DotOp first = plan.dots.front();
    rewriter.setInsertionPoint(first);
    for (auto &[key, store] : plan.stored) {
      Value factor = PipelinePlan::factorOf(key);
      if (!store.isInvariant && isMadeBefore(factor, first))
        store.slot = storeTo(rewriter, factor, store.buffer, counter);
    }
    // All of an iteration's copies are one group, so that one wait and one barrier are enough.
    WaitOp::create(rewriter, first.getLoc(), groups.front(), IntegerAttr());
    // The next copies are computed while products run: those of the iteration before, or else the first of this one.
    auto isLate = [&](DotOp dot) { return plan.isCarried(dot) || plan.isPassedOn(dot); };
    bool isBegunFirst = isLate(first) || (plan.lag() == 0 && plan.mayWaitApart(first));
    if (!isBegunFirst)
      copyNext(rewriter);
    Value token;
    for (DotOp dot : plan.dots) {
      rewriter.setInsertionPoint(dot);
      bool isFirst = isBegunFirst && dot == first;
      Operation *product = begin(rewriter, dot, /*waits=*/!isLate(dot) && !isFirst);
      Value sum = product->getResult(0);
      if (isFirst)
        copyNext(rewriter);
      if (isLate(dot))
        token = cast<MmaAsyncOp>(product).getToken();
      else if (isFirst)
        sum = waitFor(rewriter, cast<MmaAsyncOp>(product));
      rewriter.replaceOp(dot, sum);
    }
    if (token)
      waitForLast(rewriter, token);
    setYields(rewriter, token);
  }

  static Value waitFor(OpBuilder &b, MmaAsyncOp product) {
    return MmaWaitOp::create(b, product.getLoc(), product.getToken(), product.getResult(), IntegerAttr())
        .getResults()
        .front();
  }

  void copyNext(OpBuilder &b) {
    Location loc = loop.getLoc();
    Value ahead = arith::AddIOp::create(b, loc, counter, emitIndex(b, plan.distance()));
    Value step = arith::MulIOp::create(b, loc, loop.getStep(), castTo(b, loc, plan.distance()));
    Value variable = arith::AddIOp::create(b, loc, loop.getInductionVar(), step);
    nextGroup = copyAll(b, ahead, variable);
  }

  /// Waits for the products of the iteration before: where a sum of theirs is used, or once those of this one are
  /// begun.
  void waitForLast(IRRewriter &rewriter, Value token) {
    bool isWaited = false;
    for (const Carried &known : carried) {
      Value sum = loop.getRegionIterArg(known.index);
      Operation *firstUser = nullptr;
      for (OpOperand &use : sum.getUses()) {
        Operation *user = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
        bool isPassedOn = isa<MmaAsyncOp>(use.getOwner());
        if (!isPassedOn && (!firstUser || user->isBeforeInBlock(firstUser)))
          firstUser = user;
      }
      if (!firstUser)
        continue;
      isWaited = true;
      rewriter.setInsertionPoint(firstUser);
      auto wait = MmaWaitOp::create(rewriter, loop.getLoc(), lastProduct, sum, IntegerAttr());
      rewriter.replaceUsesWithIf(sum, wait.getResults().front(),
                                 [&](OpOperand &use) { return !isa<MmaAsyncOp, MmaWaitOp>(use.getOwner()); });
    }
    if (isWaited)
      return;
    Operation *after = token.getDefiningOp(), *copies = nextGroup.getDefiningOp();
    rewriter.setInsertionPointAfter(after->isBeforeInBlock(copies) ? copies : after);
    MmaWaitOp::create(rewriter, loop.getLoc(), lastProduct, ValueRange(), IntegerAttr());
  }

  void setYields(IRRewriter &rewriter, Value token) {
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    rewriter.setInsertionPoint(yield);
    SmallVector<Value> next = {arith::AddIOp::create(rewriter, loop.getLoc(), counter, emitIndex(rewriter, 1))};
    next.append(groups.begin() + 1, groups.end());
    next.push_back(nextGroup);
    if (token)
      next.push_back(token);
    rewriter.modifyOpInPlace(yield, [&] {
      for (auto [i, value] : llvm::enumerate(next))
        yield.setOperand(firstNew + i, value);
    });
  }

  /// After the loop.
  void finish(IRRewriter &rewriter) {
    rewriter.setInsertionPointAfter(loop);
    WaitOp::create(rewriter, loop.getLoc(), loop.getResults().slice(firstNew + 1, plan.distance()), IntegerAttr());
    if (!carried.empty()) {
      SmallVector<Value> sums;
      for (const Carried &known : carried)
        sums.push_back(loop.getResult(known.index));
      auto wait = MmaWaitOp::create(rewriter, loop.getLoc(), loop.getResults().back(), sums, IntegerAttr());
      for (auto [sum, result] : llvm::zip_equal(sums, wait.getResults()))
        rewriter.replaceAllUsesExcept(sum, result, wait);
    }
    for (PipelinePlan::Ahead &done : plan.loads) {
      for (Operation *user : llvm::make_early_inc_range(done.load->getUsers()))
        if (isa<PermuteOp>(user))
          rewriter.eraseOp(user);
      rewriter.eraseOp(done.load);
    }
  }

  /// For reports.
  void noteStages() {
    auto kernel = loop->getParentOfType<func::FuncOp>();
    auto known = kernel->getAttrOfType<IntegerAttr>(TileGPUDialect::kStages);
    int64_t most = std::max(plan.stages, known ? known.getInt() : 0);
    kernel->setAttr(TileGPUDialect::kStages, Builder(kernel).getI64IntegerAttr(most));
  }

  /// How many iterations the loop has, as an index; the bounds are those of signed integers, and not below 64 bits.
  Value emitTrips(OpBuilder &b, Location loc) {
    auto wide = [&](Value value) {
      return value.getType().isIndex() ? value : b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(), value);
    };
    Value lower = wide(loop.getLowerBound()), upper = wide(loop.getUpperBound()), step = wide(loop.getStep());
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Value span = b.createOrFold<arith::SubIOp>(loc, upper, lower);
    Value rounded = b.createOrFold<arith::AddIOp>(loc, span, b.createOrFold<arith::SubIOp>(loc, step, one));
    return b.createOrFold<arith::DivSIOp>(loc, rounded, step);
  }

  /// `value` in the type of the loop's variable.
  Value castTo(OpBuilder &b, Location loc, int64_t value) {
    Type type = loop.getInductionVar().getType();
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }

  /// Begins the copies for iteration `n`, in which the loop's variable is `variable`; gives their group.
  Value copyAll(OpBuilder &b, Value n, Value variable) {
    Location loc = loop.getLoc();
    Value isRun = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, n, trips);
    SmallVector<Value> copies;
    for (PipelinePlan::Ahead &ahead : plan.loads) {
      LoadOp load = ahead.load;
      IRMapping mapping;
      cloneSlice(b, loop, ahead.slice, variable, mapping);
      auto indices = llvm::map_to_vector(load.getIndices(), [&](Value v) { return mapping.lookupOrDefault(v); });
      Value slot = SlotOp::create(b, load.getLoc(), ahead.buffer, n);
      auto copy = CopyAsyncOp::create(
          b, load.getLoc(), TokenType::get(b.getContext()), mapping.lookupOrDefault(load.getView()), indices, slot,
          isRun, load.getSizesAttr(), load.getUncheckedAttr(), load.getCacheAttr(), layoutOf(load.getType()));
      copy->setAttr(TileGPUDialect::kAccess, load->getAttr(TileGPUDialect::kAccess));
      copies.push_back(copy);
    }
    return CommitOp::create(b, loc, TokenType::get(b.getContext()), copies);
  }

  static bool isMadeBefore(Value value, Operation *op) {
    Operation *maker = value.getDefiningOp();
    return !maker || maker->getBlock() != op->getBlock() || maker->isBeforeInBlock(op);
  }

  /// The product, with its factors where they are now.
  Operation *begin(OpBuilder &b, DotOp dot, bool waits) {
    SmallVector<Value> factors;
    for (auto [factor, which] : factorsOf(dot))
      factors.push_back(place(b, dot, factor, which));
    return multiply(b, dot, factors[0], factors[1], waits);
  }

  Value place(OpBuilder &b, DotOp dot, Value factor, DotOperand which) {
    if (PipelinePlan::Ahead *ahead = plan.copied(factor)) {
      Value slot = SlotOp::create(b, factor.getLoc(), ahead->buffer, counter);
      return plan.isTransposed(factor) ? TransposeOp::create(b, factor.getLoc(), slot).getResult() : slot;
    }
    auto store = plan.stored.find({dot, which});
    if (store == plan.stored.end())
      return toFragment(b, dot, factor, which);
    if (!store->second.slot)
      store->second.slot = storeTo(b, factor, store->second.buffer, counter);
    return store->second.slot;
  }

  scf::ForOp loop;
  PipelinePlan &plan;
  StoredFactors &storedBefore;
  SmallVector<Carried> carried;
  unsigned firstNew = 0; ///< of the arguments that are added
  Value trips, counter, lastProduct, nextGroup;
  SmallVector<Value> groups;
};

/// Says of loops with products that are not looked at why that is so.
void remarkOtherLoops(func::FuncOp kernel) {
  llvm::SmallSetVector<Operation *, 4> seen;
  kernel.walk([&](DotOp dot) {
    auto around = dot->getParentOfType<LoopLikeOpInterface>();
    if (!shareOf(dot) || !around || !seen.insert(around))
      return;
    if (!isa<scf::ForOp>(around))
      remarkNotAhead(around, "loads are not copied ahead",
                     "a loop with `while`, `break` or `return` does not know which iterations come");
    else if (dot->getParentOp() != around)
      remarkNotAhead(around, "loads are not copied ahead",
                     "its products are under a condition, as is all that follows a `continue`");
  });
}

struct PipelineLoadsPass : public tgpu::impl::PipelineLoadsPassBase<PipelineLoadsPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(verifyLaidOut(getOperation())))
      return signalPassFailure();
    remarkOtherLoops(getOperation());
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp found) {
      if (!found.getUnsignedCmp() &&
          llvm::any_of(found.getBody()->getOps<DotOp>(), [](DotOp dot) { return shareOf(dot).has_value(); }))
        loops.push_back(found);
    });
    taken.clear();
    StoredFactors stored;
    // Inner loops come first: theirs is what runs most. Around them is what they leave.
    for (scf::ForOp found : loops) {
      int64_t beside = bytesInside(found) + stored.bytesKept(found);
      if (PipelinePlan plan(found, limit - beside, shared - beside); plan.isWorthIt())
        taken[LoopPipeliner(found, plan, stored).run()] = plan.bytes();
    }
  }

private:
  /// The most bytes that loops within `loop` take at the same time.
  int64_t bytesInside(scf::ForOp loop) {
    int64_t most = 0;
    loop.getBody()->walk([&](scf::ForOp inner) {
      int64_t bytes = 0;
      for (Operation *op = inner; op != loop; op = op->getParentOp())
        bytes += taken.lookup(op);
      most = std::max(most, bytes);
    });
    return most;
  }

  llvm::DenseMap<Operation *, int64_t> taken; ///< by the buffers of a loop
};
} // namespace
