/// What is known of the integers and addresses in a tile: which powers of two divide them, how far they count up by one
/// and how far they stay equal, along each axis. A sparse forward analysis on MLIR's data-flow framework, fed by the
/// attribute `tile.divisibility` of kernel arguments. It decides how wide an access may be.
///
/// Sound under wrapping: only powers of two are tracked, and these survive arithmetic modulo 2^n.
#ifndef IR_ANALYSIS_AXISINFO_H
#define IR_ANALYSIS_AXISINFO_H

#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"

namespace tile {

/// Facts along one axis. "Runs of n" are the coordinates [i·n, (i+1)·n) for every i, the other coordinates fixed.
struct AxisFacts {
  /// Values count up by one within runs of this many; elements where the values are addresses.
  int64_t contiguity = 1;
  /// A power of two that divides every value at the start of such a run; bytes where the values are addresses.
  int64_t divisor = 1;
  /// Values are equal within runs of this many.
  int64_t constancy = 1;

  /// A divisor of the values at coordinates that are multiples of `step`.
  int64_t divisorAt(int64_t step) const;
  /// As if the runs of `contiguity` were only of `step`, which divides it or is a multiple of it.
  AxisFacts withContiguity(int64_t step) const { return {step, divisorAt(step), constancy}; }
  bool operator==(const AxisFacts &other) const;
};

/// Facts about one value: one entry per axis, and a single one, without runs, for a scalar.
class AxisInfo {
public:
  /// Powers of two above this one are not told apart.
  static constexpr int64_t kMaxDivisor = int64_t(1) << 30;

  /// Of code that was not reached.
  AxisInfo() = default;
  explicit AxisInfo(llvm::SmallVector<AxisFacts, 2> axes) : axes(std::move(axes)) {}
  /// All elements of a value of `type` equal one number, which `divisor` divides.
  static AxisInfo uniform(mlir::Type type, int64_t divisor);
  /// Nothing is known of a value of `type`.
  static AxisInfo unknown(mlir::Type type);

  bool isReached() const { return !axes.empty(); }
  /// A divisor of every element.
  int64_t divisor() const { return axes.front().divisorAt(1); }

  llvm::SmallVector<AxisFacts, 2> axes;

  /// What holds for both.
  static AxisInfo join(const AxisInfo &lhs, const AxisInfo &rhs);
  bool operator==(const AxisInfo &other) const { return axes == other.axes; }
  void print(llvm::raw_ostream &os) const;
};

using AxisInfoLattice = mlir::dataflow::Lattice<AxisInfo>;

/// Loads the analysis and those it rests on.
void loadAxisInfoAnalysis(mlir::DataFlowSolver &solver);

/// The facts about `value`; those of an unknown value where the solver has none.
AxisInfo axisInfoOf(const mlir::DataFlowSolver &solver, mlir::Value value);

/// The largest power of two that divides `value`, at most `AxisInfo::kMaxDivisor`, which also divides 0.
int64_t powerOfTwoDivisor(int64_t value);

} // namespace tile

#endif
