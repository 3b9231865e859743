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
constexpr unsigned kJoinShift = 9;

struct CompareForm {
  Comparison comparison = Comparison::Eq;
  bool ftz = false;
  Join join = Join::None;

  uint32_t mode() const { return uint32_t(comparison) | (ftz ? kFlush : 0) | uint32_t(join) << kJoinShift; }
};
} // namespace

/// One handler for each comparison, so that the loop over lanes has no switch.
template <class T, Comparison comparison, bool ftz> static uint32_t compareLanes(const Warp &warp, Slot a, Slot b) {
  LaneSource<T> first(warp, a), second(warp, b);
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

template <class T, bool ftz, size_t... comparisons>
static LaneCompare compareOf(Comparison comparison, std::index_sequence<comparisons...>) {
  static constexpr LaneCompare kAll[] = {compareLanes<T, Comparison(comparisons), ftz>...};
  return kAll[size_t(comparison)];
}

template <class T> struct Compare {
  static uint32_t holds(const Warp &warp, const Op &op) {
    Comparison comparison = Comparison(op.mode & 0xff);
    constexpr auto all = std::make_index_sequence<size_t(Comparison::Nan) + 1>();
    LaneCompare compare = op.mode & kFlush ? compareOf<T, true>(comparison, all) : compareOf<T, false>(comparison, all);
    return compare(warp, op.source(0), op.source(1));
  }
  /// `setp`: one result, or two, the second of what does not hold.
  static Step run(Warp &warp, const Op &op) {
    uint32_t mask = holds(warp, op);
    auto joined = [&](uint32_t value) {
      uint32_t other = op.sources > 2 ? warp.predicate(op.source(2)) : 0;
      switch (Join(op.mode >> kJoinShift)) {
      case Join::None:
        return value;
      case Join::And:
        return value & other;
      case Join::Or:
        return value | other;
      case Join::Xor:
        return value ^ other;
      }
      return value;
    };
    uint32_t first = joined(mask), second = joined(~mask);
    warp.writePredicate(op.result(0), first);
    if (op.results > 1)
      warp.writePredicate(op.result(1), second);
    warp.spreadUndefined(op);
    return Step::Next;
  }
  static constexpr Handler handler = run;

  /// `set`: all ones, or 1.0, where the comparison holds.
  static Step runValue(Warp &warp, const Op &op) {
    uint32_t mask = holds(warp, op), values[kLanes];
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

static void decodeSetPredicate(Form &form) {
  CompareForm compare = takeComparison(form);
  ptx::Type type = form.takeType();
  if (!form.expectOperands(compare.join == Join::None ? 3 : 4))
    return;
  if (type == ptx::Type::F16x2 || type == ptx::Type::BF16x2)
    return form.refuse("packed comparisons are not known");
  const ptx::Operand &target = form.operand(0);
  if (target.kind == ptx::Operand::Kind::Pair)
    for (const ptx::Operand &part : target.parts)
      form.result(part, ptx::Type::Pred);
  else
    form.result(0, ptx::Type::Pred);
  form.source(1, type);
  form.source(2, type);
  if (compare.join != Join::None)
    form.source(3, ptx::Type::Pred);
  form.run(forAny<Compare>(type), compare.mode());
}

static void decodeSet(Form &form) {
  CompareForm compare = takeComparison(form);
  ptx::Type result = form.takeType(), type = form.takeType();
  if (compare.join != Join::None)
    return form.refuse("`set` with a predicate is not known");
  if (!form.expectOperands(3))
    return;
  form.result(0, result);
  form.source(1, type);
  form.source(2, type);
  form.op.immediate = result == ptx::Type::F32    ? 0x3f800000
                      : result == ptx::Type::F16  ? 0x3c00
                      : result == ptx::Type::BF16 ? 0x3f80
                      : ptx::sizeOf(result) == 2  ? 0xffff
                                                  : 0xffffffff;
  form.run(forAny<CompareToValue>(type), compare.mode());
}

InstructionRows comparisonRows() {
  return {
      {"set", "9.7.6.1, 9.7.7.1", "all scalar types, without a predicate", decodeSet},
      {"setp", "9.7.6.2, 9.7.7.2", "all scalar types and comparisons, with a predicate, two results",
       decodeSetPredicate},
  };
}

} // namespace tile::sim
