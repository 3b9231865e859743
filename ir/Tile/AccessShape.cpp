#include "ir/Tile/AccessShape.h"

#include "ir/Tile/TileOps.h"

using namespace mlir;
using namespace tile;

ArrayRef<int64_t> tile::shapeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getShape() : ArrayRef<int64_t>();
}

Type tile::elementOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getElementType() : type;
}

int64_t tile::elementBytes(Type element) {
  return isa<PtrType, IndexType>(element) ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

Type tile::tileOf(ArrayRef<int64_t> shape, Type element) {
  return shape.empty() ? element : RankedTensorType::get(shape, element);
}

std::optional<SmallVector<int64_t>> tile::broadcastShapes(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  if (lhs.size() != rhs.size())
    return std::nullopt;
  SmallVector<int64_t> shape;
  for (auto [l, r] : llvm::zip_equal(lhs, rhs)) {
    if (l != r && l != 1 && r != 1)
      return std::nullopt;
    shape.push_back(l == 1 ? r : l);
  }
  return shape;
}

std::optional<SmallVector<int64_t>> tile::inferAccessShape(ArrayRef<int64_t> sizes, TypeRange indices) {
  SmallVector<int64_t> shape, gathered;
  std::optional<size_t> gatherAt;
  for (auto [size, index] : llvm::zip_equal(sizes, indices)) {
    if (size > 0)
      shape.push_back(size);
    if (size != ViewAccess::kGather)
      continue;
    if (!gatherAt) {
      gatherAt = shape.size();
      gathered.assign(shapeOf(index).begin(), shapeOf(index).end());
      continue;
    }
    auto both = broadcastShapes(gathered, shapeOf(index));
    if (!both)
      return std::nullopt;
    gathered = *both;
  }
  if (gatherAt)
    shape.insert(shape.begin() + *gatherAt, gathered.begin(), gathered.end());
  return shape;
}

bool tile::isFloat8(Type element) { return isa<Float8E4M3FNType, Float8E5M2Type>(element); }

bool tile::areFactors(Type lhs, Type rhs) { return lhs == rhs || (isFloat8(lhs) && isFloat8(rhs)); }

Type tile::dotAccumulator(Type element) {
  MLIRContext *context = element.getContext();
  if (isFloat8(element) || element.isF16() || element.isBF16() || element.isF32())
    return Float32Type::get(context);
  if (element.isF64())
    return element;
  if (element.isInteger(8))
    return IntegerType::get(context, 32);
  return Type();
}
