/// Copies the factors of a loop's products to shared memory ahead of their use. With S stages the copies for iteration
/// n + S - 1 begin in iteration n, after the wait for those of iteration n: the barrier that makes these visible also
/// says that iteration n - 1 has read the slot that is written next, so one barrier per iteration is enough.
///
/// Copies that would be for iterations past the last are predicated off, so trip counts need not be known, and no part
/// of the loop is peeled. The order of every sum is that of the loop: the number of stages never changes a result.
#include "ir/Layout/Constructors.h"
#include "ir/Layout/ShapeOps.h"
#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/LoopSlice.h"
#include "ir/TileGPU/Passes.h"
#include "ir/TileGPU/Scratch.h"
#include "ir/TileGPU/SlotAccess.h"
#include "ir/TileGPU/Variants.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_PIPELINELOADSPASS
#include "ir/TileGPU/Passes.h.inc"
} // namespace tile::tgpu

/// Stages unasked: copies three iterations ahead cover the latency of memory for loops that products fill.
static constexpr int64_t kUsualStages = 4;
/// Slots of a tile that the loop itself makes and stores: one is read while the next is written.
static constexpr int64_t kStoredStages = 2;

namespace {
/// The load that gives a factor of a product.
struct Source {
  LoadOp load;
  bool isTransposed = false; ///< on its way to the product
};

/// A load that is issued early.
struct Ahead {
  LoadOp load;
  Layout shared;
  LoopSlice slice = {};
  Value buffer = {};
};
} // namespace

static bool isTransposition(PermuteOp permute) { return permute.getOrder() == ArrayRef<int32_t>({1, 0}); }

/// The load in the body of `loop` that `factor` comes from.
static std::optional<Source> sourceOf(scf::ForOp loop, Value factor) {
  Source source;
  auto permute = factor.getDefiningOp<PermuteOp>();
  if (permute && permute->getBlock() == loop.getBody() && isTransposition(permute)) {
    source.isTransposed = true;
    factor = permute.getValue();
  }
  source.load = factor.getDefiningOp<LoadOp>();
  if (!source.load || source.load->getBlock() != loop.getBody())
    return std::nullopt;
  return source;
}

static bool isOnTensorCores(DotOp dot) { return dot->hasAttr(TileGPUDialect::kMma); }

static ArrayRef<int64_t> warpsOfDot(DotOp dot) {
  return dot->getAttrOfType<DenseI64ArrayAttr>(TileGPUDialect::kMma).asArrayRef();
}

/// Both factors, with what the product takes them as.
static SmallVector<std::pair<Value, DotOperand>, 2> factorsOf(DotOp dot) {
  return {{dot.getLhs(), DotOperand::A}, {dot.getRhs(), DotOperand::B}};
}

static bool isZero(Value value) {
  return !value || matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

static SlotType slotTypeOf(Type tile, const Layout &shared) {
  return SlotType::get(tile.getContext(), shapeOf(tile), elementOf(tile), LayoutAttr::get(tile.getContext(), shared));
}

/// Of the variant that promises nothing of addresses nobody expects copies.
static void remarkMissed(Operation *op, StringRef what, const std::string &reason) {
  auto name = op->getParentOfType<func::FuncOp>()->getAttrOfType<StringAttr>(TileGPUDialect::kVariant);
  if (const Variant *variant = name ? findVariant(name) : nullptr; variant && variant->promisesNothing())
    return;
  remark::missed(op->getLoc(), remark::RemarkOpts::name("PipelineLoads").category("tgpu-pipeline-loads"))
      << what << remark::reason("{0}", reason);
}

namespace {
class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp loop, int64_t limit, int64_t shared) : loop(loop), limit(limit), shared(shared) {}

  void run() {
    std::optional<int64_t> asked = askedStages();
    if (asked == 1)
      return;
    for (auto dot : loop.getBody()->getOps<DotOp>())
      if (isOnTensorCores(dot))
        dots.push_back(dot);
    for (DotOp dot : dots)
      for (auto [factor, which] : factorsOf(dot))
        if (std::optional<Source> source = sourceOf(loop, factor))
          consider(source->load);
    if (loads.empty())
      return;
    // Products that read none of the copies stay as they are.
    llvm::erase_if(dots, [&](DotOp dot) {
      return llvm::none_of(factorsOf(dot), [&](auto factor) { return copied(factor.first) != nullptr; });
    });
    planOthers();
    std::optional<int64_t> chosen = chooseStages(asked);
    if (!chosen)
      return;
    stages = *chosen;
    transform();
  }

private:
  //===-- What is copied ------------------------------------------------------------------------------------------===//

  std::optional<int64_t> askedStages() {
    for (Operation *op : {loop.getOperation(), loop->getParentOfType<func::FuncOp>().getOperation()})
      if (auto schedule = op->getAttrOfType<DictionaryAttr>(TileDialect::kSchedule))
        if (auto stages = schedule.getAs<IntegerAttr>("stages"))
          return stages.getInt();
    return std::nullopt;
  }

  void consider(LoadOp load) {
    if (llvm::any_of(loads, [&](const Ahead &known) { return known.load == load; }))
      return;
    Ahead ahead{load, Layout()};
    if (std::string fault = whyNot(load, ahead); !fault.empty())
      return remarkMissed(load, "load is not copied ahead", fault);
    loads.push_back(std::move(ahead));
  }

  /// Why `load` cannot become a copy; fills in what the copy needs.
  std::string whyNot(LoadOp load, Ahead &ahead) {
    if (!load.getView().getType().getConstant())
      return "its tensor may be written meanwhile";
    if (!isZero(load.getOther()))
      return "what it reads outside of the tensor is not zero";
    if (load.getCache() == CacheHint::Volatile)
      return "it is volatile";
    auto plan = load->getAttrOfType<AccessAttr>(TileGPUDialect::kAccess);
    if (!plan)
      return "it has no plan";
    ArrayRef<int64_t> shape = shapeOf(load.getType());
    if (load.getSizes().empty() || load.getSizes().back() < 1 ||
        llvm::is_contained(load.getSizes(), ViewAccess::kGather))
      return "its positions are not regions that are contiguous in memory";
    Type element = elementOf(load.getType());
    std::optional<Layout> layout = factorLayout(shape, element, shape.size() - 1);
    if (!layout)
      return "rows of " + std::to_string(shape.back() * elementBytes(element)) + " bytes are too short to be swizzled";
    ahead.shared = *layout;
    const Layout &registers = layoutOf(load.getType()).getLayout();
    if (std::string fault = whyNoAsyncCopy(cast<ViewAccess>(load.getOperation()), plan, registers, ahead.shared);
        !fault.empty())
      return fault;
    for (Value operand : load->getOperands())
      if (failed(collectSlice(loop, operand, ahead.slice)))
        return "its positions follow from more than the loop's variable: from memory, or from the iteration before";
    return whyNoUse(load, ahead.shared);
  }

  /// Why the users of `load` cannot read it from shared memory.
  std::string whyNoUse(LoadOp load, const Layout &shared) {
    SmallVector<OpOperand *> uses = llvm::to_vector(llvm::make_pointer_range(load->getUses()));
    while (!uses.empty()) {
      OpOperand *use = uses.pop_back_val();
      Operation *user = use->getOwner();
      auto permute = dyn_cast<PermuteOp>(user);
      if (permute && permute->getBlock() == loop.getBody() && use->get() == load.getResult() &&
          isTransposition(permute)) {
        for (OpOperand &next : permute->getUses())
          uses.push_back(&next);
        continue;
      }
      auto dot = dyn_cast<DotOp>(user);
      if (!dot || !llvm::is_contained(dots, dot) || use->getOperandNumber() > 1)
        return "it has users that are no products on the tensor cores";
      DotOperand which = use->getOperandNumber() == 0 ? DotOperand::A : DotOperand::B;
      bool isTransposed = use->get() != load.getResult();
      Layout seen = isTransposed ? permuteLayout(shared, {1, 0}) : shared;
      if (!planSlotOperand(slotTypeOf(use->get().getType(), seen), which, warpsOfDot(dot)).matrix &&
          elementBytes(elementOf(load.getType())) < 4)
        return "ldmatrix does not read the fragments of its elements in this order";
    }
    return "";
  }

  Ahead *copied(Value factor) {
    std::optional<Source> source = sourceOf(loop, factor);
    auto found = source ? llvm::find_if(loads, [&](Ahead &known) { return known.load == source->load; }) : loads.end();
    return found == loads.end() ? nullptr : &*found;
  }

  //===-- The other factors ---------------------------------------------------------------------------------------===//

  /// A factor that is stored to shared memory because no conversion in registers makes its fragments.
  struct Stored {
    Layout shared;
    bool isInvariant;
    Value buffer = {};
    Value slot = {};
  };

  void planOthers() {
    for (DotOp dot : dots) {
      DotOperands plan = planDotOperands(dot);
      for (auto [factor, which] : factorsOf(dot)) {
        const MmaOperand &operand = which == DotOperand::A ? plan.lhs : plan.rhs;
        if (!copied(factor) && operand.bytes != 0)
          stored.insert({factor, Stored{operand.shared, loop.isDefinedOutsideOfLoop(factor)}});
      }
    }
  }

  static int64_t slotBytes(Type tile, const Layout &shared) { return bufferTypeOf(tile, shared, 1).getSlotBytes(); }

  static BufferType bufferTypeOf(Type tile, const Layout &shared, int64_t stages) {
    SlotType slot = slotTypeOf(tile, shared);
    return BufferType::get(tile.getContext(), stages, slot.getShape(), slot.getElementType(), slot.getLayout());
  }

  //===-- How many stages -----------------------------------------------------------------------------------------===//

  std::optional<int64_t> chooseStages(std::optional<int64_t> asked) {
    int64_t perStage = 0, beside = 0;
    for (Ahead &ahead : loads)
      perStage += slotBytes(ahead.load.getType(), ahead.shared);
    for (auto &[factor, store] : stored)
      beside += slotBytes(factor.getType(), store.shared) * (store.isInvariant ? 1 : kStoredStages);
    int64_t scratch = 0;
    loop.walk([&](Operation *op) {
      if (!llvm::is_contained(dots, op))
        scratch = std::max(scratch, scratchBytes(op));
    });
    int64_t most = (limit - beside - scratch) / perStage;
    if (most < 2) {
      remarkMissed(loop, "loads are not copied ahead",
                   "two stages of " + std::to_string(perStage) + " bytes do not fit in shared memory");
      return std::nullopt;
    }
    if (asked) {
      if (*asked > most)
        remarkMissed(loop, "loop has " + std::to_string(most) + " stages, not " + std::to_string(*asked),
                     "a stage takes " + std::to_string(perStage) + " bytes of shared memory");
      return std::min(*asked, most);
    }
    int64_t cheap = std::max<int64_t>((shared - beside - scratch) / perStage, 2);
    return std::min({kUsualStages, cheap, most});
  }

  //===-- The new loop --------------------------------------------------------------------------------------------===//

  void transform() {
    IRRewriter rewriter(loop);
    Location loc = loop.getLoc();
    noteStages();
    auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(rewriter, loc, value); };
    for (Ahead &ahead : loads)
      ahead.buffer =
          AllocOp::create(rewriter, ahead.load.getLoc(), bufferTypeOf(ahead.load.getType(), ahead.shared, stages));
    for (auto &[factor, store] : stored) {
      int64_t slots = store.isInvariant ? 1 : kStoredStages;
      store.buffer = AllocOp::create(rewriter, loc, bufferTypeOf(factor.getType(), store.shared, slots));
      if (store.isInvariant)
        store.slot = storeTo(rewriter, factor, store.buffer, index(0));
    }
    trips = emitTrips(rewriter, loc);

    // What the first iterations read.
    Value zero = index(0);
    SmallVector<Value> inits = {zero};
    for (int64_t n = 0; n < stages - 1; ++n) {
      Value step = castTo(rewriter, loc, n);
      Value variable = arith::AddIOp::create(rewriter, loc, loop.getLowerBound(),
                                             arith::MulIOp::create(rewriter, loc, loop.getStep(), step));
      inits.push_back(copyAll(rewriter, index(n), variable));
    }
    auto keep = [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
      return SmallVector<Value>(arguments.begin(), arguments.end());
    };
    size_t carried = loop.getNumRegionIterArgs();
    SmallVector<Value> arguments = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    loop = cast<scf::ForOp>(
        *loop.replaceWithAdditionalYields(rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, keep));
    renameStored(arguments);
    counter = loop.getRegionIterArg(carried);
    auto groups = loop.getRegionIterArgs().drop_front(carried + 1);

    // All of an iteration's copies are one group, so that one wait and one barrier are enough.
    DotOp first = dots.front();
    rewriter.setInsertionPoint(first);
    for (auto &[factor, store] : stored)
      if (!store.isInvariant && isMadeBefore(factor, first))
        store.slot = storeTo(rewriter, factor, store.buffer, counter);
    WaitOp::create(rewriter, first.getLoc(), groups.front(), IntegerAttr());
    Value ahead = arith::AddIOp::create(rewriter, loc, counter, index(stages - 1));
    Value distance = arith::MulIOp::create(rewriter, loc, loop.getStep(), castTo(rewriter, loc, stages - 1));
    Value variable = arith::AddIOp::create(rewriter, loc, loop.getInductionVar(), distance);
    Value group = copyAll(rewriter, ahead, variable);
    for (DotOp dot : dots)
      multiply(rewriter, dot);

    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    rewriter.setInsertionPoint(yield);
    SmallVector<Value> next = {arith::AddIOp::create(rewriter, loc, counter, index(1))};
    next.append(groups.begin() + 1, groups.end());
    next.push_back(group);
    rewriter.modifyOpInPlace(yield, [&] {
      for (auto [i, value] : llvm::enumerate(next))
        yield.setOperand(carried + i, value);
    });
    rewriter.setInsertionPointAfter(loop);
    WaitOp::create(rewriter, loc, loop.getResults().drop_front(carried + 1), IntegerAttr());
    for (Ahead &done : loads) {
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
    int64_t most = std::max(stages, known ? known.getInt() : 0);
    kernel->setAttr(TileGPUDialect::kStages, Builder(kernel).getI64IntegerAttr(most));
  }

  /// The loop is a new op now, with new arguments in place of `before`.
  void renameStored(ArrayRef<Value> before) {
    llvm::MapVector<Value, Stored> renamed;
    for (auto &[factor, store] : stored) {
      const auto *found = llvm::find(before, factor);
      Value now = found == before.end() ? factor : loop.getRegionIterArg(found - before.begin());
      renamed.insert({now, store});
    }
    stored = std::move(renamed);
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
    for (Ahead &ahead : loads) {
      LoadOp load = ahead.load;
      IRMapping mapping;
      cloneSlice(b, loop, ahead.slice, variable, mapping);
      auto indices = llvm::map_to_vector(load.getIndices(), [&](Value v) { return mapping.lookupOrDefault(v); });
      Value slot = SlotOp::create(b, load.getLoc(), ahead.buffer, n);
      auto copy =
          CopyAsyncOp::create(b, load.getLoc(), TokenType::get(b.getContext()), mapping.lookupOrDefault(load.getView()),
                              indices, slot, isRun, load.getSizesAttr(), load.getProvedInsideAttr(),
                              load.getUncheckedAttr(), load.getCacheAttr(), layoutOf(load.getType()));
      copy->setAttr(TileGPUDialect::kAccess, load->getAttr(TileGPUDialect::kAccess));
      copies.push_back(copy);
    }
    return CommitOp::create(b, loc, TokenType::get(b.getContext()), copies);
  }

  static Value storeTo(OpBuilder &b, Value tile, Value buffer, Value n) {
    Value slot = SlotOp::create(b, tile.getLoc(), buffer, n);
    StoreSharedOp::create(b, tile.getLoc(), tile, slot);
    return slot;
  }

  static bool isMadeBefore(Value value, Operation *op) {
    Operation *maker = value.getDefiningOp();
    return !maker || maker->getBlock() != op->getBlock() || maker->isBeforeInBlock(op);
  }

  void multiply(IRRewriter &rewriter, DotOp dot) {
    rewriter.setInsertionPoint(dot);
    ArrayRef<int64_t> warps = warpsOfDot(dot);
    SmallVector<Value> factors;
    for (auto [factor, which] : factorsOf(dot))
      factors.push_back(place(rewriter, factor, which, warps));
    rewriter.replaceOpWithNewOp<MmaOp>(dot, dot.getType(), dot.getPrecision(), dot.getSign(), factors[0], factors[1],
                                       dot.getAcc(), warps);
  }

  /// The factor as `tgpu.mma` takes it.
  Value place(IRRewriter &rewriter, Value factor, DotOperand which, ArrayRef<int64_t> warps) {
    Location loc = factor.getLoc();
    if (Ahead *ahead = copied(factor)) {
      Value slot = SlotOp::create(rewriter, loc, ahead->buffer, counter);
      return sourceOf(loop, factor)->isTransposed ? TransposeOp::create(rewriter, loc, slot).getResult() : slot;
    }
    if (auto store = stored.find(factor); store != stored.end()) {
      if (!store->second.slot)
        store->second.slot = storeTo(rewriter, factor, store->second.buffer, counter);
      return store->second.slot;
    }
    int elementBits = static_cast<int>(8 * elementBytes(elementOf(factor.getType())));
    Layout fragment = mmaOperandLayout(which, layoutOf(factor.getType()).getLayout().shape(),
                                       std::vector<int>(warps.begin(), warps.end()), elementBits);
    Type type = withLayout(factor.getType(), LayoutAttr::get(factor.getContext(), fragment));
    return type == factor.getType() ? factor : ConvertLayoutOp::create(rewriter, loc, type, factor).getResult();
  }

  scf::ForOp loop;
  int64_t limit, shared;
  int64_t stages = 0;
  SmallVector<DotOp> dots; ///< that read at least one copy
  std::vector<Ahead> loads;
  llvm::MapVector<Value, Stored> stored;
  Value trips, counter;
};

/// Says of loops with products that are not looked at why that is so.
void remarkOtherLoops(func::FuncOp kernel) {
  llvm::SmallSetVector<Operation *, 4> seen;
  kernel.walk([&](DotOp dot) {
    auto around = dot->getParentOfType<LoopLikeOpInterface>();
    if (!isOnTensorCores(dot) || !around || !seen.insert(around))
      return;
    if (!isa<scf::ForOp>(around))
      remarkMissed(around, "loads are not copied ahead",
                   "a loop with `while`, `break` or `return` does not know which iterations come");
    else if (dot->getParentOp() != around)
      remarkMissed(around, "loads are not copied ahead",
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
      if (!found.getUnsignedCmp() && llvm::any_of(found.getBody()->getOps<DotOp>(), isOnTensorCores))
        loops.push_back(found);
    });
    for (scf::ForOp found : loops)
      LoopPipeliner(found, limit, shared).run();
  }
};
} // namespace
