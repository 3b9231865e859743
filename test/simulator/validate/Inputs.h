/// \file
/// Values that instructions are tried on: those where formats end, all pairs of them, and random ones of several kinds.
/// The same on every machine.
#ifndef TEST_SIMULATOR_VALIDATE_INPUTS_H
#define TEST_SIMULATOR_VALIDATE_INPUTS_H

#include "backend/simulator/numerics/Format.h"
#include "test/simulator/validate/Sweep.h"

namespace tile::sim::validate {

using numerics::Format;
using Values = std::vector<uint64_t>; ///< bits, in the low end

/// splitmix64.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    state += 0x9e3779b97f4a7c15;
    uint64_t z = state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  uint64_t below(uint64_t end) { return next() % end; }

private:
  uint64_t state;
};

/// Zeros, the ends of subnormal, normal and finite numbers, infinities, NaNs with and without the quiet bit, numbers
/// about 1, halves and the powers of two where integers begin to have gaps; of both signs.
Values specialsOf(const Format &format);
/// Ends of the ranges of 8 to 64 bits, and what is beside them.
Values specialIntegers(unsigned bytes);

/// Kinds of random numbers that arithmetic treats differently.
enum class Kind : uint8_t {
  Bits,     ///< any pattern
  Moderate, ///< exponents about 0
  Specials,
  Tiny,  ///< about the smallest normal number
  Wide,  ///< finite, of any exponent
  Mixed, ///< moderate, one in 64 special
  Whole, ///< small integers
  Zero,
  Small, ///< exponents about -8: with a tiny factor every product is subnormal
};
constexpr unsigned kKinds = 8; ///< but for `Small`
uint64_t randomFloat(Random &random, const Format &format, Kind kind);

/// Columns of operands, all of one length: every combination of specials (of at most `most` rows), then `count` rows of
/// random ones. `formats`: null for an integer of `bytes`.
struct OperandType {
  const Format *format;
  unsigned bytes;
};
std::vector<Values> operandColumns(const std::vector<OperandType> &types, size_t most, size_t count, uint64_t seed);

/// Elements of `bytes` bytes each.
Bytes pack(const Values &values, unsigned bytes);

} // namespace tile::sim::validate

#endif // TEST_SIMULATOR_VALIDATE_INPUTS_H
