/// \file
/// The functions that a kernel may call without defining them: the system's. (CUDA C++ Programming Guide, "Formatted
/// output" and "Assertion")
#ifndef BACKEND_SIMULATOR_EXEC_SYSTEMCALLS_H
#define BACKEND_SIMULATOR_EXEC_SYSTEMCALLS_H

#include "backend/simulator/machine/Program.h"

#include <string_view>

namespace tile::sim {

/// A system function: its handler finds the arguments in the memory of calls, at the offsets that its sources hold; the
/// last source, if the call has a result, is the offset of that.
struct SystemCall {
  std::string_view name;
  unsigned arguments;
  Handler handler;
};

/// The system function called `name`, or null.
const SystemCall *findSystemCall(std::string_view name);

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_EXEC_SYSTEMCALLS_H
