/// What messages say of a kernel's compile-time parameters: as its source names them, not by the kernel's symbol.
#ifndef IR_TILE_CONTRACTTEXT_H
#define IR_TILE_CONTRACTTEXT_H

#include "mlir/IR/BuiltinAttributes.h"

#include <string>
#include <utility>
#include <vector>

namespace tile {

/// "kernel `center` (T = bf16, N = 4096)" from the contract of a kernel; with its `symbol` alone where `contract` is
/// null. Knobs are not told.
std::string kernelTitle(mlir::DictionaryAttr contract, llvm::StringRef symbol);

/// The compile-time parameters of an instance that are no knobs, with the text of their values, in source order; none
/// where `contract` is null.
std::vector<std::pair<std::string, std::string>> parameterTexts(mlir::DictionaryAttr contract);

/// Compile-time integers below this mostly count something else than the elements of a tile.
constexpr int64_t kSmallestExtent = 16;

/// The compile-time integers of `contract` whose value `isMeant`: "`BM` (128) or `BN` (64)"; empty without any.
std::string sizesText(mlir::DictionaryAttr contract, llvm::function_ref<bool(int64_t)> isMeant);

} // namespace tile

#endif
