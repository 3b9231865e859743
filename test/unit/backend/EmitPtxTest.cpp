/// LLVM-dialect modules to PTX: every target, libdevice, rounding, line directives, convergence, PTX versions.
#include "backend/ptx/EmitPtx.h"
#include "backend/ptx/Assemble.h"
#include "backend/ptx/CheckPtx.h"
#include "backend/ptx/Libdevice.h"
#include "backend/ptx/RequiredPtx.h"

#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"

#include <gtest/gtest.h>

namespace tile {

/// `body` inside a kernel `k(ptr a, ptr b)`, with `i` the thread's index and `x` = a[i]; stores `result` to b[i].
static std::string module(llvm::StringRef body, llvm::StringRef declarations = "") {
  return (declarations + R"(
llvm.func @k(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
  %i = nvvm.read.ptx.sreg.tid.x : i32
  %pa = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %pb = llvm.getelementptr %b[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %x = llvm.load %pa : !llvm.ptr<1> -> f32
)" + body +
          R"(
  llvm.store %result, %pb : f32, !llvm.ptr<1>
  llvm.return
})")
      .str();
}

class EmitPtxTest : public testing::Test {
protected:
  EmitPtxTest() {
    mlir::DialectRegistry registry;
    registry.insert<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect>();
    registerLLVMTranslations(registry);
    mlirContext.appendDialectRegistry(registry);
  }

  /// The optimised LLVM module of `source`, or null after a test failure.
  std::unique_ptr<llvm::Module> optimized(llvm::StringRef source, const Target &target) {
    auto parsed = mlir::parseSourceString<mlir::ModuleOp>(source, &mlirContext, "kernel.tile");
    if (!parsed)
      return nullptr;
    mlir::PassManager passes(&mlirContext);
    passes.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass({mlir::LLVM::DIEmissionKind::DebugDirectivesOnly}));
    EXPECT_TRUE(mlir::succeeded(passes.run(*parsed)));
    std::unique_ptr<llvm::Module> translated = translateToLLVM(*parsed, llvmContext);
    if (llvm::Error error = optimizeForTarget(*translated, target)) {
      ADD_FAILURE() << llvm::toString(std::move(error));
      return nullptr;
    }
    return translated;
  }

  std::string ptx(llvm::StringRef source, const Target &target) {
    std::unique_ptr<llvm::Module> translated = optimized(source, target);
    if (!translated)
      return "";
    llvm::Expected<std::string> text = emitPtx(*translated, target);
    if (!text) {
      ADD_FAILURE() << llvm::toString(text.takeError());
      return "";
    }
    return *text;
  }

  static bool contains(llvm::StringRef text, llvm::StringRef part) { return text.contains(part); }

  mlir::MLIRContext mlirContext;
  llvm::LLVMContext llvmContext;
};

static const Target &ampere() { return *findTarget("sm_80"); }

static const char *kExp = "llvm.func @__nv_expf(f32) -> f32";

TEST_F(EmitPtxTest, LibdeviceCallAssemblesForEveryTarget) {
  std::string source = module("%result = llvm.call @__nv_expf(%x) : (f32) -> f32", kExp);
  for (const Target &target : allTargets()) {
    std::string text = ptx(source, target);
    EXPECT_TRUE(contains(text, ".target " + std::string(target.name) + "\n")) << text;
    EXPECT_TRUE(contains(text, "ex2.approx")) << text;
    EXPECT_FALSE(contains(text, "__nv")) << text;
    EXPECT_FALSE(contains(text, "fma.rn.ftz")) << text;
    EXPECT_TRUE(checkPtx(text).empty()) << text;
    llvm::Expected<Assembly> assembly = assemble(text, target);
    ASSERT_TRUE(static_cast<bool>(assembly)) << llvm::toString(assembly.takeError());
    EXPECT_EQ(assembly->kernels.front().name, "k");
  }
}

TEST_F(EmitPtxTest, VersionIsTheLowestOfTheTarget) {
  std::string source = module("%result = llvm.fadd %x, %x : f32");
  EXPECT_TRUE(contains(ptx(source, *findTarget("sm_80")), ".version 7.0\n"));
  EXPECT_TRUE(contains(ptx(source, *findTarget("sm_90a")), ".version 8.0\n"));
  EXPECT_TRUE(contains(ptx(source, *findTarget("sm_120")), ".version 8.7\n"));
}

TEST_F(EmitPtxTest, VersionRisesWithAnInstructionThatNeedsIt) {
  std::string source = module(R"(
    %result = llvm.inline_asm has_side_effects "ld.global.L1::evict_last.f32 $0, [$1];", "=f,l" %pa
            : (!llvm.ptr<1>) -> f32)");
  EXPECT_TRUE(contains(ptx(source, ampere()), ".version 7.4\n"));
}

// cp.async took a predicate later than a size.
TEST_F(EmitPtxTest, VersionRisesWithThePredicateOfACopy) {
  auto copy = [](const std::string &operand, const std::string &constraint, const std::string &value) {
    return "llvm.func @k(%to: i32, %from: !llvm.ptr<1>, %skip: i1) attributes {nvvm.kernel} {\n"
           "llvm.inline_asm has_side_effects \"cp.async.cg.shared.global [$0], [$1], 16" +
           operand + ";\", \"r,l" + constraint + "\" %to, %from" + value + "\n llvm.return }";
  };
  EXPECT_TRUE(contains(ptx(copy("", "", " : (i32, !llvm.ptr<1>) -> ()"), ampere()), ".version 7.0\n"));
  EXPECT_TRUE(contains(ptx(copy(", $2", ",b", ", %skip : (i32, !llvm.ptr<1>, i1) -> ()"), ampere()), ".version 7.5\n"));
}

// Before version 8.1 a kernel takes 4352 bytes of arguments.
TEST_F(EmitPtxTest, VersionRisesWithTheBytesOfTheArguments) {
  auto kernel = [](int arguments) {
    std::string list;
    for (int i = 0; i < arguments; ++i)
      list += (i ? ", %a" : "%a") + std::to_string(i) + ": i64";
    return "llvm.func @k(" + list + ") attributes {nvvm.kernel} { llvm.return }";
  };
  EXPECT_TRUE(contains(ptx(kernel(544), ampere()), ".version 7.0\n"));
  std::string large = ptx(kernel(545), ampere());
  EXPECT_TRUE(contains(large, ".version 8.1\n"));
  llvm::Expected<Assembly> assembly = assemble(large, ampere());
  EXPECT_TRUE(static_cast<bool>(assembly)) << llvm::toString(assembly.takeError());
}

TEST_F(EmitPtxTest, ProductAndSumStayApart) {
  std::string text = ptx(module("%p = llvm.fmul %x, %x : f32\n %result = llvm.fadd %p, %x : f32"), ampere());
  EXPECT_TRUE(contains(text, "mul.rn.f32")) << text;
  EXPECT_TRUE(contains(text, "add.rn.f32")) << text;
  EXPECT_FALSE(contains(text, "fma")) << text;
}

TEST_F(EmitPtxTest, ExplicitFmaIsOne) {
  std::string text = ptx(module("%result = llvm.intr.fma(%x, %x, %x) : (f32, f32, f32) -> f32"), ampere());
  EXPECT_TRUE(contains(text, "fma.rn.f32")) << text;
}

TEST_F(EmitPtxTest, RootsInsideLibdeviceAreCorrectlyRounded) {
  std::string text = ptx(
      module("%result = llvm.call @__nv_hypotf(%x, %x) : (f32, f32) -> f32", "llvm.func @__nv_hypotf(f32, f32) -> f32"),
      ampere());
  EXPECT_TRUE(contains(text, "sqrt.rn.f32")) << text;
  EXPECT_FALSE(contains(text, "sqrt.approx")) << text;
}

TEST_F(EmitPtxTest, UnknownLibdeviceFunctionIsNamed) {
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(
      module("%result = llvm.call @__nv_frobnicatef(%x) : (f32) -> f32", "llvm.func @__nv_frobnicatef(f32) -> f32"),
      &mlirContext);
  std::unique_ptr<llvm::Module> translated = translateToLLVM(*parsed, llvmContext);
  EXPECT_EQ(llvm::toString(optimizeForTarget(*translated, ampere())), "libdevice has no function `__nv_frobnicatef`");
}

/// While LLVM works its errors are kept, where its own handler would end the process; then the caller's is back.
TEST_F(EmitPtxTest, HandlerOfTheCallerIsBackAfterwards) {
  llvmContext.setDiagnosticHandler(std::make_unique<llvm::DiagnosticHandler>());
  const llvm::DiagnosticHandler *handler = llvmContext.getDiagHandlerPtr();
  std::unique_ptr<llvm::Module> translated =
      optimized(module("%result = llvm.call @__nv_expf(%x) : (f32) -> f32", kExp), ampere());
  ASSERT_TRUE(translated);
  EXPECT_EQ(llvmContext.getDiagHandlerPtr(), handler);
  EXPECT_TRUE(static_cast<bool>(emitPtx(*translated, ampere())));
  EXPECT_EQ(llvmContext.getDiagHandlerPtr(), handler);
}

TEST_F(EmitPtxTest, LinesArriveWithoutDebugTarget) {
  std::string text = ptx(module("%result = llvm.fadd %x, %x : f32 loc(\"kernel.tile\":42:7)"), ampere());
  EXPECT_TRUE(contains(text, "\t.loc\t1 42 7")) << text;
  EXPECT_TRUE(contains(text, ".file\t1 ")) << text;
  EXPECT_TRUE(checkPtx(text).empty()) << text;
}

TEST_F(EmitPtxTest, OpMadeOfTwoKeepsTheFirstLine) {
  std::string text =
      ptx(module("%result = llvm.fadd %x, %x : f32 loc(fused[\"kernel.tile\":42:7, \"kernel.tile\":50:1])"), ampere());
  EXPECT_TRUE(contains(text, "\t.loc\t1 42 7")) << text;
}

TEST_F(EmitPtxTest, BarrierInInlineAssemblyIsNotDuplicated) {
  // Rotating the loop would copy its header, and with it the barrier, in front of it.
  std::string text = ptx(module(R"(
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^header(%zero : i32)
  ^header(%n: i32):
    llvm.inline_asm has_side_effects "bar.sync 0;", "" : () -> ()
    %y = llvm.load volatile %pa : !llvm.ptr<1> -> f32
    %c = llvm.fcmp "ogt" %y, %x : f32
    llvm.cond_br %c, ^body, ^end
  ^body:
    llvm.store volatile %y, %pb : f32, !llvm.ptr<1>
    %next = llvm.add %n, %one : i32
    llvm.br ^header(%next : i32)
  ^end:
    %result = llvm.sitofp %n : i32 to f32
  )"),
                         ampere());
  EXPECT_EQ(llvm::StringRef(text).count("bar.sync"), 1u) << text;
}

TEST_F(EmitPtxTest, EveryScalarFunctionOfLibdeviceKeepsTheRules) {
  std::unique_ptr<llvm::Module> library =
      llvm::cantFail(llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(libdeviceBitcode(), "libdevice"), llvmContext));
  llvm::Module calls("calls", llvmContext);
  unsigned count = 0;
  for (const llvm::Function &function : *library) {
    llvm::FunctionType *type = function.getFunctionType();
    bool isScalar = !type->getReturnType()->isVoidTy() &&
                    llvm::none_of(type->params(), [](llvm::Type *parameter) { return parameter->isPointerTy(); });
    if (!function.getName().starts_with("__nv_") || function.hasLocalLinkage() || !isScalar)
      continue;
    // An exported function of the same type that calls it.
    auto *caller = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "call" + function.getName(), calls);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(llvmContext, "", caller));
    llvm::SmallVector<llvm::Value *> arguments;
    for (llvm::Argument &argument : caller->args())
      arguments.push_back(&argument);
    builder.CreateRet(builder.CreateCall(calls.getOrInsertFunction(function.getName(), type), arguments));
    ++count;
  }
  EXPECT_GT(count, 300u);
  if (llvm::Error error = optimizeForTarget(calls, ampere()))
    FAIL() << llvm::toString(std::move(error));
  llvm::Expected<std::string> text = emitPtx(calls, ampere());
  ASSERT_TRUE(static_cast<bool>(text)) << llvm::toString(text.takeError());
  for (const PtxProblem &problem : checkPtx(*text))
    ADD_FAILURE() << "line " << problem.line << ": " << problem.message;
}

/// A kernel with `calls` sines, and the calls that stay in its PTX.
static std::string sines(int calls) {
  std::string body, last = "%x";
  for (int i = 0; i < calls; ++i) {
    std::string next = "%s" + std::to_string(i);
    body += "  " + next + " = llvm.call @__nv_sinf(" + last + ") : (f32) -> f32\n";
    last = next;
  }
  return module(body + "  %one = llvm.mlir.constant(1.0 : f32) : f32\n  %result = llvm.fadd " + last + ", %one : f32\n",
                "llvm.func @__nv_sinf(f32) -> f32\n");
}

TEST_F(EmitPtxTest, LongFunctionsAreNotCopiedIntoVeryManyCalls) {
  const Target &target = *findTarget("sm_90a");
  EXPECT_EQ(ptx(sines(8), target).find("call"), std::string::npos);
  std::string many = ptx(sines(128), target);
  EXPECT_NE(many.find(".func"), std::string::npos);
  EXPECT_TRUE(bool(assemble(many, target)));
}

TEST_F(EmitPtxTest, ModuleWithoutLibdeviceCallsParsesNone) {
  std::unique_ptr<llvm::Module> translated = optimized(module("%result = llvm.fadd %x, %x : f32"), ampere());
  ASSERT_TRUE(translated);
  EXPECT_EQ(llvm::count_if(*translated, [](const llvm::Function &f) { return !f.isDeclaration(); }), 1);
}

TEST_F(EmitPtxTest, TextualLLVMErrorHasItsPosition) {
  llvm::Expected<std::unique_ptr<llvm::Module>> parsed =
      parseLLVM("define void @k() {\n  rett void\n}\n", "k.ll", llvmContext);
  ASSERT_FALSE(static_cast<bool>(parsed));
  EXPECT_EQ(llvm::toString(parsed.takeError()), "k.ll:2:3: expected instruction opcode");
}

} // namespace tile
