#include "ir/TileGPU/TileGPUOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

/// `[` integer (`,` integer)* `]`
static ParseResult parseDimList(AsmParser &parser, SmallVector<int64_t> &dims) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(dims.emplace_back()); });
}

static void printDimList(AsmPrinter &printer, ArrayRef<int64_t> dims) { printer << "[" << dims << "]"; }

#include "ir/TileGPU/TileGPUDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/TileGPU/TileGPUAttributes.cpp.inc"

namespace {
/// Prints layouts as `#layout`, `#layout1`, … at the head of the file: types stay readable.
struct LayoutAlias : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, llvm::raw_ostream &os) const override {
    if (!isa<LayoutAttr>(attribute))
      return AliasResult::NoAlias;
    os << "layout";
    return AliasResult::FinalAlias;
  }
};
} // namespace

void TileGPUDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/TileGPU/TileGPUAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/TileGPU/TileGPUOps.cpp.inc"
      >();
  addInterfaces<LayoutAlias>();
}

LogicalResult TileGPUDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  auto fault = [&](StringRef expected) {
    return op->emitError() << "attribute '" << name << "' is " << value << "; expected " << expected;
  };
  if (name == kWarps || name == kSharedBytes || name == kSharedOffset || name == kResidentBlocks) {
    auto integer = dyn_cast<IntegerAttr>(value);
    if (!integer || !integer.getType().isInteger(64) || integer.getInt() < (name == kWarps ? 1 : 0))
      return fault(name == kWarps ? "a positive i64" : "an i64 of at least 0");
    return success();
  }
  if (name == kAccess)
    return isa<AccessAttr>(value) ? success() : fault("an access plan");
  if (name == kLinearGrid || name == kPrefetched)
    return isa<UnitAttr>(value) ? success() : fault("a unit");
  if (name == kMma) {
    auto warps = dyn_cast<DenseI64ArrayAttr>(value);
    return warps && warps.size() == 2 ? success() : fault("two counts of warps");
  }
  if (name == kVariant)
    return isa<StringAttr>(value) ? success() : fault("a name");
  return op->emitError() << "unknown attribute '" << name << "' of dialect 'tgpu'";
}

LogicalResult TileGPUDialect::verifyRegionArgAttribute(Operation *op, unsigned region, unsigned argument,
                                                       NamedAttribute attribute) {
  if (attribute.getName() != kNarrowOffsets)
    return op->emitError() << "unknown attribute '" << attribute.getName().getValue() << "' of argument " << argument;
  return success();
}

//===-- Layouts ---------------------------------------------------------------------------------------------------===//

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  std::string text;
  SMLoc loc;
  if (parser.parseLess() || (loc = parser.getCurrentLocation(), parser.parseString(&text)) || parser.parseGreater())
    return Attribute();
  std::string error;
  std::optional<Layout> layout = Layout::parse(text, error);
  if (!layout) {
    parser.emitError(loc) << error;
    return Attribute();
  }
  return LayoutAttr::get(parser.getContext(), *layout);
}

void LayoutAttr::print(AsmPrinter &printer) const { printer << "<\"" << getLayout().str() << "\">"; }

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         llvm::function_ref<InFlightDiagnostic()> emitError) const {
  Shape expected = physicalShape(Shape(shape.begin(), shape.end()));
  if (getLayout().shape() == expected)
    return success();
  return emitError() << "layout is for shape [" << ArrayRef(getLayout().shape()) << "]; expected ["
                     << ArrayRef(expected) << "]";
}

LayoutAttr tgpu::layoutOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<LayoutAttr>(tensor.getEncoding()) : LayoutAttr();
}

RankedTensorType tgpu::withLayout(Type type, LayoutAttr layout) {
  return cast<RankedTensorType>(type).cloneWithEncoding(layout);
}

int64_t tgpu::warpsOf(Operation *op) {
  auto kernel = isa<func::FuncOp>(op) ? cast<func::FuncOp>(op) : op->getParentOfType<func::FuncOp>();
  return kernel->getAttrOfType<IntegerAttr>(TileGPUDialect::kWarps).getInt();
}
