#include "ir/Analysis/KernelRanges.h"

#include "ir/Tile/TileOps.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"

using namespace mlir;
using namespace tile;

namespace {
class KernelRangeAnalysis : public dataflow::IntegerRangeAnalysis {
public:
  using IntegerRangeAnalysis::IntegerRangeAnalysis;

  void setToEntryState(dataflow::IntegerValueRangeLattice *lattice) override {
    auto argument = dyn_cast<BlockArgument>(lattice->getAnchor());
    auto kernel = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
    auto maximum =
        kernel ? kernel.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), TileDialect::kMaximum) : IntegerAttr();
    if (!maximum)
      return IntegerRangeAnalysis::setToEntryState(lattice);
    unsigned width = ConstantIntRanges::getStorageBitwidth(argument.getType());
    ConstantIntRanges range = ConstantIntRanges::fromSigned(
        APInt::getZero(width), APInt(width, maximum.getInt(), /*isSigned=*/true, /*implicitTrunc=*/true));
    propagateIfChanged(lattice, lattice->join(IntegerValueRange(range)));
  }
};
} // namespace

void tile::loadKernelRanges(DataFlowSolver &solver) {
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<KernelRangeAnalysis>();
}

bool tile::isNonNegative(const DataFlowSolver &solver, Value value) {
  const auto *lattice = solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
  return lattice && !lattice->getValue().isUninitialized() && lattice->getValue().getValue().smin().isNonNegative();
}
