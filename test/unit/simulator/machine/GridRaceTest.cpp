// Races in global memory, within a CTA and between CTAs, and what orders them.
#include "test/unit/simulator/machine/RunPtx.h"

namespace tile::sim::test {

TEST(GridRace, CtasThatWriteTheSameBytesConflict) {
  KernelRun run("mov.u32 %r0, %ctaid.x; st.global.u32 [%d50], %r0;");
  run.grid = {2, 1, 1};
  run.block = {1, 1, 1};
  run.addOutput<uint32_t>(1);
  RunResult result = run.run();
  ASSERT_EQ(result.findings.size(), 1u) << summary(result);
  EXPECT_EQ(result.findings[0].fault, Fault::Race);
  EXPECT_NE(result.findings[0].place.cta, result.findings[0].other.cta);
}

TEST(GridRace, CtasThatWriteOneValueConflictWhereAnElementHasOneWriter) {
  for (check::EqualWrites equalWrites : {check::EqualWrites::AreNoConflict, check::EqualWrites::OfCtasConflict}) {
    KernelRun run("st.global.u32 [%d50], 7;");
    run.block = {64, 1, 1};
    run.options.equalWrites = equalWrites;
    run.addOutput<uint32_t>(1);
    EXPECT_EQ(summary(run.run()), "");
    run.grid = {4, 1, 1};
    EXPECT_EQ(has(run.run(), Fault::Race), equalWrites == check::EqualWrites::OfCtasConflict);
  }
}

TEST(GridRace, NeighbouringBytesDoNot) {
  KernelRun run("mov.u32 %r0, %ctaid.x; cvt.u64.u32 %d1, %r0; add.s64 %d1, %d50, %d1; st.global.u8 [%d1], %r0;");
  run.grid = {64, 1, 1};
  run.block = {1, 1, 1};
  run.addOutput<uint8_t>(64);
  EXPECT_EQ(summary(run.run()), "");
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(run.get<uint8_t>(0)[i], i);
}

/// CTA 0 writes a word and raises a flag, CTA 1 waits for the flag and reads the word.
static RunResult passMessage(const std::string &raise, const std::string &wait) {
  KernelRun run(R"(
    mov.u32 %r0, %ctaid.x;
    setp.eq.u32 %p1, %r0, 1;
    @%p1 bra READER;
    st.global.u32 [%d50], 42;
    )" + raise + R"(
    ret;
    READER: )" + wait +
                R"(
    setp.eq.u32 %p2, %r1, 0;
    @%p2 bra READER;
    ld.global.u32 %r2, [%d50];
    st.global.u32 [%d52], %r2;)");
  run.grid = {2, 1, 1};
  run.block = {1, 1, 1};
  run.addOutput<uint32_t>(1);
  run.add(std::vector<uint32_t>(1, 0));
  run.addOutput<uint32_t>(1);
  run.options.maxSteps = 1'000'000;
  RunResult result = run.run();
  EXPECT_EQ(run.get<uint32_t>(2)[0], 42u);
  return result;
}

TEST(GridRace, ReleaseAndAcquireOrderCtas) {
  EXPECT_EQ(summary(passMessage("st.release.gpu.global.u32 [%d51], 1;", "ld.acquire.gpu.global.u32 %r1, [%d51];")), "");
  EXPECT_EQ(summary(passMessage("fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%d51], 1;",
                                "ld.relaxed.gpu.global.u32 %r1, [%d51]; fence.acq_rel.gpu;")),
            "");
}

TEST(GridRace, RelaxedAccessesOrNarrowScopesDoNot) {
  for (auto [raise, wait] :
       {std::pair("st.relaxed.gpu.global.u32 [%d51], 1;", "ld.relaxed.gpu.global.u32 %r1, [%d51];"),
        std::pair("st.release.cta.global.u32 [%d51], 1;", "ld.acquire.cta.global.u32 %r1, [%d51];"),
        std::pair("st.relaxed.gpu.global.u32 [%d51], 1;", "ld.acquire.gpu.global.u32 %r1, [%d51];")}) {
    RunResult result = passMessage(raise, wait);
    EXPECT_NE(summary(result).find("race"), std::string::npos) << raise;
  }
}

} // namespace tile::sim::test
