// `cvt` in all its forms: over all patterns of 8 and 16 bits, and special and random ones of 32 and 64.
#include "test/simulator/validate/Elementwise.h"

#include <algorithm>

namespace tile::sim::validate {

using Names = std::vector<std::string>;

namespace {
struct Scalar {
  std::string name;
  unsigned bytes;
  const Format *format; ///< null for an integer
};
} // namespace

static const Scalar kScalars[] = {
    {"u8", 1, nullptr},          {"s8", 1, nullptr},
    {"u16", 2, nullptr},         {"s16", 2, nullptr},
    {"u32", 4, nullptr},         {"s32", 4, nullptr},
    {"u64", 8, nullptr},         {"s64", 8, nullptr},
    {"f16", 2, &numerics::kF16}, {"bf16", 2, &numerics::kBF16},
    {"f32", 4, &numerics::kF32}, {"f64", 8, &numerics::kF64},
};

/// Every pattern of a short type; else special and random ones.
static Values patternsOf(const Format *format, unsigned bytes, uint64_t seed) {
  if (bytes <= 2) {
    Values all(bytes == 1 ? 256 : 65536);
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = i;
    return all;
  }
  return operandColumns({{format, bytes}}, 4096, 1 << 15, seed)[0];
}

static void append(Names &names, const Names &more) { names.insert(names.end(), more.begin(), more.end()); }

/// The forms from `from` to `to` that sm_90 has.
static Names formsOf(const Scalar &to, const Scalar &from) {
  std::string types = to.name + "." + from.name;
  bool hasF32 = to.name == "f32" || from.name == "f32", toBFloat = to.name == "bf16", fromBFloat = from.name == "bf16";
  const Names ftz = hasF32 && !toBFloat && !fromBFloat ? Names{"", "ftz"} : Names{""};
  const Names sat = toBFloat || fromBFloat ? Names{""} : Names{"", "sat"};
  const Names roundings = {"rn", "rz", "rm", "rp"}, integral = {"rni", "rzi", "rmi", "rpi"};
  if ((toBFloat && from.bytes == 1) || (fromBFloat && to.bytes == 1))
    return {};
  // `.sat` where a value may lie out of range.
  bool toSigned = to.name[0] == 's', fromSigned = from.name[0] == 's';
  bool fits = toSigned == fromSigned ? to.bytes >= from.bytes : toSigned && to.bytes > from.bytes;
  if (!to.format && !from.format)
    return combinations("cvt", {fits ? Names{""} : Names{"", "sat"}, {types}});
  if (!from.format)
    return combinations("cvt", {roundings, sat, {types}});
  if (!to.format)
    return combinations("cvt", {integral, ftz, sat, {types}});
  Names names;
  if (to.name == from.name) {
    if (!toBFloat)
      names = combinations("cvt", {ftz, sat, {types}});
    append(names, combinations("cvt", {integral, ftz, sat, {types}}));
    return names;
  }
  if (to.bytes > from.bytes)
    return combinations("cvt", {ftz, sat, {types}});
  names = combinations("cvt", {roundings, ftz, sat, {types}});
  if (from.name == "f32" && to.bytes == 2)
    append(names, combinations("cvt", {{"rn", "rz"}, {"relu", "satfinite", "relu.satfinite"}, {types}}));
  return names;
}

/// An integer of 8 or 16 bits fills a register of 32, but ptxas wants one of 16 for what was bf16.
static unsigned registerBytes(const Scalar &to, const Scalar &from) {
  return to.format || from.name == "bf16" ? to.bytes : std::max(to.bytes, 4u);
}

static void givePacked(const Sink &sink) {
  const Format *f32 = &numerics::kF32;
  std::vector<Values> pair = operandColumns({{f32, 4}, {f32, 4}}, 8192, 1 << 15, 5);
  std::vector<Values> one = {patternsOf(f32, 4, 6)};
  Names halves;
  for (std::string type : {"f16x2", "bf16x2"})
    append(halves, combinations("cvt", {{"rn", "rz"}, {"", "relu"}, {"", "satfinite"}, {type + ".f32"}}));
  sink(elementwise({"pair-to-halves", {4, 4}, 4, plainForms(halves)}, pair));
  Names bytes;
  for (std::string type : {"e4m3x2", "e5m2x2"})
    append(bytes, combinations("cvt", {{"rn.satfinite"}, {"", "relu"}, {type + ".f32"}}));
  sink(elementwise({"pair-to-bytes", {4, 4}, 2, plainForms(bytes)}, pair));
  Names tf32 = {"cvt.rna.tf32.f32", "cvt.rna.satfinite.tf32.f32"};
  append(tf32, combinations("cvt", {{"rn", "rz"}, {"", "relu"}, {"tf32.f32"}}));
  sink(elementwise({"to-tf32", {4}, 4, plainForms(tf32)}, one));

  // Each half takes all patterns.
  Values words(65536), codes(65536);
  for (uint64_t i = 0; i < words.size(); ++i) {
    words[i] = i | (i * 40503 & 0xffff) << 16;
    codes[i] = i;
  }
  Names fromHalves, toHalves;
  for (std::string type : {"e4m3x2", "e5m2x2"}) {
    append(fromHalves, combinations("cvt", {{"rn.satfinite"}, {"", "relu"}, {type + ".f16x2"}}));
    append(toHalves, combinations("cvt", {{"rn"}, {"", "relu"}, {"f16x2." + type}}));
  }
  sink(elementwise({"halves-to-bytes", {4}, 2, plainForms(fromHalves)}, {words}));
  sink(elementwise({"bytes-to-halves", {2}, 4, plainForms(toHalves)}, {codes}));
  std::vector<Values> integers = operandColumns({{nullptr, 4}, {nullptr, 4}, {nullptr, 4}}, 8192, 8192, 7);
  std::vector<FormText> packs = {{"cvt.pack.sat.u16.s32", "cvt.pack.sat.u16.s32 $d, $a, $b;"},
                                 {"cvt.pack.sat.s16.s32", "cvt.pack.sat.s16.s32 $d, $a, $b;"}};
  for (const std::string &name : combinations("cvt.pack.sat", {{"u8", "s8", "u4", "s4", "u2", "s2"}, {"s32.b32"}}))
    packs.push_back({name});
  sink(elementwise({"pack", {4, 4, 4}, 4, packs}, integers));
}

void giveConversions(const Sink &sink) {
  for (const Scalar &from : kScalars)
    for (unsigned bytes : {2u, 4u, 8u}) {
      Names names;
      for (const Scalar &to : kScalars)
        if (registerBytes(to, from) == bytes)
          append(names, formsOf(to, from));
      if (!names.empty())
        sink(elementwise({from.name + "-to-" + std::to_string(bytes), {from.bytes}, bytes, plainForms(names)},
                         {patternsOf(from.format, from.bytes, bytes)}));
    }
  givePacked(sink);
}

} // namespace tile::sim::validate
