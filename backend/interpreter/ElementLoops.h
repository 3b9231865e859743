/// Loops over arrays of elements: what the elementwise ops of Elementwise.def compute, one loop per op and element
/// type, and the product of two matrices. Compiled twice, for plain x86-64 and with AVX2, FMA and F16C; both give the
/// same bits except in the order of a sum of products.
#ifndef BACKEND_INTERPRETER_ELEMENTLOOPS_H
#define BACKEND_INTERPRETER_ELEMENTLOOPS_H

#include "backend/interpreter/Element.h"

namespace tile {

/// A float whose real counterpart, computed by the compiled kernel, is within `error` of `value`; see Bounds.h.
struct Bounded {
  double value, error;
};

/// What rounding to a float type costs.
struct FloatFormat {
  /// Largest relative error of rounding to the type in which an op is computed (f32 for the 16-bit types).
  double computeRoundoff;
  /// Largest relative error of the further rounding to the type itself; 0 where that is the type of the computation.
  double storeRoundoff;
  /// Largest error of a result that is subnormal, and the smallest normal number.
  double subnormalError, smallestNormal;
  double largest;
};

/// `count` elements of `out` from as many of each array of `in`. `format`, of the result, is used by loops on
/// `Bounded`.
using ElementLoop = void (*)(void *out, const void *const *in, int64_t count, const FloatFormat *format);

/// The loop of the row called `name`, for operands of type `from` (the last of them) and results of type `to`; null if
/// there is none.
ElementLoop findElementLoop(const char *name, Element from, Element to);

/// How the operands of a product are read, beyond their type. `Float8` and `Tf32` say it of `Bounded` ones.
enum class DotKind : uint8_t { Plain, Tf32, Float8, Signed, Unsigned };

/// `acc[m][n] += lhs[m][k] * rhs[k][n]`, all row-major and dense. `scratch` holds `dotScratchBytes(m, n, k)`; `format`,
/// of `acc`, is used by the loop on `Bounded`.
using DotLoop = void (*)(void *acc, const void *lhs, const void *rhs, int64_t m, int64_t n, int64_t k, void *scratch,
                         const FloatFormat *format);

/// Null if there is no product of matrices of these elements.
DotLoop findDotLoop(DotKind kind, Element lhs, Element rhs);
int64_t dotScratchBytes(int64_t m, int64_t n, int64_t k);

/// The same for each instruction set; those above choose by the machine.
namespace baseline {
ElementLoop findElementLoop(const char *name, Element from, Element to);
DotLoop findDotLoop(DotKind kind, Element lhs, Element rhs);
int64_t dotScratchBytes(int64_t m, int64_t n, int64_t k);
} // namespace baseline
namespace v3 {
ElementLoop findElementLoop(const char *name, Element from, Element to);
DotLoop findDotLoop(DotKind kind, Element lhs, Element rhs);
int64_t dotScratchBytes(int64_t m, int64_t n, int64_t k);
} // namespace v3

} // namespace tile

#endif
