/// The parts of `tgpu-scalars-to-llvm`: one set of patterns per family.
#ifndef BACKEND_TILEGPUTOLLVM_SCALAROPS_H
#define BACKEND_TILEGPUTOLLVM_SCALAROPS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace tile::tgpu {

/// Replaces every `tile.assert` of a condition by a branch that reports the message and where it stands, and stops the
/// grid.
void lowerAssertions(mlir::ModuleOp module);

/// Integer division, remainder and shifts with no undefined case, and float to integer.
void populateTotalArithmeticPatterns(const mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);
/// Functions of floats: instructions, sequences of them, and calls of libdevice.
void populateFunctionPatterns(const mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);

} // namespace tile::tgpu

#endif
