// Branches, loops, calls and returns: which lanes go where, and where they meet again.
#include "test/unit/simulator/machine/RunPtx.h"

namespace tile::sim::test {

/// `%r0` is the thread, `%d0` the address of its u32 in tensor 0.
static const std::string kThread = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.s64 %d0, %d50, %d1;\n";

TEST(Control, LanesGoTheirOwnWayAndMeetAgain) {
  KernelRun run(kThread + R"(
    setp.lt.u32 %p1, %r0, 10;
    mov.u32 %r2, 1;
    @%p1 bra LOW;
    mov.u32 %r2, 100;
    bra JOIN;
    LOW: add.u32 %r2, %r2, 6;
    JOIN: activemask.b32 %r3;
    popc.b32 %r3, %r3;
    mad.lo.u32 %r2, %r3, 1000, %r2;
    st.global.u32 [%d0], %r2;)");
  run.addOutput<uint32_t>(32);
  run.options.seed = 1; // where lanes meet is the schedule's choice
  EXPECT_EQ(summary(run.run()), "");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(run.get<uint32_t>(0)[i], 32000 + (i < 10 ? 7u : 100u)) << i;
}

TEST(Control, LoopsRunAsOftenAsEachLaneWants) {
  KernelRun run(kThread + R"(
    mov.u32 %r2, 0;
    mov.u32 %r1, 0;
    LOOP: setp.ge.u32 %p1, %r1, %r0;
    @%p1 bra DONE;
    add.u32 %r2, %r2, %r1;
    add.u32 %r1, %r1, 1;
    bra LOOP;
    DONE: st.global.u32 [%d0], %r2;)");
  run.addOutput<uint32_t>(32);
  EXPECT_EQ(summary(run.run()), "");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(run.get<uint32_t>(0)[i], i ? i * (i - 1) / 2 : 0) << i;
}

TEST(Control, AnIndexedBranchTakesEachLaneToItsPlace) {
  KernelRun run(kThread + R"(
    and.b32 %r1, %r0, 3;
    TARGETS: .branchtargets A, B, C, D;
    brx.idx %r1, TARGETS;
    A: mov.u32 %r2, 10; bra OUT;
    B: mov.u32 %r2, 20; bra OUT;
    C: mov.u32 %r2, 30; bra OUT;
    D: mov.u32 %r2, 40;
    OUT: st.global.u32 [%d0], %r2;)");
  run.addOutput<uint32_t>(32);
  EXPECT_EQ(summary(run.run()), "");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(run.get<uint32_t>(0)[i], 10 * (i % 4 + 1)) << i;
}

TEST(Control, AnUndefinedIndexIsFound) {
  KernelRun run("TARGETS: .branchtargets A, B;\nbrx.idx %r1, TARGETS;\nA: mov.u32 %r2, 10;\nB: mov.u32 %r2, 20;");
  EXPECT_EQ(summary(run.run()), "undefined: the index is undefined");
}

TEST(Control, AFunctionIsRunInPlaceOfItsCall) {
  KernelRun run(kThread + R"(
    {
    .param .b32 a;
    .param .b32 result;
    st.param.b32 [a], %r0;
    call.uni (result), square, (a);
    ld.param.b32 %r2, [result];
    }
    st.global.u32 [%d0], %r2;)",
                "", R"(.func (.param .b32 out) square(.param .b32 in) {
    .reg .b32 %r<3>; .reg .pred %p;
    ld.param.b32 %r0, [in];
    setp.eq.u32 %p, %r0, 3;
    @%p bra SPECIAL;
    mul.lo.u32 %r1, %r0, %r0;
    st.param.b32 [out], %r1;
    ret;
    SPECIAL: st.param.b32 [out], 77;
    ret;
  })");
  run.addOutput<uint32_t>(32);
  EXPECT_EQ(summary(run.run()), "");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(run.get<uint32_t>(0)[i], i == 3 ? 77 : i * i) << i;
}

TEST(Control, ALineIsChargedWithWhatItCalls) {
  KernelRun run(".loc 1 7 3\ncall f, ();\n.loc 1 0 3\nadd.u32 %r0, %r0, 1;\n"
                ".loc 1 30 1, function_name $L, inlined_at 1 9 2\nsub.u32 %r0, %r0, 1;",
                "",
                ".file 1 \"k.cu\"\n.func g() { .reg .b32 %r<1>; mov.u32 %r0, 1; ret; }\n"
                ".func f() {\n.loc 1 20 1\ncall g, ();\nret;\n}");
  EXPECT_EQ(summary(run.run()), "");
  std::string charged;
  for (const Origin &origin : run.origins)
    if (origin.opcode != "ret")
      charged += origin.text + ":" + std::to_string(origin.charged.line) + " ";
  EXPECT_EQ(charged, "mov.u32:7 add.u32:7 sub.u32:9 ");
}

TEST(Control, RecursionIsRefused) {
  KernelRun run("call f, ();", "", ".func f() { call f, (); ret; }");
  EXPECT_EQ(run.refusal().message, "`call` of `f`, which calls itself; the simulator does not know recursion");
}

TEST(Control, ALaneThatReturnsIsNotWaitedFor) {
  KernelRun run(kThread + R"(
    setp.lt.u32 %p1, %r0, 40;
    @%p1 ret;
    bar.sync 0;
    st.global.u32 [%d0], %r0;)");
  run.block = {64, 1, 1};
  run.addOutput<uint32_t>(64);
  EXPECT_EQ(summary(run.run()), "");
  EXPECT_EQ(run.get<uint32_t>(0)[63], 63u);
  EXPECT_EQ(run.get<uint32_t>(0)[39], 0x5au);
}

TEST(Control, WhoWaitsForALaneOfItsWarpInALoopGetsThere) {
  // Lane 0 waits for what lane 31 writes: a warp whose lanes run in lockstep alone would hang.
  KernelRun run(kThread + R"(
    setp.eq.u32 %p1, %r0, 31;
    setp.eq.u32 %p2, %r0, 0;
    @%p2 bra WAIT;
    @%p1 st.volatile.shared.u32 [flag], 5;
    bra OUT;
    WAIT: ld.volatile.shared.u32 %r1, [flag];
    setp.ne.u32 %p3, %r1, 5;
    @%p3 bra WAIT;
    OUT: st.global.u32 [%d0], %r0;)",
                ".shared .u32 flag;");
  run.addOutput<uint32_t>(32);
  run.options.maxSteps = 100000;
  run.options.checks = kNoChecks;
  EXPECT_EQ(summary(run.run()), "");
}

TEST(Control, AnEndlessLoopEndsAtTheLimit) {
  KernelRun run("LOOP: bra LOOP;");
  run.options.maxSteps = 1000;
  RunResult result = run.run();
  EXPECT_FALSE(result.finished);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].fault, Fault::StepLimit);
}

TEST(Control, TheLimitOfStepsIsExact) {
  // Seven instructions: a pass of the loop has three, of which the guard leaves two at the end.
  KernelRun run("mov.u32 %r0, 2;\nLOOP: sub.u32 %r0, %r0, 1;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra LOOP;");
  run.options.maxSteps = 7;
  EXPECT_EQ(summary(run.run()), "");
  run.options.maxSteps = 6;
  EXPECT_EQ(summary(run.run()), "step-limit: a warp ran 6 instructions and is not done; the limit is 6");
}

TEST(Control, WaitingIsNoStep) {
  KernelRun run("bar.sync 0;\nbar.sync 0;");
  run.block = {96, 1, 1};
  run.options.maxSteps = 3;
  EXPECT_EQ(summary(run.run()), "");
}

TEST(Control, AnUnknownInstructionIsRefusedWithItsLine) {
  KernelRun run("tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, {%f0, %f1}];");
  EXPECT_EQ(run.refusal().message, "`tex.2d.v4.f32.f32`: the simulator does not know this instruction");
  EXPECT_EQ(KernelRun("add.rn.foo.f32 %f0, %f1, %f2;").refusal().message, "`add.rn.foo.f32`: `.foo` is not known here");
  EXPECT_EQ(KernelRun("add.u32 %r0, %d1, %r2;").refusal().message, "`add.u32`: `%d1` is .b64; expected .u32");
}

} // namespace tile::sim::test
