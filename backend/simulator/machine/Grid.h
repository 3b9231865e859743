/// \file
/// A launch: the memory that all CTAs see, and the CTAs, several at a time on the threads of the host. A kernel whose
/// CTAs may talk to each other (atomics, volatile or ordered accesses to global memory) runs on one host thread, a
/// slice of one CTA after another, since its result may depend on their order and a seed must fix it.
#ifndef BACKEND_SIMULATOR_MACHINE_GRID_H
#define BACKEND_SIMULATOR_MACHINE_GRID_H

#include "backend/simulator/Simulator.h"
#include "backend/simulator/machine/Cta.h"
#include "backend/simulator/machine/Memory.h"

#include <atomic>

namespace tile::sim {

/// CTAs of a communicating grid that are resident together; as many as a large GPU has processors.
constexpr unsigned kResidentCtas = 132;

/// CTAs of a grid that does not communicate that run at once.
unsigned hostThreadsOf(const RunOptions &options);

struct GridChecks;
class CounterPlan;

class Grid {
public:
  Grid(const Program &program, const Launch &launch, const RunOptions &options);
  ~Grid();

  RunResult run();

  // What CTAs and handlers use.

  const Program &program;
  const Launch &launch;
  const RunOptions &options;
  GridMemory memory;
  Findings findings;
  /// Prints what a kernel prints, one text at a time.
  void print(const std::string &text);
  std::unique_ptr<GridChecks> checks;             ///< null if nothing is to be checked
  std::unique_ptr<const CounterPlan> counterPlan; ///< null if nothing is to be counted
  std::atomic<bool> stopped{false};               ///< a thread trapped, or waits for ever: the grid ends

  /// `%ctaid` of the CTA with this number.
  std::array<uint32_t, 3> indexOf(uint64_t number) const;
  /// The region that a generic address outside the CTA lies in, or null.
  Region *regionAt(uint64_t address);

private:
  void runApart();
  void runTogether();
  std::unique_ptr<Cta> makeCta(uint64_t number);
  void collect(const Cta &cta);

  std::vector<std::vector<uint8_t>> storage; ///< of the module's variables, the parameters, and the marks
  std::mutex collecting, printing;
  RunResult result;
};

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_MACHINE_GRID_H
