#include "backend/interpreter/FixedBits.h"

#include "backend/interpreter/Compiler.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tile;
using namespace tile::interpreter;

/// The error of the op's own rounding, in units of the last place.
static double ulpsOf(StringRef row) {
  llvm::StringSwitch<double> ulps(row);
#define ROW(id, name, domain, arity, value, units, error) ulps.Case(name, units);
#include "backend/interpreter/Elementwise.def"
#undef ROW
  return ulps.Default(0);
}

/// More than half a unit is no rounding to nearest, so that the next implementation may give another number.
static bool approximates(Operation *op) { return isElementwise(op) && ulpsOf(rowName(op)) > 0.5; }

static bool rounds(Operation *op) { return isElementwise(op) && ulpsOf(rowName(op)) > 0; }

static bool isFloatValue(Value value) { return isa<FloatType>(getElementTypeOrSelf(value.getType())); }

static bool isAddress(Value value) { return isa<ViewType, PtrType>(getElementTypeOrSelf(value.getType())); }

namespace {
/// What is open and what addresses point into, as far as is known; both only grow.
class Analysis {
public:
  explicit Analysis(func::FuncOp kernel) : kernel(kernel), openMemory(kernel.getNumArguments()) {
    for (BlockArgument argument : kernel.getArguments()) {
      roots[argument].resize(kernel.getNumArguments());
      roots[argument].set(argument.getArgNumber());
    }
  }

  llvm::BitVector run() {
    do {
      changed = false;
      kernel.walk([&](Operation *op) { visit(op); });
    } while (changed);
    return openMemory;
  }

private:
  void visit(Operation *op);
  void visitLoop(scf::ForOp loop);
  void visitWhile(scf::WhileOp loop);
  void visitIf(scf::IfOp conditional);
  bool isControlOpen(Operation *op) const;
  bool isReductionOpen(ReduceOp reduce) const;
  bool anyOpen(ValueRange values) const {
    return llvm::any_of(values, [&](Value value) { return open.contains(value); });
  }

  void setOpen(Value value) { changed |= open.insert(value).second; }
  void flow(Value from, Value to) {
    if (open.contains(from))
      setOpen(to);
    if (isAddress(to))
      point(to, rootsOf(from));
  }
  void flow(ValueRange from, ValueRange to) {
    for (auto [source, target] : llvm::zip_equal(from, to))
      flow(source, target);
  }
  llvm::BitVector rootsOf(Value address) const {
    auto found = roots.find(address);
    return found == roots.end() ? llvm::BitVector(openMemory.size()) : found->second;
  }
  void point(Value address, const llvm::BitVector &into) {
    llvm::BitVector &known = roots[address];
    known.resize(openMemory.size());
    if (!into.test(known)) // nothing of `into` is new
      return;
    known |= into;
    changed = true;
  }

  func::FuncOp kernel;
  DenseSet<Value> open;
  DenseMap<Value, llvm::BitVector> roots; ///< of an address: the arguments that it may point into
  llvm::BitVector openMemory;             ///< by argument
  bool changed = false;
};
} // namespace

/// Whether something open decides if and how often `op` runs.
bool Analysis::isControlOpen(Operation *op) const {
  for (Operation *parent = op->getParentOp(); parent && parent != kernel; op = parent, parent = parent->getParentOp()) {
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      if (open.contains(loop.getConditionOp().getCondition()))
        return true;
    } else if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      if (anyOpen({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}))
        return true;
    } else if (anyOpen(parent->getOperands())) { // `scf.if`
      return true;
    }
  }
  return false;
}

bool Analysis::isReductionOpen(ReduceOp reduce) const {
  bool isOpen = anyOpen(reduce.getOperands());
  reduce.getCombiner().walk([&](Operation *op) { isOpen |= rounds(op) || anyOpen(op->getOperands()); });
  return isOpen;
}

void Analysis::visitLoop(scf::ForOp loop) {
  flow(loop.getInitArgs(), loop.getRegionIterArgs());
  flow(loop.getBody()->getTerminator()->getOperands(), loop.getRegionIterArgs());
  flow(loop.getRegionIterArgs(), loop.getResults());
  if (!anyOpen({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}))
    return;
  setOpen(loop.getInductionVar());
  llvm::for_each(loop.getResults(), [&](Value result) { setOpen(result); });
}

void Analysis::visitWhile(scf::WhileOp loop) {
  scf::ConditionOp condition = loop.getConditionOp();
  flow(loop.getInits(), loop.getBeforeArguments());
  flow(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
  flow(condition.getArgs(), loop.getAfterArguments());
  flow(condition.getArgs(), loop.getResults());
  if (open.contains(condition.getCondition()))
    llvm::for_each(loop.getResults(), [&](Value result) { setOpen(result); });
}

void Analysis::visitIf(scf::IfOp conditional) {
  for (Region *region : conditional.getRegions())
    if (!region->empty() && conditional.getNumResults() > 0)
      flow(region->front().getTerminator()->getOperands(), conditional.getResults());
  if (open.contains(conditional.getCondition()))
    llvm::for_each(conditional.getResults(), [&](Value result) { setOpen(result); });
}

void Analysis::visit(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitLoop(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return visitWhile(loop);
  if (auto conditional = dyn_cast<scf::IfOp>(op))
    return visitIf(conditional);

  llvm::BitVector into(openMemory.size());
  for (Value operand : op->getOperands())
    if (isAddress(operand))
      into |= rootsOf(operand);
  bool reads = hasEffect<MemoryEffects::Read>(op), writes = hasEffect<MemoryEffects::Write>(op);
  bool isOpen = anyOpen(op->getOperands()) || approximates(op);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    isOpen |= isReductionOpen(reduce);
  if (auto dot = dyn_cast<DotOp>(op))
    isOpen |= isFloatValue(dot.getResult());
  bool isAtomic = reads && writes && op->getNumResults() > 0; // not an `assert`
  if (writes && (isOpen || isControlOpen(op) || (isAtomic && isFloatValue(op->getResult(0))))) {
    changed |= into.test(openMemory);
    openMemory |= into;
  }
  // What an atomic finds depends on who came first.
  isOpen |= isAtomic || (reads && into.anyCommon(openMemory));
  for (Value result : op->getResults()) {
    if (isOpen)
      setOpen(result);
    if (isAddress(result))
      point(result, into);
  }
}

std::vector<bool> tile::findFixedBits(func::FuncOp kernel) {
  llvm::BitVector open = Analysis(kernel).run();
  std::vector<bool> fixed;
  for (unsigned i = 0; i < open.size(); ++i)
    fixed.push_back(!open[i]);
  return fixed;
}
