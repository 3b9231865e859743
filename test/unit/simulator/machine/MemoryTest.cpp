// Loads and stores in every space, and what is wrong with them.
#include "test/unit/simulator/machine/RunPtx.h"

namespace tile::sim::test {

static const std::string kThread = "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.s64 %d0, %d50, %d1;\n";

TEST(Memory, VectorsAndNarrowTypesKeepTheirBytes) {
  KernelRun run(R"(
    ld.global.v4.u8 {%r1, %r2, %r3, %r4}, [%d50];
    ld.global.s8 %r5, [%d50+3];
    ld.global.u16 %r6, [%d50+4];
    ld.global.s16 %d1, [%d50+4];
    ld.global.v2.b64 {%d2, %d3}, [%d50+16];
    st.global.v4.u32 [%d51], {%r1, %r2, %r3, %r4};
    st.global.v2.u32 [%d51+16], {%r5, %r6};
    st.global.v2.u64 [%d51+32], {%d3, %d2};
    st.global.u64 [%d51+24], %d1;)");
  run.block = {1, 1, 1};
  std::vector<uint8_t> bytes(32);
  for (unsigned i = 0; i < 32; ++i)
    bytes[i] = uint8_t(0xf0 + i);
  run.add(bytes);
  run.addOutput<uint32_t>(12);
  EXPECT_EQ(summary(run.run()), "");
  std::vector<uint32_t> expected = {0xf0,       0xf1,       0xf2,       0xf3,       0xfffffff3, 0xf5f4,
                                    0xfffff5f4, 0xffffffff, 0x0b0a0908, 0x0f0e0d0c, 0x03020100, 0x07060504};
  EXPECT_EQ(run.get<uint32_t>(1), expected);
}

TEST(Memory, GenericAddressesLeadToEverySpace) {
  KernelRun run(kThread + R"(
    mov.u64 %d2, there;
    cvta.shared.u64 %d3, %d2;
    mov.u64 %d4, mine;
    cvta.local.u64 %d5, %d4;
    mov.u64 %d6, table;
    cvta.const.u64 %d7, %d6;
    isspacep.shared %p1, %d3;
    isspacep.local %p2, %d5;
    isspacep.global %p3, %d50;
    isspacep.global %p4, %d3;
    st.u32 [%d3], 7;
    st.u32 [%d5], %r0;
    ld.u32 %r1, [%d3];
    ld.local.u32 %r2, [mine];
    ld.u32 %r3, [%d7+4];
    ld.global.u32 %r4, [counter];
    add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4;
    selp.u32 %r2, 10000, 0, %p1; add.u32 %r1, %r1, %r2;
    selp.u32 %r2, 20000, 0, %p2; add.u32 %r1, %r1, %r2;
    selp.u32 %r2, 40000, 0, %p3; add.u32 %r1, %r1, %r2;
    selp.u32 %r2, 80000, 0, %p4; add.u32 %r1, %r1, %r2;
    st.global.u32 [%d0], %r1;)",
                ".shared .align 8 .u32 there;\n.local .align 4 .u32 mine;",
                ".const .align 4 .u32 table[2] = {1000, 2000};\n.global .u32 counter = 300;");
  run.options.checks = kNoChecks; // all lanes write `there`
  run.addOutput<uint32_t>(32);
  EXPECT_EQ(summary(run.run()), "");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(run.get<uint32_t>(0)[i], 72307 + i) << i;
}

TEST(Memory, DynamicSharedMemoryLiesBehindTheStaticOne) {
  KernelRun run(R"(
    mov.u32 %r1, fixed;
    mov.u32 %r2, dynamic;
    sub.u32 %r3, %r2, %r1;
    st.shared.u32 [%r2+60], %r3;
    ld.shared.u32 %r4, [%r2+60];
    st.global.u32 [%d50], %r4;)",
                ".shared .align 4 .b8 fixed[20];", ".extern .shared .align 16 .b8 dynamic[];");
  run.block = {1, 1, 1};
  run.dynamicShared = 64;
  run.addOutput<uint32_t>(1);
  EXPECT_EQ(summary(run.run()), "");
  EXPECT_EQ(run.get<uint32_t>(0)[0], 32u);
}

TEST(Memory, OutOfBoundsIsNamedByBufferAndOffset) {
  KernelRun run(kThread + "ld.global.u32 %r1, [%d0];");
  run.add(std::vector<uint32_t>(30));
  RunResult result = run.run();
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].fault, Fault::OutOfBounds);
  EXPECT_EQ(result.findings[0].message, "bytes 120 to 123 of `p0`; it has 120");
  EXPECT_EQ(result.findings[0].count, 2u);
  EXPECT_EQ(result.findings[0].place.thread[0], 30u);
}

TEST(Memory, AFindingHasTheBytesAsNumbers) {
  struct Case {
    const char *access;
    Fault fault;
    Extent memory;
  };
  for (const Case &each : {Case{"ld.global.v2.u32 {%r1, %r2}, [%d50+16];", Fault::OutOfBounds, {"p0", 16, 8}},
                           {"st.shared.u32 [buffer+-4], 1;", Fault::OutOfBounds, {"shared memory", -4, 4}},
                           {"ld.global.u32 %r1, [%d50+6];", Fault::Misaligned, {"p0", 6, 4}},
                           {"st.global.u16 [%d50+2], %h1;", Fault::Undefined, {"p0", 2, 2}},
                           {"st.global.u32 [%d51+4], 1;", Fault::ReadOnly, {"p1", 4, 4}},
                           {"st.shared.u32 [buffer+64], 1;", Fault::OutOfBounds, {"shared memory", 64, 4}}}) {
    KernelRun run(each.access, ".shared .align 4 .b8 buffer[64];");
    run.block = {1, 1, 1};
    run.addOutput<uint32_t>(4);
    run.add(std::vector<uint32_t>(4), true, /*writable=*/false);
    RunResult result = run.run();
    ASSERT_EQ(result.findings.size(), 1u) << each.access;
    const Finding &finding = result.findings[0];
    EXPECT_EQ(finding.fault, each.fault);
    ASSERT_TRUE(finding.memory) << each.access;
    EXPECT_EQ(finding.memory->buffer, each.memory.buffer);
    EXPECT_EQ(finding.memory->offset, each.memory.offset);
    EXPECT_EQ(finding.memory->bytes, each.memory.bytes);
    EXPECT_NE(finding.address, 0u);
  }
}

TEST(Memory, ANullPointerLeadsNowhere) {
  KernelRun run("mov.u64 %d1, 0; ld.global.u32 %r1, [%d1+8]; ld.shared.u32 %r2, [%d1];", ".shared .u32 word;");
  run.block = {1, 1, 1};
  EXPECT_EQ(summary(run.run()), "out-of-bounds: address 0x8 lies in no global memory of this kernel; out-of-bounds: "
                                "1024 bytes before `shared memory`");
}

TEST(Memory, MisalignedAccessesAreNamed) {
  KernelRun run("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d50+8];");
  run.block = {1, 1, 1};
  run.add(std::vector<uint32_t>(8));
  EXPECT_EQ(summary(run.run()), "misaligned: address 0x10000000008 in `p0` is no multiple of 16 bytes");
}

TEST(Memory, WhatIsNoOutputIsNotWritten) {
  KernelRun run("st.global.u32 [%d50], 1;");
  run.block = {1, 1, 1};
  run.add(std::vector<uint32_t>(1), true, false);
  EXPECT_EQ(summary(run.run()), "read-only: a write to bytes 0 to 3 of `p0`, which is no output");
  EXPECT_EQ(run.get<uint32_t>(0)[0], 0u);
}

TEST(Memory, AnUndefinedValueMayTravelButNotLeave) {
  KernelRun run(kThread + R"(
    ld.shared.u32 %r1, [word];
    st.shared.u32 [word], %r1;
    ld.shared.u32 %r2, [word];
    setp.eq.u32 %p1, %r0, 99;
    selp.u32 %r3, %r2, 5, %p1;
    st.global.u32 [%d0], %r3;
    add.u32 %r4, %r2, 1;
    st.global.u32 [%d0], %r4;)",
                ".shared .u32 word;");
  run.block = {1, 1, 1};
  run.addOutput<uint32_t>(1);
  RunResult result = run.run();
  ASSERT_EQ(result.findings.size(), 1u) << summary(result);
  EXPECT_EQ(result.findings[0].fault, Fault::Undefined);
}

TEST(Memory, UndefinedBytesAreFollowedWhereBytesAreMoved) {
  // %r9 and %h9 are never written; what is stored in the end has no byte of them.
  KernelRun run(R"(
    mov.u32 %r1, 0x44332211;
    prmt.b32 %r2, %r1, %r9, 0x4710;
    prmt.b32 %r3, %r2, %r1, 0x7610;
    st.shared.b32 [buffer], %r2;
    ld.shared.v2.u8 {%h1, %h2}, [buffer];
    st.global.v2.u8 [%d50+4], {%h1, %h2};
    ld.shared.b32 %r4, [buffer];
    and.b32 %r4, %r4, 0xffff;
    mov.b32 %r5, {%h1, %h9};
    mov.b32 {%h3, %h4}, %r5;
    cvt.u32.u16 %r6, %h3;
    shl.b32 %r7, %r5, 16;
    or.b32 %r7, %r7, %r6;
    selp.b32 %r8, %r2, %r4, %p9;
    cvt.u16.u32 %h5, %r2;
    setp.eq.u32 %p1, %r1, 0;
    selp.b32 %r8, %r2, %r4, %p1;
    st.global.u16 [%d50+6], %h5;
    st.global.v2.u32 [%d50+8], {%r4, %r7};
    st.global.u32 [%d50+16], %r8;
    st.global.u32 [%d50], %r3;)",
                ".shared .align 4 .b8 buffer[4];");
  run.block = {1, 1, 1};
  run.addOutput<uint32_t>(5);
  EXPECT_EQ(summary(run.run()), "");
  EXPECT_EQ(run.get<uint32_t>(0), (std::vector<uint32_t>{0x44332211, 0x22112211, 0x2211, 0x110011, 0x2211}));
}

TEST(Memory, OneUndefinedByteIsFound) {
  for (const char *result : {"prmt.b32 %r2, %r1, %r9, 0x4210;", "mov.b32 %r2, {%h1, %h9};",
                             "st.shared.b8 [buffer], %h1; ld.shared.b32 %r2, [buffer];", "add.u32 %r2, %r9, %r1;",
                             "and.b32 %r2, %r9, 0x80;", "or.b32 %r2, %r9, 0xfffffffe;", "shl.b32 %r2, %r9, 31;",
                             "shl.b32 %r2, %r1, %r9;", "prmt.b32 %r2, %r1, %r1, %r9;", "cvt.u32.u8 %r2, %h9;",
                             "and.b32 %r9, %r9, 1; mov.b32 %r9, %r8; and.b32 %r2, %r9, 2;"}) {
    KernelRun run("mov.u32 %r1, 1; mov.b16 %h1, 1;" + std::string(result) + "st.global.u32 [%d50], %r2;",
                  ".shared .align 4 .b8 buffer[4];");
    run.block = {1, 1, 1};
    run.addOutput<uint32_t>(1);
    EXPECT_EQ(summary(run.run()), "undefined: an undefined value is stored to bytes 0 to 3 of `p0`") << result;
  }
}

TEST(Memory, AnUndefinedBranchIsReported) {
  KernelRun run("setp.eq.u32 %p1, %r1, 0; @%p1 bra OUT; OUT:");
  run.block = {1, 1, 1};
  EXPECT_EQ(summary(run.run()), "undefined: the guard of this instruction is undefined");
}

} // namespace tile::sim::test
