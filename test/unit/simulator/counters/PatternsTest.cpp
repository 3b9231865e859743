// Kernels that access memory where a table says, one for each kind of access and pattern: what is counted of them is
// what their places give. TILE_SIM_RECORD keeps them for test/gpu/counters.py, which runs them under ncu.
#include "backend/simulator/counters/Sectors.h"
#include "backend/simulator/counters/SharedBanks.h"
#include "test/unit/simulator/counters/CountKernel.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>

namespace tile::sim::test {

constexpr uint32_t kMasked = ~0u;
constexpr unsigned kBufferBytes = 8192;

namespace {
struct Pattern {
  const char *name;
  std::function<uint32_t(unsigned lane, unsigned bytes)> place; ///< in bytes, or masked
};

struct Kind {
  const char *name;
  const char *instruction; ///< in shared memory at `%r3`, in global memory at `%d3`
  unsigned bytes;          ///< of a lane
  BankAccess access;
  bool isShared = true;

  /// Has no guard.
  bool isOfWholeWarp() const { return access == BankAccess::Matrix; }
};
} // namespace

static const Pattern kPatterns[] = {
    {"side-by-side", [](unsigned lane, unsigned bytes) { return lane * bytes; }},
    {"one-further", [](unsigned lane, unsigned bytes) { return (lane + 1) * bytes; }},
    {"every-second", [](unsigned lane, unsigned bytes) { return 2 * lane * bytes; }},
    {"every-fourth", [](unsigned lane, unsigned bytes) { return 4 * lane * bytes; }},
    {"column", [](unsigned lane, unsigned) { return lane * 128 + 48; }},
    {"swizzled-column", [](unsigned lane, unsigned) { return lane * 128 + (lane % 8 ^ 3) * 16; }},
    {"padded-column", [](unsigned lane, unsigned) { return lane * 144; }},
    {"same", [](unsigned, unsigned) { return 64; }},
    {"two-of-a-bank", [](unsigned lane, unsigned) { return lane % 2 * 128; }},
    {"pairs", [](unsigned lane, unsigned bytes) { return lane / 2 * bytes; }},
    {"halves-alike", [](unsigned lane, unsigned bytes) { return lane % 16 * bytes; }},
    {"reversed", [](unsigned lane, unsigned bytes) { return (31 - lane) * bytes; }},
    {"first-eight", [](unsigned lane, unsigned bytes) { return lane < 8 ? lane * bytes : kMasked; }},
    {"every-eighth-lane", [](unsigned lane, unsigned bytes) { return lane % 8 ? kMasked : lane * bytes; }},
    {"pairs-by-two", [](unsigned lane, unsigned bytes) { return (lane / 4 * 2 + lane % 2) * bytes; }},
    {"pairs-by-four", [](unsigned lane, unsigned bytes) { return (lane / 8 * 4 + lane % 4) * bytes; }},
    {"pairs-mixed",
     [](unsigned lane, unsigned bytes) { return (lane % 8 < 4 ? lane / 2 : lane / 4 * 2 + lane % 2) * bytes; }},
    {"half-in-pairs", [](unsigned lane, unsigned bytes) { return (lane < 16 ? lane / 2 : lane) * bytes; }},
    {"quarter-in-pairs", [](unsigned lane, unsigned bytes) { return (lane < 8 ? lane / 2 : lane) * bytes; }},
    {"even-lanes", [](unsigned lane, unsigned bytes) { return lane % 2 ? kMasked : lane / 2 * bytes; }},
    {"scattered", [](unsigned lane, unsigned) { return lane * 37 % 32 * 240; }},
};

static const Kind kKinds[] = {
    {"ld.shared.4", "ld.shared.b32 %r4, [%r3]", 4, BankAccess::Load},
    {"ld.shared.8", "ld.shared.v2.b32 {%r4, %r5}, [%r3]", 8, BankAccess::Load},
    {"ld.shared.16", "ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%r3]", 16, BankAccess::Load},
    {"st.shared.4", "st.shared.b32 [%r3], %r8", 4, BankAccess::Store},
    {"st.shared.8", "st.shared.v2.b32 [%r3], {%r8, %r8}", 8, BankAccess::Store},
    {"st.shared.16", "st.shared.v4.b32 [%r3], {%r8, %r8, %r8, %r8}", 16, BankAccess::Store},
    {"atom.shared", "atom.shared.add.u32 %r4, [%r3], 1", 4, BankAccess::Atomic},
    {"ldmatrix", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r3]", 16, BankAccess::Matrix},
    {"stmatrix", "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r3], {%r8, %r8, %r8, %r8}", 16, BankAccess::Matrix},
    {"ld.global.4", "ld.global.b32 %r4, [%d3]", 4, BankAccess::Load, false},
    {"ld.global.16", "ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%d3]", 16, BankAccess::Load, false},
    {"st.global.4", "st.global.b32 [%d3], %r8", 4, BankAccess::Store, false},
    {"st.global.16", "st.global.v4.b32 [%d3], {%r8, %r8, %r8, %r8}", 16, BankAccess::Store, false},
    {"red.global", "red.global.add.u32 [%d3], 1", 4, BankAccess::Atomic, false},
};

/// The kernel reads each lane's place, fills shared memory without a conflict, accesses, and stores what it loaded.
static KernelRun kernelOf(const Kind &kind, const Pattern &pattern, const std::vector<uint32_t> &places) {
  std::string fill;
  for (unsigned offset = 0; kind.isShared && offset < kBufferBytes; offset += 512)
    fill += "st.shared.v4.b32 [%r9+" + std::to_string(offset) + "], {%r8, %r8, %r8, %r8};\n";
  KernelRun run(kThread + R"(
    ld.global.u32 %r1, [%d0];
    setp.ne.u32 %p1, %r1, )" +
                    std::to_string(kMasked) + R"(;
    mov.u32 %r2, buffer;
    add.u32 %r3, %r2, %r1;
    cvt.u64.u32 %d3, %r1;
    add.s64 %d3, %d51, %d3;
    mov.u32 %r8, 7;
    mov.u32 %r4, 1; mov.u32 %r5, 2; mov.u32 %r6, 3; mov.u32 %r7, 4;
    mad.lo.u32 %r9, %r0, 16, %r2;
    )" + fill + "bar.sync 0;\n" +
                    (kind.isOfWholeWarp() ? "" : "@%p1 ") + kind.instruction + R"(;
    bar.sync 0;
    mov.u32 %r10, 0;
    )" + (kind.isShared ? "ld.shared.u32 %r10, [%r9];" : "") +
                    R"(
    xor.b32 %r4, %r4, %r5;
    xor.b32 %r4, %r4, %r6;
    xor.b32 %r4, %r4, %r7;
    xor.b32 %r4, %r4, %r10;
    add.s64 %d4, %d52, %d1;
    st.global.u32 [%d4], %r4;)",
                ".shared .align 128 .b8 buffer[" + std::to_string(kBufferBytes) + "];");
  run.name = std::string(kind.name) + "." + pattern.name;
  run.options.checks = kNoChecks; // lanes store to the same place
  run.add(places);
  run.add(std::vector<uint32_t>(kBufferBytes / 4));
  run.addOutput<uint32_t>(kLanes);
  return run;
}

/// What the GPU counted of a kernel and a class of instructions, from the record of test/gpu/counters.py: the second
/// number of `"class key": [simulator, GPU]` in the kernel's line. Nothing if the record has no such count.
static std::optional<uint64_t> countOfGpu(const std::string &kernel, const std::string &what) {
  static const std::string record = [] {
    std::ifstream file(TILE_GPU_COUNTERS);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  size_t line = record.find("\"" + kernel + "\": {");
  if (line == std::string::npos)
    return std::nullopt;
  size_t entry = record.find("\"" + what + "\": [", line);
  if (entry == std::string::npos || entry > record.find('\n', line))
    return std::nullopt;
  return std::stoull(record.substr(record.find(", ", record.find('[', entry)) + 2));
}

/// Compares with the record what it has of a class; returns how many counts that were.
static unsigned expectWhatTheGpuCounted(const std::string &kernel, const Counted &counted, InstructionClass kind) {
  Counters sum;
  for (const CountedInstruction &instruction : counted.instructions)
    if (instruction.kind == kind)
      sum.add(instruction.counters);
  std::pair<std::string, uint64_t> counts[] = {{"global_sectors", sum.globalSectors},
                                               {"shared_wavefronts", sum.sharedWavefronts},
                                               {"conflicts", sum.bankConflicts()}};
  unsigned compared = 0;
  for (const auto &[key, count] : counts) {
    std::string what = std::string(nameOf(kind)) + " " + key;
    if (std::optional<uint64_t> found = countOfGpu(kernel, what)) {
      EXPECT_EQ(count, *found) << kernel << ", " << what;
      ++compared;
    }
  }
  return compared;
}

TEST(Patterns, WhatAKernelCountsIsWhatItsPlacesGiveAndAGpuCounted) {
  unsigned compared = 0;
  for (const Kind &kind : kKinds)
    for (const Pattern &pattern : kPatterns) {
      std::vector<uint32_t> places;
      uint64_t addresses[kLanes];
      uint32_t lanes = 0, amounts[kLanes];
      std::fill(std::begin(amounts), std::end(amounts), kind.bytes);
      bool fits = true;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        places.push_back(pattern.place(lane, kind.bytes));
        addresses[lane] = 1024 + places.back();
        lanes |= uint32_t(places.back() != kMasked) << lane;
        fits &= places.back() == kMasked || places.back() % kind.bytes == 0;
      }
      if (!fits || (kind.isOfWholeWarp() && lanes != kAllLanes))
        continue;
      KernelRun run = kernelOf(kind, pattern, places);
      std::string instruction = kind.instruction;
      Counted counted = countRun(run);
      Counters counters = counted.of(instruction.substr(0, instruction.find(' ')));
      for (InstructionClass each :
           {InstructionClass::GlobalLoad, InstructionClass::GlobalStore, InstructionClass::GlobalAtomic,
            InstructionClass::SharedLoad, InstructionClass::SharedStore, InstructionClass::SharedAtomic})
        compared += expectWhatTheGpuCounted(run.name, counted, each);
      SCOPED_TRACE(run.name);
      if (kind.isShared) {
        BankPasses expected = countBankPasses(addresses, lanes, kind.bytes, kind.access);
        bool isFill = std::string(kind.name) == "st.shared.16"; // has the text of the fill
        EXPECT_EQ(counters.sharedWavefronts, expected.wavefronts + (isFill ? kBufferBytes / 128 : 0));
        EXPECT_EQ(counters.bankConflicts(), expected.wavefronts - expected.ideal);
      } else {
        SectorCount expected = countSectors(
            addresses, amounts, lanes, kind.access == BankAccess::Atomic ? SameAddress::InTurns : SameAddress::Shared);
        EXPECT_EQ(counters.globalSectors, expected.sectors);
        EXPECT_EQ(counters.globalIdeal, expected.ideal);
        EXPECT_EQ(counters.globalBytes, expected.bytes);
      }
    }
  EXPECT_GT(compared, 1000u);
}

} // namespace tile::sim::test
