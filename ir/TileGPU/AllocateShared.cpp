/// Places buffers and scratch in shared memory. Buffers that live at a time lie apart. Scratch lives only as long as
/// its op, so any two could share bytes; but a shared byte costs a barrier between its users, so neighbours in program
/// order get different bytes as long as that is cheap.
#include "ir/Layout/Constructors.h"
#include "ir/Tile/ContractText.h"
#include "ir/TileGPU/Passes.h"
#include "ir/TileGPU/Scratch.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_ALLOCATESHAREDPASS
#include "ir/TileGPU/Passes.h.inc"
} // namespace tile::tgpu

/// Scratch may spread over this many bytes before it is reused: less than what limits the blocks of a multiprocessor.
static constexpr int64_t kRingBytes = 8192;
/// What the widest swizzle of a shared layout repeats after.
static constexpr int64_t kAlignment = 1024;

/// What `op` keeps in shared memory, in the words of the language.
static StringRef purposeOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](AllocOp) { return "the ring of tiles for this product"; })
      .Case([](ReduceOp) { return "what the warps of this reduction hand to each other"; })
      .Case([](DotOp) { return "the pair of factors of this product"; })
      .Case<AtomicOp, AtomicPtrOp>([](auto) { return "the result of this atomic on its way to all threads"; })
      .Default([](Operation *) { return "this tile on its way between threads"; });
}

namespace {
/// From the op that makes a buffer to the last that uses it, as numbers in program order; a loop that uses it uses it
/// to its end.
struct Life {
  int64_t begin, end;
  bool meets(const Life &other) const { return begin <= other.end && other.begin <= end; }
};

struct Buffer {
  AllocOp alloc;
  Life life;
  int64_t bytes, offset = 0;
  int64_t end() const { return offset + bytes; }
};

/// Numbers ops in program order.
class ProgramOrder {
public:
  explicit ProgramOrder(func::FuncOp kernel) {
    int64_t next = 0;
    kernel.walk([&](Operation *op, const WalkStage &stage) {
      if (stage.isBeforeAllRegions())
        numbers[op].begin = next++;
      if (stage.isAfterAllRegions())
        numbers[op].end = next++;
    });
  }
  Life of(Operation *op) const { return numbers.lookup(op); }

  Life lifeOf(AllocOp alloc) const {
    Life life = of(alloc);
    llvm::SetVector<Value> values;
    values.insert(alloc.getBuffer());
    for (size_t i = 0; i < values.size(); ++i)
      for (OpOperand &use : values[i].getUses()) {
        Operation *user = use.getOwner();
        life.end = std::max(life.end, of(alloc->getBlock()->findAncestorOpInBlock(*user)).end);
        // What was begun may use the buffer until it is waited for.
        for (Value result : user->getResults())
          if (isa<SlotType, TokenType>(result.getType()) && !isa<scf::ForOp>(user))
            values.insert(result);
        if (isa<TokenType>(use.get().getType()))
          followLoop(use, values);
      }
    return life;
  }

private:
  /// A token that enters a loop or the next iteration is the loop's argument there and its result afterwards.
  static void followLoop(OpOperand &use, llvm::SetVector<Value> &values) {
    BlockArgument argument;
    if (auto loop = dyn_cast<scf::ForOp>(use.getOwner()))
      argument = loop.getTiedLoopRegionIterArg(&use);
    else if (auto next = dyn_cast<scf::ForOp>(use.getOwner()->getParentOp()); next && isa<scf::YieldOp>(use.getOwner()))
      argument = next.getRegionIterArg(use.getOperandNumber());
    if (!argument)
      return;
    values.insert(argument);
    values.insert(cast<scf::ForOp>(argument.getOwner()->getParentOp()).getTiedLoopResult(argument));
  }

  DenseMap<Operation *, Life> numbers;
};

struct AllocateSharedPass : public tgpu::impl::AllocateSharedPassBase<AllocateSharedPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (failed(verifyLaidOut(kernel)))
      return signalPassFailure();
    ProgramOrder order(kernel);
    SmallVector<Buffer> buffers = placeBuffers(kernel, order);
    int64_t total = 0;
    Users users;
    for (Buffer &buffer : buffers) {
      users.emplace_back(buffer.alloc, buffer.bytes);
      total = std::max(total, buffer.end());
    }
    struct Scratch {
      Operation *op;
      int64_t bytes, base;
    };
    SmallVector<Scratch> scratches;
    int64_t largest = 0;
    kernel.walk([&](Operation *op) {
      int64_t bytes = scratchBytes(op), base = 0;
      if (bytes == 0)
        return;
      for (const Buffer &buffer : buffers)
        if (buffer.life.meets(order.of(op)))
          base = std::max(base, buffer.end());
      scratches.push_back({op, bytes, base});
      users.emplace_back(op, bytes);
      largest = std::max(largest, bytes);
      total = std::max(total, base + bytes);
    });
    if (total > limit) {
      report(kernel, users, total);
      return signalPassFailure();
    }
    Builder builder(&getContext());
    int64_t cursor = 0;
    for (const Scratch &scratch : scratches) {
      int64_t ring = std::min(std::max({largest, kRingBytes, total - scratch.base}), limit - scratch.base);
      // Only swizzles need the alignment, of a conversion or of a product's factors, and none is smaller than that.
      cursor = llvm::alignTo(cursor, scratch.bytes >= kAlignment ? kAlignment : kMaxVectorBytes);
      if (cursor + scratch.bytes > ring)
        cursor = 0;
      scratch.op->setAttr(TileGPUDialect::kSharedOffset, builder.getI64IntegerAttr(scratch.base + cursor));
      cursor += scratch.bytes;
      total = std::max(total, scratch.base + cursor);
    }
    // LLVM widens a load within what it knows to be aligned, past the last element where that is no whole vector.
    kernel->setAttr(TileGPUDialect::kSharedBytes, builder.getI64IntegerAttr(llvm::alignTo(total, kMaxVectorBytes)));
  }

private:
  using Users = SmallVector<std::pair<Operation *, int64_t>>;

  /// Each buffer at the lowest place that none has which lives at the same time.
  static SmallVector<Buffer> placeBuffers(func::FuncOp kernel, const ProgramOrder &order) {
    SmallVector<Buffer> buffers;
    kernel.walk([&](AllocOp alloc) {
      BufferType type = alloc.getBuffer().getType();
      Buffer buffer{alloc, order.lifeOf(alloc), type.getStages() * type.getSlotBytes()};
      SmallVector<const Buffer *> others;
      for (const Buffer &other : buffers)
        if (other.life.meets(buffer.life))
          others.push_back(&other);
      llvm::sort(others, [](const Buffer *a, const Buffer *b) { return a->offset < b->offset; });
      for (const Buffer *other : others)
        if (other->offset < buffer.end())
          buffer.offset = std::max(buffer.offset, other->end());
      alloc->setAttr(TileGPUDialect::kSharedOffset, Builder(kernel).getI64IntegerAttr(buffer.offset));
      buffers.push_back(buffer);
    });
    return buffers;
  }

  /// The extents of the tiles that `op` takes and gives, which name what to make smaller.
  static void addExtents(Operation *op, llvm::SmallSet<int64_t, 8> &extents) {
    for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
      for (Type type : types) {
        if (auto tile = dyn_cast<RankedTensorType>(type))
          extents.insert_range(tile.getShape());
        if (auto buffer = dyn_cast<BufferType>(type))
          extents.insert_range(buffer.getShape());
      }
  }

  void report(func::FuncOp kernel, const Users &users, int64_t needed) {
    auto contract = kernel->getAttrOfType<DictionaryAttr>(TileDialect::kContract);
    InFlightDiagnostic diagnostic = kernel.emitError() << kernelTitle(contract, kernel.getSymName()) << " needs "
                                                       << needed << " bytes of shared memory; expected at most "
                                                       << int64_t(limit) << ", which a block has";
    // What is too large alone, or else all that live at a time.
    bool isAnyTooLarge = llvm::any_of(users, [&](auto user) { return user.second > limit; });
    auto isShown = [&](Operation *op, int64_t bytes) { return bytes > limit || (!isAnyTooLarge && isa<AllocOp>(op)); };
    for (auto [op, bytes] : users)
      if (isShown(op, bytes))
        diagnostic.attachNote(op->getLoc()) << purposeOf(op) << " takes " << bytes << " bytes";
    // What is kept there grows with the elements, most of the time in proportion.
    int64_t part = llvm::PowerOf2Ceil(llvm::divideCeil(needed, int64_t(limit)));
    llvm::SmallSet<int64_t, 8> extents;
    for (auto [op, bytes] : users)
      if (isShown(op, bytes))
        addExtents(op, extents);
    auto isOfThem = [&](int64_t size) { return extents.empty() || extents.contains(size); };
    std::string sizes = sizesText(contract, [&](int64_t size) { return size >= kSmallestExtent && isOfThem(size); });
    diagnostic.attachNote() << "help: 1/" << part << " of the elements fits; use a smaller "
                            << (sizes.empty() ? "tile" : sizes);
  }
};
} // namespace
