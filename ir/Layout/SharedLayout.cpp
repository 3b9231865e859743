//===- SharedLayout.cpp ---------------------------------------------------===//
#include "ir/Layout/SharedLayout.h"

#include "ir/Layout/Constructors.h"
#include "ir/Layout/LayoutFiller.h"

#include <algorithm>
#include <cassert>
#include <set>

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
  int64_t bytes = (int64_t(1) << powerOfTwo(extent)) * elementBits / 8;
  return bytes < 32 ? 0 : static_cast<int>(std::min<int64_t>(bytes, 128));
}

Layout nvmmaSharedLayout(const Shape &shape, int elementBits, int swizzleBytes, MatrixOrder matrixOrder) {
  assert(widestSwizzle(shape, elementBits, matrixOrder) >= swizzleBytes && "the contiguous dim is too small");
  std::vector<int> order = matrixDims(int(shape.size()), matrixOrder);
  LayoutFiller filler(shape, Layout::Kind::Shared);
  int elementLog2 = powerOfTwo(elementBits / 8);
  for (int bit = 0; bit < powerOfTwo(swizzleBytes) - elementLog2; ++bit)
    filler.takeBit(HwDim::Offset, order[0]);
  while (filler.takeBit(HwDim::Offset, order[1]))
    ;
  Layout linear = filler.finish(HwDim::Offset, order);
  return swizzleOffsets(linear, kChunkBytesLog2 - elementLog2, kSwizzleRowLog2 - elementLog2,
                        powerOfTwo(swizzleBytes) - kChunkBytesLog2);
}

DigitMap offsetMap(const Layout &registers, const Layout &shared) {
  assert(registers.shape() == shared.shape() && "one tile");
  return compose(shared.map().pseudoInverse(), registers.map());
}

namespace {
/// The columns of an offset map by part of the hardware index.
struct OffsetColumns {
  OffsetColumns(const Layout &registers, const Layout &shared) : map(offsetMap(registers, shared)) {
    auto at = map.columns.begin();
    for (HwDim hw : {HwDim::Register, HwDim::Lane, HwDim::Warp, HwDim::Block}) {
      of[int(hw)].assign(at, at + long(registers.bits(hw).size()));
      at += long(registers.bits(hw).size());
    }
  }
  const std::vector<uint64_t> &operator[](HwDim hw) const { return of[int(hw)]; }
  DigitMap map;
  std::vector<uint64_t> of[kNumHwDims];
};
} // namespace

/// Register masks whose offsets are 1, 2, 4, … elements, as far as every thread is aligned to the vector they make.
static std::vector<uint64_t> vectorMasks(const OffsetColumns &columns, int maxVector) {
  SpanBasis held(columns[HwDim::Register]);
  std::vector<uint64_t> masks;
  uint64_t threads = 0;
  for (HwDim hw : {HwDim::Lane, HwDim::Warp, HwDim::Block})
    for (uint64_t column : columns[hw])
      threads |= column;
  for (int bit = 0; (2 << bit) <= maxVector; ++bit) {
    std::optional<uint64_t> mask = held.express(uint64_t(1) << bit);
    if (!mask || (threads >> bit & 1))
      break;
    masks.push_back(*mask);
  }
  return masks;
}

SharedAccess planSharedAccess(const Layout &registers, const Layout &shared, int maxVector) {
  SharedAccess access;
  OffsetColumns columns(registers, shared);
  std::vector<uint64_t> masks = vectorMasks(columns, maxVector);
  access.vector = 1 << masks.size();

  std::vector<uint64_t> zero(registers.bits(HwDim::Register).size());
  uint64_t registerBits = 0, threadBits = 0;
  for (uint64_t column : columns[HwDim::Register])
    registerBits |= column;
  int64_t oddUnit = int64_t(1) << shared.bits(HwDim::Offset).size();
  for (HwDim hw : {HwDim::Lane, HwDim::Warp, HwDim::Block}) {
    for (uint64_t column : columns[hw])
      threadBits |= column;
    std::vector<CoordTerm> runs = runTerms(hw, columns[hw]);
    access.threadTerms.insert(access.threadTerms.end(), runs.begin(), runs.end());
  }
  access.disjoint = (registerBits & threadBits) == 0;

  // The weight of each dim's odd digit in the offset.
  std::vector<int64_t> weight(shared.rank());
  int64_t unit = oddUnit;
  for (const OddDigit &digit : shared.odd(HwDim::Offset)) {
    weight[digit.dim] = unit;
    unit *= digit.radix;
  }
  for (HwDim hw : {HwDim::Lane, HwDim::Warp, HwDim::Block}) {
    int64_t divisor = int64_t(1) << registers.bits(hw).size();
    for (const OddDigit &digit : registers.odd(hw)) {
      if (digit.dim >= 0)
        access.threadTerms.push_back({hw, divisor, digit.radix, weight[digit.dim]});
      divisor *= digit.radix;
    }
  }

  // The lowest register of each offset stands for all registers there.
  std::vector<std::pair<int64_t, int64_t>> byOffset; // (offset, register)
  for (int64_t reg = 0; reg < registers.numRegisters(); ++reg) {
    DigitIndex digits = registers.split(HwDim::Register, reg);
    int64_t offset = int64_t(applyColumns(columns[HwDim::Register], digits.bits));
    for (size_t i = 0; i < digits.odd.size(); ++i)
      if (int dim = registers.odd(HwDim::Register)[i].dim; dim >= 0)
        offset += digits.odd[i] * weight[dim];
    byOffset.push_back({offset, reg});
  }
  std::sort(byOffset.begin(), byOffset.end());
  access.representative.resize(byOffset.size());
  int64_t last = -1, first = 0;
  for (auto [offset, reg] : byOffset) {
    if (offset != last) {
      first = reg;
      if (offset % access.vector == 0) {
        access.registers.emplace_back();
        access.offsets.push_back(offset);
      }
      access.registers.back().push_back(reg);
    }
    last = offset;
    access.representative[reg] = first;
  }
  return access;
}

int countWavefronts(const Layout &registers, const Layout &shared, int elementBits, int vector) {
  int elementBytes = std::max(1, elementBits / 8);
  int accessBytes = elementBytes * vector;
  OffsetColumns columns(registers, shared);
  int lanes = static_cast<int>(registers.numLanes());
  int phaseLanes = std::max(1, std::min(lanes, kBanks * kBankBytes / std::max(accessBytes, kBankBytes)));
  int wavefronts = 0;
  for (int first = 0; first < lanes; first += phaseLanes) {
    std::set<int64_t> words;
    for (int lane = first; lane < first + phaseLanes; ++lane) {
      int64_t byte = int64_t(applyColumns(columns[HwDim::Lane], uint64_t(lane))) * elementBytes;
      for (int64_t word = byte / kBankBytes; word * kBankBytes < byte + accessBytes; ++word)
        words.insert(word);
    }
    int perBank[kBanks] = {};
    int most = 0;
    for (int64_t word : words)
      most = std::max(most, ++perBank[word % kBanks]);
    wavefronts += most;
  }
  return wavefronts;
}

} // namespace tile
