/// Findings are collected per pair of instructions, in an order that no thread of the host changes.
#include "backend/simulator/check/Finding.h"

#include <gtest/gtest.h>

#include <set>

using namespace tile::sim;

static Finding race(uint32_t origin, uint32_t other, uint32_t thread = 0) {
  Finding finding;
  finding.fault = Fault::Race;
  finding.place = {origin, {0, 0, 0}, {thread, 0, 0}};
  finding.hasOther = true;
  finding.other.origin = other;
  return finding;
}

TEST(Findings, ArePerPairOfInstructionsAndCounted) {
  Findings findings;
  EXPECT_TRUE(findings.empty());
  findings.add(race(3, 1));
  findings.add(race(3, 1));
  findings.add(race(3, 2));
  EXPECT_FALSE(findings.empty());
  std::vector<Finding> sorted = findings.sorted();
  ASSERT_EQ(sorted.size(), 2u);
  EXPECT_EQ(sorted[0].count, 2u);
  EXPECT_EQ(sorted[1].count, 1u);
}

TEST(Findings, AreSortedByInstruction) {
  Findings findings;
  Finding trap;
  trap.fault = Fault::Trap;
  trap.place.origin = 2;
  for (const Finding &finding : {race(3, 1), trap, race(1, 3)})
    findings.add(finding);
  std::vector<Finding> sorted = findings.sorted();
  ASSERT_EQ(sorted.size(), 3u);
  EXPECT_EQ(sorted[0].place.origin, 1u);
  EXPECT_EQ(sorted[1].fault, Fault::Trap);
  EXPECT_EQ(sorted[2].place.origin, 3u);
}

TEST(Findings, KeepTheLeastThread) {
  Findings findings;
  for (uint32_t thread : {5, 2, 9})
    findings.add(race(1, 2, thread));
  EXPECT_EQ(findings.sorted()[0].place.thread[0], 2u);
  EXPECT_EQ(findings.sorted()[0].count, 3u);
}

TEST(Findings, EachFaultHasItsOwnNameAndKey) {
  std::set<std::string> names, keys;
  for (unsigned fault = 0; fault <= unsigned(Fault::StepLimit); ++fault) {
    names.insert(nameOf(Fault(fault)));
    std::string key = keyOf(Fault(fault));
    EXPECT_EQ(key.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string::npos) << key;
    keys.insert(key);
  }
  EXPECT_EQ(names.size(), size_t(Fault::StepLimit) + 1);
  EXPECT_EQ(keys.size(), names.size());
  EXPECT_EQ(nameOf(Fault::Race), "data race");
  EXPECT_EQ(keyOf(Fault::Race), "race");
}
