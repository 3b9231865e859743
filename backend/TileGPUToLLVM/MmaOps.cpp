/// Products on the tensor cores, by mma.sync m16n8 (PTX ISA, "Matrix multiply-accumulate operation using mma
/// instruction"). Operands and accumulators have the layouts of its fragments, so an instruction's registers are found
/// by their coordinates: a fragment is named by its corner in the registers of a thread.
#include "backend/TileGPUToLLVM/GlobalMemory.h"
#include "backend/TileGPUToLLVM/LowerTiles.h"
#include "backend/TileGPUToLLVM/TileExchange.h"
#include "ir/TileGPU/DotOperands.h"
#include "ir/TileGPU/MmaKind.h"
#include "ir/TileGPU/SlotAccess.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

/// `rhs` is the kind of the right factor, of another type only where both are 8-bit floats.
static std::string mnemonicOf(const MmaKind &kind, const MmaKind &rhs, Signedness sign) {
  std::string result = kind.result.str();
  return "mma.sync.aligned.m" + std::to_string(MmaKind::kRows) + "n" + std::to_string(MmaKind::kColumns) + "k" +
         std::to_string(kind.depth()) + ".row.col." + result + "." + kind.operandFor(sign).str() + "." +
         rhs.operandFor(sign).str() + "." + result;
}

namespace {
/// The 32-bit registers of one factor's fragments, made when they are first asked for: what is read from shared memory
/// then stays in registers no longer than its instructions need it.
class OperandWords {
public:
  OperandWords(Emitter &emit, const MmaKind &kind, const MmaOperand &operand, Value base)
      : emit(emit), kind(kind), operand(operand), base(base) {}

  /// Stores the factor to shared memory, or converts it within registers.
  void prepare(ValueRange values, const Layout &source) {
    element = values[0].getType();
    if (operand.bytes == 0)
      registers = emitConversion(emit, operand.conversion, source, operand.fragment, values, Value());
    else
      emitTileStore(emit, operand.store, source, operand.shared, values, base);
  }

  /// The factor lies in a slot already, or in registers as the instruction takes it.
  void take(ValueRange values, Type type) {
    element = type;
    if (operand.bytes == 0)
      registers = llvm::to_vector(values);
  }

  /// After the barrier: where this thread reads.
  void locate() {
    if (operand.bytes == 0)
      return;
    if (!operand.matrix) {
      registers =
          emitTileLoad(emit, operand.load, operand.fragment, operand.shared, element, sharedPointer(emit, base));
      return;
    }
    addresses.emplace(emit, operand.matrix->threadTerms, operand.matrix->disjoint, operand.shared, memoryBytes(element),
                      base);
    for (auto [instruction, regs] : llvm::enumerate(operand.matrix->registers))
      for (size_t i = 0; i < regs.size(); i += kind.perWord())
        instructionOf[regs[i]] = instruction;
  }

  /// The word that begins at these coordinates, in the registers of a thread; the next elements of it lie along `step`.
  Value word(const Coords &first, const Coords &step) {
    int64_t reg = *operand.fragment.registerAt(first);
    Value &known = words[reg];
    if (known)
      return known;
    if (operand.matrix) {
      loadMatrices(instructionOf.at(reg));
      return words.at(reg);
    }
    SmallVector<Value> elements;
    for (int64_t i = 0; i < kind.perWord(); ++i)
      elements.push_back(registers[*operand.fragment.registerAt({first[0] + i * step[0], first[1] + i * step[1]})]);
    known = toWord(packWords(emit, elements, 4)[0]);
    return known;
  }

private:
  /// Factors of tf32 are rounded; PTX ISA, cvt.rna.tf32.f32.
  Value toWord(Value bits) {
    if (kind.operand != "tf32")
      return bits;
    return emit.ptx("cvt.rna.tf32.f32 $0, $1;", "=r,r", bits, bits.getType(), Emitter::Effect::None)[0];
  }

  /// PTX ISA, ldmatrix.
  void loadMatrices(int64_t instruction) {
    const MatrixAccess &matrix = *operand.matrix;
    std::string outputs, constraints;
    for (int i = 0; i < matrix.matrices; ++i) {
      outputs += (i ? ", $" : "$") + std::to_string(i);
      constraints += "=r,";
    }
    auto [address, bytes] = addresses->split(matrix.offsets[instruction]);
    std::string text = "ldmatrix.sync.aligned.m8n8.x" + std::to_string(matrix.matrices) +
                       (matrix.order == MatrixOrder::Transposed ? ".trans" : "") + ".shared.b16 {" + outputs + "}, [$" +
                       std::to_string(matrix.matrices) + (bytes ? "+" + std::to_string(bytes) : std::string()) + "];";
    SmallVector<Value> loaded =
        emit.ptx(text, constraints + "r", address, SmallVector<Type>(matrix.matrices, emit.builder.getI32Type()),
                 Emitter::Effect::Memory);
    for (auto [i, value] : llvm::enumerate(loaded))
      words[matrix.registers[instruction][i * kind.perWord()]] = toWord(value);
  }

  Emitter &emit;
  const MmaKind &kind;
  const MmaOperand &operand;
  Value base;
  Type element;
  SmallVector<Value> registers;
  std::optional<SharedAddresses> addresses;
  std::map<int64_t, int64_t> instructionOf; ///< ldmatrix by the first register of a word
  std::map<int64_t, Value> words;           ///< by their first register
};

/// The instructions of one product.
class MmaEmitter {
public:
  MmaEmitter(Emitter &emit, const MmaKind &kind, std::string mnemonic, const Layout &acc)
      : emit(emit), kind(kind), mnemonic(std::move(mnemonic)), acc(acc) {}

  /// `depth` is the extent along K.
  SmallVector<Value> run(OperandWords &lhs, OperandWords &rhs, ValueRange accValues, int64_t depth) {
    SmallVector<Value> sums(accValues);
    std::vector<Coords> corners = fragmentCorners();
    int64_t half = kind.depth() / 2;
    // Instructions that follow each other write different accumulators, so none waits for the one before.
    for (int64_t k = 0; k < depth; k += kind.depth())
      for (const Coords &corner : corners) {
        SmallVector<Value> factors;
        for (int64_t word = 0; word < 4; ++word)
          factors.push_back(lhs.word({corner[0] + MmaKind::kHalfRows * (word % 2), k + half * (word / 2)}, {0, 1}));
        for (int64_t word = 0; word < 2; ++word)
          factors.push_back(rhs.word({k + half * word, corner[1]}, {1, 0}));
        multiply(factors, sums, corner);
      }
    // Registers that repeat another one of the thread were not summed up themselves.
    SmallVector<Value> results;
    for (int64_t reg = 0; reg < acc.numRegisters(); ++reg)
      results.push_back(sums[*acc.registerAt(acc.registerOffset(reg))]);
    return results;
  }

private:
  /// Register parts of the coordinates at which the thread's fragments of the accumulator begin.
  std::vector<Coords> fragmentCorners() const {
    std::vector<Coords> corners;
    for (int64_t reg = 0; reg < acc.numRegisters(); ++reg) {
      Coords part = acc.registerOffset(reg);
      if (part[0] % MmaKind::kRows == 0 && part[1] % MmaKind::kColumns == 0 && *acc.registerAt(part) == reg)
        corners.push_back(part);
    }
    return corners;
  }

  void multiply(ArrayRef<Value> factors, SmallVector<Value> &sums, const Coords &corner) {
    SmallVector<int64_t> registers;
    for (int64_t i = 0; i < 4; ++i)
      registers.push_back(*acc.registerAt({corner[0] + MmaKind::kHalfRows * (i / 2), corner[1] + i % 2}));
    bool isFloat = kind.result == "f32";
    std::string constraints = isFloat ? "=f,=f,=f,=f" : "=r,=r,=r,=r";
    SmallVector<Value> operands(factors);
    for (size_t i = 0; i < factors.size(); ++i)
      constraints += ",r";
    for (auto [i, reg] : llvm::enumerate(registers)) {
      constraints += "," + std::to_string(i);
      operands.push_back(sums[reg]);
    }
    SmallVector<Value> results =
        emit.ptx(mnemonic + " {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$0, $1, $2, $3};", constraints, operands,
                 SmallVector<Type>(4, sums[0].getType()), Emitter::Effect::None);
    setRole(emit.lastPtx, CopyRole::Product);
    for (auto [reg, value] : llvm::zip_equal(registers, results))
      sums[reg] = value;
  }

  Emitter &emit;
  const MmaKind &kind;
  std::string mnemonic;
  const Layout &acc;
};

/// A product that moves its factors itself.
struct LowerMmaDot : public OpConversionPattern<DotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(DotOp dot, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!dot->hasAttr(TileGPUDialect::kMma))
      return rewriter.notifyMatchFailure(dot, "does not run on the tensor cores");
    Emitter emit(rewriter, dot.getLoc());
    const MmaKind &kind = *findMmaKind(elementOf(dot.getLhs().getType()), dot.getPrecision());
    const MmaKind &rhsKind = *findMmaKind(elementOf(dot.getRhs().getType()), dot.getPrecision());
    DotOperands plan = planDotOperands(dot);
    Value base = scratchOf(emit, dot);
    OperandWords lhs(emit, kind, plan.lhs, base);
    OperandWords rhs(emit, kind, plan.rhs, base ? emit.offset(base, emit.i64(plan.rhs.offset)) : base);
    lhs.prepare(adaptor.getLhs(), layoutIn(dot.getLhs()));
    rhs.prepare(adaptor.getRhs(), layoutIn(dot.getRhs()));
    if (plan.bytes)
      emit.barrier();
    lhs.locate();
    rhs.locate();
    SmallVector<Value> registers = MmaEmitter(emit, kind, mnemonicOf(kind, rhsKind, dot.getSign()), layoutIn(dot))
                                       .run(lhs, rhs, adaptor.getAcc(), plan.lhs.fragment.extent(1));
    rewriter.replaceOpWithMultiple(dot, SmallVector<SmallVector<Value>>{registers});
    return success();
  }
};

/// One whose factors are where they are read.
struct LowerMma : public OpConversionPattern<MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Emitter emit(rewriter, op.getLoc());
    auto planOf = [&](Value factor, DotOperand which) {
      if (auto slot = dyn_cast<SlotType>(factor.getType()))
        return planSlotOperand(slot, which, op.getWarps());
      MmaOperand inRegisters;
      inRegisters.fragment = layoutIn(factor);
      return inRegisters;
    };
    MmaOperand lhsPlan = planOf(op.getLhs(), DotOperand::A), rhsPlan = planOf(op.getRhs(), DotOperand::B);
    Type element = elementOfFactor(op.getLhs().getType()), rhsElement = elementOfFactor(op.getRhs().getType());
    const MmaKind &kind = *findMmaKind(element, op.getPrecision());
    const MmaKind &rhsKind = *findMmaKind(rhsElement, op.getPrecision());
    OperandWords lhs(emit, kind, lhsPlan, adaptor.getLhs().front());
    OperandWords rhs(emit, kind, rhsPlan, adaptor.getRhs().front());
    lhs.take(adaptor.getLhs(), getTypeConverter()->convertType(element));
    rhs.take(adaptor.getRhs(), getTypeConverter()->convertType(rhsElement));
    lhs.locate();
    rhs.locate();
    SmallVector<Value> registers =
        MmaEmitter(emit, kind, mnemonicOf(kind, rhsKind, op.getSign()), layoutIn(op.getResult()))
            .run(lhs, rhs, adaptor.getAcc(), lhsPlan.fragment.extent(1));
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{registers});
    return success();
  }
};
} // namespace

void tgpu::populateMmaPatterns(const TileTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LowerMma, LowerMmaDot>(types, patterns.getContext());
}
