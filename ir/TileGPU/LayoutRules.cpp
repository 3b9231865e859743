#include "ir/TileGPU/LayoutRules.h"

#include "ir/Layout/ShapeOps.h"
#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/ProductShare.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

/// One layout for all operands and results.
static bool isUniform(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() || isa<PointerAccess, AssertOp>(op);
}

static Shape shapeVector(Type type) {
  ArrayRef<int64_t> shape = shapeOf(type);
  return Shape(shape.begin(), shape.end());
}

static std::vector<int> orderOf(PermuteOp permute) {
  return std::vector<int>(permute.getOrder().begin(), permute.getOrder().end());
}

static std::vector<int> inverse(const std::vector<int> &order) {
  std::vector<int> result(order.size());
  for (auto [to, from] : llvm::enumerate(order))
    result[from] = to;
  return result;
}

/// The layout of a gather's index tile: the gathered dims of the accessed tile, those of extent 1 collapsed.
static Layout gatherLayout(ViewAccess access, unsigned position, const Layout &layout) {
  ArrayRef<int64_t> shape = shapeOf(access.getIndices()[position].getType());
  size_t begin = 0;
  for (unsigned before = 0; access.getSizes()[before] != ViewAccess::kGather; ++before)
    begin += access.getSizes()[before] > 0;
  Layout result = layout;
  for (int dim = layout.rank() - 1; dim >= 0; --dim)
    if (dim < static_cast<int>(begin) || dim >= static_cast<int>(begin + shape.size()))
      result = sliceLayout(result, dim);
  return withoutReplicatedRegisters(collapseLayout(result, physicalShape(Shape(shape.begin(), shape.end()))));
}

std::optional<Layout> tgpu::mmaAccumulator(DotOp dot) {
  std::optional<ProductShare> share = shareOf(dot);
  return share ? std::optional(share->accumulator(shapeOf(dot.getType()))) : std::nullopt;
}

std::optional<Layout> tgpu::operandLayout(Operation *op, unsigned index, const Layout &layout) {
  Value operand = op->getOperand(index);
  if (!isa<RankedTensorType>(operand.getType()))
    return std::nullopt;
  if (isUniform(op) || isa<ReduceOp>(op))
    return layout;
  if (auto access = dyn_cast<ViewAccess>(op)) {
    unsigned first = access.getIndices().getBeginOperandIndex();
    if (index >= first && index < first + access.getIndices().size())
      return gatherLayout(access, index - first, layout);
    return layout;
  }
  return llvm::TypeSwitch<Operation *, std::optional<Layout>>(op)
      // The factors may have any layout: they travel within the product.
      .Case([&](DotOp dot) -> std::optional<Layout> {
        return index == dot->getNumOperands() - 1 ? std::optional(layout) : std::nullopt;
      })
      .Case([&](ExpandDimsOp expand) { return sliceLayout(layout, expand.getAxis()); })
      .Case([&](BroadcastOp) {
        return withoutReplicatedRegisters(collapseLayout(layout, physicalShape(shapeVector(operand.getType()))));
      })
      .Case([&](PermuteOp permute) { return permuteLayout(layout, inverse(orderOf(permute))); })
      .Case([&](ReshapeOp) { return reshapeLayout(layout, physicalShape(shapeVector(operand.getType()))); })
      .Default([](Operation *) { return std::nullopt; });
}

Layout tgpu::resultLayout(Operation *op, const Layout &layout) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return sliceLayout(layout, reduce.getAxis());
  return layout;
}

std::optional<Layout> tgpu::layoutFromOperand(Operation *op, unsigned index, const Layout &layout) {
  if (isUniform(op) || isa<ReduceOp>(op))
    return layout;
  if (auto access = dyn_cast<ViewAccess>(op)) {
    unsigned first = access.getIndices().getBeginOperandIndex();
    bool isIndex = index >= first && index < first + access.getIndices().size();
    return isIndex ? std::nullopt : std::optional(layout);
  }
  return llvm::TypeSwitch<Operation *, std::optional<Layout>>(op)
      .Case([&](DotOp dot) -> std::optional<Layout> {
        return index == dot->getNumOperands() - 1 ? std::optional(layout) : std::nullopt;
      })
      .Case([&](ExpandDimsOp expand) { return expandDimsLayout(layout, expand.getAxis()); })
      .Case([&](PermuteOp permute) { return permuteLayout(layout, orderOf(permute)); })
      .Case([&](ReshapeOp reshape) { return reshapeLayout(layout, physicalShape(shapeVector(reshape.getType()))); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Layout> tgpu::layoutFromResult(Operation *op, const Layout &layout) {
  return isa<ReduceOp, DotOp>(op) ? std::nullopt : std::optional(layout);
}

LayoutAttr tgpu::layoutOfOp(Operation *op) {
  if (isa<ReduceOp>(op))
    return layoutOf(op->getOperand(0).getType());
  if (auto copy = dyn_cast<CopyAsyncOp>(op))
    return copy.getLayout();
  if (auto store = dyn_cast<StoreOp>(op)) {
    LayoutAttr through = throughOf(store);
    return through ? through : layoutOf(store.getValue().getType());
  }
  if (op->getNumResults() > 0)
    return layoutOf(op->getResult(0).getType());
  return op->getNumOperands() > 0 ? layoutOf(op->getOperand(0).getType()) : LayoutAttr();
}

bool tgpu::canReduce(const Layout &layout, int axis) {
  uint64_t along = layout.pack(axis, (int64_t(1) << layout.lowBits(axis)) - 1);
  SpanBasis seen;
  for (HwDim hw : {HwDim::Register, HwDim::Lane, HwDim::Warp})
    for (uint64_t basis : layout.bits(hw)) {
      bool isMixed = (basis & along) && (basis & ~along);
      bool isNew = basis == 0 || seen.insert(basis);
      if (isMixed || (hw != HwDim::Register && !isNew))
        return false;
    }
  return true;
}
