// Whether two configurations of one kernel write the same, up to what another order of rounding makes.
//
// Bools are the same or not, and so are integers, unless the kernel converts floats to integers: next to a step those
// may differ by 1. A float `x` agrees with the reference's `r` if
//
//   |x - r| <= 2 · 2^-m · |r|  +  (8 · u + (8 · sqrt(n) + n / 16) · v) · rms
//
// - 2 · 2^-m · |r|, m the bits of the output's mantissa: each of the two rounds its result once, by half a unit in the
//   last place, and may round what it adds last once more.
// - 8 · sqrt(n) · v · rms: n is the longest sum of an element, v the unit roundoff of what it is summed in, 2^-24 of
// f32.
//   A sum in another order rounds other partial sums, which are about as large as a result. Such errors of random signs
//   add up to less than half of sqrt(n) · v · rms; the largest of millions of elements is six times that, and two sums
//   are compared. A result that cancelled is as uncertain as those beside it, hence the root of the mean square of the
//   tensor and not the value.
// - n / 16 · v · rms: tensor cores cut off instead of rounding, once an instruction, of which each sums 16 terms or
// more.
// - 8 · u · rms: u is the unit roundoff of the narrowest type that values are rounded to on the way. What is rounded
//   there (the probabilities of an attention, before their product) may be so at another scale in each configuration.
//
// NaN agrees with NaN, an infinity with the same infinity, and with a number that is as near to overflow as that.
//
// The limits: a fault that changes elements by less than that is not seen, and where rows of one tensor differ in scale
// by far, the small ones are compared loosely. `tilec check` compares with the spec, element by element.

#ifndef TILE_RUNTIME_TUNE_AGREEMENT_H
#define TILE_RUNTIME_TUNE_AGREEMENT_H

#include "runtime/npy/Npy.h"

#include <string>

namespace tile {

struct AgreementOptions {
  int64_t terms = 1;             ///< n
  double intermediate = 0;       ///< u; 0: not given
  double accumulator = 0;        ///< v; 0: not given
  bool roundsToIntegers = false; ///< whether the kernel converts floats to integers
};

/// Half a unit in the last place of 1: 2^-8 of bf16; 0 of types that are no floats.
double unitRoundoff(DataType type);

/// What is not given, for a kernel whose tensors have these types: u is that of the narrowest float type, but of 8-bit
/// floats, to which only those round that say so; v is 2^-24, or 2^-53 where all floats are f64. The tensor cores' sums
/// of 8-bit floats keep 13 bits.
AgreementOptions completed(AgreementOptions options, const std::vector<DataType> &tensors);

/// What a tensor is compared with, and what its tolerance is made of.
struct ReferenceTensor {
  std::string name;
  NpyArray tensor;
  double slack = 0; ///< The part of the tolerance that does not depend on the element.

  /// `options` are completed.
  ReferenceTensor(std::string name, NpyArray tensor, const AgreementOptions &options);
};

/// How `found`, memory as large as that of the reference, differs from it; empty if they agree. Gaps between strided
/// elements are compared as well: nobody may write there. `poison` is the byte that outputs were filled with.
std::string findDifference(const std::vector<char> &found, const ReferenceTensor &reference, unsigned char poison);

} // namespace tile

#endif // TILE_RUNTIME_TUNE_AGREEMENT_H
