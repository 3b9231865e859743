/// A call in a process of its own, for a library that ends the process where it gives up: NVIDIA's assembler does so
/// in threads that it starts itself, which no handler in the process can leave. Knows nothing of what is called.
#ifndef BACKEND_PTX_ISOLATEDCALL_H
#define BACKEND_PTX_ISOLATEDCALL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tile {

struct IsolatedCall {
  std::string result;  ///< what the call gave; empty where a signal ended it
  std::string printed; ///< what it wrote to either stream
  int signal = 0;      ///< that ended it
};

/// Calls `work` in a copy of this process and waits for it. The copy has the calling thread alone: `work` may not wait
/// for another one, nor take a lock that another one may hold. Fails where the system has no room for a process, and
/// where it kills this one, as it does where memory runs out.
llvm::Expected<IsolatedCall> callIsolated(llvm::function_ref<std::string()> work);

} // namespace tile

#endif
