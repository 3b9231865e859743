#include "ir/TileGPU/TileGPUOps.h"

#include "ir/Tile/AccessText.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

#define GET_OP_CLASSES
#include "ir/TileGPU/TileGPUOps.cpp.inc"

LogicalResult ConvertLayoutOp::verify() {
  if (!layoutOf(getValue().getType()) || !layoutOf(getType()))
    return emitOpError() << "converts " << getValue().getType() << " to " << getType() << "; expected two layouts";
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getValue().getType() == getType())
    return getValue();
  if (auto inner = getValue().getDefiningOp<ConvertLayoutOp>()) {
    setOperand(inner.getValue());
    return getResult();
  }
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getValue()))
    return splat.resizeSplat(cast<ShapedType>(getType()));
  return {};
}

bool tgpu::isProduct(Operation *op) { return isa<DotOp, MmaOp, MmaAsyncOp>(op); }
