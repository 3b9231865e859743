/// Integer arithmetic, logic and shifts. (PTX ISA 9.0, 9.7.1 and 9.7.8)
#include "backend/simulator/numerics/Integer.h"
#include "backend/simulator/exec/ByType.h"
#include "backend/simulator/exec/Families.h"
#include "backend/simulator/exec/Forms.h"

#include "backend/simulator/exec/MovedBits.h"
#include <algorithm>

namespace tile::sim {

using namespace numerics;

// One template per operation.

template <class T> struct Add {
  static T apply(T a, T b) { return wrappingAdd(a, b); }
  static constexpr Handler handler = lanewise<apply>;
};
template <class T> struct Sub {
  static T apply(T a, T b) { return wrappingSub(a, b); }
  static constexpr Handler handler = lanewise<apply>;
};
template <class T> struct MulLo {
  static constexpr Handler handler = lanewise<mulLo<T>>;
};
template <class T> struct MulHi {
  static constexpr Handler handler = lanewise<mulHi<T>>;
};
template <class T> struct MulWide {
  static constexpr Handler handler = [] {
    if constexpr (sizeof(T) < 8)
      return lanewise<mulWide<T>>;
    else
      return Handler(nullptr);
  }();
};
template <class T> struct MadLo {
  static T apply(T a, T b, T c) { return wrappingAdd(mulLo(a, b), c); }
  static constexpr Handler handler = lanewise<apply>;
};
template <class T> struct MadHi {
  static T apply(T a, T b, T c) { return wrappingAdd(mulHi(a, b), c); }
  static constexpr Handler handler = lanewise<apply>;
};
template <class T, bool fits = sizeof(T) < 8> struct MadWideOf {
  static constexpr Handler handler = nullptr;
};
template <class T> struct MadWideOf<T, true> {
  static Wider<T> apply(T a, T b, Wider<T> c) { return wrappingAdd(mulWide(a, b), c); }
  static constexpr Handler handler = lanewise<apply>;
};
template <class T> struct MadWide : MadWideOf<T> {};
template <class T> struct Divide {
  static constexpr Handler handler = lanewise<divide<T>>;
};
template <class T> struct Remainder {
  static constexpr Handler handler = lanewise<remainder<T>>;
};
template <class T> struct Sad {
  static constexpr Handler handler = lanewise<sad<T>>;
};
template <class T> struct Min {
  static T apply(T a, T b) { return minInteger(a, b); }
  static constexpr Handler handler = lanewise<apply>;
};
template <class T> struct Max {
  static T apply(T a, T b) { return maxInteger(a, b); }
  static constexpr Handler handler = lanewise<apply>;
};
template <class T> struct Abs {
  static T apply(T a) { return a < 0 ? wrappingSub(T(0), a) : a; }
  static constexpr Handler handler = lanewise<apply>;
};
template <class T> struct Negate {
  static T apply(T a) { return wrappingSub(T(0), a); }
  static constexpr Handler handler = lanewise<apply>;
};
template <class T> struct And {
  static T apply(T a, T b) { return a & b; }
  static constexpr Handler handler = [] {
    if constexpr (std::is_same_v<T, bool>)
      return lanewise<apply>;
    else
      return moveBits<lanewise<apply>, maskedBits<T, false>>;
  }();
};
template <class T> struct Or {
  static T apply(T a, T b) { return a | b; }
  static constexpr Handler handler = [] {
    if constexpr (std::is_same_v<T, bool>)
      return lanewise<apply>;
    else
      return moveBits<lanewise<apply>, maskedBits<T, true>>;
  }();
};
template <class T> struct Xor {
  static T apply(T a, T b) { return a ^ b; }
  static constexpr Handler handler = lanewise<apply>;
};
template <class T> struct Not {
  static T apply(T a) {
    if constexpr (std::is_same_v<T, bool>)
      return !a;
    else
      return ~a;
  }
  static constexpr Handler handler = lanewise<apply>;
};
template <class T> struct CNot {
  static T apply(T a) { return a == 0; }
  static constexpr Handler handler = lanewise<apply>;
};
template <class T> struct ShiftLeft {
  static constexpr Handler handler = moveBits<lanewise<shiftLeft<T>>, MovedBitsOf<shiftLeft<T>>::rule>;
};
template <class T> struct ShiftRight {
  static constexpr Handler handler = moveBits<lanewise<shiftRight<T>>, MovedBitsOf<shiftRight<T>>::rule>;
};
template <class T> struct Clz {
  static constexpr Handler handler = lanewise<countLeadingZeros<T>>;
};
template <class T> struct Popc {
  static constexpr Handler handler = lanewise<countOnes<T>>;
};
template <class T> struct Brev {
  static constexpr Handler handler = lanewise<bitReverse<T>>;
};
template <class T> struct Bfind {
  static uint32_t apply(uint32_t shiftAmount, T a) { return findHighest(a, shiftAmount); }
  static constexpr Handler handler = lanewiseByMode<apply>;
};
template <class T> struct Bfe {
  static constexpr Handler handler = lanewise<bitFieldExtract<T>>;
};
template <class T> struct Bfi {
  static constexpr Handler handler = lanewise<bitFieldInsert<T>>;
};

static uint32_t lop3ByMode(uint32_t table, uint32_t a, uint32_t b, uint32_t c) { return lop3(a, b, c, table); }
static uint32_t prmtByMode(uint32_t mode, uint32_t a, uint32_t b, uint32_t c) {
  return permuteBytes(a, b, c, PermuteMode(mode));
}
static uint64_t prmtUndefined(const Warp &warp, const Op &op, unsigned lane) {
  if (warp.undefinedBits(op.source(2), lane))
    return ~0ull;
  return prmtByMode(op.mode, uint32_t(warp.undefinedBits(op.source(0), lane)),
                    uint32_t(warp.undefinedBits(op.source(1), lane)), warp.row<uint32_t>(op.source(2))[lane]);
}
template <Overrun overrun> static uint32_t shfLeft(uint32_t a, uint32_t b, uint32_t c) {
  return funnelLeft(a, b, c, overrun);
}
template <Overrun overrun> static uint32_t shfRight(uint32_t a, uint32_t b, uint32_t c) {
  return funnelRight(a, b, c, overrun);
}
/// Mode: bit 0 and 1, whether a and b are signed; bit 2, `.hi`.
static uint32_t dp4aByMode(uint32_t mode, uint32_t a, uint32_t b, uint32_t c) {
  return dp4a(a, mode & 1, b, mode >> 1 & 1, c);
}
static uint32_t dp2aByMode(uint32_t mode, uint32_t a, uint32_t b, uint32_t c) {
  return dp2a(a, mode & 1, b, mode >> 1 & 1, c, mode >> 2 & 1);
}
static uint32_t bmskByMode(uint32_t overrun, uint32_t a, uint32_t b) { return bitMask(a, b, Overrun(overrun)); }
template <class T> static T szextByMode(uint32_t overrun, T a, uint32_t b) { return extend(a, b, Overrun(overrun)); }

/// Two values of 16 bits in a word, each computed by itself.
template <class T, T (*apply)(T, T)> static uint32_t halves(uint32_t a, uint32_t b) { return onHalves<T>(a, b, apply); }

// Decoding.

/// A result and the `sources` operands after it, all of one type.
static void sameTypesOf(Form &form, ptx::Type type, size_t sources) {
  form.result(0, type);
  for (size_t i = 1; i <= sources; ++i)
    form.source(i, type);
}
static void sameTypes(Form &form, ptx::Type type, size_t sources, Handler handler) {
  if (!form.expectOperands(1 + sources))
    return;
  sameTypesOf(form, type, sources);
  form.run(handler);
}

/// An instruction with nothing but a type.
template <template <class> class F, size_t sources> static void decodeSame(Form &form) {
  ptx::Type type = form.takeType();
  sameTypes(form, type, sources, forInteger<F>(type));
}
template <template <class> class F, size_t sources> static void decodeBits(Form &form) {
  ptx::Type type = form.takeType();
  sameTypes(form, type, sources, forBits<F>(type));
}

/// An addition or a subtraction, in all the ways that they have.
template <template <class> class F, int32_t (*saturating)(int32_t, int32_t)> static void decodeSum(Form &form) {
  bool sat = form.take("sat");
  ptx::Type type = form.takeType();
  if (type == ptx::Type::U16x2)
    return sameTypes(form, type, 2, lanewise<halves<uint16_t, F<uint16_t>::apply>>);
  if (type == ptx::Type::S16x2)
    return sameTypes(form, type, 2, lanewise<halves<int16_t, F<int16_t>::apply>>);
  if (sat && type != ptx::Type::S32)
    return form.refuse("`.sat` goes with .s32 alone");
  sameTypes(form, type, 2, sat ? lanewise<saturating> : forInteger<F>(type));
}

template <class T, T (*apply)(T, T)> static T notNegative(T a, T b) { return std::max(apply(a, b), T(0)); }

template <template <class> class F> static void decodeExtremum(Form &form) {
  bool relu = form.take("relu");
  ptx::Type type = form.takeType();
  if (relu && type == ptx::Type::S32)
    return sameTypes(form, type, 2, lanewise<notNegative<int32_t, F<int32_t>::apply>>);
  if (relu && type == ptx::Type::S16x2)
    return sameTypes(form, type, 2, lanewise<halves<int16_t, notNegative<int16_t, F<int16_t>::apply>>>);
  if (relu)
    return form.refuse("`.relu` goes with .s32 and .s16x2");
  if (type == ptx::Type::U16x2)
    return sameTypes(form, type, 2, lanewise<halves<uint16_t, F<uint16_t>::apply>>);
  if (type == ptx::Type::S16x2)
    return sameTypes(form, type, 2, lanewise<halves<int16_t, F<int16_t>::apply>>);
  sameTypes(form, type, 2, forInteger<F>(type));
}

static ptx::Type widerThan(ptx::Type type) {
  switch (type) {
  case ptx::Type::U16:
    return ptx::Type::U32;
  case ptx::Type::S16:
    return ptx::Type::S32;
  case ptx::Type::U32:
    return ptx::Type::U64;
  default:
    return ptx::Type::S64;
  }
}

static void decodeMultiply(Form &form) {
  int half = form.takeOne({"lo", "hi", "wide"});
  ptx::Type type = form.takeType();
  if (half < 0)
    return form.refuse("it says neither `.lo`, `.hi` nor `.wide`");
  Handler handlers[] = {forInteger<MulLo>(type), forInteger<MulHi>(type), forInteger<MulWide>(type)};
  if (!form.expectOperands(3))
    return;
  form.result(0, half == 2 ? widerThan(type) : type);
  form.source(1, type);
  form.source(2, type);
  form.run(handlers[half]);
}

/// The upper half of a product, and a sum that stays in range: `mad.hi.sat.s32`.
static int32_t madHiSaturating(int32_t a, int32_t b, int32_t c) { return addSaturating(mulHi(a, b), c); }

static void decodeMultiplyAdd(Form &form) {
  int half = form.takeOne({"lo", "hi", "wide"});
  if (form.take("sat")) {
    if (half != 1 || form.takeType() != ptx::Type::S32)
      return form.refuse("`.sat` goes with `mad.hi.s32` alone");
    return sameTypes(form, ptx::Type::S32, 3, lanewise<madHiSaturating>);
  }
  ptx::Type type = form.takeType();
  if (half < 0)
    return form.refuse("it says neither `.lo`, `.hi` nor `.wide`");
  Handler handlers[] = {forInteger<MadLo>(type), forInteger<MadHi>(type), forInteger<MadWide>(type)};
  if (!form.expectOperands(4))
    return;
  ptx::Type sum = half == 2 ? widerThan(type) : type;
  form.result(0, sum);
  form.source(1, type);
  form.source(2, type);
  form.source(3, sum);
  form.run(handlers[half]);
}

static int32_t mad24HiSaturating(int32_t a, int32_t b, int32_t c) { return addSaturating(mul24Hi(a, b), c); }
template <class T> static T mad24Lo(T a, T b, T c) { return wrappingAdd(mul24Lo(a, b), c); }
template <class T> static T mad24Hi(T a, T b, T c) { return wrappingAdd(mul24Hi(a, b), c); }

/// `mul24` or, with three `sources`, `mad24`. [half][signed]
static void decode24(Form &form, size_t sources, const Handler (&handlers)[2][2]) {
  int half = form.takeOne({"lo", "hi"});
  bool saturates = form.take("sat");
  ptx::Type type = form.takeType();
  bool isSigned = type == ptx::Type::S32;
  if (half < 0 || (!isSigned && type != ptx::Type::U32))
    return form.refuse("expected `.lo` or `.hi`, and .u32 or .s32");
  if (saturates && !(half && isSigned && sources == 3))
    return form.refuse("`.sat` goes with `mad24.hi.s32` alone");
  sameTypes(form, type, sources, saturates ? lanewise<mad24HiSaturating> : handlers[half][isSigned]);
}
static void decodeMul24(Form &form) {
  static constexpr Handler kHandlers[2][2] = {{lanewise<mul24Lo<uint32_t>>, lanewise<mul24Lo<int32_t>>},
                                              {lanewise<mul24Hi<uint32_t>>, lanewise<mul24Hi<int32_t>>}};
  decode24(form, 2, kHandlers);
}
static void decodeMad24(Form &form) {
  static constexpr Handler kHandlers[2][2] = {{lanewise<mad24Lo<uint32_t>>, lanewise<mad24Lo<int32_t>>},
                                              {lanewise<mad24Hi<uint32_t>>, lanewise<mad24Hi<int32_t>>}};
  decode24(form, 3, kHandlers);
}

/// `a op b` with `b` a 32-bit amount.
template <template <class> class F> static void decodeShift(Form &form) {
  ptx::Type type = form.takeType();
  if (!form.expectOperands(3))
    return;
  form.result(0, type);
  form.source(1, type);
  form.source(2, ptx::Type::U32);
  form.run(forInteger<F>(type));
}

/// A 32-bit result about the bits of a word.
template <template <class> class F> static void decodeCount(Form &form) {
  ptx::Type type = form.takeType();
  if (!form.expectOperands(2))
    return;
  form.result(0, ptx::Type::U32);
  form.source(1, type);
  form.run(forWord<F>(type));
}

static void decodeBfind(Form &form) {
  uint32_t shiftAmount = form.take("shiftamt");
  decodeCount<Bfind>(form);
  form.op.mode = shiftAmount;
}

static void decodeBfe(Form &form) {
  ptx::Type type = form.takeType();
  if (!form.expectOperands(4))
    return;
  form.result(0, type);
  form.source(1, type);
  form.source(2, ptx::Type::U32);
  form.source(3, ptx::Type::U32);
  form.run(forWord<Bfe>(type));
}

static void decodeBfi(Form &form) {
  ptx::Type type = form.takeType();
  if (!form.expectOperands(5))
    return;
  form.result(0, type);
  form.source(1, type);
  form.source(2, type);
  form.source(3, ptx::Type::U32);
  form.source(4, ptx::Type::U32);
  form.run(forWord<Bfi>(type));
}

/// `lop3.or d|p, a, b, c, table, q`: whether any bit is set, joined with a predicate.
struct Lop3Form {
  uint32_t table;
  bool isOr, negated;
};
static Step runLop3Joined(Warp &warp, const Op &op) {
  const Lop3Form &form = *static_cast<const Lop3Form *>(warp.program.details[op.mode].get());
  const uint32_t *a = warp.row<uint32_t>(op.source(0)), *b = warp.row<uint32_t>(op.source(1));
  const uint32_t *c = warp.row<uint32_t>(op.source(2));
  uint32_t values[kLanes], any = 0, other = warp.predicate(op.source(3)) ^ (form.negated ? kAllLanes : 0);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    values[lane] = lop3(a[lane], b[lane], c[lane], form.table);
    any |= uint32_t(values[lane] != 0) << lane;
  }
  warp.write(op.result(0), values);
  warp.writePredicate(op.result(1), form.isOr ? any | other : any & other);
  warp.spreadUndefined(op);
  return Step::Next;
}

static void decodeLop3(Form &form) {
  int join = form.takeOne({"or", "and"});
  ptx::Type type = form.takeType();
  if (!form.expectOperands(join < 0 ? 5 : 6))
    return;
  if (form.operand(4).kind != ptx::Operand::Kind::Integer || form.operand(4).bits > 255)
    return form.refuse("its table is no number below 256");
  if (join >= 0) {
    const ptx::Operand &target = form.operand(0);
    if (target.kind != ptx::Operand::Kind::Pair)
      return form.refuse("it has one result; expected `d|p`");
    form.result(target.parts[0], type);
    form.result(target.parts[1], ptx::Type::Pred);
    for (size_t i = 1; i <= 3; ++i)
      form.source(i, type);
    form.source(5, ptx::Type::Pred);
    return form.run(runLop3Joined, std::make_shared<Lop3Form>(
                                       Lop3Form{uint32_t(form.operand(4).bits), join == 0, form.operand(5).negated}));
  }
  sameTypesOf(form, type, 3);
  form.run(lanewiseByMode<lop3ByMode>, uint32_t(form.operand(4).bits));
}

static void decodePrmt(Form &form) {
  ptx::Type type = form.takeType();
  int mode = form.takeOne({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  if (!form.expectOperands(4))
    return;
  sameTypesOf(form, type, 3);
  form.run(moveBits<lanewiseByMode<prmtByMode>, prmtUndefined>, uint32_t(mode + 1));
}

static void decodeFunnel(Form &form) {
  int direction = form.takeOne({"l", "r"}), overrun = form.takeOne({"wrap", "clamp"});
  ptx::Type type = form.takeType();
  if (direction < 0 || overrun < 0)
    return form.refuse("it lacks a direction, or `.wrap` or `.clamp`");
  static constexpr Handler kHandlers[2][2] = {{lanewise<shfLeft<Overrun::Wrap>>, lanewise<shfLeft<Overrun::Clamp>>},
                                              {lanewise<shfRight<Overrun::Wrap>>, lanewise<shfRight<Overrun::Clamp>>}};
  sameTypes(form, type, 3, kHandlers[direction][overrun]);
}

static void decodeDot(Form &form, Handler handler, uint32_t mode) {
  ptx::Type first = form.takeType(), second = form.takeType();
  if (!form.expectOperands(4))
    return;
  sameTypesOf(form, ptx::Type::B32, 3);
  form.run(handler, mode | (first == ptx::Type::S32) | (second == ptx::Type::S32) << 1);
}
static void decodeDp4a(Form &form) { decodeDot(form, lanewiseByMode<dp4aByMode>, 0); }
static void decodeDp2a(Form &form) {
  int half = form.takeOne({"lo", "hi"});
  if (half < 0)
    return form.refuse("it says neither `.lo` nor `.hi`");
  decodeDot(form, lanewiseByMode<dp2aByMode>, half << 2);
}

static void decodeBmsk(Form &form) {
  int overrun = form.takeOne({"wrap", "clamp"});
  ptx::Type type = form.takeType();
  if (overrun < 0 || !form.expectOperands(3))
    return;
  sameTypesOf(form, type, 2);
  form.run(lanewiseByMode<bmskByMode>, overrun);
}

static void decodeSzext(Form &form) {
  int overrun = form.takeOne({"wrap", "clamp"});
  ptx::Type type = form.takeType();
  if (overrun < 0 || !form.expectOperands(3))
    return;
  form.result(0, type);
  form.source(1, type);
  form.source(2, ptx::Type::U32);
  form.run(type == ptx::Type::S32 ? lanewiseByMode<szextByMode<int32_t>> : lanewiseByMode<szextByMode<uint32_t>>,
           overrun);
}

static void decodeFns(Form &form) {
  form.takeType();
  if (!form.expectOperands(4))
    return;
  form.result(0, ptx::Type::B32);
  form.source(1, ptx::Type::B32);
  form.source(2, ptx::Type::U32);
  form.source(3, ptx::Type::S32);
  form.run(lanewise<findNthSet>);
}

// `add`, `sub`, `mul`, `mad`, `min`, `max`, `abs`, `neg`, `div` name integers and floating point alike: their rows are
// in Arithmetic.cpp, which asks here.
void decodeIntegerAdd(Form &form) {
  if (!decodeCarry(form))
    decodeSum<Add, addSaturating>(form);
}
void decodeIntegerSub(Form &form) {
  if (!decodeCarry(form))
    decodeSum<Sub, subSaturating>(form);
}
void decodeIntegerMul(Form &form) { decodeMultiply(form); }
void decodeIntegerMad(Form &form) {
  if (!decodeCarry(form))
    decodeMultiplyAdd(form);
}
void decodeIntegerDiv(Form &form) { decodeSame<Divide, 2>(form); }
void decodeIntegerMin(Form &form) { decodeExtremum<Min>(form); }
void decodeIntegerMax(Form &form) { decodeExtremum<Max>(form); }
void decodeIntegerAbs(Form &form) { decodeSame<Abs, 1>(form); }
void decodeIntegerNeg(Form &form) { decodeSame<Negate, 1>(form); }

InstructionRows integerRows() {
  return {
      {"and", "Logic and Shift", "`.pred .b16 .b32 .b64`", decodeBits<And, 2>},
      {"bfe", "Integer Arithmetic", "all types", decodeBfe},
      {"bfi", "Integer Arithmetic", "all types", decodeBfi},
      {"bfind", "Integer Arithmetic", "all types, `.shiftamt`", decodeBfind},
      {"bmsk", "Integer Arithmetic", "`.clamp .wrap`", decodeBmsk},
      {"brev", "Integer Arithmetic", "all types", decodeSame<Brev, 1>},
      {"clz", "Integer Arithmetic", "all types", decodeCount<Clz>},
      {"cnot", "Logic and Shift", "all types", decodeSame<CNot, 1>},
      {"dp2a", "Integer Arithmetic", "all types, `.lo .hi`", decodeDp2a},
      {"dp4a", "Integer Arithmetic", "all types", decodeDp4a},
      {"fns", "Integer Arithmetic", "", decodeFns},
      {"lop3", "Logic and Shift", "`.b32`, with a predicate", decodeLop3},
      {"mad24", "Integer Arithmetic", "`.lo .hi`, `.sat`", decodeMad24},
      {"mul24", "Integer Arithmetic", "`.lo .hi`", decodeMul24},
      {"not", "Logic and Shift", "`.pred .b16 .b32 .b64`", decodeBits<Not, 1>},
      {"or", "Logic and Shift", "`.pred .b16 .b32 .b64`", decodeBits<Or, 2>},
      {"popc", "Integer Arithmetic", "all types", decodeCount<Popc>},
      {"prmt", "Data Movement and Conversion", "all modes", decodePrmt},
      {"rem", "Integer Arithmetic", "all types", decodeSame<Remainder, 2>},
      {"sad", "Integer Arithmetic", "all types", decodeSame<Sad, 3>},
      {"shf", "Logic and Shift", "`.l .r`, `.wrap .clamp`", decodeFunnel},
      {"shl", "Logic and Shift", "all types", decodeShift<ShiftLeft>},
      {"shr", "Logic and Shift", "all types", decodeShift<ShiftRight>},
      {"szext", "Integer Arithmetic", "`.clamp .wrap`", decodeSzext},
      {"xor", "Logic and Shift", "`.pred .b16 .b32 .b64`", decodeBits<Xor, 2>},
  };
}

} // namespace tile::sim
