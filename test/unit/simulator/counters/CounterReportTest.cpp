// Counts by line of the source: what is added up, and which line comes first.
#include "backend/simulator/counters/CounterReport.h"

#include <gtest/gtest.h>

namespace tile::sim::test {

namespace {
/// A program of instructions with their lines in `k.tile`, 0 for none, and what was counted of them.
struct Sample {
  Program program;
  std::vector<CountedInstruction> counted;

  Sample() { program.files = {"", "k.tile"}; }
  Counters &add(const std::string &text, unsigned line, InstructionClass kind = InstructionClass::GlobalLoad) {
    Origin origin;
    origin.text = text;
    origin.line = unsigned(100 - counted.size());
    origin.location.file = line ? 1 : 0;
    origin.location.line = line;
    origin.charged = origin.location;
    program.origins.push_back(origin);
    counted.emplace_back();
    counted.back().kind = kind;
    counted.back().counters.issues = 1;
    return counted.back().counters;
  }
  std::string order() const {
    std::string text;
    for (const CounterReport::Line &line : reportCounters(program, counted, "k.ptx").lines)
      text += line.file + ":" + std::to_string(line.line) + " ";
    return text;
  }
};
} // namespace

TEST(CounterReport, InstructionsOfALineAreAddedUp) {
  Sample sample;
  sample.add("ld.global.u32", 7).globalSectors = 3;
  sample.add("ld.shared.u32", 7, InstructionClass::SharedLoad).sharedWavefronts = 5;
  sample.add("ld.global.u32", 8).globalSectors = 1;
  sample.add("never", 9).issues = 0;
  CounterReport report = reportCounters(sample.program, sample.counted);
  ASSERT_EQ(report.lines.size(), 2u);
  const CounterReport::Line &line = report.lines[0];
  EXPECT_EQ(line.line, 7u);
  EXPECT_EQ(line.counters.globalSectors, 3u);
  EXPECT_EQ(line.counters.sharedWavefronts, 5u);
  ASSERT_EQ(line.instructions.size(), 2u);
  EXPECT_EQ(line.instructions[0].text, "ld.shared.u32"); // by line of the PTX
  EXPECT_EQ(report.total.globalSectors, 4u);
  EXPECT_EQ(report.byClass[size_t(InstructionClass::GlobalLoad)].issues, 2u);
}

TEST(CounterReport, CodeOfNoLineIsOneLineUnlessThePtxIsAFile) {
  Sample sample;
  sample.add("mov", 0);
  sample.add("add", 0);
  EXPECT_EQ(reportCounters(sample.program, sample.counted).lines.size(), 1u);
  EXPECT_EQ(reportCounters(sample.program, sample.counted).lines[0].line, 0u);
  EXPECT_EQ(reportCounters(sample.program, sample.counted, "k.ptx").lines[0].file, "k.ptx");
  EXPECT_EQ(reportCounters(sample.program, sample.counted, "k.ptx").lines[0].line, 99u);
  EXPECT_EQ(reportCounters(sample.program, sample.counted, "k.ptx").lines.size(), 2u);
}

TEST(CounterReport, TheMostWastefulLineComesFirstThenTheOneThatMovesMost) {
  Sample sample;
  for (auto [line, sectors] : {std::pair(1u, 1000u), std::pair(2u, 10u)}) {
    Counters &coalesced = sample.add("ld.global.u32", line);
    coalesced.globalSectors = coalesced.globalIdeal = sectors;
  }
  Counters &scattered = sample.add("ld.global.u32", 3);
  scattered.globalSectors = 8;
  scattered.globalIdeal = 4;
  Counters &conflicts = sample.add("ld.shared.u32", 4, InstructionClass::SharedLoad);
  conflicts.sharedWavefronts = 32;
  conflicts.sharedIdeal = 1;
  sample.add("add.u32", 5, InstructionClass::Integer).issues = 9;
  EXPECT_EQ(sample.order(), "k.tile:4 k.tile:3 k.tile:1 k.tile:2 k.tile:5 ");
}

TEST(CounterReport, WithoutASourceEachLineOfThePtxIsOne) {
  Sample sample;
  sample.add("a", 0);
  sample.add("b", 0);
  EXPECT_EQ(sample.order(), "k.ptx:99 k.ptx:100 ");
}

TEST(CounterReport, MatrixWorkIsAddedUpByType) {
  Sample sample;
  for (const char *types : {"bf16 x bf16 -> f32", "s8 x s8 -> s32", "bf16 x bf16 -> f32"}) {
    sample.add("mma", 1, InstructionClass::TensorCore).flops = 64;
    sample.counted.back().matrixTypes = types;
  }
  CounterReport report = reportCounters(sample.program, sample.counted);
  ASSERT_EQ(report.byMatrixTypes.size(), 2u);
  EXPECT_EQ(report.byMatrixTypes["bf16 x bf16 -> f32"].flops, 128u);
}

} // namespace tile::sim::test
