// What is left out where not everything is checked, and what never is.
#include "test/unit/simulator/machine/RunPtx.h"

namespace tile::sim::test {

constexpr Checks kRaces = {true, false}, kUndefined = {false, true};

static std::string summaryWith(KernelRun run, Checks checks) {
  run.options.checks = checks;
  return summary(run.run());
}

/// Threads write one word each and read their neighbour's without a barrier; the result is never written.
static KernelRun racyKernel() {
  KernelRun run("mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 2;\nmov.u32 %r2, buffer;\nadd.u32 %r1, %r1, %r2;\n"
                "st.shared.u32 [%r1], %r0;\nxor.b32 %r1, %r1, 128;\nld.shared.u32 %r3, [%r1];\n"
                "setp.eq.u32 %p1, %r0, 77;\n@%p1 st.global.u32 [%d50], %r0;",
                ".shared .align 4 .b8 buffer[256];");
  run.block = {64, 1, 1};
  run.addOutput<uint32_t>(1);
  return run;
}

/// An undefined value reaches an address, a guard, a store and an atomic operation.
static KernelRun undefinedKernel() {
  KernelRun run("and.b64 %d1, %d20, 4;\nadd.s64 %d1, %d1, %d50;\nst.global.u32 [%d1], %r20;\n"
                "@%p9 st.global.u32 [%d50], 1;\natom.global.add.u32 %r1, [%d50], %r20;");
  run.block = {1, 1, 1};
  run.addOutput<uint32_t>(2);
  return run;
}

TEST(Checks, ARaceIsFoundWhereRacesAreChecked) {
  EXPECT_NE(summaryWith(racyKernel(), Checks()).find("race"), std::string::npos);
  EXPECT_NE(summaryWith(racyKernel(), kRaces).find("race"), std::string::npos);
  EXPECT_EQ(summaryWith(racyKernel(), kUndefined).find("race"), std::string::npos);
  EXPECT_EQ(summaryWith(racyKernel(), kNoChecks), "");
}

TEST(Checks, AnUndefinedValueIsFoundWhereThoseAreChecked) {
  EXPECT_NE(summaryWith(undefinedKernel(), Checks()).find("undefined"), std::string::npos);
  EXPECT_NE(summaryWith(undefinedKernel(), kUndefined).find("undefined"), std::string::npos);
  EXPECT_EQ(summaryWith(undefinedKernel(), kRaces), "");
  EXPECT_EQ(summaryWith(undefinedKernel(), kNoChecks), "");
}

TEST(Checks, BoundsAreAlwaysChecked) {
  for (Checks checks : {Checks(), kRaces, kUndefined, kNoChecks})
    for (const char *access : {"st.global.u32 [%d50+32], %r0;", "st.global.u32 [%d50+-4], %r0;",
                               "ld.global.u32 %r1, [%d50+32];", "st.shared.u32 [4096], %r0;"}) {
      KernelRun run(std::string("mov.b32 %r0, 1;\n") + access);
      run.block = {1, 1, 1};
      run.addOutput<uint32_t>(8);
      run.options.checks = checks;
      EXPECT_TRUE(has(run.run(), Fault::OutOfBounds)) << access;
    }
}

TEST(Checks, ADeadlockAndAWriteToAnInputAreAlwaysFound) {
  KernelRun waits("mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 32;\n@%p1 bar.sync 0, 96;");
  waits.block = {64, 1, 1};
  waits.options.checks = kNoChecks;
  EXPECT_TRUE(has(waits.run(), Fault::Deadlock));

  KernelRun writes("st.global.u32 [%d50], 1;");
  writes.block = {1, 1, 1};
  writes.add(std::vector<uint32_t>(1), /*defined=*/true, /*writable=*/false);
  writes.options.checks = kNoChecks;
  EXPECT_TRUE(has(writes.run(), Fault::ReadOnly));
}

/// Copies through shared memory that is reused, in two stages, and sums what it read; every access is ordered.
static KernelRun pipelinedKernel() {
  KernelRun run(R"(
    mov.u32 %r0, %tid.x;
    shl.b32 %r1, %r0, 4;
    mov.u32 %r2, buffer;
    add.u32 %r3, %r1, %r2;
    xor.b32 %r4, %r1, 512;
    add.u32 %r4, %r4, %r2;
    mul.wide.u32 %d1, %r0, 16;
    add.s64 %d2, %d50, %d1;
    mov.b32 %r5, 0;
    mov.b32 %r6, 4;
LOOP:
    cp.async.cg.shared.global [%r3], [%d2], 16;
    cp.async.wait_all;
    bar.sync 0;
    ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r4];
    bar.sync 0;
    add.u32 %r5, %r5, %r10; add.u32 %r5, %r5, %r11; mad.lo.u32 %r5, %r5, 3, %r12; add.u32 %r5, %r5, %r13;
    shfl.sync.bfly.b32 %r7, %r5, 1, 31, -1;
    add.u32 %r5, %r5, %r7;
    add.s64 %d2, %d2, 1024;
    add.s32 %r6, %r6, -1;
    setp.ne.s32 %p1, %r6, 0;
    @%p1 bra LOOP;
    mul.wide.u32 %d3, %r0, 4;
    add.s64 %d3, %d51, %d3;
    st.global.u32 [%d3], %r5;)",
                ".shared .align 16 .b8 buffer[1024];");
  run.block = {64, 1, 1};
  std::vector<uint32_t> values(1024);
  for (unsigned i = 0; i < values.size(); ++i)
    values[i] = i * 2654435761u;
  run.add(values);
  run.addOutput<uint32_t>(64);
  return run;
}

TEST(Checks, TheResultsOfARightKernelAreTheSameWhateverIsChecked) {
  KernelRun reference = pipelinedKernel();
  ASSERT_EQ(summary(reference.run()), "");
  for (Checks checks : {kRaces, kUndefined, kNoChecks})
    for (uint64_t seed = 1; seed < 5; ++seed) {
      KernelRun run = pipelinedKernel();
      run.options.checks = checks;
      run.options.seed = seed;
      EXPECT_EQ(summary(run.run()), "");
      EXPECT_EQ(run.get<uint32_t>(1), reference.get<uint32_t>(1));
    }
}

} // namespace tile::sim::test
