// Laws of the linear maps under the layouts.
#include "ir/Layout/DigitMap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

using namespace tile;

/// Every map of `in` bits to `out` bits, each alone and with every wiring of one odd digit of 3.
static void forEachMap(int in, int out, const std::function<void(const DigitMap &)> &fn) {
  uint64_t count = uint64_t(1) << (in * out);
  for (uint64_t code = 0; code < count; ++code)
    for (int source : {-1, 0}) {
      DigitMap map;
      map.outBits = out;
      for (int bit = 0; bit < in; ++bit)
        map.columns.push_back(code >> (bit * out) & ((uint64_t(1) << out) - 1));
      map.inOdd = map.outOdd = {3};
      map.source = {source};
      fn(map);
    }
}

TEST(DigitMap, PseudoInverseUndoesTheMapOnItsImage) {
  for (auto [in, out] : {std::pair(3, 3), std::pair(4, 2), std::pair(2, 4)})
    forEachMap(in, out, [](const DigitMap &map) {
      DigitMap inverse = map.pseudoInverse();
      ASSERT_EQ(compose(map, compose(inverse, map)), map);
      if (map.isSurjective())
        ASSERT_EQ(compose(map, inverse), identityMap(map.outBits, map.outOdd));
      if (map.isInjective())
        ASSERT_EQ(compose(inverse, map), identityMap(map.inBits(), map.inOdd));
    });
}

TEST(DigitMap, CompositionAppliesTheInnerMapFirst) {
  forEachMap(2, 2, [](const DigitMap &outer) {
    forEachMap(2, 2, [&](const DigitMap &inner) {
      DigitMap both = compose(outer, inner);
      for (uint64_t bits = 0; bits < 4; ++bits)
        for (int odd = 0; odd < 3; ++odd)
          ASSERT_EQ(both.apply({bits, {odd}}), outer.apply(inner.apply({bits, {odd}})));
    });
  });
}

TEST(DigitMap, CompositionIsAssociative) {
  forEachMap(2, 2, [](const DigitMap &a) {
    forEachMap(2, 2, [&](const DigitMap &b) {
      forEachMap(2, 2, [&](const DigitMap &c) { ASSERT_EQ(compose(a, compose(b, c)), compose(compose(a, b), c)); });
    });
  });
}

TEST(DigitMap, InjectivityAndSurjectivityAreThoseOfTheValues) {
  forEachMap(3, 2, [](const DigitMap &map) {
    std::vector<std::pair<uint64_t, int>> values;
    for (uint64_t bits = 0; bits < 8; ++bits)
      for (int odd = 0; odd < 3; ++odd) {
        DigitIndex value = map.apply({bits, {odd}});
        values.push_back({value.bits, value.odd[0]});
      }
    std::sort(values.begin(), values.end());
    size_t distinct = size_t(std::unique(values.begin(), values.end()) - values.begin());
    ASSERT_EQ(map.isSurjective(), distinct == 12);
    ASSERT_EQ(map.isInjective(), distinct == 24);
  });
}

TEST(SpanBasis, ExpressNamesInsertedVectorsWhoseSumItIs) {
  std::vector<uint64_t> inserted = {0b0110, 0b0011, 0b0101, 0b1000};
  SpanBasis basis(inserted);
  EXPECT_EQ(basis.rank(), 3);
  for (uint64_t vector = 0; vector < 16; ++vector) {
    std::optional<uint64_t> combination = basis.express(vector);
    EXPECT_EQ(combination.has_value(), basis.contains(vector));
    if (combination)
      EXPECT_EQ(applyColumns(inserted, *combination), vector);
  }
  EXPECT_EQ(basis.relations(), std::vector<uint64_t>{0b0111});
}

TEST(SpanBasis, IntersectionIsWhatBothSpansContain) {
  for (uint64_t code = 0; code < 1 << 16; ++code) {
    std::vector<uint64_t> a = {code & 15, code >> 4 & 15}, b = {code >> 8 & 15, code >> 12 & 15};
    SpanBasis both(intersectSpans(a, b)), spanA(a), spanB(b);
    ASSERT_EQ(both.rank(), int(intersectSpans(a, b).size()));
    for (uint64_t vector = 0; vector < 16; ++vector)
      ASSERT_EQ(both.contains(vector), spanA.contains(vector) && spanB.contains(vector));
  }
}
