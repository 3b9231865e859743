// Every conversion plan, executed on simulated threads, gives what the destination layout says.
#include "ir/Layout/ShapeOps.h"
#include "test/unit/layout/SimulatedThreads.h"
#include "test/unit/layout/SmallLayouts.h"

#include <gtest/gtest.h>

using namespace tile;

static ConversionPlan viaShared(const Layout &src, const Layout &dst, int elementBits) {
  ConversionPlan plan;
  plan.kind = ConversionKind::SharedMemory;
  plan.exchange = planSharedExchange(src, dst, elementBits);
  return plan;
}

static void expectConverts(const Layout &src, const Layout &dst, const ConversionPlan &plan) {
  ASSERT_EQ(SimulatedThreads::holding(src).run(plan, src, dst), SimulatedThreads::holding(dst))
      << src.str() << "\n"
      << dst.str() << "\nkind " << int(plan.kind) << " " << plan.exchange.layout.str();
}

TEST(Conversion, EveryPlanOfEveryPairGivesTheDestination) {
  for (int numWarps : {1, 2, 3, 4})
    forEachSmallShape(12, [&](const Shape &shape) {
      std::vector<Layout> layouts = smallLayouts(shape, numWarps);
      std::vector<SimulatedThreads> filled;
      for (const Layout &layout : layouts)
        filled.push_back(SimulatedThreads::holding(layout));
      for (size_t src = 0; src < layouts.size(); ++src)
        for (size_t dst = 0; dst < layouts.size(); ++dst) {
          ConversionPlan plan = planConversion(layouts[src], layouts[dst], 16);
          ASSERT_EQ(plan.kind == ConversionKind::Identity, src == dst);
          ASSERT_EQ(filled[src].run(plan, layouts[src], layouts[dst]), filled[dst]) << layouts[src].str() << "\n"
                                                                                    << layouts[dst].str();
        }
    });
}

TEST(Conversion, EveryShuffleGivesTheDestination) {
  int64_t shuffles = 0, selects = 0, doubled = 0;
  for (int elementBits : {8, 32})
    for (int numWarps : {1, 2, 3, 4})
      forEachSmallShape(8, [&](const Shape &shape) {
        std::vector<Layout> layouts = smallLayouts(shape, numWarps);
        for (const Layout &src : layouts)
          for (const Layout &dst : layouts)
            if (std::optional<ShuffleProgram> shuffle = planShuffle(src, dst, elementBits)) {
              ++shuffles;
              selects += !shuffle->after.empty();
              doubled += shuffle->numReceived > dst.numRegisters();
              ConversionPlan plan;
              plan.kind = ConversionKind::Shuffle;
              plan.shuffle = *shuffle;
              ASSERT_NO_FATAL_FAILURE(expectConverts(src, dst, plan));
            }
      });
  // The enumeration reaches every branch of the planner.
  EXPECT_GT(shuffles, 10000);
  EXPECT_GT(selects, 1000);
  EXPECT_GT(doubled, 0);
}

TEST(Conversion, SharedMemoryGivesTheDestinationForEveryElementSize) {
  for (int elementBits : {8, 32})
    for (int numWarps : {2, 3})
      forEachSmallShape(8, [&](const Shape &shape) {
        std::vector<Layout> layouts = smallLayouts(shape, numWarps);
        for (const Layout &src : layouts)
          for (const Layout &dst : layouts)
            ASSERT_NO_FATAL_FAILURE(expectConverts(src, dst, viaShared(src, dst, elementBits)));
      });
}

TEST(Conversion, RegistersOfTheSameThreadArePermuted) {
  Layout rows = blockedLayout({8, 8}, {2, 4}, {4, 2}, {1, 1}, {1, 0});
  Layout columns = blockedLayout({8, 8}, {2, 4}, {4, 2}, {1, 1}, {0, 1});
  // Only the order of registers and lanes differs in these two; the lanes must agree for a permutation.
  EXPECT_NE(planConversion(rows, columns, 32).kind, ConversionKind::RegisterPermute);
  std::string error;
  Layout src = *Layout::parse("8x4: reg b1 b2; lane a1 a2 a4; warp", error);
  Layout dst = *Layout::parse("8x4: reg b2 b1; lane a1 a2 a4; warp", error);
  ConversionPlan plan = planConversion(src, dst, 32);
  EXPECT_EQ(plan.kind, ConversionKind::RegisterPermute);
  EXPECT_EQ(plan.registers, (std::vector<int64_t>{0, 2, 1, 3}));
  EXPECT_EQ(plan.cost, 0);
}

/// Passes per access over the least possible.
static double conflictRatio(const SharedAccess &access, const Layout &registers, const Layout &shared,
                            int elementBits) {
  int ideal = std::max(1, int(registers.numLanes()) * access.vector * elementBits / 8 / 128);
  return double(countWavefronts(registers, shared, elementBits, access.vector)) / ideal;
}

TEST(SharedExchange, TransposingAMatrixHasNoBankConflicts) {
  for (int elementBits : {8, 16, 32, 64})
    for (Shape shape : {Shape{64, 64}, Shape{128, 128}, Shape{32, 96}, Shape{128, 32}}) {
      Layout rows = coalescedLayout(shape, elementBits, {1024, 1024}, {1, 0}, 4);
      Layout columns = coalescedLayout(shape, elementBits, {1024, 1024}, {0, 1}, 4);
      SharedExchange exchange = planSharedExchange(rows, columns, elementBits);
      EXPECT_EQ(conflictRatio(exchange.store, rows, exchange.layout, elementBits), 1) << exchange.layout.str();
      EXPECT_EQ(conflictRatio(exchange.load, columns, exchange.layout, elementBits), 1) << exchange.layout.str();
    }
}
