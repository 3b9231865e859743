// The table of element types, and rounding to any of the float formats by one routine.
//
// Formats are described by exponent and mantissa widths, so f16, bf16, f8 and f32 share the code; f64 is copied.

#include "runtime/artifact/DataType.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace tile {
namespace {

enum class Class : uint8_t { Bool, Signed, Unsigned, Float };

struct Row {
  const char *name;
  uint8_t bytes;
  Class kind;
  uint8_t exponentBits;
  uint8_t mantissaBits;
};

// In the order of `DataType`.
constexpr Row kRows[] = {
    {"bool", 1, Class::Bool, 0, 0},    {"i8", 1, Class::Signed, 0, 0},    {"i16", 2, Class::Signed, 0, 0},
    {"i32", 4, Class::Signed, 0, 0},   {"i64", 8, Class::Signed, 0, 0},   {"u8", 1, Class::Unsigned, 0, 0},
    {"u16", 2, Class::Unsigned, 0, 0}, {"u32", 4, Class::Unsigned, 0, 0}, {"u64", 8, Class::Unsigned, 0, 0},
    {"f16", 2, Class::Float, 5, 10},   {"bf16", 2, Class::Float, 8, 7},   {"f32", 4, Class::Float, 8, 23},
    {"f64", 8, Class::Float, 11, 52},  {"f8e4m3", 1, Class::Float, 4, 3}, {"f8e5m2", 1, Class::Float, 5, 2},
    {"index", 8, Class::Signed, 0, 0},
};

const Row &row(DataType type) { return kRows[static_cast<size_t>(type)]; }

/// f8e4m3 is the "finite" format: its top exponent holds numbers, and only the all-ones mantissa is NaN.
bool isFinite(DataType type) { return type == DataType::F8E4M3; }

} // namespace

const char *getName(DataType type) { return row(type).name; }

std::optional<DataType> findDataType(std::string_view name) {
  for (size_t i = 0; i < std::size(kRows); ++i)
    if (name == kRows[i].name)
      return static_cast<DataType>(i);
  return std::nullopt;
}

std::string listDataTypes() {
  std::string names;
  for (const Row &each : kRows)
    names += (names.empty() ? "" : " ") + std::string(each.name);
  return names;
}

std::string listTensorTypes() {
  std::string names;
  for (size_t i = 0; i < std::size(kRows); ++i)
    if (static_cast<DataType>(i) != DataType::Index)
      names += (names.empty() ? "" : " ") + std::string(kRows[i].name);
  return names;
}

int64_t getBytes(DataType type) { return row(type).bytes; }
int getMantissaBits(DataType type) { return row(type).mantissaBits; }
bool isFloat(DataType type) { return row(type).kind == Class::Float; }
bool isSignedInteger(DataType type) { return row(type).kind == Class::Signed; }

uint64_t roundToBits(DataType type, double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if (type == DataType::F64)
    return bits;
  const Row &format = row(type);
  int mantissa = format.mantissaBits;
  int bias = (1 << (format.exponentBits - 1)) - 1;
  uint64_t sign = (bits >> 63) << (mantissa + format.exponentBits);
  uint64_t top = ((uint64_t(1) << format.exponentBits) - 1) << mantissa;
  // What everything too large becomes.
  uint64_t largest = isFinite(type) ? top + (uint64_t(1) << mantissa) - 2 : type == DataType::F8E5M2 ? top - 1 : top;
  if (std::isnan(value))
    return sign | (isFinite(type) ? largest + 1 : top | (uint64_t(1) << (mantissa - 1)));
  if (std::isinf(value))
    return sign | largest;
  if (value == 0)
    return sign;

  // value = significand * 2^(exponent - 52), the significand with its leading bit at position 52.
  int exponent;
  uint64_t significand = static_cast<uint64_t>(std::ldexp(std::frexp(std::fabs(value), &exponent), 53));
  exponent -= 1;
  // Below the smallest normal exponent, bits are dropped instead of the exponent lowered: subnormals.
  int lowest = 1 - bias;
  int dropped = 52 - mantissa + (exponent < lowest ? lowest - exponent : 0);
  if (dropped > 54)
    return sign;
  uint64_t kept = significand >> dropped;
  uint64_t rest = significand & ((uint64_t(1) << dropped) - 1);
  uint64_t half = uint64_t(1) << (dropped - 1);
  kept += rest > half || (rest == half && (kept & 1)) ? 1 : 0;
  // The hidden bit, and a carry out of the mantissa, add into the exponent field by themselves.
  int64_t biased = exponent < lowest ? 0 : exponent + bias - 1;
  uint64_t magnitude = (uint64_t(biased) << mantissa) + kept;
  return sign | (magnitude > largest ? largest : magnitude);
}

uint64_t encode(DataType type, double value) {
  uint64_t bits = roundToBits(type, value);
  return type == DataType::F8E5M2 && std::isinf(value) ? bits + 1 : bits; // the one that follows the largest number
}

double fromBits(DataType type, uint64_t bits) {
  if (type == DataType::F64) {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  const Row &format = row(type);
  int mantissaBits = format.mantissaBits;
  uint64_t mantissa = bits & ((uint64_t(1) << mantissaBits) - 1);
  int allOnes = (1 << format.exponentBits) - 1;
  int exponent = static_cast<int>(bits >> mantissaBits) & allOnes;
  bool negative = (bits >> (mantissaBits + format.exponentBits)) & 1;
  double magnitude;
  bool isNan = isFinite(type) ? exponent == allOnes && mantissa == (uint64_t(1) << mantissaBits) - 1
                              : exponent == allOnes && mantissa != 0;
  if (isNan)
    magnitude = std::numeric_limits<double>::quiet_NaN();
  else if (exponent == allOnes && !isFinite(type))
    magnitude = std::numeric_limits<double>::infinity();
  else {
    uint64_t hidden = exponent == 0 ? 0 : uint64_t(1) << mantissaBits;
    int bias = (1 << (format.exponentBits - 1)) - 1;
    int scale = (exponent == 0 ? 1 : exponent) - bias - mantissaBits;
    magnitude = std::ldexp(static_cast<double>(mantissa | hidden), scale);
  }
  return negative ? -magnitude : magnitude;
}

bool holdsInteger(DataType type, int64_t value, bool isUnsigned) {
  const Row &format = row(type);
  int bits = format.kind == Class::Bool ? 1 : format.bytes * 8;
  bool wide = isUnsigned && value < 0; // An u64 of 2^63 or more.
  if (format.kind == Class::Signed)
    return !wide && (bits == 64 || (value >= -(int64_t(1) << (bits - 1)) && value < int64_t(1) << (bits - 1)));
  if (wide || value < 0)
    return wide && bits == 64;
  return bits == 64 || value < int64_t(1) << bits;
}

} // namespace tile
