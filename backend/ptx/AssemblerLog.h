/// What NVIDIA's assembler says, as data. Reads the log of `ptxas -v` and that of nvPTXCompiler, which differ in
/// prefixes only. Pure text.
#ifndef BACKEND_PTX_ASSEMBLERLOG_H
#define BACKEND_PTX_ASSEMBLERLOG_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tile {

/// What one kernel takes on the GPU. Registers and stack per thread, shared memory per block, sizes in bytes.
struct KernelResources {
  std::string name;
  unsigned registers = 0;
  unsigned barriers = 0;
  unsigned staticSharedBytes = 0;
  unsigned stackBytes = 0;
  unsigned spillStoreBytes = 0;
  unsigned spillLoadBytes = 0;
};

/// A warning or an advisory note, e.g. code `C7510` and "Potential Performance Loss: wgmma.mma_async instructions are
/// serialized due to …". `code` is empty where the assembler gives none.
struct AssemblerRemark {
  std::string code;
  std::string text;
  std::string kernel; ///< empty: of none in particular
  std::string serial; ///< why some wgmma of the kernel waits for the one before; empty: the remark is another one
};

/// Why there is no code.
struct AssemblerFault {
  enum class Kind { Syntax, SharedMemory, ParameterSpace, Registers, InstructionRegisters, Crash, Other };

  Kind kind = Kind::Other;
  unsigned line = 0;            ///< of the PTX, from 1; 0: the fault has no line
  std::string kernel;           ///< SharedMemory, ParameterSpace and the registers: whose
  uint64_t foundBytes = 0;      ///< SharedMemory and ParameterSpace: what the kernel declares
  uint64_t limitBytes = 0;      ///< SharedMemory and ParameterSpace: what the target has
  unsigned foundRegisters = 0;  ///< InstructionRegisters: that a thread may have
  unsigned neededRegisters = 0; ///< InstructionRegisters: at least, for the widest instruction met
  std::string text;             ///< the assembler's own words; Crash: the signal
};

struct AssemblerLog {
  std::vector<KernelResources> kernels;
  std::vector<AssemblerRemark> remarks;
  std::vector<AssemblerFault> faults;
};

/// Reads a log; lines it does not know are skipped, errors it does not know become faults of kind Other.
AssemblerLog parseAssemblerLog(llvm::StringRef log);

} // namespace tile

#endif
