/// From the LLVM dialect to PTX text: translation, optimisation, code generation.
///
/// Floating point is kept bit for bit: fusion is `Standard` and nothing here adds a fast-math flag, so every float
/// operation carries its rounding mode in the PTX and only `llvm.fma` becomes fma. CheckPtx.h verifies it.
#ifndef BACKEND_PTX_EMITPTX_H
#define BACKEND_PTX_EMITPTX_H

#include "backend/target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace tile {

/// Adds the translations of the builtin, LLVM and NVVM dialects, which `translateToLLVM` needs.
void registerLLVMTranslations(mlir::DialectRegistry &registry);

/// Translates a module in the LLVM and NVVM dialects. Kernels are the `llvm.func` with `nvvm.kernel`. Every call of
/// inline assembly comes out convergent. Returns null after emitting a diagnostic.
std::unique_ptr<llvm::Module> translateToLLVM(mlir::ModuleOp module, llvm::LLVMContext &context);

/// Parses textual LLVM IR called `name`. The error is LLVM's own text with line and column.
llvm::Expected<std::unique_ptr<llvm::Module>> parseLLVM(llvm::StringRef text, llvm::StringRef name,
                                                        llvm::LLVMContext &context);

/// Links libdevice where it is called and runs LLVM's O3 pipeline for `target`.
llvm::Error optimizeForTarget(llvm::Module &module, const Target &target);

/// Generates PTX of the lowest version that `module` needs. `module` is spent.
llvm::Expected<std::string> emitPtx(llvm::Module &module, const Target &target);

} // namespace tile

#endif
