#include "ir/TileGPU/VariantRemark.h"

#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/TileGPUOps.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

bool tgpu::takesTensors(DictionaryAttr contract) {
  auto parameters = contract.getAs<ArrayAttr>("parameters");
  return parameters && llvm::any_of(parameters.getAsRange<DictionaryAttr>(), [](DictionaryAttr parameter) {
           return parameter.getAs<StringAttr>("kind") == "tensor";
         });
}

const Variant *tgpu::variantOf(Operation *kernel) {
  auto name = kernel->getAttrOfType<StringAttr>(TileGPUDialect::kVariant);
  auto contract = kernel->getAttrOfType<DictionaryAttr>(TileDialect::kContract);
  return name && (!contract || takesTensors(contract)) ? findVariant(name) : nullptr;
}

remark::RemarkOpts tgpu::remarkOn(Operation *op, StringRef name, StringRef category) {
  Operation *kernel = isa<func::FuncOp>(op) ? op : op->getParentOfType<func::FuncOp>();
  const Variant *variant = kernel ? variantOf(kernel) : nullptr;
  return remark::RemarkOpts::name(name).category(category).function(variant ? variant->name : StringRef());
}
