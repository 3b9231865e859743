/// Proves that asynchronous copies and those who use the slots of buffers do not meet: walks every path with the copies
/// that may be under way and the accesses that other threads may not have finished, and refuses what could meet them.
/// What it cannot tell apart (an index that is no counter of its loop) it takes to be the same slot. It believes the
/// `pending` of a wait, which is what the hardware obeys, and checks that it covers what the wait names.
#include "ir/TileGPU/GroupAges.h"
#include "ir/TileGPU/Passes.h"
#include "ir/TileGPU/Scratch.h"
#include "ir/TileGPU/SlotPlaces.h"

#include "llvm/Support/SaveAndRestore.h"

#include <map>

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_VERIFYASYNCPASS
#include "ir/TileGPU/Passes.h.inc"
} // namespace tile::tgpu

namespace {
using PlaceKey = decltype(std::declval<SlotPlace>().key());

/// A copy that may be under way.
struct Copy {
  CopyAsyncOp op;
  SlotPlace place;
  std::optional<int64_t> age; ///< groups committed since its own; none: it is in no group yet
};

/// An access that other threads may not have finished, or whose result they may not see.
struct Unordered {
  Operation *op;
  SlotPlace place;   ///< of a slot
  SharedBytes bytes; ///< of scratch, where there is no place
  bool isSlot, writes;
};

struct State {
  std::map<std::pair<Operation *, PlaceKey>, Copy> copies;
  std::map<std::tuple<Operation *, bool, PlaceKey>, Unordered> unordered;
  GroupAges groups;

  /// Another path leads here; whether it brings anything new.
  bool meet(const State &other) {
    bool changed = groups.meet(other.groups);
    for (auto &[key, copy] : other.copies) {
      auto [known, isNew] = copies.try_emplace(key, copy);
      changed |= isNew;
      // One in no group is waited for by nobody, and a young one by few.
      if (!isNew && known->second.age && (!copy.age || *copy.age < *known->second.age)) {
        known->second.age = copy.age;
        changed = true;
      }
    }
    for (auto &[key, access] : other.unordered)
      changed |= unordered.try_emplace(key, access).second;
    return changed;
  }

  void add(const Copy &copy) {
    State one;
    one.copies.try_emplace({copy.op, copy.place.key()}, copy);
    meet(one);
  }
  void add(const Unordered &access) { unordered.try_emplace({access.op, access.writes, access.place.key()}, access); }

  /// The same in other words.
  State renamed(llvm::function_ref<SlotPlace(SlotPlace)> rename) const {
    State result;
    result.groups = groups;
    for (auto &[key, copy] : copies)
      result.add(Copy{copy.op, rename(copy.place), copy.age});
    for (auto &[key, access] : unordered) {
      Unordered moved = access;
      if (moved.isSlot)
        moved.place = rename(moved.place);
      result.add(moved);
    }
    return result;
  }
};

class AsyncVerifier {
public:
  LogicalResult run(func::FuncOp kernel) {
    State state;
    visit(kernel.getBody().front(), state);
    return failure(isFaulty);
  }

private:
  void visit(Block &block, State &state) {
    for (Operation &op : block)
      visit(&op, state);
  }

  void visit(Operation *op, State &state) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visitFor(loop, state);
    if (isa<LoopLikeOpInterface>(op))
      return visitLoop(op, state);
    if (op->getNumRegions() != 0 && isa<RegionBranchOpInterface>(op))
      return visitBranches(op, state);
    if (isa<BarrierOp>(op))
      return state.unordered.clear();
    if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
      SlotPlace place = placeOf(copy.getSlot());
      touch(op, copy.getSlot(), /*writes=*/true, state);
      return state.add(Copy{copy, place, std::nullopt});
    }
    if (auto commit = dyn_cast<CommitOp>(op)) {
      state.groups.commit(commit.getGroup());
      for (auto &[key, copy] : state.copies)
        copy.age = copy.age ? *copy.age + 1 : 0;
      return;
    }
    if (auto wait = dyn_cast<WaitOp>(op))
      return visitWait(wait, state);
    if (isa<SlotOp, TransposeOp>(op))
      return;
    for (Value operand : op->getOperands())
      if (isa<SlotType>(operand.getType())) {
        bool writes = isa<StoreSharedOp>(op);
        touch(op, operand, writes, state);
        state.add(Unordered{op, placeOf(operand), {}, /*isSlot=*/true, writes});
      }
    if (int64_t bytes = scratchBytes(op))
      visitScratch(op, bytes, state);
    if (op->hasTrait<OpTrait::ReturnLike>() && isa<func::FuncOp>(op->getParentOp()))
      for (auto &[key, copy] : state.copies)
        fault(op, "the kernel ends while a copy is under way; expected a tgpu.wait for it", copy.op);
  }

  void visitWait(WaitOp wait, State &state) {
    int64_t pending = wait.getPending().value_or(0), youngest = state.groups.of(wait.getGroups());
    if (pending > youngest)
      fault(wait, "lets " + std::to_string(pending) + " groups be under way; expected at most " +
                      std::to_string(youngest) + ", as many as were committed after what it waits for");
    for (auto it = state.copies.begin(); it != state.copies.end();) {
      auto &[op, place, age] = it->second;
      if (!age || *age < pending) {
        ++it;
        continue;
      }
      state.add(Unordered{op, place, {}, /*isSlot=*/true, /*writes=*/true});
      it = state.copies.erase(it);
    }
  }

  /// An op with scratch stores to it, waits for all threads, and loads.
  void visitScratch(Operation *op, int64_t size, State &state) {
    auto offset = op->getAttrOfType<IntegerAttr>(TileGPUDialect::kSharedOffset);
    SharedBytes bytes = {offset ? offset.getInt() : 0, offset ? offset.getInt() + size : kEverywhere};
    for (auto &[key, copy] : state.copies)
      if (mayMeet(copy.place, bytes))
        fault(op, "uses shared memory into which a copy is under way; expected a tgpu.wait for it before", copy.op);
    for (auto &[key, access] : state.unordered)
      if (access.isSlot ? mayMeet(access.place, bytes) : access.bytes.meets(bytes))
        fault(op, "uses shared memory that other threads may still access; expected a tgpu.barrier between", access.op);
    state.unordered.clear();
    state.add(Unordered{op, {}, bytes, /*isSlot=*/false, /*writes=*/false});
  }

  /// Whether an access of `slot` meets anything.
  void touch(Operation *op, Value slot, bool writes, State &state) {
    SlotPlace place = placeOf(slot);
    StringRef verb = writes ? "writes" : "reads";
    for (auto &[key, copy] : state.copies)
      if (copy.op != op && mayMeet(copy.place, place))
        fault(op, verb + " a slot into which a copy is under way; expected a tgpu.wait for it before", copy.op);
      else if (copy.op == op && mayMeet(copy.place, place))
        fault(op, "writes a slot into which it may still be copying; expected a tgpu.wait between");
    for (auto &[key, access] : state.unordered) {
      if (!access.writes && !writes)
        continue;
      if (access.isSlot ? mayMeet(access.place, place) : mayMeet(place, access.bytes))
        fault(op,
              verb + " a slot that other threads may still " + (access.writes ? "write" : "read") +
                  "; expected a tgpu.barrier between",
              access.op == op ? nullptr : access.op);
    }
  }

  void visitBranches(Operation *op, State &state) {
    State after;
    bool isFirst = true;
    for (Region &region : op->getRegions()) {
      State inside = state;
      if (!region.empty())
        visit(region.front(), inside);
      if (std::exchange(isFirst, false))
        after = inside;
      else
        after.meet(inside);
    }
    state = std::move(after);
  }

  /// A loop of which no counter is known: indices of its body say nothing of the next iteration.
  void visitLoop(Operation *loop, State &state) {
    auto forget = [&](SlotPlace place) {
      if (place.isKnown && place.base && loop->isAncestor(place.base.getParentBlock()->getParentOp()))
        place.isKnown = false;
      return place;
    };
    iterate(state, [&](State inside) {
      State all = inside;
      for (Region &region : loop->getRegions())
        if (!region.empty()) {
          visit(region.front(), inside);
          all.meet(inside);
        }
      return all.renamed(forget);
    });
  }

  void visitFor(scf::ForOp loop, State &state) {
    LoopPlaces places(loop);
    state = state.renamed([&](SlotPlace place) { return places.enter(place); });
    for (auto [argument, init] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
      if (isa<TokenType>(init.getType()))
        state.groups.meet(argument, state.groups.of(init));
    iterate(state, [&](State inside) {
      visit(*loop.getBody(), inside);
      State end = inside.renamed([&](SlotPlace place) { return places.next(place); });
      for (auto [argument, yielded] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues()))
        if (isa<TokenType>(yielded.getType()))
          end.groups.set(argument, inside.groups.of(yielded));
      return end;
    });
    for (auto [result, argument] : llvm::zip_equal(loop.getResults(), loop.getRegionIterArgs()))
      if (isa<TokenType>(result.getType()))
        state.groups.meet(result, state.groups.of(argument));
    state = state.renamed([&](SlotPlace place) { return places.leave(place); });
  }

  /// Finds what holds whenever an iteration begins; faults are reported of that alone, once.
  void iterate(State &state, llvm::function_ref<State(State)> body) {
    {
      llvm::SaveAndRestore<bool> silence(isSilent, true);
      while (state.meet(body(state))) {
      }
    }
    if (!isSilent)
      body(state);
  }

  void fault(Operation *op, const llvm::Twine &text, Operation *other = nullptr) {
    if (isSilent)
      return;
    isFaulty = true;
    InFlightDiagnostic diagnostic = op->emitOpError() << text;
    if (other)
      diagnostic.attachNote(other->getLoc()) << "the other is here";
  }

  static constexpr int64_t kEverywhere = std::numeric_limits<int64_t>::max();
  bool isSilent = false, isFaulty = false;
};

struct VerifyAsyncPass : public tgpu::impl::VerifyAsyncPassBase<VerifyAsyncPass> {
  void runOnOperation() override {
    if (failed(AsyncVerifier().run(getOperation())))
      signalPassFailure();
  }
};
} // namespace
