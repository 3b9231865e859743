// Passes from the `tgpu` level to the LLVM dialect.
#ifndef BACKEND_TILEGPUTOLLVM_PASSES_TD
#define BACKEND_TILEGPUTOLLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerTilesPass : Pass<"tgpu-lower-tiles", "::mlir::ModuleOp"> {
  let summary = "replaces every tile by the scalars that one thread holds of it";
  let description = [{
    Every tile has a layout, accesses have plans, scratch has its place. Afterwards there are scalars, addresses and
    control flow only: a tile becomes one value per register of its layout, a view its base, run-time extents and
    run-time strides. An 8-bit float becomes a byte. The dynamic shared memory of a block is the external global
    `tile_shared`.
  }];
  let options = [Option<"convertsFloat8", "converts-float8", "bool", /*default=*/"false",
                        "the target has instructions that convert 8-bit floats">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::cf::ControlFlowDialect"];
}

def ScalarsToLLVMPass : Pass<"tgpu-scalars-to-llvm", "::mlir::ModuleOp"> {
  let summary = "lowers scalar arithmetic, control flow and kernels to the LLVM dialect";
  let description = [{
    There are no tiles and no views. Functions of 16-bit floats are computed in f32 and rounded. `index` is 64 bits wide.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif
