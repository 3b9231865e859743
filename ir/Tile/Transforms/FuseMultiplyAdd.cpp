/// Contraction of a product and a sum to one rounding. It is decided here, once, on the program as written, so that the
/// interpreter and every GPU agree to the bit; nothing later fuses, and no op carries a fast-math flag.
#include "ir/Tile/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace tile {
#define GEN_PASS_DEF_FUSEMULTIPLYADDPASS
#include "ir/Tile/Transforms/Passes.h.inc"
} // namespace tile

using namespace tile;

namespace {

/// The product that `value` is, if this is its only use.
arith::MulFOp getFusible(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  return product && product->hasOneUse() ? product : nullptr;
}

void remarkNotFused(Operation *sum) {
  for (Value operand : sum->getOperands())
    if (auto product = operand.getDefiningOp<arith::MulFOp>())
      remark::missed(product.getLoc(), remark::RemarkOpts::name("FuseMultiplyAdd").category("tile-fuse-multiply-add"))
          << "product and sum round twice" << remark::reason("product has more than one use")
          << remark::suggest("`fma(a, b, c)` rounds once wherever it stands");
}

Value negate(OpBuilder &builder, Location loc, Value value) { return arith::NegFOp::create(builder, loc, value); }

/// a * b + c => fma(a, b, c), the product on either side, the left one first.
Value fuse(OpBuilder &builder, arith::AddFOp sum) {
  for (auto [side, other] : {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())})
    if (auto product = getFusible(side))
      return math::FmaOp::create(builder, sum.getLoc(), product.getLhs(), product.getRhs(), other);
  return Value();
}

/// a * b - c => fma(a, b, -c), and c - a * b => fma(-a, b, c). A negation is exact.
Value fuse(OpBuilder &builder, arith::SubFOp difference) {
  Location loc = difference.getLoc();
  if (auto product = getFusible(difference.getLhs()))
    return math::FmaOp::create(builder, loc, product.getLhs(), product.getRhs(),
                               negate(builder, loc, difference.getRhs()));
  if (auto product = getFusible(difference.getRhs()))
    return math::FmaOp::create(builder, loc, negate(builder, loc, product.getLhs()), product.getRhs(),
                               difference.getLhs());
  return Value();
}

template <typename SumOp> void fuseIn(Operation *op) {
  auto sum = dyn_cast<SumOp>(op);
  if (!sum || !(elementOf(sum.getType()).isF32() || elementOf(sum.getType()).isF64()))
    return;
  OpBuilder builder(sum);
  SmallVector<Value, 2> operands(sum->getOperands());
  Value fused = fuse(builder, sum);
  if (!fused)
    return remarkNotFused(sum);
  sum.replaceAllUsesWith(fused);
  sum.erase();
  for (Value operand : operands)
    if (auto product = operand.getDefiningOp<arith::MulFOp>(); product && product->use_empty())
      product.erase();
}

struct FuseMultiplyAdd : tile::impl::FuseMultiplyAddPassBase<FuseMultiplyAdd> {
  void runOnOperation() override {
    SmallVector<Operation *> sums;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::AddFOp, arith::SubFOp>(op))
        sums.push_back(op);
    });
    for (Operation *op : sums) {
      if (isa<arith::AddFOp>(op))
        fuseIn<arith::AddFOp>(op);
      else
        fuseIn<arith::SubFOp>(op);
    }
  }
};

} // namespace
