#include "ir/Tile/ContractSchema.h"
#include "ir/Tile/Knobs.h"
#include "ir/Tile/TileOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;

#include "ir/Tile/TileDialect.cpp.inc"
#include "ir/Tile/TileEnums.cpp.inc"
#include "ir/Tile/TileInterfaces.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/Tile/TileTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/Tile/TileAttributes.cpp.inc"

void TileDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/Tile/TileTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/Tile/TileAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/Tile/TileOps.cpp.inc"
      >();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == kContract) {
    if (!isa<FunctionOpInterface>(op))
      return op->emitError() << "attribute '" << kContract << "' is on '" << op->getName() << "'; expected a function";
    auto contract = dyn_cast<DictionaryAttr>(attribute.getValue());
    if (!contract)
      return op->emitError() << "attribute '" << kContract << "' is not a dictionary";
    return verifyContract(contract, [&] { return op->emitError() << "attribute '" << kContract << "': "; });
  }
  if (attribute.getName() == kSchedule) {
    if (!isa<LoopLikeOpInterface, FunctionOpInterface>(op))
      return op->emitError() << "attribute '" << kSchedule << "' is on '" << op->getName()
                             << "'; expected a loop or a kernel";
    if (!isa<DictionaryAttr>(attribute.getValue()))
      return op->emitError() << "attribute '" << kSchedule << "' is not a dictionary";
    for (const Knob &knob : allKnobs())
      if (auto value = cast<DictionaryAttr>(attribute.getValue()).getAs<IntegerAttr>(knob.name);
          value && isa<FunctionOpInterface>(op) && !knob.accepts(value.getInt()))
        return op->emitError() << "'" << knob.name << "' of '" << kSchedule << "' is " << value.getInt()
                               << "; expected " << knob.expected;
    return success();
  }
  return op->emitError() << "unknown attribute '" << attribute.getName().getValue() << "' of dialect 'tile'";
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned region, unsigned argument,
                                                    NamedAttribute attribute) {
  if (!llvm::is_contained({kDivisibility, kMaximum, kRowDivisibility}, attribute.getName()))
    return op->emitError() << "unknown attribute '" << attribute.getName().getValue() << "' of argument " << argument;
  auto integer = dyn_cast<IntegerAttr>(attribute.getValue());
  if (!integer || !integer.getType().isInteger(64) || integer.getInt() < 1)
    return op->emitError() << "attribute '" << attribute.getName().getValue() << "' of argument " << argument << " is "
                           << attribute.getValue() << "; expected a positive i64";
  return success();
}

//===-- Types -----------------------------------------------------------------------------------------------------===//

static bool isElement(Type type) { return isa<IntegerType, IndexType, FloatType, PtrType>(type); }

LogicalResult PtrType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, Type element) {
  if (!isElement(element))
    return emitError() << "pointer to " << element << "; expected a scalar";
  return success();
}

LogicalResult ViewType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                               Type element, bool strided, bool constant) {
  if (!isElement(element))
    return emitError() << "view of " << element << "; expected a scalar";
  for (int64_t extent : shape)
    if (extent < 0 && !ShapedType::isDynamic(extent))
      return emitError() << "view extent is " << extent << "; expected `?` or at least 0";
  return success();
}

/// `<` dims element (`,` `strided`)? (`,` `constant`)? `>`
Type ViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  bool strided = false, constant = false;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/true, /*withTrailingX=*/true) ||
      parser.parseType(element))
    return Type();
  while (succeeded(parser.parseOptionalComma())) {
    StringRef flag;
    SMLoc flagLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&flag))
      return Type();
    if (flag != "strided" && flag != "constant") {
      parser.emitError(flagLoc) << "found `" << flag << "`; expected `strided` or `constant`";
      return Type();
    }
    (flag == "strided" ? strided : constant) = true;
  }
  if (parser.parseGreater())
    return Type();
  return parser.getChecked<ViewType>(loc, parser.getContext(), shape, element, strided, constant);
}

void ViewType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t extent : getShape()) {
    if (ShapedType::isDynamic(extent))
      printer << "?x";
    else
      printer << extent << "x";
  }
  printer << getElementType() << (getStrided() ? ", strided" : "") << (getConstant() ? ", constant" : "") << ">";
}
