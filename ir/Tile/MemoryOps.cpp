/// Verifiers and folds of views, of the accesses through them and of raw pointers.
#include "ir/Tile/AccessText.h"
#include "ir/Tile/TileOps.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tile;

#define GET_OP_CLASSES
#include "ir/Tile/TileOps.cpp.inc"

LogicalResult tile::verifyViewAccess(Operation *op) {
  auto access = cast<ViewAccess>(op);
  int64_t rank = access.getView().getType().getRank();
  if (static_cast<int64_t>(access.getIndices().size()) != rank ||
      static_cast<int64_t>(access.getSizes().size()) != rank)
    return op->emitOpError() << "has " << access.getIndices().size() << " positions; expected " << rank
                             << ", the rank of the view";
  std::optional<size_t> gatherRank;
  for (auto [dim, position] : llvm::enumerate(llvm::zip_equal(access.getIndices(), access.getSizes()))) {
    auto [index, size] = position;
    bool isTile = isa<RankedTensorType>(index.getType());
    if (size < 1 && size != ViewAccess::kPoint && size != ViewAccess::kGather)
      return op->emitOpError() << "size of position " << dim << " is " << size << "; expected at least 1";
    if (isTile != (size == ViewAccess::kGather))
      return op->emitOpError() << "index of position " << dim << " is " << index.getType() << "; expected "
                               << (isTile ? "an integer" : "a tile of integers");
    if (!isTile)
      continue;
    if (gatherRank && *gatherRank != shapeOf(index.getType()).size())
      return op->emitOpError() << "gather tiles have ranks " << *gatherRank << " and "
                               << shapeOf(index.getType()).size() << "; expected one rank";
    gatherRank = shapeOf(index.getType()).size();
  }
  if (!inferAccessShape(access.getSizes(), ValueRange(access.getIndices()).getTypes()))
    return op->emitOpError() << "gather tiles do not broadcast against each other";
  return success();
}

/// `what` must have the accessed shape and `element`.
static LogicalResult verifyAccessed(ViewAccess access, StringRef what, Type type, Type element) {
  Type expected = tileOf(access.getAccessShape(), element);
  if (shapeOf(type) == shapeOf(expected) && elementOf(type) == element)
    return success();
  return access->emitOpError() << what << " is " << type << "; expected " << expected;
}

static Type elementOf(ViewAccess access) { return access.getView().getType().getElementType(); }

LogicalResult LoadOp::verify() {
  if (getOther() && getOther().getType() != ::elementOf(*this))
    return emitOpError() << "`else` is " << getOther().getType() << "; expected " << ::elementOf(*this);
  return verifyAccessed(*this, "result", getType(), ::elementOf(*this));
}

/// Elements of a constant view change during no launch, so reading them has no effect that could be ordered.
void LoadOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!getView().getType().getConstant())
    effects.emplace_back(MemoryEffects::Read::get(), &getViewMutable());
}

/// A checked load touches only what is inside the view; it may run where the program would not have run it.
Speculation::Speculatability LoadOp::getSpeculatability() {
  return getUnchecked() ? Speculation::NotSpeculatable : Speculation::Speculatable;
}

LogicalResult StoreOp::verify() { return verifyAccessed(*this, "value", getValue().getType(), ::elementOf(*this)); }

/// No target has atomics on 8-bit floats.
static LogicalResult verifyAtomicElement(Operation *op, Type element) {
  if (isFloat8(element))
    return op->emitOpError() << "acts on " << element << "; expected an integer or a float of at least 16 bits";
  return success();
}

LogicalResult AtomicOp::verify() {
  if (failed(verifyAtomicElement(*this, ::elementOf(*this))))
    return failure();
  if (getMask() && shapeOf(getMask().getType()) != shapeOf(getType()))
    return emitOpError() << "mask is " << getMask().getType() << "; expected the shape of " << getType();
  return verifyAccessed(*this, "value", getValue().getType(), ::elementOf(*this));
}

LogicalResult InsideOp::verify() {
  return verifyAccessed(*this, "result", getType(), IntegerType::get(getContext(), 1));
}

//===-- Views -----------------------------------------------------------------------------------------------------===//

void MakeViewOp::build(OpBuilder &builder, OperationState &state, Type result, Value base,
                       ArrayRef<OpFoldResult> extents, ArrayRef<OpFoldResult> strides) {
  SmallVector<Value> dynamicExtents, dynamicStrides;
  SmallVector<int64_t> staticExtents, staticStrides;
  dispatchIndexOpFoldResults(extents, dynamicExtents, staticExtents);
  dispatchIndexOpFoldResults(strides, dynamicStrides, staticStrides);
  build(builder, state, result, base, dynamicExtents, dynamicStrides, staticExtents, staticStrides);
}

SmallVector<OpFoldResult> MakeViewOp::getMixedExtents() {
  return getMixedValues(getStaticExtents(), getExtents(), getContext());
}
SmallVector<OpFoldResult> MakeViewOp::getMixedStrides() {
  return getMixedValues(getStaticStrides(), getStrides(), getContext());
}

LogicalResult MakeViewOp::verify() {
  ViewType type = getType();
  if (getBase().getType().getElementType() != type.getElementType())
    return emitOpError() << "base points to " << getBase().getType().getElementType() << "; expected "
                         << type.getElementType();
  if (getStaticExtents() != type.getShape())
    return emitOpError() << "extents are [" << getStaticExtents() << "]; expected those of " << type;
  if (getStaticStrides().size() != getStaticExtents().size())
    return emitOpError() << "has " << getStaticStrides().size() << " strides; expected " << getStaticExtents().size();
  for (auto [statics, dynamics, what] : {std::tuple(getStaticExtents(), getExtents(), "extents"),
                                         std::tuple(getStaticStrides(), getStrides(), "strides")})
    if (static_cast<size_t>(llvm::count_if(statics, ShapedType::isDynamic)) != dynamics.size())
      return emitOpError() << "has " << dynamics.size() << " dynamic " << what << "; expected "
                           << llvm::count_if(statics, ShapedType::isDynamic);
  if (!type.getStrided() && type.getRank() > 0 && getStaticStrides().back() != 1)
    return emitOpError() << "innermost stride is not 1; expected 1 or a `strided` view";
  return success();
}

LogicalResult SubviewOp::verify() {
  ViewType from = getView().getType(), to = getType();
  size_t rank = from.getRank();
  if (getLows().size() != rank || getKept().size() != rank)
    return emitOpError() << "has " << getLows().size() << " lows and " << getKept().size()
                         << " entries of `kept`; expected " << rank << " of each";
  int64_t kept = llvm::count(getKept(), true);
  if (static_cast<int64_t>(getHighs().size()) != kept || to.getRank() != kept)
    return emitOpError() << "has " << getHighs().size() << " highs and result rank " << to.getRank() << "; expected "
                         << kept << ", the number of kept dims";
  bool strided = from.getStrided() || (rank > 0 && !getKept().back() && kept > 0);
  if (to != from.withShape(to.getShape(), strided))
    return emitOpError() << "result is " << to << "; expected " << from.withShape(to.getShape(), strided);
  return success();
}

LogicalResult DimOp::verify() {
  if (getAxis() >= getView().getType().getRank())
    return emitOpError() << "axis " << getAxis() << " is out of range for rank " << getView().getType().getRank();
  return success();
}

OpFoldResult DimOp::fold(FoldAdaptor) {
  int64_t extent = getView().getType().getShape()[getAxis()];
  if (!ShapedType::isDynamic(extent))
    return IntegerAttr::get(IndexType::get(getContext()), extent);
  if (auto made = getView().getDefiningOp<MakeViewOp>())
    return made.getMixedExtents()[getAxis()];
  return {};
}

//===-- Raw pointers ----------------------------------------------------------------------------------------------===//

static Type pointee(Value pointer) { return cast<PtrType>(elementOf(pointer.getType())).getElementType(); }

LogicalResult PtrAddOp::verify() {
  if (shapeOf(getOffset().getType()) != shapeOf(getType()))
    return emitOpError() << "offset is " << getOffset().getType() << "; expected the shape of " << getType();
  return success();
}

/// `type` must be what a tile of `pointer` points to; the optional `mask` must have its shape.
static LogicalResult verifyPointed(Operation *op, Value pointer, StringRef what, Type type, Value mask) {
  ArrayRef<int64_t> shape = shapeOf(pointer.getType());
  if (shapeOf(type) != shape || elementOf(type) != pointee(pointer))
    return op->emitOpError() << what << " is " << type << "; expected " << tileOf(shape, pointee(pointer));
  if (mask && shapeOf(mask.getType()) != shape)
    return op->emitOpError() << "mask is " << mask.getType() << "; expected the shape of " << pointer.getType();
  return success();
}

LogicalResult LoadPtrOp::verify() {
  if (getOther() && getOther().getType() != getType())
    return emitOpError() << "`else` is " << getOther().getType() << "; expected " << getType();
  return verifyPointed(*this, getPointer(), "result", getType(), getMask());
}

LogicalResult StorePtrOp::verify() {
  return verifyPointed(*this, getPointer(), "value", getValue().getType(), getMask());
}

LogicalResult AtomicPtrOp::verify() {
  if (failed(verifyAtomicElement(*this, elementOf(getValue().getType()))))
    return failure();
  return verifyPointed(*this, getPointer(), "value", getValue().getType(), getMask());
}
