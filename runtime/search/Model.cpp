#include "runtime/search/Model.h"

#include "backend/pipeline/Pipeline.h"
#include "backend/target/Throughput.h"
#include "ir/TileGPU/TileGPUOps.h"
#include "ir/TileToTileGPU/LiveTiles.h"
#include "runtime/search/ProgramWork.h"
#include "runtime/search/Terms.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace tile::tgpu;

namespace tile {

/// Registers of a thread beside its tiles: addresses, counters, what is computed between two tiles. With products those
/// of several buffers and of what is copied ahead.
static constexpr int64_t kRegistersBeside = 24, kRegistersBesideProducts = 40;
/// Those that no kernel with products does without.
static constexpr int64_t kLeastBesideSums = 16;
/// They are given to a thread in eights.
static constexpr int64_t kRegisterUnit = 8;

/// Runs the passes that decide; what they refuse is the text that comes back.
static std::string decide(ModuleOp module, const Target &target, StringRef variant) {
  std::string refusal;
  ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && refusal.empty())
      refusal = diagnostic.str();
    return success(); // remarks and warnings are for those who compile
  });
  PipelineOptions options;
  options.target = &target;
  options.variants = {variant.str()};
  PassManager passes(module.getContext());
  passes.enableVerifier(false);
  addDecidingPasses(passes, options);
  if (failed(passes.run(module)) && refusal.empty())
    refusal = "the compiler does not take it";
  return refusal;
}

/// What the lowering of decided IR reads: all but how it came to be. The contract's grid says which programs there are.
static std::string printDecided(ModuleOp module) {
  for (auto kernel : module.getOps<func::FuncOp>()) {
    Attribute grid, most;
    if (auto contract = kernel->getAttrOfType<DictionaryAttr>(TileDialect::kContract))
      grid = contract.get("grid");
    if (auto schedule = kernel->getAttrOfType<DictionaryAttr>(TileDialect::kSchedule))
      most = schedule.get("max_registers");
    kernel->removeAttr(TileDialect::kContract);
    kernel->removeAttr(TileDialect::kSchedule);
    for (auto [name, kept] : {std::pair("grid", grid), std::pair("max_registers", most)})
      if (kept)
        kernel->setAttr(name, kept);
  }
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out);
  return text;
}

std::string decidedCode(ModuleOp module, const Target &target, StringRef variant) {
  return decide(module, target, variant).empty() && !module.getOps<func::FuncOp>().empty() ? printDecided(module) : "";
}

/// Bytes that memory moves: of each tensor no more than it has, once to read it and once to write it.
static double memoryBytes(func::FuncOp kernel, const ProgramWork &mean, LaunchValues &values, double programs) {
  double total = 0;
  for (auto [base, traffic] : mean.tensors) {
    double most = std::numeric_limits<double>::infinity();
    for (Operation *user : base.getUsers()) {
      auto view = dyn_cast<MakeViewOp>(user);
      if (!view)
        continue;
      double whole = static_cast<double>(elementBytes(view.getType().getElementType()));
      for (OpFoldResult extent : view.getMixedExtents()) {
        auto fixed = dyn_cast<Attribute>(extent);
        std::optional<int64_t> known =
            fixed ? std::optional(cast<IntegerAttr>(fixed).getInt()) : values.integer(cast<mlir::Value>(extent));
        whole = known ? whole * static_cast<double>(*known) : std::numeric_limits<double>::infinity();
      }
      most = std::min(most, whole);
    }
    total += std::min(traffic.read * programs, most) + std::min(traffic.written * programs, most);
  }
  return total;
}

/// Units that are all busy do not quite do it at the same time: two that are needed equally long take a fifth longer,
/// one that is needed half as long as another costs nothing.
static constexpr double kOverlap = 4;

namespace {
/// A time of the launch, and what it is of.
struct Part {
  StringRef name;
  double cycles;
};
} // namespace

static const Part &longestOf(ArrayRef<Part> parts) {
  return *llvm::max_element(parts, [](const Part &a, const Part &b) { return a.cycles < b.cycles; });
}

static void addTime(Estimate &result, const ProgramWork &work, double memory, double processors,
                    const Throughput &rate) {
  double programs = static_cast<double>(result.programs), hertz = rate.gigahertz * 1e9;
  double busiest = std::ceil(programs / processors);
  result.waves = programs / (processors * static_cast<double>(result.programsPerSm));
  const Part units[] = {
      {"tensor cores", work.tensorCycles},
      {"special functions", work.specialCycles},
      {"instructions", work.issued / rate.schedulers},
      {"shared memory", work.sharedBytes / rate.sharedBytes},
  };
  // Programs of a multiprocessor are in each other's way at the unit that they need most, unless one waits for memory.
  double together = std::min(static_cast<double>(result.programsPerSm), busiest);
  double wave = std::max(work.aloneCycles, work.busyCycles + (together - 1) * longestOf(units).cycles);

  SmallVector<Part> busy(units, std::end(units));
  busy.front().cycles /= rate.tensorShare;
  busy.push_back({"L2 cache", work.trafficBytes / rate.cacheBytes});
  double sum = 0;
  for (Part &part : busy)
    sum += std::pow(part.cycles *= busiest, kOverlap);
  const Part whole[] = {
      {longestOf(busy).name, std::pow(sum, 1 / kOverlap)},
      {"latency", std::ceil(result.waves) * wave},
      {"memory", memory / (rate.memoryBytes * 1e9) * hertz + rate.latency},
  };
  result.bound = longestOf(whole).name.str();
  result.microseconds = longestOf(whole).cycles / hertz * 1e6 + rate.launchMicroseconds;
}

Estimate estimate(ModuleOp module, const LaunchFacts &launch, const Target &target) {
  Estimate result;
  auto source = *module.getOps<func::FuncOp>().begin();
  int64_t words = mostLiveWords(source);
  int64_t sumWords = mostLiveSumWords(source);
  const Throughput &rate = throughputOf(target);
  std::map<std::string, int64_t> facts = launch.values;
  facts.emplace("num_sms", launch.numSms);
  LaunchValues plain(source, facts);
  result.terms = longestSum(source, plain);
  result.copiesAhead =
      source
          .walk([](scf::ForOp loop) {
            return loop.getBody()->getOps<DotOp>().empty() ? WalkResult::advance() : WalkResult::interrupt();
          })
          .wasInterrupted();
  OwningOpRef<ModuleOp> kept = module.clone(); // for the form that every kernel has
  result.rejection = decide(module, target, "fast");
  if (result.rejection.empty() && module.getOps<func::FuncOp>().empty())
    result.rejection = decide(module = *kept, target, "generic");
  if (!result.rejection.empty())
    return result;

  auto kernel = *module.getOps<func::FuncOp>().begin();
  auto number = [&](StringRef name) {
    auto attribute = kernel->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getInt() : 0;
  };
  result.warps = number(TileGPUDialect::kWarps);
  result.sharedBytes = number(TileGPUDialect::kSharedBytes);
  int64_t most = std::min<int64_t>(target.registersPerThread,
                                   target.registersPerProcessor / result.threads() / kRegisterUnit * kRegisterUnit);
  if (auto schedule = kernel->getAttrOfType<DictionaryAttr>(TileDialect::kSchedule))
    if (auto given = schedule.getAs<IntegerAttr>("max_registers"))
      most = std::min(most, given.getInt());
  if (int64_t sums = llvm::divideCeil(sumWords, result.threads()); sums && sums + kLeastBesideSums > most) {
    result.rejection = "the sums of its products take " + std::to_string(sums) + " registers of a thread; expected " +
                       std::to_string(most - kLeastBesideSums) + " at most, as it has " + std::to_string(most);
    return result;
  }
  int64_t tiles = llvm::divideCeil(words, result.threads());
  double excess = static_cast<double>(std::max<int64_t>(tiles - most, 0));
  result.registers = std::min(tiles + (sumWords ? kRegistersBesideProducts : kRegistersBeside), most);
  if (int64_t resident = number(TileGPUDialect::kResidentBlocks))
    result.registers =
        std::min<int64_t>(result.registers, target.registersPerProcessor / (resident * result.threads()));
  result.programsPerSm = occupancy(target, result.threads(), result.registers, result.sharedBytes).blocks;

  LaunchValues values(kernel, facts);
  if (values.grid() && values.countPrograms() > 0) {
    result.programs = values.countPrograms();
    ProgramWork work = meanWork(kernel, values, rate);
    // What has no register is written to memory and read again.
    for (double *cycles : {&work.aloneCycles, &work.busyCycles})
      *cycles *= 1 + excess / static_cast<double>(most);
    addTime(result, work, memoryBytes(kernel, work, values, static_cast<double>(result.programs)),
            static_cast<double>(facts["num_sms"]), rate);
  }
  result.code = llvm::xxh3_64bits(printDecided(module)); // last, as it takes off what the others read
  return result;
}

} // namespace tile
