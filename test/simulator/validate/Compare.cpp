#include "test/simulator/validate/Compare.h"

#include "backend/simulator/numerics/Approximate.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace tile::sim::validate {

using numerics::ApproximationBound;
using numerics::ErrorMeasure;
using numerics::Format;

constexpr size_t kMostShown = 4;

static uint64_t elementOf(const Bytes &bytes, size_t offset, unsigned size) {
  uint64_t bits = 0;
  std::memcpy(&bits, &bytes[offset], size);
  return bits;
}

static const Format &formatOf(const std::string &bound) {
  std::string type = bound.substr(bound.rfind('.') + 1);
  for (const Format *format : {&numerics::kF16, &numerics::kBF16, &numerics::kF64})
    if (type == format->name)
      return *format;
  return numerics::kF32;
}

/// The operand that a bound speaks of: the last one.
static double operandOf(const Kernel &kernel, const Format &format, size_t index) {
  size_t last = kernel.inputs.size() - 1;
  unsigned size = kernel.operandBytes[last];
  return numerics::decode(format, elementOf(kernel.inputs[last], index * size, size));
}

/// The error in units of the bound; 0 where there is none.
static double errorOf(const std::string &name, double operand, const Format &format, double expected, double found) {
  if (expected == found || (std::isnan(expected) && std::isnan(found)))
    return 0;
  double magnitude = std::fabs(operand);
  for (const ApproximationBound &row : numerics::kApproximationBounds) {
    bool isIn = magnitude > row.from && magnitude <= row.to;
    if (row.instruction != name || !(isIn || (magnitude == 0 && row.from == 0)))
      continue;
    int exponent = std::max(expected != 0 ? std::ilogb(expected) : format.minExponent(), format.minExponent());
    double unit = std::ldexp(1.0, exponent - format.fractionBits), error = std::fabs(expected - found);
    double allowed = row.measure == ErrorMeasure::Ulp        ? row.bound * unit
                     : row.measure == ErrorMeasure::Relative ? row.bound * std::fabs(expected)
                                                             : row.bound;
    allowed += unit / 2;
    if (exponent == format.minExponent()) // a subnormal result is cut off
      allowed = std::max(allowed, unit);
    return std::isfinite(error) ? error / allowed : HUGE_VAL;
  }
  return std::isnan(operand) ? HUGE_VAL : 0;
}

static std::string describe(const Kernel &kernel, size_t index, uint64_t simulated, uint64_t real) {
  std::string text = "element " + std::to_string(index) + ":";
  char buffer[64];
  for (size_t i = 0; i < kernel.operandBytes.size(); ++i) {
    unsigned size = kernel.operandBytes[i];
    std::snprintf(buffer, sizeof(buffer), " %" PRIx64, elementOf(kernel.inputs[i], index * size, size));
    text += buffer;
  }
  std::snprintf(buffer, sizeof(buffer), " gives %" PRIx64 ", simulated %" PRIx64, real, simulated);
  return text + buffer;
}

Difference compare(const Kernel &kernel, const Result &result, const Bytes &simulated, const Bytes &real) {
  Difference difference;
  difference.elements = result.count;
  unsigned size = result.elementBytes;
  for (size_t i = 0; i < result.count; ++i) {
    size_t offset = result.offset + i * size;
    if (std::memcmp(&simulated[offset], &real[offset], size) == 0)
      continue;
    uint64_t expected = elementOf(simulated, offset, size), found = elementOf(real, offset, size);
    ++difference.differing;
    bool show = result.bound.empty();
    if (!result.bound.empty()) {
      const Format &format = formatOf(result.bound);
      double error = errorOf(result.bound, operandOf(kernel, format, i), format, numerics::decode(format, expected),
                             numerics::decode(format, found));
      show = error > 1;
      difference.beyond += error > 1;
      difference.largest = std::max(difference.largest, error);
    }
    if (show && difference.some.size() < kMostShown)
      difference.some.push_back(describe(kernel, i, expected, found));
  }
  return difference;
}

} // namespace tile::sim::validate
