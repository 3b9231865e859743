#include "ir/TileGPU/ProductPlacer.h"

#include "ir/TileGPU/SlotAccess.h"
#include "ir/TileGPU/WgmmaAccess.h"

#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

SmallVector<std::pair<Value, DotOperand>, 2> tgpu::factorsOf(DotOp dot) {
  return {{dot.getLhs(), DotOperand::A}, {dot.getRhs(), DotOperand::B}};
}

SlotType tgpu::slotTypeOf(Type tile, const Layout &shared) {
  return SlotType::get(tile.getContext(), shapeOf(tile), elementOf(tile), LayoutAttr::get(tile.getContext(), shared));
}

BufferType tgpu::bufferTypeOf(Type tile, const Layout &shared, int64_t stages) {
  SlotType slot = slotTypeOf(tile, shared);
  return BufferType::get(tile.getContext(), stages, slot.getShape(), slot.getElementType(), slot.getLayout());
}

/// Contiguous as the registers are where wgmma reads that, else along K.
static std::optional<Layout> wgmmaStoredLayout(DotOp dot, Value factor, DotOperand which) {
  const Layout &registers = layoutOf(factor.getType()).getLayout();
  unsigned alongK = which == DotOperand::A ? 1 : 0,
           contiguous = maxVector(registers, 0) > maxVector(registers, 1) ? 0 : 1;
  for (unsigned dim : {contiguous, alongK})
    if (std::optional<Layout> shared = factorLayout(shapeOf(factor.getType()), elementOf(factor.getType()), dim))
      if (whyNotFromSlot(dot, which, factor.getType(), *shared).empty())
        return shared;
  return std::nullopt;
}

std::optional<Layout> tgpu::storedLayout(DotOp dot, Value factor, DotOperand which, bool stays) {
  DotOperands plan = planDotOperands(dot);
  const MmaOperand &operand = which == DotOperand::A ? plan.lhs : plan.rhs;
  if (!shareOf(dot)->inWarpgroups)
    return operand.bytes ? std::optional(operand.shared) : std::nullopt;
  if (which == DotOperand::A && operand.bytes == 0 && !stays)
    return std::nullopt;
  return wgmmaStoredLayout(dot, factor, which);
}

std::string tgpu::whyNotFromSlot(DotOp dot, DotOperand which, Type tile, const Layout &shared) {
  ProductShare share = *shareOf(dot);
  SlotType slot = slotTypeOf(tile, shared);
  if (share.inWarpgroups) {
    const MmaKind *kind = findMmaKind(slot.getElementType(), dot.getPrecision());
    return planWgmmaFactor(*kind, slot, which, share.warps) ? "" : "wgmma does not read its elements in this order";
  }
  SmallVector<int64_t> warps(share.warps.begin(), share.warps.end());
  bool isRead = planSlotOperand(slot, which, warps).matrix || elementBytes(slot.getElementType()) >= 4;
  return isRead ? "" : "ldmatrix does not read the fragments of its elements in this order";
}

Value tgpu::storeTo(OpBuilder &builder, Value tile, Value buffer, Value n) {
  Value slot = SlotOp::create(builder, tile.getLoc(), buffer, n);
  StoreSharedOp::create(builder, tile.getLoc(), tile, slot);
  return slot;
}

void StoredFactors::add(Value slot) {
  for (Operation *user : slot.getUsers())
    if (auto store = dyn_cast<StoreSharedOp>(user))
      stores.push_back(store);
}

Value StoredFactors::find(Value factor, const Layout &shared, Operation *reader) const {
  for (StoreSharedOp store : stores)
    if (store.getValue() == factor && store.getSlot().getType() == slotTypeOf(factor.getType(), shared) &&
        DominanceInfo().dominates(store.getSlot(), reader))
      return store.getSlot();
  return Value();
}

int64_t StoredFactors::bytesKept(Operation *loop) const {
  int64_t bytes = 0;
  for (StoreSharedOp store : stores) {
    auto isRead = [&](bool within) {
      return llvm::any_of(store.getValue().getUsers(),
                          [&](Operation *user) { return isa<DotOp>(user) && loop->isAncestor(user) == within; });
    };
    if (isRead(/*within=*/false) && !isRead(/*within=*/true))
      bytes += store.getSlot().getDefiningOp<SlotOp>().getBuffer().getType().getSlotBytes();
  }
  return bytes;
}

Value tgpu::toFragment(OpBuilder &builder, DotOp dot, Value factor, DotOperand which) {
  Layout fragment = shareOf(dot)->operand(which, shapeOf(factor.getType()), elementOf(factor.getType()));
  Type type = withLayout(factor.getType(), LayoutAttr::get(factor.getContext(), fragment));
  return type == factor.getType() ? factor
                                  : ConvertLayoutOp::create(builder, factor.getLoc(), type, factor).getResult();
}

Operation *tgpu::multiply(OpBuilder &builder, DotOp dot, Value lhs, Value rhs, bool waits) {
  ProductShare share = *shareOf(dot);
  SmallVector<int64_t> warps(share.warps.begin(), share.warps.end());
  if (!share.inWarpgroups)
    return MmaOp::create(builder, dot.getLoc(), dot.getType(), dot.getPrecision(), dot.getSign(), lhs, rhs,
                         dot.getAcc(), warps);
  return MmaAsyncOp::create(builder, dot.getLoc(), dot.getType(), TokenType::get(dot.getContext()), dot.getPrecision(),
                            dot.getSign(), lhs, rhs, dot.getAcc(), warps, waits);
}
