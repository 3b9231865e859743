/// \file
/// The registers of a warp that asynchronous matrix instructions read and write. From its issue to the wait for its
/// group, such an instruction has its accumulators and the registers of A for itself; and what other instructions did
/// to them before, a `wgmma.fence` must have ordered. (PTX ISA 9.0, 9.7.15.5.2 to 9.7.15.7)
///
/// One leniency: A may be read by others before it is read asynchronously, with no fence between.
#ifndef BACKEND_SIMULATOR_MACHINE_REGISTERWATCH_H
#define BACKEND_SIMULATOR_MACHINE_REGISTERWATCH_H

#include "backend/simulator/machine/Program.h"

#include <vector>

namespace tile::sim {

class RegisterWatch {
public:
  explicit RegisterWatch(uint32_t registers) : uses(registers) {}

  /// An ordinary operation is about to run.
  void access(const Warp &warp, const Op &op);
  /// `wgmma.fence`.
  void fence() { ++fences; }
  /// The `number`-th matrix instruction of the warp, from 1, is issued; its accumulators are the results of `op`, `a`
  /// its `aCount` registers of A. Those of one `shape` may follow each other on the same accumulators.
  void start(const Warp &warp, const Op &op, uint64_t number, const Slot *a, unsigned aCount, uint32_t shape);
  /// The warp has waited for its matrix instructions up to this one.
  void await(uint64_t number) { awaited = number; }

private:
  struct Use {
    // By ordinary operations: how many fences there had been, plus 1, and who it was.
    uint32_t read = 0, written = 0;
    uint32_t reader = 0, writer = 0;
    // By the latest matrix instruction.
    uint64_t number = 0; ///< 0: none
    uint32_t origin = 0;
    uint32_t shape = 0;
    bool accumulates = false; ///< else it is part of A
  };
  bool inFlight(const Use &use) const { return use.number > awaited; }
  void report(const Warp &warp, const Op &op, std::string message, uint32_t otherOrigin) const;

  std::vector<Use> uses; ///< by `Slot::index`
  uint32_t fences = 0;
  uint64_t awaited = 0;
};

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_MACHINE_REGISTERWATCH_H
