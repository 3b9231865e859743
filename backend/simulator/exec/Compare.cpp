/// Comparisons. (PTX ISA 9.0, 9.7.6 and 9.7.7)
#include "backend/simulator/numerics/Compare.h"
#include "backend/simulator/exec/ByType.h"
#include "backend/simulator/exec/Families.h"

namespace tile::sim {

using numerics::Comparison;

namespace {
/// What `set` and `setp` do with a comparison: the mode is the comparison, `.ftz`, and how a predicate joins in.
enum class Join : uint8_t { None, And, Or, Xor };
constexpr uint32_t kFlush = 1 << 8;
constexpr unsigned kJoinShift = 9;     // two bits
constexpr uint32_t kNegated = 1 << 11; ///< the predicate that joins in

struct CompareForm {
  Comparison comparison = Comparison::Eq;
  bool ftz = false;
  Join join = Join::None;

  uint32_t mode() const { return uint32_t(comparison) | (ftz ? kFlush : 0) | uint32_t(join) << kJoinShift; }
};

/// An element of 16 bits in a word, the lower or the upper one.
template <class T, unsigned shift> struct HalfSource {
  HalfSource(const Warp &warp, Slot slot) : row(warp.row<uint32_t>(slot)) {}
  T operator[](unsigned lane) const { return {uint16_t(row[lane] >> shift)}; }
  const uint32_t *row;
};
} // namespace

/// One handler for each comparison, so that the loop over lanes has no switch.
template <class T, template <class> class Source, Comparison comparison, bool ftz>
static uint32_t compareLanes(const Warp &warp, Slot a, Slot b) {
  Source<T> first(warp, a), second(warp, b);
  uint32_t mask = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    bool holds;
    if constexpr (std::is_integral_v<T>)
      holds = numerics::compareIntegers(comparison, first[lane], second[lane]);
    else
      holds = numerics::compareFloats(comparison, first[lane], second[lane], ftz);
    mask |= uint32_t(holds) << lane;
  }
  return mask;
}

using LaneCompare = uint32_t (*)(const Warp &, Slot, Slot);

template <class T, template <class> class Source, bool ftz, size_t... comparisons>
static LaneCompare compareOf(Comparison comparison, std::index_sequence<comparisons...>) {
  static constexpr LaneCompare kAll[] = {compareLanes<T, Source, Comparison(comparisons), ftz>...};
  return kAll[size_t(comparison)];
}

template <class T, template <class> class Source = LaneSource> static uint32_t holds(const Warp &warp, const Op &op) {
  Comparison comparison = Comparison(op.mode & 0xff);
  constexpr auto all = std::make_index_sequence<size_t(Comparison::Nan) + 1>();
  LaneCompare compare =
      op.mode & kFlush ? compareOf<T, Source, true>(comparison, all) : compareOf<T, Source, false>(comparison, all);
  return compare(warp, op.source(0), op.source(1));
}

/// `value`, and the predicate that joins in.
static uint32_t joined(const Warp &warp, const Op &op, uint32_t value) {
  Join join = Join(op.mode >> kJoinShift & 3);
  if (join == Join::None)
    return value;
  uint32_t other = warp.predicate(op.source(2)) ^ (op.mode & kNegated ? kAllLanes : 0);
  return join == Join::And ? value & other : join == Join::Or ? value | other : value ^ other;
}

template <class T> struct Compare {
  /// `setp`: one result, or two, the second of what does not hold.
  static Step run(Warp &warp, const Op &op) {
    uint32_t mask = holds<T>(warp, op);
    uint32_t first = joined(warp, op, mask), second = joined(warp, op, ~mask);
    warp.writePredicate(op.result(0), first);
    if (op.results > 1)
      warp.writePredicate(op.result(1), second);
    warp.spreadUndefined(op);
    return Step::Next;
  }
  static constexpr Handler handler = run;

  /// `set`: all ones, or 1.0, where the comparison holds.
  static Step runValue(Warp &warp, const Op &op) {
    uint32_t mask = joined(warp, op, holds<T>(warp, op)), values[kLanes];
    uint32_t value = op.immediate;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      values[lane] = mask >> lane & 1 ? value : 0;
    warp.write(op.result(0), values);
    warp.spreadUndefined(op);
    return Step::Next;
  }
};
template <class T> struct CompareToValue {
  static constexpr Handler handler = Compare<T>::runValue;
};

template <class T> using LowerHalf = HalfSource<T, 0>;
template <class T> using UpperHalf = HalfSource<T, 16>;

/// Two elements in a word: two results of `setp`, one for each.
template <class T> static Step runPacked(Warp &warp, const Op &op) {
  uint32_t lower = joined(warp, op, holds<T, LowerHalf>(warp, op));
  uint32_t upper = joined(warp, op, holds<T, UpperHalf>(warp, op));
  warp.writePredicate(op.result(0), lower);
  warp.writePredicate(op.result(1), upper);
  warp.spreadUndefined(op);
  return Step::Next;
}
/// Of `set`, a word with both.
template <class T> static Step runPackedValue(Warp &warp, const Op &op) {
  uint32_t lower = joined(warp, op, holds<T, LowerHalf>(warp, op)), values[kLanes];
  uint32_t upper = joined(warp, op, holds<T, UpperHalf>(warp, op)), value = op.immediate;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    values[lane] = (lower >> lane & 1 ? value : 0) | (upper >> lane & 1 ? value << 16 : 0);
  warp.write(op.result(0), values);
  warp.spreadUndefined(op);
  return Step::Next;
}

/// The comparison of an instruction on `type`s. lo, ls, hi, hs are lt, le, gt, ge of unsigned integers.
static CompareForm takeComparison(Form &form) {
  CompareForm result;
  int found =
      form.takeOne({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"});
  if (found < 0) {
    int unsignedFound = form.takeOne({"lo", "ls", "hi", "hs"});
    if (unsignedFound < 0)
      form.refuse("it names no comparison");
    found = 2 + std::max(unsignedFound, 0);
  }
  result.comparison = Comparison(found);
  result.join = Join(form.takeOne({"and", "or", "xor"}) + 1);
  result.ftz = form.take("ftz");
  return result;
}

template <template <class> class F> static Handler forAny(ptx::Type type) {
  Handler handler = forInteger<F>(type);
  return handler ? handler : forFloat<F>(type);
}

static bool isPacked(ptx::Type type) { return type == ptx::Type::F16x2 || type == ptx::Type::BF16x2; }

/// Adds what is compared, and the predicate that joins in.
static void addSources(Form &form, const CompareForm &compare, ptx::Type type, Handler handler) {
  form.source(1, type);
  form.source(2, type);
  bool joins = compare.join != Join::None;
  if (joins)
    form.source(3, ptx::Type::Pred);
  form.run(handler, compare.mode() | (joins && form.operand(3).negated ? kNegated : 0));
}

static void decodeSetPredicate(Form &form) {
  CompareForm compare = takeComparison(form);
  ptx::Type type = form.takeType();
  if (!form.expectOperands(compare.join == Join::None ? 3 : 4))
    return;
  const ptx::Operand &target = form.operand(0);
  bool isPair = target.kind == ptx::Operand::Kind::Pair;
  if (isPacked(type) && !isPair)
    return form.refuse("it has one result; expected two, `p|q`, one for each half");
  if (isPair)
    for (const ptx::Operand &part : target.parts)
      form.result(part, ptx::Type::Pred);
  else
    form.result(0, ptx::Type::Pred);
  addSources(form, compare, type,
             type == ptx::Type::F16x2    ? runPacked<numerics::Half>
             : type == ptx::Type::BF16x2 ? runPacked<numerics::BFloat>
                                         : forAny<Compare>(type));
}

/// What `set` writes where the comparison holds: 1.0 or all ones.
static uint32_t valueOf(ptx::Type type, bool packed) {
  switch (type) {
  case ptx::Type::F32:
    return 0x3f800000;
  case ptx::Type::F16:
  case ptx::Type::F16x2:
    return 0x3c00;
  case ptx::Type::BF16:
  case ptx::Type::BF16x2:
    return 0x3f80;
  default:
    return packed || ptx::sizeOf(type) == 2 ? 0xffff : 0xffffffff;
  }
}

static void decodeSet(Form &form) {
  CompareForm compare = takeComparison(form);
  ptx::Type result = form.takeType(), type = form.takeType();
  if (!form.expectOperands(compare.join == Join::None ? 3 : 4))
    return;
  if (isPacked(type) && ptx::sizeOf(result) != 4)
    return form.refuse("the result of a packed comparison has 32 bits");
  form.result(0, result);
  form.op.immediate = valueOf(result, isPacked(type));
  addSources(form, compare, type,
             type == ptx::Type::F16x2    ? runPackedValue<numerics::Half>
             : type == ptx::Type::BF16x2 ? runPackedValue<numerics::BFloat>
                                         : forAny<CompareToValue>(type));
}

InstructionRows comparisonRows() {
  return {
      {"set", "Comparison and Selection, Half Precision Comparison", "all types, f16x2 and bf16x2, with a predicate",
       decodeSet},
      {"setp", "Comparison and Selection, Half Precision Comparison",
       "all types and comparisons, f16x2 and bf16x2, with a predicate, two results", decodeSetPredicate},
  };
}

} // namespace tile::sim
