// Matrix instructions of a warpgroup: layouts, types, and what a missing fence or wait does. All values are small
// integers, so that every order of a sum gives the same.
#include "test/unit/simulator/machine/RunPtx.h"

#include <functional>

namespace tile::sim::test {

static bool has(const RunResult &result, Fault fault) {
  for (const Finding &finding : result.findings)
    if (finding.fault == fault)
      return true;
  return false;
}

static int valueOfA(unsigned row, unsigned k) { return int(row * 7 + k * 3) % 9 - 4; }
static int valueOfB(unsigned column, unsigned k) { return int(column * 5 + k * 11) % 7 - 3; }

static std::vector<double> product(unsigned rows, unsigned columns, unsigned depth) {
  std::vector<double> sums(rows * columns);
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < columns; ++column)
      for (unsigned k = 0; k < depth; ++k)
        sums[row * columns + column] += double(valueOfA(row, k)) * valueOfB(column, k);
  return sums;
}

static uint16_t half(int value) {
  _Float16 narrow = _Float16(value);
  uint16_t bits;
  std::memcpy(&bits, &narrow, sizeof(bits));
  return bits;
}

/// Where a thread's accumulator `i` of 32 bits lies. (PTX ISA 9.0, figure 149)
static unsigned indexOfAccumulator(unsigned thread, unsigned i, unsigned columns) {
  unsigned row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
  return row * columns + i / 4 * 8 + thread % 4 * 2 + i % 2;
}

static std::string list(const std::string &name, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + name + std::to_string(i);
  return text + "}";
}

static uint64_t descriptor(uint64_t start, uint64_t leading, uint64_t stride, unsigned width) {
  static constexpr uint64_t kModes[] = {0, 0, 3, 0, 2, 0, 0, 0, 1};
  return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | kModes[width] << 62;
}

namespace {
/// An operand of 64 rows of M or N and 64 of K, of f16, in one of the canonical layouts. `width`: of the swizzle, in
/// chunks of 16 bytes.
struct Layout {
  unsigned width = 8;
  bool isMnMajor = false;

  /// Byte of an element, from a multiple of 1024.
  unsigned place(unsigned row, unsigned k) const {
    unsigned atom = width * 128, bytes;
    if (isMnMajor) {
      unsigned chunk = row / 8;
      bytes = chunk / width * 8 * atom + k / 8 * atom + k % 8 * width * 16 + chunk % width * 16 + row % 8 * 2;
    } else {
      unsigned chunk = k / 8;
      bytes = chunk / width * 8 * atom + row / 8 * atom + row % 8 * width * 16 + chunk % width * 16 + k % 8 * 2;
    }
    unsigned swizzle = bytes / 128 % width; // rows of 128 bytes
    return bytes ^ swizzle * 16;
  }
  /// Of the step of 16 along K, without the address of the whole.
  uint64_t describe(unsigned step) const {
    unsigned atom = width * 128;
    if (isMnMajor)
      return width == 1 ? descriptor(step * 2 * atom, atom, 8 * atom, width)
                        : descriptor(step * 2 * atom, 8 * atom, atom, width);
    unsigned chunk = 2 * step;
    return descriptor(chunk / width * 8 * atom + chunk % width * 16, width == 1 ? 8 * atom : 16, atom, width);
  }
};

/// D = A * B of 64 x 64 x 64, in four steps, with what may be left out or changed.
struct Product {
  Layout a, b;
  bool aInRegisters = false;
  unsigned firstRow = 0; ///< of 128 bytes: where both patterns start, behind multiples of 1024
  std::string proxyFence = "fence.proxy.async;\n", barrier = "bar.sync 0;\n", fence = "wgmma.fence.sync.aligned;\n",
              wait = "wgmma.wait_group.sync.aligned 0;\n", betweenSteps = "", beforeWait = "", guard = "",
              depthOfGroups = "wgmma.commit_group.sync.aligned;\n";

  KernelRun kernel() const {
    std::string body = R"(
      mov.u32 %r0, %tid.x;
      mov.u32 %r11, buffer;
      mad.lo.u32 %r10, %r0, 16, %r11;
      mul.wide.u32 %d1, %r0, 16;
      add.s64 %d2, %d50, %d1;
)";
    for (unsigned i = 0; i < 9; ++i) {
      std::string offset = std::to_string(i * 2048);
      body += "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d2+" + offset + "];\nst.shared.v4.u32 [%r10+" + offset +
              "], {%r1, %r2, %r3, %r4};\n";
    }
    if (aInRegisters) {
      body += "mul.wide.u32 %d3, %r0, 64;\nadd.s64 %d3, %d51, %d3;\n";
      for (unsigned step = 0; step < 4; ++step)
        body += "ld.global.v4.b32 " + registersOfA(step) + ", [%d3+" + std::to_string(step * 16) + "];\n";
    }
    body += proxyFence + barrier + "cvt.u64.u32 %d9, %r11;\nshr.u64 %d9, %d9, 4;\nsetp.ne.u32 %p1, %r0, %r0;\n" +
            "setp.eq.u32 %p2, %r0, %r0;\nsetp.lt.u32 %p3, %r0, 96;\n" + fence;
    for (unsigned step = 0; step < 4; ++step) {
      body += "add.s64 %d10, %d9, " + std::to_string(int64_t(a.describe(step) + start())) + ";\n";
      body += "add.s64 %d11, %d9, " + std::to_string(int64_t(b.describe(step) + start() + (8192 >> 4))) + ";\n";
      body += guard + "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " + list("%acc", 32) + ", ";
      body += (aInRegisters ? registersOfA(step) : "%d10") + ", %d11, " + (step ? "%p2" : "%p1") + ", 1, 1, ";
      body += (aInRegisters ? "" : a.isMnMajor ? "1, " : "0, ") + std::string(b.isMnMajor ? "1" : "0") + ";\n";
      body += depthOfGroups + (step < 3 ? betweenSteps : "");
    }
    body += beforeWait + wait + "mul.wide.u32 %d4, %r0, 128;\nadd.s64 %d4, %d52, %d4;\n";
    for (unsigned i = 0; i < 32; ++i)
      body += "st.global.f32 [%d4+" + std::to_string(4 * i) + "], %acc" + std::to_string(i) + ";\n";
    KernelRun run(body, ".shared .align 1024 .b8 buffer[18432];\n.reg .f32 %acc<32>;\n.reg .b32 %a<16>;");
    run.block = {128, 1, 1};
    run.add(image());
    run.add(fragments());
    run.addOutput<float>(64 * 64);
    return run;
  }

  /// What the start adds to the descriptors: their addresses, and the base offset.
  uint64_t start() const { return firstRow * 128 >> 4 | uint64_t(firstRow) << 49; }

  static std::string registersOfA(unsigned step) {
    std::string text = "{";
    for (unsigned i = 0; i < 4; ++i)
      text += (i ? ", %a" : "%a") + std::to_string(4 * step + i);
    return text + "}";
  }

  std::vector<uint16_t> image() const {
    std::vector<uint16_t> memory(9216);
    for (unsigned row = 0; row < 64; ++row)
      for (unsigned k = 0; k < 64; ++k) {
        memory[firstRow * 64 + a.place(row, k) / 2] = half(valueOfA(row, k));
        memory[firstRow * 64 + 4096 + b.place(row, k) / 2] = half(valueOfB(row, k));
      }
    return memory;
  }

  /// A as each thread holds it, four registers a step. (PTX ISA 9.0, figure 148)
  static std::vector<uint16_t> fragments() {
    std::vector<uint16_t> registers;
    for (unsigned thread = 0; thread < 128; ++thread)
      for (unsigned step = 0; step < 4; ++step)
        for (unsigned i = 0; i < 8; ++i) {
          unsigned row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
          registers.push_back(half(valueOfA(row, step * 16 + thread % 4 * 2 + i % 2 + i / 4 * 8)));
        }
    return registers;
  }
};
} // namespace

static void expectProduct(const KernelRun &run, const std::string &what) {
  std::vector<float> found = run.get<float>(2);
  std::vector<double> expected = product(64, 64, 64);
  unsigned wrong = 0;
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned i = 0; i < 32; ++i)
      wrong += double(found[thread * 32 + i]) != expected[indexOfAccumulator(thread, i, 64)];
  EXPECT_EQ(wrong, 0u) << what;
}

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

TEST(Wgmma, OneFaultIsFoundInEveryInterleaving) {
  struct Mutant {
    const char *name;
    std::function<void(Product &)> change;
    Fault fault;
  };
  const Mutant mutants[] = {
      {"no wgmma.fence", [](Product &p) { p.fence = ""; }, Fault::RegisterInFlight},
      {"fence before a write of the accumulators", [](Product &p) { p.fence += "mov.f32 %acc3, 0f00000000;\n"; },
       Fault::RegisterInFlight},
      {"no wait", [](Product &p) { p.wait = ""; }, Fault::RegisterInFlight},
      {"a group short", [](Product &p) { p.wait = "wgmma.wait_group.sync.aligned 1;\n"; }, Fault::RegisterInFlight},
      {"no commit", [](Product &p) { p.depthOfGroups = ""; }, Fault::RegisterInFlight},
      {"no proxy fence", [](Product &p) { p.proxyFence = ""; }, Fault::MissingProxyFence},
      {"proxy fence of global memory", [](Product &p) { p.proxyFence = "fence.proxy.async.global;\n"; },
       Fault::MissingProxyFence},
      {"no barrier", [](Product &p) { p.barrier = ""; }, Fault::Race},
      {"accumulator read between", [](Product &p) { p.betweenSteps = "add.f32 %f1, %acc5, %acc6;\n"; },
       Fault::RegisterInFlight},
      {"B overwritten in flight", [](Product &p) { p.beforeWait = "st.shared.u32 [%r10+8192], %r0;\n"; },
       Fault::AsyncNotAwaited},
      {"one warp stays away", [](Product &p) { p.guard = "@%p3 "; }, Fault::Deadlock},
  };
  for (const Mutant &mutant : mutants)
    for (unsigned seed = 1; seed < 6; ++seed) {
      Product wanted;
      mutant.change(wanted);
      KernelRun run = wanted.kernel();
      run.options.seed = seed;
      RunResult result = run.run();
      EXPECT_TRUE(has(result, mutant.fault)) << mutant.name << ", seed " << seed << ": " << summary(result);
    }
}

TEST(Wgmma, RegistersOfAAreNotFreeBeforeTheWait) {
  unsigned wrong = 0;
  for (unsigned seed = 1; seed < 10; ++seed) {
    Product wanted;
    wanted.aInRegisters = true;
    // The registers of the last step, rewritten while it may still read them.
    wanted.beforeWait = "mov.b32 %a12, 0;\nmov.b32 %a13, 0;\nmov.b32 %a14, 0;\nmov.b32 %a15, 0;\n";
    KernelRun run = wanted.kernel();
    run.options.seed = seed;
    RunResult result = run.run();
    ASSERT_TRUE(has(result, Fault::RegisterInFlight));
    EXPECT_EQ(result.findings[0].message,
              "a register is written that an asynchronous matrix instruction may still read; expected "
              "`wgmma.wait_group` before");
    std::vector<float> found = run.get<float>(2);
    std::vector<double> expected = product(64, 64, 64);
    bool differs = false;
    for (unsigned i = 0; i < 32; ++i)
      differs |= double(found[i]) != expected[indexOfAccumulator(0, i, 64)];
    wrong += differs;
  }
  EXPECT_GT(wrong, 0u);
}

TEST(Wgmma, WarpsThatDisagreeAreFound) {
  // Warp 3 passes by another way, and runs an instruction of its own.
  Product wanted;
  wanted.betweenSteps = "setp.ge.u32 %p4, %r0, 96;\n@%p4 add.s64 %d9, %d9, 1;\n";
  EXPECT_TRUE(has(wanted.kernel().run(), Fault::BarrierDivergence));
}

namespace {
/// A ring of two stages that `cp.async` fills and one matrix instruction a step reads: 64 x 64 x 64, f16.
struct Ring {
  std::string copyWait = "cp.async.wait_group 0;\n", proxyFence = "fence.proxy.async.shared::cta;\n",
              fullBarrier = "bar.sync 0;\n", matrixWait = "wgmma.wait_group.sync.aligned 1;\n",
              emptyBarrier = "bar.sync 0;\n";
  unsigned copyShift = 0;

  KernelRun kernel() const {
    KernelRun run(
        R"(
      mov.u32 %r0, %tid.x;
      mov.u32 %r11, buffer;
      shl.b32 %r1, %r0, 4;
      shr.u32 %r2, %r1, 3;
      and.b32 %r2, %r2, 16;
      xor.b32 %r1, %r1, %r2;
      add.u32 %r10, %r11, %r1;
      shr.u32 %r3, %r0, 1;
      and.b32 %r4, %r0, 1;
      shl.b32 %r4, %r4, 4;
      mad.lo.u32 %r3, %r3, 128, %r4;
      cvt.u64.u32 %d1, %r3;
      add.s64 %d2, %d50, %d1;
      add.s64 %d3, %d51, %d1;
      cvt.u64.u32 %d9, %r11;
      shr.u64 %d9, %d9, 4;
      mov.u32 %r5, 0;
      LOOP:
      add.u32 %r6, %r5, )" +
            std::to_string(copyShift) + R"(;
      and.b32 %r6, %r6, 1;
      mad.lo.u32 %r7, %r6, 4096, %r10;
      cp.async.cg.shared.global [%r7], [%d2], 16;
      cp.async.cg.shared.global [%r7+2048], [%d3], 16;
      cp.async.commit_group;
      add.s64 %d2, %d2, 32;
      add.s64 %d3, %d3, 32;
      )" + copyWait +
            proxyFence + fullBarrier + R"(
      and.b32 %r8, %r5, 1;
      mul.wide.u32 %d4, %r8, 256;
      add.s64 %d5, %d9, )" +
            std::to_string(int64_t(descriptor(0, 16, 256, 2))) + R"(;
      add.s64 %d5, %d5, %d4;
      add.s64 %d6, %d5, 128;
      setp.ne.u32 %p1, %r5, 0;
      wgmma.fence.sync.aligned;
      wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 )" +
            list("%acc", 32) + R"(, %d5, %d6, %p1, 1, 1, 0, 0;
      wgmma.commit_group.sync.aligned;
      )" + matrixWait +
            emptyBarrier +
            R"(
      add.u32 %r5, %r5, 1;
      setp.lt.u32 %p2, %r5, 4;
      @%p2 bra LOOP;
      wgmma.wait_group.sync.aligned 0;
      mul.wide.u32 %d4, %r0, 128;
      add.s64 %d4, %d52, %d4;
)" +
            [] {
              std::string stores;
              for (unsigned i = 0; i < 32; ++i)
                stores += "st.global.f32 [%d4+" + std::to_string(4 * i) + "], %acc" + std::to_string(i) + ";\n";
              return stores;
            }(),
        ".shared .align 1024 .b8 buffer[8192];\n.reg .f32 %acc<32>;");
    run.block = {128, 1, 1};
    std::vector<uint16_t> a, b;
    for (unsigned row = 0; row < 64; ++row)
      for (unsigned k = 0; k < 64; ++k) {
        a.push_back(half(valueOfA(row, k)));
        b.push_back(half(valueOfB(row, k)));
      }
    run.add(a);
    run.add(b);
    run.addOutput<float>(64 * 64);
    return run;
  }
};
} // namespace

TEST(Wgmma, RingOfCopiesGivesTheProduct) {
  for (unsigned seed = 1; seed < 12; ++seed) {
    KernelRun run = Ring().kernel();
    run.options.seed = seed;
    EXPECT_EQ(summary(run.run()), "");
    expectProduct(run, "seed " + std::to_string(seed));
  }
}

TEST(Wgmma, RingWithOneFaultIsFoundInEveryInterleaving) {
  struct Mutant {
    const char *name;
    std::function<void(Ring &)> change;
    std::vector<Fault> faults; ///< one of them
  };
  const Mutant mutants[] = {
      {"no wait for the copies", [](Ring &r) { r.copyWait = ""; }, {Fault::AsyncNotAwaited}},
      {"a copy group short", [](Ring &r) { r.copyWait = "cp.async.wait_group 1;\n"; }, {Fault::AsyncNotAwaited}},
      {"no proxy fence", [](Ring &r) { r.proxyFence = ""; }, {Fault::MissingProxyFence}},
      {"no barrier when full", [](Ring &r) { r.fullBarrier = ""; }, {Fault::Race, Fault::AsyncNotAwaited}},
      {"matrix wait short",
       [](Ring &r) { r.matrixWait = "wgmma.wait_group.sync.aligned 2;\n"; },
       {Fault::AsyncNotAwaited}},
      {"no barrier when empty", [](Ring &r) { r.emptyBarrier = ""; }, {Fault::Race, Fault::AsyncNotAwaited}},
      {"stages swapped", [](Ring &r) { r.copyShift = 1; }, {Fault::Race, Fault::AsyncNotAwaited, Fault::Undefined}},
  };
  for (const Mutant &mutant : mutants)
    for (unsigned seed = 1; seed < 6; ++seed) {
      Ring ring;
      mutant.change(ring);
      KernelRun run = ring.kernel();
      run.options.seed = seed;
      RunResult result = run.run();
      bool found = false;
      for (Fault fault : mutant.faults)
        found |= has(result, fault);
      EXPECT_TRUE(found) << mutant.name << ", seed " << seed << ": " << summary(result);
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
  bool narrow = types.accumulator == "f16", isInteger = types.accumulator == "s32";
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
          std::to_string(depth) + "." + types.accumulator + "." + types.a + "." + types.b + " " +
          list("%acc", accumulators) + ", " + (aInRegisters ? "{%r1, %r2, %r3, %r4}" : "%d10") + ", %d11, %p2" +
          immediates +
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

TEST(Wgmma, WhatLiesBehindSharedMemoryIsFoundAndUndefined) {
  Product wanted;
  wanted.betweenSteps = "add.s64 %d9, %d9, 512;\n"; // the last steps read behind the buffer
  RunResult result = wanted.kernel().run();
  EXPECT_TRUE(has(result, Fault::OutOfBounds)) << summary(result);
  EXPECT_TRUE(has(result, Fault::Undefined)) << summary(result);
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

TEST(Wgmma, WhatTheWarpsOfAGroupMustSayAlike) {
  auto found = [](const std::function<void(Product &)> &change, unsigned threads, const std::string &message) {
    Product wanted;
    change(wanted);
    KernelRun run = wanted.kernel();
    run.block = {threads, 1, 1};
    std::string all = summary(run.run());
    EXPECT_NE(all.find(message), std::string::npos) << all;
  };
  found([](Product &) {}, 96, "barrier-divergence: the warpgroup has 3 warps; expected 4");
  found([](Product &p) { p.aInRegisters = true, p.fence += "cvt.u64.u32 %d12, %r0;\nadd.s64 %d9, %d9, %d12;\n"; }, 128,
        "bad-operand: the descriptor of B is not the same in all lanes of the warp");
  found([](Product &p) { p.fence += "setp.eq.u32 %p2, %r0, 1;\n"; }, 128,
        "bad-operand: `scale-d` is not the same in all lanes of the warp");
  found([](Product &p) { p.fence += "add.s64 %d9, %d9, %d40;\n"; }, 128, "undefined: the descriptor of A is undefined");
  found([](Product &p) { p.fence += "mov.pred %p2, %p9;\n"; }, 128, "undefined: `scale-d` is undefined");
  // Without a wait for it, the warps that run it alone come to their end.
  found(
      [](Product &p) {
        p.guard = "@%p3 ";
        p.wait = "";
      },
      128, "barrier-divergence: only 3 warps of the warpgroup run this matrix instruction; expected 4");
}

TEST(Wgmma, RegistersThatTwoInstructionsWant) {
  // After a fence, a second instruction on registers of the one in flight.
  auto found = [](bool aInRegisters, const std::string &second, const std::string &message) {
    Product wanted;
    wanted.aInRegisters = aInRegisters;
    wanted.beforeWait = "wgmma.fence.sync.aligned;\n" + second + ";\nwgmma.commit_group.sync.aligned;\n";
    std::string all = summary(wanted.kernel().run());
    EXPECT_NE(all.find(message), std::string::npos) << all;
  };
  std::string mma = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 ", rest = ", %d11, %p2, 1, 1, 0";
  found(false, mma + list("%acc", 4) + ", %d10" + rest + ", 0",
        "a register is an accumulator here and one of another shape in flight; expected `wgmma.wait_group` before");
  found(true, mma + "{%f1, %f2, %f3, %f4}, {%acc0, %acc1, %acc2, %acc3}" + rest,
        "a register of A is the accumulator of a matrix instruction in flight; expected `wgmma.wait_group` before");
  found(true, mma + "{%a12, %a13, %a14, %a15}, {%r1, %r2, %r3, %r4}" + rest,
        "an accumulator is a register of A of a matrix instruction in flight; expected `wgmma.wait_group` before");
}

TEST(Wgmma, FencesAreOfRegistersTouchedSince) {
  auto found = [](const std::function<void(Product &)> &change) {
    Product wanted;
    wanted.aInRegisters = true;
    change(wanted);
    return summary(wanted.kernel().run());
  };
  const std::string unfenced = " and no `wgmma.fence` orders that before this matrix instruction";
  EXPECT_EQ(found([](Product &p) { p.fence = ""; }),
            "register-in-flight: no `wgmma.fence` comes before the first matrix instruction");
  EXPECT_EQ(found([](Product &p) { p.fence += "mov.f32 %f1, %acc3;\n"; }),
            "register-in-flight: an accumulator is read" + unfenced);
  EXPECT_EQ(found([](Product &p) { p.fence += "mov.f32 %acc3, 0f00000000;\n"; }),
            "register-in-flight: an accumulator is written" + unfenced);
  EXPECT_EQ(found([](Product &p) { p.fence += "mov.b32 %a3, %a3;\n"; }),
            "register-in-flight: a register of A is written" + unfenced);
  // Reading A does not change it.
  EXPECT_EQ(found([](Product &p) { p.fence += "mov.b32 %r1, %a3;\n"; }), "");
}

} // namespace tile::sim::test
