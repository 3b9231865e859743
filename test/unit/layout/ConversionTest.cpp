// Every conversion plan, executed on simulated threads, gives what the destination layout says.
#include "ir/Layout/ShapeOps.h"
#include "test/unit/layout/SimulatedThreads.h"
#include "test/unit/layout/SmallLayouts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

using namespace tile;

static ConversionPlan viaShared(const Layout &src, const Layout &dst, int elementBits, int64_t maxBytes = kAnyBytes) {
  ConversionPlan plan;
  plan.kind = ConversionKind::SharedMemory;
  plan.exchange = planSharedExchange(src, dst, elementBits, maxBytes);
  return plan;
}

/// Layouts of one shape, and their registers filled.
struct Filled {
  explicit Filled(std::vector<Layout> all) : layouts(std::move(all)) {
    for (const Layout &layout : layouts)
      threads.push_back(SimulatedThreads::holding(layout));
  }
  std::vector<Layout> layouts;
  std::vector<SimulatedThreads> threads;
};

using PlanFn = std::function<std::optional<ConversionPlan>(const Layout &, const Layout &)>;

/// Runs the plans that `planFn` makes, if it makes one, between all `layouts`.
static void expectPlansConvert(std::vector<Layout> layouts, const PlanFn &planFn) {
  Filled filled(std::move(layouts));
  for (size_t src = 0; src < filled.layouts.size(); ++src)
    for (size_t dst = 0; dst < filled.layouts.size(); ++dst)
      if (std::optional<ConversionPlan> plan = planFn(filled.layouts[src], filled.layouts[dst]))
        ASSERT_TRUE(filled.threads[src].run(*plan, filled.layouts[dst]) == filled.threads[dst])
            << filled.layouts[src].str() << "\n"
            << filled.layouts[dst].str() << "\nkind " << int(plan->kind) << " " << plan->exchange.layout.str();
}

/// The same for all shapes up to `maxExtent`.
static void expectPlansConvert(int64_t maxExtent, const std::vector<int> &warps, const PlanFn &planFn) {
  for (int numWarps : warps)
    forEachSmallShape(maxExtent,
                      [&](const Shape &shape) { expectPlansConvert(smallLayouts(shape, numWarps), planFn); });
}

static std::optional<ConversionPlan> viaShuffle(const Layout &src, const Layout &dst, int elementBits) {
  std::optional<ShuffleProgram> shuffle = planShuffle(src, dst, elementBits);
  if (!shuffle)
    return std::nullopt;
  ConversionPlan plan;
  plan.kind = ConversionKind::Shuffle;
  plan.shuffle = std::move(*shuffle);
  return plan;
}

TEST(Conversion, ArbitraryLinearLayoutsConvert) {
  int64_t shuffles = 0;
  for (const Shape &shape : {Shape{8}, Shape{16}, Shape{8, 8}, Shape{4, 24}, Shape{2, 4, 8}, Shape{64}})
    expectPlansConvert(randomLayouts(shape, 40), [&](const Layout &src, const Layout &dst) {
      std::optional<ConversionPlan> plan = viaShuffle(src, dst, 16);
      shuffles += plan.has_value();
      return plan ? plan : viaShared(src, dst, 16, /*maxBytes=*/64);
    });
  EXPECT_GT(shuffles, 100);
}

TEST(Conversion, EveryPlanOfEveryPairGivesTheDestination) {
  expectPlansConvert(kMaxSmallExtent, {1, 2, 3, 4}, [](const Layout &src, const Layout &dst) {
    ConversionPlan plan = planConversion(src, dst, 16);
    EXPECT_EQ(plan.kind == ConversionKind::Identity, src == dst);
    return plan;
  });
}

TEST(Conversion, EveryShuffleGivesTheDestination) {
  int64_t shuffles = 0, selects = 0, doubled = 0;
  for (int elementBits : {8, 32})
    expectPlansConvert(std::min<int64_t>(kMaxSmallExtent, 8), {1, 2, 3, 4}, [&](const Layout &src, const Layout &dst) {
      std::optional<ConversionPlan> plan = viaShuffle(src, dst, elementBits);
      shuffles += plan.has_value();
      selects += plan && !plan->shuffle.after.empty();
      doubled += plan && plan->shuffle.numReceived > dst.numRegisters();
      return plan;
    });
  // The enumeration reaches every branch of the planner.
  EXPECT_GT(shuffles, 1000);
  EXPECT_GT(selects, 100);
  EXPECT_GT(doubled, 0);
}

/// `words` spelled out: the elements that each of its registers stands for, between the inputs and outputs of
/// `program`.
static ShuffleProgram onElements(const ShuffleProgram &words, const ShuffleProgram &program, int64_t perWord) {
  ShuffleProgram result = words;
  result.inputs = program.inputs;
  result.outputs = program.outputs;
  result.numReceived *= perWord;
  for (std::vector<SelectStage> *stages : {&result.before, &result.after})
    for (SelectStage &stage : *stages)
      stage.registerXor *= perWord;
  for (ShuffleRound &round : result.rounds)
    for (std::vector<int64_t> *registers : {&round.sources, &round.results}) {
      int64_t first = registers->front() * perWord;
      registers->clear();
      for (int64_t i = 0; i < perWord; ++i)
        registers->push_back(first + i);
    }
  return result;
}

TEST(Conversion, ShufflesOfWordsGiveTheDestination) {
  int64_t words = 0, parted = 0;
  for (int64_t perWord : {2, 4})
    expectPlansConvert(std::min<int64_t>(kMaxSmallExtent, 8), {1, 2, 3}, [&](const Layout &src, const Layout &dst) {
      std::optional<ConversionPlan> plan = viaShuffle(src, dst, int(32 / perWord));
      std::optional<ShuffleProgram> inWhole = plan ? inWords(plan->shuffle, perWord) : std::nullopt;
      words += inWhole.has_value();
      parted += plan && !inWhole;
      if (inWhole)
        plan->shuffle = onElements(*inWhole, plan->shuffle, perWord);
      return inWhole ? plan : std::nullopt;
    });
  EXPECT_GT(words, 100);
  EXPECT_GT(parted, 100);
}

TEST(Conversion, SharedMemoryGivesTheDestinationForEveryElementSize) {
  for (int elementBits : {8, 32})
    expectPlansConvert(std::min<int64_t>(kMaxSmallExtent, 8), {2, 3},
                       [&](const Layout &src, const Layout &dst) { return viaShared(src, dst, elementBits); });
}

TEST(Conversion, RoundsThroughASmallBufferGiveTheDestination) {
  int64_t inRounds = 0;
  expectPlansConvert(kMaxSmallExtent, {1, 3}, [&](const Layout &src, const Layout &dst) {
    ConversionPlan plan = viaShared(src, dst, 16, /*maxBytes=*/16);
    inRounds += plan.exchange.numRounds > 1;
    EXPECT_EQ(plan.exchange.bytes * plan.exchange.numRounds, src.numElements() * 2);
    return plan;
  });
  EXPECT_GT(inRounds, 100);
}

TEST(SharedExchange, RoundsCutNoVectorOfTheDestination) {
  for (const Shape &shape : {Shape{64, 64}, Shape{64, 128}, Shape{128, 192}, Shape{128, 256}}) {
    Layout acc = wgmmaAccumulatorLayout(shape, {4, 1}), rows = coalescedLayout(shape, 16, shape, {1, 0}, 4);
    for (int64_t vector : {1, 2, 8})
      for (int64_t parts : {2, 4, 8}) {
        int64_t bytes = shape[0] * shape[1] * 2;
        SharedExchange exchange = planSharedExchange(acc, rows, 16, bytes / parts, vector);
        std::vector<int64_t> rounds(size_t(rows.numRegisters()), -1);
        for (size_t i = 0; i < exchange.load.registers.size(); ++i)
          for (int64_t reg : exchange.load.registers[i])
            rounds[size_t(reg)] = exchange.load.rounds[i];
        for (size_t reg = 0; reg < rounds.size(); ++reg)
          EXPECT_EQ(rounds[reg], rounds[reg - reg % size_t(vector)]) << acc.str() << " by " << vector;
        ConversionPlan plan;
        plan.kind = ConversionKind::SharedMemory;
        plan.exchange = exchange;
        EXPECT_TRUE(SimulatedThreads::holding(acc).run(plan, rows) == SimulatedThreads::holding(rows));
      }
  }
}

TEST(SharedExchange, MatricesGiveTheDestinationInSlicesWithoutBankConflicts) {
  auto layout = [](const std::string &text) {
    std::string error;
    std::optional<Layout> parsed = Layout::parse(text, error);
    EXPECT_TRUE(parsed) << error;
    return *parsed;
  };
  struct Case {
    std::string shape, wide;
    int64_t slices;
  };
  for (const Case &tile :
       {Case{"128x256", " b64 b128", 8}, {"128x128", " b64", 4}, {"128x64", "", 2}, {"128x192", " b*3", 2}}) {
    std::string of = tile.shape + ": reg b1 ", wide = tile.wide;
    Layout sum = layout(of + "a8 b8 b16 b32" + wide + "; lane b2 b4 a1 a2 a4; warp a16 a32 a64"),
           stored = layout(of + "b2 b4 a4 a8" + wide + "; lane b8 b16 b32 a1 a2; warp a16 a32 a64");
    for (int64_t parts = 1; parts <= 8; parts *= 2) {
      ConversionPlan plan;
      plan.kind = ConversionKind::SharedMemory;
      plan.exchange = planMatrixExchange(sum, stored, sum.numElements() * 2 / parts, 8);
      ASSERT_TRUE(plan.exchange.matrices) << sum.str();
      EXPECT_EQ(plan.exchange.matrices->matrices, 4);
      EXPECT_EQ(plan.exchange.matrices->wavefronts, 4);
      EXPECT_EQ(plan.exchange.load.vector, 8);
      EXPECT_EQ(countWavefronts(stored, plan.exchange.layout, 16, 8), 4);
      EXPECT_GE(plan.exchange.numRounds, std::min(parts, tile.slices));
      EXPECT_TRUE(SimulatedThreads::holding(sum).run(plan, stored) == SimulatedThreads::holding(stored));
    }
  }
}

TEST(SharedExchange, TakesNoMatricesWhereLanesHoldNoRowsOrRoundsTakeThem) {
  // A lane holds neighbours along the columns; too few registers; lane bit b4 is a register that rounds may take.
  Layout rows = coalescedLayout({64, 64}, 16, {64, 64}, {1, 0}, 4),
         columns = coalescedLayout({64, 64}, 16, {64, 64}, {0, 1}, 4);
  EXPECT_FALSE(planMatrixExchange(rows, columns).matrices);
  Layout sum = wgmmaAccumulatorLayout({64, 8}, {4, 1});
  EXPECT_FALSE(planMatrixExchange(sum, coalescedLayout({64, 8}, 16, {64, 8}, {1, 0}, 4)).matrices);
  std::string error;
  Layout held = *Layout::parse("64x16: reg b1 a8 a16 a32 b8; lane b2 b4 a1 a2 a4; warp 0", error),
         stored = *Layout::parse("64x16: reg a1 a2 b4 b1 b8; lane a4 a8 a16 a32 b2; warp 0", error);
  EXPECT_FALSE(planMatrixExchange(held, stored, 64 * 16 * 2 / 8, 4).matrices);
}

TEST(Conversion, KeepsWarpsWhereEachHoldsTheSameElements) {
  auto layout = [](const char *text) {
    std::string error;
    return *Layout::parse(text, error);
  };
  Layout held = layout("64x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp a16 a32");
  EXPECT_TRUE(keepsWarps(held, layout("64x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp a16 a32")));
  EXPECT_FALSE(keepsWarps(held, layout("64x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp a32 a16")));
  EXPECT_FALSE(keepsWarps(held, layout("64x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8^a16; warp a16 a32")));
  EXPECT_FALSE(keepsWarps(held, layout("64x16: reg b1 b2 b4; lane b8 a1 a2 a4 a16; warp a8 a32")));
  EXPECT_FALSE(keepsWarps(held, layout("64x16: reg b1 a8 b8 a32; lane b2 b4 a1 a2 a4; warp a16 0")));
}

TEST(SharedExchange, StaysWithinItsBufferWhereRegistersTakeTurns) {
  Shape shape = {128, 192};
  Layout acc = mmaAccumulatorLayout(shape, {2, 2}), rows = coalescedLayout(shape, 32, shape, {1, 0}, 4);
  EXPECT_EQ(planSharedExchange(acc, rows, 32).bytes, 128 * 192 * 4);
  for (int64_t maxBytes : {65536, 49152, 32768, 16384}) {
    SharedExchange exchange = planSharedExchange(acc, rows, 32, maxBytes);
    EXPECT_LE(exchange.bytes, maxBytes);
    EXPECT_EQ(exchange.bytes * exchange.numRounds, 128 * 192 * 4);
    ConversionPlan plan = viaShared(acc, rows, 32, maxBytes);
    EXPECT_TRUE(SimulatedThreads::holding(acc).run(plan, rows) == SimulatedThreads::holding(rows));
  }
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
