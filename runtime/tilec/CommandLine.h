/// What a command line says: the command, its options, its file. Reads arguments against the declared options, and
/// writes `--help` from them.
#ifndef RUNTIME_TILEC_COMMANDLINE_H
#define RUNTIME_TILEC_COMMANDLINE_H

#include "runtime/tilec/Options.h"

#include <iosfwd>

namespace tile {

/// What is wrong with the command line, and what to write instead, or nothing.
struct CommandLineFault {
  std::string message;
  std::string help;
};

struct CommandLine {
  Command command = Command::Compile;
  std::string input;   ///< the file, for `explain` the code, for `cache` what to do; empty if there is none
  std::string operand; ///< for `cache` the file that follows
  bool wantsHelp = false, wantsVersion = false;
  std::vector<CommandLineFault> faults;
};

/// Reads `arguments`, the program's name left out, into the options. Reads on after a fault.
CommandLine readCommandLine(const std::vector<std::string_view> &arguments);

/// The command that `word` was probably meant to be, or empty.
std::string_view closestCommand(std::string_view word);

/// Usage, options and examples of `command`.
void printHelp(std::ostream &out, Command command);

} // namespace tile

#endif
