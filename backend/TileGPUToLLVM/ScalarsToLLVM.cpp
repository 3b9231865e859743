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
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Rewrite/PatternApplicator.h"

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

/// Whether no value of the loop plus the step can pass the end of the type. What is known of an `index` at run time
/// comes from extents and program ids, which are far from it.
static bool staysInType(scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep()), high = getConstantIntValue(loop.getUpperBound());
  if (step == 1)
    return true;
  Type type = loop.getInductionVar().getType();
  if (!step || !high)
    return type.isIndex();
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  using Wide = __int128;
  auto withoutSign = [&](int64_t value) { return Wide(uint64_t(value) & (~uint64_t(0) >> (64 - bits))); };
  Wide most = (Wide(1) << (bits - !loop.getUnsignedCmp())) - 1;
  return (loop.getUnsignedCmp() ? withoutSign(*high) : Wide(*high)) + withoutSign(*step) - 1 <= most;
}

/// A loop ends at its bound even where the value after the last one would wrap: then its trips are counted, without a
/// sign, as their number may need the bit.
static void countTrips(scf::ForOp loop) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(lower.getType(), value));
  };
  Value zero = constant(0), one = constant(1);
  Value runs = arith::CmpIOp::create(
      b, loc, loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, lower, upper);
  Value distance = arith::SubIOp::create(b, loc, arith::SubIOp::create(b, loc, upper, lower), one);
  Value trips = arith::AddIOp::create(b, loc, arith::DivUIOp::create(b, loc, distance, step), one);
  loop.setLowerBound(zero);
  loop.setUpperBound(arith::SelectOp::create(b, loc, runs, trips, zero));
  loop.setStep(one);
  loop.setUnsignedCmp(true);
  b.setInsertionPointToStart(loop.getBody());
  Value counter = loop.getInductionVar();
  auto product = arith::MulIOp::create(b, loc, counter, step);
  Value visited = arith::AddIOp::create(b, loc, lower, product);
  counter.replaceAllUsesExcept(visited, product);
}

/// Replaces structured control flow by branches. Each op splits its block, which moves what stands behind it: from the
/// last op to the first that is no more than what the next one cut off. The conversion driver goes the other way and
/// moves op by op, for a time that grows with the square of the ops.
/// What is left is refused by the conversion to LLVM.
static void flatten(ModuleOp module, RewritePatternSet patterns) {
  FrozenRewritePatternSet frozen(std::move(patterns));
  PatternApplicator applicator(frozen);
  applicator.applyDefaultCostModel();
  SmallVector<Operation *> structured;
  // What stands in another op comes after it: the patterns expect regions of one block.
  module.walk<WalkOrder::PreOrder, ReverseIterator>([&](Operation *op) {
    if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
      structured.push_back(op);
  });
  for (Operation *op : structured)
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && !staysInType(loop))
      countTrips(loop);
  PatternRewriter rewriter(module.getContext());
  for (Operation *op : structured) {
    rewriter.setInsertionPoint(op);
    (void)applicator.matchAndRewrite(op, rewriter);
  }
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
      flatten(module, std::move(patterns));
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
