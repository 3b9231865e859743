//===- Shuffle.cpp - the linear algebra of a shuffle program --------------===//
//
// Destination (r, l) of warp w wants source register r' and lane l' with
//   l' = C r + D l + Gl w,   r' = A r + B l + Gr w,
// up to the kernel K of the source's map. In round t, lane l fills register r = t + X l and shifts its wish by K Y l:
//   l' = C t + E l + Gl w,               E = D + C X + Kl Y
//   r' = A t + (B + A X + Kr Y) l + Gr w = A t + F (l' + C t + Gl w) + Gr w
// X and Y are chosen so that F exists: where E sends two lanes to one lane, they want the same register of it. The
// register sent is then a function of the sending lane l' alone, which `before` applies; `after` applies X.
//
//===----------------------------------------------------------------------===//
#include "ir/Layout/Shuffle.h"

#include <algorithm>
#include <numeric>

namespace tile {

using Vectors = std::vector<uint64_t>;

namespace {
/// A linear map to (register, lane) of the source, by columns.
struct Wish {
  Vectors regs, lanes;
  void push(uint64_t reg, uint64_t lane) {
    regs.push_back(reg);
    lanes.push_back(lane);
  }
};

class ShufflePlanner {
public:
  ShufflePlanner(const Layout &src, const Layout &dst) : src(src), dst(dst) {
    numSrcRegs = src.bits(HwDim::Register).size();
    for (HwDim hw : {HwDim::Register, HwDim::Lane})
      for (uint64_t basis : src.bits(hw))
        held.insert(basis);
    for (uint64_t relation : held.relations())
      kernel.push(regPart(relation), lanePart(relation));
  }

  /// Finds A … G. Fails when data must change its warp.
  bool solve();
  /// Chooses X and Y, and from them E and F.
  void align();
  /// `wanted` is the destination with all its registers.
  ShuffleProgram emit(const Layout &wanted, int elementBits) const;

private:
  /// Source register and lane, and the register of the destination that the lane fills for it.
  struct Target {
    uint64_t reg, lane, dstRegister;
  };
  Target freeTarget(const SpanBasis &image);
  uint64_t regPart(uint64_t combination) const { return combination & ((uint64_t(1) << numSrcRegs) - 1); }
  uint64_t lanePart(uint64_t combination) const { return combination >> numSrcRegs; }
  bool express(uint64_t packed, Wish &wish) const {
    std::optional<uint64_t> combination = held.express(packed);
    if (combination)
      wish.push(regPart(*combination), lanePart(*combination));
    return combination.has_value();
  }
  /// `hw` bits of both layouts, moved within the warp only: the difference between what they hold.
  bool expressDifference(HwDim hw, Wish &wish) const;

  const Layout &src;
  Layout dst; // grows registers where too few would leave lanes in each other's way
  size_t numSrcRegs;
  SpanBasis held;
  Wish kernel;  // K
  Wish perReg;  // A, C
  Wish perLane; // B, D; from `align` on B + A X + Kr Y and E
  Wish perWarp; // Gr, Gl
  Vectors x;    // X by columns
  Vectors f;    // F by columns
};
} // namespace

bool ShufflePlanner::expressDifference(HwDim hw, Wish &wish) const {
  if (src.bits(hw).size() != dst.bits(hw).size())
    return false;
  for (size_t bit = 0; bit < dst.bits(hw).size(); ++bit)
    if (!express(src.bits(hw)[bit] ^ dst.bits(hw)[bit], wish))
      return false;
  return true;
}

bool ShufflePlanner::solve() {
  if (src.bits(HwDim::Block) != dst.bits(HwDim::Block) || src.bits(HwDim::Lane).size() != dst.bits(HwDim::Lane).size())
    return false;
  for (HwDim hw : {HwDim::Lane, HwDim::Warp, HwDim::Block})
    if (src.odd(hw) != dst.odd(hw))
      return false;
  const std::vector<OddDigit> &odd = src.odd(HwDim::Register);
  for (const OddDigit &digit : dst.odd(HwDim::Register))
    if (std::find(odd.begin(), odd.end(), digit) == odd.end())
      return false;

  for (uint64_t basis : dst.bits(HwDim::Register))
    if (!express(basis, perReg))
      return false;
  SpanBasis registers(src.bits(HwDim::Register));
  for (size_t bit = 0; bit < dst.bits(HwDim::Lane).size(); ++bit) {
    // A lane that can read from itself does.
    uint64_t basis = dst.bits(HwDim::Lane)[bit];
    if (std::optional<uint64_t> own = registers.express(basis ^ src.bits(HwDim::Lane)[bit]))
      perLane.push(*own, uint64_t(1) << bit);
    else if (!express(basis, perLane))
      return false;
  }
  return expressDifference(HwDim::Warp, perWarp);
}

void ShufflePlanner::align() {
  // Lanes apart by a vector in the kernel of D read from the same lane. Those that want the same register of it may;
  // each other direction of the kernel is sent where no lane reads from yet.
  size_t numLanes = perLane.lanes.size();
  Vectors stacked;
  for (size_t bit = 0; bit < numLanes; ++bit)
    stacked.push_back(perLane.lanes[bit] | perLane.regs[bit] << numLanes);
  Vectors frame = SpanBasis(stacked).relations();
  size_t firstApart = frame.size();
  SpanBasis span(frame);
  auto extend = [&](uint64_t vector) {
    if (span.insert(vector))
      frame.push_back(vector);
  };
  for (uint64_t relation : SpanBasis(perLane.lanes).relations())
    extend(relation);
  size_t endApart = frame.size();
  for (size_t bit = 0; bit < numLanes; ++bit)
    extend(uint64_t(1) << bit);

  SpanBasis image(perLane.lanes), coordinates(frame);
  x.assign(numLanes, 0);
  for (size_t apart = firstApart; apart < endApart; ++apart) {
    Target target = freeTarget(image);
    image.insert(target.lane);
    for (size_t bit = 0; bit < numLanes; ++bit)
      if (*coordinates.express(uint64_t(1) << bit) >> apart & 1) {
        x[bit] ^= target.dstRegister;
        perLane.lanes[bit] ^= target.lane;
        perLane.regs[bit] ^= target.reg;
      }
  }

  // F sends E l to what lane l wants, and lanes that nobody reads from to 0.
  SpanBasis sources(perLane.lanes);
  for (size_t bit = 0; bit < numLanes; ++bit)
    sources.insert(uint64_t(1) << bit);
  for (size_t bit = 0; bit < numLanes; ++bit) {
    uint64_t readers = *sources.express(uint64_t(1) << bit) & ((uint64_t(1) << numLanes) - 1);
    f.push_back(applyColumns(perLane.regs, readers));
  }
}

ShufflePlanner::Target ShufflePlanner::freeTarget(const SpanBasis &image) {
  for (size_t reg = 0; reg < perReg.lanes.size(); ++reg)
    if (!image.contains(perReg.lanes[reg]))
      return {perReg.regs[reg], perReg.lanes[reg], uint64_t(1) << reg};
  for (size_t i = 0; i < kernel.lanes.size(); ++i)
    if (!image.contains(kernel.lanes[i]))
      return {kernel.regs[i], kernel.lanes[i], 0};
  // The destination holds less than its lanes must pass on: it receives twice and keeps half.
  uint64_t lane = 1;
  while (image.contains(lane))
    lane <<= 1;
  dst.appendBit(HwDim::Register, applyColumns(src.bits(HwDim::Lane), lane));
  perReg.push(0, lane);
  return {0, lane, uint64_t(1) << (perReg.lanes.size() - 1)};
}

/// The stages of `register ^= columns(lane, warp)`: one for each independent column.
static std::vector<SelectStage> stagesOf(const Vectors &laneColumns, const Vectors &warpColumns) {
  Vectors independent;
  SpanBasis span;
  for (const Vectors *columns : {&laneColumns, &warpColumns})
    for (uint64_t column : *columns)
      if (!span.contains(column)) {
        span.insert(column);
        independent.push_back(column);
      }
  std::vector<SelectStage> stages;
  for (uint64_t column : independent)
    stages.push_back({0, 0, int64_t(column)});
  for (size_t bit = 0; bit < laneColumns.size(); ++bit)
    for (size_t stage = 0; stage < stages.size(); ++stage)
      stages[stage].laneMask |= (*span.express(laneColumns[bit]) >> stage & 1) << bit;
  for (size_t bit = 0; bit < warpColumns.size(); ++bit)
    for (size_t stage = 0; stage < stages.size(); ++stage)
      stages[stage].warpMask |= (*span.express(warpColumns[bit]) >> stage & 1) << bit;
  return stages;
}

ShuffleProgram ShufflePlanner::emit(const Layout &wanted, int elementBits) const {
  ShuffleProgram program;
  program.laneColumns = perLane.lanes;
  program.warpColumns = perWarp.lanes;
  program.numReceived = dst.numRegisters();
  program.outputs = *matchRegisters(dst, wanted);
  Vectors warpRegs;
  for (size_t bit = 0; bit < perWarp.regs.size(); ++bit)
    warpRegs.push_back(perWarp.regs[bit] ^ applyColumns(f, perWarp.lanes[bit]));
  program.before = stagesOf(f, warpRegs);
  program.after = stagesOf(x, {});

  bool lanesStay = std::all_of(perWarp.lanes.begin(), perWarp.lanes.end(), [](uint64_t lane) { return lane == 0; });
  for (size_t bit = 0; bit < perLane.lanes.size(); ++bit)
    lanesStay &= perLane.lanes[bit] == uint64_t(1) << bit;

  // Registers that come from the same lane in every round share a word.
  uint64_t packed = 0;
  for (size_t bit = 0, width = size_t(std::max(8, elementBits)); bit < perReg.lanes.size() && width < 32; ++bit)
    if (perReg.lanes[bit] == 0) {
      packed |= uint64_t(1) << bit;
      width *= 2;
    }

  const std::vector<OddDigit> &srcOdd = src.odd(HwDim::Register), &dstOdd = dst.odd(HwDim::Register);
  for (int64_t first = 0; first < program.numReceived; ++first) {
    if (first & int64_t(packed))
      continue;
    ShuffleRound round;
    // All subsets of the packed bits, in ascending order.
    uint64_t subset = 0;
    do {
      DigitIndex to = dst.split(HwDim::Register, first | int64_t(subset));
      uint64_t lane = applyColumns(perReg.lanes, to.bits);
      DigitIndex from{applyColumns(perReg.regs, to.bits) ^ applyColumns(f, lane), {}};
      for (const OddDigit &digit : srcOdd) {
        auto at = std::find(dstOdd.begin(), dstOdd.end(), digit);
        from.odd.push_back(at == dstOdd.end() ? 0 : to.odd[size_t(at - dstOdd.begin())]);
      }
      round.laneXor = lane;
      round.local = lanesStay && lane == 0;
      round.sources.push_back(src.join(HwDim::Register, from));
      round.results.push_back(first | int64_t(subset));
      subset = (subset - packed) & packed;
    } while (subset != 0);
    program.rounds.push_back(std::move(round));
  }
  return program;
}

std::optional<ShuffleProgram> planShuffle(const Layout &src, const Layout &dst, int elementBits) {
  Layout from = withoutReplicatedRegisters(src), to = withoutReplicatedRegisters(dst);
  ShufflePlanner planner(from, to);
  if (!planner.solve())
    return std::nullopt;
  planner.align();
  ShuffleProgram program = planner.emit(dst, elementBits);
  program.inputs = *matchRegisters(src, from);
  return program;
}

/// `registers` as one register of words; none where they are not all of a word, in order.
static std::optional<int64_t> asWord(const std::vector<int64_t> &registers, int64_t perWord) {
  if (int64_t(registers.size()) != perWord || registers[0] % perWord != 0)
    return std::nullopt;
  for (int64_t i = 1; i < perWord; ++i)
    if (registers[size_t(i)] != registers[0] + i)
      return std::nullopt;
  return registers[0] / perWord;
}

std::optional<ShuffleProgram> inWords(const ShuffleProgram &program, int64_t perWord) {
  ShuffleProgram words = program;
  for (std::vector<SelectStage> *stages : {&words.before, &words.after})
    for (SelectStage &stage : *stages) {
      if (stage.registerXor % perWord != 0)
        return std::nullopt;
      stage.registerXor /= perWord;
    }
  for (ShuffleRound &round : words.rounds) {
    std::optional<int64_t> source = asWord(round.sources, perWord), result = asWord(round.results, perWord);
    if (!source || !result)
      return std::nullopt;
    round.sources = {*source};
    round.results = {*result};
  }
  words.numReceived /= perWord;
  words.inputs.resize(program.inputs.size() / size_t(perWord));
  words.outputs.resize(size_t(words.numReceived));
  std::iota(words.inputs.begin(), words.inputs.end(), 0);
  std::iota(words.outputs.begin(), words.outputs.end(), 0);
  return words;
}

double shuffleCost(const ShuffleProgram &program, int elementBits) {
  // The latency of the last shuffle; a cycle a word; half of one for a select, which runs on twice as many units.
  constexpr double kLatency = 24, kSelect = 0.5;
  int words = (elementBits + 31) / 32;
  auto shuffled = std::count_if(program.rounds.begin(), program.rounds.end(),
                                [](const ShuffleRound &round) { return !round.local; });
  double selects = double(program.before.size() * program.inputs.size()) +
                   double(program.after.size()) * double(program.numReceived);
  return words * (double(shuffled) + kSelect * selects) + (shuffled > 0 ? kLatency : 0);
}

} // namespace tile
