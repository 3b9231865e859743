/// \file
/// The families of instructions, each in its own file: what it adds to the table of instructions.
#ifndef BACKEND_SIMULATOR_EXEC_FAMILIES_H
#define BACKEND_SIMULATOR_EXEC_FAMILIES_H

#include "backend/simulator/decode/InstructionTable.h"

namespace tile::sim {

using InstructionRows = std::vector<InstructionRow>;

InstructionRows approximateRows();
InstructionRows arithmeticRows();
InstructionRows asyncCopyRows();
InstructionRows atomicRows();
InstructionRows barrierRows();
InstructionRows carryRows();
InstructionRows collectiveRows();
InstructionRows comparisonRows();
InstructionRows controlRows();
InstructionRows conversionRows();
InstructionRows integerRows();
InstructionRows matrixRows();
InstructionRows mbarrierRows();
InstructionRows memoryRows();
InstructionRows moveRows();
InstructionRows wgmmaRows();

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_EXEC_FAMILIES_H
