// Races in shared memory, on kernels that lack one barrier; and none on those that have it.
#include "test/unit/simulator/machine/RunPtx.h"

namespace tile::sim::test {

static const std::string kThread = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.s64 %d0, %d50, %d1;\n"
                                   "shl.b32 %r10, %r0, 2;\nmov.u32 %r11, buffer;\nadd.u32 %r10, %r10, %r11;\n";
static const std::string kBuffer = ".shared .align 4 .b8 buffer[4096];";

/// A thread writes its word, reads its neighbour's, and so twice over; `first`, `second` and `third` stand between.
static KernelRun exchange(const std::string &first, const std::string &second, const std::string &third) {
  KernelRun run(kThread + "xor.b32 %r1, %r0, 32;\nshl.b32 %r1, %r1, 2;\nadd.u32 %r1, %r1, %r11;\n" +
                    "st.shared.u32 [%r10], %r0;\n" + first + "ld.shared.u32 %r2, [%r1];\n" + second +
                    "st.shared.u32 [%r10], %r2;\n" + third + "ld.shared.u32 %r3, [%r1];\nst.global.u32 [%d0], %r3;",
                kBuffer);
  run.block = {64, 1, 1};
  run.addOutput<uint32_t>(64);
  return run;
}
static const std::string kBarrier = "bar.sync 0;\n";

TEST(Race, NoneWithAllBarriers) {
  for (unsigned seed = 1; seed < 20; ++seed) {
    KernelRun run = exchange(kBarrier, kBarrier, kBarrier);
    run.options.seed = seed;
    EXPECT_EQ(summary(run.run()), "");
  }
}

TEST(Race, EachMissingBarrierIsFoundInEveryInterleaving) {
  for (unsigned missing = 0; missing < 3; ++missing)
    for (unsigned seed = 1; seed < 20; ++seed) {
      KernelRun run =
          exchange(missing == 0 ? "" : kBarrier, missing == 1 ? "" : kBarrier, missing == 2 ? "" : kBarrier);
      run.options.seed = seed;
      RunResult result = run.run();
      bool found = false;
      for (const Finding &finding : result.findings)
        found |= finding.fault == Fault::Race && finding.hasOther;
      EXPECT_TRUE(found) << "barrier " << missing << ", seed " << seed;
    }
}

TEST(Race, BothAccessesAreNamed) {
  KernelRun run = exchange(kBarrier, "", kBarrier);
  RunResult result = run.run();
  ASSERT_FALSE(result.findings.empty());
  const Finding &finding = result.findings[0];
  // Which of the two comes second is the schedule's choice.
  EXPECT_NE(finding.message.find(" of it that nothing orders"), std::string::npos) << finding.message;
  EXPECT_NE(finding.place.thread, finding.other.thread);
}

TEST(Race, LanesOfAWarpAreOrderedByItsBarrierAlone) {
  auto within = [](const std::string &between) {
    KernelRun run(kThread + "xor.b32 %r1, %r0, 1;\nshl.b32 %r1, %r1, 2;\nadd.u32 %r1, %r1, %r11;\n" +
                      "st.shared.u32 [%r10], %r0;\n" + between + "ld.shared.u32 %r2, [%r1];\nst.global.u32 [%d0], %r2;",
                  kBuffer);
    run.addOutput<uint32_t>(32);
    return run.run();
  };
  EXPECT_EQ(summary(within("bar.warp.sync 0xffffffff;\n")), "");
  RunResult racy = within("");
  ASSERT_EQ(racy.findings.size(), 1u);
  EXPECT_EQ(racy.findings[0].fault, Fault::Race);
}

/// 64 threads run `store`, `first` before and `then` after it.
static std::string storedByAll(const std::string &first, const std::string &store, const std::string &then) {
  KernelRun run(kThread + "and.b32 %r4, %r0, 1;\nsetp.eq.u32 %p2, %r0, 33;\nmov.b32 %r5, 7;\n" + first + store + "\n" +
                    then,
                kBuffer);
  run.block = {64, 1, 1};
  run.addOutput<uint32_t>(64);
  return summary(run.run());
}

TEST(Race, StoresOfOneValueByOneInstructionAreNone) {
  // Of a warp only the first lane changes what was there.
  for (const char *store :
       {"st.shared.u32 [%r11], %r5;", "st.shared.u8 [%r11+3], %r5;", "st.shared.v2.u32 [%r11], {%r5, %r5};",
        "st.shared.u64 [%r11], %d50;", "st.global.u32 [%d50], %r5;", "st.global.v4.u32 [%d50], {%r5, %r5, %r5, %r5};"})
    EXPECT_EQ(storedByAll("", store, ""), "") << store;
  EXPECT_EQ(storedByAll("", "st.shared.u32 [%r11], %r5;", "bar.sync 0;\nld.shared.u32 %r6, [%r11];"), "");
}

TEST(Race, StoresOfOneValueRaceWithWhatTheyAreNotOrderedAfter) {
  const std::string same = "st.shared.u32 [%r11], %r5;";
  EXPECT_NE(storedByAll("", same, "ld.shared.u32 %r6, [%r11];").find("race"), std::string::npos);
  EXPECT_NE(storedByAll("@%p2 st.shared.u32 [%r11], %r0;\n", same, "").find("race"), std::string::npos);
}

TEST(Race, StoresOfTwoValuesByOneInstructionAreOne) {
  for (const char *store : {"st.shared.u32 [%r11], %r0;", "st.shared.u32 [%r11], %r4;",
                            "st.shared.v2.u32 [%r11], {%r5, %r4};", "st.global.u32 [%d50], %r4;"})
    EXPECT_NE(storedByAll("", store, "").find("race"), std::string::npos) << store;
  // The last lane stores what the first did, and another one between.
  EXPECT_NE(storedByAll("selp.b32 %r5, 9, 7, %p2;\n", "st.shared.u32 [%r11], %r5;", "").find("race"),
            std::string::npos);
  // Nobody knows whether two undefined values are the same.
  EXPECT_NE(storedByAll("", "st.shared.u32 [%r11], %r9;", "").find("race"), std::string::npos);
}

TEST(Race, AnArrivalOrdersWhatCameBeforeIt) {
  auto produce = [](const std::string &arrival) {
    KernelRun run(kThread + R"(
      setp.lt.u32 %p1, %r0, 32;
      @%p1 bra PRODUCER;
      bar.sync 1, 64;
      sub.u32 %r10, %r10, 128;
      ld.shared.u32 %r2, [%r10];
      st.global.u32 [%d0], %r2;
      ret;
      PRODUCER: )" + arrival,
                  kBuffer);
    run.block = {64, 1, 1};
    run.addOutput<uint32_t>(64);
    return run.run();
  };
  EXPECT_EQ(summary(produce("st.shared.u32 [%r10], %r0; bar.arrive 1, 64;")), "");
  RunResult late = produce("bar.arrive 1, 64; st.shared.u32 [%r10], %r0;");
  EXPECT_NE(summary(late).find("race"), std::string::npos) << summary(late);
}

} // namespace tile::sim::test
