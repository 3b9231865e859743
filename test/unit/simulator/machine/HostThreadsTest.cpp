// CTAs that do not talk to each other run on several threads of the host, and how many there are changes no result.
#include "test/unit/simulator/machine/RunPtx.h"

#include <chrono>
#include <set>
#include <thread>

namespace tile::sim::test {

TEST(HostThreads, CtasRunAtTheSameTime) {
  KernelRun run(R"(
    mov.u64 %d1, text;
    cvta.global.u64 %d1, %d1;
    { .param .b64 format; .param .b64 values; .param .b32 printed;
      st.param.b64 [format], %d1;
      st.param.b64 [values], %d1;
      call.uni (printed), vprintf, (format, values); })",
                "", R"(.extern .func (.param .b32 printed) vprintf (.param .b64 format, .param .b64 values);
.global .align 1 .b8 text[4] = {104, 105, 10, 0};)");
  run.grid = {256, 1, 1};
  run.block = {1, 1, 1};
  run.options.hostThreads = 2;
  // Whoever prints first waits, for CTAs enough, until another thread has taken one.
  std::set<std::thread::id> threads;
  unsigned printed = 0;
  run.options.print = [&](const std::string &text) {
    EXPECT_EQ(text, "hi\n");
    ++printed;
    threads.insert(std::this_thread::get_id());
    if (threads.size() < 2)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  };
  EXPECT_EQ(summary(run.run()), "");
  EXPECT_EQ(printed, 256u);
  EXPECT_EQ(threads.size(), 2u);
}

/// Each CTA adds up what its threads hand on through shared memory, in an order that the schedule chooses: the sum of
/// floats depends on it.
static KernelRun orderedByTheSchedule() {
  KernelRun run(R"(
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, sum;
    setp.eq.u32 %p1, %r0, 0;
    @%p1 st.shared.u32 [%r2], 0;
    bar.sync 0;
    cvt.rn.f32.u32 %f1, %r0;
    add.f32 %f1, %f1, 0f3f800000;
    rcp.approx.f32 %f1, %f1;
    atom.shared.add.f32 %f2, [%r2], %f1;
    bar.sync 0;
    ld.shared.f32 %f3, [%r2];
    mul.wide.u32 %d1, %r1, 4;
    add.s64 %d1, %d1, %d50;
    @%p1 st.global.f32 [%d1], %f3;)",
                ".shared .align 4 .f32 sum;");
  run.grid = {16, 1, 1};
  run.block = {128, 1, 1};
  run.addOutput<uint32_t>(16);
  return run;
}

TEST(HostThreads, ASeedGivesTheSameResultOnAnyNumber) {
  std::set<std::vector<uint32_t>> results;
  for (uint64_t seed = 1; seed < 8; ++seed) {
    std::vector<uint32_t> first;
    for (unsigned threads : {1, 2, 5}) {
      KernelRun run = orderedByTheSchedule();
      run.options.seed = seed;
      run.options.hostThreads = threads;
      EXPECT_EQ(summary(run.run()), "");
      if (threads == 1)
        first = run.get<uint32_t>(0);
      EXPECT_EQ(run.get<uint32_t>(0), first) << "seed " << seed << ", " << threads << " threads";
    }
    results.insert(first);
  }
  EXPECT_GT(results.size(), 1u);
}

} // namespace tile::sim::test
