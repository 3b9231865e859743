/// Inserts barriers between accesses of one block that must take effect in program order: of shared memory, and of
/// global memory that the kernel itself writes. Walks the structured control flow with the set of accesses that threads
/// may still have pending; a barrier empties it.
///
/// An asynchronous copy or product takes effect when its thread waits for it: until then no barrier helps, and the wait
/// puts it among what is pending. (Which copies a wait covers is not asked; that it covers enough is what
/// `tgpu-verify-async` proves.) Slots of one buffer conflict only where they may be the same. Before a barrier that
/// threads pass with writes that a product may read stands a fence between the two proxies.
///
/// Two accesses of global memory need no barrier where each element is handled by one thread in both, or where the
/// iterations of the loop that carries one to the other provably touch different elements. Scalars are uniform, so a
/// barrier is legal wherever an op is.
#include "ir/TileGPU/LayoutRules.h"
#include "ir/TileGPU/LoopStride.h"
#include "ir/TileGPU/Passes.h"
#include "ir/TileGPU/Scratch.h"
#include "ir/TileGPU/SlotPlaces.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_INSERTBARRIERSPASS
#include "ir/TileGPU/Passes.h.inc"
} // namespace tile::tgpu

namespace {
enum class Space { Shared, Global, Slot };

/// An access that other threads may not have seen yet.
struct Pending {
  Operation *op;
  Space space;
  bool writes;
  int64_t begin = 0, end = 0; ///< bytes of shared memory
  Value root;                 ///< pointer argument of the kernel that global memory belongs to; null: any
  Operation *loop = nullptr;  ///< carried here by its back edge
  bool carriedFar = false;    ///< carried by more than one loop
  SlotPlace place = {};
  bool isUnderWay = false; ///< a copy or product that was not waited for
  int64_t age = 0;         ///< of a product under way: how many began since

  auto key() const { return std::tuple(op, space, writes, begin, end, loop, carriedFar, place.key(), isUnderWay, age); }
  bool operator<(const Pending &other) const { return key() < other.key(); }
};
using State = std::set<Pending>;
} // namespace

static Value rootOf(Value view) {
  while (Operation *op = view.getDefiningOp()) {
    if (auto window = dyn_cast<SubviewOp>(op))
      view = window.getView();
    else if (auto made = dyn_cast<MakeViewOp>(op))
      return isa<BlockArgument>(made.getBase()) ? made.getBase() : Value();
    else
      break;
  }
  return Value();
}

/// The accesses of `op` to global memory; those of constant views meet no write.
static SmallVector<Pending> globalAccesses(Operation *op) {
  return llvm::TypeSwitch<Operation *, SmallVector<Pending>>(op)
      .Case([](LoadOp load) -> SmallVector<Pending> {
        if (load.getView().getType().getConstant())
          return {};
        return {{load, Space::Global, false, 0, 0, rootOf(load.getView())}};
      })
      .Case([](StoreOp store) -> SmallVector<Pending> {
        return {{store, Space::Global, true, 0, 0, rootOf(store.getView())}};
      })
      // An atomic orders all accesses of the program before and after it.
      .Case<AtomicOp, AtomicPtrOp>(
          [](auto atomic) -> SmallVector<Pending> { return {{atomic, Space::Global, true, 0, 0, Value()}}; })
      .Case([](PointerAccess access) -> SmallVector<Pending> {
        return {{access, Space::Global, hasEffect<MemoryEffects::Write>(access), 0, 0, Value()}};
      })
      .Default([](Operation *) -> SmallVector<Pending> { return {}; });
}

/// The accesses of `op` to slots.
static SmallVector<Pending> slotAccesses(Operation *op) {
  SmallVector<Pending> accesses;
  if (isa<SlotOp, TransposeOp>(op))
    return accesses;
  for (Value operand : op->getOperands())
    if (isa<SlotType>(operand.getType())) {
      Pending access{op, Space::Slot, isa<CopyAsyncOp, StoreSharedOp>(op), 0, 0, Value()};
      access.place = placeOf(operand);
      access.isUnderWay = isa<CopyAsyncOp, MmaAsyncOp>(op);
      accesses.push_back(access);
    }
  return accesses;
}

/// Whether both touch the same positions of the same view, as values of one iteration.
static bool touchSamePositions(ViewAccess a, ViewAccess b) {
  return a.getView() == b.getView() && llvm::equal(a.getIndices(), b.getIndices()) && a.getSizes() == b.getSizes();
}

/// Whether each element of both accesses is handled by the same, single thread.
static bool areOfOneThread(ViewAccess a, ViewAccess b) {
  LayoutAttr layout = layoutOfOp(a);
  return layout && layout == layoutOfOp(b) && touchSamePositions(a, b) &&
         layout.getLayout().freeDigits(HwDim::Lane).empty() && layout.getLayout().freeDigits(HwDim::Warp).empty();
}

namespace {
class BarrierInserter {
public:
  explicit BarrierInserter(func::FuncOp kernel) : kernel(kernel) {
    auto contract = kernel->getAttrOfType<DictionaryAttr>(TileDialect::kContract);
    auto alias = contract ? contract.getAs<ArrayAttr>("alias") : ArrayAttr();
    argumentsMayAlias = alias && !alias.empty();
    kernel.walk([&](MmaAsyncOp product) {
      for (Value factor : {Value(product.getLhs()), Value(product.getRhs())})
        if (isa<SlotType>(factor.getType()))
          readByProducts.insert(placeOf(factor).buffer);
      for (Operation *op = product; op != kernel.getOperation(); op = op->getParentOp())
        withProducts.insert(op);
    });
  }

  void run() { visitRegion(kernel.getBody(), {}, /*insert=*/true); }

private:
  /// Whether different iterations of `loopOp` access different elements through `access`, which is in its body.
  bool iterationsAreDisjoint(ViewAccess access, Operation *loopOp) {
    auto loop = dyn_cast<LoopLikeOpInterface>(loopOp);
    if (!loop || !loop.getSingleInductionVar() || !loop.isDefinedOutsideOfLoop(access.getView()))
      return false;
    LoopStride &strides = loops.try_emplace(loopOp, loop).first->second;
    for (auto [index, size] : llvm::zip_equal(access.getIndices(), access.getSizes())) {
      if (size == ViewAccess::kGather)
        continue;
      if (std::optional<int64_t> stride = strides.of(index); stride && std::abs(*stride) >= std::max<int64_t>(size, 1))
        return true;
    }
    return false;
  }

  bool mayAlias(Value a, Value b) const { return !a || !b || a == b || argumentsMayAlias; }

  bool conflict(const Pending &before, const Pending &now) {
    if (before.isUnderWay || (!before.writes && !now.writes))
      return false;
    if (before.space == Space::Slot && now.space == Space::Slot)
      return mayMeet(before.place, now.place);
    if (before.space == Space::Slot && now.space == Space::Shared)
      return mayMeet(before.place, SharedBytes{now.begin, now.end});
    if (before.space == Space::Shared && now.space == Space::Slot)
      return mayMeet(now.place, SharedBytes{before.begin, before.end});
    if (before.space != now.space)
      return false;
    if (before.space == Space::Shared)
      return before.begin < now.end && now.begin < before.end;
    if (!mayAlias(before.root, now.root))
      return false;
    auto a = dyn_cast<ViewAccess>(before.op), b = dyn_cast<ViewAccess>(now.op);
    if (!a || !b || isa<AtomicOp>(before.op) || isa<AtomicOp>(now.op) || before.carriedFar)
      return true;
    if (before.loop)
      return !(touchSamePositions(a, b) && iterationsAreDisjoint(a, before.loop));
    return !areOfOneThread(a, b);
  }

  /// Whether a product may begin at `op` or after it.
  bool productsFollow(Operation *op) {
    for (; op != kernel.getOperation(); op = op->getParentOp()) {
      if (isa<LoopLikeOpInterface>(op) && withProducts.contains(op))
        return true;
      for (Operation *next = op; next; next = next->getNextNode())
        if (withProducts.contains(next))
          return true;
    }
    return false;
  }

  /// A barrier at `op`, after a fence where products may read what was written before it.
  void pass(State &state, Operation *op, bool insert) {
    bool isFenceNeeded = productsFollow(op) && llvm::any_of(state, [&](const Pending &before) {
                           return before.space == Space::Slot && before.writes && !before.isUnderWay &&
                                  readByProducts.contains(before.place.buffer);
                         });
    if (insert && isFenceNeeded && !isa_and_nonnull<FenceAsyncOp>(op->getPrevNode())) {
      OpBuilder builder(op);
      FenceAsyncOp::create(builder, op->getLoc());
    }
    for (auto it = state.begin(); it != state.end();)
      it = it->isUnderWay ? std::next(it) : state.erase(it);
  }

  /// Copies are done, any of them, and may still be under way; which ones a wait covers is not known here.
  static void finishCopies(State &state) {
    for (Pending pending : State(state))
      if (isa<CopyAsyncOp>(pending.op) && std::exchange(pending.isUnderWay, false))
        state.insert(pending);
  }

  /// Products are done but for the youngest.
  static void finishProducts(State &state, int64_t pending) {
    State after;
    for (Pending access : state) {
      if (isa<MmaAsyncOp>(access.op) && access.isUnderWay && access.age >= pending) {
        access.isUnderWay = false;
        access.age = 0;
      }
      after.insert(access);
    }
    state = std::move(after);
  }

  /// Another product begins.
  static void age(State &state) {
    constexpr int64_t kOldest = 64; // no wait leaves as many under way
    State aged;
    for (Pending pending : state) {
      if (pending.isUnderWay && isa<MmaAsyncOp>(pending.op))
        pending.age = std::min(pending.age + 1, kOldest);
      aged.insert(pending);
    }
    state = std::move(aged);
  }

  void visit(Operation *op, State &state, bool insert) {
    if (isa<BarrierOp>(op))
      return pass(state, op, insert);
    if (isa<WaitOp>(op))
      return finishCopies(state);
    if (auto wait = dyn_cast<MmaWaitOp>(op))
      return finishProducts(state, wait.getPending().value_or(0));
    auto product = dyn_cast<MmaAsyncOp>(op);
    if (product)
      age(state);
    SmallVector<Pending> accesses = globalAccesses(op);
    llvm::append_range(accesses, slotAccesses(op));
    int64_t bytes = 0;
    if (auto offset = op->getAttrOfType<IntegerAttr>(TileGPUDialect::kSharedOffset); offset && !isa<AllocOp>(op)) {
      bytes = scratchBytes(op);
      accesses.push_back({op, Space::Shared, true, offset.getInt(), offset.getInt() + bytes, Value()});
    }
    bool needed = llvm::any_of(accesses, [&](const Pending &now) {
      return llvm::any_of(state, [&](const Pending &before) { return conflict(before, now); });
    });
    if (needed) {
      pass(state, op, insert);
      if (insert) {
        OpBuilder builder(op);
        BarrierOp::create(builder, op->getLoc());
      }
    }
    if (bytes) {
      // The op itself waits between its stores and its loads.
      if (waitsForBlock(op))
        pass(state, op, insert);
      accesses.back().writes = false;
    }
    state.insert(accesses.begin(), accesses.end());
    if (product && product.getWaits())
      finishProducts(state, 0);
  }

  State visitRegion(Region &region, State state, bool insert) {
    if (region.empty())
      return state;
    for (Operation &op : llvm::make_early_inc_range(region.front())) {
      if (isa<LoopLikeOpInterface>(op))
        state = visitLoop(&op, std::move(state), insert);
      else if (isa<RegionBranchOpInterface>(op))
        state = visitBranches(&op, std::move(state), insert);
      else
        visit(&op, state, insert);
    }
    return state;
  }

  State visitBranches(Operation *op, State state, bool insert) {
    State after;
    for (Region &region : op->getRegions()) {
      State left = visitRegion(region, state, insert);
      after.insert(left.begin(), left.end());
    }
    return after;
  }

  static State renamed(const State &state, llvm::function_ref<SlotPlace(SlotPlace)> rename) {
    State result;
    for (Pending pending : state) {
      if (pending.space == Space::Slot)
        pending.place = rename(pending.place);
      result.insert(pending);
    }
    return result;
  }

  State visitLoop(Operation *loop, State state, bool insert) {
    // Slots are chosen by counters of an `scf.for`; those of another loop may be any afterwards.
    std::optional<LoopPlaces> places;
    if (auto counted = dyn_cast<scf::ForOp>(loop))
      places.emplace(counted);
    auto next = [&](SlotPlace place) {
      if (!places)
        place.isKnown = false;
      return places ? places->next(place) : place;
    };
    if (places)
      state = renamed(state, [&](SlotPlace place) { return places->enter(place); });
    State after = state;
    for (bool changed = true; changed;) {
      State end = renamed(visitRegions(loop, state, /*insert=*/false), next);
      after.insert(end.begin(), end.end());
      changed = false;
      for (Pending pending : end) {
        if (loop->isAncestor(pending.op)) {
          pending.carriedFar |= pending.loop && pending.loop != loop;
          pending.loop = loop;
        }
        changed |= state.insert(pending).second;
      }
    }
    if (insert)
      visitRegions(loop, std::move(state), /*insert=*/true);
    return places ? renamed(after, [&](SlotPlace place) { return places->leave(place); }) : after;
  }

  /// The regions of a loop one after the other: the test of a `while`, then its body.
  State visitRegions(Operation *loop, State state, bool insert) {
    State all;
    for (Region &region : loop->getRegions()) {
      state = visitRegion(region, std::move(state), insert);
      all.insert(state.begin(), state.end());
    }
    return all;
  }

  func::FuncOp kernel;
  bool argumentsMayAlias;
  DenseSet<Value> readByProducts;     ///< buffers
  DenseSet<Operation *> withProducts; ///< products, and what they are in
  std::map<Operation *, LoopStride> loops;
};

struct InsertBarriersPass : public tgpu::impl::InsertBarriersPassBase<InsertBarriersPass> {
  void runOnOperation() override {
    if (failed(verifyLaidOut(getOperation())))
      return signalPassFailure();
    BarrierInserter(getOperation()).run();
  }
};
} // namespace
