/// How many warps a block has, where the kernel does not say. A function of the tiles' extents alone, so that one
/// source always gives one code; whoever knows better writes `warps`.
#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/TileGPUOps.h"
#include "ir/TileToTileGPU/Passes.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_CHOOSEWARPSPASS
#include "ir/TileToTileGPU/Passes.h.inc"
} // namespace tile::tgpu

static constexpr int64_t kLanes = 32;
static constexpr int64_t kMaxWarps = 32;
/// What blocks have whose tiles leave a choice: four warps are one for each scheduler of a multiprocessor.
static constexpr int64_t kUsualWarps = 4;

/// Registers of a thread that the largest tile of a kernel without products may take. Few such kernels hold fewer than
/// three tiles at a time, and with some 64 registers in all half of a multiprocessor's warps are resident.
static constexpr int64_t kTileWords = 32;
/// Elements of 4 bytes that are one access of a thread. More warps than that leaves work for would repeat it.
static constexpr int64_t kAccessElements = 4;

/// The same for tiles beside a product: an accumulator is read and written by every instruction, so the larger a warp's
/// piece of it, the fewer bytes of the factors per product. 64 up to eight warps, 128 with more: with 64 each, 16 warps
/// would read the factors twice as often.
static constexpr int64_t kProductWords = 64, kManyWarps = 8;
/// A warp's piece of an accumulator, 32 by 32, below which it mostly waits for its factors.
static constexpr int64_t kPieceElements = 1024;

int64_t tgpu::kernelWarps(func::FuncOp kernel, int64_t unlessGiven) {
  if (auto chosen = kernel->getAttrOfType<IntegerAttr>(TileGPUDialect::kWarps))
    return chosen.getInt();
  auto schedule = kernel->getAttrOfType<DictionaryAttr>(TileDialect::kSchedule);
  auto given = schedule ? schedule.getAs<IntegerAttr>("warps") : IntegerAttr();
  return given ? given.getInt() : unlessGiven;
}

int64_t tgpu::countElements(Type tile) {
  constexpr uint64_t kMost = uint64_t(1) << 48;
  uint64_t count = 1;
  for (int64_t extent : shapeOf(tile))
    count = std::min(llvm::SaturatingMultiply<uint64_t>(count, extent), kMost);
  return static_cast<int64_t>(count);
}

static int64_t roundUp(int64_t elements, int64_t perWarp) {
  return llvm::PowerOf2Ceil(llvm::divideCeil(std::max<int64_t>(elements, 1), perWarp));
}

/// 32-bit registers that `type` takes of all threads together. Arithmetic is not packed, so a narrow element has one.
static int64_t wordsOf(Type type) {
  if (!isa<RankedTensorType>(type))
    return 0;
  Type element = elementOf(type);
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return countElements(type) * llvm::divideCeil(bits, 32);
}

static int64_t chooseWarps(func::FuncOp kernel) {
  int64_t largest = 0, accumulator = 0;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      largest = std::max(largest, wordsOf(type));
    if (auto dot = dyn_cast<DotOp>(op))
      accumulator = std::max(accumulator, wordsOf(dot.getType()));
  });
  int64_t warps;
  if (accumulator) {
    warps =
        std::max(std::min(roundUp(accumulator, kPieceElements), kUsualWarps), roundUp(largest, kLanes * kProductWords));
    if (warps > kManyWarps)
      warps = std::max(kManyWarps, roundUp(largest, kLanes * 2 * kProductWords));
  } else {
    warps = std::max(std::min(roundUp(largest, kLanes * kAccessElements), kUsualWarps),
                     roundUp(largest, kLanes * kTileWords));
  }
  return std::min(warps, kMaxWarps);
}

namespace {
struct ChooseWarpsPass : public tgpu::impl::ChooseWarpsPassBase<ChooseWarpsPass> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    Builder builder(&getContext());
    int64_t warps = kernelWarps(kernel, /*unlessGiven=*/0);
    if (warps == 0) {
      warps = chooseWarps(kernel);
      kernel->setAttr(TileGPUDialect::kWarpsChosen, builder.getUnitAttr());
    }
    kernel->setAttr(TileGPUDialect::kWarps, builder.getI64IntegerAttr(warps));
  }
};
} // namespace
