/// Passes from the `tgpu` level to the LLVM dialect.
#ifndef BACKEND_TILEGPUTOLLVM_PASSES_H
#define BACKEND_TILEGPUTOLLVM_PASSES_H

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tile::tgpu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "backend/TileGPUToLLVM/Passes.h.inc"

} // namespace tile::tgpu

#endif
