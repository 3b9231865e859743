// What no GPU has room for is refused before anything runs, with the line that says so.
#include "test/unit/simulator/machine/RunPtx.h"

#include "backend/simulator/machine/Limits.h"

namespace tile::sim::test {

/// `MESSAGE (line)` of the kernel that declares `inside`, in a module that declares `outside`.
static std::string refusalOf(const std::string &inside, const std::string &outside = "",
                             const std::string &target = "sm_90a", const std::string &body = "") {
  KernelRun run(body, inside, outside);
  run.target = target;
  Refusal refusal = run.refusal();
  return refusal.message + " (" + std::to_string(refusal.line) + ")";
}

TEST(Limits, StaticSharedMemoryIsThatOfTheTarget) {
  EXPECT_EQ(refusalOf(".shared .align 4 .b8 x[16];\n.shared .align 4 .b8 big[99999999999];"),
            "found 100000000015 bytes of static shared memory with `big`; expected at most 232448 on sm_90a, and more "
            "only as `.extern .shared` (12)");
  EXPECT_EQ(refusalOf(".shared .b8 big[49153];", "", "sm_80"),
            "found 49153 bytes of static shared memory with `big`; expected at most 49152 on sm_80, and more only as "
            "`.extern .shared` (11)");
  KernelRun fits("", ".shared .b8 big[49152];");
  fits.target = "sm_80";
  EXPECT_EQ(summary(fits.run()), "");
}

TEST(Limits, SharedMemoryOfOtherKernelsTakesNoPlace) {
  const std::string outside =
      ".shared .b8 mine[40000];\n.shared .b8 others[40000];\n.func f() {\n.shared .b8 theirs[40000];\n"
      ".reg .b32 %r<2>;\nmov.u32 %r1, others;\nret;\n}";
  KernelRun run("mov.u32 %r1, mine;", "", outside);
  run.target = "sm_80";
  EXPECT_EQ(summary(run.run()), "");
  EXPECT_EQ(
      refusalOf("", outside, "sm_80", "mov.u32 %r1, mine;\ncall f, ();"),
      "found 80000 bytes of static shared memory with `others`; expected at most 49152 on sm_80, and more only as "
      "`.extern .shared` (5)");
}

TEST(Limits, DynamicSharedMemoryAddsToTheStaticOne) {
  KernelRun run("", ".shared .align 16 .b8 fixed[16];", ".extern .shared .align 16 .b8 dynamic[];");
  run.dynamicShared = 232448 - 16;
  EXPECT_EQ(summary(run.run()), "");
  ++run.dynamicShared;
  EXPECT_EQ(run.refusal().message,
            "found 232433 bytes of dynamic shared memory behind 16 static ones; expected at most "
            "232448 in all on sm_90a");
}

TEST(Limits, EveryTargetHasItsSharedMemory) {
  EXPECT_EQ(sharedLimitsOf("sm_80").all, 163u << 10);
  EXPECT_EQ(sharedLimitsOf("sm_86, debug").all, 99u << 10);
  EXPECT_EQ(sharedLimitsOf("sm_90").fixed, 48u << 10);
  EXPECT_EQ(sharedLimitsOf("sm_90a").fixed, 227u << 10);
  EXPECT_EQ(sharedLimitsOf("sm_100a").all, 227u << 10);
  EXPECT_EQ(sharedLimitsOf("sm_120").all, 99u << 10);
}

TEST(Limits, OtherSpacesHaveTheirs) {
  EXPECT_EQ(refusalOf(".local .b8 big[99999999999];"),
            "found 99999999999 bytes of local memory with `big`; expected at most 524288, which a thread has (11)");
  EXPECT_EQ(refusalOf("", ".const .b8 big[65537];"),
            "found 65537 bytes of constant memory with `big`; expected at most 65536 in a module (4)");
  EXPECT_EQ(refusalOf("", ".global .b8 big[99999999999];"),
            "found 99999999999 bytes of global variables with `big`; expected at most 1073741824 on the simulator (4)");
  EXPECT_EQ(refusalOf(".param .b8 big[99999999999];"),
            "found 99999999999 bytes of parameters of calls with `big`; expected at most 524288, which a thread has "
            "(11)");
}

TEST(Limits, LocalMemoryOfAllThreadsIsBounded) {
  KernelRun run("red.global.add.u32 [%d50], 1;", ".local .b8 big[524288];");
  run.addOutput<uint32_t>(1);
  run.block = {1024, 1, 1};
  run.grid = {9, 1, 1};
  EXPECT_EQ(run.refusal().message, "found 4831838208 bytes of local memory in the 9216 threads that run at once; "
                                   "expected at most 4294967296 on the simulator");
}

TEST(Limits, AGridAndACtaHaveExtentsThatAGpuTakes) {
  KernelRun run("");
  run.grid = {1, 65536, 1};
  EXPECT_EQ(run.refusal().message, "found a grid of 1 x 65536 x 1; expected 1 to 65535 along y");
  run.grid = {0x80000000, 1, 1};
  EXPECT_EQ(run.refusal().message, "found a grid of 2147483648 x 1 x 1; expected 1 to 2147483647 along x");
  run.options.maxSteps = 100;
  run.grid = {0x7fffffff, 65535, 65535};
  EXPECT_EQ(run.refusal().message,
            "found 9223090559730712575 CTAs; expected at most 16777216 where the steps of a warp have a limit");
  run.grid = {1, 1, 65535};
  run.block = {2, 2, 64};
  EXPECT_EQ(summary(run.run()), "");
  run.block = {1, 1, 65};
  EXPECT_EQ(run.refusal().message, "found a CTA of 1 x 1 x 65; expected 1 to 64 along z");
  run.block = {32, 33, 1};
  EXPECT_EQ(run.refusal().message, "found 1056 threads per CTA; expected 1 to 1024");
  run.block = {1, 0, 1};
  EXPECT_EQ(run.refusal().message, "found a CTA of 1 x 0 x 1; expected 1 to 1024 along y");
}

} // namespace tile::sim::test
