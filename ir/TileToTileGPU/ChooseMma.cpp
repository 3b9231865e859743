/// Decides which matrix products run on the tensor cores, and how the warps of a block share each of them. The others
/// are sums of products of the ordinary kind.
#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/MmaKind.h"
#include "ir/TileGPU/ProductShare.h"
#include "ir/TileGPU/TileGPUOps.h"
#include "ir/TileGPU/VariantRemark.h"
#include "ir/TileToTileGPU/Passes.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_CHOOSEMMAPASS
#include "ir/TileToTileGPU/Passes.h.inc"
} // namespace tile::tgpu

/// Whether `from` becomes `to` by ops on single elements.
static bool leadsTo(Value from, Value to) {
  SmallVector<Value> open{to};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (value == from)
      return true;
    Operation *op = value.getDefiningOp();
    if (op && op->hasTrait<OpTrait::Elementwise>() && seen.insert(op).second)
      llvm::append_range(open, op->getOperands());
  }
  return false;
}

/// Whether the sum of a product is the left factor of another after ops on single elements, as scores are, or this is
/// the other.
static bool isChained(DotOp dot) {
  return llvm::any_of(dot->getBlock()->getOps<DotOp>(), [&](DotOp other) {
    return other != dot && (leadsTo(dot.getResult(), other.getLhs()) || leadsTo(other.getResult(), dot.getLhs()));
  });
}

/// Warps along M and N. The fewest registers per thread first, so that no warp repeats another's work; then the least
/// data: for warps the squarest piece, and for groups the fewest rows, as each of their instructions reads its columns
/// anew. Of products in a chain each warp has whole rows, so that what lies between stays in its registers. None where
/// groups cannot share the product.
static std::optional<ProductShare> shareWarps(ArrayRef<int64_t> shape, int64_t warps, bool inWarpgroups,
                                              bool isChained) {
  std::optional<ProductShare> best;
  std::pair<int64_t, int64_t> bestCost;
  for (int64_t rows = 1; rows <= warps; ++rows) {
    int64_t columns = warps / rows;
    if (warps % rows != 0 || (inWarpgroups && !canShareInWarpgroups(shape, {rows, columns})))
      continue;
    ProductShare share{warpCounts({rows, columns}), inWarpgroups};
    int64_t data = isChained || inWarpgroups ? shape[0] / rows : shape[0] / rows + shape[1] / columns;
    std::pair<int64_t, int64_t> cost = {share.accumulator(shape).numRegisters(), data};
    if (!best || cost < bestCost) {
      best = share;
      bestCost = cost;
    }
  }
  return best;
}

namespace {
/// What keeps a product from wgmma, and what would help.
struct Obstacle {
  std::string reason, advice;
};
} // namespace

/// What of the factors wgmma does not take. Those that are not of 16 bits must lie along K, and only what memory has so
/// can be copied so.
static SmallVector<Obstacle> obstaclesOfFactors(DotOp dot, const MmaKind &kind) {
  SmallVector<Obstacle> obstacles;
  auto isTransposed = [](Value factor) { return static_cast<bool>(factor.getDefiningOp<PermuteOp>()); };
  std::string rule = " of " + std::to_string(kind.bits) + " bits does not lie along K, as wgmma takes it";
  if (!kind.isTransposable() && isTransposed(dot.getLhs()))
    obstacles.push_back({"its left factor" + rule, "store it as [M, K] and multiply it as it is"});
  if (!kind.isTransposable() && !isTransposed(dot.getRhs()))
    obstacles.push_back({"its right factor" + rule, "store it as [N, K] and multiply by its transpose, `x.T`"});
  return obstacles;
}

/// What of the tile groups of four among `warps` cannot share. `isChosen`: the compiler chose the warps, and would give
/// four to a tile with rows for them.
static SmallVector<Obstacle> obstaclesOfShape(ArrayRef<int64_t> shape, int64_t warps, bool isChosen) {
  SmallVector<Obstacle> obstacles;
  constexpr int64_t rows = MmaKind::kWarpgroupRows;
  bool hasRows = shape[0] % rows == 0;
  if (!hasRows)
    obstacles.push_back(
        {llvm::formatv("M is {0}; wgmma takes multiples of {1} rows", shape[0], rows),
         shape[1] % rows == 0
             ? llvm::formatv("compute the transposed product, `b.T @ a.T` for `a @ b`, which has {0} rows", shape[1])
                   .str()
             : llvm::formatv("a tile of {0} rows has them", llvm::alignTo(shape[0], rows)).str()});
  if (warps % kWarpgroupWarps != 0 && (hasRows || !isChosen))
    obstacles.push_back(
        {llvm::formatv("wgmma takes {0} warps or a multiple of them; the block has {1}", kWarpgroupWarps, warps),
         llvm::formatv("set `warps` to {0}", llvm::alignTo(warps, kWarpgroupWarps))});
  if (obstacles.empty())
    obstacles.push_back(
        {llvm::formatv("a tile of {0} by {1} is no {2} equal pieces of {3} rows and {4} columns or "
                       "multiples of them, one for each group of {5} warps",
                       shape[0], shape[1], warps / kWarpgroupWarps, rows, MmaKind::kColumns, kWarpgroupWarps),
         "fewer warps or a larger tile leave whole pieces to each"});
  return obstacles;
}

/// Registers of a thread that a product of warpgroups takes at once: it has one text, and the words of a left factor
/// that is no load are part of it.
static int64_t registersOf(DotOp dot, const ProductShare &share) {
  constexpr int64_t kBeside = 28; // addresses, counters, descriptors
  ArrayRef<int64_t> lhs = shapeOf(dot.getLhs().getType());
  Type element = elementOf(dot.getLhs().getType());
  bool isLoaded = isa_and_nonnull<LoadOp, PermuteOp>(dot.getLhs().getDefiningOp());
  int64_t left =
      isLoaded ? 0 : share.operand(DotOperand::A, lhs, element).numRegisters() * element.getIntOrFloatBitWidth() / 32;
  return share.accumulator(shapeOf(dot.getType())).numRegisters() + left + kBeside;
}

/// Registers that a thread may have in a block of so many warps.
static int64_t registersFor(func::FuncOp kernel, int64_t warps, int64_t perBlock) {
  constexpr int64_t kMost = 255, kLanes = 32, kUnit = 8; // they are given out in eights
  int64_t most = std::min(kMost, perBlock / (warps * kLanes) / kUnit * kUnit);
  auto schedule = kernel->getAttrOfType<DictionaryAttr>(TileDialect::kSchedule);
  auto given = schedule ? schedule.getAs<IntegerAttr>("max_registers") : IntegerAttr();
  return given ? std::min(most, given.getInt()) : most;
}

/// f16 has every number of the 8-bit floats, and tensor cores where these have none, or none for so small a tile.
static void widenFactors(DotOp dot) {
  OpBuilder b(dot);
  for (OpOperand *factor : {&dot.getLhsMutable(), &dot.getRhsMutable()}) {
    Type wide = tileOf(shapeOf(factor->get().getType()), b.getF16Type());
    factor->set(arith::ExtFOp::create(b, dot.getLoc(), wide, factor->get()));
  }
}

namespace {
struct ChooseMmaPass : public tgpu::impl::ChooseMmaPassBase<ChooseMmaPass> {
  using Base::Base;

  void runOnOperation() override {
    for (const std::string &type : types)
      if (!llvm::is_contained(llvm::map_range(allMmaKinds(), [](const MmaKind &kind) { return kind.name; }), type)) {
        getOperation().emitError() << "type of operands is `" << type << "`; expected one that mma.sync takes";
        return signalPassFailure();
      }
    getOperation().walk([&](DotOp dot) {
      std::string fault = whyNot(dot);
      if (Type element = elementOf(dot.getLhs().getType()); !fault.empty() && isFloat8(element)) {
        if (llvm::is_contained(types, findMmaKind(element, dot.getPrecision())->name))
          missed(dot) << "factors of 8 bits are multiplied as f16" << remark::reason("{0}", fault)
                      << remark::suggest("tiles with K in multiples of 32 stay in 8 bits");
        widenFactors(dot);
        fault = whyNot(dot);
      }
      if (fault.empty()) {
        share(dot);
        return;
      }
      missed(dot) << "dot does not run on the tensor cores" << remark::reason("{0}", fault)
                  << remark::suggest("tiles of multiples of 16 of f16, bf16, 8-bit floats or i8 do, and of f32 with "
                                     "`precision = tf32`");
    });
  }

private:
  void share(DotOp dot) {
    ArrayRef<int64_t> shape = shapeOf(dot.getType());
    int64_t count = kernelWarps(getOperation(), warps);
    std::optional<ProductShare> chosen;
    if (warpgroups)
      chosen = shareWarpgroups(dot, shape, count);
    if (chosen)
      dot->setAttr(TileGPUDialect::kWarpgroups, UnitAttr::get(&getContext()));
    else
      chosen = shareWarps(shape, count, /*inWarpgroups=*/false, isChained(dot));
    dot->setAttr(
        TileGPUDialect::kMma,
        DenseI64ArrayAttr::get(&getContext(), SmallVector<int64_t>(chosen->warps.begin(), chosen->warps.end())));
  }

  /// How groups of warps share `dot`; none, after saying why, where it does not run as wgmma.
  std::optional<ProductShare> shareWarpgroups(DotOp dot, ArrayRef<int64_t> shape, int64_t count) {
    auto share = shareWarps(shape, count, /*inWarpgroups=*/true, isChained(dot));
    SmallVector<Obstacle> obstacles =
        obstaclesOfFactors(dot, *findMmaKind(elementOf(dot.getLhs().getType()), dot.getPrecision()));
    if (!share)
      llvm::append_range(obstacles,
                         obstaclesOfShape(shape, count, getOperation()->hasAttr(TileGPUDialect::kWarpsChosen)));
    else if (int64_t most = registersFor(getOperation(), count, registers); registersOf(dot, *share) > most)
      obstacles.push_back(
          {llvm::formatv("a thread needs {0} registers for it and has {1}", registersOf(dot, *share), most),
           "a smaller tile leaves fewer sums to a thread"});
    for (const Obstacle &obstacle : obstacles)
      missed(dot) << "dot does not run as wgmma" << remark::reason("{0}", obstacle.reason)
                  << remark::suggest("{0}", obstacle.advice);
    return obstacles.empty() ? share : std::nullopt;
  }

  remark::detail::InFlightRemark missed(DotOp dot) {
    return remark::missed(dot.getLoc(), remarkOn(dot, "ChooseMma", "tgpu-choose-mma"));
  }

  std::string whyNot(DotOp dot) {
    const MmaKind *kind = findMmaKind(elementOf(dot.getLhs().getType()), dot.getPrecision());
    const MmaKind *rhsKind = findMmaKind(elementOf(dot.getRhs().getType()), dot.getPrecision());
    if (!kind || !llvm::is_contained(types, kind->name) || !llvm::is_contained(types, rhsKind->name))
      return "no instruction of the target takes operands of this type and precision";
    ArrayRef<int64_t> lhs = shapeOf(dot.getLhs().getType()), result = shapeOf(dot.getType());
    for (auto [name, extent, unit] :
         {std::tuple("M", result[0], MmaKind::kRows), std::tuple("N", result[1], MmaKind::kColumns),
          std::tuple("K", lhs[1], kind->depth())})
      if (extent % unit != 0)
        return std::string(name) + " is " + std::to_string(extent) + ", no multiple of " + std::to_string(unit);
    return "";
  }
};
} // namespace
