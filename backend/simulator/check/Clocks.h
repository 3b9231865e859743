/// \file
/// Happens-before within a CTA, as vector clocks over lanes. Time is an epoch per warp that goes up whenever one of its
/// lanes passes its knowledge on; an access of a thread carries the epoch of its warp. What a thread knows is a row,
/// the latest epoch of every thread that is ordered before whatever it does next, shared between threads that
/// synchronised together (Row.h). Lanes of a warp are threads like any others: nothing orders them but `bar.warp.sync`
/// and the like (PTX ISA 9.0, 9.7.13.2; `shfl.sync` and `vote.sync` promise no memory order).
///
/// An asynchronous operation belongs to a queue, which has a column of its own: its accesses carry the queue's column
/// and the operation's number, and whoever waits for it learns that number. A second row per thread says what the async
/// proxy sees of the writes that the thread knows (PTX ISA 9.0, 8.9.5): a proxy fence raises it to all that the thread
/// knows, and it travels with the first.
#ifndef BACKEND_SIMULATOR_CHECK_CLOCKS_H
#define BACKEND_SIMULATOR_CHECK_CLOCKS_H

#include "backend/simulator/check/Knowledge.h"
#include "backend/simulator/check/Row.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tile::sim::check {

constexpr unsigned kWarpLanes = 32;

/// A thread of the CTA by its number, a queue above all threads.
using Column = uint16_t;

/// The proxy through which an operation reads and writes memory. (PTX ISA 9.0, 8.6)
enum class Proxy : uint8_t {
  Generic, ///< ordinary accesses, `cp.async`
  Async,   ///< `wgmma`, `cp.async.bulk`
};

/// How the operations of a queue end.
enum class Completion : uint8_t {
  InOrder,  ///< with one, all before it: groups of `cp.async`, of `wgmma`
  AnyOrder, ///< each for itself: bulk copies that an mbarrier counts
};

/// An asynchronous operation: the `epoch`-th of its queue, from 1.
struct AsyncId {
  Column queue = 0;
  uint32_t epoch = 0;
};

/// Knowledge on its way from threads that release to threads that acquire: a phase of an mbarrier, of a named barrier.
/// Must not outlive the clocks that filled it.
struct SyncObject {
  RowRef row, proxied;
  GridKnowledgeRef grid;
};

/// A barrier whose phases follow each other: who waits for a phase learns from arrivals to it and to earlier ones, but
/// not from those to the next.
struct PhasedSync {
  SyncObject pending;   ///< arrivals up to the phase that is open
  SyncObject completed; ///< what a wait for the last phase that closed gives

  /// The last arrival of a phase: it closes, and the next one opens.
  void completePhase() { completed = pending; }
};

class Clocks {
public:
  /// `cta` is this CTA's number in the grid.
  explicit Clocks(unsigned threads, uint32_t cta = 0);

  unsigned threads() const { return threadCount; }
  unsigned warps() const { return unsigned(now.size()); }
  uint32_t cta() const { return ctaNumber; }

  // Synchronisation. `lanes` are bits of one warp, `lanesOfWarps` has a mask for each warp.

  /// `bar.sync`: all of them have come; everyone learns what anyone of them knows.
  void synchronise(const uint32_t *lanesOfWarps) { synchronise(0, warps(), lanesOfWarps); }
  /// `bar.warp.sync`.
  void synchronise(unsigned warp, uint32_t lanes) { synchronise(warp, 1, &lanes); }
  /// `bar.arrive`, `mbarrier.arrive`: what they did so far is ordered before what is acquired from `to`.
  void release(unsigned warp, uint32_t lanes, SyncObject &to);
  void acquire(unsigned warp, uint32_t lanes, const SyncObject &from);
  /// `fence.proxy.async`: the async proxy sees every write that these threads know.
  void fenceProxy(unsigned warp, uint32_t lanes);

  // Asynchronous operations.

  /// Makes `count` queues and returns the first's column. Throws std::length_error beyond 65,535 columns.
  Column makeQueues(unsigned count, Proxy proxy, Completion completion);
  /// A new operation of `queue`, on behalf of `thread`. One number may stand for a whole group that is awaited
  /// together.
  AsyncId issue(Column queue, unsigned thread);
  /// These threads have waited for the operation.
  void complete(AsyncId id, unsigned warp, uint32_t lanes);
  /// The operation has told a barrier that it is complete. In a queue of any order, it counts once all before it have.
  void complete(AsyncId id, SyncObject &to);

  // Through memory: the whole knowledge of a thread, for other CTAs as well.

  GridKnowledgeRef publish(unsigned thread);
  void learn(unsigned thread, const GridKnowledgeRef &knowledge);
  /// Adds such knowledge, which may be null, to what is acquired from `to`.
  void add(const GridKnowledgeRef &knowledge, SyncObject &to);
  /// Adds what is acquired from `from` to what is acquired from `to`.
  void add(const SyncObject &from, SyncObject &to);

  // Questions of the shadow memories.

  /// The epoch that an access of a lane of this warp carries now; never 0.
  uint32_t epochOf(unsigned warp) const { return now[warp]; }
  /// The row of a thread. A column at or above its epoch is ordered before; one below may yet be: ask `knows`.
  const uint32_t *known(unsigned thread) const { return knownEpochs[thread]; }
  /// The same for the lanes of a warp, one after another.
  const uint32_t *const *knownOfWarp(unsigned warp) const { return &knownEpochs[warp * kWarpLanes]; }
  const uint32_t *proxied(unsigned thread) const { return proxiedEpochs[thread]; }
  /// The column that holds an epoch which all lanes of `warp` are known at, at least.
  Column minimumOf(unsigned warp) const { return Column(paddedThreads + warp); }
  bool knows(unsigned thread, Column column, uint32_t epoch) const;
  /// Whether the async proxy sees what `column` wrote through the generic proxy, if `thread` issues an operation now.
  bool hasProxied(unsigned thread, Column column, uint32_t epoch) const;
  /// Those of `lanes` of `warp` whose accesses at `epoch` nothing orders before `thread`.
  uint32_t unknownLanes(unsigned thread, unsigned warp, uint32_t lanes, uint32_t epoch) const;
  /// Whether any thread may know anything of other CTAs.
  bool knowsOthers() const { return hasLearnt; }
  bool knowsOther(unsigned thread, uint32_t cta, Column column, uint32_t epoch) const;

  bool isQueue(Column column) const { return column >= firstQueue; }
  Proxy proxyOf(Column column) const { return isQueue(column) ? queues[column - firstQueue].proxy : Proxy::Generic; }
  /// Whether some thread or barrier has waited for the operation.
  bool isComplete(Column queue, uint32_t epoch) const { return queues[queue - firstQueue].complete >= epoch; }
  /// The thread itself, or the one that issued the latest operation of the queue.
  unsigned threadOf(Column column) const { return isQueue(column) ? queues[column - firstQueue].issuer : column; }

private:
  /// Beyond the row: a queue that this thread alone has waited for, so that a wait need not copy its row.
  struct Learnt {
    Column column = 0;
    uint32_t epoch = 0, proxied = 0;
  };
  struct Thread {
    RowRef row, proxied;
    uint32_t selfProxied = 0; ///< its own latest epoch that the async proxy sees
    unsigned learntCount = 0;
    std::array<Learnt, 4> learnt;
    GridKnowledgeRef grid;
  };
  struct Queue {
    Proxy proxy;
    Completion completion;
    uint32_t last = 0;     ///< the latest issued
    uint32_t complete = 0; ///< it and all before are
    unsigned issuer = 0;
    std::vector<uint32_t> early; ///< complete before one of their predecessors
  };

  void synchronise(unsigned first, unsigned count, const uint32_t *lanes);
  void joinRows(unsigned warp, uint32_t lanes, SyncObject &into);
  void addSelf(unsigned warp, uint32_t lanes, SyncObject &into);
  void learnQueue(unsigned thread, Column column, uint32_t epoch);
  void place(unsigned thread);
  void updateMinimum(uint32_t *row, unsigned warp) const;

  unsigned threadCount, paddedThreads;
  Column firstQueue;
  uint32_t ctaNumber;
  bool hasLearnt = false;
  RowPool pool;
  std::vector<uint32_t> now; ///< by warp
  std::vector<Thread> all;
  std::vector<const uint32_t *> knownEpochs, proxiedEpochs; ///< by thread: where its rows lie
  std::vector<Queue> queues;
};

} // namespace tile::sim::check

#endif // BACKEND_SIMULATOR_CHECK_CLOCKS_H
