/// Which PTX version a module needs. A cubin does not care, but a PTX fallback loads only on drivers that know its
/// version, so the lowest is emitted.
#ifndef BACKEND_PTX_REQUIREDPTX_H
#define BACKEND_PTX_REQUIREDPTX_H

#include "backend/target/Target.h"

#include "llvm/IR/Module.h"

namespace tile {

/// The lowest PTX version that has `target` and every intrinsic and inline instruction of `module`.
PtxVersion requiredPtx(const llvm::Module &module, const Target &target);

} // namespace tile

#endif
