// Matrix instructions of a warpgroup: layouts and types.
#include "test/unit/simulator/machine/WgmmaKernels.h"

namespace tile::sim::test {

TEST(Wgmma, EveryLayoutOfBothOperands) {
  for (unsigned widthA : {1, 2, 4, 8})
    for (unsigned widthB : {1, 2, 4, 8})
      for (unsigned majors = 0; majors < 4; ++majors) {
        Product wanted;
        wanted.a = {widthA, (majors & 1) != 0};
        wanted.b = {widthB, (majors & 2) != 0};
        std::string what = std::to_string(widthA) + ", " + std::to_string(widthB) + ", " + std::to_string(majors);
        KernelRun run = wanted.kernel();
        EXPECT_EQ(summary(run.run()), "") << what;
        expectProduct(run, what);
      }
}

TEST(Wgmma, AInRegisters) {
  for (unsigned width : {1, 2, 4, 8})
    for (bool isNMajor : {false, true}) {
      Product wanted;
      wanted.aInRegisters = true;
      wanted.b = {width, isNMajor};
      KernelRun run = wanted.kernel();
      EXPECT_EQ(summary(run.run()), "");
      expectProduct(run, std::to_string(width) + ", " + std::to_string(isNMajor));
    }
}

TEST(Wgmma, APatternMayStartAtAnyRowOf128Bytes) {
  for (unsigned width : {2, 4, 8})
    for (unsigned rows = 0; rows < 8; ++rows)
      for (bool isMnMajor : {false, true}) {
        Product wanted;
        wanted.a = wanted.b = {width, isMnMajor};
        wanted.firstRow = rows;
        KernelRun run = wanted.kernel();
        EXPECT_EQ(summary(run.run()), "");
        expectProduct(run, std::to_string(width) + ", " + std::to_string(rows) + ", " + std::to_string(isMnMajor));
      }
}

namespace {
struct TypeCase {
  std::string accumulator, a, b;
  unsigned bytes;
  std::function<uint32_t(int)> encodeA, encodeB;
};
} // namespace

static uint32_t single(int value) {
  float wide = float(value);
  uint32_t bits;
  std::memcpy(&bits, &wide, sizeof(bits));
  return bits;
}
static uint32_t bfloat(int value) { return single(value) >> 16; }
static uint32_t e4m3(int value) {
  static constexpr uint8_t kBits[] = {0x00, 0x38, 0x40, 0x44, 0x48};
  return uint32_t(value < 0 ? 0x80 : 0) | kBits[std::abs(value)];
}
static uint32_t e5m2(int value) {
  static constexpr uint8_t kBits[] = {0x00, 0x3c, 0x40, 0x42, 0x44};
  return uint32_t(value < 0 ? 0x80 : 0) | kBits[std::abs(value)];
}
static uint32_t byte(int value) { return uint8_t(value); }
/// What a u8 can hold.
static uint32_t magnitude(int value) { return uint32_t(std::abs(value)); }

/// One instruction m64n24 with 32 bytes along K, accumulated onto 1, both operands in the 32-byte swizzle.
static KernelRun oneInstruction(const TypeCase &types, bool aInRegisters, const std::string &immediates) {
  unsigned depth = 32 / types.bytes, columns = 24;
  bool narrow = types.accumulator == "f16", isInteger = types.accumulator == "s32", isOfBits = types.a == "b1";
  unsigned accumulators = columns / (narrow ? 4 : 2);
  std::string one = narrow ? "0x3C003C00" : isInteger ? "1" : "0x3F800000";
  std::string body = R"(
    mov.u32 %r0, %tid.x;
    mov.u32 %r11, buffer;
    mad.lo.u32 %r10, %r0, 16, %r11;
    mul.wide.u32 %d1, %r0, 16;
    add.s64 %d2, %d50, %d1;
    ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d2];
    st.shared.v4.u32 [%r10], {%r1, %r2, %r3, %r4};
    ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d2+2048];
    st.shared.v4.u32 [%r10+2048], {%r1, %r2, %r3, %r4};
    add.s64 %d3, %d51, %d1;
    ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d3];
    fence.proxy.async;
    bar.sync 0;
    cvt.u64.u32 %d9, %r11;
    shr.u64 %d9, %d9, 4;
)";
  body += "add.s64 %d10, %d9, " + std::to_string(int64_t(descriptor(0, 16, 256, 2))) + ";\nadd.s64 %d11, %d10, 128;\n";
  for (unsigned i = 0; i < accumulators; ++i)
    body += "mov.b32 %acc" + std::to_string(i) + ", " + one + ";\n";
  body += "setp.eq.u32 %p2, %r0, %r0;\nwgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n24k" +
          std::to_string(isOfBits ? 8 * depth : depth) + "." + types.accumulator + "." + types.a + "." + types.b +
          (isOfBits ? ".and.popc " : " ") + list("%acc", accumulators) + ", " +
          (aInRegisters ? "{%r1, %r2, %r3, %r4}" : "%d10") + ", %d11, %p2" + immediates +
          ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
          "mul.wide.u32 %d4, %r0, " +
          std::to_string(4 * accumulators) + ";\nadd.s64 %d4, %d52, %d4;\n";
  for (unsigned i = 0; i < accumulators; ++i)
    body += "st.global.b32 [%d4+" + std::to_string(4 * i) + "], %acc" + std::to_string(i) + ";\n";
  KernelRun run(body, ".shared .align 1024 .b8 buffer[4096];\n.reg .b32 %acc<16>;");
  run.block = {128, 1, 1};

  std::vector<uint8_t> image(4096), fragments(2048);
  auto put = [&](std::vector<uint8_t> &to, unsigned at, uint32_t bits) { std::memcpy(&to[at], &bits, types.bytes); };
  auto place = [](unsigned at) { return at ^ (at >> 7 & 1) << 4; };
  for (unsigned k = 0; k < depth; ++k) {
    for (unsigned row = 0; row < 64; ++row)
      put(image, place(row * 32 + k * types.bytes), types.encodeA(valueOfA(row, k)));
    for (unsigned column = 0; column < columns; ++column)
      put(image, 2048 + place(column * 32 + k * types.bytes), types.encodeB(valueOfB(column, k)));
  }
  // Elements lie in registers as in the figures 148, 150 and 152: 32 bits of a row for each of four lanes.
  unsigned pack = 4 / types.bytes;
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned j = 0; j < pack; ++j) {
        unsigned row = thread / 32 * 16 + thread % 32 / 4 + i % 2 * 8, k = (thread % 4 + i / 2 * 4) * pack + j;
        put(fragments, thread * 16 + i * 4 + j * types.bytes, types.encodeA(valueOfA(row, k)));
      }
  run.add(image);
  run.add(fragments);
  run.addOutput<uint32_t>(128 * accumulators);
  return run;
}

static double resultOf(const KernelRun &run, const TypeCase &types, unsigned thread, unsigned i) {
  if (types.accumulator == "f16") {
    uint16_t bits = run.get<uint16_t>(2)[thread * 12 + i];
    _Float16 value;
    std::memcpy(&value, &bits, sizeof(value));
    return double(value);
  }
  if (types.accumulator == "s32")
    return run.get<int32_t>(2)[thread * 12 + i];
  return double(run.get<float>(2)[thread * 12 + i]);
}

TEST(Wgmma, EveryType) {
  auto half32 = [](int value) { return uint32_t(half(value)); };
  const TypeCase cases[] = {
      {"f32", "f16", "f16", 2, half32, half32},   {"f16", "f16", "f16", 2, half32, half32},
      {"f32", "bf16", "bf16", 2, bfloat, bfloat}, {"f32", "tf32", "tf32", 4, single, single},
      {"f32", "e4m3", "e4m3", 1, e4m3, e4m3},     {"f32", "e4m3", "e5m2", 1, e4m3, e5m2},
      {"f32", "e5m2", "e4m3", 1, e5m2, e4m3},     {"f16", "e5m2", "e5m2", 1, e5m2, e5m2},
      {"s32", "s8", "s8", 1, byte, byte},         {"s32", "u8", "s8", 1, magnitude, byte},
      {"s32", "s8", "u8", 1, byte, magnitude},    {"s32", "u8", "u8", 1, magnitude, magnitude},
  };
  for (const TypeCase &types : cases)
    for (bool aInRegisters : {false, true})
      for (int sign : {1, -1}) {
        bool isInteger = types.accumulator == "s32";
        if (isInteger && sign < 0)
          continue;
        std::string immediates;
        if (!isInteger)
          immediates = ", " + std::to_string(sign) + ", 1";
        if (types.bytes == 2)
          immediates += aInRegisters ? ", 0" : ", 0, 0";
        KernelRun run = oneInstruction(types, aInRegisters, immediates);
        std::string what = types.accumulator + types.a + types.b + immediates;
        EXPECT_EQ(summary(run.run()), "") << what;
        unsigned wrong = 0;
        for (unsigned thread = 0; thread < 128; ++thread)
          for (unsigned i = 0; i < 12; ++i) {
            unsigned index = indexOfAccumulator(thread, i, 24), row = index / 24, column = index % 24;
            double sum = 1;
            for (unsigned k = 0; k < 32 / types.bytes; ++k) {
              int x = valueOfA(row, k), y = valueOfB(column, k);
              sum += double(sign * (types.a == "u8" ? std::abs(x) : x) * (types.b == "u8" ? std::abs(y) : y));
            }
            wrong += resultOf(run, types, thread, i) != sum;
          }
        EXPECT_EQ(wrong, 0u) << what;
      }
}

TEST(Wgmma, Bits) {
  auto bits = [](int value) { return uint32_t(uint8_t(value * 37 + 11)); };
  for (bool aInRegisters : {false, true}) {
    TypeCase types{"s32", "b1", "b1", 1, bits, bits};
    KernelRun run = oneInstruction(types, aInRegisters, "");
    EXPECT_EQ(summary(run.run()), "");
    unsigned wrong = 0;
    for (unsigned thread = 0; thread < 128; ++thread)
      for (unsigned i = 0; i < 12; ++i) {
        unsigned index = indexOfAccumulator(thread, i, 24), row = index / 24, column = index % 24;
        int sum = 1;
        for (unsigned byte = 0; byte < 32; ++byte)
          for (uint32_t both = bits(valueOfA(row, byte)) & bits(valueOfB(column, byte)); both; both &= both - 1)
            ++sum;
        wrong += resultOf(run, types, thread, i) != sum;
      }
    EXPECT_EQ(wrong, 0u) << aInRegisters;
  }
}

TEST(Wgmma, OtherFormsAreRefused) {
  auto refusal = [](const std::string &accumulator, const std::string &a, unsigned bytes,
                    const std::string &immediates) {
    auto none = [](int) { return 0u; };
    return oneInstruction({accumulator, a, a, bytes, none, none}, false, immediates).refusal().message;
  };
  EXPECT_EQ(refusal("f16", "bf16", 2, ", 1, 1, 0, 0"),
            "`wgmma.mma_async.sync.aligned.m64n24k16.f16.bf16.bf16`: this shape and these types are not known");
  EXPECT_EQ(refusal("f32", "f16", 4, ", 1, 1, 0, 0"),
            "`wgmma.mma_async.sync.aligned.m64n24k8.f32.f16.f16`: this shape and these types are not known");
  EXPECT_EQ(refusal("f32", "f16", 2, ", 1, 2, 0, 0"),
            "`wgmma.mma_async.sync.aligned.m64n24k16.f32.f16.f16`: `imm-scale-b` is not 1 or -1");
  EXPECT_EQ(refusal("f32", "tf32", 4, ", 1, 1, 0, 0"),
            "`wgmma.mma_async.sync.aligned.m64n24k8.f32.tf32.tf32`: it has 8 operands; expected 6");
}

} // namespace tile::sim::test
