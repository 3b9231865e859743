// Floating-point arithmetic: every rounding and modifier, on pairs of special values and on random ones.
#include "test/simulator/validate/Elementwise.h"

namespace tile::sim::validate {

using numerics::kBF16;
using numerics::kF16;
using numerics::kF32;
using numerics::kF64;
using Names = std::vector<std::string>;

static void give(const Sink &sink, const std::string &name, const Format &format, unsigned operands, const Names &forms,
                 bool isPacked = false) {
  unsigned bytes = isPacked ? 4 : unsigned(format.width() / 8);
  std::vector<Values> columns =
      operandColumns(std::vector<OperandType>(operands, {&format, bytes}), 16384, 16384, name.size());
  if (isPacked) // the upper halves: another row
    for (Values &column : columns)
      for (size_t i = 0; i < column.size(); ++i)
        column[i] |= (column[(i * 7 + 3) % column.size()] & 0xffff) << 16;
  sink(elementwise({name, std::vector<unsigned>(operands, bytes), bytes, plainForms(forms)}, std::move(columns)));
}

static Names join(std::initializer_list<Names> lists) {
  Names all;
  for (const Names &list : lists)
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

void giveArithmetic(const Sink &sink) {
  const Names roundings = {"rn", "rz", "rm", "rp"}, ftz = {"", "ftz"}, sat = {"", "sat"};
  const Names nan = {"", "NaN"}, sign = {"", "xorsign.abs"};
  for (std::string opcode : {"add", "sub", "mul"}) {
    give(sink, opcode + ".f32", kF32, 2, combinations(opcode, {roundings, ftz, sat, {"f32"}}));
    give(sink, opcode + ".f64", kF64, 2, combinations(opcode, {roundings, {"f64"}}));
    give(sink, opcode + ".f16", kF16, 2, combinations(opcode, {{"rn"}, ftz, sat, {"f16"}}));
    give(sink, opcode + ".f16x2", kF16, 2, combinations(opcode, {{"rn"}, ftz, sat, {"f16x2"}}), true);
    give(sink, opcode + ".bf16", kBF16, 2, {opcode + ".rn.bf16"});
    give(sink, opcode + ".bf16x2", kBF16, 2, {opcode + ".rn.bf16x2"}, true);
  }
  give(sink, "fma.f32", kF32, 3, combinations("fma", {roundings, ftz, sat, {"f32"}}));
  give(sink, "fma.f64", kF64, 3, combinations("fma", {roundings, {"f64"}}));
  give(sink, "fma.f16", kF16, 3, combinations("fma", {{"rn"}, ftz, {"", "sat", "relu"}, {"f16"}}));
  give(sink, "fma.f16x2", kF16, 3, combinations("fma", {{"rn"}, ftz, {"", "sat", "relu"}, {"f16x2"}}), true);
  give(sink, "fma.bf16", kBF16, 3, combinations("fma", {{"rn"}, {"", "relu"}, {"bf16"}}));
  give(sink, "fma.bf16x2", kBF16, 3, combinations("fma", {{"rn"}, {"", "relu"}, {"bf16x2"}}), true);
  give(sink, "div.f32", kF32, 2, combinations("div", {roundings, ftz, {"f32"}}));
  give(sink, "div.f64", kF64, 2, combinations("div", {roundings, {"f64"}}));
  give(sink, "rcp-sqrt.f32", kF32, 1,
       join({combinations("rcp", {roundings, ftz, {"f32"}}), combinations("sqrt", {roundings, ftz, {"f32"}})}));
  give(sink, "rcp-sqrt.f64", kF64, 1,
       join({combinations("rcp", {roundings, {"f64"}}), combinations("sqrt", {roundings, {"f64"}})}));
  give(sink, "sign.f32", kF32, 1, join({combinations("abs", {ftz, {"f32"}}), combinations("neg", {ftz, {"f32"}})}));
  give(sink, "sign.f64", kF64, 1, {"abs.f64", "neg.f64"});
  give(sink, "sign.f16", kF16, 1, join({combinations("abs", {ftz, {"f16"}}), combinations("neg", {ftz, {"f16"}})}));
  give(sink, "sign.f16x2", kF16, 1,
       join({combinations("abs", {ftz, {"f16x2"}}), combinations("neg", {ftz, {"f16x2"}})}), true);
  give(sink, "sign.bf16", kBF16, 1, {"abs.bf16", "neg.bf16"});
  give(sink, "sign.bf16x2", kBF16, 1, {"abs.bf16x2", "neg.bf16x2"}, true);
  for (std::string opcode : {"min", "max"}) {
    give(sink, opcode + ".f32", kF32, 2, combinations(opcode, {ftz, nan, sign, {"f32"}}));
    give(sink, opcode + ".f64", kF64, 2, {opcode + ".f64"});
    give(sink, opcode + ".f16", kF16, 2, combinations(opcode, {ftz, nan, sign, {"f16"}}));
    give(sink, opcode + ".f16x2", kF16, 2, combinations(opcode, {ftz, nan, sign, {"f16x2"}}), true);
    give(sink, opcode + ".bf16", kBF16, 2, combinations(opcode, {nan, sign, {"bf16"}}));
    give(sink, opcode + ".bf16x2", kBF16, 2, combinations(opcode, {nan, sign, {"bf16x2"}}), true);
  }
  give(sink, "copysign.f32", kF32, 2, {"copysign.f32"});
  give(sink, "copysign.f64", kF64, 2, {"copysign.f64"});
}

} // namespace tile::sim::validate
