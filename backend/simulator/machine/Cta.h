/// \file
/// A CTA: its warps, its shared and local memory, its barriers and what runs beside its threads. One host thread runs a
/// CTA, a slice of one warp after another; which warp, how long a slice is, and when an asynchronous operation takes
/// effect are drawn from the seed, so that each seed is one interleaving and gives the same one every time.
#ifndef BACKEND_SIMULATOR_MACHINE_CTA_H
#define BACKEND_SIMULATOR_MACHINE_CTA_H

#include "backend/simulator/check/Finding.h"
#include "backend/simulator/machine/Memory.h"
#include "backend/simulator/machine/Random.h"
#include "backend/simulator/machine/Warp.h"

#include <array>
#include <memory>

namespace tile::sim {

class Grid;
class CtaChecks;

/// A barrier of the CTA, `bar.sync 3`. Counts threads, whole warps at a time. (PTX ISA 9.0, 9.7.13.1)
struct CtaBarrier {
  uint32_t expected = 0;            ///< threads; 0 while nobody has come
  uint32_t arrived = 0;             ///< threads
  uint64_t phase = 0;               ///< how often it has opened
  uint32_t reduced = 0;             ///< of `bar.red`: the votes so far
  std::vector<uint32_t> participants;  ///< lanes that came, by warp
};

/// Work that goes on beside the threads: an asynchronous copy, a group of matrix instructions. `finish` makes its effect
/// visible; it is called once, at a moment between issue and the wait that guarantees it.
struct AsyncOperation {
  virtual ~AsyncOperation() = default;
  virtual void finish(Cta &cta) = 0;
  /// An operation that must have finished before this one does, by its ticket; 0 if there is none.
  uint64_t after = 0;
  uint64_t ticket = 0;
  bool done = false;
};

class Cta {
public:
  Cta(Grid &grid, std::array<uint32_t, 3> index, uint64_t seed);
  ~Cta();

  /// Runs a slice of one warp. Returns whether the CTA has more to do.
  bool step();

  // What handlers use.

  Grid &grid;
  const Program &program;
  const std::array<uint32_t, 3> index;  ///< `%ctaid`
  Random random;
  Region shared;
  std::unique_ptr<CtaChecks> checks;  ///< null if nothing is to be checked
  std::array<CtaBarrier, 16> barriers;
  std::vector<uint64_t> registersOfSpecials;  ///< values of the special registers that do not depend on the thread

  /// The local memory of a lane; every lane has its own at the same addresses.
  Region local(const Warp &warp, unsigned lane);
  /// The memory through which an inlined call hands over its parameters.
  uint8_t *callMemory(const Warp &warp, unsigned lane);

  /// Hands over an operation; returns its ticket, from 1.
  uint64_t start(std::unique_ptr<AsyncOperation> operation);
  /// Makes the effect of an operation visible now, and that of what must come before it.
  void finish(uint64_t ticket);
  bool isDone(uint64_t ticket) const;

  /// Something happened for which a blocked fragment may have waited: everyone is tried again.
  void wakeAll();

  std::vector<std::unique_ptr<Warp>> &allWarps() { return warps; }
  unsigned threads() const;
  /// `%tid` of a lane.
  std::array<uint32_t, 3> threadIndex(const Warp &warp, unsigned lane) const;
  Place placeOf(const Warp &warp, unsigned lane, const Op &op) const;

  void report(Fault fault, const Warp &warp, unsigned lane, const Op &op, std::string message, uint64_t address = 0);

private:
  void finishSome();
  void reportDeadlock();

  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<uint8_t> sharedBytes, sharedDefined, localBytes, localDefined, callBytes;
  std::vector<std::unique_ptr<AsyncOperation>> pending;
  uint64_t lastTicket = 0;
  std::vector<bool> finished;
  uint64_t stalledSlices = 0;
};

}  // namespace tile::sim

#endif  // BACKEND_SIMULATOR_MACHINE_CTA_H
