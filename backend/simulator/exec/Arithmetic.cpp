/// Floating-point arithmetic, and the opcodes that name integers and floating point alike. (PTX ISA 9.0, 9.7.3, 9.7.4)
#include "backend/simulator/exec/ByType.h"
#include "backend/simulator/exec/Families.h"
#include "backend/simulator/exec/Forms.h"
#include "backend/simulator/numerics/Integer.h"

namespace tile::sim {

using numerics::BFloat;
using numerics::FloatMode;
using numerics::Half;
using numerics::Rounding;
using numerics::SelectMode;

// Modes travel in `Op::mode`.

static uint32_t pack(FloatMode mode) {
  return uint32_t(mode.rounding) | mode.ftz << 8 | mode.sat << 9 | mode.relu << 10;
}
static FloatMode unpackMode(uint32_t bits) {
  return {Rounding(bits & 0xff), bool(bits >> 8 & 1), bool(bits >> 9 & 1), bool(bits >> 10 & 1)};
}
static uint32_t pack(SelectMode mode) { return mode.ftz | mode.nan << 1 | mode.xorsignAbs << 2; }
static SelectMode unpackSelect(uint32_t bits) { return {bool(bits & 1), bool(bits >> 1 & 1), bool(bits >> 2 & 1)}; }

// A function of numerics as a handler; `packed` applies it to both halves of a register.

/// `constant` has its mode as a constant, so that the loop over lanes is vector code.
template <class T, T (*function)(T, FloatMode)> struct Unary {
  template <bool ftz, bool sat> static T constant(T a) { return function(a, {Rounding::Nearest, ftz, sat}); }
  static T general(uint32_t mode, T a) { return function(a, unpackMode(mode)); }
  static uint32_t packed(uint32_t mode, uint32_t a) {
    FloatMode unpacked = unpackMode(mode);
    return numerics::onHalves<uint16_t>(a, 0, [&](uint16_t x, uint16_t) { return function(T{x}, unpacked).bits; });
  }
};
template <class T, T (*function)(T, T, FloatMode)> struct Binary {
  template <bool ftz, bool sat> static T constant(T a, T b) { return function(a, b, {Rounding::Nearest, ftz, sat}); }
  static T general(uint32_t mode, T a, T b) { return function(a, b, unpackMode(mode)); }
  static uint32_t packed(uint32_t mode, uint32_t a, uint32_t b) {
    FloatMode unpacked = unpackMode(mode);
    return numerics::onHalves<uint16_t>(a, b,
                                        [&](uint16_t x, uint16_t y) { return function(T{x}, T{y}, unpacked).bits; });
  }
};
template <class T, T (*function)(T, T, T, FloatMode)> struct Ternary {
  template <bool ftz, bool sat> static T constant(T a, T b, T c) {
    return function(a, b, c, {Rounding::Nearest, ftz, sat});
  }
  static T general(uint32_t mode, T a, T b, T c) { return function(a, b, c, unpackMode(mode)); }
  static uint32_t packed(uint32_t mode, uint32_t a, uint32_t b, uint32_t c) {
    FloatMode unpacked = unpackMode(mode);
    uint16_t low = function(T{uint16_t(a)}, T{uint16_t(b)}, T{uint16_t(c)}, unpacked).bits;
    uint16_t high = function(T{uint16_t(a >> 16)}, T{uint16_t(b >> 16)}, T{uint16_t(c >> 16)}, unpacked).bits;
    return uint32_t(high) << 16 | low;
  }
};

template <class Function> static Handler handlerOf(FloatMode mode) {
  static constexpr Handler kNearest[2][2] = {
      {lanewise<&Function::template constant<false, false>>, lanewise<&Function::template constant<false, true>>},
      {lanewise<&Function::template constant<true, false>>, lanewise<&Function::template constant<true, true>>}};
  return mode.rounding == Rounding::Nearest && !mode.relu ? kNearest[mode.ftz][mode.sat]
                                                          : lanewiseByMode<&Function::general>;
}

/// What an operation has to say about itself: one function for each type.
template <template <class> class Of> static Handler handlerFor(ptx::Type type, FloatMode mode) {
  switch (type) {
  case ptx::Type::F32:
    return handlerOf<Of<float>>(mode);
  case ptx::Type::F64:
    return handlerOf<Of<double>>(mode);
  case ptx::Type::F16:
    return handlerOf<Of<Half>>(mode);
  case ptx::Type::BF16:
    return handlerOf<Of<BFloat>>(mode);
  case ptx::Type::F16x2:
    return lanewiseByMode<&Of<Half>::packed>;
  case ptx::Type::BF16x2:
    return lanewiseByMode<&Of<BFloat>::packed>;
  default:
    return nullptr;
  }
}

template <class T> struct Add : Binary<T, numerics::add<T>> {};
template <class T> struct Sub : Binary<T, numerics::sub<T>> {};
template <class T> struct Mul : Binary<T, numerics::mul<T>> {};
template <class T> struct Fma : Ternary<T, numerics::fma<T>> {};
template <class T> struct Abs : Unary<T, numerics::abs<T>> {};
template <class T> struct Neg : Unary<T, numerics::neg<T>> {};

/// Whether the ISA lets an operation leave its rounding out, which is to nearest then (PTX ISA 9.0, 9.7.3 and 9.7.4).
enum class Rounds { WhereNamed, AsNamed };

/// The modifiers of a float operation that rounds. Whatever is not there is not taken.
static FloatMode takeMode(Form &form, Rounds rounds) {
  FloatMode mode;
  static constexpr Rounding kRoundings[] = {Rounding::Nearest, Rounding::Zero, Rounding::Down, Rounding::Up};
  int rounding = form.takeOne({"rn", "rz", "rm", "rp"});
  if (rounding < 0 && rounds == Rounds::AsNamed)
    form.refuse("it names no rounding; expected `.rn`, `.rz`, `.rm` or `.rp`");
  mode.rounding = rounding < 0 ? Rounding::Nearest : kRoundings[rounding];
  mode.ftz = form.take("ftz");
  mode.sat = form.take("sat");
  mode.relu = form.take("relu");
  return mode;
}

static bool namesFloat(const Form &form) {
  for (const std::string &modifier : form.instruction.modifiers)
    if (modifier.find("f16") != std::string::npos || modifier == "f32" || modifier == "f64")
      return true;
  return false;
}

template <template <class> class Of, size_t sources, Rounds rounds = Rounds::WhereNamed>
static void decodeFloat(Form &form) {
  FloatMode mode = takeMode(form, rounds);
  ptx::Type type = form.takeType();
  if (!form.expectOperands(1 + sources))
    return;
  form.result(0, type);
  for (size_t i = 1; i <= sources; ++i)
    form.source(i, type);
  form.run(handlerFor<Of>(type, mode), pack(mode));
}

/// The opcode's integer form, or its form of floating point.
template <void (*integer)(Form &), template <class> class Of, size_t sources> static void decodeEither(Form &form) {
  namesFloat(form) ? decodeFloat<Of, sources>(form) : integer(form);
}

// div, rcp, sqrt: of f32 and f64 alone.

template <class T> struct Div : Binary<T, numerics::div<T>> {};
template <class T> struct Rcp : Unary<T, numerics::rcp<T>> {};
template <class T> struct Sqrt : Unary<T, numerics::sqrt<T>> {};

template <template <class> class Of, size_t sources> static void decodeWide(Form &form) {
  FloatMode mode = takeMode(form, Rounds::AsNamed);
  ptx::Type type = form.takeType();
  if (!form.expectOperands(1 + sources))
    return;
  form.result(0, type);
  for (size_t i = 1; i <= sources; ++i)
    form.source(i, type);
  form.run(type == ptx::Type::F32   ? handlerOf<Of<float>>(mode)
           : type == ptx::Type::F64 ? handlerOf<Of<double>>(mode)
                                    : nullptr,
           pack(mode));
}

static void decodeDivide(Form &form) {
  if (!namesFloat(form))
    return decodeIntegerDiv(form);
  if (!decodeApproximateDivide(form))
    decodeWide<Div, 2>(form);
}
static void decodeReciprocal(Form &form) {
  if (!decodeApproximate(form))
    decodeWide<Rcp, 1>(form);
}
static void decodeSquareRoot(Form &form) {
  if (!decodeApproximate(form))
    decodeWide<Sqrt, 1>(form);
}

// min and max.

template <class T, T (*function)(T, T, SelectMode)> struct Extremum {
  static T general(uint32_t mode, T a, T b) { return function(a, b, unpackSelect(mode)); }
  static constexpr Handler handler = lanewiseByMode<general>;
  static uint32_t packed(uint32_t mode, uint32_t a, uint32_t b) {
    SelectMode unpacked = unpackSelect(mode);
    return numerics::onHalves<uint16_t>(a, b,
                                        [&](uint16_t x, uint16_t y) { return function(T{x}, T{y}, unpacked).bits; });
  }
};
template <class T> struct Min : Extremum<T, numerics::min<T>> {};
template <class T> struct Max : Extremum<T, numerics::max<T>> {};

template <void (*integer)(Form &), template <class> class Of> static void decodeExtremum(Form &form) {
  if (!namesFloat(form))
    return integer(form);
  SelectMode mode;
  mode.ftz = form.take("ftz");
  mode.nan = form.take("NaN");
  mode.xorsignAbs = form.take("xorsign") && form.take("abs");
  ptx::Type type = form.takeType();
  if (!form.expectOperands(3))
    return;
  form.result(0, type);
  form.source(1, type);
  form.source(2, type);
  form.run(type == ptx::Type::F16x2    ? lanewiseByMode<&Of<Half>::packed>
           : type == ptx::Type::BF16x2 ? lanewiseByMode<&Of<BFloat>::packed>
                                       : forFloat<Of>(type),
           pack(mode));
}

// The rest.

template <class T> struct CopySign {
  static constexpr Handler handler = lanewise<numerics::copysign<T>>;
};
static void decodeCopySign(Form &form) {
  ptx::Type type = form.takeType();
  if (!form.expectOperands(3))
    return;
  form.result(0, type);
  form.source(1, type);
  form.source(2, type);
  form.run(forFloat<CopySign>(type));
}

template <class T> struct TestClassOf {
  static bool apply(uint32_t asked, T a) { return numerics::testp(numerics::TestClass(asked), a); }
  static constexpr Handler handler = lanewiseByMode<apply>;
};
static void decodeTest(Form &form) {
  int asked = form.takeOne({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  ptx::Type type = form.takeType();
  if (asked < 0 || !form.expectOperands(2))
    return;
  form.result(0, ptx::Type::Pred);
  form.source(1, type);
  form.run(forFloat<TestClassOf>(type), asked);
}

static void decodeMad(Form &form) {
  // `mad` of floating point is `fma` on every GPU since sm_20.
  namesFloat(form) ? decodeFloat<Fma, 3, Rounds::AsNamed>(form) : decodeIntegerMad(form);
}

InstructionRows arithmeticRows() {
  static constexpr std::string_view kFloats = "all integers; f32, f64, f16, bf16 and packed, all modifiers";
  return {
      {"abs", "Integer Arithmetic, Floating Point, Half Precision Floating Point", kFloats,
       decodeEither<decodeIntegerAbs, Abs, 1>},
      {"add", "Integer Arithmetic, Floating Point, Half Precision Floating Point", kFloats,
       decodeEither<decodeIntegerAdd, Add, 2>},
      {"copysign", "Floating Point", "f32, f64", decodeCopySign},
      {"div", "Integer Arithmetic, Floating Point", "all integers; f32 (`.approx`, `.full`, rounded), f64",
       decodeDivide},
      {"fma", "Floating Point, Half Precision Floating Point", "f32, f64, f16, bf16 and packed, all modifiers",
       decodeFloat<Fma, 3, Rounds::AsNamed>},
      {"mad", "Integer Arithmetic, Floating Point", "all integers; floating point is `fma`", decodeMad},
      {"max", "Integer Arithmetic, Floating Point, Half Precision Floating Point", kFloats,
       decodeExtremum<decodeIntegerMax, Max>},
      {"min", "Integer Arithmetic, Floating Point, Half Precision Floating Point", kFloats,
       decodeExtremum<decodeIntegerMin, Min>},
      {"mul", "Integer Arithmetic, Floating Point, Half Precision Floating Point", kFloats,
       decodeEither<decodeIntegerMul, Mul, 2>},
      {"neg", "Integer Arithmetic, Floating Point, Half Precision Floating Point", kFloats,
       decodeEither<decodeIntegerNeg, Neg, 1>},
      {"rcp", "Floating Point", "f32 (`.approx`, rounded), f64", decodeReciprocal},
      {"sqrt", "Floating Point", "f32 (`.approx`, rounded), f64", decodeSquareRoot},
      {"sub", "Integer Arithmetic, Floating Point, Half Precision Floating Point", kFloats,
       decodeEither<decodeIntegerSub, Sub, 2>},
      {"testp", "Floating Point", "f32, f64", decodeTest},
  };
}

} // namespace tile::sim
