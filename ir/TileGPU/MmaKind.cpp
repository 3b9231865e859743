#include "ir/TileGPU/MmaKind.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

static constexpr MmaKind kKinds[] = {
    {"bf16", 16, "bf16", "bf16", "f32", true},  {"f16", 16, "f16", "f16", "f32", true},
    {"f8e4m3", 8, "e4m3", "e4m3", "f32", true}, {"f8e5m2", 8, "e5m2", "e5m2", "f32", true},
    {"i8", 8, "s8", "u8", "s32", true},         {"tf32", 32, "tf32", "tf32", "f32", true},
};

ArrayRef<MmaKind> tgpu::allMmaKinds() { return kKinds; }

bool MmaKind::takesColumns(int64_t columns) const {
  constexpr int64_t kFewIntegerColumns = 32; // from there on in steps of 16
  if (columns % kColumns != 0 || columns > kMostColumns)
    return false;
  return result != "s32" || columns < kFewIntegerColumns || columns % (2 * kColumns) == 0;
}

/// The name of the kind; tf32 is how f32 is asked for.
static StringRef nameFor(Type element, Precision precision) {
  if (element.isF32())
    return precision == Precision::Tf32 ? "tf32" : "";
  if (isFloat8(element))
    return isa<Float8E4M3FNType>(element) ? "f8e4m3" : "f8e5m2";
  return element.isF16() ? "f16" : element.isBF16() ? "bf16" : element.isInteger(8) ? "i8" : "";
}

const MmaKind *tgpu::findMmaKind(Type element, Precision precision) {
  StringRef name = nameFor(element, precision);
  const auto *found = llvm::find_if(kKinds, [&](const MmaKind &kind) { return kind.name == name; });
  return found == std::end(kKinds) ? nullptr : found;
}
