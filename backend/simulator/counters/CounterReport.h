/// \file
/// What was counted, by line of the source, those first that waste most, and in all. Holds no reference to the program.
#ifndef BACKEND_SIMULATOR_COUNTERS_COUNTERREPORT_H
#define BACKEND_SIMULATOR_COUNTERS_COUNTERREPORT_H

#include "backend/simulator/counters/Counters.h"

#include <array>
#include <map>
#include <vector>

namespace tile::sim {

struct CounterReport {
  /// An instruction that ran.
  struct Instruction {
    std::string text;  ///< `ld.shared.v4.b32`
    unsigned line = 0; ///< in the PTX
    CountedInstruction counted;
  };
  /// The instructions of a line of the source, with those of functions that it calls. Where the PTX does not name one,
  /// of a line of the PTX itself, if that is a file.
  struct Line {
    std::string file;  ///< empty where there is none
    unsigned line = 0; ///< 0 where there is none
    Counters counters;
    std::vector<Instruction> instructions; ///< by line of the PTX

    /// Sectors and wavefronts that better addresses would save.
    uint64_t waste() const { return counters.wastedSectors() + counters.bankConflicts(); }
  };

  std::string kernel;
  std::string ptx;         ///< the file that holds the PTX; empty if nobody has it, and its lines say nothing
  std::vector<Line> lines; ///< the most wasteful ones first, then those that move most
  Counters total;
  std::array<Counters, kInstructionClasses> byClass;
  std::map<std::string, Counters> byMatrixTypes;
};

/// `ptx` is the file that the program was read from, or empty.
CounterReport reportCounters(const Program &program, const std::vector<CountedInstruction> &counted,
                             const std::string &ptx = {});

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_COUNTERS_COUNTERREPORT_H
