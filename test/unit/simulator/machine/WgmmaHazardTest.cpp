// Matrix instructions of a warpgroup: what a missing fence or wait does, and what warps and registers must agree on.
#include "test/unit/simulator/machine/WgmmaKernels.h"

namespace tile::sim::test {

TEST(Wgmma, OneFaultIsFoundInEveryInterleaving) {
  struct Mutant {
    const char *name;
    std::function<void(Product &)> change;
    Fault fault;
  };
  const Mutant mutants[] = {
      {"no wgmma.fence", [](Product &p) { p.fence = ""; }, Fault::RegisterInFlight},
      {"fence before a write of the accumulators", [](Product &p) { p.fence += "mov.f32 %acc3, 0f00000000;\n"; },
       Fault::RegisterInFlight},
      {"no wait", [](Product &p) { p.wait = ""; }, Fault::RegisterInFlight},
      {"a group short", [](Product &p) { p.wait = "wgmma.wait_group.sync.aligned 1;\n"; }, Fault::RegisterInFlight},
      {"no commit", [](Product &p) { p.depthOfGroups = ""; }, Fault::RegisterInFlight},
      {"no proxy fence", [](Product &p) { p.proxyFence = ""; }, Fault::MissingProxyFence},
      {"proxy fence of global memory", [](Product &p) { p.proxyFence = "fence.proxy.async.global;\n"; },
       Fault::MissingProxyFence},
      {"no barrier", [](Product &p) { p.barrier = ""; }, Fault::Race},
      {"accumulator read between", [](Product &p) { p.betweenSteps = "add.f32 %f1, %acc5, %acc6;\n"; },
       Fault::RegisterInFlight},
      {"B overwritten in flight", [](Product &p) { p.beforeWait = "st.shared.u32 [%r10+8192], %r0;\n"; },
       Fault::AsyncNotAwaited},
      {"one warp stays away", [](Product &p) { p.guard = "@%p3 "; }, Fault::Deadlock},
  };
  for (const Mutant &mutant : mutants)
    for (unsigned seed = 1; seed < 6; ++seed) {
      Product wanted;
      mutant.change(wanted);
      KernelRun run = wanted.kernel();
      run.options.seed = seed;
      RunResult result = run.run();
      EXPECT_TRUE(has(result, mutant.fault)) << mutant.name << ", seed " << seed << ": " << summary(result);
    }
}

TEST(Wgmma, RegistersOfAAreNotFreeBeforeTheWait) {
  unsigned wrong = 0;
  for (unsigned seed = 1; seed < 10; ++seed) {
    Product wanted;
    wanted.aInRegisters = true;
    // The registers of the last step, rewritten while it may still read them.
    wanted.beforeWait = "mov.b32 %a12, 0;\nmov.b32 %a13, 0;\nmov.b32 %a14, 0;\nmov.b32 %a15, 0;\n";
    KernelRun run = wanted.kernel();
    run.options.seed = seed;
    RunResult result = run.run();
    ASSERT_TRUE(has(result, Fault::RegisterInFlight));
    EXPECT_EQ(result.findings[0].message,
              "a register is written that an asynchronous matrix instruction may still read; expected "
              "`wgmma.wait_group` before");
    std::vector<float> found = run.get<float>(2);
    std::vector<double> expected = product(64, 64, 64);
    bool differs = false;
    for (unsigned i = 0; i < 32; ++i)
      differs |= double(found[i]) != expected[indexOfAccumulator(0, i, 64)];
    wrong += differs;
  }
  EXPECT_GT(wrong, 0u);
}

TEST(Wgmma, WarpsThatDisagreeAreFound) {
  // Warp 3 passes by another way, and runs an instruction of its own.
  Product wanted;
  wanted.betweenSteps = "setp.ge.u32 %p4, %r0, 96;\n@%p4 add.s64 %d9, %d9, 1;\n";
  EXPECT_TRUE(has(wanted.kernel().run(), Fault::BarrierDivergence));
}

namespace {
/// A ring of two stages that `cp.async` fills and one matrix instruction a step reads: 64 x 64 x 64, f16.
struct Ring {
  std::string copyWait = "cp.async.wait_group 0;\n", proxyFence = "fence.proxy.async.shared::cta;\n",
              fullBarrier = "bar.sync 0;\n", matrixWait = "wgmma.wait_group.sync.aligned 1;\n",
              emptyBarrier = "bar.sync 0;\n";
  unsigned copyShift = 0;

  KernelRun kernel() const {
    KernelRun run(
        R"(
      mov.u32 %r0, %tid.x;
      mov.u32 %r11, buffer;
      shl.b32 %r1, %r0, 4;
      shr.u32 %r2, %r1, 3;
      and.b32 %r2, %r2, 16;
      xor.b32 %r1, %r1, %r2;
      add.u32 %r10, %r11, %r1;
      shr.u32 %r3, %r0, 1;
      and.b32 %r4, %r0, 1;
      shl.b32 %r4, %r4, 4;
      mad.lo.u32 %r3, %r3, 128, %r4;
      cvt.u64.u32 %d1, %r3;
      add.s64 %d2, %d50, %d1;
      add.s64 %d3, %d51, %d1;
      cvt.u64.u32 %d9, %r11;
      shr.u64 %d9, %d9, 4;
      mov.u32 %r5, 0;
      LOOP:
      add.u32 %r6, %r5, )" +
            std::to_string(copyShift) + R"(;
      and.b32 %r6, %r6, 1;
      mad.lo.u32 %r7, %r6, 4096, %r10;
      cp.async.cg.shared.global [%r7], [%d2], 16;
      cp.async.cg.shared.global [%r7+2048], [%d3], 16;
      cp.async.commit_group;
      add.s64 %d2, %d2, 32;
      add.s64 %d3, %d3, 32;
      )" + copyWait +
            proxyFence + fullBarrier + R"(
      and.b32 %r8, %r5, 1;
      mul.wide.u32 %d4, %r8, 256;
      add.s64 %d5, %d9, )" +
            std::to_string(int64_t(descriptor(0, 16, 256, 2))) + R"(;
      add.s64 %d5, %d5, %d4;
      add.s64 %d6, %d5, 128;
      setp.ne.u32 %p1, %r5, 0;
      wgmma.fence.sync.aligned;
      wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 )" +
            list("%acc", 32) + R"(, %d5, %d6, %p1, 1, 1, 0, 0;
      wgmma.commit_group.sync.aligned;
      )" + matrixWait +
            emptyBarrier +
            R"(
      add.u32 %r5, %r5, 1;
      setp.lt.u32 %p2, %r5, 4;
      @%p2 bra LOOP;
      wgmma.wait_group.sync.aligned 0;
      mul.wide.u32 %d4, %r0, 128;
      add.s64 %d4, %d52, %d4;
)" +
            [] {
              std::string stores;
              for (unsigned i = 0; i < 32; ++i)
                stores += "st.global.f32 [%d4+" + std::to_string(4 * i) + "], %acc" + std::to_string(i) + ";\n";
              return stores;
            }(),
        ".shared .align 1024 .b8 buffer[8192];\n.reg .f32 %acc<32>;");
    run.block = {128, 1, 1};
    std::vector<uint16_t> a, b;
    for (unsigned row = 0; row < 64; ++row)
      for (unsigned k = 0; k < 64; ++k) {
        a.push_back(half(valueOfA(row, k)));
        b.push_back(half(valueOfB(row, k)));
      }
    run.add(a);
    run.add(b);
    run.addOutput<float>(64 * 64);
    return run;
  }
};
} // namespace

TEST(Wgmma, RingOfCopiesGivesTheProduct) {
  for (unsigned seed = 1; seed < 12; ++seed) {
    KernelRun run = Ring().kernel();
    run.options.seed = seed;
    EXPECT_EQ(summary(run.run()), "");
    expectProduct(run, "seed " + std::to_string(seed));
  }
}

TEST(Wgmma, RingWithOneFaultIsFoundInEveryInterleaving) {
  struct Mutant {
    const char *name;
    std::function<void(Ring &)> change;
    std::vector<Fault> faults; ///< one of them
  };
  const Mutant mutants[] = {
      {"no wait for the copies", [](Ring &r) { r.copyWait = ""; }, {Fault::AsyncNotAwaited}},
      {"a copy group short", [](Ring &r) { r.copyWait = "cp.async.wait_group 1;\n"; }, {Fault::AsyncNotAwaited}},
      {"no proxy fence", [](Ring &r) { r.proxyFence = ""; }, {Fault::MissingProxyFence}},
      {"no barrier when full", [](Ring &r) { r.fullBarrier = ""; }, {Fault::Race, Fault::AsyncNotAwaited}},
      {"matrix wait short",
       [](Ring &r) { r.matrixWait = "wgmma.wait_group.sync.aligned 2;\n"; },
       {Fault::AsyncNotAwaited}},
      {"no barrier when empty", [](Ring &r) { r.emptyBarrier = ""; }, {Fault::Race, Fault::AsyncNotAwaited}},
      {"stages swapped", [](Ring &r) { r.copyShift = 1; }, {Fault::Race, Fault::AsyncNotAwaited, Fault::Undefined}},
  };
  for (const Mutant &mutant : mutants)
    for (unsigned seed = 1; seed < 6; ++seed) {
      Ring ring;
      mutant.change(ring);
      KernelRun run = ring.kernel();
      run.options.seed = seed;
      RunResult result = run.run();
      bool found = false;
      for (Fault fault : mutant.faults)
        found |= has(result, fault);
      EXPECT_TRUE(found) << mutant.name << ", seed " << seed << ": " << summary(result);
    }
}

TEST(Wgmma, WhatLiesBehindSharedMemoryIsFoundAndUndefined) {
  Product wanted;
  wanted.betweenSteps = "add.s64 %d9, %d9, 512;\n"; // the last steps read behind the buffer
  RunResult result = wanted.kernel().run();
  EXPECT_TRUE(has(result, Fault::OutOfBounds)) << summary(result);
  EXPECT_TRUE(has(result, Fault::Undefined)) << summary(result);
}

TEST(Wgmma, WhatTheWarpsOfAGroupMustSayAlike) {
  auto found = [](const std::function<void(Product &)> &change, unsigned threads, const std::string &message) {
    Product wanted;
    change(wanted);
    KernelRun run = wanted.kernel();
    run.block = {threads, 1, 1};
    std::string all = summary(run.run());
    EXPECT_NE(all.find(message), std::string::npos) << all;
  };
  found([](Product &) {}, 96, "barrier-divergence: the warpgroup has 3 warps; expected 4");
  found([](Product &p) { p.aInRegisters = true, p.fence += "cvt.u64.u32 %d12, %r0;\nadd.s64 %d9, %d9, %d12;\n"; }, 128,
        "bad-operand: the descriptor of B is not the same in all lanes of the warp");
  found([](Product &p) { p.fence += "setp.eq.u32 %p2, %r0, 1;\n"; }, 128,
        "bad-operand: `scale-d` is not the same in all lanes of the warp");
  found([](Product &p) { p.fence += "add.s64 %d9, %d9, %d40;\n"; }, 128, "undefined: the descriptor of A is undefined");
  found([](Product &p) { p.fence += "mov.pred %p2, %p9;\n"; }, 128, "undefined: `scale-d` is undefined");
  // Without a wait for it, the warps that run it alone come to their end.
  found(
      [](Product &p) {
        p.guard = "@%p3 ";
        p.wait = "";
      },
      128, "barrier-divergence: only 3 warps of the warpgroup run this matrix instruction; expected 4");
}

TEST(Wgmma, RegistersThatTwoInstructionsWant) {
  // After a fence, a second instruction on registers of the one in flight.
  auto found = [](bool aInRegisters, const std::string &second, const std::string &message) {
    Product wanted;
    wanted.aInRegisters = aInRegisters;
    wanted.beforeWait = "wgmma.fence.sync.aligned;\n" + second + ";\nwgmma.commit_group.sync.aligned;\n";
    std::string all = summary(wanted.kernel().run());
    EXPECT_NE(all.find(message), std::string::npos) << all;
  };
  std::string mma = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 ", rest = ", %d11, %p2, 1, 1, 0";
  found(false, mma + list("%acc", 4) + ", %d10" + rest + ", 0",
        "a register is an accumulator here and one of another shape in flight; expected `wgmma.wait_group` before");
  found(true, mma + "{%f1, %f2, %f3, %f4}, {%acc0, %acc1, %acc2, %acc3}" + rest,
        "a register of A is the accumulator of a matrix instruction in flight; expected `wgmma.wait_group` before");
  found(true, mma + "{%a12, %a13, %a14, %a15}, {%r1, %r2, %r3, %r4}" + rest,
        "an accumulator is a register of A of a matrix instruction in flight; expected `wgmma.wait_group` before");
}

TEST(Wgmma, FencesAreOfRegistersTouchedSince) {
  auto found = [](const std::function<void(Product &)> &change) {
    Product wanted;
    wanted.aInRegisters = true;
    change(wanted);
    return summary(wanted.kernel().run());
  };
  const std::string unfenced = " and no `wgmma.fence` orders that before this matrix instruction";
  EXPECT_EQ(found([](Product &p) { p.fence = ""; }),
            "register-in-flight: no `wgmma.fence` comes before the first matrix instruction");
  EXPECT_EQ(found([](Product &p) { p.fence += "mov.f32 %f1, %acc3;\n"; }),
            "register-in-flight: an accumulator is read" + unfenced);
  EXPECT_EQ(found([](Product &p) { p.fence += "mov.f32 %acc3, 0f00000000;\n"; }),
            "register-in-flight: an accumulator is written" + unfenced);
  EXPECT_EQ(found([](Product &p) { p.fence += "mov.b32 %a3, %a3;\n"; }),
            "register-in-flight: a register of A is written" + unfenced);
  // Reading A does not change it.
  EXPECT_EQ(found([](Product &p) { p.fence += "mov.b32 %r1, %a3;\n"; }), "");
}

} // namespace tile::sim::test
