/// The compiler's stages and every pass of them, in order. Pipeline.cpp is the only place that orders passes.
#ifndef BACKEND_PIPELINE_PIPELINE_H
#define BACKEND_PIPELINE_PIPELINE_H

#include "backend/target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <optional>

namespace tile {

/// What a kernel looks like on its way. Each can be printed and fed back in.
enum class Stage {
  Tile,    ///< MLIR: whole tiles
  TileGPU, ///< MLIR: tiles with layouts
  LLVM,    ///< MLIR in the LLVM dialect, and after it LLVM IR
  Ptx,     ///< text
  Cubin,   ///< ELF
};

/// "tile", "tgpu", "llvm", "ptx", "cubin": the words of `--emit`.
llvm::StringRef stageName(Stage stage);
std::optional<Stage> findStage(llvm::StringRef name);

/// The stage that `module` is in: LLVM when it defines an `llvm.func`, TileGPU when an op or a type of it is of the
/// dialect `tgpu`, else Tile.
Stage stageOf(mlir::ModuleOp module);

/// What the passes are told.
struct PipelineOptions {
  const Target *target = nullptr;
  /// Which forms of a kernel are made; see runtime/launch/README.md.
  llvm::SmallVector<std::string> variants = allVariantNames();

  static llvm::SmallVector<std::string> allVariantNames();
};

/// Adds the passes that belong to the meaning of a program (which sums are fused). They run once, on what the frontend
/// gives, before any of it is interpreted or compiled; IR that is fed back in has had them.
void addSourcePasses(mlir::OpPassManager &passes);

/// Adds the passes that turn the stage before into `stage`; none for Tile. Only the MLIR stages have passes.
void addLoweringPasses(mlir::OpPassManager &passes, Stage stage, const PipelineOptions &options);

/// Adds the passes that improve `stage` and keep it. They may run on their own output.
void addStagePasses(mlir::OpPassManager &passes, Stage stage, const PipelineOptions &options);

/// Adds the passes from tile IR on that decide what a kernel takes of the GPU: layouts, stages, shared memory, resident
/// blocks. Those that order and prove what was decided are not among them, so the kernel is not to be lowered.
void addDecidingPasses(mlir::OpPassManager &passes, const PipelineOptions &options);

/// The passes of all stages in order, each once: what `--print-after` takes.
std::vector<std::string> passNames(mlir::MLIRContext &context);

/// Adds every dialect that a stage uses, and the translations to LLVM.
void registerDialects(mlir::DialectRegistry &registry);

/// Makes our passes and MLIR's that the stages use known by name, for tile-opt and for reproducers.
void registerPasses();

} // namespace tile

#endif
