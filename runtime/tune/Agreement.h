// Whether two configurations of one kernel write the same, up to what another order of rounding makes.
//
// Integers and bools are the same or not. A float `x` agrees with the reference's `r` if
//
//   |x - r| <= 2 · 2^-m · |r|  +  (8 · u + n · ulp) · rms
//
// - 2 · 2^-m · |r|, m the bits of the output's mantissa: each of the two rounds its result once, by half a unit in the
//   last place, and may round what it adds last once more.
// - n · ulp · rms: n is the longest sum of an element, `ulp` the unit roundoff of what it is summed in, 2^-24 of f32.
//   Each of n additions rounds a partial sum that is about as large as a result; errors of random signs add up to
//   sqrt(n) · ulp · rms, and n is the room that the largest of millions of elements needs. A result that cancelled is
//   as uncertain as those beside it, hence the root of the mean square of the tensor and not the value.
// - 8 · u · rms: u is the unit roundoff of the narrowest type that is computed with on the way. What is rounded there
//   (the probabilities of an attention, before their product) may be so at another scale in each configuration.
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
  int64_t terms = 1;       ///< n
  double intermediate = 0; ///< u; 0: that of the narrowest float type among the kernel's tensors.
  double accumulator = 0;  ///< ulp; 0: 2^-24, 2^-53 where all floats are f64, 2^-13 where 8-bit floats are among them.
};

/// Half a unit in the last place of 1: 2^-8 of bf16; 0 of types that are no floats.
double unitRoundoff(DataType type);

/// What a tensor is compared with, and what its tolerance is made of.
struct ReferenceTensor {
  std::string name;
  NpyArray tensor;
  double slack = 0; ///< The part of the tolerance that does not depend on the element.

  /// `options` has no zeros.
  ReferenceTensor(std::string name, NpyArray tensor, const AgreementOptions &options);
};

/// How `found`, memory as large as that of the reference, differs from it; empty if they agree. Gaps between strided
/// elements are compared as well: nobody may write there. `poison` is the byte that outputs were filled with.
std::string findDifference(const std::vector<char> &found, const ReferenceTensor &reference, unsigned char poison);

} // namespace tile

#endif // TILE_RUNTIME_TUNE_AGREEMENT_H
