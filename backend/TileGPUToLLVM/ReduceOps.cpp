/// Reductions: first the registers of a thread, as a tree; then the lanes that walk the axis, by butterflies; then the
/// warps that do, through shared memory. Afterwards every thread that holds an element of the result holds the same.
#include "backend/TileGPUToLLVM/LowerTiles.h"
#include "backend/TileGPUToLLVM/SharedMemory.h"

#include "backend/TileGPUToLLVM/GlobalMemory.h"
#include "backend/TileGPUToLLVM/TileExchange.h"
#include "ir/Layout/ShapeOps.h"
#include "ir/TileGPU/Scratch.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

/// One element of each operand.
using Elements = SmallVector<Value, 2>;

namespace {
class ReduceEmitter {
public:
  ReduceEmitter(Emitter &emit, ReduceOp op)
      : emit(emit), op(op), layout(layoutIn(op.getOperands()[0])), axis(op.getAxis()),
        result(sliceLayout(layout, axis)) {}

  /// `operands[k][r]` is register r of operand k; gives the same of the results.
  SmallVector<SmallVector<Value>> run(ArrayRef<ValueRange> operands) {
    std::vector<SmallVector<Elements>> terms(result.numRegisters());
    std::vector<int64_t> resultRegister = sliceRegisters(layout, axis);
    for (int64_t reg = 0; reg < layout.numRegisters(); ++reg)
      // A register that repeats another would count its element twice.
      if (layout.isOwner(reg, 0, 0))
        terms[resultRegister[reg]].push_back(
            llvm::map_to_vector<2>(operands, [&](ValueRange operand) { return operand[reg]; }));
    std::vector<Elements> sums;
    for (SmallVector<Elements> &each : terms)
      sums.push_back(acrossLanes(tree(std::move(each))));
    ReduceExchange exchange = planReduceExchange(op);
    if (exchange.warps > 1)
      acrossWarps(sums, exchange);
    SmallVector<SmallVector<Value>> results(operands.size());
    for (const Elements &sum : sums)
      for (auto [k, value] : llvm::enumerate(sum))
        results[k].push_back(value);
    return results;
  }

private:
  Elements combine(const Elements &a, const Elements &b) {
    IRMapping mapping;
    Block &body = op.getCombiner().front();
    for (auto [argument, value] : llvm::zip_equal(body.getArguments(), llvm::concat<const Value>(a, b)))
      mapping.map(argument, value);
    for (Operation &inner : body.without_terminator())
      emit.builder.clone(inner, mapping);
    return llvm::map_to_vector<2>(body.getTerminator()->getOperands(),
                                  [&](Value value) { return mapping.lookupOrDefault(value); });
  }

  /// Combines neighbours until one is left: as short a chain as there is.
  Elements tree(SmallVector<Elements> terms) {
    while (terms.size() > 1) {
      SmallVector<Elements> next;
      for (size_t i = 0; i + 1 < terms.size(); i += 2)
        next.push_back(combine(terms[i], terms[i + 1]));
      if (terms.size() % 2)
        next.push_back(terms.back());
      terms = std::move(next);
    }
    return terms.front();
  }

  Elements acrossLanes(Elements value) {
    int64_t mask = 1;
    for (uint64_t basis : layout.bits(HwDim::Lane)) {
      if (layout.unpack(axis, basis))
        value = combine(
            value, llvm::map_to_vector<2>(value, [&](Value element) { return emitShuffleXor(emit, element, mask); }));
      mask *= 2;
    }
    return value;
  }

  /// The index of the warp among those that share its elements of the result.
  Value warpAlongAxis() {
    SmallVector<CoordTerm> terms;
    int64_t scale = 1, divisor = 1;
    for (uint64_t basis : layout.bits(HwDim::Warp)) {
      if (layout.unpack(axis, basis)) {
        terms.push_back({HwDim::Warp, divisor, 2, scale});
        scale *= 2;
      }
      divisor *= 2;
    }
    Value index = emitTerms(emit, terms);
    for (OddDigit digit : layout.odd(HwDim::Warp)) {
      if (digit.dim == axis) {
        index = emit.add(index, emitTerms(emit, CoordTerm{HwDim::Warp, divisor, digit.radix, scale}));
        scale *= digit.radix;
      }
      divisor *= digit.radix;
    }
    return index;
  }

  /// Row-major position of register `reg` in the result.
  Value position(ThreadCoordinates &coordinates, int64_t reg) {
    Value linear = emit.i32(0);
    for (int dim = 0; dim < result.rank(); ++dim)
      linear = emit.add(emit.mul(linear, emit.i32(result.extent(dim))), coordinates.coordinate(dim, reg));
    return linear;
  }

  /// Whether the partials of a warp lie side by side, rather than those of a position. The latter takes few, wide loads
  /// where all lanes want the same position; where they want several, the partials of these should lie in the 128 bytes
  /// that the banks give in one pass.
  bool isByWarp(const ReduceExchange &exchange, int64_t bytes) const {
    constexpr int64_t kPassBytes = 128;
    int64_t positions = 1; // of one register, in the lanes of a warp
    for (uint64_t basis : result.bits(HwDim::Lane))
      positions *= basis ? 2 : 1;
    return positions > 1 && positions * result.numRegisters() * exchange.warps * bytes > kPassBytes;
  }

  void storeByWarp(Value array, int64_t positions, Value slot, Value predicate, ArrayRef<Value> partials) {
    int64_t bytes = memoryBytes(partials[0].getType());
    SharedExchange plan = planSharedExchange(result, result, 8 * bytes);
    SharedAddresses addresses(emit, plan.store.threadTerms, plan.store.disjoint, plan.layout, bytes,
                              emit.offset(array, emit.mul(slot, emit.i32(positions * bytes))));
    for (auto [offset, registers] : llvm::zip_equal(plan.store.offsets, plan.store.registers))
      emitSharedStore(emit, addresses.at(offset), predicate,
                      llvm::map_to_vector(registers, [&](int64_t reg) { return partials[reg]; }));
  }

  /// Of each warp, all registers.
  SmallVector<SmallVector<Value>> loadByWarp(Value array, int64_t positions, int64_t warps, Type element) {
    int64_t bytes = memoryBytes(element);
    SharedExchange plan = planSharedExchange(result, result, 8 * bytes);
    SmallVector<SmallVector<Value>> loaded;
    for (int64_t warp = 0; warp < warps; ++warp)
      loaded.push_back(emitTileLoad(emit, plan.load, result, plan.layout, element,
                                    emit.offset(array, emit.i64(warp * positions * bytes))));
    return loaded;
  }

  /// The address of slot `slot` of the register's position.
  Value slotAddress(Value array, ThreadCoordinates &coordinates, int64_t reg, int64_t warps, Value slot,
                    int64_t bytes) {
    Value index = emit.add(emit.mul(position(coordinates, reg), emit.i32(warps)), slot);
    return emit.offset(array, emit.mul(index, emit.i32(bytes)));
  }

  void storeByPosition(Value array, int64_t warps, Value slot, Value predicate, ArrayRef<Value> partials) {
    ThreadCoordinates coordinates(emit, result);
    for (auto [reg, value] : llvm::enumerate(partials))
      emitSharedStore(emit, slotAddress(array, coordinates, reg, warps, slot, memoryBytes(value.getType())), predicate,
                      value);
  }

  SmallVector<SmallVector<Value>> loadByPosition(Value array, int64_t warps, Type element) {
    int64_t bytes = memoryBytes(element), vector = 1;
    // Rows of a power of two of slots are aligned to what they are long.
    while (warps % (2 * vector) == 0 && 2 * vector * bytes <= 16)
      vector *= 2;
    ThreadCoordinates coordinates(emit, result);
    SmallVector<SmallVector<Value>> loaded(warps);
    for (int64_t reg = 0; reg < result.numRegisters(); ++reg)
      for (int64_t warp = 0; warp < warps; warp += vector) {
        Value address = slotAddress(array, coordinates, reg, warps, emit.i32(warp), bytes);
        for (auto [i, value] : llvm::enumerate(emitSharedLoad(emit, address, element, vector)))
          loaded[warp + i].push_back(value);
      }
    return loaded;
  }

  /// Stores one partial of each position, and combines those that all warps have stored.
  void acrossWarps(std::vector<Elements> &sums, const ReduceExchange &exchange) {
    Value base = scratchOf(emit, op);
    // Of the lanes that hold the same sum one stores; of the warps all that have their own terms.
    Value lanes = emitDigitsAreZero(emit, result, HwDim::Lane, emit.lane(), result.freeDigits(HwDim::Lane));
    Value warps = emitDigitsAreZero(emit, layout, HwDim::Warp, emit.warp(), layout.freeDigits(HwDim::Warp));
    Value stores = emit.both(lanes, warps);
    Value slot = warpAlongAxis();
    SmallVector<Value> arrays;
    for (auto [k, value] : llvm::enumerate(sums.front())) {
      arrays.push_back(emit.offset(base, emit.i64(exchange.offsets[k])));
      auto partials = llvm::map_to_vector(sums, [k = k](const Elements &sum) { return sum[k]; });
      if (isByWarp(exchange, memoryBytes(value.getType())))
        storeByWarp(arrays[k], exchange.positions, slot, stores, partials);
      else
        storeByPosition(arrays[k], exchange.warps, slot, stores, partials);
    }
    emit.barrier();
    // By register and warp.
    std::vector<SmallVector<Elements>> partials(sums.size(), SmallVector<Elements>(exchange.warps));
    for (auto [k, value] : llvm::enumerate(sums.front())) {
      Type element = value.getType();
      SmallVector<SmallVector<Value>> loaded = isByWarp(exchange, memoryBytes(element))
                                                   ? loadByWarp(arrays[k], exchange.positions, exchange.warps, element)
                                                   : loadByPosition(arrays[k], exchange.warps, element);
      for (auto [warp, registers] : llvm::enumerate(loaded))
        for (auto [reg, partial] : llvm::enumerate(registers))
          partials[reg][warp].push_back(partial);
    }
    for (auto [sum, terms] : llvm::zip_equal(sums, partials))
      sum = tree(std::move(terms));
  }

  Emitter &emit;
  ReduceOp op;
  const Layout &layout;
  int axis;
  Layout result;
};

struct LowerReduce : public OpConversionPattern<ReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ReduceOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    rewriter.replaceOpWithMultiple(op, ReduceEmitter(emit, op).run(adaptor.getOperands()));
    return success();
  }
};
} // namespace

void tgpu::populateReducePatterns(const TileTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerReduce>(types, patterns.getContext());
}
