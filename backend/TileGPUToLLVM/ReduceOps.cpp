/// Reductions: first the registers of a thread, as a tree; then the lanes that walk the axis, by butterflies; then the
/// warps that do, through shared memory. Afterwards every thread that holds an element of the result holds the same.
#include "backend/TileGPUToLLVM/LowerTiles.h"
#include "backend/TileGPUToLLVM/SharedMemory.h"

#include "backend/TileGPUToLLVM/GlobalMemory.h"
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

  void acrossWarps(std::vector<Elements> &sums, const ReduceExchange &exchange) {
    Value base = scratchOf(emit, op);
    ThreadCoordinates coordinates(emit, result);
    // Of the lanes that hold the same sum one stores; of the warps all that have their own terms.
    Value lanes = emitDigitsAreZero(emit, result, HwDim::Lane, emit.lane(), result.freeDigits(HwDim::Lane));
    Value warps = emitDigitsAreZero(emit, layout, HwDim::Warp, emit.warp(), layout.freeDigits(HwDim::Warp));
    Value stores = emit.both(lanes, warps);
    Value slot = warpAlongAxis();
    auto address = [&](size_t operand, Value index, int64_t bytes) {
      return emit.offset(emit.offset(base, emit.i64(exchange.offsets[operand])), emit.mul(index, emit.i32(bytes)));
    };
    std::vector<Value> rows;
    for (auto [reg, sum] : llvm::enumerate(sums)) {
      rows.push_back(emit.mul(position(coordinates, reg), emit.i32(exchange.warps)));
      for (auto [k, value] : llvm::enumerate(sum))
        emitSharedStore(emit, address(k, emit.add(rows.back(), slot), memoryBytes(value.getType())), stores, value);
    }
    emit.barrier();
    for (auto [reg, sum] : llvm::enumerate(sums)) {
      SmallVector<Elements> partials(exchange.warps);
      for (auto [k, value] : llvm::enumerate(sum)) {
        int64_t bytes = memoryBytes(value.getType()), vector = 1;
        // Rows of a power of two of slots are aligned to what they are long.
        while (exchange.warps % (2 * vector) == 0 && 2 * vector * bytes <= 16)
          vector *= 2;
        for (int64_t i = 0; i < exchange.warps; i += vector)
          for (auto [j, loaded] : llvm::enumerate(
                   emitSharedLoad(emit, address(k, emit.add(rows[reg], emit.i32(i)), bytes), value.getType(), vector)))
            partials[i + j].push_back(loaded);
      }
      sum = tree(std::move(partials));
    }
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
