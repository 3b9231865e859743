#include "runtime/search/Terms.h"

#include "runtime/search/ProgramWork.h"

using namespace mlir;

namespace tile {
namespace {

/// Of a value: additions on the longest way to it, and on the longest that begins at what the loop around it carries;
/// below 0 where none does.
struct Length {
  int64_t any = 0, carried = -1;

  void takeLonger(Length other) {
    any = std::max(any, other.any);
    carried = std::max(carried, other.carried);
  }
  void extend(int64_t additions) {
    any += additions;
    carried += carried < 0 ? 0 : additions;
  }
};

class SumCounter {
public:
  SumCounter(LaunchValues &values) : values(values) {}

  void count(Block &block) {
    for (Operation &op : block)
      count(op);
  }
  int64_t longest() const { return stored; }

private:
  Length of(mlir::Value value) const { return lengths.lookup(value); }

  static int64_t additionsOf(Operation &op) {
    if (auto dot = dyn_cast<DotOp>(op))
      return shapeOf(dot.getLhs().getType())[1];
    if (auto reduce = dyn_cast<ReduceOp>(op))
      return shapeOf(reduce.getOperands()[0].getType())[reduce.getAxis()];
    return isa<arith::AddFOp, arith::SubFOp, math::FmaOp>(op);
  }

  /// Whether `reduce` picks one of its elements.
  static bool isChoice(Operation &op) {
    auto reduce = dyn_cast<ReduceOp>(op);
    Operation *combiner = reduce ? reduce.getSoleCombiner() : nullptr;
    return combiner && !isa<arith::AddFOp, arith::MulFOp>(combiner);
  }

  void count(Operation &op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return count(loop);
    Length length;
    for (mlir::Value operand : op.getOperands())
      length.takeLonger(of(operand));
    if (isa<StoreOp, StorePtrOp, AtomicOp, AtomicPtrOp>(op))
      stored = std::max(stored, length.any);
    if (isa<LoadOp, LoadPtrOp, AtomicOp, AtomicPtrOp>(op)) // what was stored is counted where it was
      length = Length();
    if (!isChoice(op))
      length.extend(additionsOf(op));
    for (Region &region : op.getRegions())
      for (Block &block : region)
        if (!isa<ReduceOp>(op)) {
          count(block);
          for (mlir::Value yielded : block.getTerminator()->getOperands())
            length.takeLonger(of(yielded));
        }
    for (mlir::Value result : op.getResults())
      lengths[result] = length;
  }

  void count(scf::ForOp loop) {
    int64_t trips = values.trips(loop).value_or(kUnknownTrips);
    for (mlir::Value argument : loop.getRegionIterArgs())
      lengths[argument] = {0, 0};
    count(*loop.getBody());
    for (auto [init, next, result] :
         llvm::zip_equal(loop.getInitArgs(), *loop.getYieldedValuesMutable(), loop.getResults())) {
      Length length = of(init), each = of(next.get());
      int64_t growth = std::max<int64_t>(each.carried, 0);
      length.extend(growth * trips);
      length.takeLonger({each.any + growth * std::max<int64_t>(trips - 1, 0), -1});
      lengths[result] = length;
    }
  }

  LaunchValues &values;
  DenseMap<mlir::Value, Length> lengths;
  int64_t stored = 0;
};

} // namespace

int64_t longestSum(func::FuncOp kernel, LaunchValues &values) {
  SumCounter counter(values);
  counter.count(kernel.front());
  return std::max<int64_t>(counter.longest(), 1);
}

} // namespace tile
