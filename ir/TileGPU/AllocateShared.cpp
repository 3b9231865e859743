/// Places scratch in shared memory. Scratch lives only as long as its op, so any two could share bytes; but a shared
/// byte costs a barrier between its users, so neighbours in program order get different bytes as long as that is cheap.
#include "ir/Tile/ContractText.h"
#include "ir/TileGPU/Passes.h"
#include "ir/TileGPU/Scratch.h"

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
      .Case([](ReduceOp) { return "what the warps of this reduction hand to each other"; })
      .Case([](DotOp) { return "the two factors of this product"; })
      .Case<AtomicOp, AtomicPtrOp>([](auto) { return "the result of this atomic on its way to all threads"; })
      .Default([](Operation *) { return "this tile on its way between threads"; });
}

namespace {
struct AllocateSharedPass : public tgpu::impl::AllocateSharedPassBase<AllocateSharedPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (failed(verifyLaidOut(kernel)))
      return signalPassFailure();
    SmallVector<std::pair<Operation *, int64_t>> users;
    int64_t largest = 0;
    kernel.walk([&](Operation *op) {
      if (int64_t bytes = scratchBytes(op)) {
        users.emplace_back(op, bytes);
        largest = std::max(largest, bytes);
      }
    });
    if (largest > limit) {
      report(kernel, users);
      return signalPassFailure();
    }
    int64_t ring = std::min(std::max(largest, kRingBytes), int64_t(limit)), cursor = 0, total = 0;
    Builder builder(&getContext());
    for (auto [op, bytes] : users) {
      // Only swizzles need the alignment, of a conversion or of a product's factors, and none is smaller than that.
      cursor = llvm::alignTo(cursor, bytes >= kAlignment ? kAlignment : 16);
      if (cursor + bytes > ring)
        cursor = 0;
      op->setAttr(TileGPUDialect::kSharedOffset, builder.getI64IntegerAttr(cursor));
      cursor += bytes;
      total = std::max(total, cursor);
    }
    kernel->setAttr(TileGPUDialect::kSharedBytes, builder.getI64IntegerAttr(total));
  }

private:
  void report(func::FuncOp kernel, ArrayRef<std::pair<Operation *, int64_t>> users) {
    auto contract = kernel->getAttrOfType<DictionaryAttr>(TileDialect::kContract);
    int64_t largest = 0;
    for (auto [op, bytes] : users)
      largest = std::max(largest, bytes);
    InFlightDiagnostic diagnostic = kernel.emitError() << kernelTitle(contract, kernel.getSymName()) << " needs "
                                                       << largest << " bytes of shared memory; expected at most "
                                                       << int64_t(limit) << ", which a block has";
    for (auto [op, bytes] : users)
      if (bytes > limit)
        diagnostic.attachNote(op->getLoc()) << purposeOf(op) << " takes " << bytes << " bytes";
    // What is kept there grows with the elements, most of the time in proportion.
    int64_t part = llvm::PowerOf2Ceil(llvm::divideCeil(largest, int64_t(limit)));
    std::string sizes = sizesText(contract, [](int64_t size) { return size >= kSmallestExtent; });
    diagnostic.attachNote() << "help: 1/" << part << " of the elements fits; use a smaller "
                            << (sizes.empty() ? "tile" : sizes);
  }
};
} // namespace
