/// The table of targets and what follows from a row. Limits are those of the CUDA programming guide's table "technical
/// specifications per compute capability"; PTX versions those of the PTX ISA's release notes.
#include "backend/target/Target.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace tile {

constexpr FeatureSet kAmpere{Feature::CpAsync, Feature::LdMatrix,  Feature::Mma16,        Feature::MmaTf32,
                             Feature::MmaI8,   Feature::ReduxSync, Feature::AtomicAddF16, Feature::MmaF64};
constexpr FeatureSet kAda = kAmpere | FeatureSet{Feature::MmaF8, Feature::ConvertF8};
constexpr FeatureSet kHopper =
    kAda | FeatureSet{Feature::StMatrix,          Feature::Bf16Arithmetic,  Feature::AtomicAddBf16,
                      Feature::Clusters,          Feature::DependentLaunch, Feature::TransactionBarrier,
                      Feature::TensorMemoryAccess};
/// What only `sm_90a` has; later generations dropped it.
constexpr FeatureSet kHopperSpecific{Feature::Wgmma, Feature::RegisterBudget};

constexpr unsigned kKiB = 1024;

// clang-format off
constexpr Target kTargets[] = {
    // name     capability, specific, PTX, shared per block and processor, threads and blocks per processor
    {"sm_80",   80, false, {7, 0}, 163 * kKiB, 164 * kKiB, 2048, 32, kAmpere, ""},
    {"sm_86",   86, false, {7, 1},  99 * kKiB, 100 * kKiB, 1536, 16, kAmpere, ""},
    {"sm_89",   89, false, {7, 8},  99 * kKiB, 100 * kKiB, 1536, 24, kAda, ""},
    {"sm_90a",  90, true,  {8, 0}, 227 * kKiB, 228 * kKiB, 2048, 32, kHopper | kHopperSpecific,
     "tensor memory access, clusters, setmaxnreg"},
    {"sm_100", 100, false, {8, 6}, 227 * kKiB, 228 * kKiB, 2048, 32, kHopper,
     "tcgen05 and tensor memory, tensor memory access, clusters"},
    {"sm_120", 120, false, {8, 7},  99 * kKiB, 100 * kKiB, 1536, 24, kHopper,
     "block-scaled mma, tensor memory access, clusters"},
};
// clang-format on

const Target *findTarget(std::string_view name) {
  for (const Target &target : kTargets)
    if (target.name == name)
      return &target;
  return nullptr;
}

const Target *findTargetFor(unsigned capability) {
  const Target *best = nullptr;
  for (const Target &target : kTargets) {
    // A cubin runs on the minor revisions above its own, never across a major one.
    bool runs = target.architectureSpecific
                    ? target.capability == capability
                    : target.capability <= capability && target.capability / 10 == capability / 10;
    if (runs)
      best = &target;
  }
  return best;
}

std::string_view architectureOf(std::string_view name) {
  // How the names of products and generations begin, without spaces and hyphens.
  struct Product {
    std::string_view prefix;
    unsigned capability;
  };
  static constexpr Product kProducts[] = {
      {"a100", 80},   {"a30", 80},     {"ampere", 80}, {"a800", 80},       {"a10", 86},        {"a16", 86},
      {"a2", 86},     {"a40", 86},     {"a4000", 86},  {"a5000", 86},      {"a6000", 86},      {"rtxa", 86},
      {"rtx30", 86},  {"ada", 89},     {"l4", 89},     {"l20", 89},        {"rtx6000ada", 89}, {"rtx40", 89},
      {"gh200", 90},  {"h100", 90},    {"h20", 90},    {"h200", 90},       {"h800", 90},       {"hopper", 90},
      {"b100", 100},  {"b200", 100},   {"b300", 100},  {"blackwell", 100}, {"gb200", 100},     {"gb300", 100},
      {"rtx50", 120}, {"rtxpro", 120},
  };
  std::string plain;
  for (char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (std::string_view maker : {"nvidia", "geforce", "tesla"})
    if (plain.compare(0, maker.size(), maker) == 0)
      plain.erase(0, maker.size());
  const Product *best = nullptr; // `a100` begins as `a10` does
  for (const Product &product : kProducts)
    if (plain.compare(0, product.prefix.size(), product.prefix) == 0 &&
        (!best || product.prefix.size() > best->prefix.size()))
      best = &product;
  return best ? findTargetFor(best->capability)->name : std::string_view();
}

TargetRange allTargets() { return {std::begin(kTargets), std::end(kTargets)}; }

std::string unknownTargetMessage(std::string_view name) {
  std::string message = "unknown architecture `" + std::string(name) + "`; known: ";
  for (const Target &target : kTargets) {
    if (&target != kTargets)
      message += ", ";
    message += target.name;
  }
  return message;
}

static unsigned roundUp(unsigned value, unsigned multiple) { return (value + multiple - 1) / multiple * multiple; }

Occupancy occupancy(const Target &target, unsigned threads, unsigned registers, unsigned shared) {
  if (threads == 0 || threads > target.threadsPerBlock)
    return {0, "threads"};
  if (registers > target.registersPerThread)
    return {0, "registers"};
  if (shared > target.sharedPerBlock)
    return {0, "shared memory"};
  // Registers are handed out per warp in units of 256, evenly over the four schedulers of a multiprocessor.
  constexpr unsigned kRegisterUnit = 256, kSchedulers = 4, kSharedUnit = 128;
  unsigned warps = roundUp(threads, target.warpSize) / target.warpSize;
  unsigned warpRegisters = roundUp(std::max(registers, 1u) * target.warpSize, kRegisterUnit);
  unsigned sharedTaken = roundUp(shared, kSharedUnit) + target.sharedReservedPerBlock;

  Occupancy result{target.blocksPerProcessor, "blocks"};
  for (Occupancy other : {
           Occupancy{target.threadsPerProcessor / (warps * target.warpSize), "threads"},
           Occupancy{target.registersPerProcessor / kSchedulers / warpRegisters * kSchedulers / warps, "registers"},
           Occupancy{target.sharedPerProcessor / sharedTaken, "shared memory"},
       })
    if (other.blocks < result.blocks)
      result = other;
  return result;
}

} // namespace tile
