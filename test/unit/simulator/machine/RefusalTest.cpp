// What is no PTX, though each of its words is: a rounding or saturation that the ISA demands, a matrix shape that no
// GPU has. The right form stands beside each.
#include "test/unit/simulator/machine/RunPtx.h"

namespace tile::sim::test {

static void expectRefused(const std::string &opcode, const std::string &operands, const std::string &message) {
  EXPECT_EQ(KernelRun(opcode + " " + operands + ";").refusal().message, "`" + opcode + "`: " + message);
}

static void expectTaken(const std::string &opcode, const std::string &operands) {
  KernelRun run(opcode + " " + operands + ";");
  run.options.checks = kNoChecks;
  run.notComparable = "it writes nothing";
  EXPECT_EQ(summary(run.run()), "") << opcode;
}

TEST(Refusal, OfAConversionThatNamesNoRounding) {
  const std::string toFloat = "it names no rounding; expected `.rn`, or another one that the types have",
                    toInteger = "it names no rounding to an integer; expected `.rni`, `.rzi`, `.rmi` or `.rpi`";
  expectRefused("cvt.f16.f32", "%h1, %f1", toFloat);
  expectRefused("cvt.f32.f64", "%f1, %d1", toFloat);
  expectRefused("cvt.f32.s32", "%f1, %r1", toFloat);
  expectRefused("cvt.f16x2.f32", "%r1, %f1, %f2", toFloat);
  expectRefused("cvt.f16x2.e4m3x2", "%r1, %h1", toFloat);
  expectRefused("cvt.tf32.f32", "%r1, %f1", toFloat);
  expectRefused("cvt.u32.f32", "%r1, %f1", toInteger);
  expectRefused("cvt.rn.s64.f32", "%d1, %f1", toInteger);
  expectTaken("cvt.rn.f16.f32", "%h1, %f1");
  expectTaken("cvt.rn.f16.bf16", "%h1, %h2");
  expectTaken("cvt.rz.f32.f64", "%f1, %d1");
  expectTaken("cvt.rn.f32.s32", "%f1, %r1");
  expectTaken("cvt.rn.f16x2.e4m3x2", "%r1, %h1");
  expectTaken("cvt.rna.tf32.f32", "%r1, %f1");
  expectTaken("cvt.rzi.u32.f32", "%r1, %f1");
  // Nothing is lost.
  expectTaken("cvt.f32.f16", "%f1, %h1");
  expectTaken("cvt.f32.bf16", "%f1, %h1");
  expectTaken("cvt.f64.f32", "%d1, %f1");
  expectTaken("cvt.sat.f32.f32", "%f1, %f2");
  expectTaken("cvt.u16.u32", "%h1, %r1");
}

TEST(Refusal, OfAConversionToEightBitsThatMayOverflow) {
  expectRefused("cvt.rn.e4m3x2.f32", "%h1, %f1, %f2", "it lacks `.satfinite`");
  expectRefused("cvt.rn.e5m2x2.f16x2", "%h1, %r1", "it lacks `.satfinite`");
  expectTaken("cvt.rn.satfinite.e4m3x2.f32", "%h1, %f1, %f2");
  expectTaken("cvt.rn.satfinite.relu.e5m2x2.f16x2", "%h1, %r1");
}

TEST(Refusal, OfArithmeticThatNamesNoRounding) {
  const std::string message = "it names no rounding; expected `.rn`, `.rz`, `.rm` or `.rp`";
  expectRefused("fma.f32", "%f1, %f2, %f3, %f4", message);
  expectRefused("mad.sat.f32", "%f1, %f2, %f3, %f4", message);
  expectRefused("fma.f16x2", "%r1, %r2, %r3, %r4", message);
  expectRefused("div.f32", "%f1, %f2, %f3", message);
  expectRefused("div.f64", "%d1, %d2, %d3", message);
  expectRefused("rcp.f32", "%f1, %f2", message);
  expectRefused("sqrt.ftz.f32", "%f1, %f2", message);
  expectTaken("fma.rn.f32", "%f1, %f2, %f3, %f4");
  expectTaken("div.approx.f32", "%f1, %f2, %f3");
  expectTaken("div.full.f32", "%f1, %f2, %f3");
  expectTaken("rcp.rz.f32", "%f1, %f2");
  expectTaken("sqrt.approx.f32", "%f1, %f2");
  // Sums and products round to nearest without a word.
  expectTaken("add.f32", "%f1, %f2, %f3");
  expectTaken("mul.f64", "%d1, %d2, %d3");
}

/// `count` registers from %r`first` on.
static std::string registers(unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", %r" : "%r") + std::to_string(first + i);
  return text + "}";
}

TEST(Refusal, OfAMatrixShapeThatDoesNotExist) {
  struct Case {
    std::string opcode;
    unsigned d, a, b; // registers
  };
  for (const Case &each : {Case{"mma.sync.aligned.m16n8k12.row.col.f16.f16.f16.f16", 2, 3, 1},
                           {"mma.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32", 4, 8, 4},
                           {"mma.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32", 4, 8, 4},
                           {"mma.sync.aligned.m8n8k32.row.col.s32.s8.s8.s32", 2, 2, 2},
                           {"mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32", 4, 4, 2},
                           {"mma.sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16", 2, 4, 2},
                           {"mma.sync.aligned.m16n8k32.row.col.f32.s8.s8.f32", 4, 4, 2}})
    expectRefused(each.opcode,
                  registers(0, each.d) + ", " + registers(8, each.a) + ", " + registers(16, each.b) + ", " +
                      registers(24, each.d),
                  "this shape and these types are not known");
  for (const Case &each : {Case{"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 2, 2, 1},
                           {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 4, 2},
                           {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", 4, 4, 2},
                           {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 2, 1, 1},
                           {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 4, 4, 2}})
    expectTaken(each.opcode, registers(0, each.d) + ", " + registers(8, each.a) + ", " + registers(16, each.b) + ", " +
                                 registers(24, each.d));
}

TEST(SpecialRegister, OfSharedMemoryCountWhatTheSystemReserves) {
  KernelRun run(R"(
    mov.u32 %r1, %total_smem_size; st.global.u32 [%d50], %r1;
    mov.u32 %r1, %aggr_smem_size; st.global.u32 [%d50+4], %r1;
    mov.u32 %r1, %reserved_smem_offset_begin; st.global.u32 [%d50+8], %r1;
    mov.u32 %r1, %reserved_smem_offset_cap; st.global.u32 [%d50+12], %r1;
    mov.pred %p1, %is_explicit_cluster; selp.u32 %r1, 1, 0, %p1; st.global.u32 [%d50+16], %r1;
    mov.u32 %r2, buffer; st.volatile.shared.u32 [%r2], %r1; st.global.u32 [%d50+20], %r2;)",
                ".shared .align 4 .b8 buffer[208];");
  run.block = {1, 1, 1};
  run.addOutput<uint32_t>(6);
  EXPECT_EQ(summary(run.run()), "");
  EXPECT_EQ(run.get<uint32_t>(0), (std::vector<uint32_t>{256, 1232, 0, 1024, 0, 1024}));
}

TEST(SpecialRegister, OfTheDriverAndTheHardwareAreRefused) {
  for (const char *name : {"%envreg0", "%pm0", "%pm7_64", "%reserved_smem_offset_end"})
    EXPECT_NE(KernelRun(std::string("mov.u32 %r1, ") + name + ";").refusal().message.find(name), std::string::npos);
}

} // namespace tile::sim::test
