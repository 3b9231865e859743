/// One compilation on its way through the stages. Internal to the folder: `Compile.cpp` drives it,
/// `AssemblerVerdict.cpp` says what the assembler found.
#ifndef BACKEND_PIPELINE_COMPILATION_H
#define BACKEND_PIPELINE_COMPILATION_H

#include "backend/pipeline/Compile.h"
#include "ir/TileGPU/Variants.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace tile {

/// What is to be said of a kernel and stands neither in PTX nor in a cubin.
struct KernelNotes {
  mlir::Location location;
  mlir::DictionaryAttr contract = {};     ///< null where the module has none
  unsigned sharedBytes = 0;               ///< dynamic
  const tgpu::Variant *variant = nullptr; ///< null where it is the only one
  int64_t maxRegisters = 0;               ///< asked for; 0: nothing was
  unsigned stages = 0;
  bool areWarpsChosen = false;
  bool isBounded = false; ///< by the compiler, so that more blocks are resident
};

/// LLVM IR and what owns it.
struct LLVMModule {
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;

  /// Lets go of what LLVM left half done.
  void abandon() {
    (void)module.release();
    (void)context.release();
  }
};

/// Who made the MLIR: what the user's has wrong is no fault of the compiler.
enum class ModuleOrigin { Generated, Given };

/// One compilation: what it gives so far, and where its problems are reported.
class Compilation {
public:
  Compilation(const CompileOptions &options, mlir::Location location, ModuleOrigin origin = ModuleOrigin::Generated)
      : options(options), location(location), origin(origin) {}

  mlir::LogicalResult runModule(mlir::ModuleOp module);
  mlir::LogicalResult runLLVM(LLVMModule llvm);
  mlir::LogicalResult runPtx(llvm::StringRef ptx);

  Artifact artifact;

private:
  mlir::LogicalResult checkFirst(Stage first) const;
  mlir::LogicalResult refuseEmpty(llvm::StringRef expected) const;
  mlir::LogicalResult runPasses(mlir::ModuleOp module, Stage stage, bool lower);
  mlir::LogicalResult readLaunches(mlir::ModuleOp module);
  mlir::LogicalResult checkGenerated(llvm::StringRef ptx);
  mlir::LogicalResult dump(llvm::StringRef suffix, llvm::StringRef bytes);
  mlir::LogicalResult report(llvm::Error error);
  mlir::FailureOr<Assembly> assembleOnce(llvm::StringRef ptx);
  mlir::FailureOr<Assembly> assembleWithoutSpills();
  std::string adviceOnRegisters(llvm::StringRef kernel, unsigned threads) const;
  void warnOfSpills() const;
  void warnOfSerialProducts() const;
  void warnOfLength() const;
  const KernelNotes *notesOf(llvm::StringRef kernel) const;
  void markVariant(mlir::InFlightDiagnostic &diagnostic, llvm::StringRef kernel) const;
  mlir::Location locationOf(llvm::StringRef kernel) const;
  std::string titleOf(llvm::StringRef kernel) const;
  mlir::LogicalResult reportShared(llvm::StringRef kernel, uint64_t found, uint64_t limit);
  void reportNarrow(const AssemblerFault &fault);
  void reportFault(const AssemblerFault &fault);

  const CompileOptions &options;
  mlir::Location location;
  ModuleOrigin origin;
  bool isGenerated = false;              // the PTX is this compiler's
  llvm::StringMap<KernelNotes> notes;    // by kernel
  llvm::StringMap<unsigned> boundSpills; // bytes that a bound of ours, now dropped, had a kernel spill
};

/// Reports what is wrong with the compiler and not with the program. `detail` is for those who mend it.
mlir::LogicalResult emitFault(mlir::Location location, const llvm::Twine &what, llvm::StringRef detail);

/// The beginning of an error of the command line or of the system, which has no place in the program.
mlir::InFlightDiagnostic emitOptionFault(mlir::MLIRContext *context);

} // namespace tile

#endif
