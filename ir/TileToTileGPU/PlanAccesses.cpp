/// Decides how each access of global memory is issued, once layouts are final: the widest vector that the layout, the
/// alignment and the element allow, and which comparisons and how wide offsets it needs. Says why where 16 bytes at a
/// time are not possible.
#include "ir/Analysis/AccessFacts.h"
#include "ir/Analysis/KernelRanges.h"
#include "ir/TileGPU/LayoutRules.h"
#include "ir/TileGPU/VariantRemark.h"
#include "ir/TileToTileGPU/Passes.h"

#include "ir/Layout/Constructors.h"

#include <numeric>

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_PLANACCESSESPASS
#include "ir/TileToTileGPU/Passes.h.inc"
} // namespace tile::tgpu

/// Reports an access of `found` bytes at a time, the reason, and what would help if anything does.
static void remarkNarrow(Operation *access, int64_t found, const std::string &reason, const std::string &advice) {
  remark::detail::InFlightRemark missed =
      remark::missed(access->getLoc(), remarkOn(access, "VectorizeAccess", "tgpu-plan-accesses"));
  missed << "access moves " + std::to_string(found) + " bytes at a time, not " + std::to_string(kMaxVectorBytes)
         << remark::reason("{0}", reason);
  if (!advice.empty())
    missed << remark::suggest("{0}", advice);
}

namespace {
class AccessPlanner {
public:
  AccessPlanner(func::FuncOp kernel, const DataFlowSolver &solver) : kernel(kernel), solver(solver) {}

  void run() {
    kernel.walk([&](Operation *op) {
      if (op->hasAttr(TileGPUDialect::kAccess))
        return;
      if (auto access = dyn_cast<ViewAccess>(op))
        op->setAttr(TileGPUDialect::kAccess, planView(access));
      else if (auto access = dyn_cast<PointerAccess>(op); access && movesVectors(op))
        op->setAttr(TileGPUDialect::kAccess, planPointers(access));
    });
  }

private:
  /// Atomics act on one element at a time, and `inside` on none.
  static bool movesVectors(Operation *op) { return !isa<AtomicOp, AtomicPtrOp, InsideOp>(op); }

  AccessAttr planView(ViewAccess access) {
    int64_t vector = movesVectors(access) ? viewVector(access) : 1;
    ViewFacts view = viewFactsOf(solver, access.getView());
    bool narrow = view.root && view.root.getOwner() == &kernel.front() &&
                  kernel.getArgAttr(view.root.getArgNumber(), TileGPUDialect::kNarrowOffsets);
    SmallVector<int64_t> nonNegative;
    for (auto [dim, index] : llvm::enumerate(access.getIndices()))
      if (access.getSizes()[dim] != ViewAccess::kGather && isNonNegative(solver, index))
        nonNegative.push_back(dim);
    return AccessAttr::get(kernel.getContext(), vector, hasWholeVectors(solver, access, vector), narrow, nonNegative);
  }

  int64_t viewVector(ViewAccess access) {
    LayoutAttr layout = layoutOfOp(access);
    std::optional<unsigned> dim = AccessDims(access).contiguous;
    int64_t bytes = elementBytes(access.getView().getType().getElementType());
    if (!layout)
      return 1;
    if (!dim) {
      bool isStrided = access.getView().getType().getStrided();
      remarkNarrow(access, bytes,
                   isStrided ? "the innermost stride of the view is not known to be 1"
                             : "neighbours in the tile are no neighbours in memory",
                   isStrided ? "if it always is 1, declare the tensor `tensor`, not `strided tensor`"
                             : "they are where the last axis of a tensor is read as a region, `:+`");
      return 1;
    }
    int64_t held = maxVector(layout.getLayout(), *dim);
    int64_t aligned = std::max<int64_t>(addressDivisor(solver, access) / bytes, 1);
    int64_t vector = std::min({held, aligned, kMaxVectorBytes / bytes});
    // A variant without promises knows nothing of addresses; the others report what they could know.
    auto name = kernel->getAttrOfType<StringAttr>(TileGPUDialect::kVariant);
    const Variant *variant = name ? findVariant(name) : nullptr;
    if (vector * bytes >= kMaxVectorBytes || (variant && variant->promisesNothing()))
      return vector;
    // Of a region that is narrower than a vector no promise makes one.
    if (access.getSizes().back() * bytes < kMaxVectorBytes)
      return vector;
    if (aligned * bytes < kMaxVectorBytes)
      remarkUnaligned(access, vector * bytes, aligned * bytes);
    else if (layout.getLayout().numElements() * bytes >=
             kMaxVectorBytes * layout.getLayout().numLanes() * layout.getLayout().numWarps())
      // Of a smaller tile nobody could give every thread a vector.
      remarkSplit(access, vector * bytes,
                  held == 1 ? "no two neighbours belong to one thread"
                            : "of a row only " + std::to_string(held) + " neighbours belong to one thread");
    return vector;
  }

  /// Warps that the compiler chose are none too many, and it would choose more for a larger tile.
  void remarkSplit(ViewAccess access, int64_t found, const std::string &reason) {
    bool isChosen = kernel->hasAttr(TileGPUDialect::kWarpsChosen);
    remarkNarrow(access, found, reason, isChosen ? "" : "a larger tile or fewer warps leave more to a thread");
  }

  /// A promise helps where the strides of the tensor are what is short of a vector, not where the region begins.
  void remarkUnaligned(ViewAccess access, int64_t found, int64_t aligned) {
    int64_t bytes = elementBytes(access.getView().getType().getElementType());
    std::string vector = std::to_string(kMaxVectorBytes / bytes);
    remarkNarrow(access, found, "addresses are known to be multiples of " + std::to_string(aligned) + " bytes only",
                 rowDivisorOf(access) * bytes < kMaxVectorBytes
                     ? "`where N % " + vector + " == 0` promises it of rows of `N` elements"
                     : "what begins at a multiple of " + vector + " elements is moved " +
                           std::to_string(kMaxVectorBytes) + " bytes at a time");
  }

  /// What divides the strides of all but the contiguous dim.
  int64_t rowDivisorOf(ViewAccess access) {
    int64_t divisor = kMaxVectorBytes;
    for (int64_t stride : ArrayRef(viewFactsOf(solver, access.getView()).strides).drop_back())
      divisor = std::gcd(divisor, stride);
    return divisor;
  }

  AccessAttr planPointers(PointerAccess access) {
    Value pointers = access.getPointer(), mask = access.getMask();
    LayoutAttr layout = layoutOf(pointers.getType());
    if (!layout)
      return AccessAttr::get(kernel.getContext(), 1, true, false, {});
    int64_t bytes = elementBytes(cast<PtrType>(elementOf(pointers.getType())).getElementType());
    AxisInfo info = axisInfoOf(solver, pointers);
    int64_t best = 1;
    for (auto [dim, axis] : llvm::enumerate(info.axes)) {
      int64_t vector = std::min({maxVector(layout.getLayout(), dim), powerOfTwoDivisor(axis.contiguity),
                                 axis.divisor / bytes, kMaxVectorBytes / bytes});
      if (mask)
        vector = std::min(vector, powerOfTwoDivisor(axisInfoOf(solver, mask).axes[dim].constancy));
      best = std::max(best, vector);
    }
    if (best * bytes < kMaxVectorBytes)
      remarkNarrow(access, best * bytes,
                   mask ? "pointers or mask are not known to run in aligned vectors"
                        : "pointers are not known to run in aligned vectors",
                   "regions of a tensor carry what is known of its extents");
    return AccessAttr::get(kernel.getContext(), best, /*whole=*/true, /*narrow=*/false, {});
  }

  func::FuncOp kernel;
  const DataFlowSolver &solver;
};

struct PlanAccessesPass : public tgpu::impl::PlanAccessesPassBase<PlanAccessesPass> {
  void runOnOperation() override {
    DataFlowSolver solver;
    loadAxisInfoAnalysis(solver);
    loadKernelRanges(solver);
    if (failed(solver.initializeAndRun(getOperation())))
      return signalPassFailure();
    AccessPlanner(getOperation(), solver).run();
  }
};
} // namespace
