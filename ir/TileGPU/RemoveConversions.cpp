/// Removes layout conversions: a tile that is cheap to make is made in the layout that its user wants.
///
/// A conversion moves backward through the op that makes its operand when that op is cheap and all that it takes in
/// turn is cheap, or smaller than the tile (so that what still has to be converted shrinks).
#include "ir/TileGPU/LayoutRules.h"
#include "ir/TileGPU/Passes.h"

#include "ir/Layout/ShapeOps.h"
#include "ir/Tile/TileOps.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_REMOVECONVERSIONSPASS
#include "ir/TileGPU/Passes.h.inc"
} // namespace tile::tgpu

/// How many ops back a chain of cheap producers is followed.
static constexpr int kMaxDepth = 8;
/// A conversion that moves to an operand must shrink by this factor to be worth a copy of the op.
static constexpr int64_t kMinShrink = 4;

static int64_t elementsOf(Type type) { return cast<RankedTensorType>(type).getNumElements(); }

/// Ops whose cost per element is an instruction or two, and that may be done twice.
static bool isCheap(Operation *op) {
  if (isa<arith::ConstantOp, IotaOp, SplatOp, ExpandDimsOp, BroadcastOp, PermuteOp, InsideOp>(op))
    return true;
  return op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op) && !isa<math::MathDialect>(op->getDialect()) &&
         !isa<arith::DivFOp, DivIOp, RemIOp>(op);
}

/// Whether `value` has so few elements that they may as well move.
static bool isSmall(Value value, int64_t budget) { return elementsOf(value.getType()) <= budget; }

/// Whether `value` can be had in `layout` without moving many elements between threads; `budget` elements may move.
static bool canMake(Value value, const Layout &layout, int64_t budget, int depth = 0) {
  LayoutAttr current = layoutOf(value.getType());
  if (!current || current.getLayout() == layout)
    return true;
  if (isSmall(value, budget))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || !isCheap(op) || depth == kMaxDepth)
    return false;
  std::optional<Layout> walked = layoutFromResult(op, layout);
  if (!walked)
    return false;
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (std::optional<Layout> wanted = operandLayout(op, index, *walked))
      if (!canMake(operand, *wanted, budget, depth + 1))
        return false;
  return true;
}

/// `value` in `layout`: what cannot be made is converted, and so is what is small, but for the value that was asked
/// for.
static Value make(RewriterBase &rewriter, Value value, const Layout &layout, int64_t budget, int depth = 0) {
  LayoutAttr current = layoutOf(value.getType());
  if (!current || current.getLayout() == layout)
    return value;
  auto attribute = LayoutAttr::get(rewriter.getContext(), layout);
  Operation *op = value.getDefiningOp();
  bool isMade = op && isCheap(op) && depth < kMaxDepth && (depth == 0 || !isSmall(value, budget));
  std::optional<Layout> walked = isMade ? layoutFromResult(op, layout) : std::nullopt;
  if (!walked)
    return ConvertLayoutOp::create(rewriter, value.getLoc(), withLayout(value.getType(), attribute), value);
  IRMapping mapping;
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (std::optional<Layout> wanted = operandLayout(op, index, *walked))
      mapping.map(operand, make(rewriter, operand, *wanted, budget, depth + 1));
  Operation *copy = rewriter.clone(*op, mapping);
  copy->getResult(0).setType(withLayout(value.getType(), attribute));
  if (auto constant = dyn_cast<arith::ConstantOp>(copy))
    constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(cast<ShapedType>(constant.getType())));
  return copy->getResult(0);
}

namespace {
/// convert(cheap(x)) => cheap(convert(x)), where that converts less.
struct MakeInPlace : public OpRewritePattern<ConvertLayoutOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvertLayoutOp convert, PatternRewriter &rewriter) const override {
    Value value = convert.getValue();
    Operation *op = value.getDefiningOp();
    // Past an expansion as many elements move, and the op that made them may be able to do it in place.
    int64_t budget = elementsOf(value.getType()) / (isa_and_nonnull<ExpandDimsOp>(op) ? 1 : kMinShrink);
    const Layout &layout = layoutOf(convert.getType()).getLayout();
    if (!op || !isCheap(op) || !canMake(value, layout, budget))
      return rewriter.notifyMatchFailure(convert, "the operand is not cheap to make");
    rewriter.replaceOp(convert, make(rewriter, value, layout, budget));
    return success();
  }
};

/// convert(load) => a load in the wanted layout, when nobody else reads it. Threads that hold the same elements, as of
/// a row that is broadcast, then load them repeatedly, from the caches; a handful of instructions is cheaper than a way
/// through shared memory.
struct LoadInPlace : public OpRewritePattern<ConvertLayoutOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvertLayoutOp convert, PatternRewriter &rewriter) const override {
    auto load = convert.getValue().getDefiningOp<LoadOp>();
    if (!load || !load->hasOneUse() || load->getBlock() != convert->getBlock())
      return rewriter.notifyMatchFailure(convert, "the operand is no load of its own");
    const Layout &from = layoutOf(load.getType()).getLayout(), &to = layoutOf(convert.getType()).getLayout();
    if (instructions(to) > std::max(instructions(from), kFewInstructions))
      return rewriter.notifyMatchFailure(convert, "the load would take more instructions");
    for (auto [index, operand] : llvm::enumerate(load->getOperands()))
      if (std::optional<Layout> wanted = operandLayout(load, index, to))
        if (!canMake(operand, *wanted, /*budget=*/0))
          return rewriter.notifyMatchFailure(convert, "an index tile would be converted instead");
    rewriter.setInsertionPoint(load);
    for (OpOperand &operand : load->getOpOperands())
      if (std::optional<Layout> wanted = operandLayout(load, operand.getOperandNumber(), to)) {
        Value index = make(rewriter, operand.get(), *wanted, /*budget=*/0);
        rewriter.modifyOpInPlace(load, [&] { operand.set(index); });
      }
    Type type = convert.getType();
    rewriter.modifyOpInPlace(load, [&] {
      load.getResult().setType(type);
      load->removeAttr(TileGPUDialect::kAccess);
    });
    rewriter.replaceOp(convert, load);
    return success();
  }

private:
  static constexpr int64_t kFewInstructions = 4;
  /// Of one thread; the last dim is the contiguous one in memory.
  static int64_t instructions(const Layout &layout) {
    return layout.numRegisters() / std::min<int64_t>(maxVector(layout, layout.rank() - 1), kMaxElements);
  }
  static constexpr int64_t kMaxElements = 4;
};

struct RemoveConversionsPass : public tgpu::impl::RemoveConversionsPassBase<RemoveConversionsPass> {
  void runOnOperation() override {
    if (failed(verifyLaidOut(getOperation())))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<LoadInPlace, MakeInPlace>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
