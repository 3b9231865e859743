/// Global memory: several CTAs, ordered by release and acquire or not at all.
#include "backend/simulator/check/GlobalShadow.h"
#include "backend/simulator/check/MemoryOrder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

using namespace tile::sim;
using namespace tile::sim::check;

namespace {

constexpr uint64_t kData = 0, kFlag = 4096;

struct Grid {
  GlobalShadow shadow{1 << 16};
  SyncLocations locations;
};

/// One CTA of a grid; its threads access four bytes at a time.
struct GridCta {
  GridCta(Grid &grid, uint32_t number, unsigned threads = 64) : grid(grid), clocks(threads, number), order(clocks) {}

  /// The lanes of a warp access consecutive words.
  void access(Access access, unsigned warp, uint32_t lanes, uint64_t start, Scope scope = Scope::Grid,
              unsigned bytes = 4, uint32_t unchanged = 0) {
    request(access, warp, lanes, start, bytes, scope, bytes, unchanged);
  }
  /// One thread accesses one word.
  void one(Access access, unsigned thread, uint64_t offset, Scope scope = Scope::Grid) {
    request(access, thread / kWarpLanes, 1u << thread % kWarpLanes, offset, 0, scope, 4, 0);
  }
  void store(unsigned thread, Order memoryOrder, Scope scope = Scope::Grid) {
    SyncLocations::Held held = grid.locations.hold(kFlag);
    one(Access::StrongWrite, thread, kFlag, scope);
    order.write(thread, held.carried, memoryOrder, scope);
  }
  void load(unsigned thread, Order memoryOrder, Scope scope = Scope::Grid) {
    SyncLocations::Held held = grid.locations.hold(kFlag);
    one(Access::StrongRead, thread, kFlag, scope);
    order.read(thread, held.carried, memoryOrder, scope);
  }
  void add(unsigned thread, Order memoryOrder, Scope scope = Scope::Grid) {
    SyncLocations::Held held = grid.locations.hold(kFlag);
    one(Access::StrongWrite, thread, kFlag, scope);
    order.modify(thread, held.carried, memoryOrder, scope);
  }
  void barrier() {
    const uint32_t everyone[] = {~0u, ~0u};
    clocks.synchronise(everyone);
  }
  bool clean() {
    bool empty = found.empty();
    found.clear();
    return empty;
  }

  Grid &grid;
  Clocks clocks;
  MemoryOrder order;
  Conflicts found;
  uint32_t origin = 0;

private:
  void request(Access access, unsigned warp, uint32_t lanes, uint64_t start, uint64_t stride, Scope scope,
               unsigned bytes, uint32_t unchanged) {
    uint64_t offsets[kWarpLanes];
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
      offsets[lane] = start + lane * stride;
    Request request;
    request.warp = warp;
    request.lanes = lanes;
    request.offsets = offsets;
    request.bytes = bytes;
    request.origin = ++origin;
    request.scope = scope;
    request.unchanged = unchanged;
    grid.shadow.access(clocks, access, request, found);
  }
};

} // namespace

TEST(Global, CtasThatShareNothingDoNotConflict) {
  Grid grid;
  GridCta first(grid, 0), second(grid, 1);
  for (GridCta *cta : {&first, &second}) {
    cta->access(Access::Read, 0, ~0u, kData);
    cta->access(Access::Write, 0, ~0u, 1024 + 128 * cta->clocks.cta());
  }
  EXPECT_TRUE(first.clean() && second.clean());
}

TEST(Global, WriteConflictsWithEveryOtherCta) {
  for (Access earlier : {Access::Read, Access::Write, Access::StrongWrite}) {
    Grid grid;
    GridCta first(grid, 3), second(grid, 7);
    first.access(earlier, 1, ~0u, kData);
    second.access(Access::Write, 0, ~0u, kData);
    ASSERT_EQ(second.found.size(), 1u);
    EXPECT_EQ(second.found[0].other.cta, 3u);
    EXPECT_EQ(second.found[0].other.thread, kWarpLanes);
    EXPECT_EQ(second.found[0].other.access, earlier);
  }
}

TEST(Global, ThreadsOfACtaAreOrderedByItsBarriers) {
  Grid grid;
  GridCta cta(grid, 0);
  cta.access(Access::Write, 0, ~0u, kData);
  cta.barrier();
  cta.access(Access::Read, 1, ~0u, kData);
  EXPECT_TRUE(cta.clean());
  cta.access(Access::Write, 0, ~0u, kData);
  EXPECT_FALSE(cta.clean());
}

TEST(Global, BytesOfAWordAreApart) {
  Grid grid;
  GridCta first(grid, 0), second(grid, 1);
  first.access(Access::Write, 0, 1, kData, Scope::Cta, 2);
  second.access(Access::Write, 0, 1, kData + 2, Scope::Cta, 2);
  EXPECT_TRUE(second.clean());
  second.access(Access::Write, 0, 1, kData, Scope::Cta, 1);
  EXPECT_FALSE(second.clean());
}

TEST(Global, EqualWritesDoNotConflict) {
  Grid grid;
  GridCta first(grid, 0), second(grid, 1);
  first.access(Access::Write, 0, ~0u, kData);
  second.access(Access::Write, 0, ~0u, kData, Scope::Cta, 4, ~0u);
  EXPECT_TRUE(second.clean());
}

TEST(Global, TwoReadersOfDifferentCtasAreKept) {
  for (uint32_t known : {1u, 2u}) {
    Grid grid;
    GridCta writer(grid, 0), left(grid, 1), right(grid, 2);
    for (int i = 0; i < 3; ++i) {
      left.access(Access::Read, unsigned(i % 2), ~0u, kData);
      right.access(Access::Read, unsigned(i % 2), ~0u, kData);
    }
    GridCta &releasing = known == 1 ? left : right;
    releasing.barrier();
    releasing.store(0, Order::Release);
    writer.load(0, Order::Acquire);
    writer.access(Access::Write, 0, 1, kData);
    ASSERT_EQ(writer.found.size(), 1u);
    EXPECT_EQ(writer.found[0].other.cta, 3 - known);
  }
}

/// CTA 0 writes data and then a flag; CTA 1 reads the flag and then the data.
static bool passesMessage(Order release, Order acquire, Scope releaseScope = Scope::Grid,
                          Scope acquireScope = Scope::Grid) {
  Grid grid;
  GridCta first(grid, 0), second(grid, 1);
  first.access(Access::Write, 0, 1, kData);
  first.store(0, release, releaseScope);
  second.load(5, acquire, acquireScope);
  second.found.clear(); // the flag itself may race
  second.one(Access::Read, 5, kData);
  return second.clean();
}

TEST(MessagePassing, NeedsReleaseAndAcquire) {
  EXPECT_TRUE(passesMessage(Order::Release, Order::Acquire));
  EXPECT_FALSE(passesMessage(Order::Relaxed, Order::Acquire));
  EXPECT_FALSE(passesMessage(Order::Release, Order::Relaxed));
  EXPECT_FALSE(passesMessage(Order::Relaxed, Order::Relaxed));
}

TEST(MessagePassing, NeedsScopesThatIncludeEachOther) {
  EXPECT_FALSE(passesMessage(Order::Release, Order::Acquire, Scope::Cta, Scope::Grid));
  EXPECT_FALSE(passesMessage(Order::Release, Order::Acquire, Scope::Grid, Scope::Cta));
}

/// The same with `fence` and relaxed accesses, as `__threadfence` is used.
static bool passesMessageByFences(bool fenceBefore, bool fenceAfter, Scope scope = Scope::Grid) {
  Grid grid;
  GridCta first(grid, 0), second(grid, 1);
  first.access(Access::Write, 0, ~0u, kData);
  first.access(Access::Write, 1, ~0u, kData + 128);
  first.barrier();
  if (fenceBefore)
    first.order.fence(0, 1, scope);
  first.add(0, Order::Relaxed);
  second.add(0, Order::Relaxed);
  if (fenceAfter)
    second.order.fence(0, 1, scope);
  second.barrier();
  EXPECT_TRUE(second.clean());
  second.access(Access::Read, 1, ~0u, kData);
  second.access(Access::Read, 0, ~0u, kData + 128);
  return second.clean();
}

TEST(MessagePassing, FencesNeedEachOther) {
  EXPECT_TRUE(passesMessageByFences(true, true));
  EXPECT_FALSE(passesMessageByFences(false, true));
  EXPECT_FALSE(passesMessageByFences(true, false));
  EXPECT_FALSE(passesMessageByFences(true, true, Scope::Cta));
}

TEST(MessagePassing, FenceCoversOnlyWhatCameBefore) {
  Grid grid;
  GridCta first(grid, 0), second(grid, 1);
  first.order.fence(0, 1, Scope::Grid);
  first.access(Access::Write, 0, 1, kData);
  first.store(0, Order::Relaxed);
  second.load(0, Order::Acquire);
  second.access(Access::Read, 0, 1, kData);
  EXPECT_FALSE(second.clean());
}

TEST(MessagePassing, FencesOfCtaScopeWorkWithinACta) {
  for (bool fenceBefore : {false, true}) {
    for (bool fenceAfter : {false, true}) {
      Grid grid;
      GridCta cta(grid, 0);
      cta.access(Access::Write, 0, 1, kData);
      if (fenceBefore)
        cta.order.fence(0, 1, Scope::Cta);
      cta.store(0, Order::Relaxed, Scope::Cta);
      cta.load(32, Order::Relaxed, Scope::Cta);
      if (fenceAfter)
        cta.order.fence(1, 1, Scope::Cta);
      cta.access(Access::Read, 1, 1, kData);
      EXPECT_EQ(cta.clean(), fenceBefore && fenceAfter);
    }
  }
}

TEST(MessagePassing, EachFenceCoversWhatCameSinceTheLast) {
  Grid grid;
  GridCta first(grid, 0), second(grid, 1);
  for (uint64_t offset : {0, 128}) {
    first.access(Access::Write, 0, 1, kData + offset);
    first.order.fence(0, 1, Scope::Grid);
  }
  first.store(0, Order::Relaxed);
  second.load(0, Order::Acquire);
  second.access(Access::Read, 0, 1, kData + 128);
  EXPECT_TRUE(second.clean());
}

TEST(MessagePassing, AtomicsHandOnWhatTheirLocationCarried) {
  for (bool atomic : {true, false}) {
    Grid grid;
    GridCta first(grid, 0), between(grid, 1), last(grid, 2);
    first.access(Access::Write, 0, 1, kData);
    first.add(0, Order::Release);
    if (atomic)
      between.add(0, Order::Relaxed);
    else
      between.store(0, Order::Relaxed);
    last.load(0, Order::Acquire);
    last.access(Access::Read, 0, 1, kData);
    EXPECT_EQ(last.clean(), atomic);
  }
}

TEST(MessagePassing, OwnLaterStoreKeepsARelease) {
  Grid grid;
  GridCta first(grid, 0), second(grid, 1);
  first.access(Access::Write, 0, 1, kData);
  first.store(0, Order::Release);
  first.store(0, Order::Relaxed);
  second.load(0, Order::Acquire);
  second.access(Access::Read, 0, 1, kData);
  EXPECT_TRUE(second.clean());
}

TEST(MessagePassing, IsTransitive) {
  Grid grid;
  GridCta first(grid, 0), second(grid, 1), third(grid, 2);
  first.access(Access::Write, 0, 1, kData);
  first.store(0, Order::Release);
  second.load(0, Order::Acquire);
  second.barrier();
  second.store(40, Order::Release);
  third.load(0, Order::Acquire);
  third.access(Access::Read, 0, 1, kData);
  EXPECT_TRUE(third.clean());
}

TEST(MessagePassing, WorksWithinACtaAtItsScope) {
  for (Order order : {Order::Release, Order::Relaxed}) {
    Grid grid;
    GridCta cta(grid, 0);
    cta.access(Access::Write, 0, 1, kData);
    cta.store(0, order, Scope::Cta);
    cta.load(32, Order::Acquire, Scope::Cta);
    cta.access(Access::Read, 1, 1, kData);
    EXPECT_EQ(cta.clean(), order == Order::Release);
  }
}

TEST(Scopes, AtomicsOfCtaScopeRaceWithOtherCtas) {
  for (Scope scope : {Scope::Cta, Scope::Grid}) {
    Grid grid;
    GridCta first(grid, 0), second(grid, 1);
    first.add(0, Order::Relaxed, Scope::Grid);
    second.add(0, Order::Relaxed, scope);
    EXPECT_EQ(second.clean(), scope == Scope::Grid);
    second.add(40, Order::Relaxed, scope);
    EXPECT_TRUE(second.clean());
  }
}

TEST(Scopes, StrongReadDoesNotStandForAWeakOne) {
  Grid grid;
  GridCta first(grid, 0), second(grid, 1);
  first.access(Access::Read, 0, 1, kData);
  first.barrier();
  first.one(Access::StrongRead, 0, kData);
  second.one(Access::StrongWrite, 0, kData);
  EXPECT_FALSE(second.clean());
}

TEST(Threads, CtasOnSeveralHostThreads) {
  constexpr unsigned kHostThreads = 4, kCtas = 64;
  Grid grid;
  std::atomic<unsigned> next{0}, clean{0}, raced{0};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kHostThreads; ++i) {
    threads.emplace_back([&] {
      for (uint32_t number; (number = next++) < kCtas;) {
        GridCta cta(grid, number);
        // Everyone reads the same, writes its own, counts itself, and writes where another CTA writes too.
        for (uint64_t start = 0; start < 8192; start += 128)
          cta.access(Access::Read, unsigned(start / 128 % 2), ~0u, 16384 + start);
        cta.access(Access::Write, 0, ~0u, 32768 + number * 128, Scope::Grid, 2);
        cta.access(Access::Write, 1, ~0u, 32768 + number * 128 + 64, Scope::Grid, 2);
        cta.barrier();
        cta.add(0, Order::AcquireRelease);
        clean += cta.clean();
        cta.access(Access::Write, 0, ~0u, 49152 + number / 2 * 128);
        raced += !cta.clean();
      }
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(clean, kCtas);
  // Of each two CTAs the second finds the first one's write, which came after what the counter orders.
  EXPECT_EQ(raced, kCtas / 2);
}
