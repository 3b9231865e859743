/// Asynchronous operations: copies, matrix instructions, mbarriers and the async proxy.
#include "Litmus.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tile::sim;
using namespace tile::sim::check;

namespace {

const Faults kNotAwaited = {Fault::AsyncNotAwaited};

/// `cp.async` of the four warps, a group at a time.
struct CopyProgram : Litmus {
  CopyProgram() { queues = clocks.makeQueues(clocks.threads(), Proxy::Generic, Completion::InOrder); }

  void copyGroup(uint64_t start) {
    for (unsigned warp = 0; warp < 4; ++warp) {
      AsyncId ids[kWarpLanes];
      for (unsigned lane = 0; lane < kWarpLanes; ++lane)
        ids[lane] = clocks.issue(Column(queues + warp * kWarpLanes + lane), warp * kWarpLanes + lane);
      copy(warp, start + warp * 512, ids);
    }
    ++groups;
  }
  void waitGroup(uint32_t pending) {
    for (unsigned thread = 0; thread < clocks.threads(); ++thread)
      clocks.complete({Column(queues + thread), groups - pending}, thread / kWarpLanes, 1u << thread % kWarpLanes);
  }
  void readStage(uint64_t start) {
    for (unsigned warp = 0; warp < 4; ++warp)
      read(warp, kWholeWarp, start + (warp ^ 1) * 512, 16, 16);
  }

  Column queues;
  uint32_t groups = 0;
};

/// A consumer warp group with `wgmma` and a producer that refills stages of 1024 bytes by bulk copies.
struct RingProgram : Litmus {
  RingProgram() {
    wgmma = clocks.makeQueues(4, Proxy::Async, Completion::InOrder);
    bulk = clocks.makeQueues(2, Proxy::Async, Completion::AnyOrder);
  }

  void fill(unsigned stage) {
    AsyncId id = clocks.issue(Column(bulk + stage), 0);
    async(Access::Write, id, 0, stage * 1024, 1024, 1);
    clocks.complete(id, full[stage].pending);
    full[stage].completePhase();
  }
  void multiply(unsigned stage) {
    for (unsigned warp = 1; warp < 4; ++warp)
      async(Access::Read, clocks.issue(Column(wgmma + warp), warp * kWarpLanes), warp, stage * 1024, 1024);
    ++groups;
  }
  void waitFull(unsigned stage) {
    for (unsigned warp = 1; warp < 4; ++warp)
      clocks.acquire(warp, kWholeWarp, full[stage].completed);
  }
  void waitMultiplied(uint32_t pending) {
    for (unsigned warp = 1; warp < 4; ++warp)
      clocks.complete({Column(wgmma + warp), groups - pending}, warp, kWholeWarp);
  }
  void arriveEmpty(unsigned stage, unsigned firstWarp = 1) {
    for (unsigned warp = firstWarp; warp < 4; ++warp)
      clocks.release(warp, kWholeWarp, empty[stage].pending);
    empty[stage].completePhase();
  }
  void waitEmpty(unsigned stage) { clocks.acquire(0, 1, empty[stage].completed); }

  Column wgmma, bulk;
  PhasedSync full[2], empty[2];
  uint32_t groups = 0;
};

} // namespace

TEST(CopyAsync, PipelineIsOrdered) {
  CopyProgram program;
  program.copyGroup(0);
  program.copyGroup(2048);
  for (int i = 0; i < 5; ++i) {
    program.waitGroup(1);
    program.barrier();
    program.readStage(uint64_t(i % 2) * 2048);
    program.barrier();
    program.copyGroup(uint64_t(i % 2) * 2048);
  }
  EXPECT_EQ(program.faults(), kNone);
}

TEST(CopyAsync, WaitOneGroupShort) {
  CopyProgram program;
  program.copyGroup(0);
  program.copyGroup(2048);
  program.waitGroup(2);
  program.barrier();
  program.readStage(0);
  ASSERT_FALSE(program.found.empty());
  EXPECT_EQ(program.found[0].fault, Fault::AsyncNotAwaited);
  EXPECT_TRUE(program.found[0].other.asynchronous);
  EXPECT_EQ(program.found[0].other.thread, kWarpLanes);
}

TEST(CopyAsync, WaitIsForTheThreadAloneWithoutABarrier) {
  CopyProgram program;
  program.copyGroup(0);
  program.waitGroup(0);
  program.read(0, kWholeWarp, 0, 16, 16);
  EXPECT_EQ(program.faults(), kNone);
  program.read(0, kWholeWarp, 512, 16, 16);
  EXPECT_EQ(program.faults(), kOneRace);
}

TEST(CopyAsync, StageIsOverwrittenOneIterationEarly) {
  CopyProgram program;
  program.copyGroup(0);
  program.waitGroup(0);
  program.barrier();
  program.readStage(0);
  program.copyGroup(0);
  EXPECT_FALSE(program.faults().empty());
}

TEST(CopyAsync, OverwritesWhatItsThreadWrote) {
  CopyProgram program;
  for (unsigned warp = 0; warp < 4; ++warp)
    program.write(warp, kWholeWarp, warp * 512, 16, 16);
  program.copyGroup(0);
  EXPECT_EQ(program.faults(), kNone);
  program.write(0, 1, 0);
  EXPECT_EQ(program.faults(), kNotAwaited);
}

TEST(CopyAsync, ArrivesOnAnMbarrier) {
  for (bool arrives : {false, true}) {
    CopyProgram program;
    PhasedSync full;
    program.copyGroup(0);
    for (unsigned thread = 0; thread < (arrives ? 128u : 127u); ++thread)
      program.clocks.complete({Column(program.queues + thread), 1}, full.pending);
    full.completePhase();
    for (unsigned warp = 0; warp < 4; ++warp)
      program.clocks.acquire(warp, kWholeWarp, full.completed);
    program.readStage(0);
    EXPECT_EQ(program.faults(), arrives ? kNone : kNotAwaited);
  }
}

TEST(Mbarrier, ProducerAndConsumersAreOrdered) {
  RingProgram program;
  program.fill(0);
  program.fill(1);
  for (unsigned i = 0; i < 6; ++i) {
    unsigned stage = i % 2;
    program.waitFull(stage);
    program.multiply(stage);
    program.waitMultiplied(0);
    program.arriveEmpty(stage);
    program.waitEmpty(stage);
    program.fill(stage);
  }
  EXPECT_EQ(program.faults(), kNone);
}

TEST(Mbarrier, MissingArrival) {
  RingProgram program;
  program.fill(0);
  program.waitFull(0);
  program.multiply(0);
  program.waitMultiplied(0);
  program.arriveEmpty(0, /*firstWarp=*/2);
  program.waitEmpty(0);
  program.fill(0);
  EXPECT_EQ(program.faults(), kOneRace);
}

TEST(Mbarrier, StageIsRefilledWhileItIsMultiplied) {
  RingProgram program;
  program.fill(0);
  program.waitFull(0);
  program.multiply(0);
  program.multiply(0);
  program.waitMultiplied(1);
  program.arriveEmpty(0);
  program.waitEmpty(0);
  program.fill(0);
  EXPECT_EQ(program.faults(), Faults(3, Fault::AsyncNotAwaited));
}

TEST(Mbarrier, WaitIsMissing) {
  RingProgram program;
  program.fill(0);
  program.multiply(0);
  EXPECT_FALSE(program.faults().empty());
}

TEST(Mbarrier, BulkCopiesMayEndInAnyOrder) {
  Litmus program;
  Column queue = program.clocks.makeQueues(1, Proxy::Async, Completion::AnyOrder);
  PhasedSync barrier;
  AsyncId first = program.clocks.issue(queue, 0), second = program.clocks.issue(queue, 0);
  program.async(Access::Write, first, 0, 0, 512, 1);
  program.async(Access::Write, second, 0, 512, 512, 1);
  program.clocks.complete(second, barrier.pending);
  program.clocks.complete(first, barrier.pending);
  barrier.completePhase();
  program.clocks.acquire(1, kWholeWarp, barrier.completed);
  program.read(1, kWholeWarp, 0);
  program.read(1, kWholeWarp, 512);
  EXPECT_EQ(program.faults(), kNone);
}

TEST(Mbarrier, CopyThatIsStillInFlightIsNotAwaited) {
  Litmus program;
  Column queue = program.clocks.makeQueues(1, Proxy::Async, Completion::AnyOrder);
  PhasedSync barrier;
  AsyncId first = program.clocks.issue(queue, 0), second = program.clocks.issue(queue, 0);
  program.async(Access::Write, first, 0, 0, 512, 1);
  program.async(Access::Write, second, 0, 512, 512, 1);
  program.clocks.complete(second, barrier.pending);
  barrier.completePhase();
  program.clocks.acquire(1, kWholeWarp, barrier.completed);
  program.read(1, kWholeWarp, 0);
  EXPECT_EQ(program.faults(), kNotAwaited);
}

TEST(Mbarrier, ArrivalOfTheNextPhaseGivesNothingToThisOne) {
  Litmus program;
  PhasedSync barrier;
  program.clocks.release(1, kWholeWarp, barrier.pending);
  barrier.completePhase();
  program.write(1, kWholeWarp, 0);
  program.clocks.release(1, kWholeWarp, barrier.pending);
  program.clocks.acquire(0, kWholeWarp, barrier.completed);
  program.read(0, kWholeWarp, 0);
  EXPECT_EQ(program.faults(), kOneRace);
}

TEST(Mbarrier, ElectedLaneSpeaksForItselfUntilItsWarpComesTogether) {
  for (bool together : {false, true}) {
    Litmus program;
    PhasedSync barrier;
    program.read(1, kWholeWarp, 0);
    if (together)
      program.clocks.synchronise(1, kWholeWarp);
    program.clocks.release(1, 1, barrier.pending);
    barrier.completePhase();
    program.clocks.acquire(0, kWholeWarp, barrier.completed);
    program.write(0, 1, 0);
    EXPECT_EQ(program.faults(), kNone);
    program.write(0, kWholeWarp, 0);
    EXPECT_EQ(program.faults(), together ? kNone : kOneRace);
  }
}

TEST(Mbarrier, ElectedLaneWaitsForItselfUntilItsWarpComesTogether) {
  for (bool together : {false, true}) {
    Litmus program;
    PhasedSync barrier;
    program.write(1, kWholeWarp, 0);
    program.clocks.release(1, kWholeWarp, barrier.pending);
    barrier.completePhase();
    program.clocks.acquire(0, 1, barrier.completed);
    if (together)
      program.clocks.synchronise(0, kWholeWarp);
    program.read(0, kWholeWarp, 0);
    EXPECT_EQ(program.faults(), together ? kNone : kOneRace);
  }
}

TEST(Mbarrier, EveryLaneThatIssuesMustHaveWaited) {
  for (uint32_t waiting : {kWholeWarp, kWholeWarp & ~(1u << 3)}) {
    Litmus program;
    Column queue = program.clocks.makeQueues(1, Proxy::Async, Completion::InOrder);
    PhasedSync barrier;
    program.write(1, kWholeWarp, 0);
    program.clocks.fenceProxy(1, kWholeWarp);
    program.clocks.release(1, kWholeWarp, barrier.pending);
    barrier.completePhase();
    program.clocks.acquire(0, waiting, barrier.completed);
    program.async(Access::Read, program.clocks.issue(queue, 0), 0, 0, 128);
    EXPECT_EQ(program.faults(), waiting == kWholeWarp ? kNone : kOneRace);
  }
}

TEST(Queues, OfOneWarpAreAwaitedApart) {
  for (bool both : {false, true}) {
    Litmus program;
    Column queues = program.clocks.makeQueues(2, Proxy::Async, Completion::InOrder);
    AsyncId first = program.clocks.issue(queues, 0), second = program.clocks.issue(Column(queues + 1), 0);
    program.async(Access::Read, first, 0, 0, 128);
    program.async(Access::Read, second, 0, 0, 128);
    program.clocks.complete(second, 0, kWholeWarp);
    if (both)
      program.clocks.complete(first, 0, kWholeWarp);
    program.write(0, kWholeWarp, 0);
    EXPECT_EQ(program.faults(), both ? kNone : kNotAwaited);
  }
}

TEST(Queues, WaitGivesTheOperationAndNothingOfItsIssuer) {
  Litmus program;
  Column queue = program.clocks.makeQueues(1, Proxy::Async, Completion::InOrder);
  SyncObject before, after;
  program.access(Access::StrongRead, 0, 1, 0);
  program.clocks.release(0, 1, before);
  program.clocks.acquire(1, kWholeWarp, before);
  AsyncId id = program.clocks.issue(queue, kWarpLanes);
  program.async(Access::Read, id, 1, 0, 128);
  program.clocks.complete(id, after);
  program.clocks.acquire(2, kWholeWarp, after);
  program.write(2, 1, 0);
  ASSERT_EQ(program.found.size(), 1u);
  EXPECT_EQ(program.found[0].other.thread, 0u);
}

/// The four warps write shared memory, come together, and multiply what they wrote.
static Faults writeThenMultiply(bool fenceBefore, bool fenceAfter, bool barrier = true) {
  Litmus program;
  Column queue = program.clocks.makeQueues(4, Proxy::Async, Completion::InOrder);
  auto fence = [&] {
    for (unsigned warp = 0; warp < 4; ++warp)
      program.clocks.fenceProxy(warp, kWholeWarp);
  };
  for (unsigned warp = 0; warp < 4; ++warp)
    program.write(warp, kWholeWarp, warp * 128);
  if (fenceBefore)
    fence();
  if (barrier)
    program.barrier();
  if (fenceAfter)
    fence();
  program.async(Access::Read, program.clocks.issue(queue, 0), 0, 0, 512);
  return program.faults();
}

TEST(ProxyFence, IsNeededOnEitherSideOfTheBarrier) {
  EXPECT_EQ(writeThenMultiply(true, false), kNone);
  EXPECT_EQ(writeThenMultiply(false, true), kNone);
  EXPECT_EQ(writeThenMultiply(false, false), Faults(4, Fault::MissingProxyFence));
}

TEST(ProxyFence, DoesNotReplaceTheBarrier) {
  Faults faults = writeThenMultiply(true, true, /*barrier=*/false);
  EXPECT_EQ(std::count(faults.begin(), faults.end(), Fault::Race), 4);
}

TEST(ProxyFence, DoesNotCoverLaterWrites) {
  Litmus program;
  Column queue = program.clocks.makeQueues(1, Proxy::Async, Completion::InOrder);
  program.clocks.fenceProxy(0, kWholeWarp);
  program.write(0, kWholeWarp, 0);
  program.barrier();
  program.async(Access::Read, program.clocks.issue(queue, 0), 0, 0, 128);
  EXPECT_EQ(program.faults(), Faults{Fault::MissingProxyFence});
}

TEST(ProxyFence, CoversCopiesThatWereAwaited) {
  for (bool fenced : {false, true}) {
    CopyProgram program;
    Column queue = program.clocks.makeQueues(1, Proxy::Async, Completion::InOrder);
    program.copyGroup(0);
    program.waitGroup(0);
    for (unsigned warp = 0; fenced && warp < 4; ++warp)
      program.clocks.fenceProxy(warp, kWholeWarp);
    program.barrier();
    program.async(Access::Read, program.clocks.issue(queue, 0), 0, 0, 2048);
    EXPECT_EQ(program.faults(), fenced ? kNone : Faults(4, Fault::MissingProxyFence));
  }
}

TEST(ProxyFence, IsNotNeededAfterReads) {
  RingProgram program;
  program.fill(0);
  program.waitFull(0);
  program.read(1, kWholeWarp, 0);
  program.arriveEmpty(0);
  program.waitEmpty(0);
  program.fill(0);
  EXPECT_EQ(program.faults(), kNone);
}

TEST(ProxyFence, IsNotNeededAfterMatrixInstructions) {
  RingProgram program;
  program.fill(0);
  program.waitFull(0);
  program.multiply(0);
  program.waitMultiplied(0);
  program.barrier();
  program.write(0, kWholeWarp, 0);
  EXPECT_EQ(program.faults(), kNone);
}
