// What a module answers about itself.
#include "ParsePtx.h"

#include "gtest/gtest.h"

using namespace tile::sim::ptx;
using namespace tile::sim::test;

TEST(PtxSyntax, EveryTypeIsNamedOnce) {
  for (unsigned i = 0; i <= static_cast<unsigned>(Type::S16x2); ++i) {
    Type type = static_cast<Type>(i);
    EXPECT_EQ(typeNamed(nameOf(type)), type) << nameOf(type);
  }
  EXPECT_EQ(typeNamed("f8"), std::nullopt);
  EXPECT_EQ(typeNamed(""), std::nullopt);
}

TEST(PtxSyntax, SizesAreBytes) {
  EXPECT_EQ(sizeOf(Type::Pred), 0u);
  EXPECT_EQ(sizeOf(Type::S8), 1u);
  EXPECT_EQ(sizeOf(Type::E5M2x2), 2u);
  EXPECT_EQ(sizeOf(Type::F16x2), 4u);
  EXPECT_EQ(sizeOf(Type::TF32), 4u);
  EXPECT_EQ(sizeOf(Type::F32x2), 8u);
  EXPECT_EQ(sizeOf(Type::B128), 16u);
}

TEST(PtxSyntax, ModifiersAreKeptAsWritten) {
  Function f = body("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
                    " [%rd1], [%rd2, {%r1, %r2}], [%r3], %rd3;");
  ASSERT_EQ(f.instructions.size(), 1u);
  const Instruction &copy = f.instructions[0];
  EXPECT_EQ(copy.opcode, "cp");
  EXPECT_EQ(copy.modifiers, (std::vector<std::string>{"async", "bulk", "tensor", "2d", "shared::cluster", "global",
                                                      "mbarrier::complete_tx::bytes", "L2::cache_hint"}));
  EXPECT_TRUE(copy.has("shared::cluster"));
  EXPECT_FALSE(copy.has("shared"));
  EXPECT_EQ(copy.mnemonic(), "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                             ".L2::cache_hint");
}

TEST(PtxSyntax, ModifiersMayStandApart) {
  EXPECT_EQ(body("add .u32 %r1, %r1, %r1;").instructions[0].mnemonic(), "add.u32");
}

TEST(PtxSyntax, HeadSaysVersionTargetAndAddressSize) {
  Module m = parsed(".version 7.8 .target sm_90a, debug .address_size 32");
  EXPECT_EQ(m.versionMajor, 7u);
  EXPECT_EQ(m.versionMinor, 8u);
  EXPECT_EQ(m.target, "sm_90a, debug");
  EXPECT_EQ(m.addressBits, 32u);
  EXPECT_EQ(parsed(".version 7.8 .target sm_80").addressBits, 64u);
}

TEST(PtxSyntax, FindPrefersTheDefinition) {
  Module m = parsed(moduleOf(".func f; .func f; .func f { ret; } .func f; .entry k { ret; }"));
  ASSERT_EQ(m.functions.size(), 2u);
  EXPECT_FALSE(m.find("f")->isDeclaration);
  EXPECT_TRUE(m.find("k")->isKernel);
  EXPECT_EQ(m.find("g"), nullptr);
}

TEST(PtxSyntax, FindFollowsAnAlias) {
  Module m = parsed(moduleOf(".visible .func other; .func f { trap; } .alias other, f;"));
  EXPECT_EQ(m.find("other"), m.find("f"));
  EXPECT_EQ(m.find("f")->instructions.size(), 1u);
}

TEST(PtxSyntax, FilesAreByIndex) {
  Module m = parsed(moduleOf(".file 2 \"dir/b.cu\", 1700000000, 120\n.file 1 \"a.cu\"\n"));
  EXPECT_EQ(m.files, (std::vector<std::string>{"", "a.cu", "dir/b.cu"}));
}

TEST(PtxSyntax, SectionsAndCommentsAreSkipped) {
  Module m = parsed("// head\n/* .version 1.0\n*/ .version 9.0\n.target sm_80\n@@DWARF .byte 0x00\n"
                    ".section .debug_str {\n$L__info: .b8 1, {2}\n.b64 $L__tmp1-$L__tmp0\n.b32 .debug_abbrev\n}\n"
                    ".section\t.debug_macinfo\t{\t}\n.func f { ret; /* } */ }");
  ASSERT_EQ(m.functions.size(), 1u);
  EXPECT_EQ(m.functions[0].line, 12u);
}
