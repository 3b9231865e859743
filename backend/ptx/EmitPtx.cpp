/// Drives LLVM's NVPTX backend. Only that target is initialised.
#include "backend/ptx/EmitPtx.h"

#include "backend/ptx/Libdevice.h"
#include "backend/ptx/RequiredPtx.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace tile {

void registerLLVMTranslations(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
}

/// MLIR's `llvm.inline_asm` cannot say `convergent`, and without it O3 duplicates a barrier into the arms of a branch.
/// A function that holds such a call must say so too; LLVM drops the attribute again where nothing needs it.
static void markInlineAssemblyConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction); call && call->isInlineAsm()) {
        call->setConvergent();
        function.setConvergent();
      }
}

/// Where the code at `place` is called if it is part of the compiler: `.loc` has no room for callers, and a name in
/// angle brackets is no file that a reader of line tables could open.
static mlir::Location callOfBuiltIn(mlir::Location place) {
  while (auto call = mlir::dyn_cast<mlir::CallSiteLoc>(place)) {
    auto file = call.getCallee()->findInstanceOf<mlir::FileLineColLoc>();
    if (!file || !file.getFilename().getValue().starts_with("<"))
      break;
    place = call.getCaller();
  }
  return place;
}

/// An op made of several keeps the place of the first: LLVM merges unequal places into line 0.
static mlir::Location firstOfFused(mlir::Location place) {
  // With metadata, a fused location is how a function names its debug scope.
  for (auto fused = mlir::dyn_cast<mlir::FusedLoc>(place);
       fused && !fused.getMetadata() && !fused.getLocations().empty(); fused = mlir::dyn_cast<mlir::FusedLoc>(place))
    place = fused.getLocations().front();
  return place;
}

static void chooseLocations(mlir::ModuleOp module) {
  module.walk([](mlir::Operation *op) { op->setLoc(callOfBuiltIn(firstOfFused(op->getLoc()))); });
}

std::unique_ptr<llvm::Module> translateToLLVM(mlir::ModuleOp module, llvm::LLVMContext &context) {
  chooseLocations(module);
  std::unique_ptr<llvm::Module> translated =
      mlir::translateModuleToLLVMIR(module, context, module.getName().value_or("kernels"));
  if (translated)
    markInlineAssemblyConvergent(*translated);
  return translated;
}

llvm::Expected<std::unique_ptr<llvm::Module>> parseLLVM(llvm::StringRef text, llvm::StringRef name,
                                                        llvm::LLVMContext &context) {
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = llvm::parseAssembly(llvm::MemoryBufferRef(text, name), problem, context);
  if (module)
    return module;
  return llvm::createStringError(name + ":" + llvm::Twine(problem.getLineNo()) + ":" +
                                 llvm::Twine(problem.getColumnNo() + 1) + ": " + problem.getMessage());
}

static const llvm::Target &nvptx() {
  static std::once_flag once;
  static const llvm::Target *target;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    std::string problem;
    target = llvm::TargetRegistry::lookupTarget(llvm::Triple("nvptx64-nvidia-cuda"), problem);
    assert(target && "the build checks that LLVM has NVPTX");
  });
  return *target;
}

static std::unique_ptr<llvm::TargetMachine> createTargetMachine(const Target &target, PtxVersion version) {
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  std::string features = "+ptx" + std::to_string(version.major) + std::to_string(version.minor);
  return std::unique_ptr<llvm::TargetMachine>(
      nvptx().createTargetMachine(llvm::Triple("nvptx64-nvidia-cuda"), std::string(target.name), features, options,
                                  std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// Gives `module` the target's triple and data layout, which the LLVM dialect leaves open.
static std::unique_ptr<llvm::TargetMachine> aimAt(llvm::Module &module, const Target &target) {
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(target, requiredPtx(module, target));
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  return machine;
}

namespace {
/// Keeps the first error that LLVM reports while this lives; its default handler ends the process.
class FirstError {
public:
  explicit FirstError(llvm::LLVMContext &context) : context(context), before(context.getDiagnosticHandler()) {
    context.setDiagnosticHandler(std::make_unique<Handler>(text));
  }
  ~FirstError() { context.setDiagnosticHandler(std::move(before)); }

  /// Success, or the error, which may say more than `other`.
  llvm::Error take(llvm::Error other = llvm::Error::success()) {
    if (text.empty())
      return other;
    llvm::consumeError(std::move(other));
    return llvm::createStringError(text);
  }

private:
  struct Handler : llvm::DiagnosticHandler {
    explicit Handler(std::string &text) : text(text) {}

    bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
      if (info.getSeverity() == llvm::DS_Error && text.empty()) {
        llvm::raw_string_ostream stream(text);
        llvm::DiagnosticPrinterRawOStream printer(stream);
        info.print(printer);
      }
      return true;
    }

    std::string &text;
  };

  llvm::LLVMContext &context;
  std::unique_ptr<llvm::DiagnosticHandler> before;
  std::string text;
};
} // namespace

llvm::Error optimizeForTarget(llvm::Module &module, const Target &target) {
  std::unique_ptr<llvm::TargetMachine> machine = aimAt(module, target);
  FirstError problem(module.getContext());
  if (llvm::Error error = problem.take(linkLibdevice(module, target)))
    return error;

  // Tiles are already vectors of each thread's elements: LLVM's vectorizers find nothing, and take time to do so.
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(machine.get(), tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
  return problem.take();
}

llvm::Expected<std::string> emitPtx(llvm::Module &module, const Target &target) {
  std::unique_ptr<llvm::TargetMachine> machine = aimAt(module, target);
  FirstError problem(module.getContext());

  llvm::SmallString<0> ptx;
  llvm::raw_svector_ostream stream(ptx);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return llvm::createStringError("LLVM's NVPTX backend writes no assembly");
  passes.run(module);
  if (llvm::Error error = problem.take())
    return error;
  return std::string(ptx.str());
}

} // namespace tile
