/// What each GPU generation can do, as one table. Passes ask a target for a *feature* or a limit; nothing else in the
/// compiler compares capability numbers, so a new generation is a new row here. (libtile asks only whether a cubin runs
/// on a device, also one that is newer than this table.) Pure data: no LLVM, no driver.
#ifndef BACKEND_TARGET_TARGET_H
#define BACKEND_TARGET_TARGET_H

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tile {

/// Instruction families. A row names those that the generation has; a lowering asks for those that not all have. What
/// every target has (ldmatrix, cp.async) may be emitted unasked.
enum class Feature : uint8_t {
  CpAsync,            ///< cp.async: global to shared memory, 4, 8 or 16 bytes per thread
  LdMatrix,           ///< ldmatrix, plain and .trans
  StMatrix,           ///< stmatrix, plain and .trans
  Mma16,              ///< mma.sync m16n8k16 on f16 and bf16
  MmaTf32,            ///< mma.sync m16n8k8 on tf32
  MmaI8,              ///< mma.sync m16n8k32 on 8-bit integers
  MmaF64,             ///< mma.sync m8n8k4 on f64
  MmaF8,              ///< mma.sync m16n8k32 on e4m3 and e5m2
  ConvertF8,          ///< cvt between f16 pairs and e4m3 or e5m2 pairs
  Bf16Arithmetic,     ///< add, sub and mul of bf16; before it only fma has the type
  ReduxSync,          ///< redux.sync on 32-bit integers
  AtomicAddF16,       ///< atom.add of f16 and f16x2
  AtomicAddBf16,      ///< atom.add of bf16 and bf16x2
  Clusters,           ///< thread-block clusters and distributed shared memory
  DependentLaunch,    ///< griddepcontrol
  TransactionBarrier, ///< mbarrier that counts the bytes of async copies
  TensorMemoryAccess, ///< cp.async.bulk.tensor with a tensor map
  Wgmma,              ///< wgmma.mma_async on a warpgroup
  RegisterBudget,     ///< setmaxnreg
};

/// A set of features; a value.
class FeatureSet {
public:
  constexpr FeatureSet() = default;
  constexpr FeatureSet(std::initializer_list<Feature> features) {
    for (Feature feature : features)
      bits |= bit(feature);
  }
  constexpr bool has(Feature feature) const { return bits & bit(feature); }
  constexpr FeatureSet operator|(FeatureSet other) const {
    FeatureSet both;
    both.bits = bits | other.bits;
    return both;
  }

private:
  static constexpr uint32_t bit(Feature feature) { return uint32_t(1) << unsigned(feature); }
  uint32_t bits = 0;
};

/// A version of the PTX instruction set, as `.version 8.0` prints it.
struct PtxVersion {
  unsigned major, minor;

  constexpr bool operator<(PtxVersion other) const {
    return major != other.major ? major < other.major : minor < other.minor;
  }
  constexpr bool operator==(PtxVersion other) const { return major == other.major && minor == other.minor; }
};

/// The newest PTX that is emitted: what a driver of CUDA 13.0 accepts.
constexpr PtxVersion kNewestPtx{9, 0};

/// One GPU generation. Sizes in bytes; `per block` limits are those after opting in to large shared memory.
struct Target {
  std::string_view name;       ///< `--arch`, LLVM's CPU and nvPTXCompiler's `--gpu-name`, e.g. `sm_90a`
  unsigned capability;         ///< compute capability × 10, for the driver's comparison at load
  bool architectureSpecific;   ///< true: its code runs on exactly this capability (the `a` of `sm_90a`)
  PtxVersion lowestPtx;        ///< the first PTX version that names the target
  unsigned sharedPerBlock;     ///< largest static + dynamic shared memory of a block
  unsigned sharedPerProcessor; ///< shared by the blocks resident on a multiprocessor
  unsigned threadsPerProcessor;
  unsigned blocksPerProcessor;
  FeatureSet features;
  std::string_view unused; ///< what the generation has and the compiler does not use yet; empty: nothing notable

  unsigned warpSize = 32;
  unsigned threadsPerBlock = 1024;
  unsigned registersPerThread = 255;
  unsigned registersPerProcessor = 65536;
  unsigned sharedReservedPerBlock = 1024; ///< taken by the system from `sharedPerProcessor` for each resident block

  constexpr bool has(Feature feature) const { return features.has(feature); }
};

/// The target called `name`, or null. Static storage.
const Target *findTarget(std::string_view name);

/// The target whose code is best for a device of this compute capability (major × 10 + minor): the exact generation,
/// else the newest older one whose code still runs there; null when there is none.
const Target *findTargetFor(unsigned capability);

/// The name of the architecture of a GPU or a generation that is called `name`, in any case and with spaces or hyphens:
/// `sm_90a` for `h100`, `H200 NVL` or `hopper`; empty for one that is not listed.
std::string_view architectureOf(std::string_view name);

/// All targets, oldest first.
struct TargetRange {
  const Target *first, *last;
  const Target *begin() const { return first; }
  const Target *end() const { return last; }
};
TargetRange allTargets();

/// "unknown architecture `sm_70`; known: sm_80, sm_86, …", for an `--arch` that `findTarget` does not know.
std::string unknownTargetMessage(std::string_view name);

/// How many blocks of a kernel one multiprocessor holds at a time, and what stops it from holding more.
struct Occupancy {
  unsigned blocks;        ///< 0: the kernel cannot be launched at all
  std::string_view limit; ///< "threads", "blocks", "registers" or "shared memory"
};

/// `registers` per thread, `shared` in bytes per block.
Occupancy occupancy(const Target &target, unsigned threads, unsigned registers, unsigned shared);

} // namespace tile

#endif
