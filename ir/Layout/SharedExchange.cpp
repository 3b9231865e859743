//===- SharedExchange.cpp - the shared layout between two register layouts -===//
//
// A shared layout is a basis of the packed space, split by what the hardware does with an offset bit: *vector* bits
// inside one access, *bank* bits up to 128 bytes, *row* bits above. An access has no bank conflict when no sum of its
// lanes' bases lies in the span of the row bits: two lanes then never meet in one bank at different rows. So:
//   - vector bits come from what both layouts hold in registers, and all threads stay in a complement of them, which
//     keeps every access aligned;
//   - row bits avoid both P, the span of the storing lanes, and Q, that of the loading lanes. Outside of P + Q any
//     vector will do; within it the sums e ^ f of a vector only in P and one only in Q: that is the swizzle.
// A tile too large for its buffer passes in rounds: directions that both layouts hold in registers become the topmost
// bits, and the rest is laid out as above.
//
//===----------------------------------------------------------------------===//
#include "ir/Layout/Conversion.h"

#include "ir/Layout/Constructors.h"
#include "ir/Layout/LayoutFiller.h"

#include <algorithm>

namespace tile {

using Vectors = std::vector<uint64_t>;

static void append(Vectors &to, const Vectors &vectors) { to.insert(to.end(), vectors.begin(), vectors.end()); }

/// The bases of lanes, warps and blocks.
static Vectors threadBases(const Layout &layout) {
  Vectors result;
  for (HwDim hw : {HwDim::Lane, HwDim::Warp, HwDim::Block})
    append(result, layout.bits(hw));
  return result;
}

/// The vectors of `candidates`, at most `count`, that are independent of `span` and each other; inserted into it.
static Vectors pickIndependent(SpanBasis &span, const Vectors &candidates, int count) {
  Vectors picked;
  for (uint64_t vector : candidates)
    if (int(picked.size()) < count && !span.contains(vector)) {
      span.insert(vector);
      picked.push_back(vector);
    }
  return picked;
}

static SpanBasis spanOf(std::initializer_list<const Vectors *> lists) {
  SpanBasis span;
  for (const Vectors *list : lists)
    pickIndependent(span, *list, 64);
  return span;
}

static bool isOddRegister(const Layout &layout, OddDigit digit) {
  const std::vector<OddDigit> &odd = layout.odd(HwDim::Register);
  return std::find(odd.begin(), odd.end(), digit) != odd.end();
}

namespace {
class ExchangeBuilder {
public:
  ExchangeBuilder(const Layout &src, const Layout &dst, int elementBits, int64_t maxBytes, int64_t wholeVector);

  int maxVectorLog2() const { return exponentOfTwo(16) - elementLog2; }
  RoundDigits roundDigits() const { return {int(rounds.size()), roundOdd}; }

  /// Vectors of `side`'s registers within the complement that would widen its own accesses.
  Vectors extension(const Layout &side) const {
    SpanBasis span(threadBases(side));
    Vectors held = intersectSpans(side.bits(HwDim::Register), complement);
    return pickIndependent(span, registersFirst(side, held), maxVectorLog2() - int(common.size()));
  }

  /// The layout whose accesses from `side` are wider than the common vectors by `own`.
  Layout build(const Layout &side, const Vectors &own) const;

private:
  /// `vectors` preceded by those bases of registers of `side` that are in their span.
  static Vectors registersFirst(const Layout &side, const Vectors &vectors) {
    SpanBasis span(vectors);
    Vectors result;
    for (uint64_t basis : side.bits(HwDim::Register))
      if (span.contains(basis))
        result.push_back(basis);
    append(result, vectors);
    return result;
  }

  /// The bases of the lanes that are served in one pass when an access has `vectorLog2` elements.
  Vectors phaseLanes(const Layout &side, size_t vectorLog2) const {
    int accessLog2 = std::max(2, int(vectorLog2) + elementLog2);
    Vectors lanes = side.bits(HwDim::Lane);
    lanes.resize(std::min<size_t>(lanes.size(), size_t(kRowLog2 - accessLog2)));
    return lanes;
  }

  static constexpr int kRowLog2 = 7; // one pass over the banks is 128 bytes
  const Layout &src, &dst;
  int elementLog2;
  Vectors common;     // of the vectors of both sides
  Vectors rounds;     // topmost bits
  Vectors complement; // spans a complement of those two that holds all threads
  std::vector<OddDigit> odd;
  int roundOdd = 0; // how many of them, at the end, are rounds
};
} // namespace

ExchangeBuilder::ExchangeBuilder(const Layout &src, const Layout &dst, int elementBits, int64_t maxBytes,
                                 int64_t wholeVector)
    : src(src), dst(dst), elementLog2(exponentOfTwo(std::max(8, elementBits) / 8)) {
  Vectors threads = threadBases(src);
  append(threads, threadBases(dst));
  SpanBasis span(threads);
  Vectors both = intersectSpans(src.bits(HwDim::Register), dst.bits(HwDim::Register));
  Vectors held = registersFirst(src, both), last = held;
  std::reverse(last.begin(), last.end() - long(both.size()));

  // Rounds come first, since their number is asked for, and take what is least of use for a vector: the last registers.
  int64_t bytes = src.numElements() << elementLog2;
  int halvings = 0;
  while (halvings < 64 && bytes >> halvings > maxBytes)
    ++halvings;
  SpanBasis whole = span;
  for (int64_t bit = 0; int64_t(1) << bit < wholeVector; ++bit)
    whole.insert(dst.bits(HwDim::Register)[bit]);
  rounds = pickIndependent(whole, last, halvings);
  pickIndependent(span, rounds, halvings);
  bytes >>= rounds.size();
  common = pickIndependent(span, held, maxVectorLog2());
  std::vector<OddDigit> inRounds;
  for (int dim = 0; dim < src.rank(); ++dim) {
    OddDigit digit = {src.oddFactor(dim), dim};
    if (digit.radix == 1)
      continue;
    bool takesTurns = bytes > maxBytes && isOddRegister(src, digit) && isOddRegister(dst, digit);
    (takesTurns ? inRounds : odd).push_back(digit);
    if (takesTurns)
      bytes /= digit.radix;
  }
  roundOdd = int(inRounds.size());
  odd.insert(odd.end(), inRounds.begin(), inRounds.end());

  SpanBasis all = spanOf({&common, &rounds});
  complement = pickIndependent(all, threads, 64);
  append(complement, pickIndependent(all, src.bits(HwDim::Register), 64));
  for (int bit = 0; bit < src.packedBits(); ++bit)
    append(complement, pickIndependent(all, {uint64_t(1) << bit}, 1));
}

Layout ExchangeBuilder::build(const Layout &side, const Vectors &own) const {
  // The wider side's threads must stay in a complement of its own vectors too, and so must all that follows: `project`
  // takes the part in the vectors and rounds away.
  Vectors vector = common;
  append(vector, own);
  Vectors frame = vector;
  append(frame, rounds);
  uint64_t removed = (uint64_t(1) << frame.size()) - 1;
  SpanBasis split(frame);
  Vectors rest = pickIndependent(split, threadBases(side), 64);
  append(rest, pickIndependent(split, complement, 64));
  append(frame, rest);
  SpanBasis coordinates(frame);
  auto project = [&](const Vectors &vectors) {
    Vectors result;
    for (uint64_t v : vectors)
      result.push_back(applyColumns(frame, *coordinates.express(v) & ~removed));
    return result;
  };
  Vectors p = project(phaseLanes(src, common.size() + (&side == &src ? own.size() : 0)));
  Vectors q = project(phaseLanes(dst, common.size() + (&side == &dst ? own.size() : 0)));

  // Elements that share a four-byte word never conflict, whichever lane wants them: the word's vectors join both sides.
  SpanBasis taken = spanOf({&vector, &rounds});
  Vectors fillers = intersectSpans(p, q);
  for (const Vectors &more : {p, q, rest})
    append(fillers, more);
  Vectors word = pickIndependent(taken, fillers, std::max(0, 2 - elementLog2 - int(vector.size())));
  append(p, word);
  append(q, word);

  Vectors both = intersectSpans(p, q);
  SpanBasis sum = spanOf({&p, &q}), withP(both), withQ(both);
  Vectors rowCandidates = pickIndependent(sum, rest, 64);
  Vectors onlyP = pickIndependent(withP, p, 64), onlyQ = pickIndependent(withQ, q, 64);
  size_t pairs = std::min(onlyP.size(), onlyQ.size());
  for (size_t i = 0; i < pairs; ++i)
    rowCandidates.push_back(onlyP[i] ^ onlyQ[i]);
  // What must conflict somewhere: on one side before both.
  rowCandidates.insert(rowCandidates.end(), onlyP.begin() + long(pairs), onlyP.end());
  rowCandidates.insert(rowCandidates.end(), onlyQ.begin() + long(pairs), onlyQ.end());
  append(rowCandidates, rest);
  int numRows = src.packedBits() - int(rounds.size()) - (kRowLog2 - elementLog2);
  Vectors rows = pickIndependent(taken, rowCandidates, std::max(0, numRows));
  Vectors bankCandidates = p;
  append(bankCandidates, rest);
  Vectors banks = pickIndependent(taken, bankCandidates, 64);

  Layout result(src.shape(), Layout::Kind::Shared);
  for (const Vectors &part : {vector, word, banks, rows, rounds})
    for (uint64_t basis : part)
      result.appendBit(HwDim::Offset, basis);
  for (OddDigit digit : odd)
    result.appendOdd(HwDim::Offset, digit);
  return result;
}

double sharedExchangeCost(const SharedExchange &exchange, const Layout &src, const Layout &dst, int elementBits) {
  // One cycle a pass, and half of one to issue an access.
  constexpr double kIssue = 0.5;
  auto side = [&](const SharedAccess &access, const Layout &layout) {
    return double(access.offsets.size()) *
           (kIssue + countWavefronts(layout, exchange.layout, elementBits, access.vector));
  };
  return kSharedRoundTrip * double(exchange.numRounds) + side(exchange.store, src) + side(exchange.load, dst);
}

SharedExchange planSharedExchange(const Layout &src, const Layout &dst, int elementBits, int64_t maxBytes,
                                  int64_t wholeVector) {
  ExchangeBuilder builder(src, dst, elementBits, maxBytes, wholeVector);
  int maxVector = 1 << builder.maxVectorLog2();
  std::optional<SharedExchange> best;
  double bestCost = 0;
  const std::pair<const Layout *, Vectors> choices[] = {
      {&src, {}}, {&src, builder.extension(src)}, {&dst, builder.extension(dst)}};
  for (const auto &[side, own] : choices) {
    SharedExchange exchange;
    exchange.layout = builder.build(*side, own);
    exchange.rounds = builder.roundDigits();
    exchange.store = planSharedAccess(src, exchange.layout, maxVector, exchange.rounds);
    exchange.load = planSharedAccess(dst, exchange.layout, maxVector, exchange.rounds);
    exchange.numRounds = exchange.store.rounds.back() + 1;
    exchange.bytes = src.numElements() / exchange.numRounds * std::max(8, elementBits) / 8;
    double cost = sharedExchangeCost(exchange, src, dst, elementBits);
    if (!best || cost < bestCost) {
      best = exchange;
      bestCost = cost;
    }
  }
  return *best;
}

SharedExchange planMatrixExchange(const Layout &src, const Layout &dst, int64_t maxBytes, int64_t wholeVector) {
  constexpr int kElementBits = 16;
  SharedExchange plain = planSharedExchange(src, dst, kElementBits, maxBytes, wholeVector);
  // Matrices lie along what the destination does not hold in registers: the rest is for rounds.
  SpanBasis kept(dst.bits(HwDim::Register));
  std::vector<size_t> matrixBits;
  for (size_t bit = 1; bit < src.bits(HwDim::Register).size() && matrixBits.size() < 2; ++bit)
    if (!kept.contains(src.bits(HwDim::Register)[bit]))
      matrixBits.push_back(bit);
  std::optional<Layout> rows = matrixRows(src, matrixBits);
  if (!rows)
    return plain;
  SharedExchange exchange = planSharedExchange(*rows, dst, kElementBits, maxBytes, wholeVector);
  // Two bits of the source's lanes are registers of the rows, and may have become rounds.
  size_t ofRounds = exchange.layout.bits(HwDim::Offset).size() - size_t(exchange.rounds.bits);
  OffsetMap offsets(src, exchange.layout);
  for (uint64_t column : offsets.columns(HwDim::Lane))
    if (column >> ofRounds != 0)
      return plain;
  exchange.matrices =
      planMatrixAccess(src, exchange.layout, kElementBits, MatrixOrder::RowMajor, matrixBits, exchange.rounds);
  // For the same cost, matrices: what is loaded then stands side by side in registers as it is stored.
  bool isDearer =
      sharedExchangeCost(exchange, *rows, dst, kElementBits) > sharedExchangeCost(plain, src, dst, kElementBits);
  return exchange.matrices && !isDearer ? exchange : plain;
}

} // namespace tile
