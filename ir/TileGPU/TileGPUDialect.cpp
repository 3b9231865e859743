#include "ir/Layout/Conversion.h"
#include "ir/TileGPU/MmaKind.h"
#include "ir/TileGPU/TileGPUOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

/// What the algebra of layouts computes with (ir/Layout/DigitMap.h), and what a warp has.
static constexpr size_t kMaxLayoutBits = 64;
static constexpr int64_t kLanes = 32;

/// `[` integer (`,` integer)* `]`
static ParseResult parseDimList(AsmParser &parser, SmallVector<int64_t> &dims) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(dims.emplace_back()); });
}

static void printDimList(AsmPrinter &printer, ArrayRef<int64_t> dims) { printer << "[" << dims << "]"; }

#include "ir/TileGPU/TileGPUDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/TileGPU/TileGPUAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/TileGPU/TileGPUTypes.cpp.inc"

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
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/TileGPU/TileGPUTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/TileGPU/TileGPUOps.cpp.inc"
      >();
  addInterfaces<LayoutAlias>();
}

/// The tiles of a kernel are spread over all of its warps, and only these.
static LogicalResult verifyWarps(Operation *kernel, int64_t warps) {
  WalkResult all = kernel->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (LayoutAttr layout = layoutOf(type); layout && layout.getLayout().numWarps() != warps) {
        op->emitError() << "layout of " << type << " has " << layout.getLayout().numWarps() << " warps; expected "
                        << warps << ", as '" << TileGPUDialect::kWarps << "' says";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(all.wasInterrupted());
}

/// mma.sync takes the operands of the product, and whole instructions make it up.
static LogicalResult verifyMma(Operation *op) {
  auto dot = dyn_cast<DotOp>(op);
  const MmaKind *kind = dot ? findMmaKind(elementOf(dot.getLhs().getType()), dot.getPrecision()) : nullptr;
  ArrayRef<int64_t> lhs = dot ? shapeOf(dot.getLhs().getType()) : ArrayRef<int64_t>();
  if (kind && lhs[0] % MmaKind::kRows == 0 && shapeOf(dot.getType())[1] % MmaKind::kColumns == 0 &&
      lhs[1] % kind->depth() == 0)
    return success();
  return op->emitError() << "attribute '" << TileGPUDialect::kMma << "' is on '" << op->getName()
                         << "'; expected a 'tile.dot' that mma.sync can form";
}

/// Whether the elements of a vector of `layout` are `vector` neighbours in digits of `held`, so that no slice cuts it.
static bool keepsVectors(const Layout &held, const Layout &layout, int64_t vector) {
  for (int64_t bit = 0; int64_t(1) << bit < vector; ++bit)
    if (bit >= static_cast<int64_t>(layout.bits(HwDim::Register).size()) ||
        !(llvm::is_contained(held.bits(HwDim::Register), layout.bits(HwDim::Register)[bit]) ||
          llvm::is_contained(held.bits(HwDim::Lane), layout.bits(HwDim::Register)[bit])))
      return false;
  return true;
}

static LogicalResult verifyThrough(Operation *op, LayoutAttr layout) {
  auto store = dyn_cast<StoreOp>(op);
  LayoutAttr held = store ? layoutOf(store.getValue().getType()) : LayoutAttr();
  auto access = op->getAttrOfType<AccessAttr>(TileGPUDialect::kAccess);
  if (layout && held && access && keepsWarps(held.getLayout(), layout.getLayout()) &&
      keepsVectors(held.getLayout(), layout.getLayout(), access.getVector()))
    return success();
  return op->emitError()
         << "attribute '" << TileGPUDialect::kThrough << "' is on '" << op->getName()
         << "'; expected a 'tile.store' with a plan, of a tile whose elements stay in their warps in that layout";
}

LogicalResult TileGPUDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  auto fault = [&](StringRef expected) {
    return op->emitError() << "attribute '" << name << "' is " << value << "; expected " << expected;
  };
  if (name == kWarps || name == kSharedBytes || name == kSharedOffset || name == kResidentBlocks || name == kStages) {
    auto integer = dyn_cast<IntegerAttr>(value);
    if (!integer || !integer.getType().isInteger(64) || integer.getInt() < (name == kWarps ? 1 : 0))
      return fault(name == kWarps ? "a positive i64" : "an i64 of at least 0");
    return name == kWarps ? verifyWarps(op, integer.getInt()) : success();
  }
  if (name == kAccess)
    return isa<AccessAttr>(value) ? success() : fault("an access plan");
  if (name == kStoresMatrices && !(isa<StoreOp>(op) && op->hasAttr(kThrough) &&
                                   elementBytes(elementOf(cast<StoreOp>(op).getValue().getType())) == 2))
    return op->emitError() << "attribute '" << kStoresMatrices << "' is on '" << op->getName()
                           << "'; expected a 'tile.store' of 16-bit elements with '" << kThrough << "'";
  if (name == kThrough)
    return verifyThrough(op, dyn_cast<LayoutAttr>(value));
  if (name == kLinearGrid || name == kPrefetched || name == kWarpsChosen || name == kWarpgroups ||
      name == kStoresMatrices)
    return isa<UnitAttr>(value) ? success() : fault("a unit");
  if (name == kMma) {
    auto warps = dyn_cast<DenseI64ArrayAttr>(value);
    if (!warps || warps.size() != 2 || llvm::any_of(warps.asArrayRef(), [](int64_t count) { return count < 1; }))
      return fault("two counts of warps");
    return verifyMma(op);
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
  const Layout &layout = getLayout();
  Shape expected = physicalShape(Shape(shape.begin(), shape.end()));
  if (layout.shape() != expected)
    return emitError() << "layout is for shape [" << ArrayRef(layout.shape()) << "]; expected [" << ArrayRef(expected)
                       << "]";
  if (layout.isShared())
    return emitError() << "layout is one of shared memory; expected one of registers";
  size_t bits = 0;
  for (HwDim hw : {HwDim::Register, HwDim::Lane, HwDim::Warp, HwDim::Block})
    bits += layout.bits(hw).size();
  if (bits > kMaxLayoutBits)
    return emitError() << "layout has " << bits << " bits; expected at most " << kMaxLayoutBits;
  if (layout.numLanes() != kLanes)
    return emitError() << "layout has " << layout.numLanes() << " lanes; expected " << kLanes;
  if (!layout.isSurjective())
    return emitError() << "layout gives some elements to no thread; expected each to have one";
  return success();
}

LayoutAttr tgpu::layoutOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<LayoutAttr>(tensor.getEncoding()) : LayoutAttr();
}

LayoutAttr tgpu::throughOf(StoreOp store) { return store->getAttrOfType<LayoutAttr>(TileGPUDialect::kThrough); }

RankedTensorType tgpu::withLayout(Type type, LayoutAttr layout) {
  return cast<RankedTensorType>(type).cloneWithEncoding(layout);
}

int64_t tgpu::rowMajorBytes(Type type) {
  LayoutAttr layout = layoutOf(type);
  return (layout ? layout.getLayout().numElements() : 1) * elementBytes(elementOf(type));
}

int64_t tgpu::registerWords(Type type) {
  LayoutAttr layout = layoutOf(type);
  Type element = elementOf(type);
  if (!layout)
    return 0;
  // Bools share registers; a pointer or index takes two.
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 8 * elementBytes(element);
  return llvm::divideCeil(layout.getLayout().numRegisters() * bits, 32);
}

int64_t tgpu::loadedWords(Operation *load) {
  Type type = load->getResult(0).getType();
  auto access = load->getAttrOfType<AccessAttr>(TileGPUDialect::kAccess);
  int64_t bytes = (access ? access.getVector() : 1) * elementBytes(elementOf(type));
  return registerWords(type) * std::max<int64_t>(1, 4 / bytes);
}

Type tgpu::elementOfFactor(Type factor) {
  auto slot = dyn_cast<SlotType>(factor);
  return slot ? slot.getElementType() : elementOf(factor);
}

bool tgpu::computesWithFloat8(Operation *op) {
  if (!op->hasTrait<OpTrait::Elementwise>() || isa<arith::BitcastOp, arith::ExtFOp, arith::SelectOp, CastOp>(op))
    return false;
  return llvm::any_of(llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()),
                      [](Type type) { return isFloat8(elementOf(type)); });
}

LogicalResult tgpu::verifyLaidOut(func::FuncOp kernel) {
  auto isLaidOut = [](Type type) { return !isa<RankedTensorType>(type) || layoutOf(type); };
  WalkResult all = kernel.walk([&](Operation *op) {
    auto refuse = [&](Type type) {
      op->emitError() << "tile " << type << " has no layout; run tgpu-assign-layouts first";
      return WalkResult::interrupt();
    };
    for (Type type : op->getResultTypes())
      if (!isLaidOut(type))
        return refuse(type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (!isLaidOut(type))
            return refuse(type);
    return WalkResult::advance();
  });
  return failure(all.wasInterrupted());
}

std::optional<int64_t> tgpu::warpsOf(func::FuncOp kernel) {
  if (auto warps = kernel->getAttrOfType<IntegerAttr>(TileGPUDialect::kWarps))
    return warps.getInt();
  kernel.emitError() << "kernel has no '" << TileGPUDialect::kWarps << "'; run tgpu-assign-layouts first";
  return std::nullopt;
}
