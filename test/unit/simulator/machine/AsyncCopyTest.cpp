// Copies that go on beside the threads: `cp.async`, its groups, and what a missing wait does.
#include "test/unit/simulator/machine/RunPtx.h"

namespace tile::sim::test {

namespace {
/// A ring of three stages through which two warps sum eight tiles, each word copied by a thread of the other warp.
struct Ring {
  std::string wait = "cp.async.wait_group 1;", barrier = "bar.sync 0;", secondCommit = "cp.async.commit_group;";
  unsigned stageShift = 0; ///< stages that the copies in the loop go too far

  KernelRun kernel() const {
    KernelRun run(R"(
      mov.u32 %r0, %tid.x;
      mul.wide.u32 %d1, %r0, 16;
      add.s64 %d2, %d50, %d1;
      mov.u32 %r11, buffer;
      mad.lo.u32 %r10, %r0, 16, %r11;
      xor.b32 %r12, %r0, 32;
      mad.lo.u32 %r12, %r12, 16, %r11;
      mov.u32 %r1, 0;
      mov.u32 %r2, 0;
      cp.async.cg.shared.global [%r10], [%d2], 16;
      cp.async.commit_group;
      cp.async.cg.shared.global.L2::128B [%r10+1024], [%d2+1024], 16;
      )" + secondCommit +
                      "\nLOOP:\n" + wait + "\n" + barrier + R"(
      add.u32 %r3, %r1, 2;
      setp.lt.u32 %p1, %r3, 8;
      add.u32 %r4, %r3, )" +
                      std::to_string(stageShift) + R"(;
      rem.u32 %r4, %r4, 3;
      mad.lo.u32 %r5, %r4, 1024, %r10;
      mul.wide.u32 %d3, %r3, 1024;
      add.s64 %d4, %d2, %d3;
      @%p1 cp.async.cg.shared.global [%r5], [%d4], 16;
      cp.async.commit_group;
      rem.u32 %r6, %r1, 3;
      mad.lo.u32 %r7, %r6, 1024, %r12;
      ld.shared.u32 %r8, [%r7];
      add.u32 %r2, %r2, %r8;
      add.u32 %r1, %r1, 1;
      setp.lt.u32 %p2, %r1, 8;
      @%p2 bra LOOP;
      mul.wide.u32 %d5, %r0, 4;
      add.s64 %d5, %d51, %d5;
      st.global.u32 [%d5], %r2;)",
                  ".shared .align 16 .b8 buffer[3072];");
    run.block = {64, 1, 1};
    std::vector<uint32_t> tiles(8 * 256);
    for (uint32_t i = 0; i < tiles.size(); ++i)
      tiles[i] = i * i;
    run.add(tiles);
    run.addOutput<uint32_t>(64);
    return run;
  }
};
} // namespace

TEST(AsyncCopy, RingGivesTheSumWithoutFindings) {
  for (unsigned seed = 1; seed < 30; ++seed) {
    KernelRun run = Ring().kernel();
    run.options.seed = seed;
    ASSERT_EQ(summary(run.run()), "");
    for (uint32_t thread = 0; thread < 64; ++thread) {
      uint32_t sum = 0;
      for (uint32_t tile = 0; tile < 8; ++tile)
        sum += (tile * 256 + (thread ^ 32) * 4) * (tile * 256 + (thread ^ 32) * 4);
      EXPECT_EQ(run.get<uint32_t>(1)[thread], sum);
    }
  }
}

TEST(AsyncCopy, RingWithOneFaultIsFoundInEveryInterleaving) {
  struct Mutant {
    const char *name;
    Ring ring;
    Fault fault;
  };
  std::vector<Mutant> mutants = {
      {"no wait", {}, Fault::AsyncNotAwaited},
      {"a group short", {}, Fault::AsyncNotAwaited},
      {"no barrier", {}, Fault::Race},
      {"no second commit", {}, Fault::AsyncNotAwaited},
      {"a stage too far", {}, Fault::AsyncNotAwaited},
  };
  mutants[0].ring.wait = "";
  mutants[1].ring.wait = "cp.async.wait_group 2;";
  mutants[2].ring.barrier = "";
  mutants[3].ring.secondCommit = "";
  mutants[4].ring.stageShift = 1;
  for (const Mutant &mutant : mutants)
    for (unsigned seed = 1; seed < 12; ++seed) {
      KernelRun run = mutant.ring.kernel();
      run.options.seed = seed;
      RunResult result = run.run();
      EXPECT_TRUE(has(result, mutant.fault)) << mutant.name << ", seed " << seed << ": " << summary(result);
    }
}

/// Each of 32 lanes copies to its 16 bytes of `buffer`; then come `rest` and the store of the first two words.
static KernelRun copyOnce(const std::string &copy, const std::string &rest = "cp.async.wait_all;") {
  KernelRun run(R"(
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %d1, %r0, 16;
    add.s64 %d2, %d50, %d1;
    mov.u32 %r11, buffer;
    mad.lo.u32 %r10, %r0, 16, %r11;
    setp.lt.u32 %p1, %r0, 16;
    selp.u32 %r5, 4, 8, %p1;
    st.shared.v4.u32 [%r10], {%r0, %r0, %r0, %r0};
    )" + copy + "\n" +
                    rest + R"(
    ld.shared.v2.u32 {%r1, %r2}, [%r10];
    mul.wide.u32 %d5, %r0, 8;
    add.s64 %d5, %d51, %d5;
    st.global.v2.u32 [%d5], {%r1, %r2};)",
                ".shared .align 16 .b8 buffer[512];");
  std::vector<uint32_t> source(128);
  for (uint32_t i = 0; i < source.size(); ++i)
    source[i] = 1000 + i;
  run.add(source);
  run.addOutput<uint32_t>(64);
  return run;
}

TEST(AsyncCopy, ZerosFollowAShortSource) {
  KernelRun run = copyOnce("cp.async.ca.shared.global [%r10], [%d2], 8, %r5;");
  EXPECT_EQ(summary(run.run()), "");
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(run.get<uint32_t>(1)[2 * lane], 1000 + 4 * lane);
    EXPECT_EQ(run.get<uint32_t>(1)[2 * lane + 1], lane < 16 ? 0 : 1001 + 4 * lane);
  }
}

TEST(AsyncCopy, AnIgnoredSourceMayLieAnywhere) {
  // Only the lanes above 15 read, and only they have an address.
  KernelRun run = copyOnce("selp.b64 %d2, 64, %d2, %p1;\ncp.async.ca.shared.global [%r10], [%d2], 16, %p1;");
  EXPECT_EQ(summary(run.run()), "");
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(run.get<uint32_t>(1)[2 * lane], lane < 16 ? 0 : 1000 + 4 * lane);
}

TEST(AsyncCopy, IsCheckedForBoundsAndAlignment) {
  RunResult behind = copyOnce("cp.async.cg.shared.global [%r10], [%d2+16], 16;").run();
  ASSERT_EQ(behind.findings.size(), 1u);
  EXPECT_EQ(behind.findings[0].message, "bytes 512 to 527 of `p0`; it has 512");
  EXPECT_TRUE(has(copyOnce("cp.async.cg.shared.global [%r10], [%d2+8], 16;").run(), Fault::Misaligned));
  EXPECT_TRUE(has(copyOnce("cp.async.cg.shared.global [%r10+512], [%d2], 16;").run(), Fault::OutOfBounds));
  // What is not read need not be there, but the address is aligned as if it were.
  EXPECT_EQ(summary(copyOnce("mov.u32 %r6, 0; cp.async.cg.shared.global [%r10], [%d2+512], 16, %r6;").run()), "");
  EXPECT_TRUE(
      has(copyOnce("mov.u32 %r6, 4; cp.async.cg.shared.global [%r10], [%d2+4], 16, %r6;").run(), Fault::Misaligned));
  RunResult large = copyOnce("mov.u32 %r6, 24; cp.async.cg.shared.global [%r10], [%d2], 16, %r6;").run();
  ASSERT_EQ(large.findings.size(), 1u);
  EXPECT_EQ(large.findings[0].message, "the size of the source is 24; expected at most the 16 bytes that are written");
}

TEST(AsyncCopy, WhatIsReadTooEarlyIsUndefinedInSomeInterleavings) {
  unsigned undefined = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    KernelRun run = copyOnce("cp.async.cg.shared.global [%r10], [%d2], 16;", "bar.sync 0;");
    run.options.seed = seed;
    RunResult result = run.run();
    EXPECT_TRUE(has(result, Fault::AsyncNotAwaited));
    undefined += has(result, Fault::Undefined);
  }
  EXPECT_GT(undefined, 0u);
  EXPECT_LT(undefined, 40u);
}

TEST(AsyncCopy, AWaitIsForTheThreadsThatRunIt) {
  // The upper half of the warp does not wait.
  RunResult result = copyOnce("cp.async.cg.shared.global [%r10], [%d2], 16;", "@%p1 cp.async.wait_all;").run();
  ASSERT_TRUE(has(result, Fault::AsyncNotAwaited)) << summary(result);
  EXPECT_EQ(result.findings[0].place.thread[0], 16u);
}

TEST(AsyncCopy, CachePoliciesHaveNoEffect) {
  KernelRun run = copyOnce("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %d6, 0.25;\n"
                           "cp.async.ca.shared::cta.global.L2::cache_hint [%r10], [%d2], 8, %r5, %d6;");
  EXPECT_EQ(summary(run.run()), "");
  EXPECT_EQ(run.get<uint32_t>(1)[3], 0u);
  EXPECT_EQ(run.get<uint32_t>(1)[62], 1124u);
}

TEST(AsyncCopy, AnUndefinedSizeIsFound) {
  EXPECT_EQ(summary(copyOnce("cp.async.ca.shared.global [%r10], [%d2], 8, %r30;").run()).substr(0, 44),
            "undefined: how much is copied is undefined");
}

TEST(AsyncCopy, OtherFormsAreRefused) {
  EXPECT_EQ(copyOnce("cp.async.shared.global [%r10], [%d2], 8;").refusal().message,
            "`cp.async.shared.global`: expected `cp.async.ca.shared.global` or `cp.async.cg.shared.global`");
  EXPECT_EQ(copyOnce("cp.async.ca.shared.global [%r10], [%d2];").refusal().message,
            "`cp.async.ca.shared.global`: it has 2 operands");
  EXPECT_EQ(copyOnce("cp.async.cg.shared.global [%r10], [%d2], 8;").refusal().message,
            "`cp.async.cg.shared.global`: it copies 8 bytes; expected 16");
  EXPECT_EQ(copyOnce("cp.async.ca.shared.global [%r10], [%d2], 12;").refusal().message,
            "`cp.async.ca.shared.global`: it copies 12 bytes; expected 4, 8 or 16");
  EXPECT_EQ(copyOnce("cp.async.cg.shared.global [%r10], [%d2], %r5;").refusal().message,
            "`cp.async.cg.shared.global`: operand 3 is no constant");
}

} // namespace tile::sim::test
