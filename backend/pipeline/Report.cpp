/// Everything printed here was read off the PTX or the assembler's log.
#include "backend/pipeline/Report.h"

namespace tile {

/// "4 instructions move 16 bytes per thread, 1 moves 2 bytes", the widest first; "none".
static std::string widths(const std::map<unsigned, unsigned> &counts) {
  std::string text;
  for (auto [bytes, count] : llvm::reverse(counts)) {
    bool isFirst = text.empty(), isOne = count == 1;
    text += (isFirst ? "" : ", ") + std::to_string(count) +
            (isFirst ? (isOne ? " instruction" : " instructions") : "") + (isOne ? " moves " : " move ") +
            std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes") + (isFirst ? " per thread" : "");
  }
  return text.empty() ? "none" : text;
}

static std::string plural(unsigned count, const char *noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

static std::string kinds(const std::map<std::string, unsigned> &counts) {
  std::string text;
  for (const auto &[kind, count] : counts)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " x " + kind;
  return text.empty() ? "none" : text;
}

namespace {
/// Of one processor, where a kernel fixes its threads.
struct ResidentWarps {
  ResidentWarps(const KernelReport &kernel, const Target &target) {
    Occupancy fit = occupancy(target, kernel.threads(), kernel.resources.registers, kernel.sharedBytes());
    warps = fit.blocks * ((kernel.threads() + target.warpSize - 1) / target.warpSize);
    most = target.threadsPerProcessor / target.warpSize;
    limit = fit.limit;
  }
  unsigned warps, most;
  std::string_view limit;
};
} // namespace

void printKernel(const KernelReport &kernel, const Target &target, llvm::raw_ostream &os) {
  auto row = [&](llvm::StringRef what) -> llvm::raw_ostream & { return os << "  " << llvm::left_justify(what, 16); };
  const KernelResources &resources = kernel.resources;
  os << "kernel `" << resources.name << "` on " << llvm::StringRef(target.name);
  const char *separator = ": ";
  for (const auto &[name, value] : kernel.parameters)
    os << std::exchange(separator, ", ") << name << " = " << value;
  os << "\n";
  row("threads") << kernel.threads() << " per block" << (kernel.areWarpsChosen ? ", chosen by the compiler\n" : "\n");
  row("registers") << resources.registers << " per thread; spills ";
  if (resources.spillStoreBytes || resources.spillLoadBytes)
    os << resources.spillStoreBytes << " bytes stored, " << resources.spillLoadBytes << " loaded\n";
  else
    os << "none\n";
  if (kernel.boundSpillBytes)
    row("") << "a bound for more resident blocks was taken back: it spilled " << kernel.boundSpillBytes << " bytes\n";
  row("shared memory") << kernel.sharedBytes() << " of " << target.sharedPerBlock << " bytes per block\n";
  if (kernel.threads()) {
    ResidentWarps resident(kernel, target);
    row("occupancy") << resident.warps << " of " << resident.most << " warps, limited by "
                     << llvm::StringRef(resident.limit) << "\n";
  }
  row("global loads") << widths(kernel.code.globalLoads) << "\n";
  row("async copies") << widths(kernel.code.asyncCopies);
  if (kernel.stages)
    os << "; loops of " << kernel.stages << " stages";
  os << "\n";
  row("global stores") << widths(kernel.code.globalStores) << "\n";
  row("mma") << kinds(kernel.code.matrixMultiplies) << "; ldmatrix " << kernel.code.matrixLoads << "\n";
  if (!kernel.code.warpgroupMultiplies.empty())
    row("wgmma") << kinds(kernel.code.warpgroupMultiplies) << "\n";
  row("exchange") << plural(kernel.code.shuffles, "shuffle") << ", " << plural(kernel.code.barriers, "barrier") << "\n";
}

void printReport(llvm::ArrayRef<KernelReport> kernels, const Target &target, llvm::raw_ostream &os) {
  for (const KernelReport &kernel : kernels)
    printKernel(kernel, target, os);
  if (!target.unused.empty())
    os << "not used of " << llvm::StringRef(target.name) << " yet: " << llvm::StringRef(target.unused) << "\n";
}

template <typename Key> static llvm::json::Object countsToJson(const std::map<Key, unsigned> &counts) {
  llvm::json::Object object;
  for (const auto &[key, count] : counts) {
    if constexpr (std::is_same_v<Key, std::string>)
      object[key] = count;
    else
      object[std::to_string(key)] = count;
  }
  return object;
}

static llvm::json::Object kernelToJson(const KernelReport &kernel, const Target &target) {
  const KernelResources &resources = kernel.resources;
  llvm::json::Object parameters;
  for (const auto &[name, value] : kernel.parameters)
    parameters[name] = value;
  llvm::json::Object object{{"name", resources.name},
                            {"parameters", std::move(parameters)},
                            {"threads", kernel.threads()},
                            {"warps_chosen", kernel.areWarpsChosen},
                            {"registers", resources.registers},
                            {"spill_store_bytes", resources.spillStoreBytes},
                            {"spill_load_bytes", resources.spillLoadBytes},
                            {"bound_spill_bytes", kernel.boundSpillBytes},
                            {"shared_bytes", kernel.sharedBytes()},
                            {"shared_limit", target.sharedPerBlock},
                            {"stages", kernel.stages},
                            {"global_loads", countsToJson(kernel.code.globalLoads)},
                            {"async_copies", countsToJson(kernel.code.asyncCopies)},
                            {"global_stores", countsToJson(kernel.code.globalStores)},
                            {"mma", countsToJson(kernel.code.matrixMultiplies)},
                            {"wgmma", countsToJson(kernel.code.warpgroupMultiplies)},
                            {"ldmatrix", kernel.code.matrixLoads},
                            {"shuffles", kernel.code.shuffles},
                            {"barriers", kernel.code.barriers}};
  if (kernel.threads()) {
    ResidentWarps resident(kernel, target);
    object["occupancy"] = llvm::json::Object{
        {"warps", resident.warps}, {"of", resident.most}, {"limited_by", llvm::StringRef(resident.limit)}};
  }
  return object;
}

llvm::json::Object reportToJson(llvm::ArrayRef<KernelReport> kernels, const Target &target) {
  llvm::json::Array all;
  for (const KernelReport &kernel : kernels)
    all.push_back(kernelToJson(kernel, target));
  return llvm::json::Object{{"target", llvm::StringRef(target.name)},
                            {"kernels", std::move(all)},
                            {"unused", llvm::StringRef(target.unused)}};
}

} // namespace tile
