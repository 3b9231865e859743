/// From PTX text to a cubin. NVIDIA's assembler is linked in, pinned to one version, so that neither a CUDA
/// installation nor a temporary file is needed, and runs in a copy of the process, since it ends the process where it
/// gives up; an external ptxas can take its place.
#ifndef BACKEND_PTX_ASSEMBLE_H
#define BACKEND_PTX_ASSEMBLE_H

#include "backend/ptx/AssemblerLog.h"
#include "backend/target/Target.h"

#include "llvm/Support/Error.h"

namespace tile {

struct AssembleOptions {
  unsigned maxRegisters = 0; ///< cap per thread; 0: what the kernel's thread count allows
  std::string ptxas;         ///< path of an external assembler; empty: the one linked in
};

struct Assembly {
  std::string cubin; ///< an ELF file
  std::vector<KernelResources> kernels;
  std::vector<AssemblerRemark> remarks;
};

/// Carries the faults of a refused PTX.
class AssemblyError : public llvm::ErrorInfo<AssemblyError> {
public:
  static char ID;

  explicit AssemblyError(std::vector<AssemblerFault> faults) : faults(std::move(faults)) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  std::vector<AssemblerFault> faults;
};

/// Assembles `ptx` for `target`. Thread-safe. Fails with an AssemblyError, or with a plain text where an external
/// assembler cannot be run or is none.
llvm::Expected<Assembly> assemble(llvm::StringRef ptx, const Target &target, const AssembleOptions &options = {});

/// The assembler that `options` choose, e.g. "nvPTXCompiler 13.5" or "ptxas 13.0.88". Fails where an external one does
/// not run or does not say.
llvm::Expected<std::string> assemblerVersion(const AssembleOptions &options = {});

} // namespace tile

#endif
