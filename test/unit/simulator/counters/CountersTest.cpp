// What is counted of a kernel that runs: which instruction gets it, which lanes count, and that the seed has no say.
#include "test/unit/simulator/counters/CountKernel.h"

namespace tile::sim::test {

TEST(Counters, NobodyCountsUnlessAsked) {
  KernelRun run("mov.u32 %r1, 1;");
  EXPECT_TRUE(run.run().counted.empty());
}

TEST(Counters, EachInstructionGetsItsOwn) {
  KernelRun run(kThread + R"(
    ld.global.u32 %r1, [%d0];
    mul.wide.u32 %d2, %r0, 16;
    add.s64 %d3, %d51, %d2;
    st.global.u32 [%d3], %r1;)");
  run.grid = {3, 1, 1};
  run.block = {64, 1, 1};
  run.options.checks = kNoChecks; // all CTAs write the same words
  run.add(std::vector<uint32_t>(64));
  run.addOutput<uint32_t>(256);
  Counted counted = countRun(run);
  Counters load = counted.of("ld.global"), store = counted.of("st.global");
  EXPECT_EQ(load.issues, 6u);
  EXPECT_EQ(load.lanes, 192u);
  EXPECT_EQ(load.globalRequests, 6u);
  EXPECT_EQ(load.globalSectors, 24u);
  EXPECT_EQ(load.globalIdeal, 24u);
  EXPECT_EQ(load.globalBytes, 768u);
  EXPECT_EQ(store.globalSectors, 6u * 16);
  EXPECT_EQ(store.globalIdeal, 24u);
  EXPECT_EQ(store.globalLines, 6u * 4);
  EXPECT_EQ(counted.of("mul.wide").globalRequests, 0u);
}

TEST(Counters, AGuardMasksLanesAndAddressesAreReadBeforeTheyAreOverwritten) {
  KernelRun run(kThread + R"(
    setp.lt.u32 %p1, %r0, 8;
    setp.gt.u32 %p2, %r0, 99;
    add.s64 %d0, %d0, %d1;
    @%p1 ld.global.u64 %d0, [%d0];
    @%p2 ld.global.u32 %r2, [%d50];)");
  run.add(std::vector<uint64_t>(32));
  Counted counted = countRun(run);
  Counters load = counted.of("ld.global.u64"), never = counted.of("ld.global.u32");
  EXPECT_EQ(load.lanes, 8u);
  EXPECT_EQ(load.threads, 32u);
  EXPECT_EQ(load.globalSectors, 2u);
  EXPECT_EQ(never.issues, 1u);
  EXPECT_EQ(never.threads, 32u);
  EXPECT_EQ(never.lanes, 0u);
  EXPECT_EQ(never.globalRequests, 0u);
}

/// Lanes below 10 go one way, the others another; they meet at the store.
static const std::string kDivergent = kThread + R"(
    setp.lt.u32 %p1, %r0, 10;
    @%p1 bra LOW;
    sub.u32 %r2, %r0, 10;
    bra JOIN;
    LOW: add.u32 %r2, %r0, 6;
    JOIN: st.global.u32 [%d0], %r2;)";

TEST(Counters, ADivergentBranchIsOneOnWhichLanesDiffer) {
  KernelRun run(kDivergent);
  run.block = {64, 1, 1};
  run.addOutput<uint32_t>(64);
  Counted counted = countRun(run);
  EXPECT_EQ(counted.of("bra").issues, 4u);
  EXPECT_EQ(counted.of("bra").divergentBranches, 1u); // the second warp goes one way
  EXPECT_EQ(counted.of("add.u32").threads, 10u);
  EXPECT_EQ(counted.of("add.u32").issues, 1u);
  EXPECT_EQ(counted.of("sub.u32").threads, 54u);
  EXPECT_EQ(counted.of("st.global").issues, 2u);
}

TEST(Counters, TheSeedAndTheThreadsOfTheHostHaveNoSay) {
  auto count = [](uint64_t seed, unsigned threads) {
    KernelRun run(kDivergent + R"(
      mov.u32 %r11, buffer;
      mad.lo.u32 %r10, %r0, 8, %r11;
      mov.u32 %r1, 0;
      LOOP: setp.ge.u32 %p1, %r1, %r0;
      @%p1 bra DONE;
      st.shared.u32 [%r10], %r1;
      add.u32 %r1, %r1, 1;
      bra LOOP;
      DONE: bar.sync 0;
      atom.global.add.u32 %r3, [%d51], 1;)",
                  ".shared .align 16 .b8 buffer[1024];");
    run.grid = {4, 1, 1};
    run.block = {96, 1, 1};
    run.options.checks = kNoChecks; // all CTAs write the same words
    run.options.seed = seed;
    run.options.hostThreads = threads;
    run.addOutput<uint32_t>(96);
    run.add(std::vector<uint32_t>(1));
    return countRun(run);
  };
  Counted first = count(1, 1);
  EXPECT_EQ(first.of("atom").issues, 12u);
  for (uint64_t seed = 2; seed < 12; ++seed) {
    Counted other = count(seed, seed % 3 + 1);
    for (size_t i = 0; i < first.instructions.size(); ++i)
      EXPECT_EQ(other.instructions[i].counters, first.instructions[i].counters)
          << first.origins[i].text << ", " << seed;
  }
}

TEST(Counters, ALaneThatPollsForAnotherLaneOfItsWarpDoesNotKeepItFromRunning) {
  KernelRun run(kThread + R"(
    st.shared.u32 [lock], 0;
    bar.sync 0;
    LOCK: atom.shared.cas.b32 %r1, [lock], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra LOCK;
    st.global.u32 [%d0], %r0;
    atom.shared.exch.b32 %r1, [lock], 0;)",
                ".shared .align 4 .u32 lock;");
  run.block = {4, 1, 1};
  run.options.checks = kNoChecks;
  run.options.maxSteps = 1000000;
  run.addOutput<uint32_t>(4);
  EXPECT_EQ(countRun(run).of("st.global").lanes, 4u);
}

TEST(Counters, ABarrierOfHalfAWarpIsDivergent) {
  KernelRun run(kThread + R"(
    setp.lt.u32 %p1, %r0, 16;
    @%p1 bra FIRST;
    barrier.sync 0;
    bra OUT;
    FIRST: barrier.sync 0;
    OUT: bar.sync 0;
    bar.warp.sync -1;)");
  Counted counted = countRun(run);
  EXPECT_EQ(counted.of("barrier.sync").barriers, 2u);
  EXPECT_EQ(counted.of("barrier.sync").divergentBarriers, 2u);
  EXPECT_EQ(counted.of("bar.sync").barriers, 1u);
  EXPECT_EQ(counted.of("bar.sync").divergentBarriers, 0u);
  EXPECT_EQ(counted.of("bar.warp").barriers, 0u);
}

TEST(Counters, AtomicsTakeSectorsAndTurns) {
  KernelRun run(kThread + R"(
    mul.lo.u32 %r1, %r0, 37;
    and.b32 %r1, %r1, 31;
    mul.wide.u32 %d2, %r1, 256;
    add.s64 %d2, %d51, %d2;
    red.global.add.u32 [%d2], 1;
    st.shared.u32 [word], 0;
    bar.warp.sync -1;
    atom.shared.add.u32 %r3, [word], 1;)",
                ".shared .align 4 .u32 word;");
  run.options.checks = kNoChecks;
  run.addOutput<uint32_t>(1);
  run.add(std::vector<uint32_t>(2048));
  Counted counted = countRun(run);
  EXPECT_EQ(counted.of("red.global").globalSectors, 32u);
  EXPECT_EQ(counted.of("red.global").globalIdeal, 4u);
  EXPECT_EQ(counted.of("atom.shared").sharedWavefronts, 32u);
  EXPECT_EQ(counted.of("atom.shared").sharedIdeal, 1u);
  EXPECT_EQ(counted.of("st.shared").sharedWavefronts, 1u);
}

TEST(Counters, AGenericAddressCountsWhereItLeads) {
  KernelRun run(kThread + R"(
    mov.u64 %d2, words;
    cvta.shared.u64 %d2, %d2;
    add.s64 %d2, %d2, %d1;
    mov.u64 %d3, mine;
    cvta.local.u64 %d3, %d3;
    st.u32 [%d2], %r0;
    st.u32 [%d3], %r0;
    st.u32 [%d0], %r0;)",
                ".shared .align 4 .u32 words[32];\n.local .align 4 .u32 mine;");
  run.addOutput<uint32_t>(32);
  Counters stores = countRun(run).of("st.u32");
  EXPECT_EQ(stores.sharedRequests, 1u);
  EXPECT_EQ(stores.sharedBytes, 128u);
  EXPECT_EQ(stores.localRequests, 1u);
  EXPECT_EQ(stores.localBytes, 128u);
  EXPECT_EQ(stores.localSectors, 4u);
  EXPECT_EQ(stores.globalRequests, 1u);
}

} // namespace tile::sim::test
