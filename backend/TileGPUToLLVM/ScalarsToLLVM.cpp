/// From scalars and structured control flow to the LLVM dialect, and what makes an LLVM function a kernel.
#include "backend/TileGPUToLLVM/Emit.h"
#include "backend/TileGPUToLLVM/Passes.h"
#include "backend/TileGPUToLLVM/ScalarOps.h"
#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/TileGPUOps.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_SCALARSTOLLVMPASS
#include "backend/TileGPUToLLVM/Passes.h.inc"
} // namespace tile::tgpu

static constexpr int kThreadsPerWarp = 32;

/// The variables that a launch sets; PTX ISA, `.reqntid`.
static void markKernel(LLVM::LLVMFuncOp kernel) {
  Builder b(kernel);
  auto warps = kernel->getAttrOfType<IntegerAttr>(TileGPUDialect::kWarps);
  kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                  b.getDenseI32ArrayAttr({static_cast<int32_t>(warps.getInt() * kThreadsPerWarp)}));
  auto schedule = kernel->getAttrOfType<DictionaryAttr>(TileDialect::kSchedule);
  // The two ways to bound registers exclude each other: PTX ISA, "Performance-Tuning Directives".
  if (auto most = schedule ? schedule.getAs<IntegerAttr>("max_registers") : IntegerAttr())
    kernel->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(), b.getI32IntegerAttr(most.getInt()));
  else if (auto blocks = kernel->getAttrOfType<IntegerAttr>(TileGPUDialect::kResidentBlocks))
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), b.getI32IntegerAttr(blocks.getInt()));
}

namespace {
struct ScalarsToLLVMPass : public tgpu::impl::ScalarsToLLVMPassBase<ScalarsToLLVMPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    lowerAssertions(module);
    {
      RewritePatternSet patterns(context);
      populateSCFToControlFlowConversionPatterns(patterns);
      ConversionTarget target(*context);
      target.addIllegalDialect<scf::SCFDialect>();
      target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
      if (failed(applyPartialConversion(module, target, std::move(patterns))))
        return signalPassFailure();
    }
    LowerToLLVMOptions options(context);
    options.overrideIndexBitwidth(64);
    LLVMTypeConverter types(context, options);
    RewritePatternSet patterns(context);
    populateFunctionPatterns(types, patterns);
    populateTotalArithmeticPatterns(types, patterns);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    populateFuncToLLVMConversionPatterns(types, patterns);
    populateMathToLLVMConversionPatterns(types, patterns, /*approximateLog1p=*/false);
    LLVMConversionTarget target(*context);
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addLegalOp<ModuleOp>();
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    module.walk([](LLVM::LLVMFuncOp function) {
      if (function->hasAttr(TileGPUDialect::kWarps))
        markKernel(function);
    });
  }
};
} // namespace
