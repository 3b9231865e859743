/// Ordinary accesses to shared memory, ordered by barriers or not.
#include "Litmus.h"

#include <gtest/gtest.h>

using namespace tile::sim;
using namespace tile::sim::check;

TEST(Barrier, OrdersMessagePassing) {
  Litmus program;
  program.write(0, kWholeWarp, 0);
  program.barrier();
  program.read(1, kWholeWarp, 0);
  EXPECT_EQ(program.faults(), kNone);
}

TEST(Barrier, MissingMakesMessagePassingARace) {
  Litmus program;
  program.write(0, kWholeWarp, 0);
  program.read(1, kWholeWarp, 0);
  ASSERT_EQ(program.found.size(), 1u);
  EXPECT_EQ(program.found[0].fault, Fault::Race);
  EXPECT_EQ(program.found[0].lane, 0u);
  EXPECT_EQ(program.found[0].other.thread, 0u);
  EXPECT_EQ(program.found[0].other.origin, 1u);
  EXPECT_EQ(program.found[0].other.access, Access::Write);
  EXPECT_FALSE(program.found[0].other.asynchronous);
}

TEST(Barrier, ReadsDoNotConflict) {
  Litmus program;
  program.read(0, kWholeWarp, 0);
  program.read(1, kWholeWarp, 0);
  program.read(1, kWholeWarp, 0, 0);
  EXPECT_EQ(program.faults(), kNone);
}

TEST(Barrier, WriteAfterReadNeedsOne) {
  Litmus program;
  program.read(0, kWholeWarp, 0);
  program.read(1, kWholeWarp, 0);
  program.write(1, 1, 0);
  ASSERT_EQ(program.found.size(), 1u);
  EXPECT_EQ(program.found[0].other.origin, 1u);
}

TEST(Barrier, EveryReaderOfACellCounts) {
  for (unsigned reader = 1; reader < 4; ++reader) {
    Litmus program;
    for (unsigned warp = 1; warp < 4; ++warp)
      program.read(warp, kWholeWarp, 0);
    for (unsigned warp = 1; warp < 4; ++warp) {
      SyncObject object;
      if (warp != reader)
        program.clocks.release(warp, kWholeWarp, object);
      program.clocks.acquire(0, kWholeWarp, object);
    }
    program.write(0, kWholeWarp, 0);
    ASSERT_EQ(program.found.size(), 1u);
    EXPECT_EQ(program.found[0].other.thread, reader * kWarpLanes);
  }
}

TEST(Barrier, LanesOfAWarpAreThreads) {
  Litmus program;
  program.write(0, 1, 0);
  program.read(0, 2, 0, 0);
  EXPECT_EQ(program.faults(), kOneRace);
  program.clocks.synchronise(0, 3);
  program.read(0, 2, 0, 0);
  EXPECT_EQ(program.faults(), kNone);
  program.read(0, 4, 0, 0);
  EXPECT_EQ(program.faults(), kOneRace);
}

TEST(Barrier, ThreadIsOrderedAfterItself) {
  Litmus program;
  program.write(0, kWholeWarp, 0);
  program.read(0, kWholeWarp, 0);
  program.write(0, kWholeWarp, 0);
  EXPECT_EQ(program.faults(), kNone);
}

TEST(Barrier, BroadcastReadCountsEveryLane) {
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    Litmus program;
    program.read(0, kWholeWarp, 0, 0);
    SyncObject object;
    program.clocks.release(0, kWholeWarp & ~(1u << lane), object);
    program.clocks.acquire(1, kWholeWarp, object);
    program.write(1, 1, 0);
    ASSERT_EQ(program.found.size(), 1u);
    EXPECT_EQ(program.found[0].other.thread, lane);
  }
}

TEST(Barrier, LanesThatReadAtDifferentEpochsAreAllKept) {
  Litmus program;
  SyncObject ignored, fromTwo;
  program.read(0, 1, 0, 0);
  program.clocks.release(0, 8, ignored);
  program.read(0, 2, 0, 0);
  program.clocks.release(0, 2, fromTwo);
  program.clocks.acquire(1, 1, fromTwo);
  program.write(1, 1, 0);
  ASSERT_EQ(program.found.size(), 1u);
  EXPECT_EQ(program.found[0].other.thread, 0u);
}

/// Two stages; iteration i reads stage i % 2, then fills it for iteration i + 2.
static Faults doubleBuffer(int without) {
  Litmus program;
  int step = 0;
  auto barrier = [&] {
    if (step++ != without)
      program.barrier();
  };
  for (uint64_t stage : {0, 1024})
    for (unsigned warp = 0; warp < 4; ++warp)
      program.write(warp, kWholeWarp, stage + warp * 128);
  for (int i = 0; i < 3; ++i) {
    uint64_t stage = uint64_t(i % 2) * 1024;
    barrier();
    for (unsigned warp = 0; warp < 4; ++warp)
      program.read(warp, kWholeWarp, stage + (warp ^ 1) * 128);
    barrier();
    for (unsigned warp = 0; warp < 4; ++warp)
      program.write(warp, kWholeWarp, stage + warp * 128);
  }
  return program.faults();
}

TEST(Barrier, DoubleBufferingNeedsEachBarrier) {
  EXPECT_EQ(doubleBuffer(-1), kNone);
  // The other two stand before reads that an earlier barrier orders already.
  for (int without : {0, 1, 3, 5})
    EXPECT_FALSE(doubleBuffer(without).empty()) << without;
}

TEST(Barrier, NamedOneOrdersItsHalfOnly) {
  Litmus program;
  const uint32_t firstHalf[] = {kWholeWarp, kWholeWarp, 0, 0};
  program.write(0, kWholeWarp, 0);
  program.write(2, kWholeWarp, 1024);
  program.clocks.synchronise(firstHalf);
  program.read(1, kWholeWarp, 0);
  EXPECT_EQ(program.faults(), kNone);
  program.read(3, kWholeWarp, 1024);
  EXPECT_EQ(program.faults(), kOneRace);
  program.read(2, kWholeWarp, 0);
  EXPECT_EQ(program.faults(), kOneRace);
}

TEST(Barrier, ArriveReleasesWithoutAcquiring) {
  Litmus program;
  PhasedSync barrier;
  program.write(0, kWholeWarp, 0);
  program.clocks.release(0, kWholeWarp, barrier.pending); // bar.arrive
  program.write(1, kWholeWarp, 1024);
  program.clocks.release(1, kWholeWarp, barrier.pending); // bar.sync
  barrier.completePhase();
  program.clocks.acquire(1, kWholeWarp, barrier.completed);
  program.read(1, kWholeWarp, 0);
  EXPECT_EQ(program.faults(), kNone);
  program.read(0, kWholeWarp, 1024);
  EXPECT_EQ(program.faults(), kOneRace);
}

TEST(Barrier, WhatComesAfterAnArrivalIsNotOrdered) {
  Litmus program;
  SyncObject object;
  program.clocks.release(0, kWholeWarp, object);
  program.write(0, kWholeWarp, 0);
  program.clocks.acquire(1, kWholeWarp, object);
  program.read(1, kWholeWarp, 0);
  EXPECT_EQ(program.faults(), kOneRace);
}

TEST(Barrier, PartialWarpCounts) {
  Litmus program(40);
  const uint32_t everyone[] = {kWholeWarp, 0xff};
  program.write(1, 0xff, 0);
  program.clocks.synchronise(everyone);
  program.read(0, 0xff, 0);
  program.write(0, 0xff, 0);
  program.clocks.synchronise(everyone);
  program.read(1, 0xff, 0);
  EXPECT_EQ(program.faults(), kNone);
}

TEST(Width, BytesOfAWordAreApart) {
  Litmus program;
  program.write(0, kWholeWarp, 0, 4, 2);
  program.write(1, kWholeWarp, 2, 4, 2);
  EXPECT_EQ(program.faults(), kNone);
  program.write(2, 1, 3, 4, 1);
  ASSERT_EQ(program.found.size(), 1u);
  EXPECT_EQ(program.found[0].other.thread, kWarpLanes);
}

TEST(Width, WideAccessMeetsEachByteOfIt) {
  Litmus program;
  program.write(0, 1, 14, 0, 1);
  program.barrier();
  program.write(1, 1, 15, 0, 1);
  program.read(2, 1, 0, 0, 16);
  ASSERT_EQ(program.found.size(), 1u);
  EXPECT_EQ(program.found[0].offset, 15u);
}

TEST(Width, WordsKeepTheirHistoryWhenTheyAreCut) {
  Litmus program;
  program.write(0, 1, 0);
  program.read(1, 1, 8);
  program.access(Access::StrongWrite, 2, 1, 12);
  program.write(3, 1, 3, 0, 1);
  EXPECT_EQ(program.faults(), kOneRace);
  program.write(3, 1, 9, 0, 1);
  EXPECT_EQ(program.faults(), kOneRace);
  program.read(3, 1, 13, 0, 1);
  EXPECT_EQ(program.faults(), kOneRace);
  program.read(0, 1, 2, 0, 1);
  EXPECT_EQ(program.faults(), kNone);
}

TEST(Equal, WritesOfOneValueDoNotConflict) {
  Litmus program;
  program.access(Access::Write, 0, kWholeWarp, 0, 0, 4, kWholeWarp & ~1u);
  program.access(Access::Write, 1, kWholeWarp, 0, 0, 4, kWholeWarp);
  EXPECT_EQ(program.faults(), kNone);
  program.barrier();
  program.read(2, kWholeWarp, 0, 0);
  EXPECT_EQ(program.faults(), kNone);
}

TEST(Equal, WritesOfDifferentValuesConflict) {
  Litmus program;
  program.write(0, 3, 0, 0);
  EXPECT_EQ(program.faults(), kOneRace);
}

TEST(Equal, EachWriterIsRemembered) {
  for (unsigned writer : {0u, 1u}) {
    Litmus program;
    program.access(Access::Write, 0, 1, 0);
    program.access(Access::Write, 1, 1, 0, 0, 4, 1);
    SyncObject object;
    program.clocks.release(1 - writer, 1, object);
    program.clocks.acquire(2, 1, object);
    program.read(2, 1, 0);
    ASSERT_EQ(program.found.size(), 1u);
    EXPECT_EQ(program.found[0].other.thread, writer * kWarpLanes);
  }
}

TEST(Strong, AtomicsOfOneSizeDoNotConflict) {
  Litmus program;
  for (unsigned warp = 0; warp < 4; ++warp)
    program.access(Access::StrongWrite, warp, kWholeWarp, 0, 0);
  program.access(Access::StrongRead, 0, kWholeWarp, 0, 0);
  EXPECT_EQ(program.faults(), kNone);
  program.access(Access::StrongWrite, 0, 1, 0, 0, 2);
  EXPECT_FALSE(program.faults().empty());
}

TEST(Strong, WeakReadOfACounterNeedsABarrier) {
  for (bool synchronised : {false, true}) {
    Litmus program;
    for (unsigned warp = 0; warp < 4; ++warp)
      program.access(Access::StrongWrite, warp, kWholeWarp, 0, 0);
    if (synchronised)
      program.barrier();
    program.read(3, 1, 0);
    EXPECT_EQ(program.faults().empty(), synchronised);
  }
}

TEST(Strong, EveryAtomicIsRemembered) {
  Litmus program;
  program.access(Access::StrongWrite, 0, kWholeWarp, 0, 0);
  SyncObject object;
  program.clocks.release(0, kWholeWarp & ~(1u << 7), object);
  program.clocks.acquire(1, 1, object);
  program.access(Access::StrongWrite, 1, 1, 0, 0);
  program.read(1, 1, 0);
  ASSERT_EQ(program.found.size(), 1u);
  EXPECT_EQ(program.found[0].other.thread, 7u);
}

TEST(Strong, AtomicDoesNotStandForWeakAccesses) {
  Litmus program;
  SyncObject ignored;
  program.read(0, 1, 0, 0);
  program.clocks.release(0, 8, ignored);
  program.read(0, 2, 0, 0);
  program.clocks.synchronise(0, kWholeWarp);
  SyncObject object;
  program.clocks.release(0, kWholeWarp, object);
  program.clocks.acquire(1, 1, object);
  program.access(Access::StrongWrite, 1, 1, 0);
  EXPECT_EQ(program.faults(), kNone);
  program.access(Access::StrongWrite, 2, 1, 0);
  EXPECT_EQ(program.faults(), Faults(2, Fault::Race));
}

TEST(Strong, WeakInitialisationNeedsABarrier) {
  Litmus program;
  program.write(0, 1, 0);
  program.access(Access::StrongWrite, 1, 1, 0);
  EXPECT_EQ(program.faults(), kOneRace);
}
