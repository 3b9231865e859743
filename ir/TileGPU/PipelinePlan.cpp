#include "ir/TileGPU/PipelinePlan.h"

#include "ir/Layout/ShapeOps.h"
#include "ir/TileGPU/Scratch.h"
#include "ir/TileGPU/SlotAccess.h"
#include "ir/TileGPU/VariantRemark.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

/// Stages unasked: copies three iterations ahead cover the latency of memory for loops that products fill.
static constexpr int64_t kUsualStages = 4;
/// Stages with which products on warpgroups always have one behind them, and copies one ahead.
static constexpr int64_t kFewStages = 3;

namespace {
/// The load that gives a factor of a product.
struct Source {
  LoadOp load;
  bool isTransposed = false; ///< on its way to the product
};
} // namespace

static bool isTransposition(PermuteOp permute) { return permute.getOrder() == ArrayRef<int32_t>({1, 0}); }

/// The load in the body of `loop` that `factor` comes from.
static std::optional<Source> sourceOf(scf::ForOp loop, Value factor) {
  Source source;
  auto permute = factor.getDefiningOp<PermuteOp>();
  if (permute && permute->getBlock() == loop.getBody() && isTransposition(permute)) {
    source.isTransposed = true;
    factor = permute.getValue();
  }
  source.load = factor.getDefiningOp<LoadOp>();
  if (!source.load || source.load->getBlock() != loop.getBody())
    return std::nullopt;
  return source;
}

static bool isZero(Value value) {
  return !value || matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

void tgpu::remarkNotAhead(Operation *op, StringRef what, const std::string &reason, const std::string &advice) {
  remark::detail::InFlightRemark missed =
      remark::missed(op->getLoc(), remarkOn(op, "PipelineLoads", "tgpu-pipeline-loads"));
  missed << what << remark::reason("{0}", reason);
  if (!advice.empty())
    missed << remark::suggest("{0}", advice);
}

PipelinePlan::PipelinePlan(scf::ForOp loop, int64_t limit, int64_t shared) : loop(loop) {
  std::optional<int64_t> asked = askedStages();
  if (asked == 1)
    return;
  for (auto dot : loop.getBody()->getOps<DotOp>())
    if (shareOf(dot))
      dots.push_back(dot);
  for (DotOp dot : dots)
    for (auto [factor, which] : factorsOf(dot))
      if (std::optional<Source> source = sourceOf(loop, factor))
        consider(source->load);
  if (loads.empty())
    return;
  // Products that read none of the copies stay as they are.
  llvm::erase_if(dots, [&](DotOp dot) {
    return llvm::none_of(factorsOf(dot), [&](auto factor) { return copied(factor.first) != nullptr; });
  });
  planOthers();
  planCarried();
  stages = chooseStages(asked, limit, shared);
}

std::optional<int64_t> PipelinePlan::askedStages() {
  for (Operation *op : {loop.getOperation(), loop->getParentOfType<func::FuncOp>().getOperation()})
    if (auto schedule = op->getAttrOfType<DictionaryAttr>(TileDialect::kSchedule))
      if (auto stages = schedule.getAs<IntegerAttr>("stages"))
        return stages.getInt();
  return std::nullopt;
}

void PipelinePlan::consider(LoadOp load) {
  if (!considered.insert(load).second)
    return;
  Ahead ahead{load, Layout()};
  std::string advice;
  if (std::string fault = whyNot(load, ahead, advice); !fault.empty())
    return remarkNotAhead(load, "load is not copied ahead", fault, advice);
  loads.push_back(std::move(ahead));
}

/// Why `load` cannot become a copy, and in `advice` what would help if anything does; fills in what the copy needs.
std::string PipelinePlan::whyNot(LoadOp load, Ahead &ahead, std::string &advice) {
  if (!load.getView().getType().getConstant())
    return "its tensor may be written meanwhile";
  if (!isZero(load.getOther()))
    return "what it reads outside of the tensor is not zero";
  if (load.getCache() == CacheHint::Volatile)
    return "it is volatile";
  auto plan = load->getAttrOfType<AccessAttr>(TileGPUDialect::kAccess);
  if (!plan)
    return "it has no plan";
  ArrayRef<int64_t> shape = shapeOf(load.getType());
  if (load.getSizes().empty() || load.getSizes().back() < 1 || llvm::is_contained(load.getSizes(), ViewAccess::kGather))
    return "its positions are not regions that are contiguous in memory";
  Type element = elementOf(load.getType());
  std::optional<Layout> layout = factorLayout(shape, element, shape.size() - 1);
  if (!layout)
    return "rows of " + std::to_string(shape.back() * elementBytes(element)) + " bytes are too short to be swizzled";
  ahead.shared = *layout;
  const Layout &registers = layoutOf(load.getType()).getLayout();
  if (std::string fault = whyNoAsyncCopy(cast<ViewAccess>(load.getOperation()), plan, registers, ahead.shared);
      !fault.empty())
    return fault;
  for (Value operand : load->getOperands())
    if (failed(collectSlice(loop, operand, ahead.slice)))
      return "its positions follow from more than the loop's variable: from memory, or from the iteration before";
  return whyNoUse(load, ahead.shared, advice);
}

/// What lets a factor be read from its slot. ldmatrix exchanges rows and columns of 16-bit elements only, and a group
/// of warps cannot have a part of a swizzled row, which lies across K where the elements do.
static std::string adviceOnOrder(DotOp dot, DotOperand which, bool isTransposed) {
  bool isAlongK = isTransposed == (which == DotOperand::B);
  std::string store = isAlongK                 ? ""
                      : which == DotOperand::A ? "store it as [M, K] and multiply it as it is"
                                               : "store it as [N, K] and multiply by its transpose, `x.T`";
  std::string fewer = shareOf(dot)->inWarpgroups || isAlongK ? "use fewer warps" : "";
  return store + (store.empty() || fewer.empty() ? "" : ", or ") + fewer;
}

/// Why the users of `load` cannot read it from shared memory, and in `advice` what would help if anything does.
std::string PipelinePlan::whyNoUse(LoadOp load, const Layout &shared, std::string &advice) {
  SmallVector<OpOperand *> uses = llvm::to_vector(llvm::make_pointer_range(load->getUses()));
  while (!uses.empty()) {
    OpOperand *use = uses.pop_back_val();
    Operation *user = use->getOwner();
    auto permute = dyn_cast<PermuteOp>(user);
    if (permute && permute->getBlock() == loop.getBody() && use->get() == load.getResult() &&
        isTransposition(permute)) {
      for (OpOperand &next : permute->getUses())
        uses.push_back(&next);
      continue;
    }
    auto dot = dyn_cast<DotOp>(user);
    if (!dot || !llvm::is_contained(dots, dot) || use->getOperandNumber() > 1)
      return "it has users that are no products on the tensor cores";
    DotOperand which = use->getOperandNumber() == 0 ? DotOperand::A : DotOperand::B;
    bool isTransposed = use->get() != load.getResult();
    Layout seen = isTransposed ? permuteLayout(shared, {1, 0}) : shared;
    if (std::string fault = whyNotFromSlot(dot, which, use->get().getType(), seen); !fault.empty()) {
      advice = adviceOnOrder(dot, which, isTransposed);
      return fault;
    }
  }
  return "";
}

PipelinePlan::Ahead *PipelinePlan::copied(Value factor) {
  std::optional<Source> source = sourceOf(loop, factor);
  auto found = source ? llvm::find_if(loads, [&](Ahead &known) { return known.load == source->load; }) : loads.end();
  return found == loads.end() ? nullptr : &*found;
}

bool PipelinePlan::isTransposed(Value factor) const { return sourceOf(loop, factor)->isTransposed; }

void PipelinePlan::planOthers() {
  for (DotOp dot : dots)
    for (auto [factor, which] : factorsOf(dot))
      if (bool stays = loop.isDefinedOutsideOfLoop(factor); !copied(factor))
        if (std::optional<Layout> shared = storedLayout(dot, factor, which, stays))
          stored.insert({{dot, which}, Stored{*shared, stays}});
}

/// Whether `value` is made of `argument` alone by ops on elements, each result of which has no other use. Then the
/// registers of the one can become those of the other.
static bool isOnlyUseOf(Value argument, Value value) {
  if (!value.hasOneUse())
    return false;
  if (value == argument)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != argument.getParentBlock() || !op->hasTrait<OpTrait::Elementwise>())
    return false;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return isa<RankedTensorType>(operand.getType()) && isOnlyUseOf(argument, operand);
  });
}

/// Whether the sum of `last` is all that the loop hands on in its place, and was that before `chain`, the products that
/// added to it. A sum under way must stay in its registers, so nothing else may hold, want or set them.
bool PipelinePlan::isHandedOn(DotOp last, SmallVector<DotOp> &chain) {
  if (!last->hasOneUse())
    return false;
  OpOperand &use = *last->use_begin();
  if (!isa<scf::YieldOp>(use.getOwner()) || use.getOwner()->getParentOp() != loop)
    return false;
  DotOp first = last;
  for (auto before = first.getAcc().getDefiningOp<DotOp>(); before; before = first.getAcc().getDefiningOp<DotOp>()) {
    if (!before->hasOneUse() || !llvm::is_contained(dots, before) || !shareOf(before)->inWarpgroups)
      return false;
    first = before;
    chain.push_back(before);
  }
  return isOnlyUseOf(loop.getRegionIterArg(use.getOperandNumber()), first.getAcc());
}

/// Whether `value` is computed, within the block, from what one of `makers` gives.
static bool isMadeFrom(Value value, const SmallPtrSetImpl<Operation *> &makers) {
  llvm::SetVector<Operation *> ops;
  if (Operation *op = value.getDefiningOp())
    ops.insert(op);
  for (size_t i = 0; i < ops.size(); ++i) {
    if (makers.contains(ops[i]))
      return true;
    for (Value operand : ops[i]->getOperands())
      if (Operation *op = operand.getDefiningOp(); op && op->getBlock() == ops[i]->getBlock())
        ops.insert(op);
  }
  return false;
}

/// The registers of a left factor are read until the product is done. So the next one must follow from a product that
/// waits, or nothing keeps it from being made before.
void PipelinePlan::planCarried() {
  SmallPtrSet<Operation *, 4> waiting;
  auto mayBeLate = [&](DotOp dot) {
    return copied(dot.getLhs()) || stored.contains({dot, DotOperand::A}) || isMadeFrom(dot.getLhs(), waiting);
  };
  for (DotOp dot : dots) {
    if (!shareOf(dot)->inWarpgroups)
      continue;
    SmallVector<DotOp> chain;
    if (isHandedOn(dot, chain) && mayBeLate(dot) && llvm::all_of(chain, mayBeLate)) {
      carried.insert(dot);
      passedOn.insert(chain.begin(), chain.end());
    } else if (!dot->hasOneUse() || !isa<DotOp>(*dot->user_begin())) {
      waiting.insert(dot); // the links of a chain do not, if its end does not
    }
  }
}

bool PipelinePlan::mayWaitApart(DotOp dot) const {
  return shareOf(dot)->inWarpgroups && isZero(dot.getAcc()) && llvm::none_of(dot->getUsers(), [](Operation *user) {
           return user->hasTrait<OpTrait::IsTerminator>() || isa<DotOp>(user);
         });
}

int64_t PipelinePlan::chooseStages(std::optional<int64_t> asked, int64_t limit, int64_t shared) {
  auto slotBytes = [](Type tile, const Layout &layout) { return bufferTypeOf(tile, layout, 1).getSlotBytes(); };
  for (Ahead &ahead : loads)
    bytesPerStage += slotBytes(ahead.load.getType(), ahead.shared);
  for (auto &[key, store] : stored) {
    int64_t slots = store.isInvariant ? 1 : 2 + !carried.empty();
    bytesBeside += slotBytes(factorOf(key).getType(), store.shared) * slots;
  }
  int64_t scratch = 0;
  loop.walk([&](Operation *op) {
    if (!llvm::is_contained(dots, op))
      scratch = std::max(scratch, scratchBytes(op));
  });
  int64_t most = (limit - bytesBeside - scratch) / bytesPerStage;
  if (most < 2) {
    remarkNotAhead(loop, "loads are not copied ahead",
                   "two stages of " + std::to_string(bytesPerStage) + " bytes do not fit in shared memory");
    return 0;
  }
  if (asked) {
    if (*asked > most)
      remarkNotAhead(loop, "loop has " + std::to_string(most) + " stages, not " + std::to_string(*asked),
                     "a stage takes " + std::to_string(bytesPerStage) + " bytes of shared memory");
    return std::min(*asked, most);
  }
  int64_t least = carried.empty() ? kLeastStages : kFewStages;
  int64_t cheap = (shared - bytesBeside - scratch) / bytesPerStage;
  // Where two blocks cannot have the stages that they need, one has all.
  return std::min({kUsualStages, cheap < least ? (carried.empty() ? least : kUsualStages) : cheap, most});
}
