#include "ir/Analysis/AccessFacts.h"

#include <numeric>

using namespace mlir;
using namespace tile;

static int64_t divisorOf(const DataFlowSolver &solver, OpFoldResult number) {
  if (auto attribute = dyn_cast<Attribute>(number))
    return powerOfTwoDivisor(cast<IntegerAttr>(attribute).getInt());
  return axisInfoOf(solver, cast<Value>(number)).divisor();
}

/// What a launch promises of the innermost extent of the tensor that begins at an argument of a kernel.
static int64_t rowDivisor(BlockArgument base) {
  auto kernel = base ? dyn_cast<func::FuncOp>(base.getOwner()->getParentOp()) : func::FuncOp();
  auto given =
      kernel ? kernel.getArgAttrOfType<IntegerAttr>(base.getArgNumber(), TileDialect::kRowDivisibility) : IntegerAttr();
  return given ? powerOfTwoDivisor(given.getInt()) : 1;
}

/// Whether `value` is known to be the extent of `view` in `dim`.
static bool isExtent(Value value, Value view, unsigned dim) {
  if (auto asked = value.getDefiningOp<DimOp>())
    return asked.getView() == view && asked.getAxis() == dim;
  auto made = view.getDefiningOp<MakeViewOp>();
  return made && made.getMixedExtents()[dim] == OpFoldResult(value);
}

/// The product of two divisors, capped.
static int64_t times(int64_t a, int64_t b) { return std::min(a * b, AxisInfo::kMaxDivisor); }

ViewFacts tile::viewFactsOf(const DataFlowSolver &solver, Value view) {
  auto type = cast<ViewType>(view.getType());
  ViewFacts facts;
  if (auto made = view.getDefiningOp<MakeViewOp>()) {
    facts.base = axisInfoOf(solver, made.getBase()).divisor();
    facts.root = dyn_cast<BlockArgument>(made.getBase());
    for (OpFoldResult extent : made.getMixedExtents())
      facts.extents.push_back(divisorOf(solver, extent));
    if (!facts.extents.empty())
      facts.extents.back() = std::max(facts.extents.back(), rowDivisor(facts.root));
    for (OpFoldResult stride : made.getMixedStrides())
      facts.strides.push_back(divisorOf(solver, stride));
    return facts;
  }
  if (auto window = view.getDefiningOp<SubviewOp>()) {
    ViewFacts outer = viewFactsOf(solver, window.getView());
    int64_t bytes = elementBytes(type.getElementType());
    facts.base = outer.base;
    facts.root = outer.root;
    auto high = window.getHighs().begin();
    for (auto [dim, low] : llvm::enumerate(window.getLows())) {
      int64_t lowDivisor = divisorOf(solver, low);
      facts.base = std::gcd(facts.base, times(times(lowDivisor, outer.strides[dim]), bytes));
      if (!window.getKept()[dim])
        continue;
      // high - low, or what is left of the outer view, or 0.
      int64_t highDivisor = isExtent(*high, window.getView(), dim) ? outer.extents[dim] : divisorOf(solver, *high);
      facts.extents.push_back(std::gcd(std::gcd(highDivisor, lowDivisor), outer.extents[dim]));
      ++high;
      facts.strides.push_back(outer.strides[dim]);
    }
    return facts;
  }
  facts.extents.assign(type.getRank(), 1);
  facts.strides.assign(type.getRank(), 1);
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (!ShapedType::isDynamic(extent))
      facts.extents[dim] = powerOfTwoDivisor(extent);
  return facts;
}

AccessDims::AccessDims(ViewAccess access) {
  unsigned next = 0;
  for (auto [index, size] : llvm::zip_equal(access.getIndices(), access.getSizes())) {
    if (size == ViewAccess::kPoint) {
      tileDim.push_back(std::nullopt);
    } else if (size != ViewAccess::kGather) {
      tileDim.push_back(next++);
    } else if (gatherRank) {
      tileDim.push_back(gatherBegin);
    } else {
      gatherBegin = next;
      gatherRank = shapeOf(index.getType()).size();
      tileDim.push_back(gatherBegin);
      next += gatherRank;
    }
  }
  ViewType view = access.getView().getType();
  if (view.getRank() > 0 && !view.getStrided() && access.getSizes().back() > 0)
    contiguous = tileDim.back();
}

int64_t tile::addressDivisor(const DataFlowSolver &solver, ViewAccess access) {
  ViewFacts view = viewFactsOf(solver, access.getView());
  ViewType type = access.getView().getType();
  int64_t bytes = elementBytes(type.getElementType());
  int64_t divisor = view.base;
  for (auto [dim, position] : llvm::enumerate(llvm::zip_equal(access.getIndices(), access.getSizes()))) {
    auto [index, size] = position;
    int64_t stride = times(view.strides[dim], bytes);
    int64_t corner = size == ViewAccess::kGather ? 1 : axisInfoOf(solver, index).divisor();
    bool isContiguous = dim + 1 == static_cast<size_t>(type.getRank()) && !type.getStrided() && size > 0;
    // Within the tile the position is any number, but for the contiguous dim, where vectors begin at multiples.
    bool isFixed = size == ViewAccess::kPoint || size == 1 || isContiguous;
    divisor = std::gcd(divisor, isFixed ? times(corner, stride) : stride);
  }
  return divisor;
}

bool tile::hasWholeVectors(const DataFlowSolver &solver, ViewAccess access, int64_t vector) {
  unsigned dim = access.getView().getType().getRank() - 1;
  if (vector == 1 || access.getUnchecked())
    return true;
  return viewFactsOf(solver, access.getView()).extents[dim] % vector == 0 &&
         axisInfoOf(solver, access.getIndices()[dim]).divisor() % vector == 0;
}
