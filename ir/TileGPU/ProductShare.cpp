#include "ir/TileGPU/ProductShare.h"

#include "ir/TileGPU/MmaKind.h"
#include "ir/TileGPU/TileGPUOps.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

static Shape physicalOf(ArrayRef<int64_t> shape) { return physicalShape(Shape(shape.begin(), shape.end())); }

Layout ProductShare::accumulator(ArrayRef<int64_t> shape) const {
  return inWarpgroups ? wgmmaAccumulatorLayout(physicalOf(shape), warps)
                      : mmaAccumulatorLayout(physicalOf(shape), warps);
}

Layout ProductShare::operand(DotOperand which, ArrayRef<int64_t> shape, Type element) const {
  int elementBits = static_cast<int>(element.getIntOrFloatBitWidth());
  return inWarpgroups ? wgmmaOperandLayout(which, physicalOf(shape), warps, elementBits)
                      : mmaOperandLayout(which, physicalOf(shape), warps, elementBits);
}

std::optional<ProductShare> tgpu::shareOf(DotOp dot) {
  auto warps = dot->getAttrOfType<DenseI64ArrayAttr>(TileGPUDialect::kMma);
  if (!warps)
    return std::nullopt;
  return ProductShare{warpCounts(warps.asArrayRef()), dot->hasAttr(TileGPUDialect::kWarpgroups)};
}

/// Whether `count` pieces of an extent are contiguous in its power-of-two part, and each one of multiples of `unit`.
static bool canSplit(int64_t extent, int64_t unit, int64_t count) {
  int64_t odd = count >> exponentOfTwo(count), oddExtent = extent >> exponentOfTwo(extent);
  return exponentOfTwo(extent) >= exponentOfTwo(unit) + exponentOfTwo(count) && (odd == 1 || odd == oddExtent);
}

bool tgpu::canShareInWarpgroups(ArrayRef<int64_t> shape, ArrayRef<int64_t> warps) {
  return warps[0] % kWarpgroupWarps == 0 && canSplit(shape[0], MmaKind::kWarpgroupRows, warps[0] / kWarpgroupWarps) &&
         canSplit(shape[1], MmaKind::kColumns, warps[1]);
}

std::vector<int> tgpu::warpCounts(ArrayRef<int64_t> warps) { return std::vector<int>(warps.begin(), warps.end()); }
