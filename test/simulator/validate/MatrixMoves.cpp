// `ldmatrix`, `stmatrix` and `movmatrix` in all forms, with rows at any multiple of 16 bytes.
#include "test/simulator/validate/Matrices.h"

#include <algorithm>

namespace tile::sim::validate {

constexpr unsigned kWarps = 64, kRowsOfBuffer = 128, kRowBytes = 16;

/// %r2: the warp; %r3: the lane; %r5: the row's address that the lane gives; the warp's part of shared memory is
/// filled.
static Kernel start(Random &random, bool distinct) {
  Kernel kernel;
  kernel.grid = {kWarps, 1, 1};
  kernel.block = {32, 1, 1};
  Values rows, words;
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    std::vector<unsigned> order(kRowsOfBuffer);
    for (unsigned i = 0; i < kRowsOfBuffer; ++i)
      order[i] = i;
    for (unsigned i = kRowsOfBuffer - 1; i; --i)
      std::swap(order[i], order[random.below(i + 1)]);
    for (unsigned lane = 0; lane < 32; ++lane)
      rows.push_back((distinct ? order[lane] : random.below(kRowsOfBuffer)) * kRowBytes);
    for (unsigned i = 0; i < kRowsOfBuffer * kRowBytes / 8; ++i)
      words.push_back(random.next());
  }
  kernel.inputs = {pack(rows, 4), pack(words, 8)};
  kernel.declarations = ".shared .align 16 .b8 buffer[2048];\n";
  kernel.body =
      "mov.u32 %r3, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r4, %r2, 32, %r3;\nmad.wide.u32 %d0, %r4, 4, "
      "%d100;\nld.global.b32 %r5, [%d0];\nmov.u32 %r6, buffer;\nadd.u32 %r5, %r5, %r6;\n"
      "mad.wide.u32 %d1, %r2, 2048, %d101;\nmad.wide.u32 %d1, %r3, 16, %d1;\nmad.lo.u32 %r7, %r3, 16, %r6;\n";
  for (unsigned i = 0; i < 4; ++i) {
    std::string offset = std::to_string(i * 512);
    kernel.body += "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%d1+" + offset + "];\nst.shared.v4.b32 [%r7+" + offset +
                   "], {%r10, %r11, %r12, %r13};\n";
  }
  kernel.body += "bar.sync 0;\n";
  return kernel;
}

static void giveLoad(const Sink &sink, Random &random, unsigned count, const std::string &transposed) {
  Kernel kernel = start(random, false);
  kernel.name = "ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) + transposed + ".shared.b16";
  kernel.body += kernel.name + " " + (count == 1 ? "{%m0}" : registerList("%m", count)) + ", [%r5];\n";
  kernel.declarations += ".reg .b32 %m<4>;\n";
  kernel.addResult(kernel.name, kWarps * count * 32, 4);
  kernel.body += storeFragments("%m", count, 4, kernel.outputPointer());
  sink(kernel);
}

static void giveStore(const Sink &sink, Random &random, unsigned count, const std::string &transposed) {
  Kernel kernel = start(random, true);
  kernel.name = "stmatrix.sync.aligned.m8n8.x" + std::to_string(count) + transposed + ".shared.b16";
  kernel.declarations += ".reg .b32 %m<4>;\n.reg .b32 %w<16>;\n";
  for (unsigned i = 0; i < count; ++i)
    kernel.body +=
        "mad.lo.u32 %m" + std::to_string(i) + ", %r3, " + std::to_string(0x9e3779b1 + i * 0x1f123bb) + ", %r2;\n";
  kernel.body += kernel.name + " [%r5], " + (count == 1 ? "{%m0}" : registerList("%m", count)) + ";\nbar.sync 0;\n";
  for (unsigned i = 0; i < 16; ++i)
    kernel.body +=
        "ld.shared.b32 %w" + std::to_string(i) + ", [%r7+" + std::to_string(i / 4 * 512 + i % 4 * 4) + "];\n";
  kernel.addResult(kernel.name, kWarps * 16 * 32, 4);
  kernel.body += storeFragments("%w", 16, 4, kernel.outputPointer());
  sink(kernel);
}

void giveMatrixMoves(const Sink &sink) {
  Random random(8);
  for (unsigned count : {1u, 2u, 4u})
    for (std::string transposed : {"", ".trans"}) {
      giveLoad(sink, random, count, transposed);
      giveStore(sink, random, count, transposed);
    }
  Kernel kernel = start(random, false);
  kernel.name = "movmatrix.sync.aligned.m8n8.trans.b16";
  kernel.declarations += ".reg .b32 %m<1>;\n";
  kernel.body += "ld.shared.b32 %r20, [%r7];\n" + kernel.name + " %m0, %r20;\n";
  kernel.addResult(kernel.name, kWarps * 32, 4);
  kernel.body += storeFragments("%m", 1, 4, kernel.outputPointer());
  sink(kernel);
}

} // namespace tile::sim::validate
