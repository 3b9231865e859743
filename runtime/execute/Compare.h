/// What a kernel left in one tensor against what its spec or the interpreter says: how many elements differ, which of
/// them nobody wrote, the first, and the worst.
#ifndef RUNTIME_EXECUTE_COMPARE_H
#define RUNTIME_EXECUTE_COMPARE_H

#include "runtime/npy/Npy.h"

#include <optional>
#include <string>
#include <vector>

namespace tile {

/// How far an element may be from the spec. Bools may not differ at all, integers only as `rtol` and `atol`, `least`
/// and `greatest` say.
struct Tolerance {
  bool exact = false; ///< floats as well: the spec's result, rounded to the type
  std::optional<double> rtol, atol;
  std::vector<double> errors; ///< derived: per element in memory, without which only the spec's own rounding is allowed
  /// With `errors`: what the kernel would compute without rounding. A spec that rounds is elsewhere.
  std::vector<double> values;
  /// Of integers, derived: what the kernel may leave lies between these, tensors of the type and layout of its own.
  /// Where the spec says something else, nothing but that is right.
  const NpyArray *least = nullptr, *greatest = nullptr;
};

/// An element that is further from the spec than it may be.
struct ElementError {
  std::string place;           ///< `3, 17`
  std::string found, expected; ///< as text
  double error = 0;            ///< their distance; infinite where one of them is no number
  double tolerance = 0;        ///< 0: none

  /// 1 is just allowed; infinite where nothing is allowed.
  double ratio() const;
  /// `` `y[3, 17]` is 2; expected 1 within 1e-6: error 1, 1e+06 times the tolerance ``
  std::string describe(const std::string &tensor) const;
};

struct Comparison {
  int64_t compared = 0;       ///< elements that the spec defines
  int64_t leftOut = 0;        ///< elements that it does not
  int64_t unbounded = 0;      ///< of the compared, not equal, and every number would have passed
  int64_t different = 0;      ///< of these, too far from it
  int64_t unwritten = 0;      ///< of these, still hold what was there before
  std::string firstUnwritten; ///< its place
  ElementError first, worst;  ///< of those that differ and are written
  double ratio = 0;           ///< the largest of all compared elements
};

/// Compares `found` with `expected`, which is row-major, floats in f64. `defined` has one entry per element of
/// `expected`, or none where the spec defines all of them. `before` is what the memory of `found` held before the
/// kernel ran, if that was poison; else it is empty.
Comparison compare(const NpyArray &found, const NpyArray &expected, const std::vector<bool> &defined,
                   const std::vector<char> &before, const Tolerance &tolerance);

/// Compares the bits of `found` with those of `expected`, a tensor of the same type and layout. All NaNs are one value.
Comparison compareBits(const NpyArray &found, const NpyArray &expected);

} // namespace tile

#endif
