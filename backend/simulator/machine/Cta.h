/// \file
/// A CTA: its warps, its shared and local memory, its barriers and what runs beside its threads. One host thread runs a
/// CTA, a slice of one warp after another; which warp, how long a slice is, and when an asynchronous operation takes
/// effect are drawn from the seed, so that each seed is one interleaving and gives the same one every time.
#ifndef BACKEND_SIMULATOR_MACHINE_CTA_H
#define BACKEND_SIMULATOR_MACHINE_CTA_H

#include "backend/simulator/check/Finding.h"
#include "backend/simulator/machine/Limits.h"
#include "backend/simulator/machine/Mbarrier.h"
#include "backend/simulator/machine/Memory.h"
#include "backend/simulator/machine/Random.h"
#include "backend/simulator/machine/Warp.h"

#include <array>
#include <deque>
#include <memory>

namespace tile::sim {

class CtaChecks;
class CtaCounters;
class Grid;

/// A barrier of the CTA, `bar.sync 3`. Counts threads, whole warps at a time. (PTX ISA 9.0, 9.7.13.1)
struct CtaBarrier {
  uint32_t expected = 0;                               ///< threads
  uint32_t arrived = 0;                                ///< threads
  bool counted = false;                                ///< the program says how many; else all that have not returned
  uint32_t votes = 0, voters = 0;                      ///< of `bar.red`
  bool undefinedVote = false;                          ///< so that nobody knows the outcome
  std::array<uint32_t, kMostThreads / kLanes> lanes{}; ///< that have arrived, by warp
};

/// `barrier.cluster`, of the CTA alone: it is its cluster. Threads arrive and wait in two steps. (9.7.13.3)
struct ClusterBarrier {
  uint32_t arrived = 0; ///< threads
  uint64_t phase = 0;
  /// By thread, the phase that it has arrived at and not waited for, plus 1; 0 if there is none.
  std::vector<uint64_t> arrivedAt;
  check::PhasedSync order;
};

/// Work that goes on beside the threads: an asynchronous copy, a group of matrix instructions. `finish` makes its
/// effect visible; it is called once, at a moment between issue and the wait that guarantees it.
struct AsyncOperation {
  virtual ~AsyncOperation() = default;
  virtual void finish(Cta &cta) = 0;
  /// Operations that must have finished before this one does, by their tickets.
  std::vector<uint64_t> after;
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
  const std::array<uint32_t, 3> index; ///< `%ctaid`
  Random random;
  Region shared;
  std::unique_ptr<CtaChecks> checks;     ///< null if nothing is to be checked
  std::unique_ptr<CtaCounters> counters; ///< null if nothing is to be counted
  uint64_t longRequests = 0;             ///< for memory, that were not of the usual kind
  std::array<CtaBarrier, 16> barriers;
  ClusterBarrier clusterBarrier;
  Mbarriers mbarriers;

  /// The local memory of a lane; every lane has its own at the same addresses.
  Region local(const Warp &warp, unsigned lane);
  /// The memory through which an inlined call hands over its parameters.
  uint8_t *callMemory(const Warp &warp, unsigned lane);

  /// Hands over an operation; returns its ticket, from 1.
  uint64_t start(std::unique_ptr<AsyncOperation> operation);
  /// Makes the effect of an operation visible now, and that of what must come before it.
  void finish(uint64_t ticket);
  bool isDone(uint64_t ticket) const;

  /// Memory changed in a way that others may wait for.
  void noteChange() { ++progress; }
  /// Some lanes are gone: others may have waited for them.
  void lanesReturned();

  /// A clock that never stands still: operations that ran in the CTA.
  uint64_t clock();

  /// Something happened for which a thread may have waited: whoever is blocked is tried again.
  void wakeAll();

  std::vector<std::unique_ptr<Warp>> &allWarps() { return warps; }
  Warpgroup &warpgroupOf(const Warp &warp) { return warpgroups[warp.number / kWarpgroupWarps]; }
  unsigned threads() const;
  /// `%tid` of a lane.
  std::array<uint32_t, 3> threadIndex(const Warp &warp, unsigned lane) const;
  /// Of the thread with this number in the CTA.
  std::array<uint32_t, 3> threadIndex(uint32_t thread) const;
  /// Its place in the order of `%ctaid`, x first.
  uint32_t number() const;
  Place placeOf(const Warp &warp, unsigned lane, const Op &op) const;

  /// A guard that is undefined in `lanes`: whether the operation happens there is not known.
  void reportUndefinedGuard(const Warp &warp, const Op &op, uint32_t lanes);
  /// Once more an operation ran, in `lanes`.
  void count(uint32_t pc, uint32_t lanes) {
    ++issues[pc].warps;
    issues[pc].lanes += __builtin_popcount(lanes);
  }
  struct Issues {
    uint64_t warps = 0, lanes = 0;
  };
  const std::vector<Issues> &allIssues() const { return issues; }

  void report(Fault fault, const Warp &warp, unsigned lane, const Op &op, std::string message, uint64_t address = 0);
  /// Likewise, of an access to `bytes` of a region from `offset` on.
  void report(Fault fault, const Warp &warp, unsigned lane, const Op &op, std::string message, const Region &region,
              uint64_t offset, uint64_t bytes);
  /// Likewise, with the other step that is at fault with this one.
  void report(Fault fault, const Warp &warp, unsigned lane, const Op &op, std::string message, const Place &other);

private:
  bool runSlice(Warp &warp);
  void finishSome(bool must);
  bool isDeadlocked();
  /// Says of each place where threads wait how many do and what it lacks.
  void reportDeadlock();
  void checkEnd();

  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<Warpgroup> warpgroups;
  std::vector<uint8_t> sharedBytes, sharedDefined, localBytes, localDefined, callBytes;
  std::deque<std::unique_ptr<AsyncOperation>> pending; ///< by ticket, from `firstTicket`; those before it are done
  uint64_t firstTicket = 1;
  std::vector<Issues> issues;
  uint64_t ticks = 0;
  uint64_t progress = 0, seenProgress = 0, idleSlices = 0;
};

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_MACHINE_CTA_H
