/// \file
/// Order that passes through memory: release and acquire operations, and fences with strong accesses (PTX ISA 9.0, 8.8
/// and 8.9.4). A location carries what was released to it; who reads the value acquires it, at once or at its next
/// fence. A read-modify-write hands on what its location carried before, any other strong write of another thread
/// replaces it. Scopes count: a release of CTA scope reaches its own CTA alone, an acquire of CTA scope learns from its
/// own alone.
///
/// Not seen: that a weak write, which is a race anyhow, replaces what a location carries. `fence.sc` is taken for
/// `fence.acq_rel`: the order of such fences among each other is not used.
#ifndef BACKEND_SIMULATOR_CHECK_MEMORYORDER_H
#define BACKEND_SIMULATOR_CHECK_MEMORYORDER_H

#include "backend/simulator/check/Access.h"
#include "backend/simulator/check/Clocks.h"

#include <array>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace tile::sim::check {

/// What the value at a location carries.
struct Carried {
  GridKnowledgeRef grid;                      ///< released with grid scope, by anyone
  std::map<uint32_t, GridKnowledgeRef> byCta; ///< by threads of a CTA, with any scope
  /// Whose plain writes alone it is made of; none after an atomic of someone else.
  uint32_t cta = UINT32_MAX, thread = 0;
};

/// The locations of a space; any thread of the host may use it. For global memory by address, shared by the grid; for
/// shared memory by offset, one for each CTA.
class SyncLocations {
public:
  /// A location under its lock. Hold it from before the access itself until `write` or `read` has been told, else
  /// another thread of the host sees the value without what it carries.
  struct Held {
    std::unique_lock<std::mutex> lock;
    Carried &carried;
  };
  Held hold(uint64_t address);

private:
  struct Stripe {
    std::mutex mutex;
    std::unordered_map<uint64_t, Carried> locations;
  };
  std::array<Stripe, 64> stripes;
};

enum class Order : uint8_t { Relaxed, Acquire, Release, AcquireRelease };

/// What the threads of a CTA have fenced and have read since their last fence.
class MemoryOrder {
public:
  explicit MemoryOrder(Clocks &clocks) : clocks(clocks), threads(clocks.threads()) {}

  /// `ld.relaxed`, `ld.acquire`, `ld.volatile`.
  void read(unsigned thread, const Carried &from, Order order, Scope scope);
  /// `st.relaxed`, `st.release`, `st.volatile`.
  void write(unsigned thread, Carried &to, Order order, Scope scope);
  /// `atom`, `red`: the read and the write.
  void modify(unsigned thread, Carried &at, Order order, Scope scope);
  /// `fence.acq_rel`, `fence.sc`, `membar`.
  void fence(unsigned warp, uint32_t lanes, Scope scope);
  /// `mbarrier.arrive.relaxed`: `to` gets what these threads knew at their last fence.
  void arrive(unsigned warp, uint32_t lanes, SyncObject &to) const;
  /// A relaxed wait that has ended: what `from` gives is theirs from their next fence on.
  void await(unsigned warp, uint32_t lanes, const SyncObject &from);

private:
  struct Read {
    GridKnowledgeRef ofCta, ofGrid; ///< for a fence of any scope, for one of grid scope
  };
  struct Thread {
    GridKnowledgeRef fencedForCta, fencedForGrid; ///< what it knew at its last fence
    Read read;
    SyncObject awaited;
  };

  void carry(Carried &to, const GridKnowledgeRef &knowledge, Scope scope) const;
  void release(unsigned thread, Carried &to, Order order, Scope scope);

  Clocks &clocks;
  std::vector<Thread> threads;
};

} // namespace tile::sim::check

#endif // BACKEND_SIMULATOR_CHECK_MEMORYORDER_H
