/// Moves between registers and addresses of variables, and between spaces. (PTX ISA 9.0, 9.7.9)
#include "backend/simulator/exec/Families.h"
#include "backend/simulator/exec/Lanewise.h"
#include "backend/simulator/exec/MovedBits.h"
#include "backend/simulator/machine/Cta.h"
#include "backend/simulator/machine/Grid.h"
#include "backend/simulator/numerics/Compare.h"

namespace tile::sim {

template <class T> static T same(T a) { return a; }
template <class T> static T choose(T a, T b, bool first) { return first ? a : b; }
static uint64_t addWindow(uint32_t window, uint64_t a) { return genericAddress(window, a & (kWindowBytes - 1)); }
static uint64_t dropWindow(uint64_t a) { return a & (kWindowBytes - 1); }
static bool isInWindow(uint32_t window, uint64_t a) { return windowOf(a) == window; }
static bool isGlobal(uint64_t a) { return windowOf(a) < kSharedWindow || windowOf(a) == kConstantWindow; }

/// A choice leaves undefined only what it chose.
static uint64_t chosenBits(const Warp &warp, const Op &op, unsigned lane) {
  if (warp.undefined(op.source(2)) >> lane & 1)
    return ~0ull;
  return warp.undefinedBits(op.source(warp.predicate(op.source(2)) >> lane & 1 ? 0 : 1), lane);
}
template <class T> constexpr Handler runSelect = moveBits<lanewise<choose<T>>, chosenBits>;

/// Takes a vector of narrow registers for one wide one, or the other way: `mov.b64 %rd1, {%r1, %r2}`. The mode is the
/// bytes of a narrow one.
static Step packParts(Warp &warp, const Op &op) {
  unsigned bytes = op.mode;
  uint64_t values[kLanes] = {};
  for (unsigned i = 0; i < op.sources; ++i)
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      uint64_t part = bytes == 8 ? warp.row<uint64_t>(op.source(i))[lane] : warp.row<uint32_t>(op.source(i))[lane];
      part &= bytes == 8 ? ~0ull : (1ull << 8 * bytes) - 1;
      values[lane] |= part << 8 * bytes * i;
    }
  if (bytes * op.sources == 8) {
    warp.write(op.result(0), values);
  } else {
    uint32_t narrow[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane)
      narrow[lane] = uint32_t(values[lane]);
    warp.write(op.result(0), narrow);
  }
  warp.spreadUndefined(op);
  return Step::Next;
}

static uint64_t packedBits(const Warp &warp, const Op &op, unsigned lane) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < op.sources; ++i)
    bits |= (warp.undefinedBits(op.source(i), lane) & (op.mode == 8 ? ~0ull : (1ull << 8 * op.mode) - 1))
            << 8 * op.mode * i;
  return bits;
}
constexpr Handler runPack = moveBits<packParts, packedBits>;

static Step runUnpack(Warp &warp, const Op &op) {
  unsigned bytes = op.mode;
  uint64_t undefined[kLanes] = {};
  for (uint32_t rest = warp.undefined(op.source(0)) & warp.active; rest; rest &= rest - 1)
    undefined[__builtin_ctz(rest)] = warp.undefinedBits(op.source(0), __builtin_ctz(rest));
  bool wide = bytes * op.results == 8;
  for (unsigned i = 0; i < op.results; ++i) {
    uint32_t part[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      uint64_t whole = wide ? warp.row<uint64_t>(op.source(0))[lane] : warp.row<uint32_t>(op.source(0))[lane];
      part[lane] = uint32_t(whole >> 8 * bytes * i & ((1ull << 8 * bytes) - 1));
    }
    warp.write(op.result(i), part);
    uint64_t partUndefined[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane)
      partUndefined[lane] = undefined[lane] >> 8 * bytes * i & ((1ull << 8 * bytes) - 1);
    warp.writeUndefinedBits(op.result(i), partUndefined);
  }
  return Step::Next;
}

/// Likewise of a register of 128 bits: two of 64.
static Step runPackWide(Warp &warp, const Op &op) {
  Wide values[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    values[lane] = {warp.row<uint64_t>(op.source(0))[lane], warp.row<uint64_t>(op.source(1))[lane]};
  warp.write(op.result(0), values);
  warp.spreadUndefined(op);
  return Step::Next;
}
static Step runUnpackWide(Warp &warp, const Op &op) {
  uint64_t low[kLanes], high[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    Wide value = warp.row<Wide>(op.source(0))[lane];
    low[lane] = value.low;
    high[lane] = value.high;
  }
  warp.write(op.result(0), low);
  warp.write(op.result(1), high);
  warp.spreadUndefined(op);
  return Step::Next;
}
static Step runMoveWide(Warp &warp, const Op &op) {
  Wide values[kLanes];
  std::memcpy(values, warp.row<Wide>(op.source(0)), sizeof(values));
  warp.write(op.result(0), values);
  warp.spreadUndefined(op);
  return Step::Next;
}

static Step runClock(Warp &warp, const Op &op) {
  uint64_t now = warp.cta.clock();
  if (op.mode == 8) {
    uint64_t values[kLanes];
    std::fill(std::begin(values), std::end(values), now);
    warp.write(op.result(0), values);
  } else {
    uint32_t values[kLanes];
    std::fill(std::begin(values), std::end(values), uint32_t(op.mode == 4 ? now : now >> 32));
    warp.write(op.result(0), values);
  }
  warp.writeUndefined(op.result(0), 0);
  return Step::Next;
}

/// `mov.u32 %r1, %clock;` and its kin: bytes of the value, 5 for the high half.
static std::optional<uint32_t> clockMode(const ptx::Operand &operand) {
  static constexpr std::pair<std::string_view, uint32_t> kClocks[] = {
      {"%clock", 4},       {"%clock64", 8},        {"%clock_hi", 5},
      {"%globaltimer", 8}, {"%globaltimer_hi", 5}, {"%globaltimer_lo", 4},
  };
  for (auto [name, mode] : kClocks)
    if (operand.kind == ptx::Operand::Kind::Register && operand.name == name)
      return mode;
  return std::nullopt;
}

static void decodeMove(Form &form) {
  ptx::Type type = form.takeType();
  if (!form.expectOperands(2))
    return;
  unsigned size = ptx::sizeOf(type);
  const ptx::Operand &target = form.operand(0), &value = form.operand(1);
  if (std::optional<uint32_t> mode = clockMode(value)) {
    form.result(0, type);
    return form.run(runClock, *mode);
  }
  if (value.kind == ptx::Operand::Kind::Vector) {
    unsigned part = size / value.parts.size();
    form.result(0, type);
    for (const ptx::Operand &element : value.parts)
      form.source(element, part <= 4 ? ptx::Type::B32 : ptx::Type::B64);
    if (size == 16 && part != 8)
      return form.refuse("128 bits come apart into two registers of 64 alone");
    return form.run(size == 16 ? runPackWide : runPack, part);
  }
  if (target.kind == ptx::Operand::Kind::Vector) {
    unsigned part = size / target.parts.size();
    for (const ptx::Operand &element : target.parts)
      form.result(element, part <= 4 ? ptx::Type::B32 : ptx::Type::B64);
    form.source(1, type);
    if (size == 16 && part != 8)
      return form.refuse("128 bits come apart into two registers of 64 alone");
    return form.run(size == 16 ? runUnpackWide : runUnpack, part);
  }
  form.result(0, type);
  form.source(1, type);
  form.run(size == 0    ? lanewise<same<bool>>
           : size <= 4  ? moveBits<lanewise<same<uint32_t>>, copiedBits>
           : size == 16 ? runMoveWide
                        : moveBits<lanewise<same<uint64_t>>, copiedBits>);
}

static void decodeSelect(Form &form) {
  ptx::Type type = form.takeType();
  if (!form.expectOperands(4))
    return;
  form.result(0, type);
  form.source(1, type);
  form.source(2, type);
  form.source(3, ptx::Type::Pred);
  form.run(ptx::sizeOf(type) <= 4 ? runSelect<uint32_t> : runSelect<uint64_t>);
}

/// `slct d, a, b, c`: a where c is not negative. A NaN chooses b, and -0 is no negative number.
static bool isNotNegative(uint32_t, int32_t c) { return c >= 0; }
static bool isNotNegativeFloat(uint32_t ftz, float c) {
  return numerics::compareFloats(numerics::Comparison::Ge, c, 0.0f, ftz);
}

template <class T, class Sign, bool (*test)(uint32_t, Sign)> static Step runSelectBySign(Warp &warp, const Op &op) {
  LaneSource<T> a(warp, op.source(0)), b(warp, op.source(1));
  LaneSource<Sign> c(warp, op.source(2));
  writeLanes<T>(warp, op.result(0), [&](unsigned lane) { return test(op.mode, c[lane]) ? a[lane] : b[lane]; });
  warp.spreadUndefined(op);
  return Step::Next;
}

static void decodeSelectBySign(Form &form) {
  bool ftz = form.take("ftz");
  ptx::Type type = form.takeType(), sign = form.takeType();
  if (!form.expectOperands(4))
    return;
  bool isFloat = sign == ptx::Type::F32, isWide = ptx::sizeOf(type) == 8;
  if (!isFloat && (ftz || sign != ptx::Type::S32))
    return form.refuse("it chooses by ." + std::string(ptx::nameOf(sign)) + "; expected .s32 or .f32");
  form.result(0, type);
  form.source(1, type);
  form.source(2, type);
  form.source(3, sign);
  static constexpr Handler kHandlers[2][2] = {
      {runSelectBySign<uint32_t, int32_t, isNotNegative>, runSelectBySign<uint32_t, float, isNotNegativeFloat>},
      {runSelectBySign<uint64_t, int32_t, isNotNegative>, runSelectBySign<uint64_t, float, isNotNegativeFloat>}};
  form.run(kHandlers[isWide][isFloat], ftz);
}

static std::optional<uint32_t> takeWindow(Form &form) {
  if (form.take("shared") || form.take("shared::cta"))
    return kSharedWindow;
  if (form.take("local"))
    return kLocalWindow;
  if (form.take("param") || form.take("param::entry"))
    return kParameterWindow;
  if (form.take("global") || form.take("const"))
    return 0; // such addresses are generic ones
  form.refuse("it names no space");
  return std::nullopt;
}

static void decodeConvertAddress(Form &form) {
  bool leaves = form.take("to");
  std::optional<uint32_t> window = takeWindow(form);
  ptx::Type type = form.takeType();
  if (!window || !form.expectOperands(2))
    return;
  if (ptx::sizeOf(type) != 8)
    return form.refuse("only addresses of 64 bits are known");
  form.result(0, type);
  form.source(1, type);
  if (!*window)
    form.run(lanewise<same<uint64_t>>);
  else if (leaves)
    form.run(lanewise<dropWindow>);
  else
    form.run(lanewiseByMode<addWindow>, *window);
}

static void decodeIsInSpace(Form &form) {
  bool global = form.take("global");
  std::optional<uint32_t> window = global ? 0 : takeWindow(form);
  if (!window || !form.expectOperands(2))
    return;
  form.result(0, ptx::Type::Pred);
  form.source(1, ptx::Type::U64);
  if (global)
    form.run(lanewise<isGlobal>);
  else
    form.run(lanewiseByMode<isInWindow>, *window);
}

/// Sources: an address and the rank of a CTA in the cluster, which has one.
template <class Word> static Step runMapAddress(Warp &warp, const Op &op) {
  const uint32_t *ranks = warp.row<uint32_t>(op.source(1));
  for (uint32_t rest = warp.active; rest; rest &= rest - 1)
    if (uint32_t rank = ranks[__builtin_ctz(rest)]) {
      warp.cta.report(Fault::BadOperand, warp, __builtin_ctz(rest), op,
                      "the rank is " + std::to_string(rank) + "; the cluster has one CTA, 0");
      break;
    }
  return lanewise<same<Word>>(warp, op);
}

static void decodeMapAddress(Form &form) {
  form.take("shared::cluster");
  ptx::Type type = form.takeType();
  if (!form.expectOperands(3))
    return;
  if (form.operand(1).kind == ptx::Operand::Kind::Symbol && form.operand(1).bits)
    return form.refuse("a variable with a displacement is not known");
  form.result(0, type);
  form.source(1, type);
  form.source(2, ptx::Type::U32);
  form.run(ptx::sizeOf(type) == 8 ? runMapAddress<uint64_t> : runMapAddress<uint32_t>);
}

static void decodeRankOf(Form &form) {
  form.take("shared::cluster");
  ptx::Type type = form.takeType();
  if (!form.expectOperands(2))
    return;
  form.result(0, ptx::Type::U32);
  form.constant(0, ptx::Type::U32);
  form.source(1, type);
  form.run(lanewise<same<uint32_t>>);
}

InstructionRows moveRows() {
  return {
      {"cvta", "Data Movement and Conversion", "64-bit, from and to all spaces", decodeConvertAddress},
      {"getctarank", "Data Movement and Conversion", "of a cluster of one", decodeRankOf},
      {"isspacep", "Data Movement and Conversion", "", decodeIsInSpace},
      {"mapa", "Data Movement and Conversion", "in a cluster of one", decodeMapAddress},
      {"mov", "Data Movement and Conversion", "registers, immediates, addresses, packing and unpacking of vectors",
       decodeMove},
      {"selp", "Comparison and Selection", "", decodeSelect},
      {"slct", "Comparison and Selection", "all types, by .s32 and .f32", decodeSelectBySign},
  };
}

} // namespace tile::sim
