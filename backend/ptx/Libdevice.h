/// libdevice, NVIDIA's library of scalar math as LLVM bitcode, carried inside the compiler.
#ifndef BACKEND_PTX_LIBDEVICE_H
#define BACKEND_PTX_LIBDEVICE_H

#include "backend/target/Target.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace tile {

/// The bitcode, byte for byte as NVIDIA ships it.
llvm::StringRef libdeviceBitcode();

/// Defines the `__nv_*` functions that `module` calls, as internal functions, and settles what they ask through
/// `__nvvm_reflect`: subnormals kept, square roots correctly rounded. Parses nothing when no such function is called.
/// Fails, naming it, on a function that libdevice lacks.
llvm::Error linkLibdevice(llvm::Module &module, const Target &target);

} // namespace tile

#endif
