// Variables, parameters and functions: what a declaration gives.
#include "ParsePtx.h"

#include "gtest/gtest.h"

using namespace tile::sim::ptx;
using namespace tile::sim::test;

static Variable variable(std::string_view text) {
  Module m = parsed(moduleOf(text));
  return m.variables.empty() ? Variable{} : m.variables.front();
}

using Bytes = std::vector<uint8_t>;

TEST(PtxDeclaration, ScalarHasItsTypesAlignment) {
  Variable x = variable(".visible .global .f64 x;");
  EXPECT_EQ(x.space, Space::Global);
  EXPECT_EQ(x.type, Type::F64);
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.align, 8u);
  EXPECT_EQ(x.bytes, 8u);
  EXPECT_FALSE(x.isExtern);
  EXPECT_TRUE(x.initial.empty());
  EXPECT_EQ(x.line, 4u);
}

TEST(PtxDeclaration, ExtentsMultiply) {
  Variable x = variable(".shared .align 128 .b8 x[3][0x10][2*2];");
  EXPECT_EQ(x.align, 128u);
  EXPECT_EQ(x.bytes, 192u);
}

TEST(PtxDeclaration, VectorIsAlignedAsAWhole) {
  Variable x = variable(".global .v4 .f32 x[2];");
  EXPECT_EQ(x.align, 16u);
  EXPECT_EQ(x.bytes, 32u);
}

TEST(PtxDeclaration, ExternArrayHasNoExtent) {
  Variable x = variable(".extern .shared .align 16 .b8 x[];");
  EXPECT_TRUE(x.isExtern);
  EXPECT_EQ(x.bytes, 0u);
  EXPECT_EQ(x.align, 16u);
}

TEST(PtxDeclaration, DefinitionReplacesExtern) {
  Module m = parsed(moduleOf(".extern .global .b32 x[]; .global .b32 x[2] = {1}; .extern .global .b32 x[];"));
  ASSERT_EQ(m.variables.size(), 1u);
  EXPECT_EQ(m.variables[0].bytes, 8u);
  EXPECT_FALSE(m.variables[0].isExtern);
}

TEST(PtxDeclaration, OneDeclarationHasSeveralNames) {
  Module m = parsed(moduleOf(".global .b16 x, y[3];"));
  ASSERT_EQ(m.variables.size(), 2u);
  EXPECT_EQ(m.variables[1].bytes, 6u);
}

TEST(PtxDeclaration, AttributesOfVariablesAreSkipped) {
  EXPECT_EQ(variable(".global .attribute(.managed, .unified(1, 2)) .align 4 .s32 x;").bytes, 4u);
}

TEST(PtxDeclaration, InitialIntegersAreLittleEndianAndWrap) {
  EXPECT_EQ(variable(".const .s16 x[3] = {0x1234, -2, 65537};").initial, (Bytes{0x34, 0x12, 0xfe, 0xff, 1, 0}));
}

TEST(PtxDeclaration, WhatIsNotInitialisedIsZero) {
  EXPECT_EQ(variable(".global .b8 x[4] = {7};").initial, (Bytes{7, 0, 0, 0}));
}

TEST(PtxDeclaration, InitialScalarHasNoBraces) { EXPECT_EQ(variable(".global .u8 x = 3 + 4;").initial, Bytes{7}); }

TEST(PtxDeclaration, InnerListsAreRows) {
  EXPECT_EQ(variable(".global .b8 x[3][2] = {{1, 2}, {3}};").initial, (Bytes{1, 2, 3, 0, 0, 0}));
  EXPECT_EQ(variable(".global .b8 x[3][2] = {};").initial, Bytes(6));
}

TEST(PtxDeclaration, InitialVectorIsTheInnermostExtent) {
  EXPECT_EQ(variable(".global .v2 .b8 x[2] = {{1, 2}};").initial, (Bytes{1, 2, 0, 0}));
  EXPECT_EQ(variable(".global .v2 .b8 x = {1, 2};").initial, (Bytes{1, 2}));
}

TEST(PtxDeclaration, OpenExtentIsThatOfItsValue) {
  Variable x = variable(".const .b16 x[][2] = {{1, 2}, {3}};");
  EXPECT_EQ(x.bytes, 8u);
  EXPECT_EQ(x.initial, (Bytes{1, 0, 2, 0, 3, 0, 0, 0}));
}

TEST(PtxDeclaration, InitialFloatsRoundToTheirType) {
  EXPECT_EQ(variable(".const .f32 x[3] = {1.0, 0f3F800000, -2.5};").initial,
            (Bytes{0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0}));
  EXPECT_EQ(variable(".const .f64 x = 0d3FF0000000000000;").initial, (Bytes{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}));
  EXPECT_EQ(variable(".const .b32 x = 0f3F800000;").initial, (Bytes{0, 0, 0x80, 0x3f}));
  EXPECT_EQ(variable(".const .b32 x = 1.5;").initial, (Bytes{0, 0, 0xc0, 0x3f})) << "untyped bits take their size";
  EXPECT_EQ(variable(".const .b64 x = 1.5;").initial, (Bytes{0, 0, 0, 0, 0, 0, 0xf8, 0x3f}));
}

TEST(PtxDeclaration, AddressesAreRelocations) {
  Variable x = variable(".global .u64 x[4] = {5, y, generic(y)+8, f-4}; .global .b32 y; .func f { ret; }");
  ASSERT_EQ(x.relocations.size(), 3u);
  EXPECT_EQ(x.initial.size(), 32u);
  EXPECT_EQ(x.relocations[0].offset, 8u);
  EXPECT_EQ(x.relocations[0].symbol, "y");
  EXPECT_FALSE(x.relocations[0].isGeneric);
  EXPECT_EQ(x.relocations[0].mask, ~uint64_t(0));
  EXPECT_TRUE(x.relocations[1].isGeneric);
  EXPECT_EQ(x.relocations[1].addend, 8u);
  EXPECT_EQ(x.relocations[2].symbol, "f");
  EXPECT_EQ(x.relocations[2].addend, uint64_t(-4));
}

TEST(PtxDeclaration, MaskedAddressIsOneByteOfIt) {
  Variable x = variable(".global .u8 x[2] = {0xFF(x), 0xFF00(generic(x)+1)};");
  ASSERT_EQ(x.relocations.size(), 2u);
  EXPECT_EQ(x.relocations[1].offset, 1u);
  EXPECT_EQ(x.relocations[1].mask, 0xff00u);
  EXPECT_EQ(x.relocations[1].addend, 1u);
  EXPECT_TRUE(x.relocations[1].isGeneric);
}

TEST(PtxDeclaration, KernelParameters) {
  Module m = parsed(moduleOf(".entry k(.param .u64 .ptr .global .align 16 a, .param .align 8 .b8 b[24], .param .f32 c)"
                             " { ret; }"));
  const std::vector<Variable> &parameters = m.functions[0].parameters;
  ASSERT_EQ(parameters.size(), 3u);
  EXPECT_EQ(parameters[0].type, Type::U64);
  EXPECT_EQ(parameters[0].align, 8u) << "the alignment behind .ptr is that of what it points to";
  EXPECT_EQ(parameters[1].bytes, 24u);
  EXPECT_EQ(parameters[1].align, 8u);
  EXPECT_EQ(parameters[2].space, Space::Parameter);
}

TEST(PtxDeclaration, FunctionHasResultsAndParameters) {
  Module m = parsed(moduleOf(".weak .func (.param .b32 r, .reg .b32 s) f(.reg .b32 %x, .param .b8 rest[]) .noreturn;"));
  const Function &f = m.functions[0];
  EXPECT_TRUE(f.isDeclaration);
  EXPECT_FALSE(f.isKernel);
  ASSERT_EQ(f.results.size(), 2u);
  EXPECT_EQ(f.results[1].space, Space::Register);
  ASSERT_EQ(f.parameters.size(), 2u);
  EXPECT_EQ(f.parameters[0].name, "%x");
  EXPECT_EQ(f.directives.count("noreturn"), 1u);
}

TEST(PtxDeclaration, DirectivesHaveTheirExtentsFilledUp) {
  Module m = parsed(moduleOf(".entry k .reqntid 128 .maxntid 32, 2 .minnctapersm 8 .maxnreg 64 .explicitcluster\n"
                             ".reqnctapercluster 2, 1, 1 .pragma \"nounroll\", \"x\"; { ret; }"));
  auto &directives = m.functions[0].directives;
  using Numbers = std::vector<uint64_t>;
  EXPECT_EQ(directives["reqntid"], (Numbers{128, 1, 1}));
  EXPECT_EQ(directives["maxntid"], (Numbers{32, 2, 1}));
  EXPECT_EQ(directives["minnctapersm"], Numbers{8});
  EXPECT_EQ(directives["maxnreg"], Numbers{64});
  EXPECT_EQ(directives["explicitcluster"], Numbers{});
  EXPECT_EQ(directives["reqnctapercluster"], (Numbers{2, 1, 1}));
  EXPECT_EQ(directives.size(), 6u);
}
