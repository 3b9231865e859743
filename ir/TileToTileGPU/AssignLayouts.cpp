/// Where tiles first get layouts. Accesses of global memory propose theirs, the proposals spread forward through the
/// ops until nothing changes, then types are set and conversions inserted where an op needs another layout than its
/// operand has. Values that are cheap to make anywhere propose nothing of weight: they take the layout of whom they
/// meet.
#include "ir/Layout/Constructors.h"
#include "ir/TileGPU/LayoutRules.h"
#include "ir/TileToTileGPU/AccessLayouts.h"
#include "ir/TileToTileGPU/Passes.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "ir/TileToTileGPU/Passes.h.inc"
} // namespace tile::tgpu

namespace {
/// How much a value minds losing its layout.
enum class Weight {
  None,     ///< not known yet
  Flexible, ///< made from nothing or from something smaller
  Memory,   ///< came from global memory, or was computed from what did
  Product,  ///< came from the tensor cores
};

struct Proposal {
  LayoutAttr layout;
  Weight weight = Weight::None;
  bool operator!=(const Proposal &other) const { return layout != other.layout || weight != other.weight; }
};

class Assignment {
public:
  Assignment(func::FuncOp kernel, const DataFlowSolver &solver, int64_t warps)
      : kernel(kernel), accesses(kernel, solver, warps) {}

  void run() {
    collectEdges();
    // Each sweep carries a proposal around every loop once. Rivals of one weight may chase each other round a loop; any
    // choice is right, as conversions make up for it, so what the last sweep left stands.
    for (int sweep = 0; sweep < kMaxSweeps && propagate(); ++sweep) {
    }
    setTypes();
    insertConversions();
  }

private:
  static constexpr int kMaxSweeps = 8;

  bool isTile(Value value) const { return isa<RankedTensorType>(value.getType()); }

  /// The operands that control flow hands to `value`'s class, and the classes of values that hold the same operand.
  void collectEdges() {
    kernel.walk([&](RegionBranchOpInterface branch) {
      auto addEdges = [&](RegionBranchPoint from, llvm::function_ref<OperandRange(RegionSuccessor)> operandsFor) {
        SmallVector<RegionSuccessor> successors;
        branch.getSuccessorRegions(from, successors);
        for (RegionSuccessor successor : successors)
          for (auto [operand, input] : llvm::zip_equal(operandsFor(successor), successor.getSuccessorInputs())) {
            if (!isTile(input))
              continue;
            classes.insert(input.getAsOpaquePointer());
            incoming[input].push_back(operand);
          }
      };
      addEdges(RegionBranchPoint::parent(),
               [&](RegionSuccessor successor) { return branch.getEntrySuccessorOperands(successor); });
      for (Region &region : branch->getRegions())
        for (Block &block : region)
          if (auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(block.getTerminator()))
            addEdges(RegionBranchPoint(terminator),
                     [&](RegionSuccessor successor) { return terminator.getSuccessorOperands(successor); });
    });
    // One operand that reaches several inputs (a loop's argument and its result) has one layout for all of them.
    DenseMap<Value, Value> firstInput;
    for (auto &[input, operands] : incoming)
      for (Value operand : operands)
        if (auto [first, isNew] = firstInput.try_emplace(operand, input); !isNew)
          classes.unionSets(first->second.getAsOpaquePointer(), input.getAsOpaquePointer());
  }

  /// Recomputes all proposals once; whether any changed.
  bool propagate() {
    bool changed = false;
    auto update = [&](Value value, const Proposal &proposal) {
      Proposal &current = proposals[value];
      if (proposal != current) {
        current = proposal;
        changed = true;
      }
    };
    for (auto &[input, operands] : incoming) {
      Proposal best;
      for (auto member = classes.findLeader(input.getAsOpaquePointer()); member != classes.member_end(); ++member)
        for (Value operand : incoming[Value::getFromOpaquePointer(*member)])
          if (Proposal other = proposals.lookup(operand); other.weight > best.weight)
            best = other;
      update(input, best);
    }
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      Proposal own = proposalOf(op);
      if (own.weight == Weight::None)
        return;
      chosen[op] = own;
      if (isa<RegionBranchOpInterface>(op))
        return;
      for (Value result : op->getResults())
        if (isTile(result))
          update(result, {LayoutAttr::get(op->getContext(), resultLayout(op, own.layout.getLayout())), own.weight});
    });
    return changed;
  }

  /// The layout that `op` would have now; none for what walks no tile.
  Proposal proposalOf(Operation *op) {
    if (isa<RegionBranchOpInterface>(op) || op->hasTrait<OpTrait::IsTerminator>())
      return {};
    if (!llvm::any_of(op->getOperands(), [&](Value v) { return isTile(v); }) &&
        !llvm::any_of(op->getResults(), [&](Value v) { return isTile(v); }))
      return {};
    Proposal best;
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      Proposal from = proposals.lookup(operand);
      if (!from.layout || from.weight <= best.weight)
        continue;
      if (std::optional<Layout> layout = layoutFromOperand(op, index, from.layout.getLayout()))
        best = {LayoutAttr::get(op->getContext(), *layout), from.weight};
    }
    if (auto dot = dyn_cast<DotOp>(op))
      if (std::optional<Layout> accumulator = mmaAccumulator(dot))
        return {LayoutAttr::get(op->getContext(), *accumulator), Weight::Product};
    if (LayoutAttr preferred = accesses.layoutFor(op)) {
      bool takesOperand =
          best.weight >= Weight::Memory && AccessLayouts::isAsGood(op, best.layout.getLayout(), preferred.getLayout());
      return {takesOperand ? best.layout : preferred, Weight::Memory};
    }
    if (best.weight == Weight::None)
      best = {accesses.layoutFor(walkedShape(op)), Weight::Flexible};
    if (auto reduce = dyn_cast<ReduceOp>(op); reduce && !canReduce(best.layout.getLayout(), reduce.getAxis()))
      best.layout = accesses.layoutFor(walkedShape(op));
    return best;
  }

  static ArrayRef<int64_t> walkedShape(Operation *op) {
    bool byOperand = isa<ReduceOp>(op) || op->getNumResults() == 0;
    return shapeOf(byOperand ? op->getOperand(0).getType() : op->getResult(0).getType());
  }

  void setLayout(Value value, LayoutAttr layout) {
    if (layoutOf(value.getType()) == layout)
      return;
    value.setType(withLayout(value.getType(), layout));
  }

  void setTypes() {
    for (auto &[input, operands] : incoming)
      setLayout(input, proposals.lookup(input).layout);
    kernel.walk([&](Operation *op) {
      auto layout = chosen.find(op);
      if (layout == chosen.end() || isa<RegionBranchOpInterface>(op))
        return;
      for (Value result : op->getResults())
        if (isTile(result))
          setLayout(result, LayoutAttr::get(op->getContext(), resultLayout(op, layout->second.layout.getLayout())));
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
          constant.setValueAttr(elements.reshape(cast<ShapedType>(constant.getType())));
    });
  }

  void insertConversions() {
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (auto layout = chosen.find(op); layout != chosen.end())
        for (OpOperand &operand : op->getOpOperands())
          if (std::optional<Layout> wanted =
                  operandLayout(op, operand.getOperandNumber(), layout->second.layout.getLayout()))
            convert(operand, LayoutAttr::get(op->getContext(), *wanted));
    for (Operation *op : ops) {
      auto branch = dyn_cast<RegionBranchOpInterface>(op);
      if (!branch)
        continue;
      auto convertEdges = [&](RegionBranchPoint from, llvm::function_ref<MutableOperandRange(RegionSuccessor)> range) {
        SmallVector<RegionSuccessor> successors;
        branch.getSuccessorRegions(from, successors);
        for (RegionSuccessor successor : successors)
          for (auto [operand, input] : llvm::zip_equal(range(successor), successor.getSuccessorInputs()))
            if (LayoutAttr layout = layoutOf(input.getType()))
              convert(operand, layout);
      };
      convertEdges(RegionBranchPoint::parent(), [&](RegionSuccessor successor) {
        OperandRange operands = branch.getEntrySuccessorOperands(successor);
        return MutableOperandRange(op, operands.empty() ? 0 : operands.getBeginOperandIndex(), operands.size());
      });
      for (Region &region : op->getRegions())
        for (Block &block : region)
          if (auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(block.getTerminator()))
            convertEdges(RegionBranchPoint(terminator),
                         [&](RegionSuccessor successor) { return terminator.getMutableSuccessorOperands(successor); });
    }
  }

  void convert(OpOperand &operand, LayoutAttr layout) {
    Type type = operand.get().getType();
    if (layoutOf(type) == layout)
      return;
    OpBuilder builder(operand.getOwner());
    operand.set(ConvertLayoutOp::create(builder, operand.get().getLoc(), withLayout(type, layout), operand.get()));
  }

  func::FuncOp kernel;
  AccessLayouts accesses;
  llvm::EquivalenceClasses<void *> classes;
  llvm::MapVector<Value, SmallVector<Value>> incoming;
  DenseMap<Value, Proposal> proposals;
  DenseMap<Operation *, Proposal> chosen;
};

struct AssignLayoutsPass : public tgpu::impl::AssignLayoutsPassBase<AssignLayoutsPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    int64_t count = kernelWarps(kernel, warps);
    kernel->setAttr(TileGPUDialect::kWarps, IntegerAttr::get(IntegerType::get(&getContext(), 64), count));

    DataFlowSolver solver;
    loadAxisInfoAnalysis(solver);
    if (failed(solver.initializeAndRun(kernel)))
      return signalPassFailure();
    Assignment(kernel, solver, count).run();
  }
};
} // namespace
