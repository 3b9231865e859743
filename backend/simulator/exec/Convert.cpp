/// `cvt` and `cvt.pack`. (PTX ISA 9.0, 9.7.9.21 and 9.7.9.22)
#include "backend/simulator/numerics/Convert.h"
#include "backend/simulator/exec/Families.h"
#include "backend/simulator/exec/Lanewise.h"
#include "backend/simulator/exec/MovedBits.h"

namespace tile::sim {

using namespace numerics;

// The mode: the rounding in the low byte, then one bit for each modifier.

static uint32_t pack(ConvertMode mode) {
  return uint32_t(mode.rounding) | mode.ftz << 8 | mode.sat << 9 | mode.relu << 10 | mode.finite << 11;
}
static ConvertMode unpackMode(uint32_t bits) {
  return {Rounding(bits & 0xff), bool(bits >> 8 & 1), bool(bits >> 9 & 1), bool(bits >> 10 & 1), bool(bits >> 11 & 1)};
}
constexpr uint32_t kIntegral = 1 << 12; ///< a float to a float of its own type, without a fraction

/// An integer of 8 or 16 bits fills its register.
template <class T>
using Extended = std::conditional_t<std::is_integral_v<T> && sizeof(T) < 4,
                                    std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>, T>;

template <class To, class From> static Extended<To> convert(uint32_t mode, From x) {
  constexpr bool toInteger = std::is_integral_v<To>, fromInteger = std::is_integral_v<From>;
  ConvertMode unpacked = unpackMode(mode);
  if constexpr (toInteger && fromInteger)
    return convertInteger<To>(x, unpacked.sat);
  else if constexpr (toInteger)
    return convertToInteger<To>(x, unpacked.rounding, unpacked.ftz);
  else if constexpr (fromInteger)
    return convertToFloat<To>(x, unpacked);
  else if constexpr (std::is_same_v<To, From>)
    return mode & kIntegral ? convertToIntegral(x, unpacked) : convertFloat<To>(x, unpacked);
  else
    return convertFloat<To>(x, unpacked);
}

/// Likewise from the low bits of a 64-bit register.
template <class To, class From> static Extended<To> convertLow(uint32_t mode, uint64_t x) {
  return convert<To, From>(mode, fromCell<From>(Cell<From>(x)));
}

/// Of an integer to another one, which moves bits unless it saturates.
template <class To, class From> static uint64_t convertUndefined(const Warp &warp, const Op &op, unsigned lane) {
  uint64_t undefined = warp.undefinedBits(op.source(0), lane);
  return unpackMode(op.mode).sat ? ~0ull : toCell<Extended<To>>(convertLow<To, From>(op.mode, undefined));
}

template <class To, class From> static Handler convertHandler(bool isWide) {
  if constexpr (std::is_integral_v<To> && std::is_integral_v<From>)
    return isWide && sizeof(From) < 8 ? moveBits<lanewiseByMode<convertLow<To, From>>, convertUndefined<To, From>>
                                      : moveBits<lanewiseByMode<convert<To, From>>, convertUndefined<To, From>>;
  return isWide && sizeof(From) < 8 ? lanewiseByMode<convertLow<To, From>> : lanewiseByMode<convert<To, From>>;
}

/// `isWide`: the source is a 64-bit register.
template <class To> static Handler convertFrom(ptx::Type from, bool isWide) {
  switch (from) {
  case ptx::Type::U8:
    return convertHandler<To, uint8_t>(isWide);
  case ptx::Type::S8:
    return convertHandler<To, int8_t>(isWide);
  case ptx::Type::U16:
    return convertHandler<To, uint16_t>(isWide);
  case ptx::Type::S16:
    return convertHandler<To, int16_t>(isWide);
  case ptx::Type::U32:
    return convertHandler<To, uint32_t>(isWide);
  case ptx::Type::S32:
    return convertHandler<To, int32_t>(isWide);
  case ptx::Type::U64:
    return convertHandler<To, uint64_t>(isWide);
  case ptx::Type::S64:
    return convertHandler<To, int64_t>(isWide);
  case ptx::Type::F16:
    return convertHandler<To, Half>(isWide);
  case ptx::Type::BF16:
    return convertHandler<To, BFloat>(isWide);
  case ptx::Type::F32:
    return convertHandler<To, float>(isWide);
  case ptx::Type::F64:
    return convertHandler<To, double>(isWide);
  default:
    return nullptr;
  }
}

static Handler scalarHandler(ptx::Type to, ptx::Type from, bool isWide) {
  switch (to) {
  case ptx::Type::U8:
    return convertFrom<uint8_t>(from, isWide);
  case ptx::Type::S8:
    return convertFrom<int8_t>(from, isWide);
  case ptx::Type::U16:
    return convertFrom<uint16_t>(from, isWide);
  case ptx::Type::S16:
    return convertFrom<int16_t>(from, isWide);
  case ptx::Type::U32:
    return convertFrom<uint32_t>(from, isWide);
  case ptx::Type::S32:
    return convertFrom<int32_t>(from, isWide);
  case ptx::Type::U64:
    return convertFrom<uint64_t>(from, isWide);
  case ptx::Type::S64:
    return convertFrom<int64_t>(from, isWide);
  case ptx::Type::F16:
    return convertFrom<Half>(from, isWide);
  case ptx::Type::BF16:
    return convertFrom<BFloat>(from, isWide);
  case ptx::Type::F32:
    return convertFrom<float>(from, isWide);
  case ptx::Type::F64:
    return convertFrom<double>(from, isWide);
  default:
    return nullptr;
  }
}

// Packed forms.

template <class To> static uint32_t pairToHalves(uint32_t mode, float a, float b) {
  return convertPairToHalves<To>(a, b, unpackMode(mode));
}
template <const Format &format> static uint16_t pairToBytes(uint32_t mode, float a, float b) {
  return convertPairToBytes(format, a, b, unpackMode(mode));
}
template <const Format &format, class From> static uint16_t halvesToBytes(uint32_t mode, uint32_t a) {
  return convertHalvesToBytes<From>(format, a, unpackMode(mode));
}
template <const Format &format> static uint32_t bytesToHalves(uint32_t mode, uint16_t a) {
  return convertBytesToHalves<format>(a, unpackMode(mode).relu);
}
static uint32_t toTF32(uint32_t mode, float a) { return convertToFormat(kTF32, a, unpackMode(mode)); }

namespace {
struct PackedRow {
  ptx::Type to, from;
  unsigned sources;
  Handler handler;
};
} // namespace

static constexpr PackedRow kPacked[] = {
    {ptx::Type::F16x2, ptx::Type::F32, 2, lanewiseByMode<pairToHalves<Half>>},
    {ptx::Type::BF16x2, ptx::Type::F32, 2, lanewiseByMode<pairToHalves<BFloat>>},
    {ptx::Type::E4M3x2, ptx::Type::F32, 2, lanewiseByMode<pairToBytes<kE4M3>>},
    {ptx::Type::E5M2x2, ptx::Type::F32, 2, lanewiseByMode<pairToBytes<kE5M2>>},
    {ptx::Type::E4M3x2, ptx::Type::F16x2, 1, lanewiseByMode<halvesToBytes<kE4M3, Half>>},
    {ptx::Type::E5M2x2, ptx::Type::F16x2, 1, lanewiseByMode<halvesToBytes<kE5M2, Half>>},
    {ptx::Type::F16x2, ptx::Type::E4M3x2, 1, lanewiseByMode<bytesToHalves<kE4M3>>},
    {ptx::Type::F16x2, ptx::Type::E5M2x2, 1, lanewiseByMode<bytesToHalves<kE5M2>>},
    {ptx::Type::TF32, ptx::Type::F32, 1, lanewiseByMode<toTF32>},
};

static const PackedRow *findPacked(ptx::Type to, ptx::Type from, size_t operands) {
  for (const PackedRow &row : kPacked)
    if (row.to == to && row.from == from && operands == 1 + row.sources)
      return &row;
  return nullptr;
}

static bool isInteger(ptx::Type type) { return type < ptx::Type::F16 && type != ptx::Type::Pred; }

namespace {
/// Modifiers that a conversion has.
struct Named {
  bool rounding, integralRounding, satfinite;
};
} // namespace

/// Why a conversion lacks a modifier that the ISA demands; null if it does not. (PTX ISA 9.0, 9.7.9.21) Between f16 and
/// bf16, where it demands one as well, `ptxas` takes none.
static const char *findMissing(ptx::Type to, ptx::Type from, const PackedRow *packed, Named named) {
  if (!packed && isInteger(to) && !isInteger(from) && !named.integralRounding)
    return "it names no rounding to an integer; expected `.rni`, `.rzi`, `.rmi` or `.rpi`";
  bool mustRound = packed || (!isInteger(to) && (isInteger(from) || ptx::sizeOf(to) < ptx::sizeOf(from)));
  if (mustRound && !named.rounding)
    return "it names no rounding; expected `.rn`, or another one that the types have";
  if ((to == ptx::Type::E4M3x2 || to == ptx::Type::E5M2x2) && !named.satfinite)
    return "it lacks `.satfinite`";
  return nullptr;
}

static void decodeConvert(Form &form) {
  ConvertMode mode;
  static constexpr Rounding kRoundings[] = {Rounding::Nearest, Rounding::NearestAway, Rounding::Zero, Rounding::Down,
                                            Rounding::Up};
  int rounding = form.takeOne({"rn", "rna", "rz", "rm", "rp"});
  int integral = form.takeOne({"rni", "", "rzi", "rmi", "rpi"});
  int chosen = std::max(rounding, integral);
  if (chosen >= 0)
    mode.rounding = kRoundings[chosen];
  mode.ftz = form.take("ftz");
  mode.sat = form.take("sat");
  mode.relu = form.take("relu");
  mode.finite = form.take("satfinite");
  ptx::Type to = form.takeType(), from = form.takeType();
  const PackedRow *packed = findPacked(to, from, form.operandCount());
  if (const char *missing = findMissing(to, from, packed, {rounding >= 0, integral >= 0, mode.finite}))
    return form.refuse(missing);
  uint32_t bits = pack(mode) | (integral >= 0 && to == from ? kIntegral : 0);
  if (packed) {
    form.result(0, to);
    for (unsigned i = 1; i <= packed->sources; ++i)
      form.source(i, from);
    return form.run(packed->handler, bits);
  }
  if (!form.expectOperands(2))
    return;
  form.result(0, to);
  form.source(1, from, true);
  form.run(scalarHandler(to, from, form.width(form.operand(1)) == 8), bits);
}

/// The mode: bits of a result, and whether it is signed.
static uint32_t packByMode(uint32_t mode, int32_t a, int32_t b, uint32_t c) {
  return convertPack(a, b, c, mode & 0xff, mode >> 8 & 1);
}

static void decodePack(Form &form) {
  form.take("pack");
  if (!form.take("sat"))
    return form.refuse("it lacks `.sat`");
  static constexpr std::pair<std::string_view, uint32_t> kTargets[] = {
      {"u16", 16}, {"s16", 16 | 256}, {"u8", 8}, {"s8", 8 | 256},
      {"u4", 4},   {"s4", 4 | 256},   {"u2", 2}, {"s2", 2 | 256}};
  for (auto [name, mode] : kTargets)
    if (form.take(name)) {
      form.take("s32");
      form.take("b32");
      form.result(0, ptx::Type::B32);
      form.source(1, ptx::Type::S32);
      form.source(2, ptx::Type::S32);
      if (form.operandCount() > 3)
        form.source(3, ptx::Type::B32);
      else
        form.constant(0, ptx::Type::B32);
      return form.run(lanewiseByMode<packByMode>, mode);
    }
}

InstructionRows conversionRows() {
  return {
      {"cvt", "Data Movement and Conversion",
       "integers, f16, bf16, f32, f64, tf32; `.f16x2 .bf16x2 .e4m3x2 .e5m2x2` from f32; e4m3x2, e5m2x2 from and to "
       "f16x2; all modifiers but `.rs`",
       decodeConvert},
      {"cvt.pack", "Data Movement and Conversion", "", decodePack},
  };
}

} // namespace tile::sim
