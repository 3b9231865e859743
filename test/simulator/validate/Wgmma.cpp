// `wgmma.mma_async`: every pair of types, widths of N, swizzles, majors, negation, and descriptors whose pattern starts
// anywhere. What a descriptor says is data of the kernel: each CTA multiplies by a configuration of its own, out of
// shared memory that is random throughout, so that any address of a descriptor is as good as another.
#include "test/simulator/validate/Matrices.h"

namespace tile::sim::validate {

namespace {
struct WgmmaRow {
  const char *d, *a, *b;
};

/// One kernel's instruction.
struct Multiply {
  WgmmaRow types;
  unsigned n = 64;
  bool aInRegisters = false, aIsMajorInM = false, bIsMajorInN = false, negatesA = false, negatesB = false,
       saturates = false;
};

/// What a CTA multiplies: which image of shared memory, which descriptors, from the start of the buffer.
struct Configuration {
  uint32_t image = 0, accumulates = 1;
  uint64_t a = 0, b = 0;
  Kind kindOfC = Kind::Moderate, kindOfA = Kind::Moderate;
};
} // namespace

static constexpr WgmmaRow kRows[] = {
    {"f32", "f16", "f16"},   {"f16", "f16", "f16"},   {"f32", "bf16", "bf16"}, {"f32", "tf32", "tf32"},
    {"f32", "e4m3", "e4m3"}, {"f32", "e4m3", "e5m2"}, {"f32", "e5m2", "e4m3"}, {"f32", "e5m2", "e5m2"},
    {"f16", "e4m3", "e4m3"}, {"f16", "e4m3", "e5m2"}, {"f16", "e5m2", "e4m3"}, {"f16", "e5m2", "e5m2"},
    {"s32", "s8", "s8"},     {"s32", "s8", "u8"},     {"s32", "u8", "s8"},     {"s32", "u8", "u8"},
    {"s32", "b1", "b1"},
};
constexpr unsigned kImageBytes = 49152, kStartOfB = 16384, kKindsOfA = 7, kImages = 2 * kKindsOfA + 1;

/// Bits of a descriptor; everything in bytes but the base offset.
static uint64_t describe(uint64_t start, uint64_t leading, uint64_t stride, uint64_t baseOffset, uint64_t mode) {
  return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | baseOffset << 49 | mode << 62;
}

/// The densest layout of an operand with `rows` of M or N, and one with gaps. `mode`: as in the descriptor.
struct Strides {
  uint64_t leading, stride, extent;
};
static Strides stridesOf(unsigned mode, bool isMnMajor, unsigned rows, unsigned gap) {
  static constexpr unsigned kWidths[] = {1, 8, 4, 2}; // chunks of 16 bytes
  uint64_t width = kWidths[mode], atom = 128 * width + gap, chunks = rows / 8;
  if (!isMnMajor && width == 1)
    return {atom * chunks, atom, atom * chunks * 2};
  if (!isMnMajor)
    return {16, atom, atom * chunks};
  if (width == 1) // two steps of eight along K
    return {atom * chunks, atom, 2 * atom * chunks};
  uint64_t blocks = (chunks + width - 1) / width;
  return {2 * atom, atom, 2 * atom * blocks};
}

/// Every swizzle, dense and with gaps, with patterns and base offsets that start at each of eight rows of 128 bytes,
/// and with starts inside a row.
static std::vector<Configuration> addressings(const Multiply &multiply) {
  std::vector<Configuration> all;
  for (unsigned mode = 0; mode < 4; ++mode)
    for (unsigned gap : {0u, 128u, 1024u})
      for (unsigned row = 0; row < 8; ++row)
        for (unsigned kind = 0; kind < 3; ++kind) {
          // The start moves with the base offset, or alone, or the base offset alone; or by chunks of a row.
          uint64_t start = kind == 0 ? row * 128 : kind == 1 ? row * 16 : 0, base = kind == 0 || kind == 2 ? row : 0;
          if ((kind && !row) || (kind == 2 && gap))
            continue;
          Strides a = stridesOf(mode, multiply.aIsMajorInM, 64, gap);
          Strides b = stridesOf(mode, multiply.bIsMajorInN, multiply.n, gap);
          if (a.extent + 2048 > kStartOfB || b.extent + 2048 > kImageBytes - kStartOfB)
            continue;
          Configuration configuration;
          configuration.image = 1;
          configuration.a = describe(start, a.leading, a.stride, base, mode);
          configuration.b = describe(kStartOfB + start, b.leading, b.stride, base, mode);
          all.push_back(configuration);
        }
  return all;
}

/// In the second half of the images B is of another kind than A; in the last one every product is tiny.
static Kind kindOf(unsigned image, bool isA) {
  if (image == kImages - 1)
    return isA ? Kind::Tiny : Kind::Small;
  return Kind((isA ? image : image + image / kKindsOfA * 2) % kKindsOfA);
}

/// All kinds of numbers, in the densest layout.
static std::vector<Configuration> numbers(const Multiply &multiply, unsigned step) {
  std::vector<Configuration> all;
  unsigned mode = multiply.n % 64 ? 3 : 1;
  Strides a = stridesOf(mode, multiply.aIsMajorInM, 64, 0), b = stridesOf(mode, multiply.bIsMajorInN, multiply.n, 0);
  for (unsigned i = 0; i < kImages * kKinds; i += step) {
    Configuration configuration;
    configuration.image = i % kImages;
    configuration.kindOfA = kindOf(configuration.image, true);
    configuration.kindOfC = Kind(i / kImages);
    configuration.accumulates = i % 5 != 4;
    configuration.a = describe(0, a.leading, a.stride, 0, mode);
    configuration.b = describe(kStartOfB, b.leading, b.stride, 0, mode);
    all.push_back(configuration);
  }
  return all;
}

static const char *const kCopy = R"(mov.u32 %r0, %tid.x;
mov.u32 %r1, %ctaid.x;
shr.u32 %r2, %r0, 5;
mad.lo.u32 %r2, %r1, 4, %r2;
and.b32 %r3, %r0, 31;
mad.wide.u32 %d0, %r1, 32, %d100;
ld.global.v2.b32 {%r5, %r6}, [%d0];
ld.global.v2.b64 {%d10, %d11}, [%d0+16];
mov.u32 %r7, buffer;
mad.wide.u32 %d1, %r5, 49152, %d101;
mad.wide.u32 %d1, %r0, 16, %d1;
mad.lo.u32 %r8, %r0, 16, %r7;
mov.u32 %r9, 0;
again:
ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%d1];
st.shared.v4.b32 [%r8], {%r10, %r11, %r12, %r13};
add.s64 %d1, %d1, 2048;
add.u32 %r8, %r8, 2048;
add.u32 %r9, %r9, 1;
setp.lt.u32 %p1, %r9, 24;
@%p1 bra again;
cvt.u64.u32 %d12, %r7;
shr.u64 %d12, %d12, 4;
add.s64 %d10, %d10, %d12;
add.s64 %d11, %d11, %d12;
setp.ne.u32 %p1, %r6, 0;
)";

static void give(const Sink &sink, const Multiply &multiply, const std::string &what,
                 const std::vector<Configuration> &configurations) {
  const WgmmaRow &types = multiply.types;
  unsigned bytes = elementBytes(types.a), bytesOfD = elementBytes(types.d);
  unsigned registersOfD = multiply.n * 64 * bytesOfD / 4 / 128;
  bool isInteger = std::string(types.d) == "s32", isOfBits = std::string(types.a) == "b1";
  std::string instruction = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(multiply.n) + "k" +
                            std::to_string(isOfBits ? 256 : 32 / bytes) + (multiply.saturates ? ".satfinite." : ".") +
                            types.d + "." + types.a + "." + types.b + (isOfBits ? ".and.popc" : "");
  std::string form = multiply.aInRegisters ? "A in registers" : multiply.aIsMajorInM ? "A M-major" : "";
  for (auto [holds, text] : {std::pair(multiply.bIsMajorInN, "B N-major"), std::pair(multiply.negatesA, "-A"),
                             std::pair(multiply.negatesB, "-B")})
    if (holds)
      form += (form.empty() ? "" : ", ") + std::string(text);
  Kernel kernel;
  kernel.name = instruction + (form.empty() ? "" : " " + form) + " " + what;
  kernel.grid = {uint32_t(configurations.size()), 1, 1};
  kernel.declarations = ".shared .align 1024 .b8 buffer[49152];\n.reg .b32 %acc<" + std::to_string(registersOfD) +
                        ">;\n.reg .b32 %a<4>;\n";

  Values words;
  Bytes images, c, a;
  Random random(multiply.n * 131 + bytes * 17 + bytesOfD + (multiply.aInRegisters ? 1000 : 0));
  for (const Configuration &configuration : configurations) {
    words.insert(words.end(), {configuration.image | uint64_t(configuration.accumulates) << 32, 0, configuration.a,
                               configuration.b});
    Bytes ofC = randomMatrix(random, types.d, size_t(multiply.n) * 64, configuration.kindOfC);
    Bytes ofA = randomMatrix(random, types.a, 64 * 32 / bytes, configuration.kindOfA);
    c.insert(c.end(), ofC.begin(), ofC.end());
    a.insert(a.end(), ofA.begin(), ofA.end());
  }
  for (unsigned image = 0; image < kImages; ++image)
    for (auto [type, size] : {std::pair(types.a, kStartOfB), std::pair(types.b, kImageBytes - kStartOfB)}) {
      Bytes part = randomMatrix(random, type, size / bytes, kindOf(image, size == kStartOfB));
      images.insert(images.end(), part.begin(), part.end());
    }
  kernel.inputs = {pack(words, 8), std::move(images), std::move(c)};
  kernel.body = kCopy + loadFragments("%acc", registersOfD, 4, 102);
  if (multiply.aInRegisters) {
    kernel.inputs.push_back(std::move(a));
    kernel.body += loadFragments("%a", 4, 4, 103);
  }
  kernel.body += "fence.proxy.async;\nbar.sync 0;\nwgmma.fence.sync.aligned;\n" + instruction + " " +
                 registerList("%acc", registersOfD) + ", " +
                 (multiply.aInRegisters ? registerList("%a", 4) : std::string("%d10")) + ", %d11, %p1";
  if (!isInteger)
    kernel.body += std::string(multiply.negatesA ? ", -1" : ", 1") + (multiply.negatesB ? ", -1" : ", 1");
  if (bytes == 2)
    kernel.body += std::string(multiply.aInRegisters  ? ""
                               : multiply.aIsMajorInM ? ", 1"
                                                      : ", 0") +
                   (multiply.bIsMajorInN ? ", 1" : ", 0");
  kernel.body += ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
  kernel.addResult(instruction + (form.empty() ? "" : " " + form), configurations.size() * multiply.n * 64, bytesOfD);
  kernel.body += storeFragments("%acc", registersOfD, 4, kernel.outputPointer());
  sink(kernel);
}

void giveWgmma(const Sink &sink) {
  for (const WgmmaRow &types : kRows) {
    bool isInteger = std::string(types.d) == "s32", isHalf = elementBytes(types.a) == 2;
    Multiply multiply{types};
    // Each N for the first types, a selection for the others.
    for (unsigned n = 8; n <= 256; n += 8) {
      bool exists = !isInteger || n == 8 || n == 24 || n % 16 == 0;
      if (!exists || (&types != kRows && n != 8 && n != 24 && n != 96 && n != 208 && n != 256))
        continue;
      multiply.n = n;
      multiply.aInRegisters = n % 16 == 0;
      give(sink, multiply, "numbers", numbers(multiply, 15));
    }
    for (bool aInRegisters : {false, true}) {
      multiply = {types};
      multiply.aInRegisters = aInRegisters;
      give(sink, multiply, "numbers", numbers(multiply, 1));
      for (unsigned majors = 0; majors < (isHalf ? 4 : 1); ++majors) {
        multiply.aIsMajorInM = majors & 1;
        multiply.bIsMajorInN = majors & 2;
        if (!aInRegisters || (majors & 2 && !multiply.aIsMajorInM))
          give(sink, multiply, "addresses", addressings(multiply));
      }
    }
    multiply = {types};
    multiply.n = 16;
    multiply.saturates = isInteger && std::string(types.a) != "b1";
    for (unsigned signs = 1; signs < 4; ++signs) {
      multiply.negatesA = !isInteger && signs & 1;
      multiply.negatesB = !isInteger && signs & 2;
      multiply.aInRegisters = signs == 3;
      if (!isInteger || signs != 2)
        give(sink, multiply, "numbers", numbers(multiply, 3));
    }
  }
}

} // namespace tile::sim::validate
