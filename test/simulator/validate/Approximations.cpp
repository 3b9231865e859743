// `.approx` and `.full`: all patterns of 16 bits, and f32 in steps over all of its exponents. Results are held against
// the bounds of numerics::kApproximationBounds.
#include "test/simulator/validate/Elementwise.h"

namespace tile::sim::validate {

/// About 2^17 patterns that cover every exponent, then what else belongs to `function`.
static Values denseFloats(const Values &more) {
  Values all = specialsOf(numerics::kF32);
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 32771)
    all.push_back(bits);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// `count` floats from `begin` to `end`, of both signs.
static Values between(float begin, float end, unsigned count) {
  Values all;
  for (unsigned i = 0; i < count; ++i)
    for (float sign : {1.0f, -1.0f})
      all.push_back(numerics::bitCast<uint32_t>(sign * (begin + (end - begin) * float(i) / float(count))));
  return all;
}

static FormText bounded(const std::string &name, const std::string &bound) { return {name, "", bound}; }

static std::vector<FormText> withFlush(const std::string &opcode, const std::string &bound) {
  return {bounded(opcode + ".approx.f32", bound), bounded(opcode + ".approx.ftz.f32", bound)};
}

void giveApproximations(const Sink &sink) {
  for (std::string opcode : {"ex2", "lg2", "rcp", "rsqrt", "sqrt", "sin", "cos"}) {
    Values more = opcode == "ex2"                      ? between(0, 150, 1 << 15)
                  : opcode == "sin" || opcode == "cos" ? between(0, 315, 1 << 15)
                                                       : between(0.25f, 4, 1 << 15);
    sink(elementwise({opcode + ".f32", {4}, 4, withFlush(opcode, opcode + ".approx.f32")}, {denseFloats(more)}));
  }
  sink(elementwise({"tanh.f32", {4}, 4, {bounded("tanh.approx.f32", "tanh.approx.f32")}},
                   {denseFloats(between(0, 10, 1 << 15))}));
  Values halves(65536), words(65536);
  for (uint64_t i = 0; i < halves.size(); ++i) {
    halves[i] = i;
    words[i] = i | (i * 40503 & 0xffff) << 16;
  }
  sink(elementwise({"approx.f16",
                    {2},
                    2,
                    {bounded("ex2.approx.f16", "ex2.approx.f16"), bounded("tanh.approx.f16", "tanh.approx.f16")}},
                   {halves}));
  sink(elementwise(
      {"approx.bf16",
       {2},
       2,
       {bounded("ex2.approx.ftz.bf16", "ex2.approx.ftz.bf16"), bounded("tanh.approx.bf16", "tanh.approx.bf16")}},
      {halves}));
  // Of packed forms each half is an element: the same bounds.
  for (auto [name, bound] :
       {std::pair("ex2.approx.f16x2", "ex2.approx.f16"), std::pair("tanh.approx.f16x2", "tanh.approx.f16"),
        std::pair("ex2.approx.ftz.bf16x2", "ex2.approx.ftz.bf16"),
        std::pair("tanh.approx.bf16x2", "tanh.approx.bf16")}) {
    Kernel kernel = elementwise({name, {4}, 4, {bounded(name, bound)}}, {words});
    kernel.results[0].elementBytes = 2;
    kernel.results[0].count *= 2;
    kernel.operandBytes = {2};
    sink(kernel);
  }
  sink(elementwise(
      {"approx.f64",
       {8},
       8,
       {bounded("rcp.approx.ftz.f64", "rcp.approx.ftz.f64"), bounded("rsqrt.approx.ftz.f64", "rsqrt.approx.ftz.f64"),
        bounded("rsqrt.approx.f64", "rsqrt.approx.f64")}},
      operandColumns({{&numerics::kF64, 8}}, 4096, 1 << 15, 3)));
  sink(elementwise({"div.f32",
                    {4, 4},
                    4,
                    {bounded("div.approx.f32", "div.approx.f32"), bounded("div.approx.ftz.f32", "div.approx.f32"),
                     bounded("div.full.f32", "div.full.f32"), bounded("div.full.ftz.f32", "div.full.f32")}},
                   operandColumns({{&numerics::kF32, 4}, {&numerics::kF32, 4}}, 8192, 1 << 15, 4)));
}

} // namespace tile::sim::validate
