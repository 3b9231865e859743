// Bodies: registers, scopes, labels, and every form of operand.
#include "ParsePtx.h"

#include "gtest/gtest.h"

using namespace tile::sim::ptx;
using namespace tile::sim::test;
using Kind = Operand::Kind;

static const char kRegisters[] = ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .shared .b8 buffer[64];\n";

/// The operands of the one instruction of `text`, which may use the registers above.
static std::vector<Operand> operands(std::string_view text) {
  Function f = body(kRegisters + std::string(text));
  return f.instructions.empty() ? std::vector<Operand>(9) : f.instructions.front().operands;
}

static Operand constant(std::string_view text) {
  std::vector<Operand> all = operands("mov.b64 %rd1, " + std::string(text) + ";");
  return all.size() == 2 ? all[1] : Operand{};
}

TEST(PtxBody, RegistersAreFamiliesAndSingles) {
  Function f = body(".reg .b32 %r<5>, tmp; .reg .v2 .f32 v; .reg .pred %p;");
  ASSERT_EQ(f.registers.size(), 5u);
  EXPECT_EQ(f.registers[0].name, "%r");
  EXPECT_EQ(f.registers[0].count, 5u);
  EXPECT_EQ(f.registers[1].name, "tmp");
  EXPECT_EQ(f.registers[1].count, std::nullopt);
  EXPECT_EQ(f.registers[2].name, "v.x");
  EXPECT_EQ(f.registers[3].name, "v.y");
  EXPECT_EQ(f.registers[3].type, Type::F32);
  EXPECT_EQ(f.registers[4].type, Type::Pred);
}

TEST(PtxBody, Guards) {
  Function f = body(".reg .pred %p<3>, q; @%p1 exit; @!%p2 exit; @ q exit; exit;");
  ASSERT_EQ(f.instructions.size(), 4u);
  EXPECT_EQ(f.instructions[0].guard, "%p1");
  EXPECT_FALSE(f.instructions[0].guardNegated);
  EXPECT_EQ(f.instructions[1].guard, "%p2");
  EXPECT_TRUE(f.instructions[1].guardNegated);
  EXPECT_EQ(f.instructions[2].guard, "q");
  EXPECT_EQ(f.instructions[3].guard, "");
}

TEST(PtxBody, IntegersAreSignExtended) {
  EXPECT_EQ(constant("7").bits, 7u);
  EXPECT_EQ(constant("-7").bits, uint64_t(-7));
  EXPECT_EQ(constant("0x1fU").bits, 31u);
  EXPECT_EQ(constant("0b101").bits, 5u);
  EXPECT_EQ(constant("017").bits, 15u);
  EXPECT_EQ(constant("0").bits, 0u);
  EXPECT_EQ(constant("18446744073709551615").bits, ~uint64_t(0));
  EXPECT_EQ(constant("4294967295").bits, 0xffffffffu);
  EXPECT_EQ(constant("-7").kind, Kind::Integer);
  EXPECT_EQ(constant("WARP_SZ").bits, 32u);
}

TEST(PtxBody, FloatsAreBits) {
  EXPECT_EQ(constant("0f3F800000").kind, Kind::Float32);
  EXPECT_EQ(constant("0f3F800000").bits, 0x3f800000u);
  EXPECT_EQ(constant("-0f3F800000").bits, 0xbf800000u);
  EXPECT_EQ(constant("0dBFF0000000000000").kind, Kind::Float64);
  EXPECT_EQ(constant("0dBFF0000000000000").bits, 0xbff0000000000000u);
  for (const char *half : {"0.5", ".5", "5e-1", "5.0E-1", "0.05e+1"})
    EXPECT_EQ(constant(half).bits, 0x3fe0000000000000u) << half;
  EXPECT_EQ(constant("-1.0").bits, 0xbff0000000000000u);
}

TEST(PtxBody, ConstantExpressionsAreEvaluated) {
  EXPECT_EQ(constant("2 + 3 * 4").bits, 14u);
  EXPECT_EQ(constant("(2 + 3) * 4").bits, 20u);
  EXPECT_EQ(constant("10 - 3 - 2").bits, 5u);
  EXPECT_EQ(constant("1 << 4 | 1").bits, 17u);
  EXPECT_EQ(constant("-8 >> 1").bits, uint64_t(-4));
  EXPECT_EQ(constant("-7 / 2").bits, uint64_t(-3));
  EXPECT_EQ(constant("-7 % 2").bits, uint64_t(-1));
  EXPECT_EQ(constant("(.u64)-1 > 0 ? 5 : 6").bits, 5u);
  EXPECT_EQ(constant("-1 > 0 ? 5 : 6").bits, 6u);
  EXPECT_EQ(constant("~0 == -1 && !0").bits, 1u);
  EXPECT_EQ(constant("(-9223372036854775807 - 1) / -1").bits, uint64_t(1) << 63);
  EXPECT_EQ(constant("1.5 + 2").bits, 0x400c000000000000u);
  EXPECT_EQ(constant("1 << 64").bits, 0u);
}

TEST(PtxBody, SpecialRegistersKeepTheirSuffix) {
  std::vector<Operand> all = operands("mov.u32 %r1, %ctaid.x;");
  EXPECT_EQ(all[1].kind, Kind::Register);
  EXPECT_EQ(all[1].name, "%ctaid.x");
  EXPECT_EQ(operands("mov.u32 %r1, %laneid;")[1].name, "%laneid");
}

TEST(PtxBody, NegatedRegisters) {
  Operand negated = operands("and.pred %p1, %p2, !%p3;")[2];
  EXPECT_EQ(negated.kind, Kind::Register);
  EXPECT_EQ(negated.name, "%p3");
  EXPECT_TRUE(negated.negated);
  EXPECT_TRUE(operands("fma.rn.f32 %r1, -%r2, %r3, %r4;")[1].negated);
}

TEST(PtxBody, PairsVectorsAndSinks) {
  std::vector<Operand> all = operands("x %r1|%p1, {%r2, {_, 3}}, _|%p2;");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].kind, Kind::Pair);
  EXPECT_EQ(all[0].parts[1].name, "%p1");
  EXPECT_EQ(all[1].kind, Kind::Vector);
  EXPECT_EQ(all[1].parts[1].kind, Kind::Vector);
  EXPECT_EQ(all[1].parts[1].parts[0].kind, Kind::Sink);
  EXPECT_EQ(all[1].parts[1].parts[1].bits, 3u);
  EXPECT_EQ(all[2].parts[0].kind, Kind::Sink);
}

TEST(PtxBody, VectorRegisterIsItsElements) {
  Function f = body(".reg .v4 .f32 v; .reg .f32 x; mov.v4.f32 v, {x, x, x, x}; mov.f32 x, v.b;");
  const Operand &whole = f.instructions[0].operands[0];
  ASSERT_EQ(whole.kind, Kind::Vector);
  EXPECT_EQ(whole.parts[3].name, "v.w");
  EXPECT_EQ(f.instructions[1].operands[1].name, "v.z");
}

TEST(PtxBody, AddressesHaveABaseAndADisplacement) {
  auto address = [](std::string_view text) { return operands("ld.b32 %r1, " + std::string(text) + ";")[1]; };
  EXPECT_EQ(address("[%rd1]").kind, Kind::Address);
  EXPECT_EQ(address("[%rd1]").bits, 0u);
  EXPECT_TRUE(address("[%rd1]").isRegister);
  EXPECT_EQ(address("[%rd1+-8]").bits, uint64_t(-8));
  EXPECT_EQ(address("[%rd1-8]").bits, uint64_t(-8));
  EXPECT_EQ(address("[%rd1 + 4*2]").bits, 8u);
  EXPECT_EQ(address("[buffer+4]").name, "buffer");
  EXPECT_EQ(address("[buffer+4]").bits, 4u);
  EXPECT_FALSE(address("[buffer+4]").isRegister);
  EXPECT_EQ(address("[0x100]").bits, 256u);
  EXPECT_EQ(address("[0x100]").name, "");
  Operand tensor = address("[%rd1, {%r1, %r2}, %r3]");
  ASSERT_EQ(tensor.parts.size(), 2u);
  EXPECT_EQ(tensor.parts[0].parts[1].name, "%r2");
}

TEST(PtxBody, SymbolMayHaveADisplacement) {
  Operand symbol = operands("mov.u64 %rd1, buffer+8;")[1];
  EXPECT_EQ(symbol.kind, Kind::Symbol);
  EXPECT_EQ(symbol.name, "buffer");
  EXPECT_EQ(symbol.bits, 8u);
}

TEST(PtxBody, LabelsArePositions) {
  Function f = body("TOP: bra END; MIDDLE: ALSO: ret; END:");
  EXPECT_EQ(f.labels.at("TOP"), 0u);
  EXPECT_EQ(f.labels.at("MIDDLE"), 1u);
  EXPECT_EQ(f.labels.at("ALSO"), 1u);
  EXPECT_EQ(f.labels.at("END"), 2u);
  EXPECT_EQ(f.instructions[0].operands[0].kind, Kind::Symbol);
  EXPECT_EQ(f.instructions[0].operands[0].name, "END");
}

TEST(PtxBody, NamesOfInnerScopesAreUnique) {
  Function f = body(".reg .b32 %r<3>, t;\n"
                    "{ .reg .b32 t, %r<2>; mov.b32 t, %r1; mov.b32 t, %r2; { .reg .b32 t; mov.b32 t, %r0; } }\n"
                    "{ .local .b32 t; mov.b32 %r1, t; }\n"
                    "mov.b32 t, %r1;");
  auto name = [&](size_t instruction, size_t operand) { return f.instructions[instruction].operands[operand].name; };
  EXPECT_EQ(name(0, 0), "t@1");
  EXPECT_EQ(name(0, 1), "%r@1_1");
  EXPECT_EQ(name(1, 1), "%r2") << "the inner family has no number 2";
  EXPECT_EQ(name(2, 0), "t@2");
  EXPECT_EQ(name(2, 1), "%r@1_0");
  EXPECT_EQ(name(3, 1), "t@3");
  EXPECT_EQ(name(4, 0), "t");
  EXPECT_EQ(f.registers[3].name, "%r@1_");
  EXPECT_EQ(f.registers[3].count, 2u);
  EXPECT_EQ(f.variables.at(0).name, "t@3");
}

TEST(PtxBody, NumberOfAFamilyMayHaveLeadingZeros) {
  EXPECT_EQ(operands("not.b32 %r08, %r1;")[0].name, "%r8");
  EXPECT_EQ(operands("not.b32 %r9, %r1;")[0].name, "%r9") << "there are 9, from 0; what this is others must say";
}

TEST(PtxBody, BranchTakesTheLabelOfTheInnermostScope) {
  Function f = body("L: { bra L; L: bra M; } { bra L; } M: ret;");
  EXPECT_EQ(f.instructions[0].operands[0].name, "L@1");
  EXPECT_EQ(f.labels.at("L@1"), 1u);
  EXPECT_EQ(f.instructions[1].operands[0].name, "M");
  EXPECT_EQ(f.instructions[2].operands[0].name, "L");
}

TEST(PtxBody, GuardAndAddressSeeTheInnerScope) {
  Function f = body("{ .reg .pred p; .reg .b64 a; @p ld.b32 _, [a+4]; }");
  EXPECT_EQ(f.instructions[0].guard, "p@1");
  EXPECT_EQ(f.instructions[0].operands[1].name, "a@1");
}

TEST(PtxBody, Calls) {
  Module m = parsed(moduleOf(".func (.param .b32 r) f(.param .b32 a); .func g; .entry k() { .reg .b64 %rd<2>;\n"
                             "call g; { .param .b32 a, r; call.uni (r), f, (a); }\n"
                             "call (_), %rd1, (1, 2), proto; call %rd1, (), targets; ret;\n"
                             "proto: .callprototype (.param .b32 _) _ (.param .b32 _) ;\n"
                             "targets: .calltargets f, g; }"));
  const Function &k = *m.find("k");
  EXPECT_EQ(k.instructions[0].operands[0].name, "g");
  const std::vector<Operand> &direct = k.instructions[1].operands;
  ASSERT_EQ(direct.size(), 3u);
  EXPECT_EQ(direct[0].kind, Kind::List);
  EXPECT_EQ(direct[0].parts[0].name, "r@1");
  EXPECT_EQ(direct[1].name, "f");
  EXPECT_EQ(direct[2].parts[0].name, "a@1");
  const std::vector<Operand> &indirect = k.instructions[2].operands;
  EXPECT_EQ(indirect[1].kind, Kind::Register);
  EXPECT_EQ(indirect[2].parts.size(), 2u);
  EXPECT_EQ(indirect[3].name, "proto");
  EXPECT_EQ(k.prototypes.at("proto"), "(.param .b32 _) _ (.param .b32 _)");
  EXPECT_EQ(k.branchTargets.at("targets"), (std::vector<std::string>{"f", "g"}));
  EXPECT_EQ(k.labels.size(), 0u);
}

TEST(PtxBody, BranchTargetsAreLabels) {
  Function f = body(".reg .b32 %r<2>; { A: T: .branchtargets A, B; brx.idx.uni %r1, T; B: ret; }");
  EXPECT_EQ(f.branchTargets.at("T@1"), (std::vector<std::string>{"A@1", "B@1"}));
  EXPECT_EQ(f.instructions[0].operands[1].name, "T@1");
}

TEST(PtxBody, LocationsHoldUntilTheNext) {
  Module m = parsed(moduleOf(".file 1 \"a\"\n.func f {\ntrap;\n.loc 1 7 3\nret;\nret;\n"
                             ".loc 1 15 3, function_name $L__info+6, inlined_at 1 10 5\nexit;\n}\n"
                             ".func g { ret; }"));
  const std::vector<Instruction> &f = m.find("f")->instructions;
  EXPECT_EQ(f[0].location.line, 0u);
  EXPECT_EQ(f[0].line, 6u);
  EXPECT_EQ(f[2].location.file, 1u);
  EXPECT_EQ(f[2].location.line, 7u);
  EXPECT_EQ(f[2].location.column, 3u);
  EXPECT_EQ(f[2].caller.line, 0u);
  EXPECT_EQ(f[3].location.line, 15u);
  EXPECT_EQ(f[3].caller.line, 10u);
  EXPECT_EQ(m.find("g")->instructions[0].location.line, 0u) << "no location of another function";
}

TEST(PtxBody, CallersAreFollowedToTheOutermost) {
  Module m = parsed(moduleOf(".file 1 \"a\"\n.func f {\n.loc 1 3 1\ntrap;\n"
                             ".loc 1 10 5, function_name $L__info, inlined_at 1 3 1\nret;\n"
                             ".loc 1 15 3, function_name $L__info+6, inlined_at 1 10 5\nexit;\n}\n"));
  const std::vector<Instruction> &f = m.find("f")->instructions;
  EXPECT_EQ(f[1].caller.line, 3u);
  EXPECT_EQ(f[2].caller.line, 3u);
}

TEST(PtxBody, VariablesMayStandInABody) {
  Function f = body(".local .align 8 .b8 depot[16]; .shared .b64 barrier; .extern .shared .b8 dynamic[];"
                    ".pragma \"nounroll\"; ret;");
  ASSERT_EQ(f.variables.size(), 3u);
  EXPECT_EQ(f.variables[0].space, Space::Local);
  EXPECT_EQ(f.variables[1].align, 8u);
  EXPECT_TRUE(f.variables[2].isExtern);
}

TEST(PtxBody, RegisterParametersAreRegisters) {
  Module m = parsed(moduleOf(".func (.reg .b32 %y) f(.reg .b32 x) { add.s32 %y, x, 1; ret; }"));
  EXPECT_EQ(m.functions[0].instructions[0].operands[1].kind, Kind::Register);
}
