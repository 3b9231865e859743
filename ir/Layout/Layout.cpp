//===- Layout.cpp - evaluation and algebra of layouts ---------------------===//
#include "ir/Layout/Layout.h"

#include <algorithm>
#include <cassert>

namespace tile {

static uint64_t lowMask(int bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }

int64_t physicalExtent(int64_t extent) {
  assert(extent > 0 && "a tile has no empty dim");
  int64_t unit = 1;
  while ((extent + unit - 1) / unit > kMaxOddFactor)
    unit *= 2;
  return (extent + unit - 1) / unit * unit;
}

Shape physicalShape(const Shape &shape) {
  Shape result;
  for (int64_t extent : shape)
    result.push_back(physicalExtent(extent));
  return result;
}

Layout::Layout(Shape shape, Kind kind) : extents(std::move(shape)), kind(kind) {
  assert(extents == physicalShape(extents) && "a layout is of a physical shape");
}

void Layout::appendBit(HwDim hw, uint64_t packedBasis) {
  assert(packedBasis <= lowMask(packedBits()) && "basis outside of the tile");
  bases[int(hw)].push_back(packedBasis);
}

void Layout::appendOdd(HwDim hw, OddDigit digit) {
  assert((digit.dim < 0 || digit.radix == oddFactor(digit.dim)) && "an odd digit is all of its dim's odd factor");
  oddDigits[int(hw)].push_back(digit);
}

int64_t Layout::numElements() const {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

int Layout::lowBits(int dim) const { return exponentOfTwo(extents[dim]); }
int Layout::oddFactor(int dim) const { return static_cast<int>(extents[dim] >> lowBits(dim)); }

int Layout::packedShift(int dim) const {
  int shift = 0;
  for (int later = dim + 1; later < rank(); ++later)
    shift += lowBits(later);
  return shift;
}

int Layout::packedBits() const { return rank() == 0 ? 0 : packedShift(0) + lowBits(0); }

int64_t Layout::size(HwDim hw) const {
  int64_t count = int64_t(1) << bits(hw).size();
  for (const OddDigit &digit : odd(hw))
    count *= digit.radix;
  return count;
}

DigitIndex Layout::split(HwDim hw, int64_t index) const {
  DigitIndex result;
  int numBits = static_cast<int>(bits(hw).size());
  result.bits = uint64_t(index) & lowMask(numBits);
  index >>= numBits;
  for (const OddDigit &digit : odd(hw)) {
    result.odd.push_back(static_cast<int>(index % digit.radix));
    index /= digit.radix;
  }
  return result;
}

int64_t Layout::join(HwDim hw, const DigitIndex &digits) const {
  int64_t index = 0;
  for (size_t i = odd(hw).size(); i-- > 0;)
    index = index * odd(hw)[i].radix + digits.odd[i];
  return (index << bits(hw).size()) | int64_t(digits.bits);
}

void Layout::accumulate(HwDim hw, int64_t index, DigitPart &part) const {
  DigitIndex digits = split(hw, index);
  part.packed ^= applyColumns(bits(hw), digits.bits);
  for (size_t i = 0; i < digits.odd.size(); ++i)
    if (odd(hw)[i].dim >= 0)
      part.odd[odd(hw)[i].dim] += digits.odd[i];
}

Coords Layout::toCoords(const DigitPart &part) const {
  Coords result(rank());
  for (int dim = 0; dim < rank(); ++dim)
    result[dim] = unpack(dim, part.packed) + (int64_t(part.odd[dim]) << lowBits(dim));
  return result;
}

Coords Layout::coords(int64_t reg, int64_t lane, int64_t warp, int64_t block) const {
  DigitPart part{0, std::vector<int>(rank())};
  accumulate(HwDim::Register, reg, part);
  accumulate(HwDim::Lane, lane, part);
  accumulate(HwDim::Warp, warp, part);
  accumulate(HwDim::Block, block, part);
  return toCoords(part);
}

Coords Layout::offsetCoords(int64_t offset) const {
  DigitPart part{0, std::vector<int>(rank())};
  accumulate(HwDim::Offset, offset, part);
  return toCoords(part);
}

std::vector<CoordTerm> runTerms(HwDim hw, const std::vector<uint64_t> &targets) {
  std::vector<CoordTerm> terms;
  int numBits = static_cast<int>(targets.size());
  // A run is hardware bits i, i+1, … that set target bits j, j+1, …; a basis of several bits is in several runs.
  for (int shift = -numBits; shift < 64; ++shift) {
    int length = 0;
    for (int bit = 0; bit <= numBits; ++bit) {
      int target = bit + shift;
      if (bit < numBits && target >= 0 && target < 64 && (targets[bit] >> target & 1)) {
        ++length;
        continue;
      }
      if (length > 0)
        terms.push_back({hw, int64_t(1) << (bit - length), int64_t(1) << length, int64_t(1) << (target - length)});
      length = 0;
    }
  }
  return terms;
}

std::vector<CoordTerm> Layout::threadTerms(int dim) const {
  std::vector<CoordTerm> terms;
  for (HwDim hw : {HwDim::Lane, HwDim::Warp, HwDim::Block}) {
    std::vector<uint64_t> targets;
    for (uint64_t basis : bits(hw))
      targets.push_back(uint64_t(unpack(dim, basis)));
    std::vector<CoordTerm> runs = runTerms(hw, targets);
    terms.insert(terms.end(), runs.begin(), runs.end());
    int64_t divisor = int64_t(1) << bits(hw).size();
    for (const OddDigit &digit : odd(hw)) {
      if (digit.dim == dim)
        terms.push_back({hw, divisor, digit.radix, int64_t(1) << lowBits(dim)});
      divisor *= digit.radix;
    }
  }
  return terms;
}

bool Layout::isRegisterPartDisjoint(int dim) const {
  uint64_t registers = 0, threads = 0;
  for (uint64_t basis : bits(HwDim::Register))
    registers |= basis;
  for (HwDim hw : {HwDim::Lane, HwDim::Warp, HwDim::Block})
    for (uint64_t basis : bits(hw))
      threads |= basis;
  return unpack(dim, registers & threads) == 0;
}

std::optional<int64_t> Layout::registerAt(const Coords &offset) const {
  uint64_t packed = 0;
  std::vector<int> missing;
  for (int dim = 0; dim < rank(); ++dim) {
    packed |= pack(dim, offset[dim] & int64_t(lowMask(lowBits(dim))));
    missing.push_back(static_cast<int>(offset[dim] >> lowBits(dim)));
  }
  std::optional<uint64_t> low = SpanBasis(bits(HwDim::Register)).express(packed);
  if (!low)
    return std::nullopt;
  DigitIndex digits{*low, {}};
  for (const OddDigit &digit : odd(HwDim::Register)) {
    digits.odd.push_back(digit.dim < 0 ? 0 : missing[digit.dim]);
    if (digit.dim >= 0)
      missing[digit.dim] = 0;
  }
  if (std::any_of(missing.begin(), missing.end(), [](int left) { return left != 0; }))
    return std::nullopt;
  return join(HwDim::Register, digits);
}

DigitMap Layout::map() const {
  DigitMap result;
  result.outBits = packedBits();
  std::vector<int> dimOf;
  for (int hw = 0; hw < kNumHwDims; ++hw) {
    result.columns.insert(result.columns.end(), bases[hw].begin(), bases[hw].end());
    for (const OddDigit &digit : oddDigits[hw]) {
      result.inOdd.push_back(digit.radix);
      dimOf.push_back(digit.dim);
    }
  }
  for (int dim = 0; dim < rank(); ++dim) {
    if (oddFactor(dim) == 1)
      continue;
    result.outOdd.push_back(oddFactor(dim));
    auto at = std::find(dimOf.begin(), dimOf.end(), dim);
    result.source.push_back(at == dimOf.end() ? -1 : static_cast<int>(at - dimOf.begin()));
  }
  return result;
}

FreeDigits Layout::freeDigits(HwDim wanted) const {
  FreeDigits result;
  SpanBasis span;
  std::vector<bool> seen(rank());
  for (int hw = 0; hw <= int(wanted); ++hw) {
    for (size_t bit = 0; bit < bases[hw].size(); ++bit)
      if (!span.insert(bases[hw][bit]) && hw == int(wanted))
        result.bits |= uint64_t(1) << bit;
    for (size_t i = 0; i < oddDigits[hw].size(); ++i) {
      int dim = oddDigits[hw][i].dim;
      if (hw == int(wanted) && (dim < 0 || seen[dim]))
        result.odd.push_back(static_cast<int>(i));
      if (dim >= 0)
        seen[dim] = true;
    }
  }
  return result;
}

bool Layout::isOwner(int64_t reg, int64_t lane, int64_t warp, int64_t block) const {
  const std::pair<HwDim, int64_t> parts[] = {
      {HwDim::Register, reg}, {HwDim::Lane, lane}, {HwDim::Warp, warp}, {HwDim::Block, block}};
  for (auto [hw, index] : parts) {
    FreeDigits free = freeDigits(hw);
    DigitIndex digits = split(hw, index);
    if (digits.bits & free.bits)
      return false;
    for (int digit : free.odd)
      if (digits.odd[digit] != 0)
        return false;
  }
  return true;
}

bool Layout::operator==(const Layout &other) const {
  return extents == other.extents && kind == other.kind && bases == other.bases && oddDigits == other.oddDigits;
}

size_t Layout::hash() const {
  // FNV-1a over every number, with the length of each list so that neighbouring lists cannot trade elements.
  uint64_t state = 0xcbf29ce484222325;
  auto mix = [&](uint64_t value) { state = (state ^ value) * 0x100000001b3; };
  mix(uint64_t(kind));
  mix(extents.size());
  for (int64_t extent : extents)
    mix(uint64_t(extent));
  for (int hw = 0; hw < kNumHwDims; ++hw) {
    mix(bases[hw].size());
    for (uint64_t basis : bases[hw])
      mix(basis);
    mix(oddDigits[hw].size());
    for (const OddDigit &digit : oddDigits[hw])
      mix(uint64_t(digit.radix) * 64 + uint64_t(digit.dim + 1));
  }
  return static_cast<size_t>(state ^ (state >> 32));
}

Layout withoutReplicatedRegisters(const Layout &layout) {
  Layout result(layout.shape());
  FreeDigits free = layout.freeDigits(HwDim::Register);
  for (HwDim hw : {HwDim::Register, HwDim::Lane, HwDim::Warp, HwDim::Block}) {
    for (size_t bit = 0; bit < layout.bits(hw).size(); ++bit)
      if (hw != HwDim::Register || !(free.bits >> bit & 1))
        result.appendBit(hw, layout.bits(hw)[bit]);
    for (size_t i = 0; i < layout.odd(hw).size(); ++i)
      if (hw != HwDim::Register || std::find(free.odd.begin(), free.odd.end(), int(i)) == free.odd.end())
        result.appendOdd(hw, layout.odd(hw)[i]);
  }
  return result;
}

bool equalUpToReplication(const Layout &a, const Layout &b) {
  return withoutReplicatedRegisters(a) == withoutReplicatedRegisters(b);
}

std::optional<std::vector<int64_t>> matchRegisters(const Layout &src, const Layout &dst) {
  assert(src.shape() == dst.shape() && "registers are matched within one shape");
  for (HwDim hw : {HwDim::Lane, HwDim::Warp, HwDim::Block})
    if (src.bits(hw) != dst.bits(hw) || src.odd(hw) != dst.odd(hw))
      return std::nullopt;
  SpanBasis held(src.bits(HwDim::Register));
  std::vector<uint64_t> columns; // per bit of a dst register the bits of a src register
  for (uint64_t basis : dst.bits(HwDim::Register)) {
    std::optional<uint64_t> from = held.express(basis);
    if (!from)
      return std::nullopt;
    columns.push_back(*from);
  }
  std::vector<int> source; // per odd digit of a src register the odd digit of a dst register, or -1
  size_t found = 0;
  for (const OddDigit &digit : src.odd(HwDim::Register)) {
    const std::vector<OddDigit> &wanted = dst.odd(HwDim::Register);
    auto at = digit.dim < 0 ? wanted.end() : std::find(wanted.begin(), wanted.end(), digit);
    source.push_back(at == wanted.end() ? -1 : static_cast<int>(at - wanted.begin()));
    found += at != wanted.end();
  }
  for (const OddDigit &digit : dst.odd(HwDim::Register))
    found += digit.dim < 0;
  if (found != dst.odd(HwDim::Register).size())
    return std::nullopt;

  std::vector<int64_t> result(dst.numRegisters());
  for (int64_t reg = 0; reg < dst.numRegisters(); ++reg) {
    DigitIndex digits = dst.split(HwDim::Register, reg);
    DigitIndex from{applyColumns(columns, digits.bits), {}};
    for (int digit : source)
      from.odd.push_back(digit < 0 ? 0 : digits.odd[digit]);
    result[reg] = src.join(HwDim::Register, from);
  }
  return result;
}

int64_t maxVector(const Layout &layout, int dim) {
  const std::vector<uint64_t> &registers = layout.bits(HwDim::Register);
  int width = 0;
  while (width < int(registers.size()) && width < layout.lowBits(dim) &&
         registers[width] == layout.pack(dim, int64_t(1) << width))
    ++width;
  // No other digit may move the start of a vector off its alignment.
  for (HwDim hw : {HwDim::Register, HwDim::Lane, HwDim::Warp, HwDim::Block})
    for (size_t bit = hw == HwDim::Register ? width : 0; bit < layout.bits(hw).size(); ++bit)
      if (int64_t moved = layout.unpack(dim, layout.bits(hw)[bit]))
        width = std::min(width, exponentOfTwo(moved));
  return int64_t(1) << width;
}

} // namespace tile
