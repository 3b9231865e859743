#include "ir/TileToTileGPU/AccessLayouts.h"

#include "ir/Layout/Constructors.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

/// Memory moves in sectors of this many bytes: neighbours that fill them leave nothing unused.
static constexpr int64_t kSectorBytes = 32;

/// Registers of a block, which its threads share, of a thread, and what it needs of them beside its tiles.
static constexpr int64_t kBlockRegisters = 65536, kThreadRegisters = 255, kOtherRegisters = 16;
static constexpr int64_t kLanes = 32;

/// Whether registers for all of the accessed tile are more than a thread has. Vectors that the end of a row may cut
/// cost a branch behind the load, before which the whole tile is in registers; without it the assembler takes in one
/// part after another. A product needs whole factors either way.
static bool overflowsRegisters(ViewAccess access, int64_t bytes, int64_t warps) {
  int64_t words = llvm::divideCeil(llvm::product_of(access.getAccessShape()) * bytes, 4 * kLanes * warps);
  return words > std::min(kBlockRegisters / (kLanes * warps), kThreadRegisters) - kOtherRegisters;
}

std::optional<AccessLayouts::Wish> AccessLayouts::wishOf(Operation *op, const DataFlowSolver &solver) const {
  if (auto access = dyn_cast<ViewAccess>(op); access && !isa<InsideOp>(op)) {
    SmallVector<int64_t> shape = access.getAccessShape();
    if (shape.empty())
      return std::nullopt;
    int64_t bytes = elementBytes(access.getView().getType().getElementType());
    std::optional<unsigned> contiguous = AccessDims(access).contiguous;
    int64_t vector =
        contiguous ? std::max<int64_t>(std::min(addressDivisor(solver, access), kMaxVectorBytes) / bytes, 1) : 1;
    if (!hasProducts && !hasWholeVectors(solver, access, vector) && overflowsRegisters(access, bytes, warps))
      vector = 1;
    unsigned fastest = contiguous.value_or(shape.size() - 1);
    return Wish{shape, fastest, bytes, vector};
  }
  auto byPointer = dyn_cast<PointerAccess>(op);
  Value pointers = byPointer ? byPointer.getPointer() : Value();
  if (!pointers || shapeOf(pointers.getType()).empty())
    return std::nullopt;
  int64_t bytes = elementBytes(cast<PtrType>(elementOf(pointers.getType())).getElementType());
  AxisInfo info = axisInfoOf(solver, pointers);
  // The longest run of neighbours decides; the last dim where there is none.
  unsigned fastest = info.axes.size() - 1;
  for (auto [dim, axis] : llvm::enumerate(info.axes))
    if (axis.contiguity > info.axes[fastest].contiguity)
      fastest = dim;
  const AxisFacts &axis = info.axes[fastest];
  int64_t vector = std::min({powerOfTwoDivisor(axis.contiguity), axis.divisor / bytes, kMaxVectorBytes / bytes});
  ArrayRef<int64_t> shape = shapeOf(pointers.getType());
  return Wish{SmallVector<int64_t>(shape), fastest, bytes, std::max<int64_t>(vector, 1)};
}

Layout AccessLayouts::build(ArrayRef<int64_t> shape, unsigned fastest, int64_t vector) const {
  std::vector<int> order = {static_cast<int>(fastest)};
  for (int dim : rowMajorOrder(shape.size()))
    if (dim != static_cast<int>(fastest))
      order.push_back(dim);
  std::vector<int64_t> contiguity(shape.size(), 1);
  contiguity[fastest] = vector;
  // The vector is counted in elements already, so any width that does not cap it will do.
  return coalescedLayout(physicalShape(Shape(shape.begin(), shape.end())), kMaxVectorBits / vector, contiguity, order,
                         warps);
}

/// Whether products alone use what is loaded.
static bool isFactor(Operation *access) {
  return isa<LoadOp, LoadPtrOp>(access) && llvm::all_of(access->getUsers(), [](Operation *user) {
           auto transposed = dyn_cast<PermuteOp>(user);
           return isa<DotOp>(user) || (transposed && llvm::all_of(transposed->getUsers(), llvm::IsaPred<DotOp>));
         });
}

void AccessLayouts::chooseTogether(ArrayRef<std::pair<Operation *, const Wish *>> accesses) {
  // Per shape and fastest dim: an access that cannot be vectorised has no say in how wide the others are, and a wider
  // element bounds the vector of a narrower one.
  llvm::MapVector<std::pair<ArrayRef<int64_t>, unsigned>, int64_t> vectors;
  for (auto [op, wish] : accesses) {
    if (wish->vector == 1)
      continue;
    int64_t &vector = vectors.try_emplace({wish->shape, wish->fastest}, wish->vector).first->second;
    vector = std::min(vector, wish->vector);
  }
  for (auto [op, wish] : accesses) {
    auto vector = vectors.find({wish->shape, wish->fastest});
    auto layout =
        LayoutAttr::get(context, build(wish->shape, wish->fastest, vector == vectors.end() ? 1 : vector->second));
    layouts[op] = layout;
    shapes.try_emplace(wish->shape, layout);
  }
}

AccessLayouts::AccessLayouts(func::FuncOp kernel, const DataFlowSolver &solver, int64_t warps)
    : context(kernel.getContext()), warps(warps),
      hasProducts(kernel.walk([](DotOp) { return WalkResult::interrupt(); }).wasInterrupted()) {
  std::vector<std::pair<Operation *, const Wish *>> accesses;
  kernel.walk([&](Operation *op) {
    if (std::optional<Wish> wish = wishOf(op, solver)) {
      wishes.push_back(std::make_unique<Wish>(*wish));
      accesses.emplace_back(op, wishes.back().get());
    }
  });
  // Factors of products meet no other tiles and have their own layouts.
  auto factors = llvm::make_filter_range(accesses, [](auto &each) { return isFactor(each.first); });
  auto others = llvm::make_filter_range(accesses, [](auto &each) { return !isFactor(each.first); });
  chooseTogether(llvm::to_vector(others));
  chooseTogether(llvm::to_vector(factors));
}

LayoutAttr AccessLayouts::layoutFor(Operation *access) const { return layouts.lookup(access); }

LayoutAttr AccessLayouts::layoutFor(ArrayRef<int64_t> shape) const {
  if (LayoutAttr layout = shapes.lookup(shape))
    return layout;
  // Four elements are one access for the commonest element.
  return LayoutAttr::get(context, build(shape, shape.size() - 1, 4));
}

/// Elements that neighbouring registers and lanes hold side by side along `dim`.
static int64_t runAlong(const Layout &layout, unsigned dim) {
  int64_t run = maxVector(layout, dim);
  for (uint64_t basis : layout.bits(HwDim::Lane)) {
    if (basis != layout.pack(dim, run) || run >= int64_t(1) << layout.lowBits(dim))
      break;
    run *= 2;
  }
  return run;
}

bool AccessLayouts::isAsGood(Operation *op, const Layout &layout, const Layout &preferred) {
  auto access = dyn_cast<ViewAccess>(op);
  std::optional<unsigned> dim = access ? AccessDims(access).contiguous : std::nullopt;
  // Where no neighbours are neighbours in memory, one layout is as bad as the other.
  if (!dim)
    return true;
  int64_t bytes = elementBytes(access.getView().getType().getElementType());
  int64_t run = std::min(runAlong(preferred, *dim), kSectorBytes / bytes);
  // Half a vector still fills sectors; less than that issues too many instructions.
  return runAlong(layout, *dim) >= run && maxVector(layout, *dim) * 2 >= maxVector(preferred, *dim);
}
