// Laws of the layout type over every small layout.
#include "test/unit/layout/SimulatedThreads.h"
#include "test/unit/layout/SmallLayouts.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace tile;

static void forEachSmallLayout(const std::function<void(const Layout &)> &fn) {
  for (int numWarps : {1, 2, 3, 4})
    forEachSmallShape(kMaxSmallExtent, [&](const Shape &shape) {
      for (const Layout &layout : smallLayouts(shape, numWarps))
        fn(layout);
    });
}

TEST(PhysicalExtent, IsTheSmallestWithASmallOddFactor) {
  auto odd = [](int64_t extent) {
    while (extent % 2 == 0)
      extent /= 2;
    return extent;
  };
  for (int64_t extent = 1; extent <= 4096; ++extent) {
    int64_t expected = extent;
    while (odd(expected) > kMaxOddFactor)
      ++expected;
    EXPECT_EQ(physicalExtent(extent), expected);
  }
}

TEST(Layout, EveryElementIsHeldWithinTheShape) {
  forEachSmallLayout([](const Layout &layout) {
    std::set<Coords> held;
    forEachRegister(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
      Coords coords = layout.coords(reg, lane, warp);
      for (int dim = 0; dim < layout.rank(); ++dim)
        ASSERT_TRUE(coords[dim] >= 0 && coords[dim] < layout.extent(dim)) << layout.str();
      held.insert(coords);
    });
    ASSERT_EQ(int64_t(held.size()), layout.numElements()) << layout.str();
    ASSERT_TRUE(layout.isSurjective()) << layout.str();
  });
}

TEST(Layout, OwnersHoldEveryElementOnce) {
  forEachSmallLayout([](const Layout &layout) {
    std::map<Coords, int> owners;
    bool replicated = false;
    forEachRegister(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
      if (layout.isOwner(reg, lane, warp))
        ++owners[layout.coords(reg, lane, warp)];
      else
        replicated = true;
    });
    ASSERT_EQ(int64_t(owners.size()), layout.numElements()) << layout.str();
    for (const auto &[coords, count] : owners)
      ASSERT_EQ(count, 1) << layout.str();
    ASSERT_EQ(layout.isInjective(), !replicated) << layout.str();
  });
}

TEST(Layout, ThreadAndRegisterPartsCombineToTheCoordinates) {
  forEachSmallLayout([](const Layout &layout) {
    forEachRegister(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
      Coords whole = layout.coords(reg, lane, warp), part = layout.registerOffset(reg);
      for (int dim = 0; dim < layout.rank(); ++dim) {
        std::vector<CoordTerm> terms = layout.threadTerms(dim);
        ASSERT_EQ(evaluateTerms(terms, lane, warp, part[dim]), whole[dim]) << layout.str();
        if (layout.isRegisterPartDisjoint(dim))
          ASSERT_EQ(evaluateTerms(terms, lane, warp) + part[dim], whole[dim]) << layout.str();
      }
    });
  });
}

TEST(Layout, RegisterAtFindsTheFirstRegisterOfAnOffset) {
  forEachSmallLayout([](const Layout &layout) {
    std::map<Coords, int64_t> first;
    for (int64_t reg = 0; reg < layout.numRegisters(); ++reg)
      first.insert({layout.registerOffset(reg), reg});
    for (auto [offset, reg] : first)
      ASSERT_EQ(layout.registerAt(offset), reg) << layout.str();
  });
}

TEST(Layout, RegisterAtRefusesWhatOtherThreadsHold) {
  Layout layout = blockedLayout({6, 8}, {1, 2}, {1, 4}, {3, 1}, {1, 0});
  EXPECT_EQ(layout.registerAt({0, 1}), 1);
  EXPECT_EQ(layout.registerAt({0, 2}), std::nullopt);
  EXPECT_EQ(layout.registerAt({2, 0}), std::nullopt);
}

TEST(Layout, TextRoundTrips) {
  forEachSmallLayout([](const Layout &layout) {
    std::string error;
    std::optional<Layout> parsed = Layout::parse(layout.str(), error);
    ASSERT_TRUE(parsed) << layout.str() << ": " << error;
    ASSERT_EQ(*parsed, layout) << layout.str();
    ASSERT_EQ(parsed->hash(), layout.hash());
  });
}

TEST(Layout, TextIsStable) {
  EXPECT_EQ(blockedLayout({16, 96}, {1, 2}, {4, 8}, {2, 2}, {1, 0}).str(),
            "16x96: reg b1 a8 b*3; lane b2 b4 b8 a1 a2; warp b16 a4");
  EXPECT_EQ(blockedLayout({3}, {1}, {4}, {12}, {0}).str(), "3: reg; lane 0 0; warp 0 0 a*3");
  EXPECT_EQ(Layout().str(), "scalar: reg; lane; warp");
}

TEST(Layout, TextRefusesWithWhatWasFoundAndExpected) {
  auto errorOf = [](std::string_view text) {
    std::string error;
    EXPECT_FALSE(Layout::parse(text, error)) << text;
    return error;
  };
  EXPECT_EQ(errorOf("37: reg"), "found `37: reg`; expected an extent m·2^k with odd m up to 31");
  EXPECT_EQ(errorOf("1234567890: reg"), "found `0: reg`; expected a number of at most nine digits");
  EXPECT_EQ(errorOf("268435456x268435456: reg"), "found `: reg`; expected at most 26 dims and 2^40 elements");
  EXPECT_EQ(errorOf("0x4: reg"), "found `0x4: reg`; expected an extent m·2^k with odd m up to 31");
  EXPECT_EQ(errorOf("8 reg"), "found `reg`; expected `:`");
  EXPECT_EQ(errorOf("8: lane a1; reg"),
            "found `reg`; expected the parts in the order reg, lane, warp, block, or offset alone");
  EXPECT_EQ(errorOf("8: reg a8"), "found `a8`; expected a coordinate below 8");
  EXPECT_EQ(errorOf("8: reg b1"), "found `b1`; expected a dim of the layout or `0`");
  EXPECT_EQ(errorOf("24: reg a*5"), "found `a*5`; expected the odd factor 3 of the dim");
  EXPECT_EQ(errorOf("24: reg a*3 a1"), "found the end; expected at most 24 bits, all of them before the odd digits");
  EXPECT_EQ(errorOf("8: regs"), "found `s`; expected a dim of the layout or `0`");
  EXPECT_EQ(errorOf("8: threads"), "found `threads`; expected `reg`, `lane`, `warp`, `block` or `offset`");
  EXPECT_EQ(errorOf("8: reg a1^"), "found the end; expected a dim of the layout or `0`");
}

TEST(Layout, MaxVectorIsWhatRegistersHoldContiguously) {
  forEachSmallLayout([](const Layout &layout) {
    for (int dim = 0; dim < layout.rank(); ++dim) {
      // The largest power of two such that in every thread each aligned group of registers runs along `dim`.
      int64_t expected = 1;
      for (int64_t width = 2; width <= layout.numRegisters() && layout.numRegisters() % width == 0; width *= 2) {
        bool contiguous = true;
        forEachRegister(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
          Coords first = layout.coords(reg - reg % width, lane, warp);
          contiguous &= first[dim] % width == 0;
          first[dim] += reg % width;
          contiguous &= first == layout.coords(reg, lane, warp);
        });
        if (contiguous)
          expected = width;
      }
      ASSERT_EQ(maxVector(layout, dim), expected) << layout.str() << " dim " << dim;
    }
  });
}

TEST(Layout, MaxVectorIsAlignedInEveryThread) {
  std::string error;
  EXPECT_EQ(maxVector(*Layout::parse("16: reg a1 a2; lane a4 a8; warp", error), 0), 4);
  EXPECT_EQ(maxVector(*Layout::parse("16: reg a1 a2; lane a6 a8; warp", error), 0), 2);
  EXPECT_EQ(maxVector(*Layout::parse("16: reg a1 a2; lane a4 a8; warp a1", error), 0), 1);
}

TEST(Layout, EqualityUpToReplicationDropsRepeatedRegisters) {
  std::string error;
  Layout plain = *Layout::parse("8: reg a1; lane a2 a4; warp 0", error);
  EXPECT_TRUE(equalUpToReplication(plain, *Layout::parse("8: reg 0 a1 a1; lane a2 a4; warp 0", error)));
  EXPECT_FALSE(equalUpToReplication(plain, *Layout::parse("8: reg a1; lane a4 a2; warp 0", error)));
  EXPECT_NE(plain, *Layout::parse("8: reg a1; lane a4 a2; warp 0", error));
}
