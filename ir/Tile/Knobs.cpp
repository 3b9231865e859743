#include "ir/Tile/Knobs.h"

namespace tile {

static constexpr int64_t kBlocksOfCluster[] = {1, 2, 4, 8, 16};
/// Three warpgroups share tiles of 192 rows.
static constexpr int64_t kWarps[] = {1, 2, 4, 8, 12, 16, 32};

/// A block has at most 1024 threads; a cluster at most 16 blocks, and more than 8 only where the GPU is asked; a thread
/// at most 255 registers, and fewer than 24 are raised to that by the assembler. Deeper pipelines than 16 stages fit
/// nowhere.
static constexpr Knob kKnobs[] = {
    {"ctas", 1, 16, kBlocksOfCluster, "1, 2, 4, 8 or 16", false},
    {"max_registers", 24, 255, {}, "24 to 255", true},
    {"stages", 1, 16, {}, "1 to 16", true},
    {"warps", 1, 32, kWarps, "1, 2, 4, 8, 12, 16 or 32", true},
};

llvm::ArrayRef<Knob> allKnobs() { return kKnobs; }

const Knob *findKnob(llvm::StringRef name) {
  for (const Knob &knob : kKnobs)
    if (knob.name == name)
      return &knob;
  return nullptr;
}

llvm::StringRef plainKnob(llvm::StringRef name) {
  llvm::StringRef plain = name;
  return plain.consume_front("num_") && findKnob(plain) ? plain : name;
}

} // namespace tile
