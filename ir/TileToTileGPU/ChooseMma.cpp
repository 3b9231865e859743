/// Decides which matrix products run on the tensor cores, and how the warps of a block share each of them. The others
/// are sums of products of the ordinary kind.
#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/MmaKind.h"
#include "ir/TileGPU/ProductShare.h"
#include "ir/TileGPU/TileGPUOps.h"
#include "ir/TileToTileGPU/Passes.h"

#include "mlir/IR/Remarks.h"

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

/// Whether wgmma takes the factors. Those of 8 bits must lie along K, and only what memory has so can be copied so.
static bool isForWarpgroups(DotOp dot, const MmaKind &kind) {
  auto isTransposed = [](Value factor) { return static_cast<bool>(factor.getDefiningOp<PermuteOp>()); };
  return kind.isAsync && (kind.isTransposable() || (!isTransposed(dot.getLhs()) && isTransposed(dot.getRhs())));
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
      if (!fault.empty() && isFloat8(elementOf(dot.getLhs().getType()))) {
        widenFactors(dot);
        fault = whyNot(dot);
      }
      if (fault.empty()) {
        share(dot);
        return;
      }
      remark::missed(dot.getLoc(), remark::RemarkOpts::name("ChooseMma").category("tgpu-choose-mma"))
          << "dot does not run on the tensor cores" << remark::reason("{0}", fault)
          << remark::suggest(
                 "tiles of multiples of 16 of f16, bf16, 8-bit floats or i8 do, and of f32 with `precision = tf32`");
    });
  }

private:
  void share(DotOp dot) {
    ArrayRef<int64_t> shape = shapeOf(dot.getType());
    int64_t count = kernelWarps(getOperation(), warps);
    std::optional<ProductShare> chosen;
    if (warpgroups && isForWarpgroups(dot, *findMmaKind(elementOf(dot.getLhs().getType()), dot.getPrecision())))
      chosen = shareWarps(shape, count, /*inWarpgroups=*/true, isChained(dot));
    if (int64_t most = registersFor(getOperation(), count, registers); chosen && registersOf(dot, *chosen) > most) {
      remark::missed(dot.getLoc(), remark::RemarkOpts::name("ChooseMma").category("tgpu-choose-mma"))
          << "dot does not run as wgmma"
          << remark::reason("a thread needs {0} registers for it and has {1}", registersOf(dot, *chosen), most)
          << remark::suggest("a smaller tile leaves fewer sums to a thread");
      chosen.reset();
    }
    if (chosen)
      dot->setAttr(TileGPUDialect::kWarpgroups, UnitAttr::get(&getContext()));
    else
      chosen = shareWarps(shape, count, /*inWarpgroups=*/false, isChained(dot));
    dot->setAttr(
        TileGPUDialect::kMma,
        DenseI64ArrayAttr::get(&getContext(), SmallVector<int64_t>(chosen->warps.begin(), chosen->warps.end())));
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
