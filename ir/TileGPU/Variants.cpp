#include "ir/TileGPU/Variants.h"

#include "llvm/ADT/STLExtras.h"

using namespace tile::tgpu;

static constexpr llvm::StringRef kFastConditions[] = {"align16", "rows16", "offsets31"};

static constexpr Variant kVariants[] = {
    {"fast", kFastConditions},
    {"generic", {}},
};

llvm::ArrayRef<Variant> tile::tgpu::allVariants() { return kVariants; }

const Variant *tile::tgpu::findVariant(llvm::StringRef name) {
  const auto *found = llvm::find_if(kVariants, [&](const Variant &variant) { return variant.name == name; });
  return found == std::end(kVariants) ? nullptr : found;
}
