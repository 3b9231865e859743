/// Places scratch in shared memory. Scratch lives only as long as its op, so any two could share bytes; but a shared
/// byte costs a barrier between its users, so neighbours in program order get different bytes as long as that is cheap.
#include "ir/TileGPU/Passes.h"
#include "ir/TileGPU/Scratch.h"

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
    InFlightDiagnostic diagnostic = kernel.emitError() << "kernel needs more shared memory than the " << int64_t(limit)
                                                       << " bytes that a block has; smaller tiles or more warps need "
                                                          "less";
    for (auto [op, bytes] : users)
      if (bytes > limit)
        diagnostic.attachNote(op->getLoc()) << "'" << op->getName() << "' needs " << bytes << " bytes here";
  }
};
} // namespace
