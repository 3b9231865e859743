/// Products of warpgroups, by wgmma (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"). A product is one
/// group of instructions: for each 64 rows of a warpgroup and each piece of its columns all steps along K, which add to
/// the same registers. What they read by descriptors was placed by `planWgmma`.
#include "backend/TileGPUToLLVM/GlobalMemory.h"
#include "backend/TileGPUToLLVM/LowerTiles.h"
#include "ir/TileGPU/WgmmaAccess.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

/// What the fields of a descriptor leave out (PTX ISA, "Matrix-descriptor Encode").
static constexpr int64_t kDescriptorUnit = 16;

namespace {
/// One factor in shared memory.
class Descriptors {
public:
  Descriptors(Emitter &emit, const DescriptorPlan &plan, int64_t elementBytes, Value slot) : emit(emit), plan(plan) {
    constexpr int64_t kAddressMask = 0x3fff;
    Value start = emit.add(slot, emit.mul(uniform(emitTerms(emit, plan.threadTerms)), emit.i32(elementBytes)));
    Value field =
        emit.bitAnd(emit.builder.createOrFold<arith::ShRUIOp>(emit.loc, start, emit.i32(4)), emit.i32(kAddressMask));
    Value wide = emit.builder.createOrFold<arith::ExtUIOp>(emit.loc, emit.builder.getI64Type(), field);
    base = emit.bitOr(wide, emit.i64(fixedBits()));
  }

  /// Of the instruction of `block` and `step`.
  Value at(size_t block, size_t step) {
    return emit.add(base, emit.i64(plan.starts[block * plan.steps.size() + step] / kDescriptorUnit));
  }

private:
  /// The same for all threads of a warp, as it is, in a form from which the assembler knows that: descriptors are then
  /// computed in uniform registers, where wgmma wants them, and not moved there one by one. Loops may do without it.
  Value uniform(Value value) {
    if (matchPattern(value, m_Constant()))
      return value;
    return emit.ptx("shfl.sync.idx.b32 $0, $1, 0, 31, -1;", "=r,r", value, value.getType(), Emitter::Effect::None)[0];
  }

  /// PTX ISA, "Matrix Descriptor Format": the strides and the kind of swizzle.
  int64_t fixedBits() const {
    uint64_t mode = plan.swizzle == 128 ? 1 : plan.swizzle == 64 ? 2 : 3;
    // Where there is no second atom its stride is not looked at.
    auto field = [](int64_t bytes) { return uint64_t(std::max<int64_t>(bytes / kDescriptorUnit, 1)); };
    return int64_t(mode << 62 | field(plan.stride) << 32 | field(plan.leading) << 16);
  }

  Emitter &emit;
  const DescriptorPlan &plan;
  Value base;
};

/// The left factor in registers.
class LeftWords {
public:
  LeftWords(Emitter &emit, const MmaKind &kind, const Layout &fragment, ValueRange values)
      : emit(emit), kind(kind), fragment(fragment), values(values) {}

  /// The four words of 64 rows from `row` and of the instruction's elements from `k`.
  SmallVector<Value> at(int64_t row, int64_t k) {
    SmallVector<Value> words;
    for (int64_t word = 0; word < 4; ++word) {
      SmallVector<Value> elements;
      for (int64_t i = 0; i < kind.perWord(); ++i)
        elements.push_back(values[*fragment.registerAt(
            {row + MmaKind::kHalfRows * (word % 2), k + kind.depth() / 2 * (word / 2) + i})]);
      words.push_back(packWords(emit, elements, 4)[0]);
    }
    return words;
  }

private:
  Emitter &emit;
  const MmaKind &kind;
  const Layout &fragment;
  ValueRange values;
};

/// The text of a product: all its instructions, with what they read and the sums that they add to.
class ProductText {
public:
  ProductText(Emitter &emit, const char *sumConstraint) : emit(emit), sumConstraint(sumConstraint) {}

  /// The sum of `reg`, which is both read and written.
  std::string sum(int64_t reg) {
    auto [known, isNew] = numbers.try_emplace(reg, registers.size());
    if (isNew)
      registers.push_back(reg);
    return "$" + std::to_string(known->second);
  }

  /// Takes an operand; all sums have been named.
  std::string take(Value value, const char *constraint) {
    constraints += std::string(",") + constraint;
    operands.push_back(value);
    return "$" + std::to_string(registers.size() + operands.size() - 1);
  }

  void emitAll(const std::string &text, SmallVector<Value> &sums) {
    std::string outputs;
    // The first instruction writes sums while later ones still read factors, so no factor may share a register with a
    // sum, not even where both begin with the same value.
    for (auto [i, reg] : llvm::enumerate(registers)) {
      outputs += std::string(i ? ",=&" : "=&") + sumConstraint;
      constraints += "," + std::to_string(i);
      operands.push_back(sums[reg]);
    }
    SmallVector<Type> types(registers.size(), sums.front().getType());
    SmallVector<Value> results = emit.ptx(text, outputs + constraints, operands, types, Emitter::Effect::Memory);
    for (auto [reg, value] : llvm::zip_equal(registers, results))
      sums[reg] = value;
  }

private:
  Emitter &emit;
  const char *sumConstraint;
  std::string constraints;
  SmallVector<Value> operands;
  SmallVector<int64_t> registers;
  std::map<int64_t, size_t> numbers;
};

/// One text holds the whole product. LLVM sets registers for the sums right before it, so the fence that orders them is
/// its first instruction; and copies them where it cannot do without right behind it, so a wait is its last.
struct LowerMmaAsync : public OpConversionPattern<MmaAsyncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MmaAsyncOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    WgmmaPlan plan =
        *planWgmma(op.getLhs().getType(), op.getRhs().getType(), op.getPrecision(), warpCounts(op.getWarps()));
    const MmaKind &kind = *plan.kind;
    const Layout &acc = layoutIn(op.getResult());
    Descriptors rhs(emit, plan.rhs, kind.bits / 8, adaptor.getRhs().front());
    std::optional<Descriptors> lhs;
    std::optional<LeftWords> words;
    if (plan.lhs)
      lhs.emplace(emit, *plan.lhs, kind.bits / 8, adaptor.getLhs().front());
    else
      words.emplace(emit, kind, layoutIn(op.getLhs()), adaptor.getLhs());
    std::vector<int64_t> rows = plan.lhs ? plan.lhs->blocks : rowsOf(acc);

    ProductText text(emit, kind.result == "f32" ? "f" : "r");
    std::vector<std::string> sumLists;
    for (int64_t row : rows)
      for (int64_t column : plan.rhs.blocks)
        sumLists.push_back(listSums(text, acc, row, column, plan.rhs.rows));
    std::string body = "{ .reg .pred add; setp.eq.u32 add, 0, 0; wgmma.fence.sync.aligned; ";
    std::string mnemonic = mnemonicOf(op, plan), modifiers = modifiersOf(plan);
    // Operands that several instructions read are taken once.
    std::vector<std::string> rightOf;
    for (size_t piece = 0; piece < plan.rhs.blocks.size(); ++piece)
      for (size_t step = 0; step < plan.rhs.steps.size(); ++step)
        rightOf.push_back(text.take(rhs.at(piece, step), "l"));
    size_t next = 0;
    for (auto [block, row] : llvm::enumerate(rows)) {
      std::vector<std::string> leftOf;
      for (auto [step, k] : llvm::enumerate(plan.rhs.steps))
        leftOf.push_back(lhs ? text.take(lhs->at(block, step), "l") : takeWords(text, words->at(row, k)));
      for (size_t piece = 0; piece < plan.rhs.blocks.size(); ++piece, ++next)
        for (size_t step = 0; step < plan.rhs.steps.size(); ++step)
          body += mnemonic + " {" + sumLists[next] + "}, " + leftOf[step] + ", " +
                  rightOf[piece * plan.rhs.steps.size() + step] + ", add" + modifiers + "; ";
    }
    body += "wgmma.commit_group.sync.aligned; ";
    if (op.getWaits())
      body += "wgmma.wait_group.sync.aligned 0; ";
    SmallVector<Value> sums(adaptor.getAcc());
    text.emitAll(body + "}", sums);
    SmallVector<SmallVector<Value>> results = {sums, {emit.i32(0)}};
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }

private:
  static std::vector<int64_t> rowsOf(const Layout &acc) {
    std::vector<int64_t> rows;
    for (int64_t row = 0; row < acc.extent(0); row += MmaKind::kWarpgroupRows)
      if (acc.registerAt({row, 0}))
        rows.push_back(row);
    return rows;
  }

  /// The accumulators of an instruction, in its order (PTX ISA, "Register Fragments and Shared Memory Matrix Layouts").
  static std::string listSums(ProductText &text, const Layout &acc, int64_t row, int64_t column, int64_t columns) {
    std::string list;
    for (int64_t i = 0; i < columns / 2; ++i)
      list += (i ? ", " : "") + text.sum(*acc.registerAt({row + MmaKind::kHalfRows * (i / 2 % 2),
                                                          column + MmaKind::kColumns * (i / 4) + i % 2}));
    return list;
  }

  static std::string takeWords(ProductText &text, ArrayRef<Value> words) {
    std::string list;
    for (Value word : words)
      list += (list.empty() ? "{" : ", ") + text.take(word, "r");
    return list + "}";
  }

  static std::string mnemonicOf(MmaAsyncOp op, const WgmmaPlan &plan) {
    const MmaKind &kind = *plan.kind;
    Type left = elementOfFactor(op.getLhs().getType());
    return "wgmma.mma_async.sync.aligned.m" + std::to_string(MmaKind::kWarpgroupRows) + "n" +
           std::to_string(plan.rhs.rows) + "k" + std::to_string(kind.depth()) + "." + kind.result.str() + "." +
           findMmaKind(left, op.getPrecision())->operandFor(op.getSign()).str() + "." +
           kind.operandFor(op.getSign()).str();
  }

  /// After the predicate that says to add: signs of the factors of floats, and which of them of 16 bits lie across K.
  static std::string modifiersOf(const WgmmaPlan &plan) {
    if (plan.kind->result != "f32")
      return "";
    auto transposed = [](const DescriptorPlan &factor) {
      return factor.order == MatrixOrder::Transposed ? ", 1" : ", 0";
    };
    std::string text = ", 1, 1";
    if (!plan.kind->isTransposable())
      return text;
    return text + (plan.lhs ? transposed(*plan.lhs) : "") + transposed(plan.rhs);
  }
};

/// The sums pass through the instruction, so that nothing uses them before it.
struct LowerMmaWait : public OpConversionPattern<MmaWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MmaWaitOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    std::string outputs, inputs;
    SmallVector<Value> operands;
    SmallVector<Type> types;
    for (ValueRange tile : adaptor.getValues())
      for (Value value : tile) {
        outputs += (types.empty() ? "=" : ",=") + std::string(value.getType().isF32() ? "f" : "r");
        inputs += "," + std::to_string(types.size());
        operands.push_back(value);
        types.push_back(value.getType());
      }
    SmallVector<Value> passed =
        emit.ptx("wgmma.wait_group.sync.aligned " + std::to_string(op.getPending().value_or(0)) + ";", outputs + inputs,
                 operands, types, Emitter::Effect::Memory);
    SmallVector<SmallVector<Value>> results;
    size_t next = 0;
    for (ValueRange tile : adaptor.getValues()) {
      results.emplace_back(ArrayRef(passed).slice(next, tile.size()));
      next += tile.size();
    }
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }
};

struct LowerFenceAsync : public OpConversionPattern<FenceAsyncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(FenceAsyncOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    emit.ptx("fence.proxy.async.shared::cta;", "", {}, {}, Emitter::Effect::Memory);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerDone : public OpConversionPattern<DoneOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(DoneOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, Emitter(rewriter, op.getLoc()).i32(0));
    return success();
  }
};
} // namespace

void tgpu::populateWgmmaPatterns(const TileTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerDone, LowerFenceAsync, LowerMmaAsync, LowerMmaWait>(types, patterns.getContext());
}
