// Kernels with matrix instructions of a warpgroup. All values are small integers, so that every order of a sum gives
// the same.
#ifndef TILE_TEST_UNIT_SIMULATOR_MACHINE_WGMMAKERNELS_H
#define TILE_TEST_UNIT_SIMULATOR_MACHINE_WGMMAKERNELS_H

#include "test/unit/simulator/machine/RunPtx.h"

#include <functional>

namespace tile::sim::test {

inline int valueOfA(unsigned row, unsigned k) { return int(row * 7 + k * 3) % 9 - 4; }
inline int valueOfB(unsigned column, unsigned k) { return int(column * 5 + k * 11) % 7 - 3; }

inline std::vector<double> product(unsigned rows, unsigned columns, unsigned depth) {
  std::vector<double> sums(rows * columns);
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < columns; ++column)
      for (unsigned k = 0; k < depth; ++k)
        sums[row * columns + column] += double(valueOfA(row, k)) * valueOfB(column, k);
  return sums;
}

inline uint16_t half(int value) {
  _Float16 narrow = _Float16(value);
  uint16_t bits;
  std::memcpy(&bits, &narrow, sizeof(bits));
  return bits;
}

/// Where a thread's accumulator `i` of 32 bits lies. (PTX ISA 9.0, figure 149)
inline unsigned indexOfAccumulator(unsigned thread, unsigned i, unsigned columns) {
  unsigned row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
  return row * columns + i / 4 * 8 + thread % 4 * 2 + i % 2;
}

inline std::string list(const std::string &name, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + name + std::to_string(i);
  return text + "}";
}

inline uint64_t descriptor(uint64_t start, uint64_t leading, uint64_t stride, unsigned width) {
  static constexpr uint64_t kModes[] = {0, 0, 3, 0, 2, 0, 0, 0, 1};
  return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | kModes[width] << 62;
}

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

inline void expectProduct(const KernelRun &run, const std::string &what) {
  std::vector<float> found = run.get<float>(2);
  std::vector<double> expected = product(64, 64, 64);
  unsigned wrong = 0;
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned i = 0; i < 32; ++i)
      wrong += double(found[thread * 32 + i]) != expected[indexOfAccumulator(thread, i, 64)];
  EXPECT_EQ(wrong, 0u) << what;
}

} // namespace tile::sim::test

#endif // TILE_TEST_UNIT_SIMULATOR_MACHINE_WGMMAKERNELS_H
