/// Types of shared memory and verifiers of the ops on them.
#include "ir/Layout/ShapeOps.h"
#include "ir/TileGPU/WgmmaAccess.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

//===-- Types -----------------------------------------------------------------------------------------------------===//

/// What the widest swizzle of a shared layout repeats after.
static constexpr int64_t kSlotAlignment = 1024;

/// extent `x` … element `,` layout `>`
static ParseResult parsePlace(AsmParser &parser, SmallVector<int64_t> &shape, Type &element, LayoutAttr &layout) {
  return failure(parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element) ||
                 parser.parseComma() || parser.parseAttribute(layout) || parser.parseGreater());
}

static void printPlace(AsmPrinter &printer, ArrayRef<int64_t> shape, Type element, LayoutAttr layout) {
  for (int64_t extent : shape)
    printer << extent << "x";
  printer << element << ", " << layout << ">";
}

static LogicalResult verifyPlace(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                 Type element, LayoutAttr layout) {
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8)
    return emitError() << "elements are " << element << "; expected numbers of at least 8 bits";
  const Layout &map = layout.getLayout();
  if (!map.isShared())
    return emitError() << "layout is one of registers; expected one of shared memory";
  Shape expected = physicalShape(Shape(shape.begin(), shape.end()));
  if (map.shape() != expected)
    return emitError() << "layout is for shape [" << ArrayRef(map.shape()) << "]; expected [" << ArrayRef(expected)
                       << "]";
  if (!map.isInjective() || !map.isSurjective())
    return emitError() << "layout gives some elements no place or several; expected each to have one";
  return success();
}

Type SlotType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  LayoutAttr layout;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parsePlace(parser, shape, element, layout))
    return Type();
  return parser.getChecked<SlotType>(loc, parser.getContext(), ArrayRef(shape), element, layout);
}

void SlotType::print(AsmPrinter &printer) const {
  printer << "<";
  printPlace(printer, getShape(), getElementType(), getLayout());
}

LogicalResult SlotType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                               Type element, LayoutAttr layout) {
  return verifyPlace(emitError, shape, element, layout);
}

Type BufferType::parse(AsmParser &parser) {
  int64_t stages = 0;
  SmallVector<int64_t> shape;
  Type element;
  LayoutAttr layout;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseInteger(stages) || parser.parseKeyword("of") ||
      parsePlace(parser, shape, element, layout))
    return Type();
  return parser.getChecked<BufferType>(loc, parser.getContext(), stages, ArrayRef(shape), element, layout);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << "<" << getStages() << " of ";
  printPlace(printer, getShape(), getElementType(), getLayout());
}

LogicalResult BufferType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t stages,
                                 ArrayRef<int64_t> shape, Type element, LayoutAttr layout) {
  if (stages < 1)
    return emitError() << "buffer has " << stages << " stages; expected at least 1";
  return verifyPlace(emitError, shape, element, layout);
}

SlotType BufferType::getSlotType() const {
  return SlotType::get(getContext(), getShape(), getElementType(), getLayout());
}

int64_t BufferType::getSlotBytes() const {
  return llvm::alignTo(getLayout().getLayout().numElements() * elementBytes(getElementType()), kSlotAlignment);
}

//===-- Ops -------------------------------------------------------------------------------------------------------===//

LogicalResult SlotOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(cast<BufferType>(adaptor.getBuffer().getType()).getSlotType());
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto slot = cast<SlotType>(adaptor.getSlot().getType());
  if (slot.getShape().size() != 2)
    return emitOptionalError(location, "slot has rank ", slot.getShape().size(), "; expected 2");
  auto layout = LayoutAttr::get(context, permuteLayout(slot.getLayout().getLayout(), {1, 0}));
  int64_t shape[] = {slot.getShape()[1], slot.getShape()[0]};
  types.push_back(SlotType::get(context, shape, slot.getElementType(), layout));
  return success();
}

/// Whether a tile of `shape` and `element` has its place in `slot`.
static LogicalResult verifyFits(Operation *op, ArrayRef<int64_t> shape, Type element, SlotType slot) {
  if (shape != slot.getShape() || element != slot.getElementType())
    return op->emitOpError() << "moves [" << shape << "] of " << element << "; expected [" << slot.getShape() << "] of "
                             << slot.getElementType() << ", as the slot has";
  return success();
}

static LogicalResult verifyMove(Operation *op, Type tile, SlotType slot) {
  if (!layoutOf(tile))
    return op->emitOpError() << "moves " << tile << "; expected a tile with a layout";
  return verifyFits(op, shapeOf(tile), elementOf(tile), slot);
}

LogicalResult CopyAsyncOp::verify() {
  if (!getView().getType().getConstant())
    return emitOpError() << "copies from " << getView().getType() << "; expected a constant view";
  SmallVector<int64_t> shape = cast<ViewAccess>(getOperation()).getAccessShape();
  Type element = getView().getType().getElementType();
  if (failed(verifyFits(*this, shape, element, getSlot().getType())))
    return failure();
  return getLayout().verifyEncoding(shape, element, [&] { return emitOpError(); });
}

LogicalResult StoreSharedOp::verify() { return verifyMove(*this, getValue().getType(), getSlot().getType()); }

LogicalResult LoadSharedOp::verify() { return verifyMove(*this, getType(), getSlot().getType()); }

/// Shape, element and layout of a factor, wherever it is.
static std::tuple<ArrayRef<int64_t>, Type, LayoutAttr> partsOf(Value factor) {
  Type element = elementOfFactor(factor.getType());
  if (auto slot = dyn_cast<SlotType>(factor.getType()))
    return {slot.getShape(), element, slot.getLayout()};
  return {shapeOf(factor.getType()), element, layoutOf(factor.getType())};
}

/// What both kinds of products ask of their factors and warps.
static LogicalResult verifyProduct(Operation *op, Value left, Value right, Precision precision,
                                   ArrayRef<int64_t> counts) {
  auto [lhs, element, lhsLayout] = partsOf(left);
  auto [rhs, rhsElement, rhsLayout] = partsOf(right);
  if (lhs.size() != 2 || rhs.size() != 2 || lhs[1] != rhs[0])
    return op->emitOpError() << "factors are [" << lhs << "] and [" << rhs << "]; expected two matrices with the inner "
                             << "dims equal";
  if (!areFactors(element, rhsElement))
    return op->emitOpError() << "factors are of " << element << " and " << rhsElement
                             << "; expected them equal, or both 8-bit floats";
  const MmaKind *kind = findMmaKind(element, precision);
  if (!kind || lhs[0] % MmaKind::kRows != 0 || rhs[1] % MmaKind::kColumns != 0 || lhs[1] % kind->depth() != 0)
    return op->emitOpError() << "factors are [" << lhs << "] and [" << rhs << "] of " << element
                             << "; expected what mma.sync multiplies, in whole instructions";
  if (counts.size() != 2 || llvm::any_of(counts, [](int64_t count) { return count < 1; }))
    return op->emitOpError() << "warps are [" << counts << "]; expected two counts";
  return success();
}

/// Whether the result of a product has the layout of its instructions, and so its factors that are in registers.
static LogicalResult verifyLayouts(Operation *op, Value left, Value right, const ProductShare &share) {
  auto [lhs, element, lhsLayout] = partsOf(left);
  auto [rhs, rhsElement, rhsLayout] = partsOf(right);
  int64_t shape[] = {lhs[0], rhs[1]};
  auto expected = RankedTensorType::get(shape, dotAccumulator(element),
                                        LayoutAttr::get(op->getContext(), share.accumulator(shape)));
  if (op->getResult(0).getType() != expected)
    return op->emitOpError() << "result is " << op->getResult(0).getType() << "; expected " << expected;
  for (auto [factor, which] : {std::pair(left, DotOperand::A), std::pair(right, DotOperand::B)}) {
    auto [extents, type, layout] = partsOf(factor);
    Layout fragment = share.operand(which, extents, type);
    if (isa<RankedTensorType>(factor.getType()) && (!layout || layout.getLayout() != fragment))
      return op->emitOpError() << "factor in registers is " << factor.getType() << "; expected the layout "
                               << LayoutAttr::get(op->getContext(), fragment);
  }
  return success();
}

LogicalResult MmaOp::verify() {
  if (failed(verifyProduct(*this, getLhs(), getRhs(), getPrecision(), getWarps())))
    return failure();
  return verifyLayouts(*this, getLhs(), getRhs(), ProductShare{warpCounts(getWarps())});
}

LogicalResult MmaAsyncOp::verify() {
  if (failed(verifyProduct(*this, getLhs(), getRhs(), getPrecision(), getWarps())))
    return failure();
  int64_t shape[] = {std::get<0>(partsOf(getLhs()))[0], std::get<0>(partsOf(getRhs()))[1]};
  if (!canShareInWarpgroups(shape, getWarps()))
    return emitOpError() << "warps are [" << getWarps() << "] for [" << ArrayRef(shape) << "]; expected groups of "
                         << kWarpgroupWarps << " for multiples of " << MmaKind::kWarpgroupRows << " rows";
  ProductShare share{warpCounts(getWarps()), /*inWarpgroups=*/true};
  if (failed(verifyLayouts(*this, getLhs(), getRhs(), share)))
    return failure();
  if (!planWgmma(getLhs().getType(), getRhs().getType(), getPrecision(), share.warps))
    return emitOpError() << "factors are " << getLhs().getType() << " and " << getRhs().getType()
                         << "; expected what wgmma reads by a descriptor";
  return success();
}

LogicalResult MmaWaitOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getValues().getTypes());
  return success();
}
