#include "test/simulator/validate/Inputs.h"

#include <algorithm>
#include <cstring>

namespace tile::sim::validate {

Values specialsOf(const Format &format) {
  int fraction = format.fractionBits;
  uint64_t one = uint64_t(format.bias) << fraction, unit = uint64_t(1) << fraction, infinity = format.infinity();
  Values magnitudes = {0,
                       1,
                       2,
                       unit / 2,
                       unit - 1,
                       unit,
                       unit + 1,
                       2 * unit - 1,
                       2 * unit,
                       one - unit,
                       one - unit + 1,
                       one - 1,
                       one,
                       one + 1,
                       one + unit / 2,
                       one + unit + unit / 4,
                       one + unit + unit / 2 + unit / 4,
                       one + uint64_t(fraction) * unit,
                       one + uint64_t(fraction + 1) * unit - 1,
                       one + uint64_t(fraction + 1) * unit + 1,
                       one + 7 * unit,
                       format.maxFinite() - 1,
                       format.maxFinite()};
  if (format.top == numerics::Top::InfinityAndNaN)
    for (uint64_t fractionOfNaN : {uint64_t(0), uint64_t(1), unit / 2 - 1, unit / 2, unit / 2 + 1, unit - 1})
      magnitudes.push_back(infinity | fractionOfNaN);
  else
    magnitudes.push_back(format.magnitudeMask());
  // Where f32 numbers meet the ends of integers and of narrower formats.
  if (fraction >= 23)
    for (int exponent : {-150, -149, -133, -127, -126, -25, -24, -15, -14, -9, 8, 15, 16, 31, 32, 63, 64, 127})
      for (int step : {-1, 0, 1})
        if (int64_t bits = int64_t(one) + int64_t(exponent) * int64_t(unit) + step;
            bits > 0 && bits < int64_t(infinity))
          magnitudes.push_back(uint64_t(bits));
  Values all;
  for (uint64_t magnitude : magnitudes)
    for (uint64_t sign : {uint64_t(0), format.signBit()})
      all.push_back((magnitude | sign) << format.padding);
  return all;
}

Values specialIntegers(unsigned bytes) {
  Values all;
  uint64_t mask = bytes == 8 ? ~uint64_t(0) : (uint64_t(1) << 8 * bytes) - 1;
  for (unsigned bit : {0u, 3u, 7u, 8u, 15u, 16u, 23u, 24u, 31u, 32u, 63u})
    if (bit < 8 * bytes)
      for (int64_t step : {-1, 0, 1})
        for (uint64_t sign : {uint64_t(0), ~uint64_t(0)})
          all.push_back((((uint64_t(1) << bit) + uint64_t(step)) ^ sign) & mask);
  all.push_back(0x5555555555555555 & mask);
  all.push_back(0x0123456789abcdef & mask);
  return all;
}

uint64_t randomFloat(Random &random, const Format &format, Kind kind) {
  uint64_t bits = random.next(), sign = bits >> 63 ? format.signBit() : 0;
  int fraction = format.fractionBits;
  uint64_t low = bits & ((uint64_t(1) << fraction) - 1), padding = (uint64_t(1) << format.padding) - 1;
  auto with = [&](int64_t exponent) { return (uint64_t(exponent) << fraction | low | sign) << format.padding; };
  auto limited = [&](uint64_t magnitude) {
    return ((magnitude > format.maxFinite() ? format.maxFinite() : magnitude) | sign) << format.padding;
  };
  int64_t top = int64_t(format.maxFinite() >> fraction);
  switch (kind) {
  case Kind::Bits:
    return bits & (((format.magnitudeMask() | format.signBit()) << format.padding) | padding);
  case Kind::Moderate:
    return with(format.bias - 3 + int64_t(random.below(6)));
  case Kind::Specials: {
    static thread_local const Format *last = nullptr;
    static thread_local Values values;
    if (last != &format) {
      values = specialsOf(format);
      last = &format;
    }
    return values[random.below(values.size())];
  }
  case Kind::Tiny:
    return with(int64_t(random.below(4)));
  case Kind::Wide:
    return limited(uint64_t(random.below(uint64_t(top) + 1)) << fraction | low);
  case Kind::Mixed:
    return randomFloat(random, format, random.below(64) ? Kind::Moderate : Kind::Specials);
  case Kind::Whole:
    return encode(format, numerics::exactInteger(int64_t(random.below(15)) - 7));
  case Kind::Zero:
    return sign << format.padding;
  case Kind::Small:
    return with(std::max<int64_t>(format.bias - 11 + int64_t(random.below(7)), 0));
  }
  return 0;
}

static Values specialsOf(const OperandType &type) {
  return type.format ? specialsOf(*type.format) : specialIntegers(type.bytes);
}

std::vector<Values> operandColumns(const std::vector<OperandType> &types, size_t most, size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<Values> specials, columns(types.size());
  size_t all = 1;
  for (const OperandType &type : types) {
    specials.push_back(specialsOf(type));
    all *= specials.back().size();
  }
  // Every combination, or a random choice of them.
  for (size_t row = 0; row < std::min(all, most); ++row) {
    size_t rest = all <= most ? row : size_t(random.below(all));
    for (size_t i = 0; i < types.size(); ++i) {
      columns[i].push_back(specials[i][rest % specials[i].size()]);
      rest /= specials[i].size();
    }
  }
  for (size_t row = 0; row < count; ++row)
    for (size_t i = 0; i < types.size(); ++i) {
      Kind kind = Kind(random.below(6));
      uint64_t bits = random.next();
      if (types[i].format)
        bits = randomFloat(random, *types[i].format, kind);
      else if (types[i].bytes < 8)
        bits &= (uint64_t(1) << 8 * types[i].bytes) - 1;
      // Half of the integers are short, so that shifts and quotients are too.
      if (!types[i].format && kind < Kind::Tiny)
        bits >>= random.below(8 * types[i].bytes);
      columns[i].push_back(bits);
    }
  return columns;
}

Bytes pack(const Values &values, unsigned bytes) {
  Bytes packed(values.size() * bytes);
  for (size_t i = 0; i < values.size(); ++i)
    std::memcpy(&packed[i * bytes], &values[i], bytes);
  return packed;
}

} // namespace tile::sim::validate
