#include "runtime/execute/Compare.h"

#include "runtime/arguments/Fill.h"
#include "runtime/artifact/DataType.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tile {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static std::string print(const char *format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, std::isnan(value) ? std::fabs(value) : value); // a NaN has no sign here
  return text;
}

double ElementError::ratio() const { return tolerance > 0 ? error / tolerance : kInfinity; }

std::string ElementError::describe(const std::string &tensor) const {
  std::string text = "`" + tensor + "[" + place + "]` is " + found + "; expected " + expected +
                     (tolerance > 0 ? print(" within %.3g", tolerance) : " exactly");
  if (std::isfinite(error))
    text += print(": error %.3g", error);
  if (std::isfinite(ratio()))
    text += print(", %.3g times the tolerance", ratio());
  return text;
}

static uint64_t bitsAt(const NpyArray &array, int64_t offset) {
  uint64_t bits = 0;
  std::memcpy(&bits, array.data.data() + offset * getBytes(array.type), getBytes(array.type));
  return bits;
}

namespace {
class Comparer {
public:
  Comparer(const NpyArray &found, const NpyArray &expected, const std::vector<char> &before, const Tolerance &tolerance)
      : found(found), expected(expected), before(before), tolerance(tolerance) {}

  Comparison run(const std::vector<bool> &defined) {
    forEachElement(found, [&](int64_t index, int64_t offset) {
      if (!defined.empty() && !defined[index]) {
        ++result.leftOut;
        return;
      }
      ++result.compared;
      isUntouched = holdsPoison(offset);
      uint64_t bits = bitsAt(found, offset), wanted = bitsAt(expected, index);
      if (!isFloat(found.type))
        return compareIntegers(index, bits, wanted, integerToleranceOf(offset, bits, wanted));
      double exact = fromBits(DataType::F64, wanted);
      if (tolerance.exact)
        return compareBits(index, bits, roundToBits(found.type, exact));
      compareFloats(index, offset, fromBits(found.type, bits), exact);
    });
    return std::move(result);
  }

  Comparison runOnBits() {
    forEachElement(found, [&](int64_t index, int64_t offset) {
      ++result.compared;
      uint64_t bits = bitsAt(found, offset), wanted = bitsAt(expected, offset);
      isFloat(found.type) ? compareBits(index, bits, wanted) : compareIntegers(index, bits, wanted, 0);
    });
    return std::move(result);
  }

private:
  void compareIntegers(int64_t index, uint64_t bits, uint64_t wanted, double allowed) {
    if (bits == wanted)
      return;
    // As long double, whose 64 bits hold every integer.
    double error = static_cast<double>(std::fabs(numberOf(bits) - numberOf(wanted)));
    if (isUntouched || error > allowed)
      return differ({place(index), integerText(bits), integerText(wanted), error, isUntouched ? 0 : allowed});
    if (std::isinf(allowed))
      ++result.unbounded;
    else
      result.ratio = std::max(result.ratio, error / allowed);
  }

  /// Infinite where any integer of the type would do.
  double integerToleranceOf(int64_t offset, uint64_t bits, uint64_t wanted) const {
    if (found.type == DataType::Bool)
      return 0;
    if (tolerance.rtol || tolerance.atol)
      return tolerance.atol.value_or(0) + tolerance.rtol.value_or(0) * static_cast<double>(std::fabs(numberOf(wanted)));
    if (!tolerance.least)
      return 0;
    // A float that falls, as where it is subtracted, has its ends the other way round.
    auto [low, high] =
        std::minmax({numberOf(bitsAt(*tolerance.least, offset)), numberOf(bitsAt(*tolerance.greatest, offset))});
    long double value = numberOf(wanted);
    if (value < low || value > high)
      return 0;
    if (high - low >= std::ldexp(1.0L, 8 * static_cast<int>(getBytes(found.type))) - 1)
      return kInfinity;
    return static_cast<double>(numberOf(bits) < value ? value - low : high - value);
  }

  void compareBits(int64_t index, uint64_t bits, uint64_t wanted) {
    double value = fromBits(found.type, bits), exact = fromBits(found.type, wanted);
    if (bits == wanted || (std::isnan(value) && std::isnan(exact)))
      return;
    // The bits as well: two values may print alike.
    auto text = [](double number, uint64_t bits) {
      return print("%.9g", number) + " (0x" + llvm::utohexstr(bits, /*LowerCase=*/true) + ")";
    };
    differ({place(index), text(value, bits), text(exact, wanted), distance(value, exact), 0});
  }

  void compareFloats(int64_t index, int64_t offset, double value, double exact) {
    if ((std::isnan(value) && std::isnan(exact)) || value == exact)
      return;
    if (!isUntouched && !tolerance.rtol && !tolerance.atol && !tolerance.errors.empty() &&
        std::isinf(tolerance.errors[offset])) {
      ++result.unbounded;
      return;
    }
    double error = distance(value, exact), allowed = toleranceOf(offset, value, exact);
    // What rounds to infinity in the kernel's type may be infinite.
    if (std::isinf(value) && std::isfinite(exact) && (value > 0) == (exact > 0) &&
        std::isinf(fromBits(found.type, roundToBits(found.type, exact + std::copysign(allowed, exact)))))
      return;
    if (!std::isfinite(error) || !(error <= allowed))
      return differ({place(index), print("%.9g", value), print("%.9g", exact), error, allowed});
    result.ratio = std::max(result.ratio, error / allowed);
  }

  double toleranceOf(int64_t offset, double value, double exact) const {
    if (!std::isfinite(exact))
      return 0; // nothing is near it
    if (tolerance.rtol || tolerance.atol)
      return tolerance.atol.value_or(0) + tolerance.rtol.value_or(0) * std::fabs(exact);
    // The spec itself rounds in f64; long sums of it lose a few bits.
    double spec = std::fabs(exact) * 0x1p-40;
    if (tolerance.errors.empty())
      return spec;
    // Where the spec rounds, it and the kernel may go to different sides of what is next to a tie. Then what the kernel
    // computes without rounding lies between them, and both are within the bound of that.
    double allowed = tolerance.errors[offset] + spec, unrounded = tolerance.values[offset] - exact;
    bool liesBetween = (unrounded > 0) == (value > exact) && std::fabs(unrounded) <= allowed;
    return liesBetween ? allowed + std::fabs(unrounded) : allowed;
  }

  /// A bool has one value beside the right one, so that a wrong one says nothing.
  bool holdsPoison(int64_t offset) const {
    int64_t width = getBytes(found.type);
    return !before.empty() && found.type != DataType::Bool &&
           std::memcmp(before.data() + offset * width, found.data.data() + offset * width, width) == 0;
  }

  void differ(ElementError element) {
    result.ratio = std::max(result.ratio, element.ratio());
    ++result.different;
    if (isUntouched) {
      if (result.unwritten++ == 0)
        result.firstUnwritten = element.place;
      return;
    }
    bool isWorst =
        std::make_pair(element.ratio(), element.error) > std::make_pair(result.worst.ratio(), result.worst.error);
    bool isFirst = result.different - result.unwritten == 1;
    if (isFirst)
      result.first = element;
    if (isFirst || isWorst)
      result.worst = std::move(element);
  }

  static double distance(double a, double b) {
    double difference = std::fabs(a - b);
    return std::isnan(difference) ? kInfinity : difference;
  }

  int64_t signExtended(uint64_t bits) const {
    int shift = 64 - 8 * static_cast<int>(getBytes(found.type));
    return static_cast<int64_t>(bits << shift) >> shift;
  }
  long double numberOf(uint64_t bits) const {
    return isSignedInteger(found.type) ? static_cast<long double>(signExtended(bits)) : static_cast<long double>(bits);
  }
  std::string integerText(uint64_t bits) const {
    if (found.type == DataType::Bool && bits < 2)
      return bits ? "true" : "false";
    return isSignedInteger(found.type) ? std::to_string(signExtended(bits)) : std::to_string(bits);
  }

  std::string place(int64_t index) const {
    std::string text;
    for (size_t axis = found.extents.size(); axis-- > 0; index /= found.extents[axis])
      text = std::to_string(index % found.extents[axis]) + (text.empty() ? "" : ", ") + text;
    return text;
  }

  const NpyArray &found, &expected;
  const std::vector<char> &before;
  const Tolerance &tolerance;
  bool isUntouched = false; // the element at hand
  Comparison result;
};
} // namespace

Comparison compare(const NpyArray &found, const NpyArray &expected, const std::vector<bool> &defined,
                   const std::vector<char> &before, const Tolerance &tolerance) {
  return Comparer(found, expected, before, tolerance).run(defined);
}

Comparison compareBits(const NpyArray &found, const NpyArray &expected) {
  return Comparer(found, expected, /*before=*/{}, Tolerance()).runOnBits();
}

} // namespace tile
