//===- SharedLayout.cpp ---------------------------------------------------===//
#include "ir/Layout/SharedLayout.h"

#include "ir/Layout/Constructors.h"
#include "ir/Layout/LayoutFiller.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <tuple>

namespace tile {

constexpr int kBanks = 32;
constexpr int kBankBytes = 4;
/// A swizzle moves whole 16-byte chunks, by the bits of the address from 128 bytes up.
constexpr int kChunkBytesLog2 = 4;
constexpr int kSwizzleRowLog2 = 7;

Layout sharedLayout(const Shape &shape, const std::vector<int> &order) {
  return LayoutFiller(shape, Layout::Kind::Shared).finish(HwDim::Offset, order);
}

Layout swizzleOffsets(const Layout &layout, int from, int by, int count) {
  Layout result(layout.shape(), Layout::Kind::Shared);
  const std::vector<uint64_t> &bases = layout.bits(HwDim::Offset);
  assert(from + count <= by && "a swizzle reads bits above those that it changes");
  for (int bit = 0; bit < int(bases.size()); ++bit) {
    bool swizzles = bit >= by && bit < by + count;
    result.appendBit(HwDim::Offset, swizzles ? bases[bit] ^ bases[from + bit - by] : bases[bit]);
  }
  for (const OddDigit &digit : layout.odd(HwDim::Offset))
    result.appendOdd(HwDim::Offset, digit);
  return result;
}

/// Dims with the contiguous one first.
static std::vector<int> matrixDims(int rank, MatrixOrder matrixOrder) {
  std::vector<int> order = rowMajorOrder(rank);
  if (matrixOrder == MatrixOrder::Transposed)
    std::swap(order[0], order[1]);
  return order;
}

int widestSwizzle(const Shape &shape, int elementBits, MatrixOrder matrixOrder) {
  int64_t extent = shape[matrixDims(int(shape.size()), matrixOrder)[0]];
  int64_t bytes = (int64_t(1) << exponentOfTwo(extent)) * elementBits / 8;
  return bytes < 32 ? 0 : static_cast<int>(std::min<int64_t>(bytes, 128));
}

Layout nvmmaSharedLayout(const Shape &shape, int elementBits, int swizzleBytes, MatrixOrder matrixOrder) {
  assert(widestSwizzle(shape, elementBits, matrixOrder) >= swizzleBytes && "the contiguous dim is too small");
  std::vector<int> order = matrixDims(int(shape.size()), matrixOrder);
  LayoutFiller filler(shape, Layout::Kind::Shared);
  int elementLog2 = exponentOfTwo(elementBits / 8);
  for (int bit = 0; bit < exponentOfTwo(swizzleBytes) - elementLog2; ++bit)
    filler.takeBit(HwDim::Offset, order[0]);
  // Groups of eight rows, a swizzle's period, have one distance, with which descriptors name them. Odd digits stand
  // behind all bits; where the rows have one, what is left of the contiguous dim must not come between their groups.
  // Its own odd digit still does where there are sixteen rows times an odd number (48×192), which no descriptor says.
  constexpr int kPeriodRowsLog2 = 3;
  int rowBits = exponentOfTwo(shape[order[1]]);
  if (rowBits >= kPeriodRowsLog2 && shape[order[1]] >> rowBits != 1) {
    for (int bit = 0; bit < kPeriodRowsLog2; ++bit)
      filler.takeBit(HwDim::Offset, order[1]);
    while (filler.takeBit(HwDim::Offset, order[0]))
      ;
  }
  while (filler.takeBit(HwDim::Offset, order[1]))
    ;
  Layout linear = filler.finish(HwDim::Offset, order);
  return swizzleOffsets(linear, kChunkBytesLog2 - elementLog2, kSwizzleRowLog2 - elementLog2,
                        exponentOfTwo(swizzleBytes) - kChunkBytesLog2);
}

OffsetMap::OffsetMap(const Layout &registers, const Layout &shared, RoundDigits rounds)
    : registers(registers), offsetWeights(shared.rank()), roundWeights(shared.rank()) {
  assert(registers.shape() == shared.shape() && "one tile");
  int offsetBits = static_cast<int>(shared.bits(HwDim::Offset).size()) - rounds.bits;
  DigitMap map = compose(shared.map().pseudoInverse(), registers.map());
  auto at = map.columns.begin();
  for (HwDim hw : {HwDim::Register, HwDim::Lane, HwDim::Warp, HwDim::Block})
    for (size_t bit = 0; bit < registers.bits(hw).size(); ++bit, ++at) {
      columnsOf[int(hw)].push_back(*at & ((uint64_t(1) << offsetBits) - 1));
      assert((hw == HwDim::Register || *at >> offsetBits == 0) && "a thread's data is of one round");
      if (hw == HwDim::Register)
        roundColumns.push_back(*at >> offsetBits);
    }
  const std::vector<OddDigit> &odd = shared.odd(HwDim::Offset);
  int64_t offsetWeight = int64_t(1) << offsetBits, roundWeight = int64_t(1) << rounds.bits;
  for (int i = 0; i < int(odd.size()); ++i) {
    bool isRound = i >= int(odd.size()) - rounds.odd;
    int64_t &weight = isRound ? roundWeight : offsetWeight;
    (isRound ? roundWeights : offsetWeights)[odd[i].dim] = weight;
    weight *= odd[i].radix;
  }
}

int64_t OffsetMap::weigh(int64_t reg, const std::vector<uint64_t> &registerColumns,
                         const std::vector<int64_t> &weights) const {
  DigitIndex digits = registers.split(HwDim::Register, reg);
  int64_t sum = int64_t(applyColumns(registerColumns, digits.bits));
  for (size_t i = 0; i < digits.odd.size(); ++i)
    if (int dim = registers.odd(HwDim::Register)[i].dim; dim >= 0)
      sum += digits.odd[i] * weights[dim];
  return sum;
}

int64_t OffsetMap::registerOffset(int64_t reg) const { return weigh(reg, columns(HwDim::Register), offsetWeights); }
int64_t OffsetMap::registerRound(int64_t reg) const { return weigh(reg, roundColumns, roundWeights); }

std::vector<CoordTerm> OffsetMap::threadTerms(const std::vector<uint64_t> &laneColumns) const {
  std::vector<CoordTerm> terms = runTerms(HwDim::Lane, laneColumns);
  for (HwDim hw : {HwDim::Warp, HwDim::Block}) {
    std::vector<CoordTerm> runs = runTerms(hw, columns(hw));
    terms.insert(terms.end(), runs.begin(), runs.end());
    int64_t divisor = int64_t(1) << registers.bits(hw).size();
    for (const OddDigit &digit : registers.odd(hw)) {
      if (digit.dim >= 0)
        terms.push_back({hw, divisor, digit.radix, offsetWeights[digit.dim]});
      divisor *= digit.radix;
    }
  }
  return terms;
}

bool partsAreDisjoint(const std::vector<uint64_t> &registerColumns, const std::vector<CoordTerm> &terms) {
  uint64_t registerBits = 0;
  for (uint64_t column : registerColumns)
    registerBits |= column;
  // A term of bits covers (modulus - 1) * scale.
  return std::none_of(terms.begin(), terms.end(), [&](const CoordTerm &term) {
    return term.modulus % 2 == 0 && (uint64_t((term.modulus - 1) * term.scale) & registerBits) != 0;
  });
}

/// How many low bits of the offset are registers of the same thread, with every thread aligned to the vector they make.
static int countVectorBits(const OffsetMap &map, int maxVector) {
  SpanBasis held(map.columns(HwDim::Register));
  uint64_t threads = 0;
  for (HwDim hw : {HwDim::Lane, HwDim::Warp, HwDim::Block})
    for (uint64_t column : map.columns(hw))
      threads |= column;
  int bits = 0;
  while ((2 << bits) <= maxVector && held.contains(uint64_t(1) << bits) && !(threads >> bits & 1))
    ++bits;
  return bits;
}

SharedAccess planSharedAccess(const Layout &registers, const Layout &shared, int maxVector, RoundDigits rounds) {
  SharedAccess access;
  OffsetMap map(registers, shared, rounds);
  access.vector = 1 << countVectorBits(map, maxVector);
  access.threadTerms = map.threadTerms();
  access.disjoint = partsAreDisjoint(map.columns(HwDim::Register), access.threadTerms);

  // The lowest register of each place stands for all registers there.
  std::vector<std::tuple<int64_t, int64_t, int64_t>> places; // (round, offset, register)
  for (int64_t reg = 0; reg < registers.numRegisters(); ++reg)
    places.emplace_back(map.registerRound(reg), map.registerOffset(reg), reg);
  std::sort(places.begin(), places.end());
  access.representative.resize(places.size());
  int64_t lastRound = -1, lastOffset = -1, first = 0;
  for (auto [round, offset, reg] : places) {
    if (round != lastRound || offset != lastOffset) {
      first = reg;
      if (offset % access.vector == 0) {
        access.registers.emplace_back();
        access.offsets.push_back(offset);
        access.rounds.push_back(round);
      }
      access.registers.back().push_back(reg);
    }
    lastRound = round;
    lastOffset = offset;
    access.representative[reg] = first;
  }
  return access;
}

int countPasses(const std::vector<int64_t> &addresses, int accessBytes) {
  std::set<int64_t> words;
  for (int64_t address : addresses)
    for (int64_t word = address / kBankBytes; word * kBankBytes < address + accessBytes; ++word)
      words.insert(word);
  int perBank[kBanks] = {};
  int passes = 0;
  for (int64_t word : words)
    passes = std::max(passes, ++perBank[word % kBanks]);
  return passes;
}

int countWavefronts(const Layout &registers, const Layout &shared, int elementBits, int vector) {
  int elementBytes = std::max(1, elementBits / 8);
  int accessBytes = elementBytes * vector;
  OffsetMap map(registers, shared);
  int lanes = static_cast<int>(registers.numLanes());
  int phaseLanes = std::max(1, std::min(lanes, kBanks * kBankBytes / std::max(accessBytes, kBankBytes)));
  int wavefronts = 0;
  for (int first = 0; first < lanes; first += phaseLanes) {
    std::vector<int64_t> addresses;
    for (int lane = first; lane < first + phaseLanes; ++lane)
      addresses.push_back(int64_t(applyColumns(map.columns(HwDim::Lane), uint64_t(lane))) * elementBytes);
    wavefronts += countPasses(addresses, accessBytes);
  }
  return wavefronts;
}

} // namespace tile
