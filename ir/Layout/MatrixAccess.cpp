//===- MatrixAccess.cpp ---------------------------------------------------===//
#include "ir/Layout/MatrixAccess.h"

#include "ir/Layout/LayoutFiller.h"

#include <algorithm>

namespace tile {

using Vectors = std::vector<uint64_t>;

constexpr int kRowBytesLog2 = 4;
constexpr int kWordBytesLog2 = 2;
constexpr int kMaxMatricesLog2 = 2;

static uint64_t unit(size_t bit) { return uint64_t(1) << bit; }

namespace {
/// What fixes an instruction: masks of register bits for the elements of a word, and the offsets of the row's bits.
struct Match {
  Vectors wordMasks;
  Vectors rowColumns;
};
} // namespace

/// Lanes 0 and 1 count words along a row, lanes 2, 3 and 4 rows.
static std::optional<Match> matchRows(const OffsetMap &map, int elementLog2) {
  const Vectors &lanes = map.columns(HwDim::Lane);
  SpanBasis held(map.columns(HwDim::Register));
  Match match;
  int wordLog2 = kWordBytesLog2 - elementLog2;
  for (int bit = 0; bit < wordLog2; ++bit) {
    std::optional<uint64_t> mask = held.express(unit(bit));
    if (!mask)
      return std::nullopt;
    match.wordMasks.push_back(*mask);
  }
  if (lanes[0] != unit(wordLog2) || lanes[1] != unit(wordLog2 + 1))
    return std::nullopt;
  match.rowColumns = {lanes[2], lanes[3], lanes[4]};
  return match;
}

/// Lanes 2, 3 and 4 count elements along a row, register bit 0 and lanes 0 and 1 rows.
static std::optional<Match> matchColumns(const OffsetMap &map, int elementLog2) {
  const Vectors &lanes = map.columns(HwDim::Lane), &registers = map.columns(HwDim::Register);
  if (elementLog2 != 1 || registers.empty() || lanes[2] != unit(0) || lanes[3] != unit(1) || lanes[4] != unit(2))
    return std::nullopt;
  return Match{{1}, {registers[0], lanes[0], lanes[1]}};
}

static bool shareDim(const Layout &layout, uint64_t basis, uint64_t other) {
  for (int dim = 0; dim < layout.rank(); ++dim)
    if (layout.unpack(dim, basis) != 0 && layout.unpack(dim, other) != 0)
      return true;
  return false;
}

/// Moves the first bit of another dim than that of `bits[0]` to the second place: matrices lie two by two. Four in a
/// row along K would be for two steps of a product, and half of each instruction's registers wait for the second one:
/// as many as the whole factor has, beside all sums.
static void countAcrossSecond(std::vector<size_t> &bits, const Layout &registers) {
  const Vectors &bases = registers.bits(HwDim::Register);
  auto across = std::find_if(bits.begin(), bits.end(),
                             [&](size_t bit) { return !shareDim(registers, bases[bits[0]], bases[bit]); });
  if (across != bits.end())
    std::rotate(bits.begin() + 1, across, across + 1);
}

static bool isAmong(size_t bit, const std::vector<size_t> &bits) {
  return std::find(bits.begin(), bits.end(), bit) != bits.end();
}

std::optional<MatrixAccess> planMatrixAccess(const Layout &registers, const Layout &shared, int elementBits,
                                             MatrixOrder order, const std::vector<size_t> &matrixBits,
                                             RoundDigits rounds) {
  if (elementBits < 8 || elementBits > 32 || registers.bits(HwDim::Lane).size() != 5 ||
      !registers.freeDigits(HwDim::Register).empty())
    return std::nullopt;
  int elementLog2 = exponentOfTwo(elementBits / 8);
  OffsetMap map(registers, shared, rounds);
  std::optional<Match> match =
      order == MatrixOrder::RowMajor ? matchRows(map, elementLog2) : matchColumns(map, elementLog2);
  if (!match)
    return std::nullopt;

  // Every row starts at a multiple of 16 bytes: within a row there are only the bits matched above.
  uint64_t inRow = (uint64_t(1) << (kRowBytesLog2 - elementLog2)) - 1;
  Vectors words; // the offsets within a word
  for (uint64_t mask : match->wordMasks)
    words.push_back(applyColumns(map.columns(HwDim::Register), mask) & inRow);
  SpanBasis inWord(words);
  Vectors rowStarts = match->rowColumns;
  for (HwDim hw : {HwDim::Warp, HwDim::Block})
    rowStarts.insert(rowStarts.end(), map.columns(hw).begin(), map.columns(hw).end());
  for (uint64_t start : rowStarts)
    if (start & inRow)
      return std::nullopt;
  for (uint64_t column : map.columns(HwDim::Register))
    if (!inWord.contains(column & inRow))
      return std::nullopt;

  // Register bits beside those of the word: up to two count matrices, the rest instructions.
  SpanBasis used(match->wordMasks);
  std::vector<size_t> bits;
  for (size_t bit = 0; bit < registers.bits(HwDim::Register).size(); ++bit)
    if (used.insert(unit(bit)))
      bits.push_back(bit);
  if (matrixBits.empty())
    countAcrossSecond(bits, registers);
  else
    std::sort(bits.begin(), bits.end(), [&](size_t a, size_t b) {
      return std::pair(!isAmong(a, matrixBits), a) < std::pair(!isAmong(b, matrixBits), b);
    });
  Vectors others;
  for (size_t bit : bits) {
    // The member of its coset whose row starts at element 0.
    uint64_t column = map.columns(HwDim::Register)[bit] & inRow;
    others.push_back(unit(bit) ^ applyColumns(match->wordMasks, *inWord.express(column)));
  }
  size_t matricesLog2 = std::min<size_t>(others.size(), kMaxMatricesLog2);
  Vectors fills = match->wordMasks;
  fills.insert(fills.end(), others.begin(), others.begin() + long(matricesLog2));
  Vectors repeats(others.begin() + long(matricesLog2), others.end());

  MatrixAccess access;
  access.order = order;
  access.matrices = 1 << matricesLog2;
  Vectors laneColumns = match->rowColumns;
  for (size_t bit = 0; bit < size_t(kMaxMatricesLog2); ++bit)
    laneColumns.push_back(bit < matricesLog2 ? applyColumns(map.columns(HwDim::Register), others[bit]) : 0);
  access.threadTerms = map.threadTerms(laneColumns);
  Vectors repeatColumns;
  for (uint64_t mask : repeats)
    repeatColumns.push_back(applyColumns(map.columns(HwDim::Register), mask));
  access.disjoint = partsAreDisjoint(repeatColumns, access.threadTerms);

  size_t numBits = registers.bits(HwDim::Register).size();
  for (int64_t odd = 0; odd < registers.numRegisters() >> numBits; ++odd)
    for (uint64_t repeat = 0; repeat < unit(repeats.size()); ++repeat) {
      int64_t first = odd << numBits | int64_t(applyColumns(repeats, repeat));
      access.offsets.push_back(map.registerOffset(first));
      access.rounds.push_back(map.registerRound(first));
      std::vector<int64_t> filled;
      for (uint64_t i = 0; i < unit(fills.size()); ++i)
        filled.push_back(first ^ int64_t(applyColumns(fills, i)));
      access.registers.push_back(std::move(filled));
    }

  for (int matrix = 0; matrix < access.matrices; ++matrix) {
    std::vector<int64_t> rows;
    for (uint64_t row = 0; row < 8; ++row)
      rows.push_back(int64_t(applyColumns(laneColumns, uint64_t(matrix) << 3 | row)) << elementLog2);
    access.wavefronts += countPasses(rows, 1 << kRowBytesLog2);
  }
  return access;
}

std::optional<Layout> matrixRows(const Layout &registers, const std::vector<size_t> &matrixBits) {
  const Vectors &lanes = registers.bits(HwDim::Lane), &held = registers.bits(HwDim::Register);
  if (lanes.size() != 5 || !registers.odd(HwDim::Lane).empty() || held.empty() ||
      matrixBits.size() != size_t(kMaxMatricesLog2) || isAmong(0, matrixBits))
    return std::nullopt;
  Layout rows(registers.shape());
  for (uint64_t basis : {held[0], lanes[0], lanes[1]})
    rows.appendBit(HwDim::Register, basis);
  for (size_t bit = 1; bit < held.size(); ++bit)
    if (!isAmong(bit, matrixBits))
      rows.appendBit(HwDim::Register, held[bit]);
  for (uint64_t basis : {lanes[2], lanes[3], lanes[4], held[matrixBits[0]], held[matrixBits[1]]})
    rows.appendBit(HwDim::Lane, basis);
  for (HwDim hw : {HwDim::Warp, HwDim::Block})
    for (uint64_t basis : registers.bits(hw))
      rows.appendBit(hw, basis);
  for (HwDim hw : {HwDim::Register, HwDim::Warp, HwDim::Block})
    for (OddDigit digit : registers.odd(hw))
      rows.appendOdd(hw, digit);
  return rows;
}

} // namespace tile
