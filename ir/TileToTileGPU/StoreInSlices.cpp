/// Stores of what was computed in another layout, as the sums of products are: by warps, in slices.
///
/// Between the layout of a sum and that of an access elements change threads, not warps, if the rows of a warp stay its
/// own. So no warp waits for another, and directions that both layouts hold in registers cut the tile into slices, of
/// which the first are on their way to memory while the rest is computed. A warp still writes whole lines.
#include "ir/Analysis/AccessFacts.h"
#include "ir/TileGPU/ChainedProducts.h"
#include "ir/TileGPU/LayoutRules.h"
#include "ir/TileGPU/Scratch.h"
#include "ir/TileGPU/VariantRemark.h"
#include "ir/TileToTileGPU/Passes.h"

#include <variant>

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_STOREINSLICESPASS
#include "ir/TileToTileGPU/Passes.h.inc"
} // namespace tile::tgpu

/// Registers of a thread for chained products from which on their sums are stored at once. Their loops leave the
/// assembler none to spare, and with slices behind them it mixes addresses into the products: on an H200 attention of
/// depth 256 took 6 % longer.
static constexpr int64_t kManyWords = 160;

/// What memory moves at once; a warp that writes as many neighbours leaves no part of a line to others.
static constexpr int64_t kLineBytes = 128;

namespace {
/// The digits of a layout that is to come, taken out of those that are left.
class Digits {
public:
  explicit Digits(const Layout &held) {
    for (HwDim hw : {HwDim::Lane, HwDim::Register})
      for (uint64_t basis : held.bits(hw))
        left.push_back(basis);
  }

  /// Takes `basis`; false if it is no digit that is left.
  bool take(uint64_t basis) {
    auto found = llvm::find(left, basis);
    if (found == left.end())
      return false;
    left.erase(found);
    return true;
  }

  /// In order: the lanes' digits, then those of registers.
  std::vector<uint64_t> left;
};
} // namespace

/// The layout that stores vectors of `vector` elements along `dim` from the warps that hold them in `held`; none where
/// a vector, or what lanes store side by side, belongs to several warps.
static std::optional<Layout> storedByWarps(const Layout &held, int dim, int64_t vector, int64_t elementBytes) {
  Digits digits(held);
  Layout layout(held.shape());
  int64_t along = 1, extent = int64_t(1) << held.lowBits(dim);
  for (; along < vector; along *= 2) {
    if (along >= extent || !digits.take(held.pack(dim, along)))
      return std::nullopt;
    layout.appendBit(HwDim::Register, held.pack(dim, along));
  }
  size_t lanes = held.bits(HwDim::Lane).size();
  for (; along < extent && along * elementBytes < kLineBytes && lanes > 0; along *= 2, --lanes) {
    if (!digits.take(held.pack(dim, along)))
      return std::nullopt;
    layout.appendBit(HwDim::Lane, held.pack(dim, along));
  }
  if (lanes > digits.left.size())
    return std::nullopt;
  // Lanes take from what were lanes first: what both layouts have in registers are the slices.
  for (auto [i, basis] : llvm::enumerate(digits.left))
    layout.appendBit(i < lanes ? HwDim::Lane : HwDim::Register, basis);
  for (OddDigit digit : held.odd(HwDim::Register))
    layout.appendOdd(HwDim::Register, digit);
  for (uint64_t basis : held.bits(HwDim::Warp))
    layout.appendBit(HwDim::Warp, basis);
  for (OddDigit digit : held.odd(HwDim::Warp))
    layout.appendOdd(HwDim::Warp, digit);
  return layout;
}

/// The layout in which the tile of `store` can be stored as it is before `convert`, or the reason why it cannot; an
/// empty one where the plan of the access has said it already.
static std::variant<Layout, StringRef> planOf(StoreOp store, ConvertLayoutOp convert) {
  auto access = store->getAttrOfType<AccessAttr>(TileGPUDialect::kAccess);
  std::optional<unsigned> dim = AccessDims(cast<ViewAccess>(store.getOperation())).contiguous;
  if (!convert->hasOneUse())
    return StringRef("others use what it stores");
  // Elements of a vector that the view cuts are stored one by one, out of registers that hold all of them.
  if (!dim || !access || access.getVector() == 1 || !access.getWhole())
    return StringRef();
  const Layout &held = layoutOf(convert.getValue().getType()).getLayout();
  std::optional<Layout> stored =
      storedByWarps(held, *dim, access.getVector(), elementBytes(elementOf(convert.getType())));
  if (!stored || !keepsWarps(held, *stored))
    return StringRef("neighbours in memory belong to several warps");
  if (wordsOfChain(store->getParentOfType<func::FuncOp>()) >= kManyWords)
    return StringRef("its chained products leave no registers to spare");
  return *stored;
}

static void storeInSlices(StoreOp store, bool hasStMatrix) {
  auto convert = store.getValue().getDefiningOp<ConvertLayoutOp>();
  if (!convert || planConversionOf(convert).kind != ConversionKind::SharedMemory)
    return;
  std::variant<Layout, StringRef> plan = planOf(store, convert);
  if (const StringRef *reason = std::get_if<StringRef>(&plan)) {
    if (reason->empty())
      return;
    remark::missed(store.getLoc(), remarkOn(store, "StoreInSlices", "tgpu-store-in-slices"))
        << "stored after all warps have exchanged the whole tile" << remark::reason("{0}", *reason);
    return;
  }
  store->setAttr(TileGPUDialect::kThrough, LayoutAttr::get(store.getContext(), std::get<Layout>(plan)));
  if (hasStMatrix && elementBytes(elementOf(convert.getType())) == 2)
    store->setAttr(TileGPUDialect::kStoresMatrices, UnitAttr::get(store.getContext()));
  store.getValueMutable().set(convert.getValue());
  convert.erase();
}

namespace {
struct StoreInSlicesPass : public tgpu::impl::StoreInSlicesPassBase<StoreInSlicesPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(verifyLaidOut(getOperation())))
      return signalPassFailure();
    getOperation().walk([&](StoreOp store) { storeInSlices(store, matrices); });
  }
};
} // namespace
