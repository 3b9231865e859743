/// \file
/// What the clocks and the shared shadow must say, in the plainest way: a vector clock for each thread that counts each
/// of its accesses, and every access of every byte, never forgotten. It shares two leniencies of the shadow: what an
/// asynchronous write overwrites in order is gone, even for those who know the write and nothing else of its issuer;
/// and a write of the same value as an earlier write has nothing against what that one is ordered after either.
#ifndef TEST_UNIT_SIMULATOR_CHECK_REFERENCE_H
#define TEST_UNIT_SIMULATOR_CHECK_REFERENCE_H

#include "backend/simulator/check/Access.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace tile::sim::check {

class Reference {
public:
  using Clock = std::map<unsigned, uint64_t>; ///< by thread, and by `kQueues` + queue
  static constexpr unsigned kQueues = 1 << 16;

  struct Object {
    Clock known, proxied;
  };
  /// Who accesses: a thread, or the operation `epoch` of a queue on behalf of threads.
  struct Actor {
    std::vector<unsigned> threads;
    bool asynchronous = false, throughAsyncProxy = false, unchanged = false;
    unsigned queue = 0;
    uint64_t epoch = 0;
  };
  /// Fault, and the instruction of the earlier access.
  using Verdicts = std::set<std::pair<Fault, uint32_t>>;

  explicit Reference(unsigned threads) : threads(threads) {}

  void synchronise(const std::vector<unsigned> &together) {
    Object object;
    release(together, object);
    acquire(together, object);
  }
  void release(const std::vector<unsigned> &who, Object &to) {
    for (unsigned thread : who) {
      raise(to.known, threads[thread].known);
      raise(to.proxied, threads[thread].proxied);
    }
  }
  void acquire(const std::vector<unsigned> &who, const Object &from) {
    for (unsigned thread : who) {
      raise(threads[thread].known, from.known);
      raise(threads[thread].proxied, from.proxied);
    }
  }
  void fenceProxy(const std::vector<unsigned> &who) {
    for (unsigned thread : who)
      threads[thread].proxied = threads[thread].known;
  }
  void complete(unsigned queue, uint64_t epoch, bool asyncProxy, Object &to) {
    Clock operation = {{kQueues + queue, epoch}};
    raise(awaited, operation);
    raise(to.known, operation);
    if (asyncProxy)
      raise(to.proxied, operation);
  }

  void access(Access access, const Actor &actor, uint64_t offset, unsigned bytes, uint32_t origin, Verdicts &verdicts) {
    unsigned column = actor.asynchronous ? kQueues + actor.queue : actor.threads[0];
    uint64_t time = actor.asynchronous ? actor.epoch : ++threads[column].known[column];
    Earlier now = {access, actor, column, time, bytes, origin, {}};
    if (writes(access) && !actor.asynchronous)
      now.known = threads[column].known;
    for (uint64_t byte = offset; byte < offset + bytes; ++byte) {
      std::vector<Earlier> &before = history[byte];
      for (const Earlier &earlier : before) {
        bool standsBehindEqual = std::any_of(before.begin(), before.end(), [&](const Earlier &write) {
          return equal(now, write) && has(write.known, earlier) && standsFor(write, earlier);
        });
        if (!standsBehindEqual)
          compare(now, earlier, verdicts);
      }
      if (actor.asynchronous && writes(access))
        before.clear();
      before.push_back(now);
    }
  }

private:
  struct Earlier {
    Access access;
    Actor actor;
    unsigned column;
    uint64_t time;
    unsigned bytes;
    uint32_t origin;
    Clock known; ///< of a thread's write: what it is ordered after
  };

  static void raise(Clock &target, const Clock &other) {
    for (auto [column, time] : other)
      target[column] = std::max(target[column], time);
  }
  static bool has(const Clock &clock, const Earlier &earlier) {
    auto found = clock.find(earlier.column);
    return found != clock.end() && found->second >= earlier.time;
  }

  /// Whether whatever conflicts with `earlier` conflicts with `write`.
  static bool standsFor(const Earlier &write, const Earlier &earlier) {
    return !isStrong(write.access) || (isStrong(earlier.access) && earlier.bytes == write.bytes);
  }
  static bool equal(const Earlier &now, const Earlier &write) {
    return now.actor.unchanged && !now.actor.asynchronous && writes(write.access) && !write.actor.asynchronous;
  }

  void compare(const Earlier &now, const Earlier &earlier, Verdicts &verdicts) {
    if (!writes(now.access) && !writes(earlier.access))
      return;
    if (isStrong(now.access) && isStrong(earlier.access) && now.bytes == earlier.bytes)
      return;
    bool ordered = true, seen = true;
    for (unsigned thread : now.actor.threads) {
      ordered &= has(threads[thread].known, earlier);
      seen &= has(threads[thread].proxied, earlier);
    }
    if (ordered) {
      if (now.actor.throughAsyncProxy && writes(earlier.access) && !earlier.actor.throughAsyncProxy && !seen)
        verdicts.emplace(Fault::MissingProxyFence, earlier.origin);
      return;
    }
    bool inFlight = earlier.actor.asynchronous && !has(awaited, earlier);
    verdicts.emplace(inFlight ? Fault::AsyncNotAwaited : Fault::Race, earlier.origin);
  }

  std::vector<Object> threads; ///< what each knows
  Clock awaited;
  std::map<uint64_t, std::vector<Earlier>> history;
};

} // namespace tile::sim::check

#endif // TEST_UNIT_SIMULATOR_CHECK_REFERENCE_H
