/// Proves that asynchronous copies and products and those who use the same slots and registers do not meet: walks every
/// path with what may be under way and the accesses that other threads may not have finished, and refuses what could
/// meet them. What it cannot tell apart (an index that is no counter of its loop) it takes to be the same slot. It
/// believes the `pending` of a wait, which is what the hardware obeys, and checks that it covers what the wait names.
#include "ir/TileGPU/AsyncState.h"
#include "ir/TileGPU/Passes.h"
#include "ir/TileGPU/Scratch.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_VERIFYASYNCPASS
#include "ir/TileGPU/Passes.h.inc"
} // namespace tile::tgpu

namespace {
class AsyncVerifier {
public:
  LogicalResult run(func::FuncOp kernel) {
    AsyncState state;
    visit(kernel.getBody().front(), state);
    return failure(isFaulty);
  }

private:
  void visit(Block &block, AsyncState &state) {
    for (Operation &op : block)
      visit(&op, state);
  }

  void visit(Operation *op, AsyncState &state) {
    checkRegisters(op, state);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visitFor(loop, state);
    if (isa<LoopLikeOpInterface>(op))
      return visitLoop(op, state);
    if (op->getNumRegions() != 0 && isa<RegionBranchOpInterface>(op))
      return visitBranches(op, state);
    state.ages.visit(op);
    if (isa<BarrierOp>(op))
      return passBarrier(state);
    if (isa<FenceAsyncOp>(op))
      return state.unfenced.forEach([](Unfenced &write) { write.isFenced = true; });
    if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
      touch(op, copy.getSlot(), /*writes=*/true, state);
      state.copies.add(Copy{copy, placeOf(copy.getSlot()), std::nullopt});
      return;
    }
    if (isa<CommitOp>(op))
      return state.copies.forEach([](Copy &copy) { copy.age = copy.age ? *copy.age + 1 : 0; });
    if (auto wait = dyn_cast<WaitOp>(op))
      return visitWait(wait, state);
    if (auto wait = dyn_cast<MmaWaitOp>(op))
      return visitWait(wait, state);
    if (auto product = dyn_cast<MmaAsyncOp>(op))
      return visitProduct(product, state);
    if (isa<SlotOp, TransposeOp>(op))
      return;
    for (Value operand : op->getOperands())
      if (isa<SlotType>(operand.getType())) {
        bool writes = isa<StoreSharedOp>(op);
        touch(op, operand, writes, state);
        state.unordered.add(Unordered{op, placeOf(operand), {}, /*isSlot=*/true, writes});
        if (writes)
          state.unfenced.add(Unfenced{op, placeOf(operand), /*isFenced=*/false});
      }
    if (int64_t bytes = scratchBytes(op))
      visitScratch(op, bytes, state);
    if (op->hasTrait<OpTrait::ReturnLike>() && isa<func::FuncOp>(op->getParentOp())) {
      state.copies.forEach([&](const Copy &copy) {
        fault(op, "the kernel ends while a copy is under way; expected a tgpu.wait for it", copy.op);
      });
      state.readings.forEach([&](const Reading &reading) {
        fault(op, "the kernel ends while a product is under way; expected a tgpu.mma_wait for it", reading.op);
      });
    }
  }

  static void passBarrier(AsyncState &state) {
    state.unordered.clear();
    state.unfenced.removeIf([](const Unfenced &write) { return write.isFenced; });
  }

  /// Registers that a product may still read or change are left alone.
  void checkRegisters(Operation *op, AsyncState &state) {
    auto product = dyn_cast<MmaAsyncOp>(op);
    state.readings.forEach([&](const Reading &reading) {
      // The words that an instruction takes are made where it stands.
      if (reading.tile && (llvm::is_contained(op->getResults(), reading.tile) || op == reading.op))
        fault(op, "sets registers that a product under way may still read; expected a tgpu.mma_wait for it before",
              reading.op == op ? nullptr : reading.op);
    });
    if (isa<MmaWaitOp, scf::ForOp>(op) || (isa<scf::YieldOp>(op) && isa<scf::ForOp>(op->getParentOp())))
      return;
    state.sums.forEach([&](const Sum &sum) {
      for (OpOperand &operand : op->getOpOperands())
        if (operand.get() == sum.tile &&
            !(product && operand.get() == product.getAcc() && operand.getOperandNumber() + 1 == op->getNumOperands()))
          fault(op, "uses a sum that a product under way may still change; expected a tgpu.mma_wait for it before",
                sum.op);
    });
  }

  void visitProduct(MmaAsyncOp op, AsyncState &state) {
    state.readings.forEach([](Reading &reading) { ++reading.age; });
    state.sums.forEach([](Sum &sum) { ++sum.age; });
    for (Value factor : {Value(op.getLhs()), Value(op.getRhs())}) {
      if (!isa<SlotType>(factor.getType())) {
        state.readings.add(Reading{op, factor, {}, 0});
        continue;
      }
      touch(op, factor, /*writes=*/false, state);
      SlotPlace place = placeOf(factor);
      state.unfenced.forEach([&](const Unfenced &write) {
        if (mayMeet(write.place, place))
          fault(op,
                "reads a slot by another proxy than it was written; expected a tgpu.fence_async and a tgpu.barrier "
                "between",
                write.op);
      });
      state.readings.add(Reading{op, Value(), place, 0});
    }
    state.sums.add(Sum{op.getResult(), op, 0});
    if (op.getWaits())
      finishProducts(0, state);
  }

  void checkWait(Operation *wait, int64_t pending, int64_t youngest, StringRef what) {
    if (pending > youngest)
      fault(wait, "lets " + std::to_string(pending) + " " + what + " be under way; expected at most " +
                      std::to_string(youngest) + ", as many as were begun after what it waits for");
  }

  void visitWait(WaitOp wait, AsyncState &state) {
    int64_t pending = wait.getPending().value_or(0);
    checkWait(wait, pending, state.ages.copies.of(wait.getGroups()), "groups");
    state.copies.removeIf([&](const Copy &copy) {
      if (!copy.age || *copy.age < pending)
        return false;
      state.unordered.add(Unordered{copy.op, copy.place, {}, /*isSlot=*/true, /*writes=*/true});
      state.unfenced.add(Unfenced{copy.op, copy.place, /*isFenced=*/false});
      return true;
    });
  }

  void visitWait(MmaWaitOp wait, AsyncState &state) {
    int64_t pending = wait.getPending().value_or(0);
    checkWait(wait, pending, state.ages.products.of(wait.getProducts()), "products");
    finishProducts(pending, state);
    state.sums.forEach([&](const Sum &sum) {
      if (llvm::is_contained(wait.getValues(), sum.tile))
        fault(wait, "gives a sum whose product may be under way; expected to wait for its token", sum.op);
    });
  }

  static void finishProducts(int64_t pending, AsyncState &state) {
    state.readings.removeIf([&](const Reading &reading) {
      if (reading.age < pending)
        return false;
      if (!reading.tile)
        state.unordered.add(Unordered{reading.op, reading.place, {}, /*isSlot=*/true, /*writes=*/false});
      return true;
    });
    state.sums.removeIf([&](const Sum &sum) { return sum.age >= pending; });
  }

  /// An op with scratch stores to it, waits for other threads, and loads.
  void visitScratch(Operation *op, int64_t size, AsyncState &state) {
    auto offset = op->getAttrOfType<IntegerAttr>(TileGPUDialect::kSharedOffset);
    SharedBytes bytes = {offset ? offset.getInt() : 0, offset ? offset.getInt() + size : kEverywhere};
    state.copies.forEach([&](const Copy &copy) {
      if (mayMeet(copy.place, bytes))
        fault(op, "uses shared memory into which a copy is under way; expected a tgpu.wait for it before", copy.op);
    });
    state.readings.forEach([&](const Reading &reading) {
      if (!reading.tile && mayMeet(reading.place, bytes))
        fault(op, "uses shared memory that a product may still read; expected a tgpu.mma_wait for it before",
              reading.op);
    });
    state.unordered.forEach([&](const Unordered &access) {
      if (access.isSlot ? mayMeet(access.place, bytes) : access.bytes.meets(bytes))
        fault(op, "uses shared memory that other threads may still access; expected a tgpu.barrier between", access.op);
    });
    if (waitsForBlock(op))
      passBarrier(state);
    state.unordered.add(Unordered{op, {}, bytes, /*isSlot=*/false, /*writes=*/false});
  }

  /// Whether an access of `slot` meets anything.
  void touch(Operation *op, Value slot, bool writes, AsyncState &state) {
    SlotPlace place = placeOf(slot);
    std::string verb = writes ? "writes" : "reads";
    state.copies.forEach([&](const Copy &copy) {
      if (!mayMeet(copy.place, place))
        return;
      if (copy.op == op)
        fault(op, "writes a slot into which it may still be copying; expected a tgpu.wait between");
      else
        fault(op, verb + " a slot into which a copy is under way; expected a tgpu.wait for it before", copy.op);
    });
    if (writes)
      state.readings.forEach([&](const Reading &reading) {
        if (!reading.tile && mayMeet(reading.place, place))
          fault(op, "writes a slot that a product may still read; expected a tgpu.mma_wait for it before", reading.op);
      });
    state.unordered.forEach([&](const Unordered &access) {
      if (!access.writes && !writes)
        return;
      if (access.isSlot ? mayMeet(access.place, place) : mayMeet(place, access.bytes))
        fault(op,
              verb + " a slot that other threads may still " + (access.writes ? "write" : "read") +
                  "; expected a tgpu.barrier between",
              access.op == op ? nullptr : access.op);
    });
  }

  void visitBranches(Operation *op, AsyncState &state) {
    AsyncState after;
    bool isFirst = true;
    for (Region &region : op->getRegions()) {
      AsyncState inside = state;
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
  void visitLoop(Operation *loop, AsyncState &state) {
    auto forget = [&](SlotPlace place) {
      if (place.isKnown && place.base && loop->isAncestor(place.base.getParentBlock()->getParentOp()))
        place.isKnown = false;
      return place;
    };
    iterate(state, [&](AsyncState inside) {
      AsyncState all = inside;
      for (Region &region : loop->getRegions())
        if (!region.empty()) {
          visit(region.front(), inside);
          all.meet(inside);
        }
      return all.renamed(forget);
    });
  }

  void visitFor(scf::ForOp loop, AsyncState &state) {
    LoopPlaces places(loop);
    state = state.renamed([&](SlotPlace place) { return places.enter(place); });
    state.ages.enter(loop);
    state.passSums(loop.getRegionIterArgs(), loop.getInitArgs());
    iterate(state, [&](AsyncState inside) {
      visit(*loop.getBody(), inside);
      // The next iteration begins by setting the loop's arguments.
      inside.readings.forEach([&](const Reading &reading) {
        if (reading.tile && llvm::is_contained(loop.getRegionIterArgs(), reading.tile))
          fault(loop, "sets registers that a product under way may still read; expected a tgpu.mma_wait for it before",
                reading.op);
      });
      AsyncState end = inside.renamed([&](SlotPlace place) { return places.next(place); });
      end.passSums(loop.getRegionIterArgs(), loop.getYieldedValues());
      end.ages.setEdges(loop.getRegionIterArgs(), loop.getYieldedValues(), inside.ages);
      return end;
    });
    state.passSums(loop.getResults(), loop.getRegionIterArgs());
    state.ages.leave(loop);
    state = state.renamed([&](SlotPlace place) { return places.leave(place); });
  }

  /// Finds what holds whenever an iteration begins; faults are reported of that alone, once.
  void iterate(AsyncState &state, llvm::function_ref<AsyncState(AsyncState)> body) {
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
