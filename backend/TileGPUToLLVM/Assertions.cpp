/// Assertions call `__assertfail`, which the driver provides: it prints "file:line: function: block …, thread …
/// Assertion `message` failed." and makes the launch fail with CUDA_ERROR_ASSERT.
#include "backend/TileGPUToLLVM/Emit.h"
#include "backend/TileGPUToLLVM/ScalarOps.h"

#include "ir/Tile/TileOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace {
class AssertionLowering {
public:
  explicit AssertionLowering(ModuleOp module) : module(module), builder(module.getBodyRegion()) {}

  void lower(AssertOp op) {
    std::string file = "?", function = op->getParentOfType<FunctionOpInterface>().getName().str();
    int64_t line = 0;
    // The innermost place of the source: where an expanded function asserts, not where it was called.
    op.getLoc()->walk([&](Location loc) {
      auto place = dyn_cast<FileLineColLoc>(loc);
      if (!place)
        return WalkResult::advance();
      file = place.getFilename().str();
      line = place.getLine();
      return WalkResult::interrupt();
    });
    OpBuilder b(op);
    Location loc = op.getLoc();
    Value fails =
        arith::XOrIOp::create(b, loc, op.getCondition(), arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
    auto branch = scf::IfOp::create(b, loc, fails, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    Value lineValue = LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(line));
    Value charBytes = LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(1));
    LLVM::CallOp::create(
        b, loc, reporter(),
        ValueRange{text(b, loc, op.getMessage()), text(b, loc, file), lineValue, text(b, loc, function), charBytes});
    op.erase();
  }

private:
  LLVM::LLVMFuncOp reporter() {
    if (function)
      return function;
    MLIRContext *context = module.getContext();
    Type pointer = LLVM::LLVMPointerType::get(context), i32 = builder.getI32Type(), i64 = builder.getI64Type();
    builder.setInsertionPointToStart(module.getBody());
    function = LLVM::LLVMFuncOp::create(
        builder, module.getLoc(), "__assertfail",
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {pointer, pointer, i32, pointer, i64}));
    return function;
  }

  /// Generic address of a zero-terminated string in global memory; equal strings are one.
  Value text(OpBuilder &b, Location loc, StringRef string) {
    LLVM::GlobalOp &global = strings[string];
    if (!global) {
      std::string bytes = string.str() + '\0';
      builder.setInsertionPointToStart(module.getBody());
      global = LLVM::GlobalOp::create(builder, module.getLoc(),
                                      LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size()), /*isConstant=*/true,
                                      LLVM::Linkage::Internal, "assert_text_" + std::to_string(strings.size()),
                                      builder.getStringAttr(bytes), /*alignment=*/0, kGlobalSpace);
    }
    Value address = LLVM::AddressOfOp::create(b, loc, global);
    return LLVM::AddrSpaceCastOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), address);
  }

  ModuleOp module;
  OpBuilder builder;
  LLVM::LLVMFuncOp function;
  llvm::StringMap<LLVM::GlobalOp> strings;
};
} // namespace

void tgpu::lowerAssertions(ModuleOp module) {
  SmallVector<AssertOp> assertions;
  module.walk([&](AssertOp op) { assertions.push_back(op); });
  AssertionLowering lowering(module);
  for (AssertOp op : assertions)
    lowering.lower(op);
}
