/// \file
/// What a tensor core computes for D = A * B + C: not IEEE arithmetic, but sums of exact products that are aligned to
/// the largest exponent and cut off below a fixed number of places. `kDotModels` says per generation, unit and type how
/// many products are added at once, how many places are kept, and how the sum becomes the accumulator's type.
///
/// One step takes the next `group` products and the accumulator. A product's exponent is the sum of its factors'
/// exponents (a subnormal has the smallest one; the significand is not normalised), and zero has none. Each term is
/// truncated to `fractionBits` places below the largest exponent, the sum of these integers is exact, and it becomes
/// the accumulator: truncated to 24 or, for 8-bit floats on sm_89 and wgmma, 14 significant bits of f32; or to the
/// nearest f16, ties to even. NaN is the canonical one; a zero result is +0; beyond the largest value is infinity.
///
/// Facts from the papers on MMA-Sim, arXiv:2511.10909, and "Accurate Models of NVIDIA Tensor Cores", arXiv:2512.07004;
/// the instructions are in PTX ISA 9.0, sections 9.7.14 "mma" and 9.7.15 "wgmma". The sm_90 rows give the bits of an
/// H200 (README.md, "Held against an H200"), subnormal results included; the others are from the papers, and sm_86 is
/// taken for sm_80. Limits: 4-bit and 1-bit types, sparsity, sm_70 and sm_75 are absent.
#ifndef BACKEND_SIMULATOR_NUMERICS_TENSORCORE_H
#define BACKEND_SIMULATOR_NUMERICS_TENSORCORE_H

#include "backend/simulator/numerics/Format.h"

#include <cstdint>

namespace tile::sim::numerics {

enum class Generation : uint8_t { Sm80, Sm86, Sm89, Sm90 };
enum class MatrixUnit : uint8_t { MmaSync, Wgmma };
/// What the factors are; `Byte` is e4m3 and e5m2 in any mixture.
enum class FactorType : uint8_t { Half, BFloat, Tf32, Byte };
enum class AccumulatorType : uint8_t { F32, F16 };

struct DotModel {
  Generation generation;
  MatrixUnit unit;
  FactorType factor;
  AccumulatorType accumulator;
  int group;              ///< products added at once, besides the accumulator; 0 where bytes become f16, see below
  int fractionBits;       ///< places kept below the largest exponent
  int resultFractionBits; ///< of an f32 accumulator after each step

  /// Of an instruction with `k` products.
  constexpr int groupOf(int k) const { return group ? group : k / 2; }
  /// sm_90 has no mma.sync of bytes: ptxas unpacks the lower pair of each word to f16, where subnormals of e4m3 are
  /// normal numbers, and multiplies, then the upper pair, and adds C to the sum by an ordinary instruction.
  constexpr bool addsAfterwards() const { return group == 0; }
  /// When product `i` of `k` is added.
  constexpr int position(int i, int k) const { return group ? i : i / 4 * 2 + i % 2 + (i % 4 < 2 ? 0 : k / 2); }
};

/// The row for an instruction, or null if that generation's unit has no such types.
const DotModel *findDotModel(Generation generation, MatrixUnit unit, FactorType factor, AccumulatorType accumulator);

/// One element of D, from `k` elements of a row of A and of a column of B and from the bits of its element of C. The
/// elements are bits of `aFormat` and `bFormat` (for tf32, 32 bits, of which the unit ignores the lowest 13).
uint32_t dot(const DotModel &model, const Format &aFormat, const Format &bFormat, const uint32_t *a, const uint32_t *b,
             int k, uint32_t c);

struct FragmentShape {
  int m, n, k; ///< k at most kMaxFragmentK, any m and n
};
constexpr int kMaxFragmentK = 32;

/// All elements of D = A * B + C of one instruction. A has `m` rows of `k` elements, B has `n` columns of `k` elements,
/// each stored one after the other in the format's own width (1, 2 or 4 bytes); C and D have `m` rows of `n` elements
/// of f32 or f16. C and D may be the same memory. Gives the bits that `dot` gives.
void multiplyFragment(const DotModel &model, const Format &aFormat, const Format &bFormat, FragmentShape shape,
                      const void *a, const void *b, const void *c, void *d);

/// Likewise for f64: fused multiply-adds in the order of k.
void multiplyFragmentF64(FragmentShape shape, const double *a, const double *b, const double *c, double *d);

/// Likewise for bytes: exact, and the sum wraps or, with `saturate` (`.satfinite`), is clamped once at the end.
struct ByteSigns {
  bool a, b; ///< s8 rather than u8
};
void multiplyFragmentBytes(FragmentShape shape, ByteSigns isSigned, bool saturate, const uint8_t *a, const uint8_t *b,
                           const int32_t *c, int32_t *d);

} // namespace tile::sim::numerics

#endif // BACKEND_SIMULATOR_NUMERICS_TENSORCORE_H
