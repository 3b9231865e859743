// The class of an instruction, by its opcode, type and space.
#include "backend/simulator/counters/InstructionClass.h"
#include "backend/simulator/decode/InstructionTable.h"

#include <gtest/gtest.h>

namespace tile::sim::test {

static std::string classOf(const std::string &text, ptx::Space space = ptx::Space::Global,
                           Transfer::Kind kind = Transfer::Kind::Load) {
  Origin origin;
  origin.text = text;
  Transfer transfer;
  transfer.kind = kind;
  transfer.access.space = space;
  return nameOf(sim::classOf(origin, &transfer));
}

TEST(InstructionClass, EveryInstructionOfTheTableHasOne) {
  for (const InstructionRow &row : instructionTable())
    EXPECT_TRUE(hasClass(row.opcode)) << row.opcode;
}

TEST(InstructionClass, ArithmeticGoesByItsType) {
  EXPECT_EQ(classOf("add.rn.f32"), "floating point");
  EXPECT_EQ(classOf("add.s32"), "integer");
  EXPECT_EQ(classOf("max.ftz.bf16x2"), "floating point");
  EXPECT_EQ(classOf("div.rn.f32"), "floating point");
  EXPECT_EQ(classOf("div.approx.f32"), "special function");
  EXPECT_EQ(classOf("div.s32"), "integer");
}

TEST(InstructionClass, AccessesGoByTheirSpace) {
  EXPECT_EQ(classOf("ld.global.v4.b32"), "global load");
  EXPECT_EQ(classOf("st.shared.b32", ptx::Space::Shared, Transfer::Kind::Store), "shared store");
  EXPECT_EQ(classOf("red.shared.add.u32", ptx::Space::Shared, Transfer::Kind::Atomic), "shared atomic");
  EXPECT_EQ(classOf("ldmatrix.sync.aligned.m8n8.x4.shared.b16", ptx::Space::Shared, Transfer::Kind::LoadMatrix),
            "shared load");
  EXPECT_EQ(classOf("ld.param.u64", ptx::Space::Parameter), "constant load");
  EXPECT_EQ(classOf("ld.b32", ptx::Space::Generic), "generic access");
}

TEST(InstructionClass, TheLongestOpcodeDecides) {
  EXPECT_EQ(classOf("cp.async.ca.shared.global"), "async copy");
  EXPECT_EQ(classOf("cp.async.wait_group"), "wait");
  EXPECT_EQ(classOf("mbarrier.arrive.shared.b64"), "barrier");
  EXPECT_EQ(classOf("mbarrier.try_wait.parity.shared.b64"), "wait");
  EXPECT_EQ(classOf("bar.sync"), "barrier");
  EXPECT_EQ(classOf("bar.warp.sync"), "exchange");
  EXPECT_EQ(classOf("barrier.cluster.arrive"), "barrier");
}

} // namespace tile::sim::test
