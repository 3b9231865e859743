/// \file
/// Every instruction that the simulator knows, by opcode: the section of the ISA that defines it and the function that
/// decodes it. Each family in `exec/` gives its rows; the table in README.md is generated from them.
#ifndef BACKEND_SIMULATOR_DECODE_INSTRUCTIONTABLE_H
#define BACKEND_SIMULATOR_DECODE_INSTRUCTIONTABLE_H

#include "backend/simulator/decode/Form.h"

#include <vector>

namespace tile::sim {

struct InstructionRow {
  std::string_view opcode;  ///< `ld`; some opcodes need the modifiers that follow: `cp.async.bulk`
  std::string_view section; ///< titles within "Instructions" of the ISA, whose numbers change from version to version
  std::string_view forms;   ///< what is covered, for README.md
  void (*decode)(Form &form);
};

/// The row of the longest opcode that `instruction` starts with, or null.
const InstructionRow *findRow(const ptx::Instruction &instruction);

/// All rows, by opcode.
const std::vector<InstructionRow> &instructionTable();

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_DECODE_INSTRUCTIONTABLE_H
