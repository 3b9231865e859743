/// What no kernel on the GPU can have: extents that layouts do not cover, tiles that no block has registers for, and
/// arithmetic on 8-bit floats.
/// Every element of a tile becomes values of its own in the code, so a tile far beyond that would also take minutes to
/// compile.
#include "ir/Tile/ContractText.h"
#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/TileGPUOps.h"
#include "ir/TileToTileGPU/Passes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_CHECKTILESPASS
#include "ir/TileToTileGPU/Passes.h.inc"
} // namespace tile::tgpu

/// Extents that the lowering covers: m·2^k with m up to this, in up to this many dims.
static constexpr int64_t kMaxOdd = 7;
static constexpr size_t kMaxRank = 4;
static constexpr int64_t kLanes = 32, kMaxWarps = 32;

/// Whether layouts have `extent`.
static bool isCovered(int64_t extent) { return extent / (extent & -extent) <= kMaxOdd; }

/// `tile<f32>[64, 128]`, as the source writes it.
static std::string sourceText(Type type) {
  Type element = elementOf(type);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "tile<";
  if (element.isInteger(1))
    stream << "bool";
  else if (auto pointer = dyn_cast<PtrType>(element))
    stream << "ptr<" << pointer.getElementType() << ">";
  else
    stream << element;
  stream << ">["
         << llvm::join(llvm::map_range(shapeOf(type), [](int64_t extent) { return std::to_string(extent); }), ", ")
         << "]";
  return text;
}

namespace {
struct CheckTilesPass : public tgpu::impl::CheckTilesPassBase<CheckTilesPass> {
  using Base::Base;

  void runOnOperation() override {
    // Constants of called functions, and those that several places share and so have none, stand first; but the tile is
    // made in the kernel: there it is reported.
    bool isLegal = true;
    for (Place place : {Place::InKernel, Place::InCall, Place::None}) {
      WalkResult legal = getOperation().walk([&](Operation *op) {
        if (placeOf(op) != place)
          return WalkResult::advance();
        if (failed(verifyElements(op)))
          return WalkResult::interrupt();
        for (Type type : op->getResultTypes())
          if (failed(verifyShape(op, type)) || failed(verifyRegisters(op, type)))
            return WalkResult::interrupt();
        return WalkResult::advance();
      });
      isLegal &= !legal.wasInterrupted();
      if (!isLegal)
        return signalPassFailure();
    }
  }

private:
  enum class Place : uint8_t { InKernel, InCall, None };
  static Place placeOf(Operation *op) {
    return isa<UnknownLoc>(op->getLoc())    ? Place::None
           : isa<CallSiteLoc>(op->getLoc()) ? Place::InCall
                                            : Place::InKernel;
  }

  /// An error at `op`, or at the kernel if that has no place.
  InFlightDiagnostic refuse(Operation *op) {
    return emitError(placeOf(op) == Place::None ? getOperation().getLoc() : op->getLoc());
  }

  LogicalResult verifyElements(Operation *op) {
    if (!computesWithFloat8(op))
      return success();
    auto types = llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes());
    Type element = elementOf(*llvm::find_if(types, [](Type type) { return isFloat8(elementOf(type)); }));
    return refuse(op) << "'" << op->getName() << "' computes with " << element
                      << "; expected f32, to which it widens, and `tile.cast` of the result";
  }

  LogicalResult verifyShape(Operation *op, Type type) {
    ArrayRef<int64_t> shape = shapeOf(type);
    if (shape.size() > kMaxRank)
      return refuse(op) << sourceText(type) << " has rank " << shape.size() << "; expected at most " << kMaxRank;
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      if (isCovered(extent))
        continue;
      InFlightDiagnostic diagnostic = refuse(op) << "extent " << dim << " of " << sourceText(type) << " is " << extent
                                                 << "; expected 1, 3, 5 or 7 times a power of two";
      int64_t below = 1, above = std::numeric_limits<int64_t>::max();
      for (int64_t odd = 1; odd <= kMaxOdd; odd += 2) {
        int64_t largest = odd << llvm::Log2_64(extent / odd); // of those that are not above
        below = std::max(below, largest);
        above = std::min(above, 2 * largest);
      }
      func::FuncOp kernel = getOperation();
      std::string meant = sizesText(kernel->getAttrOfType<DictionaryAttr>(TileDialect::kContract),
                                    [found = extent](int64_t size) { return size == found; });
      diagnostic.attachNote() << "help: use " << below << " or " << above << (meant.empty() ? "" : " for " + meant)
                              << "; a tile may reach past the end of a tensor";
      return diagnostic;
    }
    return success();
  }

  LogicalResult verifyRegisters(Operation *op, Type type) {
    if (!isa<RankedTensorType>(type))
      return success();
    func::FuncOp kernel = getOperation();
    int64_t warps = kernelWarps(kernel, /*unlessGiven=*/4);
    int64_t elements = llvm::divideCeil(countElements(type), kLanes * warps);
    Type element = elementOf(type);
    int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
    // What repeats the values of a smaller tile takes no more registers than that.
    int64_t allowed = isa<BroadcastOp>(op) ? int64_t(limit) : std::min<int64_t>(limit, 32 * registers / bits);
    if (elements <= allowed)
      return success();
    InFlightDiagnostic diagnostic = refuse(op) << sourceText(type) << " is " << elements << " elements for each of the "
                                               << kLanes * warps << " threads of a block; expected at most " << allowed;
    if (allowed < limit)
      diagnostic << ", as a thread has " << int64_t(registers) << " registers of 32 bits";
    int64_t needed = warps * llvm::PowerOf2Ceil(llvm::divideCeil(elements, allowed));
    std::string smaller = sizesText(kernel->getAttrOfType<DictionaryAttr>(TileDialect::kContract),
                                    [&](int64_t size) { return size > 1 && llvm::is_contained(shapeOf(type), size); });
    std::string advice =
        needed <= kMaxWarps ? "at least " + std::to_string(needed) + " warps, or a smaller " : "a smaller ";
    diagnostic.attachNote() << "help: use " << advice << (smaller.empty() ? "tile" : smaller);
    return failure();
  }
};
} // namespace
