//===- DigitMap.cpp - Gaussian elimination over F2 words ------------------===//
#include "ir/Layout/DigitMap.h"

#include <algorithm>
#include <cassert>

namespace tile {

int exponentOfTwo(int64_t value) {
  assert(value != 0 && "0 is divisible by every power");
  return __builtin_ctzll(static_cast<uint64_t>(value));
}

SpanBasis::SpanBasis(const std::vector<uint64_t> &vectors) {
  for (uint64_t vector : vectors)
    insert(vector);
}

static bool leads(uint64_t vector, uint64_t row) { return (vector ^ row) < vector; }

SpanBasis::Row SpanBasis::reduceRow(Row row) const {
  for (const Row &basis : rows)
    if (leads(row.vector, basis.vector)) {
      row.vector ^= basis.vector;
      row.combination ^= basis.combination;
    }
  return row;
}

bool SpanBasis::insert(uint64_t vector) {
  assert(inserted < 64 && "a combination is a 64-bit mask");
  Row row = reduceRow({vector, uint64_t(1) << inserted});
  ++inserted;
  if (row.vector == 0) {
    zeroSums.push_back(row.combination);
    return false;
  }
  auto at = std::find_if(rows.begin(), rows.end(), [&](const Row &other) { return other.vector < row.vector; });
  rows.insert(at, row);
  return true;
}

uint64_t SpanBasis::reduce(uint64_t vector) const { return reduceRow({vector, 0}).vector; }

std::optional<uint64_t> SpanBasis::express(uint64_t vector) const {
  Row row = reduceRow({vector, 0});
  if (row.vector != 0)
    return std::nullopt;
  return row.combination;
}

std::vector<uint64_t> SpanBasis::vectors() const {
  std::vector<uint64_t> result;
  for (const Row &row : rows)
    result.push_back(row.vector);
  return result;
}

std::vector<uint64_t> intersectSpans(const std::vector<uint64_t> &a, const std::vector<uint64_t> &b) {
  // A relation between a basis of A and vectors of B names a vector that is a sum of either side.
  std::vector<uint64_t> basisA = SpanBasis(a).vectors();
  SpanBasis both(basisA);
  for (uint64_t vector : SpanBasis(b).vectors())
    both.insert(vector);
  std::vector<uint64_t> result;
  uint64_t sideA = basisA.size() >= 64 ? ~uint64_t(0) : (uint64_t(1) << basisA.size()) - 1;
  for (uint64_t relation : both.relations())
    result.push_back(applyColumns(basisA, relation & sideA));
  return result;
}

uint64_t applyColumns(const std::vector<uint64_t> &columns, uint64_t index) {
  uint64_t result = 0;
  for (size_t i = 0; i < columns.size() && index != 0; ++i, index >>= 1)
    if (index & 1)
      result ^= columns[i];
  return result;
}

DigitIndex DigitMap::apply(const DigitIndex &index) const {
  DigitIndex result;
  result.bits = applyColumns(columns, index.bits);
  for (int from : source)
    result.odd.push_back(from < 0 ? 0 : index.odd[from]);
  return result;
}

bool DigitMap::isInjective() const {
  if (SpanBasis(columns).rank() != inBits())
    return false;
  for (size_t digit = 0; digit < inOdd.size(); ++digit)
    if (std::find(source.begin(), source.end(), static_cast<int>(digit)) == source.end())
      return false;
  return true;
}

bool DigitMap::isSurjective() const {
  return SpanBasis(columns).rank() == outBits &&
         std::all_of(source.begin(), source.end(), [](int from) { return from >= 0; });
}

DigitMap DigitMap::pseudoInverse() const {
  DigitMap result;
  result.outBits = inBits();
  result.inOdd = outOdd;
  result.outOdd = inOdd;
  for (size_t digit = 0; digit < inOdd.size(); ++digit) {
    auto at = std::find(source.begin(), source.end(), static_cast<int>(digit));
    result.source.push_back(at == source.end() ? -1 : static_cast<int>(at - source.begin()));
  }
  // Unit vectors are added to the image until it is everything; those added are sent to 0.
  SpanBasis basis(columns);
  for (int bit = 0; bit < outBits; ++bit)
    basis.insert(uint64_t(1) << bit);
  uint64_t inputs = columns.size() >= 64 ? ~uint64_t(0) : (uint64_t(1) << columns.size()) - 1;
  for (int bit = 0; bit < outBits; ++bit)
    result.columns.push_back(*basis.express(uint64_t(1) << bit) & inputs);
  return result;
}

bool DigitMap::operator==(const DigitMap &other) const {
  return outBits == other.outBits && columns == other.columns && inOdd == other.inOdd && outOdd == other.outOdd &&
         source == other.source;
}

DigitMap compose(const DigitMap &outer, const DigitMap &inner) {
  assert(outer.inBits() == inner.outBits && outer.inOdd == inner.outOdd && "the digits in between must agree");
  DigitMap result;
  result.outBits = outer.outBits;
  result.inOdd = inner.inOdd;
  result.outOdd = outer.outOdd;
  for (uint64_t column : inner.columns)
    result.columns.push_back(applyColumns(outer.columns, column));
  for (int from : outer.source)
    result.source.push_back(from < 0 ? -1 : inner.source[from]);
  return result;
}

DigitMap identityMap(int bits, const std::vector<int> &odd) {
  DigitMap result;
  result.outBits = bits;
  result.inOdd = result.outOdd = odd;
  for (int bit = 0; bit < bits; ++bit)
    result.columns.push_back(uint64_t(1) << bit);
  for (size_t digit = 0; digit < odd.size(); ++digit)
    result.source.push_back(static_cast<int>(digit));
  return result;
}

} // namespace tile
