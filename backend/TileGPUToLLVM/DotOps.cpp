/// Products without tensor cores: both factors go to shared memory in row-major order, then every thread sums up its
/// elements of the result in a loop over K. Right for every type and extent, and made for small tiles.
#include "backend/TileGPUToLLVM/GlobalMemory.h"
#include "backend/TileGPUToLLVM/LowerTiles.h"
#include "backend/TileGPUToLLVM/SharedMemory.h"
#include "backend/TileGPUToLLVM/TileExchange.h"
#include "ir/TileGPU/DotOperands.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

/// PTX ISA, cvt.rna.tf32.f32: the nearest number of ten mantissa bits, the low ones 0.
static Value roundToTf32(Emitter &emit, Value value) {
  Value bits = emit.ptx("cvt.rna.tf32.f32 $0, $1;", "=r,f", value, emit.builder.getI32Type(), Emitter::Effect::None)[0];
  return emit.bitcast(bits, value.getType());
}

namespace {
class DotEmitter {
public:
  DotEmitter(Emitter &emit, DotOp dot) : emit(emit), dot(dot), layout(layoutIn(dot)), coordinates(emit, layout) {}

  SmallVector<Value> run(ValueRange lhs, ValueRange rhs, ValueRange acc) {
    DotOperands exchange = planDotOperands(dot);
    Value lhsBase = scratchOf(emit, dot), rhsBase = emit.offset(lhsBase, emit.i64(exchange.rhsOffset));
    emitRowMajorStore(emit, layoutIn(dot.getLhs()), lhs, lhsBase);
    emitRowMajorStore(emit, layoutIn(dot.getRhs()), rhs, rhsBase);
    emit.barrier();

    int64_t depth = shapeOf(dot.getLhs().getType())[1], columns = layout.extent(1);
    Type element = lhs[0].getType();
    int64_t bytes = memoryBytes(element);
    // Addresses of the thread's rows and columns for k = 0, by the register's part of the coordinate.
    std::map<int64_t, Value> rows, cols;
    for (int64_t reg = 0; reg < layout.numRegisters(); ++reg) {
      Coords part = layout.registerOffset(reg);
      auto address = [&](Value base, Value position) { return emit.offset(base, emit.mul(position, emit.i32(bytes))); };
      if (Value &row = rows[part[0]]; !row)
        row = address(lhsBase, emit.mul(coordinates.coordinate(0, reg), emit.i32(depth)));
      if (Value &col = cols[part[1]]; !col)
        col = address(rhsBase, coordinates.coordinate(1, reg));
    }

    OpBuilder &b = emit.builder;
    auto loop = scf::ForOp::create(b, emit.loc, emit.i32(0), emit.i32(depth), emit.i32(1), acc);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value k = loop.getInductionVar();
      Value lhsStep = emit.mul(k, emit.i32(bytes)), rhsStep = emit.mul(k, emit.i32(columns * bytes));
      std::map<int64_t, Value> lefts, rights;
      for (auto [part, row] : rows)
        lefts[part] = factor(emitSharedLoad(emit, emit.offset(row, lhsStep), element, 1)[0]);
      for (auto [part, col] : cols)
        rights[part] = factor(emitSharedLoad(emit, emit.offset(col, rhsStep), element, 1)[0]);
      SmallVector<Value> sums;
      for (auto [reg, sum] : llvm::enumerate(loop.getRegionIterArgs())) {
        Coords part = layout.registerOffset(reg);
        sums.push_back(multiplyAdd(lefts[part[0]], rights[part[1]], sum));
      }
      scf::YieldOp::create(b, emit.loc, sums);
    }
    return llvm::to_vector_of<Value>(loop.getResults());
  }

private:
  /// A factor as it is multiplied: in the type of the sum.
  Value factor(Value value) {
    OpBuilder &b = emit.builder;
    Type type = value.getType(), sum = elementOf(dot.getType());
    if (dot.getPrecision() == Precision::Tf32)
      return roundToTf32(emit, value);
    if (type == sum)
      return value;
    if (isa<FloatType>(type))
      return arith::ExtFOp::create(b, emit.loc, sum, value);
    return dot.getSign() == Signedness::Signed ? arith::ExtSIOp::create(b, emit.loc, sum, value).getResult()
                                               : arith::ExtUIOp::create(b, emit.loc, sum, value).getResult();
  }

  Value multiplyAdd(Value a, Value b, Value sum) {
    if (isa<FloatType>(sum.getType()))
      return math::FmaOp::create(emit.builder, emit.loc, a, b, sum);
    return emit.add(sum, emit.mul(a, b));
  }

  Emitter &emit;
  DotOp dot;
  const Layout &layout;
  ThreadCoordinates coordinates;
};

struct LowerDot : public OpConversionPattern<DotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(DotOp dot, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (dot->hasAttr(TileGPUDialect::kMma))
      return rewriter.notifyMatchFailure(dot, "runs on the tensor cores");
    if (isFloat8(elementOf(dot.getLhs().getType())))
      return rewriter.notifyMatchFailure(dot, "factors of 8-bit floats were not widened");
    Emitter emit(rewriter, dot.getLoc());
    SmallVector<Value> registers = DotEmitter(emit, dot).run(adaptor.getLhs(), adaptor.getRhs(), adaptor.getAcc());
    rewriter.replaceOpWithMultiple(dot, SmallVector<SmallVector<Value>>{registers});
    return success();
  }
};
} // namespace

void tgpu::populateDotPatterns(const TileTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerDot>(types, patterns.getContext());
}
