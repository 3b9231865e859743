#include "runtime/search/ProgramWork.h"

#include "ir/TileGPU/LayoutRules.h"
#include "ir/TileGPU/MmaKind.h"
#include "ir/TileGPU/ProductShare.h"
#include "ir/TileGPU/Scratch.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile::tgpu;

namespace tile {

ProgramWork &ProgramWork::operator+=(const ProgramWork &other) {
  tensorCycles += other.tensorCycles;
  specialCycles += other.specialCycles;
  issued += other.issued;
  sharedBytes += other.sharedBytes;
  trafficBytes += other.trafficBytes;
  aloneCycles += other.aloneCycles;
  busyCycles += other.busyCycles;
  for (auto [tensor, traffic] : other.tensors) {
    Traffic &sum = tensors[tensor];
    sum.read += traffic.read;
    sum.written += traffic.written;
  }
  return *this;
}

ProgramWork &ProgramWork::operator*=(double factor) {
  for (double *part : {&tensorCycles, &specialCycles, &issued, &sharedBytes, &trafficBytes, &aloneCycles, &busyCycles})
    *part *= factor;
  for (auto &[tensor, traffic] : tensors) {
    traffic.read *= factor;
    traffic.written *= factor;
  }
  return *this;
}

namespace {

constexpr double kLanes = 32;
/// Beside the instruction that moves: an address, a condition.
constexpr double kInstructionsOfAccess = 3;
/// What a sum in registers takes of the loads of its factors beside each product.
constexpr double kInstructionsOfProduct = 1.25;

/// Slots of the schedulers for an element, and how many special instructions.
struct ElementCost {
  double issued, special;
};

/// Comparisons, choices, conversions and integers have half the lanes of sums and products of floats. The others are no
/// single instruction.
ElementCost elementCost(Operation *op) {
  static const llvm::StringMap<ElementCost> costs = {
      {"arith.addf", {1, 0}},  {"arith.mulf", {1, 0}}, {"arith.subf", {1, 0}},       {"arith.negf", {0, 0}},
      {"arith.divf", {10, 1}}, {"arith.extf", {1, 0}}, {"arith.truncf", {1, 0}},     {"math.cos", {20, 0}},
      {"math.erf", {25, 1}},   {"math.exp", {4, 1}},   {"math.exp2", {1, 1}},        {"math.fma", {1, 0}},
      {"math.log", {6, 1}},    {"math.log2", {5, 1}},  {"math.rsqrt", {2, 1}},       {"math.sin", {20, 0}},
      {"math.sqrt", {10, 1}},  {"math.tanh", {16, 2}}, {"tile.approximate", {1, 1}}, {"tile.divi", {40, 1}},
      {"tile.remi", {40, 1}}};
  auto found = costs.find(op->getName().getStringRef());
  return found == costs.end() ? ElementCost{2, 0} : found->second;
}

/// What of a block is not in ProgramWork: what its loop overlaps.
struct BlockCost {
  ProgramWork work;
  double behind = 0;      ///< cycles of products that go on in the next iteration
  double copiedBytes = 0; ///< asynchronously
  int64_t slots = 0;      ///< the fewest of a buffer that is copied to
  bool hasProducts = false, hasPrefetched = false;
};

class WorkCounter {
public:
  WorkCounter(LaunchValues &values, const Throughput &throughput, double warps)
      : values(values), rate(throughput), warps(warps) {}

  BlockCost ofBlock(Block &block) {
    BlockCost cost;
    double issued = 0, special = 0;
    llvm::SmallPtrSet<mlir::Value, 8> pending; // loaded, and not used yet
    for (Operation &op : block) {
      bool isUsed = llvm::any_of(op.getOperands(), [&](mlir::Value operand) { return pending.contains(operand); });
      if (isUsed && !isa<scf::YieldOp>(op)) {
        cost.work.aloneCycles += rate.latency;
        pending.clear();
      } else if (isUsed) {
        cost.hasPrefetched = true;
      }
      ProgramWork work = ofOp(op, cost);
      issued += op.getNumRegions() ? 0 : work.issued;
      special += op.getNumRegions() ? 0 : work.specialCycles;
      cost.work += work;
      if (isa<LoadOp, LoadPtrOp, AtomicOp, AtomicPtrOp>(op))
        pending.insert(op.getResult(0));
    }
    addBusy(cost.work, issued / std::min(rate.schedulers, warps * rate.warpIssue) + special);
    return cost;
  }

private:
  static void addBusy(ProgramWork &work, double cycles) {
    work.aloneCycles += cycles;
    work.busyCycles += cycles;
  }

  static double countElements(ArrayRef<int64_t> shape) {
    double count = 1;
    for (int64_t extent : shape)
      count *= static_cast<double>(extent);
    return count;
  }

  /// Elements that a thread has of a tile, repeated ones too; 1 of a scalar.
  static double elementsOfThread(LayoutAttr layout) {
    return layout ? static_cast<double>(layout.getLayout().numRegisters()) : 1;
  }

  ProgramWork ofOp(Operation &op, BlockCost &cost) {
    return llvm::TypeSwitch<Operation *, ProgramWork>(&op)
        .Case([&](scf::ForOp loop) { return ofLoop(loop); })
        .Case([&](scf::IfOp branch) { return ofBranch(branch); })
        .Case([&](scf::WhileOp loop) {
          ProgramWork work = ofBlock(loop.getBefore().front()).work;
          work += ofBlock(loop.getAfter().front()).work;
          return work *= static_cast<double>(kUnknownTrips);
        })
        .Case([&](MmaAsyncOp product) { return ofProduct(product, cost); })
        .Case([&](MmaOp product) { return ofProduct(product, cost); })
        .Case([&](DotOp product) { return ofDot(product, cost); })
        .Case([&](CopyAsyncOp copy) { return ofCopy(copy, cost); })
        .Case<ViewAccess, PointerAccess>([&](auto access) { return ofAccess(access.getOperation()); })
        .Default([&](Operation *other) {
          auto [known, isNew] = ofLayouts.try_emplace(other);
          return isNew ? ofLayouts[other] = computeOfLayouts(other) : known->second;
        });
  }

  /// Of an op whose work does not depend on the launch.
  ProgramWork computeOfLayouts(Operation *op) {
    return llvm::TypeSwitch<Operation *, ProgramWork>(op)
        .Case([&](ReduceOp reduce) { return ofReduce(reduce); })
        .Case([&](ConvertLayoutOp convert) { return ofConversion(convert); })
        .Case([&](StoreSharedOp store) { return ofMove(store.getValue().getType(), store.getSlot().getType()); })
        .Case([&](LoadSharedOp load) { return ofMove(load.getType(), load.getSlot().getType()); })
        .Default([&](Operation *other) { return ofElements(other); });
  }

  static double bytesOf(Type tile) {
    return countElements(shapeOf(tile)) * static_cast<double>(elementBytes(elementOf(tile)));
  }

  /// Between registers and a slot; banks that several lanes want at once count as often.
  ProgramWork ofMove(Type tile, SlotType slot) {
    const Layout &registers = tgpu::layoutOf(tile).getLayout(), &shared = slot.getLayout().getLayout();
    int bits = static_cast<int>(8 * elementBytes(elementOf(tile)));
    SharedAccess access = planSharedAccess(registers, shared, kMaxVectorBits / bits);
    ProgramWork work;
    work.issued = static_cast<double>(access.registers.size()) * warps;
    work.sharedBytes = work.issued * countWavefronts(registers, shared, bits, access.vector) * rate.sharedBytes;
    addBusy(work, work.sharedBytes / rate.sharedBytes + rate.barrierCycles);
    return work;
  }

  ProgramWork ofElements(Operation *op) {
    ProgramWork work;
    if (op->getNumResults() == 0 || op->hasTrait<OpTrait::ConstantLike>() ||
        isa<SplatOp, BroadcastOp, ExpandDimsOp>(op))
      return work;
    ElementCost each = elementCost(op);
    double elements = elementsOfThread(tgpu::layoutOf(op->getResult(0).getType())) * warps;
    work.issued = each.issued * elements;
    work.specialCycles = each.special * elements * kLanes / rate.specialLanes;
    return work;
  }

  //===-- Products

  double tensorCycles(double operations, Type factor, double share) const {
    constexpr double kUsualBits = 16;
    double bits = static_cast<double>(8 * elementBytes(elementOfFactor(factor)));
    return operations * bits / kUsualBits / (rate.tensorOperations * share);
  }

  static ArrayRef<int64_t> factorShape(Type factor) {
    auto slot = dyn_cast<SlotType>(factor);
    return slot ? slot.getShape() : shapeOf(factor);
  }

  template <typename Product> ProgramWork ofProduct(Product product, BlockCost &cost) {
    constexpr bool isAsync = std::is_same_v<Product, MmaAsyncOp>;
    Type lhs = product.getLhs().getType(), rhs = product.getRhs().getType();
    ArrayRef<int64_t> result = shapeOf(product.getAcc().getType());
    double m = static_cast<double>(result[0]), n = static_cast<double>(result[1]),
           depthBytes = static_cast<double>(factorShape(lhs)[1] * elementBytes(elementOfFactor(lhs))),
           alongM = static_cast<double>(product.getWarps()[0]), alongN = static_cast<double>(product.getWarps()[1]);
    ProgramWork work;
    work.tensorCycles = tensorCycles(2 * countElements(result) * static_cast<double>(factorShape(lhs)[1]), lhs,
                                     isAsync ? 1 : rate.mmaShare);
    // Each group of warps reads its rows once, and its columns anew for every instruction along M.
    double rows = isAsync ? static_cast<double>(MmaKind::kWarpgroupRows) : m / alongM;
    double instructionsAlongM = m / rows;
    if (isa<SlotType>(lhs))
      work.sharedBytes += m * depthBytes * alongN;
    if (isa<SlotType>(rhs))
      work.sharedBytes += n * depthBytes * instructionsAlongM;
    cost.hasProducts = true;
    double cycles = std::max(work.tensorCycles, work.sharedBytes / rate.sharedBytes);
    if constexpr (isAsync) {
      bool isWaitedFor = product.getWaits() || llvm::any_of(product.getToken().getUsers(), [&](Operation *user) {
                           return isa<MmaWaitOp>(user) && user->getBlock() == product->getBlock();
                         });
      if (!isWaitedFor) {
        cost.behind += cycles;
        return work;
      }
    } else {
      work.issued = work.tensorCycles / rate.schedulers * warps / 4; // as an instruction keeps its unit for some cycles
    }
    addBusy(work, cycles);
    return work;
  }

  /// One that no pass has placed: its factors go through shared memory within it, or each thread adds up its own sums.
  ProgramWork ofDot(DotOp dot, BlockCost &cost) {
    double operations =
        2 * countElements(shapeOf(dot.getType())) * static_cast<double>(shapeOf(dot.getLhs().getType())[1]);
    ProgramWork work;
    work.sharedBytes = 2 * (bytesOf(dot.getLhs().getType()) + bytesOf(dot.getRhs().getType()));
    cost.hasProducts = true;
    if (shareOf(dot)) {
      work.tensorCycles = tensorCycles(operations, dot.getLhs().getType(), rate.mmaShare);
      addBusy(work, work.tensorCycles);
    } else {
      work.issued = operations / 2 / kLanes * kInstructionsOfProduct;
    }
    addBusy(work, work.sharedBytes / rate.sharedBytes + 2 * rate.barrierCycles);
    return work;
  }

  //===-- Memory

  /// Bytes of `access` that lie inside its view, as far as the extents are known.
  double bytesInside(ViewAccess access, Type element) {
    double count = countElements(access.getAccessShape());
    auto view = access.getView().getDefiningOp<MakeViewOp>();
    for (auto [axis, size] : llvm::enumerate(access.getSizes())) {
      if (!view || size <= 0)
        continue;
      OpFoldResult extent = view.getMixedExtents()[axis];
      std::optional<int64_t> inside = isa<Attribute>(extent)
                                          ? std::optional(cast<IntegerAttr>(cast<Attribute>(extent)).getInt())
                                          : values.integer(cast<mlir::Value>(extent));
      if (inside && *inside < size)
        count *= static_cast<double>(*inside) / static_cast<double>(size);
    }
    return count * static_cast<double>(elementBytes(element));
  }

  static mlir::Value baseOf(mlir::Value view) {
    while (auto window = view.getDefiningOp<SubviewOp>())
      view = window.getView();
    auto made = view.getDefiningOp<MakeViewOp>();
    return made ? made.getBase() : view;
  }

  double instructionsOfAccess(Operation *access, LayoutAttr layout) const {
    auto plan = access->getAttrOfType<AccessAttr>(TileGPUDialect::kAccess);
    double vector = plan ? static_cast<double>(plan.getVector()) : 1;
    return std::max(elementsOfThread(layout) / vector, 1.0) * kInstructionsOfAccess * warps;
  }

  ProgramWork ofCopy(CopyAsyncOp copy, BlockCost &cost) {
    double share = shareOfTrips(copy.getPredicate());
    ProgramWork work;
    double bytes = bytesInside(cast<ViewAccess>(copy.getOperation()), copy.getSlot().getType().getElementType());
    work.trafficBytes = work.sharedBytes = bytes * share;
    work.tensors[baseOf(copy.getView())].read = bytes * share;
    work.issued = instructionsOfAccess(copy, copy.getLayoutAttr());
    cost.copiedBytes += bytes;
    int64_t slots = copy.getSlot().getDefiningOp<SlotOp>().getBuffer().getType().getStages();
    cost.slots = cost.slots ? std::min(cost.slots, slots) : slots;
    return work;
  }

  ProgramWork ofAccess(Operation *op) {
    ProgramWork work;
    bool isLoad = isa<LoadOp, LoadPtrOp, InsideOp>(op);
    Type tile = isLoad ? op->getResult(0).getType() : Type();
    if (isa<InsideOp>(op))
      return ofElements(op);
    if (!isLoad)
      tile =
          llvm::TypeSwitch<Operation *, Type>(op)
              .Case<StoreOp, StorePtrOp, AtomicOp, AtomicPtrOp>([](auto write) { return write.getValue().getType(); })
              .Default([](Operation *) { return Type(); });
    if (!tile)
      return work;
    auto view = dyn_cast<ViewAccess>(op);
    double bytes = view ? bytesInside(view, elementOf(tile)) : bytesOf(tile);
    work.trafficBytes = bytes;
    Traffic &traffic = work.tensors[view ? baseOf(view.getView()) : cast<PointerAccess>(op).getPointer()];
    bool isAtomic = isa<AtomicOp, AtomicPtrOp>(op);
    traffic.read = isLoad || isAtomic ? bytes : 0;
    traffic.written = isLoad ? 0 : bytes;
    work.issued = instructionsOfAccess(op, tgpu::layoutOf(tile));
    work.aloneCycles = bytes / rate.cacheBytes;
    return work;
  }

  /// For how many of its loop's iterations `condition` holds, as a part of them. It holds up to one of them.
  double shareOfTrips(mlir::Value condition) {
    if (!condition)
      return 1;
    auto loop = dyn_cast<scf::ForOp>(condition.getParentBlock()->getParentOp());
    std::optional<int64_t> trips = loop ? values.trips(loop) : std::nullopt;
    if (!trips || *trips == 0) {
      std::optional<int64_t> value = values.integer(condition);
      return value ? static_cast<double>(*value != 0) : 1;
    }
    int64_t low = 0, high = *trips; // the condition holds for all below `low`
    while (low < high) {
      int64_t middle = (low + high) / 2;
      values.setTrip(loop, middle);
      std::optional<int64_t> value = values.integer(condition);
      if (!value) {
        low = *trips;
        break;
      }
      (*value ? low : high) = *value ? middle + 1 : middle;
    }
    values.setTrip(loop, *trips / 2);
    return static_cast<double>(low) / static_cast<double>(*trips);
  }

  //===-- Between threads

  ProgramWork ofReduce(ReduceOp reduce) {
    ProgramWork work;
    for (mlir::Value operand : reduce.getOperands()) {
      LayoutAttr layout = tgpu::layoutOf(operand.getType());
      if (!layout)
        continue;
      double steps = 0; // between lanes
      for (uint64_t basis : layout.getLayout().bits(HwDim::Lane))
        steps += layout.getLayout().unpack(static_cast<int>(reduce.getAxis()), basis) != 0;
      double results = elementsOfThread(tgpu::layoutOf(reduce.getResult(0).getType()));
      work.issued += (elementsOfThread(layout) + 2 * steps * results) * warps;
    }
    ReduceExchange exchange = planReduceExchange(reduce);
    work.sharedBytes += static_cast<double>(2 * exchange.bytes);
    addBusy(work, exchange.warps > 1 ? rate.barrierCycles : 0);
    return work;
  }

  ProgramWork ofConversion(ConvertLayoutOp convert) {
    ProgramWork work;
    work.issued = planConversionOf(convert).cost * warps;
    if (scratchBytes(convert)) {
      work.sharedBytes = 2 * bytesOf(convert.getType());
      addBusy(work, work.sharedBytes / rate.sharedBytes + 2 * rate.barrierCycles);
    }
    return work;
  }

  //===-- Control flow

  ProgramWork ofLoop(scf::ForOp loop) {
    std::optional<int64_t> known = values.trips(loop);
    int64_t trips = known.value_or(kUnknownTrips);
    if (trips == 0)
      return {};
    values.setTrip(loop, trips / 2);
    BlockCost body = ofBlock(*loop.getBody());
    double between = !body.hasProducts ? 0 : body.behind ? rate.barrierCycles : rate.productCycles;
    double chain = std::max(body.work.aloneCycles, body.behind) + between;
    // Data is asked for some iterations before it is needed; a slot that a product may still read is no room for it.
    double ahead = body.slots ? static_cast<double>(body.slots - 1 - (body.behind > 0)) : 0;
    double arrival = rate.latency + body.copiedBytes / rate.cacheBytes;
    if (body.copiedBytes)
      chain = ahead >= 1 ? std::max(chain, arrival / ahead) : chain + arrival;
    if (body.hasPrefetched)
      chain = std::max(chain, rate.latency);
    ProgramWork work = body.work;
    work.aloneCycles = chain;
    work.busyCycles = std::max(body.work.busyCycles, body.behind) + between;
    work *= static_cast<double>(trips);
    work.aloneCycles += body.copiedBytes ? arrival : 0; // the first ones
    return work;
  }

  ProgramWork ofBranch(scf::IfOp branch) {
    std::optional<int64_t> condition = values.integer(branch.getCondition());
    ProgramWork taken, other;
    if (!condition || *condition)
      taken = ofBlock(branch.getThenRegion().front()).work;
    if ((!condition || !*condition) && !branch.getElseRegion().empty())
      other = ofBlock(branch.getElseRegion().front()).work;
    return taken.aloneCycles > other.aloneCycles ? taken : other;
  }

  LaunchValues &values;
  const Throughput &rate;
  double warps;
  DenseMap<Operation *, ProgramWork> ofLayouts;
};

} // namespace

/// Programs of a launch that are looked at where they differ.
static constexpr int64_t kSamples = 24;

/// Where more trips or another branch may come with the number of a program, some of them speak for all: far apart and
/// at no regular distance.
static int64_t sampleOf(int64_t i, int64_t programs) {
  constexpr double kGolden = 0.618033988749895;
  double whole, place = std::modf(0.5 + static_cast<double>(i) * kGolden, &whole);
  return std::min(static_cast<int64_t>(place * static_cast<double>(programs)), programs - 1);
}

ProgramWork meanWork(func::FuncOp kernel, LaunchValues &values, const Throughput &throughput) {
  WorkCounter counter(values, throughput, static_cast<double>(warpsOf(kernel).value_or(1)));
  int64_t programs = values.countPrograms(), samples = std::min(programs, kSamples);
  ProgramWork mean;
  for (int64_t i = 0; i < samples; ++i) {
    values.setProgram(programs <= kSamples ? i : sampleOf(i, programs));
    mean += counter.ofBlock(kernel.front()).work;
  }
  return mean *= 1.0 / static_cast<double>(std::max<int64_t>(samples, 1));
}

} // namespace tile
