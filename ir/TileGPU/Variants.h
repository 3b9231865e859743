/// The forms in which a kernel is compiled, and what a launcher checks before it takes one. Nothing else names them.
#ifndef IR_TILEGPU_VARIANTS_H
#define IR_TILEGPU_VARIANTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

namespace tile::tgpu {

/// See `variants[]` in runtime/launch/README.md.
struct Variant {
  llvm::StringRef name;
  llvm::ArrayRef<llvm::StringRef> conditions; ///< its `requires`; of none it serves every launch

  /// Whether the launcher promises nothing, so that the compiler cannot be blamed for what it does not know.
  bool promisesNothing() const { return conditions.empty(); }
  /// Whether a kernel gets it: without tensors the launcher has nothing to promise.
  bool isMade(bool takesTensors) const { return promisesNothing() || takesTensors; }
  /// Of the kernel called `kernel`.
  std::string symbol(llvm::StringRef kernel) const {
    return promisesNothing() ? kernel.str() : (kernel + "$" + name).str();
  }
};

/// The preferred first; the last promises nothing.
llvm::ArrayRef<Variant> allVariants();

const Variant *findVariant(llvm::StringRef name);

} // namespace tile::tgpu

#endif
