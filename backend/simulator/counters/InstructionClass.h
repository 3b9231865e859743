/// \file
/// What kind of work an instruction is, for counts of all instructions. PTX is what the compiler wrote: ptxas makes
/// other machine instructions of it, so that these counts compare two kernels and say nothing of cycles.
#ifndef BACKEND_SIMULATOR_COUNTERS_INSTRUCTIONCLASS_H
#define BACKEND_SIMULATOR_COUNTERS_INSTRUCTIONCLASS_H

#include "backend/simulator/machine/Program.h"

namespace tile::sim {

enum class InstructionClass : uint8_t {
  FloatingPoint,
  SpecialFunction, ///< roots, reciprocals, exponentials: a unit of its own
  Integer,
  Logic,
  Comparison,
  Conversion,
  Move,
  Control,
  Exchange, ///< between the lanes of a warp
  Barrier,
  Wait, ///< for what goes on beside the threads
  Fence,
  GlobalLoad,
  GlobalStore,
  GlobalAtomic,
  SharedLoad,
  SharedStore,
  SharedAtomic,
  LocalLoad,
  LocalStore,
  ConstantLoad, ///< constants and parameters
  GenericAccess,
  AsyncCopy,
  TensorCore,
  Other,
};
constexpr size_t kInstructionClasses = size_t(InstructionClass::Other) + 1;

/// `floating point`
const char *nameOf(InstructionClass kind);

/// The class of an instruction; `transfer` is the first of its accesses to memory, or null.
InstructionClass classOf(const Origin &origin, const Transfer *transfer);

/// Whether an opcode of the table of instructions has a class of its own. For the test that each has one.
bool hasClass(std::string_view opcode);

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_COUNTERS_INSTRUCTIONCLASS_H
