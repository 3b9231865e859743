/// How many warps a block has, where the kernel does not say. A function of the tiles' extents alone, so that one
/// source always gives one code; whoever knows better writes `warps`.
#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/MmaKind.h"
#include "ir/TileGPU/TileGPUOps.h"
#include "ir/TileToTileGPU/LiveTiles.h"
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
/// Elements of 4 bytes that are one access of a thread. More warps than that leaves work for would repeat it.
static constexpr int64_t kAccessElements = 4;

/// Registers of a thread for the largest tile and what is loaded beside it. Half of a multiprocessor's warps then have
/// the registers they need, which is enough of them to wait for memory together.
static constexpr int64_t kTileWords = 64;
/// A kernel that loads more than this many times its largest tile does not hold all of it at once.
static constexpr int64_t kTilesAtOnce = 2;
/// Registers of a thread for an accumulator. The larger a warp's piece of it, the fewer bytes of the factors are read
/// per product; the factors of the next step need room beside it.
static constexpr int64_t kAccumulatorWords = 64;
/// The same where the factors are floats of at most 16 bits: a piece of 64 by 64 of each warp, or one of 64 by 256 of a
/// warpgroup, whose wgmma read their factors from shared memory. Beyond that the accumulator spills.
static constexpr int64_t kNarrowAccumulatorWords = 128;
/// Registers of a thread for all tiles that are live at once, of the 255 that it may have: what is left is for
/// addresses, for fragments of factors and for what is computed between two tiles.
static constexpr int64_t kLiveWords = 144;
/// Small accumulators of such factors that have too few rows for a warpgroup are shared by no more warps than this,
/// though their pieces then are twice as large. Other factors take too many registers beside such a piece, and so do
/// extents with an odd factor.
static constexpr int64_t kFewWarps = 2;
/// The piece of a warp, 32 by 32, below which other products mostly wait for their factors.
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

/// Whether whole instructions cover a product of 16-bit factors, as which those of 8 bits may be multiplied.
static bool isForTensorCores(DotOp dot) {
  constexpr int64_t kFactorBytes = 2;
  ArrayRef<int64_t> sum = shapeOf(dot.getType());
  return sum[0] % MmaKind::kRows == 0 && sum[1] % MmaKind::kColumns == 0 &&
         shapeOf(dot.getLhs().getType())[1] * kFactorBytes % MmaKind::kDepthBytes == 0;
}

namespace {
/// What the tiles of a kernel take of all threads together.
struct Demand {
  int64_t largest = 0, loaded = 0, largestLoad = 0, accumulators = 0, live = 0;
  /// Those of every product: floats of at most 16 bits, with extents that are powers of two, for tensor cores. Without
  /// these a thread has all that it loads of a factor in registers, as f32.
  bool areFactorsNarrow = true;
  bool areForWarpgroups = true;  ///< all products, of such factors
  bool hasForWarpgroups = false; ///< one of them at least

  explicit Demand(func::FuncOp kernel) : live(mostLiveWords(kernel)) {
    kernel.walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        largest = std::max(largest, wordsOf(type));
      if (auto dot = dyn_cast<DotOp>(op)) {
        accumulators += wordsOf(dot.getType());
        Type factor = elementOf(dot.getLhs().getType());
        bool isNarrow = isa<FloatType>(factor) && factor.getIntOrFloatBitWidth() <= 16;
        areFactorsNarrow &= isNarrow && isForTensorCores(dot);
        for (Value factor : {dot.getLhs(), dot.getRhs()})
          areFactorsNarrow &= llvm::all_of(shapeOf(factor.getType()), llvm::isPowerOf2_64);
        bool isForWarpgroups = isNarrow && shapeOf(dot.getType())[0] % MmaKind::kWarpgroupRows == 0;
        areForWarpgroups &= isForWarpgroups;
        hasForWarpgroups |= isForWarpgroups;
      }
      if (!isa<LoadOp, LoadPtrOp>(op))
        return;
      int64_t words = loadedWordsOf(op->getResult(0).getType());
      loaded += words;
      largestLoad = std::max(largestLoad, words);
    });
  }
};
} // namespace

static int64_t chooseWarps(const Demand &demand) {
  int64_t warps;
  if (demand.accumulators && !demand.areFactorsNarrow && !demand.areForWarpgroups) {
    warps = std::max(std::min(roundUp(demand.accumulators, kPieceElements), kUsualWarps),
                     roundUp(std::max(demand.largest, demand.accumulators), kLanes * kAccumulatorWords));
    warps = std::max(warps, demand.hasForWarpgroups ? kWarpgroupWarps : 1);
  } else if (demand.accumulators) {
    // The same number for every target: those without wgmma lose less by small pieces than wgmma wins.
    warps = demand.hasForWarpgroups ? kWarpgroupWarps
                                    : std::min(roundUp(demand.accumulators, kLanes * kAccumulatorWords), kFewWarps);
    warps = std::max({warps, roundUp(demand.largestLoad, kLanes * kTileWords),
                      roundUp(std::max(demand.largest, demand.accumulators), kLanes * kNarrowAccumulatorWords),
                      roundUp(demand.live, kLanes * kLiveWords)});
  } else {
    int64_t together = demand.largest + std::min(demand.loaded, kTilesAtOnce * demand.largest);
    warps = std::max(std::min(roundUp(demand.largest, kLanes * kAccessElements), kUsualWarps),
                     roundUp(together, kLanes * kTileWords));
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
      warps = chooseWarps(Demand(kernel));
      kernel->setAttr(TileGPUDialect::kWarpsChosen, builder.getUnitAttr());
    }
    kernel->setAttr(TileGPUDialect::kWarps, builder.getI64IntegerAttr(warps));
  }
};
} // namespace
