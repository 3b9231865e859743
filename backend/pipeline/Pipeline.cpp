/// Every pass in order. To add one: its line here, under its stage.
#include "backend/pipeline/Pipeline.h"

#include "backend/TileGPUToLLVM/Passes.h"
#include "backend/ptx/EmitPtx.h"
#include "ir/Tile/TileOps.h"
#include "ir/Tile/Transforms/Passes.h"
#include "ir/TileGPU/Passes.h"
#include "ir/TileGPU/TileGPUOps.h"
#include "ir/TileGPU/Variants.h"
#include "ir/TileToTileGPU/Passes.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tile {

static constexpr std::pair<Stage, llvm::StringLiteral> kStageNames[] = {
    {Stage::Tile, "tile"}, {Stage::TileGPU, "tgpu"}, {Stage::LLVM, "llvm"},
    {Stage::Ptx, "ptx"},   {Stage::Cubin, "cubin"},
};

llvm::StringRef stageName(Stage stage) { return kStageNames[unsigned(stage)].second; }

std::optional<Stage> findStage(llvm::StringRef name) {
  for (auto [stage, known] : kStageNames)
    if (known == name)
      return stage;
  return std::nullopt;
}

static bool isTileGPU(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && tensor.getEncoding())
    return tensor.getEncoding().getDialect().getNamespace() == "tgpu";
  return type.getDialect().getNamespace() == "tgpu";
}

Stage stageOf(ModuleOp module) {
  Stage stage = Stage::Tile;
  module.walk([&](Operation *op) {
    if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op); function && !function.isExternal())
      stage = Stage::LLVM;
    else if (op->getName().getDialectNamespace() == "tgpu" || op->hasAttr(tgpu::TileGPUDialect::kWarps) ||
             llvm::any_of(op->getResultTypes(), isTileGPU))
      stage = Stage::TileGPU;
    else
      return WalkResult::advance();
    return WalkResult::interrupt();
  });
  return stage;
}

llvm::SmallVector<std::string> PipelineOptions::allVariantNames() {
  return llvm::map_to_vector(tgpu::allVariants(), [](const tgpu::Variant &variant) { return variant.name.str(); });
}

void addSourcePasses(OpPassManager &passes) { passes.addPass(createFuseMultiplyAddPass()); }

/// The operand types of the target's mma.sync, as `tgpu-choose-mma` names them.
static llvm::SmallVector<std::string> mmaTypes(const Target &target) {
  llvm::SmallVector<std::string> types;
  if (target.has(Feature::Mma16))
    types.append({"f16", "bf16"});
  if (target.has(Feature::MmaTf32))
    types.push_back("tf32");
  if (target.has(Feature::MmaI8))
    types.push_back("i8");
  if (target.has(Feature::MmaF8))
    types.append({"f8e4m3", "f8e5m2"});
  return types;
}

/// Bytes of shared memory with which two blocks fit on a multiprocessor.
static int64_t sharedOfHalf(const Target &target) {
  return target.sharedPerProcessor / 2 - target.sharedReservedPerBlock;
}

void addLoweringPasses(OpPassManager &passes, Stage stage, const PipelineOptions &options) {
  switch (stage) {
  case Stage::TileGPU:
    passes.addPass(tgpu::createAssumeVariantPass({options.variants}));
    passes.addNestedPass<func::FuncOp>(tgpu::createLinearizeGridPass());
    passes.addNestedPass<func::FuncOp>(tgpu::createChooseWarpsPass());
    passes.addNestedPass<func::FuncOp>(tgpu::createCheckTilesPass());
    passes.addNestedPass<func::FuncOp>(tgpu::createChooseMmaPass({.types = mmaTypes(*options.target),
                                                                  .warpgroups = options.target->has(Feature::Wgmma),
                                                                  .registers = options.target->registersPerProcessor}));
    passes.addNestedPass<func::FuncOp>(tgpu::createAssignLayoutsPass());
    break;
  case Stage::LLVM:
    passes.addPass(tgpu::createLowerTilesPass({options.target->has(Feature::ConvertF8)}));
    passes.addPass(tgpu::createScalarsToLLVMPass());
    break;
  case Stage::Tile:
  case Stage::Ptx:
  case Stage::Cubin:
    break;
  }
}

/// What improves the stage TileGPU, up to the places of all data.
static void addDecisions(OpPassManager &passes, const PipelineOptions &options) {
  passes.addNestedPass<func::FuncOp>(tgpu::createRemoveConversionsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  passes.addNestedPass<func::FuncOp>(tgpu::createPlanAccessesPass());
  passes.addNestedPass<func::FuncOp>(tgpu::createPipelineLoadsPass(
      {.limit = options.target->sharedPerBlock, .shared = sharedOfHalf(*options.target)}));
  passes.addNestedPass<func::FuncOp>(tgpu::createPlaceProductsPass({options.target->sharedPerBlock}));
  passes.addNestedPass<func::FuncOp>(tgpu::createIssueLoadsEarlyPass({options.target->blocksPerProcessor}));
  passes.addNestedPass<func::FuncOp>(tgpu::createPrefetchLoadsPass());
  // What is loaded early has new positions.
  passes.addNestedPass<func::FuncOp>(tgpu::createPlanAccessesPass());
  passes.addNestedPass<func::FuncOp>(tgpu::createStoreInSlicesPass({options.target->has(Feature::StMatrix)}));
  passes.addNestedPass<func::FuncOp>(tgpu::createCountGroupsPass());
  passes.addNestedPass<func::FuncOp>(tgpu::createAllocateSharedPass({options.target->sharedPerBlock}));
  passes.addNestedPass<func::FuncOp>(
      tgpu::createBoundResidencyPass({.registers = options.target->registersPerProcessor,
                                      .shared = options.target->sharedPerProcessor,
                                      .reserved = options.target->sharedReservedPerBlock}));
}

void addStagePasses(OpPassManager &passes, Stage stage, const PipelineOptions &options) {
  switch (stage) {
  case Stage::Tile:
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    passes.addPass(createLoopInvariantCodeMotionPass());
    break;
  case Stage::TileGPU:
    addDecisions(passes, options);
    passes.addNestedPass<func::FuncOp>(tgpu::createInsertBarriersPass());
    passes.addNestedPass<func::FuncOp>(tgpu::createVerifyAsyncPass());
    break;
  case Stage::LLVM:
    // Half of the NVVM ops are intrinsics; the others become inline assembly here.
    passes.addPass(createConvertNVVMToLLVMPass());
    // `DebugDirectivesOnly`: line tables without `.target …, debug`, with which the assembler optimises nothing.
    passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass({LLVM::DIEmissionKind::DebugDirectivesOnly}));
    break;
  case Stage::Ptx:
  case Stage::Cubin:
    break;
  }
}

void addDecidingPasses(OpPassManager &passes, const PipelineOptions &options) {
  addStagePasses(passes, Stage::Tile, options);
  addLoweringPasses(passes, Stage::TileGPU, options);
  addDecisions(passes, options);
}

/// Collects the names in a textual pipeline such as "builtin.module(func.func(canonicalize{top-down=true},cse))".
static void collectNames(llvm::StringRef pipeline, std::vector<std::string> &names) {
  std::string name;
  unsigned options = 0; // depth of braces
  for (char c : pipeline) {
    options += c == '{';
    if (options == 0 && !strchr(",()", c)) {
      name += c;
      continue;
    }
    options -= c == '}';
    // What is not a pass is an anchor: an op's name, which has a dot, or `any`.
    bool isPass = !name.empty() && name != "any" && !llvm::StringRef(name).contains('.');
    if (isPass && !llvm::is_contained(names, name))
      names.push_back(name);
    name.clear();
  }
}

std::vector<std::string> passNames(MLIRContext &context) {
  std::vector<std::string> names;
  PipelineOptions options;
  options.target = allTargets().begin();
  PassManager passes(&context);
  addSourcePasses(passes);
  for (auto [stage, name] : kStageNames) {
    addLoweringPasses(passes, stage, options);
    addStagePasses(passes, stage, options);
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  passes.printAsTextualPipeline(stream);
  collectNames(text, names);
  return names;
}

void registerDialects(DialectRegistry &registry) {
  registry.insert<TileDialect, arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
                  math::MathDialect, NVVM::NVVMDialect, scf::SCFDialect, tensor::TensorDialect, tgpu::TileGPUDialect>();
  registerLLVMTranslations(registry);
}

void registerPasses() {
  registerTilePasses();
  tgpu::registerTileGPUPasses();
  tgpu::registerTileGPUToLLVMPasses();
  tgpu::registerTileToTileGPUPasses();
  registerCanonicalizerPass();
  registerCSEPass();
  registerLoopInvariantCodeMotionPass();
  registerPass([] { return createConvertNVVMToLLVMPass(); });
  LLVM::registerDIScopeForLLVMFuncOpPass();
}

} // namespace tile
