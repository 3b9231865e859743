/// The stages driven end to end: what goes in and out at each, traces, dumps, and problems as diagnostics.
#include "backend/pipeline/Compile.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

namespace tile {

/// c[i] = a[i] + exp(b[i])
static const char *kVectorAdd = R"(
llvm.func @__nv_expf(f32) -> f32
llvm.func @add(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %n: i64)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
  %block = nvvm.read.ptx.sreg.ctaid.x : i32
  %size = llvm.mlir.constant(128 : i32) : i32
  %base = llvm.mul %block, %size : i32
  %thread = nvvm.read.ptx.sreg.tid.x : i32
  %i32 = llvm.add %base, %thread : i32
  %i = llvm.zext %i32 : i32 to i64
  %inside = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %inside, ^body, ^end
^body:
  %pa = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %pb = llvm.getelementptr %b[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %pc = llvm.getelementptr %c[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %x = llvm.load %pa : !llvm.ptr<1> -> f32
  %y = llvm.load %pb : !llvm.ptr<1> -> f32
  %e = llvm.call @__nv_expf(%y) : (f32) -> f32
  %z = llvm.fadd %x, %e : f32
  llvm.store %z, %pc : f32, !llvm.ptr<1>
  llvm.br ^end
^end:
  llvm.return
}
)";

class CompileTest : public testing::Test {
protected:
  CompileTest() : context(mlir::MLIRContext::Threading::DISABLED) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    options.target = findTarget("sm_90a");
    context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
      std::string where;
      llvm::raw_string_ostream(where) << diagnostic.getLocation();
      diagnostics.push_back(diagnostic.str());
      for (mlir::Diagnostic &note : diagnostic.getNotes())
        notes.push_back(note.str());
      locations.push_back(where);
    });
  }

  mlir::FailureOr<Artifact> compileText(llvm::StringRef text, llvm::StringRef name = "kernel.mlir") {
    return compileFile(llvm::MemoryBufferRef(text, name), context, options);
  }

  mlir::MLIRContext context;
  CompileOptions options;
  std::vector<std::string> diagnostics, locations, notes;
};

TEST_F(CompileTest, LLVMDialectBecomesACubinForEveryTarget) {
  for (const Target &target : allTargets()) {
    options.target = &target;
    mlir::FailureOr<Artifact> artifact = compileText(kVectorAdd);
    ASSERT_TRUE(mlir::succeeded(artifact)) << target.name << ": " << diagnostics.front();
    ASSERT_EQ(artifact->kernels.size(), 1u);
    EXPECT_EQ(artifact->kernels[0].resources.name, "add");
    EXPECT_EQ(artifact->kernels[0].resources.spillStoreBytes, 0u);
    EXPECT_FALSE(artifact->cubin.empty());
  }
}

/// The word of an ELF header that says which GPU the code is for.
static std::string elfFlags(const std::string &cubin) { return cubin.substr(48, 4); }

TEST_F(CompileTest, CodeForAnOlderGpuIsAssembledForALaterOne) {
  std::string native = compileText(kVectorAdd)->cubin;
  options.target = findTarget("sm_80");
  std::string older = compileText(kVectorAdd)->cubin;
  options.assembleFor = findTarget("sm_90a");
  mlir::FailureOr<Artifact> artifact = compileText(kVectorAdd);
  ASSERT_TRUE(mlir::succeeded(artifact)) << diagnostics.front();
  EXPECT_NE(artifact->ptx.find(".target sm_80"), std::string::npos);
  EXPECT_EQ(elfFlags(artifact->cubin), elfFlags(native));
  EXPECT_NE(elfFlags(artifact->cubin), elfFlags(older));
}

TEST_F(CompileTest, CubinHasALineTableOfTheSource) {
  mlir::FailureOr<Artifact> artifact = compileText(kVectorAdd, "add.mlir");
  EXPECT_NE(artifact->cubin.find("add.mlir"), std::string::npos);
  EXPECT_NE(artifact->cubin.find(".nv_debug_line_sass"), std::string::npos);
}

TEST_F(CompileTest, EveryStageFedBackGivesTheSamePtx) {
  std::string ptx = compileText(kVectorAdd)->ptx;
  options.last = Stage::LLVM;
  std::string llvmText = compileText(kVectorAdd)->text;
  EXPECT_NE(llvmText.find("define ptx_kernel void @add("), std::string::npos) << llvmText;
  options.last = Stage::Ptx;
  mlir::FailureOr<Artifact> fromLLVM = compileText(llvmText, "kernel.ll");
  ASSERT_TRUE(mlir::succeeded(fromLLVM)) << diagnostics.front();
  EXPECT_EQ(fromLLVM->text, ptx);
  options.last = Stage::Cubin;
  mlir::FailureOr<Artifact> fromPtx = compileText(ptx, "kernel.ptx");
  ASSERT_TRUE(mlir::succeeded(fromPtx)) << diagnostics.front();
  EXPECT_EQ(fromPtx->cubin, compileText(kVectorAdd)->cubin);
}

TEST_F(CompileTest, StepsAreTimedInOrder) {
  mlir::FailureOr<Artifact> artifact = compileText(kVectorAdd);
  std::vector<std::string> steps;
  for (const StepTime &step : artifact->times.steps())
    steps.push_back(step.stage + "/" + step.step);
  EXPECT_EQ(steps, (std::vector<std::string>{"llvm/convert-nvvm-to-llvm", "llvm/ensure-debug-info-scope-on-llvm-func",
                                             "llvm/translate", "llvm/optimize", "ptx/generate", "cubin/assemble"}));
}

TEST_F(CompileTest, StageIsSeenFromTheModule) {
  auto stage = [&](llvm::StringRef text) { return stageOf(*mlir::parseSourceString<mlir::ModuleOp>(text, &context)); };
  EXPECT_EQ(stage("func.func @k() { return }"), Stage::Tile);
  EXPECT_EQ(stage(kVectorAdd), Stage::LLVM);
}

TEST_F(CompileTest, PassIsPrintedOnceByName) {
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  options.printTo = &stream;
  options.printAfter = {"cse"};
  options.last = Stage::Tile;
  ASSERT_TRUE(mlir::succeeded(compileText("func.func @k() { return }")));
  EXPECT_EQ(llvm::StringRef(printed).count("IR Dump After"), 1u) << printed;
  EXPECT_NE(printed.find("(cse)"), std::string::npos) << printed;
}

TEST_F(CompileTest, UnknownPassNameListsTheKnown) {
  options.printAfter = {"cze"};
  EXPECT_TRUE(mlir::failed(compileText(kVectorAdd)));
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_TRUE(llvm::StringRef(diagnostics[0])
                  .starts_with("unknown pass `cze`; known: tile-fuse-multiply-add, canonicalize, cse, "))
      << diagnostics[0];
}

TEST_F(CompileTest, EveryStageIsDumped) {
  llvm::SmallString<64> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tile-dump", folder));
  options.dumpFolder = folder.str().str();
  options.dumpName = "add";
  ASSERT_TRUE(mlir::succeeded(compileText(kVectorAdd)));
  for (llvm::StringRef file : {"add.llvm.mlir", "add.ll", "add.ptx", "add.cubin"}) {
    llvm::SmallString<64> path(folder);
    llvm::sys::path::append(path, file);
    EXPECT_TRUE(llvm::sys::fs::exists(path)) << file.str();
  }
  llvm::sys::fs::remove_directories(folder);
}

TEST_F(CompileTest, TooMuchSharedMemoryIsReportedAtTheKernel) {
  EXPECT_TRUE(mlir::failed(compileText(R"(
llvm.mlir.global internal @buffer() {addr_space = 3 : i32} : !llvm.array<300000 x i8>
llvm.func @big(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %b = llvm.mlir.addressof @buffer : !llvm.ptr<3>
  %x = llvm.load volatile %b : !llvm.ptr<3> -> f32
  llvm.store volatile %x, %b : f32, !llvm.ptr<3>
  llvm.store %x, %p : f32, !llvm.ptr<1>
  llvm.return
} loc("big.tile":7:1)
)")));
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0], "kernel `big` takes 300000 bytes of shared memory; sm_90a has 232448 per block");
  EXPECT_NE(locations[0].find("\"big.tile\":7:1"), std::string::npos) << locations[0];
}

TEST_F(CompileTest, SpillsAreWarnedOfAtTheKernel) {
  // All 64 values are loaded before the first is stored.
  std::string body;
  llvm::raw_string_ostream stream(body);
  for (int i = 0; i < 64; ++i)
    stream << llvm::formatv("%p{0} = llvm.getelementptr %p[{0}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32\n"
                            "%x{0} = llvm.load volatile %p{0} : !llvm.ptr<1> -> f32\n",
                            i);
  for (int i = 0; i < 64; ++i)
    stream << llvm::formatv("llvm.store volatile %x{0}, %p{1} : f32, !llvm.ptr<1>\n", i, 63 - i);
  options.assembler.maxRegisters = 32;
  mlir::FailureOr<Artifact> artifact = compileText(
      "llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {\n" + body + "llvm.return\n}", "kernel.mlir");
  ASSERT_TRUE(mlir::succeeded(artifact));
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0], "kernel `k` spills " + std::to_string(artifact->kernels[0].resources.spillStoreBytes) +
                                " bytes per thread to memory, beside the 32 registers that it has");
}

TEST_F(CompileTest, TooManyThreadsAreReportedAtTheKernel) {
  EXPECT_TRUE(mlir::failed(compileText(R"(
llvm.func @wide() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 1024, 2>} {
  llvm.return
}
)")));
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0], "kernel `wide` has 2048 threads per block; sm_90a allows 1024");
}

TEST_F(CompileTest, SharedMemoryOfTheLaunchIsKept) {
  context.allowUnregisteredDialects();
  mlir::FailureOr<Artifact> artifact = compileText(R"(
llvm.func @k() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>, tgpu.shared_bytes = 4096} {
  llvm.return
}
)");
  ASSERT_TRUE(mlir::succeeded(artifact)) << diagnostics.front();
  EXPECT_EQ(artifact->kernels[0].sharedBytes(), 4096u);
  EXPECT_EQ(artifact->kernels[0].threads(), 64u);
}

TEST_F(CompileTest, TooMuchSharedMemoryOfTheLaunchIsReported) {
  context.allowUnregisteredDialects();
  options.target = findTarget("sm_86");
  EXPECT_TRUE(mlir::failed(compileText(R"(
llvm.func @k() attributes {nvvm.kernel, tgpu.shared_bytes = 131072} {
  llvm.return
}
)")));
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0], "kernel `k` takes 131072 bytes of shared memory; sm_86 has 101376 per block");
}

TEST_F(CompileTest, GeneratedPtxThatMayBeFusedIsRefused) {
  EXPECT_TRUE(mlir::failed(compileText(R"(
llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %x = llvm.load %p : !llvm.ptr<1> -> f32
  %y = llvm.inline_asm "mul.f32 $0, $1, $1;", "=f,f" %x : (f32) -> f32
  llvm.store %y, %p : f32, !llvm.ptr<1>
  llvm.return
}
)")));
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0], "the generated PTX breaks a rule; this is a fault of the compiler");
  EXPECT_NE(notes[0].find("`mul.f32` has no rounding mode: the assembler may fuse it"), std::string::npos) << notes[0];
}

TEST_F(CompileTest, NVVMOpsWithoutIntrinsicBecomeAssembly) {
  options.last = Stage::Ptx;
  mlir::FailureOr<Artifact> artifact = compileText(R"(
llvm.func @k(%p: !llvm.ptr<3>, %n: i32) attributes {nvvm.kernel} {
  nvvm.mbarrier.try_wait.parity %p, %n, %n : !llvm.ptr<3>, i32, i32
  llvm.return
}
)");
  ASSERT_TRUE(mlir::succeeded(artifact)) << diagnostics.front();
  EXPECT_NE(artifact->ptx.find("mbarrier.try_wait.parity"), std::string::npos) << artifact->ptx;
}

TEST_F(CompileTest, RefusedPtxNamesItsLine) {
  EXPECT_TRUE(
      mlir::failed(compileText(".version 8.0\n.target sm_90a\n.address_size 64\nfoo\n.entry k() { ret; }\n", "k.ptx")));
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_EQ(diagnostics[0].find("the assembler refuses line 4 of the PTX: "), 0u) << diagnostics[0];
}

TEST_F(CompileTest, EarlierStageThanTheInputIsRefused) {
  options.last = Stage::Tile;
  EXPECT_TRUE(mlir::failed(compileText(kVectorAdd)));
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0], "the input is of stage `llvm`, which comes after `tile`; expected llvm, ptx or cubin");
}

TEST_F(CompileTest, InputWithoutAKernelIsRefused) {
  for (auto [name, expected] : {std::pair("k.mlir", "a `func.func`"), std::pair("k.ptx", "an `.entry`"),
                                std::pair("k.ll", "a function with the calling convention `ptx_kernel`")}) {
    diagnostics.clear();
    EXPECT_TRUE(mlir::failed(compileText("", name)));
    ASSERT_EQ(diagnostics.size(), 1u);
    EXPECT_EQ(diagnostics[0], std::string("the input has no kernel; expected ") + expected);
  }
}

TEST_F(CompileTest, UnknownEndingIsRefused) {
  EXPECT_TRUE(mlir::failed(compileText("", "kernel.txt")));
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0], "found a name that ends in `.txt`; expected .mlir, .ll or .ptx");
}

/// A reproducer of any stage can be run by tile-opt.
TEST(PipelineTest, EveryPassIsKnownByName) {
  registerPasses();
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  std::vector<std::string> names = passNames(context);
  EXPECT_FALSE(names.empty());
  for (const std::string &name : names)
    EXPECT_NE(mlir::PassInfo::lookup(name), nullptr) << name;
}

/// Of a module that the compiler made, what no lowering takes and what no pass should have ordered so is its own fault.
TEST_F(CompileTest, RefusalsOfGeneratedModulesAreFaults) {
  struct {
    const char *text, *message, *detail;
  } cases[] = {{R"(
func.func @k(%p: !tile.ptr<f32>, %x: f32) {
  %0 = math.acosh %x : f32
  tile.store_ptr %0, %p : f32, !tile.ptr<f32>
  return
})",
                "the code generator has no form of this operation; this is a fault of the compiler", "math.acosh"},
               {R"(
#shared = #tgpu.layout<"16x16: offset b1 b2 b4 b8 a1 a2 a4^b8 a8">
#copy = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
func.func @k(%v: !tile.view<?x?xbf16, constant>, %n: index) attributes {tgpu.warps = 1 : i64} {
  %ring = tgpu.alloc : !tgpu.buffer<1 of 16x16xbf16, #shared>
  %s = tgpu.slot %ring[%n] : !tgpu.buffer<1 of 16x16xbf16, #shared>
  %t = tgpu.copy_async %v[%n :+ 16, %n :+ 16] into %s by #copy : <?x?xbf16, constant>, (index, index), !tgpu.slot<16x16xbf16, #shared>
  return
})",
                "the copies and barriers of this operation are in a wrong order; this is a fault of the compiler",
                "'func.return' op the kernel ends while a copy is under way; expected a tgpu.wait for it"}};
  for (const auto &one : cases) {
    diagnostics.clear();
    notes.clear();
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(one.text, &context);
    ASSERT_TRUE(module);
    ASSERT_TRUE(mlir::failed(compile(*module, options)));
    ASSERT_EQ(diagnostics, std::vector<std::string>{one.message});
    EXPECT_NE(notes.front().find(one.detail), std::string::npos) << notes.front();
  }
}

} // namespace tile
