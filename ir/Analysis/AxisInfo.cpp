#include "ir/Analysis/AxisInfo.h"

#include "ir/Tile/TileOps.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace tile;

int64_t tile::powerOfTwoDivisor(int64_t value) {
  int64_t lowest = value & -value;
  return lowest <= 0 ? AxisInfo::kMaxDivisor : std::min(lowest, AxisInfo::kMaxDivisor);
}

//===-- Facts -----------------------------------------------------------------------------------------------------===//

int64_t AxisFacts::divisorAt(int64_t step) const {
  return step % contiguity == 0 ? divisor : std::gcd(divisor, std::gcd(step, contiguity));
}

bool AxisFacts::operator==(const AxisFacts &other) const {
  return std::tie(contiguity, divisor, constancy) == std::tie(other.contiguity, other.divisor, other.constancy);
}

AxisInfo AxisInfo::uniform(Type type, int64_t divisor) {
  SmallVector<AxisFacts, 2> axes;
  for (int64_t extent : shapeOf(type))
    axes.push_back({1, divisor, extent});
  if (axes.empty())
    axes.push_back({1, divisor, 1});
  return AxisInfo(axes);
}

AxisInfo AxisInfo::unknown(Type type) {
  return AxisInfo(SmallVector<AxisFacts, 2>(std::max<size_t>(shapeOf(type).size(), 1)));
}

AxisInfo AxisInfo::join(const AxisInfo &lhs, const AxisInfo &rhs) {
  if (!lhs.isReached() || !rhs.isReached())
    return lhs.isReached() ? lhs : rhs;
  AxisInfo both;
  for (auto [l, r] : llvm::zip_equal(lhs.axes, rhs.axes)) {
    int64_t contiguity = std::gcd(l.contiguity, r.contiguity);
    both.axes.push_back(
        {contiguity, std::gcd(l.divisorAt(contiguity), r.divisorAt(contiguity)), std::gcd(l.constancy, r.constancy)});
  }
  return both;
}

void AxisInfo::print(raw_ostream &os) const {
  llvm::interleaveComma(axes, os, [&](const AxisFacts &axis) {
    os << "contiguity " << axis.contiguity << " divisor " << axis.divisor << " constancy " << axis.constancy;
  });
}

//===-- Transfer functions ----------------------------------------------------------------------------------------===//

/// The sum of two values; that of `rhs` counts `scale` each, as an offset in elements does for an address.
static AxisFacts add(const AxisFacts &lhs, const AxisFacts &rhs, int64_t scale = 1) {
  int64_t onRight = std::gcd(lhs.constancy, rhs.contiguity), onLeft = std::gcd(lhs.contiguity, rhs.constancy);
  int64_t contiguity = std::max(onLeft, onRight);
  int64_t right = std::min(rhs.divisorAt(contiguity) * scale, AxisInfo::kMaxDivisor);
  return {contiguity, std::gcd(lhs.divisorAt(contiguity), powerOfTwoDivisor(right)),
          std::gcd(lhs.constancy, rhs.constancy)};
}

static AxisFacts subtract(const AxisFacts &lhs, const AxisFacts &rhs) {
  int64_t contiguity = std::gcd(lhs.contiguity, rhs.constancy);
  return {contiguity, std::gcd(lhs.divisorAt(contiguity), rhs.divisorAt(contiguity)),
          std::gcd(lhs.constancy, rhs.constancy)};
}

static AxisFacts multiply(const AxisFacts &lhs, const AxisFacts &rhs) {
  return {1, std::min(lhs.divisorAt(1) * rhs.divisorAt(1), AxisInfo::kMaxDivisor),
          std::gcd(lhs.constancy, rhs.constancy)};
}

/// One of two values, as `min` gives it.
static AxisFacts eitherOf(const AxisFacts &lhs, const AxisFacts &rhs) {
  return {1, std::gcd(lhs.divisorAt(1), rhs.divisorAt(1)), std::gcd(lhs.constancy, rhs.constancy)};
}

/// Bits above the old width appear: a run may have wrapped, unless it starts at a multiple of its own length.
static AxisFacts widen(const AxisFacts &value) {
  return value.withContiguity(std::gcd(value.contiguity, value.divisor));
}

static AxisInfo mapAxes(ArrayRef<const AxisInfoLattice *> operands, AxisFacts (*rule)(const AxisFacts &)) {
  return AxisInfo(llvm::map_to_vector<2>(operands[0]->getValue().axes, rule));
}

template <typename Rule> static AxisInfo zipAxes(ArrayRef<const AxisInfoLattice *> operands, Rule rule) {
  AxisInfo result;
  for (auto [l, r] : llvm::zip_equal(operands[0]->getValue().axes, operands[1]->getValue().axes))
    result.axes.push_back(rule(l, r));
  return result;
}

/// Equal operands give equal results; nothing else is known.
static AxisInfo constantWhereOperandsAre(Operation *op, ArrayRef<const AxisInfoLattice *> operands) {
  AxisInfo result = AxisInfo::unknown(op->getResult(0).getType());
  bool isElementwise = op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op);
  if (!isElementwise || operands.empty())
    return result;
  for (auto [axis, facts] : llvm::enumerate(result.axes)) {
    facts.constancy = 0;
    for (auto [value, operand] : llvm::zip_equal(op->getOperands(), operands))
      if (isa<RankedTensorType>(value.getType()))
        facts.constancy = std::gcd(facts.constancy, operand->getValue().axes[axis].constancy);
    facts.constancy = std::max<int64_t>(facts.constancy, 1);
  }
  return result;
}

/// A quotient by a power of two that divides what is divided is exact.
static AxisInfo divide(DivIOp op, ArrayRef<const AxisInfoLattice *> operands) {
  AxisInfo result = constantWhereOperandsAre(op, operands);
  APInt by;
  if (!matchPattern(op.getRhs(), m_ConstantInt(&by)) || !by.isStrictlyPositive() || !by.isPowerOf2())
    return result;
  for (auto [facts, whole] : llvm::zip_equal(result.axes, operands[0]->getValue().axes))
    facts.divisor = std::max<int64_t>(whole.divisorAt(1) >> by.logBase2(), 1);
  return result;
}

static AxisInfo transfer(Operation *op, ArrayRef<const AxisInfoLattice *> operands) {
  Type type = op->getResult(0).getType();
  auto same = [](const AxisFacts &facts) { return facts; };
  return llvm::TypeSwitch<Operation *, AxisInfo>(op)
      .Case([&](arith::AddIOp) {
        return zipAxes(operands, [](const AxisFacts &l, const AxisFacts &r) { return add(l, r); });
      })
      .Case([&](arith::SubIOp) { return zipAxes(operands, subtract); })
      .Case([&](arith::MulIOp) { return zipAxes(operands, multiply); })
      .Case([&](DivIOp quotient) { return divide(quotient, operands); })
      .Case<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(
          [&](auto) { return zipAxes(operands, eitherOf); })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp, arith::IndexCastUIOp>(
          [&](auto) { return mapAxes(operands, widen); })
      .Case([&](arith::TruncIOp) { return mapAxes(operands, same); })
      .Case([&](arith::ConstantOp constant) {
        if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
          return AxisInfo::uniform(type, powerOfTwoDivisor(integer.getValue().getSExtValue()));
        auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
        if (splat && splat.getElementType().isIntOrIndex())
          return AxisInfo::uniform(type, powerOfTwoDivisor(splat.getSplatValue<APInt>().getSExtValue()));
        return AxisInfo::unknown(type);
      })
      .Case([&](IotaOp) { return AxisInfo({AxisFacts{shapeOf(type)[0], AxisInfo::kMaxDivisor, 1}}); })
      .Case([&](SplatOp) { return AxisInfo::uniform(type, operands[0]->getValue().divisor()); })
      .Case([&](ExpandDimsOp expand) {
        AxisInfo result = operands[0]->getValue();
        result.axes.insert(result.axes.begin() + expand.getAxis(), AxisFacts{1, result.divisor(), 1});
        return result;
      })
      .Case([&](BroadcastOp broadcast) {
        AxisInfo result = operands[0]->getValue();
        for (auto [axis, extents] :
             llvm::enumerate(llvm::zip_equal(shapeOf(broadcast.getValue().getType()), shapeOf(type))))
          if (auto [from, to] = extents; from != to)
            result.axes[axis] = {1, result.axes[axis].divisorAt(1), to};
        return result;
      })
      .Case([&](PermuteOp permute) {
        AxisInfo result;
        for (int32_t from : permute.getOrder())
          result.axes.push_back(operands[0]->getValue().axes[from]);
        return result;
      })
      .Case([&](PtrAddOp offset) {
        int64_t bytes = elementBytes(cast<PtrType>(elementOf(offset.getType())).getElementType());
        return zipAxes(operands, [&](const AxisFacts &l, const AxisFacts &r) { return add(l, r, bytes); });
      })
      .Default([&](Operation *other) { return constantWhereOperandsAre(other, operands); });
}

//===-- The analysis ----------------------------------------------------------------------------------------------===//

namespace {
class AxisInfoAnalysis : public dataflow::SparseForwardDataFlowAnalysis<AxisInfoLattice> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  LogicalResult visitOperation(Operation *op, ArrayRef<const AxisInfoLattice *> operands,
                               ArrayRef<AxisInfoLattice *> results) override {
    if (llvm::any_of(operands, [](const AxisInfoLattice *operand) { return !operand->getValue().isReached(); }))
      return success();
    if (results.size() != 1) {
      setAllToEntryStates(results);
      return success();
    }
    propagateIfChanged(results[0], results[0]->join(transfer(op, operands)));
    return success();
  }

  void setToEntryState(AxisInfoLattice *lattice) override {
    Value value = lattice->getAnchor();
    int64_t divisor = 1;
    if (auto argument = dyn_cast<BlockArgument>(value))
      if (auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
        if (auto given = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), TileDialect::kDivisibility))
          divisor = powerOfTwoDivisor(given.getInt());
    AxisInfo entry = AxisInfo::unknown(value.getType());
    for (AxisFacts &facts : entry.axes)
      facts.divisor = divisor;
    propagateIfChanged(lattice, lattice->join(entry));
  }

  void visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                                    ArrayRef<AxisInfoLattice *> arguments, unsigned firstInput) override {
    auto loop = dyn_cast<LoopLikeOpInterface>(op);
    std::optional<Value> variable = loop ? loop.getSingleInductionVar() : std::nullopt;
    unsigned inputs = successor.getSuccessorInputs().size();
    for (auto [index, lattice] : llvm::enumerate(arguments)) {
      if (index >= firstInput && index < firstInput + inputs)
        continue;
      if (!variable || lattice->getAnchor() != *variable) {
        setToEntryState(lattice);
        continue;
      }
      int64_t divisor = std::gcd(divisorOf(op, *loop.getSingleLowerBound()), divisorOf(op, *loop.getSingleStep()));
      propagateIfChanged(lattice, lattice->join(AxisInfo::uniform(variable->getType(), divisor)));
    }
  }

private:
  int64_t divisorOf(Operation *user, OpFoldResult bound) {
    if (auto attribute = dyn_cast<Attribute>(bound))
      return powerOfTwoDivisor(cast<IntegerAttr>(attribute).getInt());
    const AxisInfo &info = getLatticeElementFor(getProgramPointAfter(user), cast<Value>(bound))->getValue();
    return info.isReached() ? info.divisor() : AxisInfo::kMaxDivisor;
  }
};
} // namespace

void tile::loadAxisInfoAnalysis(DataFlowSolver &solver) {
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<AxisInfoAnalysis>();
}

AxisInfo tile::axisInfoOf(const DataFlowSolver &solver, Value value) {
  const auto *lattice = solver.lookupState<AxisInfoLattice>(value);
  if (!lattice || !lattice->getValue().isReached())
    return AxisInfo::unknown(value.getType());
  return lattice->getValue();
}
