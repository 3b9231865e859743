/// The manifest of an artifact, from the contracts of its kernels and what the compiled variants take. The schema is in
/// runtime/launch/README.md.
#ifndef RUNTIME_COMPILE_MANIFESTTEXT_H
#define RUNTIME_COMPILE_MANIFESTTEXT_H

#include "backend/pipeline/Compile.h"

#include "llvm/Support/JSON.h"

namespace tile {

/// A contract as it stands in the manifest, without variants.
struct KernelEntry {
  std::string symbol; ///< of the kernel function in tile IR; those of its variants begin with it
  llvm::json::Object contract;
};

/// The contracts of the kernels of `module`, which is in tile IR, in order.
std::vector<KernelEntry> contractsOf(mlir::ModuleOp module);

/// What a source file is called in the manifest, and its text, which is hashed.
struct SourceText {
  llvm::StringRef name, text;
};

/// JSON text. `flags` are those that the results of the kernels depend on; `compiled` is the module that `kernels` were
/// assembled from, in the LLVM dialect. Fails where the assembler does not say who it is.
llvm::Expected<std::string> manifestText(SourceText source, llvm::ArrayRef<std::string> flags,
                                         const CompileOptions &options, std::vector<KernelEntry> entries,
                                         mlir::ModuleOp compiled, llvm::ArrayRef<KernelReport> kernels);

} // namespace tile

#endif
