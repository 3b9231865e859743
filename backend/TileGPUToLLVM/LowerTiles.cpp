#include "backend/TileGPUToLLVM/LowerTiles.h"

#include "backend/TileGPUToLLVM/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Transforms/DialectConversion.h"

#include <limits>

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_LOWERTILESPASS
#include "backend/TileGPUToLLVM/Passes.h.inc"
} // namespace tile::tgpu

/// Run-time strides of a view; the innermost is 1 unless the view is strided.
static int64_t runTimeStrides(ViewType view) {
  return view.getStrided() ? view.getRank() : std::max<int64_t>(view.getRank() - 1, 0);
}

TileTypeConverter::TileTypeConverter(MLIRContext *context) {
  addConversion([](Type type) { return type; });
  addConversion(
      [context](FloatType type) -> Type { return isFloat8(type) ? Type(IntegerType::get(context, 8)) : type; });
  addConversion([context](PtrType) -> Type { return LLVM::LLVMPointerType::get(context, kGlobalSpace); });
  addConversion([context](ViewType view, SmallVectorImpl<Type> &results) -> std::optional<LogicalResult> {
    results.push_back(LLVM::LLVMPointerType::get(context, kGlobalSpace));
    results.append(llvm::count_if(view.getShape(), ShapedType::isDynamic) + runTimeStrides(view),
                   IndexType::get(context));
    return success();
  });
  // Shared memory is a window of less than 4 GiB; addresses of 32 bits take half the arithmetic of LLVM's pointers.
  addConversion([context](BufferType) -> Type { return IntegerType::get(context, 32); });
  addConversion([context](SlotType) -> Type { return IntegerType::get(context, 32); });
  addConversion([context](TokenType) -> Type { return IntegerType::get(context, 32); });
  addConversion([this](RankedTensorType tile, SmallVectorImpl<Type> &results) -> std::optional<LogicalResult> {
    LayoutAttr layout = layoutOf(tile);
    if (!layout)
      return failure();
    results.append(layout.getLayout().numRegisters(), convertType(tile.getElementType()));
    return success();
  });
}

ViewParts::ViewParts(ViewType type, ValueRange values) {
  Builder builder(type.getContext());
  base = values.front();
  auto next = values.begin() + 1;
  for (int64_t extent : type.getShape())
    extents.push_back(ShapedType::isDynamic(extent) ? OpFoldResult(*next++) : builder.getIndexAttr(extent));
  for (int64_t i = 0; i < runTimeStrides(type); ++i)
    strides.push_back(*next++);
  if (static_cast<int64_t>(strides.size()) < type.getRank())
    strides.push_back(builder.getIndexAttr(1));
}

/// What the swizzle of a shared buffer may ask for.
static constexpr unsigned kSharedAlignment = 1024;

/// Declares the block's dynamic shared memory.
static void declareShared(ModuleOp module) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  auto global =
      LLVM::GlobalOp::create(b, module.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::External, kSharedName,
                             Attribute(), kSharedAlignment, static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
  global.setDsoLocal(true);
}

/// The conversion driver numbers all ops of a block anew whenever it replaces one by several values, for a time that
/// grows with the square of a block's length. Nothing else minds the branches: `computeInSlices` joins the blocks where
/// it needs them whole, and LLVM the others.
static void breakIntoBlocks(func::FuncOp kernel) {
  constexpr int64_t kOps = 64;
  if (kernel.isExternal())
    return;
  Block &body = kernel.getBody().front();
  SmallVector<Operation *> firsts;
  for (auto [i, op] : llvm::enumerate(body))
    if (i && i % kOps == 0)
      firsts.push_back(&op);
  for (Operation *first : llvm::reverse(firsts)) { // from the end, so that each op moves once
    Block *rest = body.splitBlock(first);
    OpBuilder builder = OpBuilder::atBlockEnd(&body);
    cf::BranchOp::create(builder, first->getLoc(), rest);
  }
}

/// What is said of an argument once it is a scalar: the range of an extent, with which LLVM divides in 32 bits. All
/// other facts have served their purpose.
static DictionaryAttr factsForLLVM(Builder &b, Type type, DictionaryAttr facts) {
  auto maximum = facts ? facts.getAs<IntegerAttr>(TileDialect::kMaximum) : IntegerAttr();
  if (!type.isIndex() || !maximum || maximum.getInt() == std::numeric_limits<int64_t>::max())
    return b.getDictionaryAttr({});
  constexpr unsigned kIndexBits = 64;
  auto range =
      LLVM::ConstantRangeAttr::get(b.getContext(), APInt::getZero(kIndexBits), APInt(kIndexBits, maximum.getInt() + 1));
  return b.getDictionaryAttr(b.getNamedAttr(LLVM::LLVMDialect::getRangeAttrName(), range));
}

/// Whether an argument has a fact that only tiles know.
static bool hasFacts(func::FuncOp kernel) {
  auto ofArguments = kernel.getArgAttrsAttr();
  return ofArguments && llvm::any_of(ofArguments.getAsRange<DictionaryAttr>(), [](DictionaryAttr facts) {
           return llvm::any_of(
               facts, [](NamedAttribute fact) { return !isa_and_nonnull<LLVM::LLVMDialect>(fact.getNameDialect()); });
         });
}

namespace {
/// A kernel's arguments become scalars.
struct LowerKernel : public OpConversionPattern<func::FuncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(func::FuncOp kernel, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    TypeConverter::SignatureConversion signature(kernel.getNumArguments());
    SmallVector<Type> inputs;
    for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
      Type converted = getTypeConverter()->convertType(type);
      if (!converted)
        return rewriter.notifyMatchFailure(kernel, "an argument is no scalar");
      signature.addInputs(index, converted);
      inputs.push_back(converted);
    }
    rewriter.applySignatureConversion(&kernel.getBody().front(), signature, getTypeConverter());
    rewriter.modifyOpInPlace(kernel, [&] {
      SmallVector<DictionaryAttr> facts;
      for (auto [index, type] : llvm::enumerate(inputs))
        facts.push_back(factsForLLVM(rewriter, type, kernel.getArgAttrDict(index)));
      kernel.setFunctionType(rewriter.getFunctionType(inputs, {}));
      kernel.setAllArgAttrs(facts);
    });
    return success();
  }
};

struct LowerTilesPass : public tgpu::impl::LowerTilesPassBase<LowerTilesPass> {
  using Base::Base;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (failed(verifyLaidOut(kernel)))
        return signalPassFailure();
    if (llvm::any_of(getOperation().getOps<func::FuncOp>(), [](func::FuncOp kernel) {
          auto bytes = kernel->getAttrOfType<IntegerAttr>(TileGPUDialect::kSharedBytes);
          return bytes && bytes.getInt() > 0;
        }))
      declareShared(getOperation());
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      breakIntoBlocks(kernel);
    TileTypeConverter types(context);
    RewritePatternSet patterns(context);
    ConversionTarget target(*context);
    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      // What is left of the dialects is scalar.
      if (isa<ViewAccess, PointerAccess, MakeViewOp, SubviewOp, DimOp, ReduceOp, ProgramIdOp, NumProgramsOp, PtrAddOp>(
              op) ||
          isa<TileGPUDialect>(op->getDialect()))
        return false;
      return types.isLegal(op->getOperandTypes()) && types.isLegal(op->getResultTypes());
    });
    target.addDynamicallyLegalOp<func::FuncOp>(
        [&](func::FuncOp kernel) { return types.isLegal(kernel.getArgumentTypes()) && !hasFacts(kernel); });
    patterns.add<LowerKernel>(types, context);
    populateAccessPatterns(types, patterns);
    populateAtomicPatterns(types, patterns);
    populateBufferPatterns(types, patterns);
    populateDotPatterns(types, patterns);
    populateElementwisePatterns(types, patterns);
    populateFloat8Patterns(types, convertsFloat8, patterns);
    populateMmaPatterns(types, patterns);
    populatePointerPatterns(types, patterns);
    populateProgramPatterns(types, patterns);
    populateReducePatterns(types, patterns);
    populateShapePatterns(types, patterns);
    populateWgmmaPatterns(types, patterns);
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
    ConversionConfig config;
    config.foldingMode = DialectConversionFoldingMode::Never;
    config.allowPatternRollback = false;
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns), config)))
      return signalPassFailure();
    interleaveCopies(getOperation());
    computeInSlices(getOperation());
  }
};
} // namespace
