#include "test/simulator/validate/Matrices.h"

#include <cstring>

namespace tile::sim::validate {

namespace {
struct TypeRow {
  const char *name;
  unsigned bytes;
  const Format *format; ///< null for an integer
};
} // namespace

static constexpr TypeRow kTypes[] = {
    {"bf16", 2, &numerics::kBF16},
    {"e4m3", 1, &numerics::kE4M3},
    {"e5m2", 1, &numerics::kE5M2},
    {"f16", 2, &numerics::kF16},
    {"f32", 4, &numerics::kF32},
    {"f64", 8, &numerics::kF64},
    {"s32", 4, nullptr},
    {"s8", 1, nullptr},
    {"tf32", 4, &numerics::kF32},
    {"u8", 1, nullptr},
    {"b1", 1, nullptr}, // eight of them
};

static const TypeRow &rowOf(const std::string &name) {
  for (const TypeRow &row : kTypes)
    if (name == row.name)
      return row;
  return kTypes[0];
}

unsigned elementBytes(const std::string &type) { return rowOf(type).bytes; }

/// Of s32 the kinds are sizes: the sums of the largest overflow.
static uint64_t randomInteger(Random &random, unsigned bytes, Kind kind) {
  uint64_t bits = random.next();
  if (kind == Kind::Zero)
    return 0;
  if (bytes == 1)
    return kind == Kind::Specials ? (bits & 1 ? 0x80 : 0x7f) : bits & 0xff;
  if (kind == Kind::Specials)
    return (bits & 1 ? 0x7fffffff : 0x80000000) ^ (bits >> 8 & 0xffff);
  return kind == Kind::Bits ? bits & 0xffffffff : uint32_t(int32_t(bits >> 32) >> 16);
}

Bytes randomMatrix(Random &random, const std::string &type, size_t count, Kind kind) {
  const TypeRow &row = rowOf(type);
  Bytes matrix(count * row.bytes);
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits = row.format ? randomFloat(random, *row.format, kind) : randomInteger(random, row.bytes, kind);
    std::memcpy(&matrix[i * row.bytes], &bits, row.bytes);
  }
  return matrix;
}

std::string registerList(const std::string &prefix, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + prefix + std::to_string(i);
  return text + "}";
}

static std::string moveFragments(const std::string &prefix, unsigned count, unsigned wordBytes,
                                 const std::string &pointer, bool isStore) {
  std::string bytes = std::to_string(wordBytes), type = ".b" + std::to_string(8 * wordBytes) + " ";
  std::string text = "mad.lo.u32 %r4, %r2, " + std::to_string(32 * count) + ", %r3;\nmad.wide.u32 %d0, %r4, " + bytes +
                     ", " + pointer + ";\n";
  for (unsigned i = 0; i < count; ++i) {
    std::string place = "[%d0+" + std::to_string(i * 32 * wordBytes) + "]", name = prefix + std::to_string(i);
    text += (isStore ? "st.global" + type + place + ", " + name : "ld.global" + type + name + ", " + place) + ";\n";
  }
  return text;
}

std::string loadFragments(const std::string &prefix, unsigned count, unsigned wordBytes, unsigned pointer) {
  return moveFragments(prefix, count, wordBytes, "%d" + std::to_string(pointer), false);
}
std::string storeFragments(const std::string &prefix, unsigned count, unsigned wordBytes, const std::string &pointer) {
  return moveFragments(prefix, count, wordBytes, pointer, true);
}

} // namespace tile::sim::validate
