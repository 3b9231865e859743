// Barriers and what lanes of a warp do together.
#include "test/unit/simulator/machine/RunPtx.h"

namespace tile::sim::test {

static const std::string kThread = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.s64 %d0, %d50, %d1;\n"
                                   "shl.b32 %r10, %r0, 2;\nmov.u32 %r11, buffer;\nadd.u32 %r10, %r10, %r11;\n";
static const std::string kBuffer = ".shared .align 4 .b8 buffer[4096];";

TEST(Barrier, EveryoneSeesWhatWasWrittenBefore) {
  KernelRun run(kThread + R"(
    st.shared.u32 [%r10], %r0;
    bar.sync 0;
    xor.b32 %r1, %r0, 96;
    shl.b32 %r1, %r1, 2;
    add.u32 %r1, %r1, %r11;
    ld.shared.u32 %r2, [%r1];
    st.global.u32 [%d0], %r2;)",
                kBuffer);
  run.block = {128, 1, 1};
  run.addOutput<uint32_t>(128);
  EXPECT_EQ(summary(run.run()), "");
  for (unsigned i = 0; i < 128; ++i)
    EXPECT_EQ(run.get<uint32_t>(0)[i], i ^ 96) << i;
}

TEST(Barrier, NamedOnesCountTheirOwnThreads) {
  // Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2: neither waits for the other.
  KernelRun run(kThread + R"(
    shr.u32 %r1, %r0, 6;
    add.u32 %r1, %r1, 1;
    st.shared.u32 [%r10], %r0;
    barrier.sync %r1, 64;
    xor.b32 %r2, %r0, 32;
    shl.b32 %r2, %r2, 2;
    add.u32 %r2, %r2, %r11;
    ld.shared.u32 %r3, [%r2];
    st.global.u32 [%d0], %r3;)",
                kBuffer);
  run.block = {128, 1, 1};
  run.addOutput<uint32_t>(128);
  EXPECT_EQ(summary(run.run()), "");
  for (unsigned i = 0; i < 128; ++i)
    EXPECT_EQ(run.get<uint32_t>(0)[i], i ^ 32) << i;
}

TEST(Barrier, ArrivingDoesNotWait) {
  KernelRun run(kThread + R"(
    setp.lt.u32 %p1, %r0, 32;
    @%p1 bra PRODUCER;
    bar.sync 1, 64;
    sub.u32 %r10, %r10, 128;
    ld.shared.u32 %r2, [%r10];
    st.global.u32 [%d0], %r2;
    ret;
    PRODUCER: st.shared.u32 [%r10], %r0;
    bar.arrive 1, 64;)",
                kBuffer);
  run.block = {64, 1, 1};
  run.addOutput<uint32_t>(64);
  EXPECT_EQ(summary(run.run()), "");
  for (unsigned i = 32; i < 64; ++i)
    EXPECT_EQ(run.get<uint32_t>(0)[i], i - 32) << i;
}

TEST(Barrier, VotesAreCounted) {
  KernelRun run(kThread + R"(
    setp.lt.u32 %p1, %r0, 5;
    bar.red.popc.u32 %r1, 0, %p1;
    bar.red.or.pred %p2, 0, %p1;
    bar.red.and.pred %p3, 0, !%p1;
    selp.u32 %r2, 100, 0, %p2;
    selp.u32 %r3, 1000, 0, %p3;
    add.u32 %r1, %r1, %r2;
    add.u32 %r1, %r1, %r3;
    st.global.u32 [%d0], %r1;)",
                kBuffer);
  run.block = {64, 1, 1};
  run.addOutput<uint32_t>(64);
  EXPECT_EQ(summary(run.run()), "");
  for (uint32_t value : run.get<uint32_t>(0))
    EXPECT_EQ(value, 105u);
}

TEST(Barrier, AnUndefinedVoteLeavesTheOutcomeUndefined) {
  auto vote = [](const std::string &barrier) {
    KernelRun run(kThread + "setp.lt.u32 %p1, %r0, 40;\n@%p1 setp.lt.u32 %p2, %r0, 5;\n" + barrier +
                      "@%p3 mov.u32 %r2, 1;\nselp.u32 %r3, 1, 0, %p3;\nadd.u32 %r3, %r3, %r2;\n"
                      "st.global.u32 [%d0], %r3;",
                  kBuffer);
    run.block = {64, 1, 1};
    run.addOutput<uint32_t>(64);
    return run.run();
  };
  // Threads from 40 on have no `%p2`, and whoever waits gets the same outcome.
  for (const char *barrier :
       {"bar.red.popc.u32 %r2, 0, %p2;\nsetp.ne.u32 %p3, %r0, %r0;\n",
        "mov.u32 %r2, 0;\nbar.red.or.pred %p3, 0, %p2;\n", "mov.u32 %r2, 0;\nbar.red.and.pred %p3, 0, !%p2;\n"})
    EXPECT_TRUE(has(vote(barrier), Fault::Undefined)) << barrier;
  EXPECT_EQ(summary(vote("mov.u32 %r2, 0;\nbar.red.or.pred %p3, 0, %p1;\n")), "");
}

TEST(Barrier, AnUndefinedNumberIsFound) {
  auto found = [](const std::string &barrier) { return summary(KernelRun(barrier).run()); };
  EXPECT_NE(found("bar.sync %r5;").find("undefined: the number of the barrier is undefined"), std::string::npos);
  EXPECT_NE(found("bar.sync 1, %r5;").find("undefined: the number of threads is undefined"), std::string::npos);
  EXPECT_EQ(found("mov.b32 %r5, 1;\nmov.b32 %r6, 32;\nbar.sync %r5, %r6;"), "");
}

TEST(Barrier, HalvesOfAWarpAtTwoOfThemDiverge) {
  KernelRun run(kThread + R"(
    setp.lt.u32 %p1, %r0, 16;
    @%p1 bra ONE;
    bar.sync 0;
    bra OUT;
    ONE: bar.sync 0;
    OUT:)",
                kBuffer);
  RunResult result = run.run();
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].fault, Fault::BarrierDivergence);
  EXPECT_EQ(result.findings[0].message,
            "no thread of the CTA can go on: 16 wait at `bar.sync`, line 21, for lanes 0 to 15 of warp 0; 16 wait at "
            "`bar.sync`, line 23, for lanes 16 to 31 of warp 0");
  ASSERT_TRUE(result.findings[0].hasOther);
  EXPECT_EQ(run.origins[result.findings[0].place.origin].line, 21u);
  EXPECT_EQ(run.origins[result.findings[0].other.origin].line, 23u);
}

TEST(Barrier, ADeadlockSaysWhoIsMissingWhere) {
  auto stuck = [](const std::string &body) {
    KernelRun run(kThread + body, kBuffer);
    run.block = {160, 1, 1};
    return summary(run.run());
  };
  EXPECT_EQ(stuck(R"(
    setp.lt.u32 %p1, %r0, 96;
    @%p1 bra ONE;
    setp.ge.u32 %p1, %r0, 128;
    @%p1 ret;
    bar.sync 2;
    ONE: bar.sync 1, 128;)"),
            "deadlock: no thread of the CTA can go on: 32 wait at `bar.sync`, line 23 (barrier 2 has 32 of 128 "
            "threads; warps 0 to 2 have not come; warp 4 has returned); 96 wait at `bar.sync`, line 24 (barrier 1 has "
            "96 of 128 threads; warp 3 has not come; warp 4 has returned)");
  EXPECT_EQ(stuck("bar.sync 3, 192;"), "deadlock: no thread of the CTA can go on: 160 wait at `bar.sync`, line 18 "
                                       "(barrier 3 has 160 of 192 threads; the CTA has no others)");
}

TEST(Barrier, OfAWarpTakesLanesFromSeveralPlaces) {
  KernelRun run(kThread + R"(
    setp.lt.u32 %p1, %r0, 16;
    @%p1 bra ONE;
    bar.warp.sync 0xffffffff;
    mov.u32 %r1, 1;
    bra OUT;
    ONE: bar.warp.sync 0xffffffff;
    mov.u32 %r1, 2;
    OUT: st.global.u32 [%d0], %r1;)",
                kBuffer);
  run.addOutput<uint32_t>(32);
  EXPECT_EQ(summary(run.run()), "");
  EXPECT_EQ(run.get<uint32_t>(0)[0], 2u);
  EXPECT_EQ(run.get<uint32_t>(0)[31], 1u);
}

TEST(Shuffle, TakesEveryModeInSegments) {
  struct Case {
    const char *mode;
    unsigned amount, clamp;
    int (*from)(int lane);
  };
  // Segments of 8 lanes: the mask in bits 8 to 12 is 0x18.
  const Case cases[] = {
      {"up", 3, 0x1800, [](int lane) { return lane % 8 >= 3 ? lane - 3 : -1; }},
      {"down", 3, 0x181f, [](int lane) { return lane % 8 < 5 ? lane + 3 : -1; }},
      {"bfly", 4, 0x181f, [](int lane) { return lane ^ 4; }},
      {"idx", 13, 0x181f, [](int lane) { return lane / 8 * 8 + 5; }},
      {"bfly", 16, 0x001f, [](int lane) { return lane ^ 16; }},
  };
  for (const Case &one : cases) {
    KernelRun run(kThread + "shfl.sync." + one.mode + ".b32 %r1|%p1, %r0, " + std::to_string(one.amount) + ", " +
                      std::to_string(one.clamp) + ", 0xffffffff;\n" +
                      "selp.u32 %r2, 100, 0, %p1; add.u32 %r1, %r1, %r2; st.global.u32 [%d0], %r1;",
                  kBuffer);
    run.addOutput<uint32_t>(32);
    EXPECT_EQ(summary(run.run()), "");
    for (int lane = 0; lane < 32; ++lane) {
      int from = one.from(lane);
      EXPECT_EQ(run.get<uint32_t>(0)[lane], from < 0 ? uint32_t(lane) : uint32_t(from + 100)) << one.mode << lane;
    }
  }
}

TEST(Shuffle, EveryLaneIsInItsMask) {
  auto found = [](const std::string &mask) {
    KernelRun run("mov.u32 %r0, %tid.x;" + mask + "shfl.sync.idx.b32 %r2, %r0, 0, 31, %r1;");
    return summary(run.run());
  };
  EXPECT_EQ(found("mov.u32 %r1, 0x7fffffff;"), "bad-operand: lane 31 runs it; the mask does not name it");
  EXPECT_EQ(found("setp.eq.u32 %p1, %r0, 3; @!%p1 mov.u32 %r1, -1;"), "undefined: the mask is undefined");
}

TEST(Shuffle, LanesOfAnotherMaskAreAnotherGroup) {
  // Halves of the warp at one instruction: each counts its own lanes.
  KernelRun run(kThread + R"(
    setp.lt.u32 %p1, %r0, 16;
    selp.b32 %r1, 0xffff, 0xffff0000, %p1;
    setp.eq.u32 %p2, %r0, %r0;
    vote.sync.ballot.b32 %r2, %p2, %r1;
    redux.sync.add.u32 %r3, %r0, %r1;
    xor.b32 %r2, %r2, %r3;
    st.global.u32 [%d0], %r2;)",
                ".shared .align 4 .b8 buffer[4];");
  run.addOutput<uint32_t>(32);
  EXPECT_EQ(summary(run.run()), "");
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(run.get<uint32_t>(0)[lane], lane < 16 ? 0xffffu ^ 120 : 0xffff0000u ^ 376);
}

TEST(Shuffle, FromALaneThatIsNotThereIsUndefined) {
  KernelRun run(kThread + R"(
    setp.lt.u32 %p1, %r0, 16;
    @!%p1 bra OUT;
    shfl.sync.bfly.b32 %r1, %r0, 16, 31, 0xffff;
    st.global.u32 [%d0], %r1;
    OUT:)",
                kBuffer);
  run.addOutput<uint32_t>(32);
  RunResult result = run.run();
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].message, "an undefined value is stored to bytes 0 to 3 of `p0`");
}

TEST(Vote, SaysWhatLanesSay) {
  KernelRun run(kThread + R"(
    and.b32 %r1, %r0, 1;
    setp.eq.u32 %p1, %r1, 0;
    vote.sync.ballot.b32 %r2, %p1, 0xffffffff;
    vote.sync.any.pred %p2, %p1, 0xffffffff;
    vote.sync.all.pred %p3, %p1, 0xffffffff;
    match.any.sync.b32 %r3, %r1, 0xffffffff;
    redux.sync.add.u32 %r4, %r0, 0xffffffff;
    elect.sync %r5|%p4, 0xffffffff;
    selp.u32 %r6, 1, 0, %p2;
    selp.u32 %r7, 1, 0, %p3;
    add.u32 %r6, %r6, %r7;
    add.u32 %r6, %r6, %r4;
    xor.b32 %r2, %r2, %r3;
    selp.u32 %r2, %r2, %r6, %p1;
    st.global.u32 [%d0], %r2;)",
                kBuffer);
  run.addOutput<uint32_t>(32);
  EXPECT_EQ(summary(run.run()), "");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(run.get<uint32_t>(0)[i], i % 2 ? 1 + 496u : 0u) << i;
}

} // namespace tile::sim::test
