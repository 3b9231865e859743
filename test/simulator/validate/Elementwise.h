/// \file
/// Kernels in which each thread loads its operands, runs several forms of an instruction on them and stores what each
/// gave.
#ifndef TEST_SIMULATOR_VALIDATE_ELEMENTWISE_H
#define TEST_SIMULATOR_VALIDATE_ELEMENTWISE_H

#include "test/simulator/validate/Inputs.h"

namespace tile::sim::validate {

/// A form: an opcode with modifiers, or instructions with `$d`, `$a`, `$b`, `$c` for the result and the operands, and
/// `[$o]` for where the result will go; `name` is then what reports call it.
struct FormText {
  std::string name, code = {};
  std::string bound = {};
};

struct ElementwiseOptions {
  std::string name;
  std::vector<unsigned> operandBytes;
  unsigned resultBytes;
  std::vector<FormText> forms;
};

/// One thread for each row of `columns`, which are filled up with zeros to whole CTAs.
Kernel elementwise(const ElementwiseOptions &options, std::vector<Values> columns);

/// `opcode` with each combination of one of each list of modifiers; an empty one adds nothing.
std::vector<std::string> combinations(const std::string &opcode,
                                      const std::vector<std::vector<std::string>> &modifiers);
/// Each as a form without a bound.
std::vector<FormText> plainForms(const std::vector<std::string> &names);

} // namespace tile::sim::validate

#endif // TEST_SIMULATOR_VALIDATE_ELEMENTWISE_H
