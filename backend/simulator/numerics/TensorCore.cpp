/// \file
/// The table of tensor cores, one element by its definition, and the choice of the loops for this machine.
#include "backend/simulator/numerics/TensorCore.h"

#include "backend/simulator/numerics/Convert.h"
#include "backend/simulator/numerics/TensorCoreLoops.h"

#include <algorithm>
#include <limits>

namespace tile::sim::numerics {

// Sorted as the enumerations are. sm_90 has one step for a whole instruction of mma.sync; its mma.sync on bytes
// converts them to f16 first, so that it is wider, and shorter of step, than its wgmma.
static constexpr DotModel kDotModels[] = {
    // clang-format off
    // generation       unit                  factor              accumulator         group bits result
    {Generation::Sm80, MatrixUnit::MmaSync, FactorType::Half,   AccumulatorType::F32,  8, 24, 23},
    {Generation::Sm80, MatrixUnit::MmaSync, FactorType::Half,   AccumulatorType::F16,  8, 24, 10},
    {Generation::Sm80, MatrixUnit::MmaSync, FactorType::BFloat, AccumulatorType::F32,  8, 24, 23},
    {Generation::Sm80, MatrixUnit::MmaSync, FactorType::Tf32,   AccumulatorType::F32,  4, 24, 23},
    {Generation::Sm86, MatrixUnit::MmaSync, FactorType::Half,   AccumulatorType::F32,  8, 24, 23},
    {Generation::Sm86, MatrixUnit::MmaSync, FactorType::Half,   AccumulatorType::F16,  8, 24, 10},
    {Generation::Sm86, MatrixUnit::MmaSync, FactorType::BFloat, AccumulatorType::F32,  8, 24, 23},
    {Generation::Sm86, MatrixUnit::MmaSync, FactorType::Tf32,   AccumulatorType::F32,  4, 24, 23},
    {Generation::Sm89, MatrixUnit::MmaSync, FactorType::Half,   AccumulatorType::F32,  8, 24, 23},
    {Generation::Sm89, MatrixUnit::MmaSync, FactorType::Half,   AccumulatorType::F16,  8, 24, 10},
    {Generation::Sm89, MatrixUnit::MmaSync, FactorType::BFloat, AccumulatorType::F32,  8, 24, 23},
    {Generation::Sm89, MatrixUnit::MmaSync, FactorType::Tf32,   AccumulatorType::F32,  4, 24, 23},
    {Generation::Sm89, MatrixUnit::MmaSync, FactorType::Byte,   AccumulatorType::F32, 16, 13, 13},
    {Generation::Sm89, MatrixUnit::MmaSync, FactorType::Byte,   AccumulatorType::F16, 16, 13, 10},
    {Generation::Sm90, MatrixUnit::MmaSync, FactorType::Half,   AccumulatorType::F32, 16, 25, 23},
    {Generation::Sm90, MatrixUnit::MmaSync, FactorType::Half,   AccumulatorType::F16, 16, 25, 10},
    {Generation::Sm90, MatrixUnit::MmaSync, FactorType::BFloat, AccumulatorType::F32, 16, 25, 23},
    {Generation::Sm90, MatrixUnit::MmaSync, FactorType::Tf32,   AccumulatorType::F32,  8, 25, 23},
    {Generation::Sm90, MatrixUnit::MmaSync, FactorType::Byte,   AccumulatorType::F32,  0, 25, 23},
    {Generation::Sm90, MatrixUnit::MmaSync, FactorType::Byte,   AccumulatorType::F16,  0, 25, 10},
    {Generation::Sm90, MatrixUnit::Wgmma,   FactorType::Half,   AccumulatorType::F32, 16, 25, 23},
    {Generation::Sm90, MatrixUnit::Wgmma,   FactorType::Half,   AccumulatorType::F16, 16, 25, 10},
    {Generation::Sm90, MatrixUnit::Wgmma,   FactorType::BFloat, AccumulatorType::F32, 16, 25, 23},
    {Generation::Sm90, MatrixUnit::Wgmma,   FactorType::Tf32,   AccumulatorType::F32,  8, 25, 23},
    {Generation::Sm90, MatrixUnit::Wgmma,   FactorType::Byte,   AccumulatorType::F32, 32, 13, 13},
    {Generation::Sm90, MatrixUnit::Wgmma,   FactorType::Byte,   AccumulatorType::F16, 32, 13, 10},
    // clang-format on
};

const DotModel *findDotModel(Generation generation, MatrixUnit unit, FactorType factor, AccumulatorType accumulator) {
  for (const DotModel &model : kDotModels)
    if (model.generation == generation && model.unit == unit && model.factor == factor &&
        model.accumulator == accumulator)
      return &model;
  return nullptr;
}

namespace {

/// A term of a step: a signed significand times 2^(exponent - fraction), not normalised.
struct Term {
  int64_t significand;
  int exponent, fraction;
};

bool isZero(const Term &term) { return term.significand == 0; }

/// A finite value; a subnormal has the smallest exponent.
Term finiteTerm(const Format &format, uint32_t bits) {
  Exact value = unpack(format, bits);
  int64_t significand = static_cast<int64_t>(value.significand);
  return {value.negative ? -significand : significand, value.exponent + format.fractionBits, format.fractionBits};
}

/// The integer that counts 2^(largest - places) in `term`, cut off towards zero.
int64_t truncated(const Term &term, int largest, int places) {
  int shift = places - term.fraction - (largest - term.exponent);
  int64_t magnitude = std::abs(term.significand);
  magnitude = shift >= 0 ? magnitude << shift : shift > -63 ? magnitude >> -shift : 0;
  return term.significand < 0 ? -magnitude : magnitude;
}

/// Infinities and NaNs of the step: `value` is finite if there are none.
Exact specialOf(const Format &aFormat, const Format &bFormat, const Format &cFormat, const uint32_t *a,
                const uint32_t *b, int count, uint32_t c) {
  Exact sum = unpack(cFormat, c);
  for (int i = 0; i < count; ++i) {
    Exact product = exactMultiply(unpack(aFormat, a[i]), unpack(bFormat, b[i]));
    if (sum.kind != Kind::Finite || product.kind != Kind::Finite)
      sum = exactAdd(sum, product, Rounding::Nearest);
  }
  return sum;
}

uint32_t step(const DotModel &model, const Format &aFormat, const Format &bFormat, const uint32_t *a, const uint32_t *b,
              int count, uint32_t c) {
  const Format &cFormat = model.accumulator == AccumulatorType::F32 ? kF32 : kF16;
  Exact special = specialOf(aFormat, bFormat, cFormat, a, b, count, c);
  if (special.kind != Kind::Finite)
    return static_cast<uint32_t>(encode(cFormat, special));

  Term terms[kMaxFragmentK + 1];
  int used = 0;
  if (Term term = finiteTerm(cFormat, c); !isZero(term))
    terms[used++] = term;
  for (int i = 0; i < count; ++i) {
    Term x = finiteTerm(aFormat, a[i]), y = finiteTerm(bFormat, b[i]);
    Term product{x.significand * y.significand, x.exponent + y.exponent, x.fraction + y.fraction};
    if (!isZero(product))
      terms[used++] = product;
  }
  if (!used)
    return 0;
  int largest = terms[0].exponent;
  for (int i = 1; i < used; ++i)
    largest = std::max(largest, terms[i].exponent);
  int64_t sum = 0;
  for (int i = 0; i < used; ++i)
    sum += truncated(terms[i], largest, model.fractionBits);

  Exact value = exactInteger(sum);
  value.exponent = largest - model.fractionBits;
  auto withPositiveZero = [&](uint64_t result) {
    return static_cast<uint32_t>(result & cFormat.magnitudeMask() ? result : 0);
  };
  if (model.accumulator == AccumulatorType::F16)
    return withPositiveZero(encode(kF16, value));
  // An f32 with a shorter fraction; truncation never rounds up to infinity, but the sum may lie beyond.
  Format shorter = kF32;
  shorter.fractionBits = model.resultFractionBits;
  shorter.padding = 23 - model.resultFractionBits;
  if (value.significand && 127 - leadingZeros(value.significand) + value.exponent > 127)
    return static_cast<uint32_t>(encode(kF32, exactInfinity(value.negative)));
  return withPositiveZero(encode(shorter, value, {Rounding::Zero}));
}

} // namespace

static uint32_t halfOfByte(const Format &format, uint32_t bits) {
  return (&format == &kE4M3 ? convertFromFormat<kE4M3>(bits) : convertFromFormat<kE5M2>(bits)).bits;
}

uint32_t dot(const DotModel &model, const Format &aFormat, const Format &bFormat, const uint32_t *a, const uint32_t *b,
             int k, uint32_t c) {
  const bool unpacks = model.addsAfterwards();
  uint32_t x[kMaxFragmentK], y[kMaxFragmentK];
  for (int i = 0; i < k; ++i) {
    x[model.position(i, k)] = unpacks ? halfOfByte(aFormat, a[i]) : a[i];
    y[model.position(i, k)] = unpacks ? halfOfByte(bFormat, b[i]) : b[i];
  }
  const Format &xFormat = unpacks ? kF16 : aFormat, &yFormat = unpacks ? kF16 : bFormat;
  const int group = model.groupOf(k);
  uint32_t sum = unpacks ? 0 : c;
  for (int done = 0; done < k; done += group)
    sum = step(model, xFormat, yFormat, x + done, y + done, std::min(group, k - done), sum);
  if (!unpacks)
    return sum;
  if (model.accumulator == AccumulatorType::F16)
    return add(Half{static_cast<uint16_t>(sum)}, Half{static_cast<uint16_t>(c)}).bits;
  return bitsOf(add(bitCast<float>(sum), bitCast<float>(c)));
}

#define TILE_SIM_LOOPS_ROW(ISA, RUNS)                                                                                  \
  {#ISA,                                                                                                               \
   RUNS,                                                                                                               \
   loops::ISA::kColumns,                                                                                               \
   loops::ISA::multiplyFragment,                                                                                       \
   loops::ISA::multiplyFragmentF64,                                                                                    \
   loops::ISA::multiplyFragmentBytes}

const std::vector<Loops> &allLoops() {
  static const std::vector<Loops> all = {
      TILE_SIM_LOOPS_ROW(baseline, true),
#ifdef TILE_SIM_IS_X86
      TILE_SIM_LOOPS_ROW(v3, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                                 __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c")),
      TILE_SIM_LOOPS_ROW(v4, __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                                 __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                                 __builtin_cpu_supports("avx512vl")),
#endif
  };
  return all;
}

/// The last that this machine runs and that a fragment of `columns` fills.
static const Loops &loopsFor(int columns) {
  constexpr int kNarrow = 8; // columns of every `mma`
  auto choose = [](int most) -> const Loops & {
    const Loops *best = &allLoops().front();
    for (const Loops &loops : allLoops())
      best = loops.runs && loops.columns <= most ? &loops : best;
    return *best;
  };
  static const Loops &narrow = choose(kNarrow), &wide = choose(std::numeric_limits<int>::max());
  return columns < wide.columns ? narrow : wide;
}

void multiplyFragment(const DotModel &model, const Format &aFormat, const Format &bFormat, FragmentShape shape,
                      const void *a, const void *b, const void *c, void *d) {
  loopsFor(shape.n).multiplyFragment(model, aFormat, bFormat, shape, a, b, c, d);
}
void multiplyFragmentF64(FragmentShape shape, const double *a, const double *b, const double *c, double *d) {
  loopsFor(shape.n).multiplyFragmentF64(shape, a, b, c, d);
}
void multiplyFragmentBytes(FragmentShape shape, ByteSigns isSigned, bool saturate, const uint8_t *a, const uint8_t *b,
                           const int32_t *c, int32_t *d) {
  loopsFor(shape.n).multiplyFragmentBytes(shape, isSigned, saturate, a, b, c, d);
}

} // namespace tile::sim::numerics
