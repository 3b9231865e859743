// What clusters ask of kernels, in a cluster of one CTA; registers per thread; dependent grids.
#include "test/unit/simulator/machine/RunPtx.h"

namespace tile::sim::test {

static const std::string kThread = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.s64 %d0, %d50, %d1;\n"
                                   "shl.b32 %r10, %r0, 2;\nmov.u32 %r11, buffer;\nadd.u32 %r10, %r10, %r11;\n";
static const std::string kBuffer = ".shared .align 8 .b8 buffer[4096];";

/// Two warps write a word each thread and read one of the other warp's behind `between`.
static KernelRun exchange(const std::string &between) {
  KernelRun run(kThread + "st.shared.u32 [%r10], %r0;\n" + between + R"(
    xor.b32 %r1, %r0, 32;
    mad.lo.u32 %r1, %r1, 4, %r11;
    ld.shared.u32 %r2, [%r1];
    st.global.u32 [%d0], %r2;)",
                kBuffer);
  run.block = {64, 1, 1};
  run.addOutput<uint32_t>(64);
  return run;
}

TEST(Cluster, BarrierOrdersWhatArrivedBefore) {
  for (unsigned seed = 1; seed < 10; ++seed) {
    KernelRun run = exchange("barrier.cluster.arrive.release.aligned;\nmov.u32 %r5, 1;\n"
                             "barrier.cluster.wait.acquire.aligned;\n");
    run.options.seed = seed;
    EXPECT_EQ(summary(run.run()), "");
    for (unsigned i = 0; i < 64; ++i)
      EXPECT_EQ(run.get<uint32_t>(0)[i], i ^ 32);
    KernelRun relaxed = exchange("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;\n");
    relaxed.options.seed = seed;
    EXPECT_NE(summary(relaxed.run()).find("race"), std::string::npos);
  }
}

TEST(Cluster, ThreadsThatReturnAreNotWaitedFor) {
  KernelRun run(kThread + R"(
    setp.ge.u32 %p1, %r0, 32;
    @%p1 ret;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    st.global.u32 [%d0], %r0;)",
                kBuffer);
  run.block = {64, 1, 1};
  run.addOutput<uint32_t>(64);
  EXPECT_EQ(summary(run.run()), "");
}

TEST(Cluster, ArrivalsAndWaitsComeInPairs) {
  auto only = [](const std::string &body) {
    KernelRun run(body, kBuffer);
    run.addOutput<uint32_t>(1);
    return summary(run.run());
  };
  EXPECT_EQ(only("barrier.cluster.arrive; barrier.cluster.arrive; barrier.cluster.wait;"),
            "barrier-divergence: a thread arrives that has arrived before; expected `barrier.cluster.wait` between");
  EXPECT_EQ(only("barrier.cluster.wait;"),
            "barrier-divergence: a thread waits that has not arrived; expected `barrier.cluster.arrive` before");
}

TEST(Cluster, AWaitForAWarpThatNeverArrivesIsADeadlock) {
  KernelRun run(kThread + R"(
    setp.ge.u32 %p1, %r0, 32;
    @%p1 bra OTHER;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ret;
    OTHER: bar.sync 1, 64;)",
                kBuffer);
  run.block = {64, 1, 1};
  run.addOutput<uint32_t>(1);
  EXPECT_EQ(summary(run.run()), "deadlock: no thread of the CTA can go on: 32 wait at `barrier.cluster.wait.aligned`, "
                                "line 23; 32 wait at `bar.sync`, line 25 (barrier 1 has 32 of 64 threads; "
                                "warp 0 has not come)");
}

TEST(Cluster, AddressesMapToTheOneCta) {
  KernelRun run(kThread + R"(
    mapa.shared::cluster.u32 %r1, %r10, 0;
    getctarank.shared::cluster.u32 %r2, %r1;
    mov.u32 %r3, %cluster_ctarank;
    add.u32 %r3, %r3, %r2;
    st.shared::cluster.u32 [%r1], %r3;
    ld.shared.u32 %r4, [%r10];
    st.global.u32 [%d0], %r4;)",
                kBuffer);
  run.addOutput<uint32_t>(32);
  EXPECT_EQ(summary(run.run()), "");
  EXPECT_EQ(run.get<uint32_t>(0)[31], 0u);
  KernelRun other("mapa.shared::cluster.u32 %r1, buffer, 3;", kBuffer);
  other.addOutput<uint32_t>(1);
  EXPECT_EQ(summary(other.run()), "bad-operand: the rank is 3; the cluster has one CTA, 0");
}

TEST(Cluster, RegisterLimitsAndDependentGrids) {
  KernelRun run(kThread + R"(
    griddepcontrol.wait;
    setmaxnreg.dec.sync.aligned.u32 40;
    setmaxnreg.inc.sync.aligned.u32 232;
    fence.mbarrier_init.release.cluster;
    fence.proxy.async.shared::cta;
    griddepcontrol.launch_dependents;
    st.global.u32 [%d0], %r0;)",
                kBuffer);
  run.addOutput<uint32_t>(32);
  EXPECT_EQ(summary(run.run()), "");
  auto refusal = [](const std::string &body) {
    KernelRun run(body, kBuffer);
    return run.refusal().message;
  };
  EXPECT_EQ(refusal("setmaxnreg.inc.sync.aligned.u32 100;"),
            "`setmaxnreg.inc.sync.aligned.u32`: its operand is no multiple of 8 from 24 to 256");
  EXPECT_EQ(refusal("griddepcontrol.start;"),
            "`griddepcontrol.start`: it says neither `.launch_dependents` nor `.wait`");
  EXPECT_EQ(refusal("barrier.cluster.sync;"), "`barrier.cluster.sync`: it says neither `.arrive` nor `.wait`");
}

} // namespace tile::sim::test
