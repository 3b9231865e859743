/// What remarks and warnings say of the variant of a kernel: advice for the one may be wrong for the other.
#ifndef IR_TILEGPU_VARIANTREMARK_H
#define IR_TILEGPU_VARIANTREMARK_H

#include "ir/TileGPU/Variants.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Remarks.h"

namespace tile::tgpu {

/// Whether a launcher has anything to promise of the arguments of `contract`: it checks tensors only. Kernels of which
/// it has not are compiled in the variant alone that promises nothing.
bool takesTensors(mlir::DictionaryAttr contract);

/// The variant that `kernel`, in any stage, is; null where it has no other.
const Variant *variantOf(mlir::Operation *kernel);

/// The variant of the kernel that `op` is in or is stands in the place of the function, which has no name in the
/// source.
mlir::remark::RemarkOpts remarkOn(mlir::Operation *op, llvm::StringRef name, llvm::StringRef category);

} // namespace tile::tgpu

#endif
