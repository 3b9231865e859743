/// The driver of the stages. Whatever fails below MLIR (LLVM, the assembler) becomes a diagnostic here.
#include "backend/pipeline/Compilation.h"

#include "backend/pipeline/FaultGuard.h"
#include "backend/ptx/CheckPtx.h"
#include "backend/ptx/EmitPtx.h"
#include "backend/ptx/Output.h"
#include "backend/ptx/ResidencyBound.h"
#include "ir/Tile/ContractText.h"
#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/TileGPUOps.h"
#include "ir/TileGPU/VariantRemark.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tile {

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  module.print(stream, flags.enableDebugInfo());
  return text;
}

InFlightDiagnostic emitOptionFault(MLIRContext *context) {
  InFlightDiagnostic diagnostic = emitError(UnknownLoc::get(context));
  diagnostic.getUnderlyingDiagnostic()->getMetadata().emplace_back(StringRef(kOptionFault));
  return diagnostic;
}

LogicalResult Compilation::dump(StringRef suffix, StringRef bytes) {
  if (options.dumpFolder.empty())
    return success();
  llvm::SmallString<128> path(options.dumpFolder);
  llvm::sys::path::append(path, options.dumpName + suffix);
  llvm::Error error = writeOutput(path, bytes);
  if (!error)
    return success();
  return emitOptionFault(location.getContext())
         << "`--dump-dir " << options.dumpFolder << "`: " << llvm::toString(std::move(error));
}

/// Fails if what is asked for comes before the stage of the input.
LogicalResult Compilation::checkFirst(Stage first) const {
  if (first <= options.last)
    return success();
  llvm::SmallVector<StringRef> rest;
  for (unsigned stage = unsigned(first); stage <= unsigned(Stage::Cubin); ++stage)
    rest.push_back(stageName(Stage(stage)));
  return emitError(location) << "the input is of stage `" << stageName(first) << "`, which comes after `"
                             << stageName(options.last) << "`; expected "
                             << llvm::join(ArrayRef(rest).drop_back(), ", ") << (rest.size() > 1 ? " or " : "")
                             << rest.back();
}

/// Without kernels there is nothing to compile, and the assembler reports an empty text as a lack of memory.
LogicalResult Compilation::refuseEmpty(StringRef expected) const {
  return emitError(location) << "the input has no kernel; expected " << expected;
}

LogicalResult Compilation::runPasses(ModuleOp module, Stage stage, bool lower) {
  PassManager passes(module.getContext());
  if (lower)
    addLoweringPasses(passes, stage, options);
  addStagePasses(passes, stage, options);
  traceTimes(passes, stageName(stage), artifact.times);
  if (!options.printAfter.empty())
    printAfter(passes, options.printAfter, options.printTo ? *options.printTo : llvm::errs());
  std::string current;
  followPasses(passes, current);
  // What has no lowering should have been refused before; and who writes Tile orders neither copies nor barriers.
  std::optional<std::pair<Location, std::string>> refusal;
  auto keepRefusal = [&](Diagnostic &diagnostic) {
    bool isRefusal = (stage == Stage::LLVM || current == "tgpu-verify-async") &&
                     diagnostic.getSeverity() == DiagnosticSeverity::Error;
    if (isRefusal && !refusal)
      refusal.emplace(diagnostic.getLocation(), diagnostic.str());
    return success(isRefusal);
  };
  LogicalResult outcome = [&] {
    ScopedDiagnosticHandler handler(module.getContext(), keepRefusal);
    return passes.run(module);
  }();
  if (refusal) {
    StringRef what = stage == Stage::LLVM ? "the code generator has no form of this operation"
                                          : "the copies and barriers of this operation are in a wrong order";
    if (origin == ModuleOrigin::Given)
      return emitError(refusal->first) << what << ": " << refusal->second;
    return emitFault(refusal->first, what, refusal->second);
  }
  if (failed(outcome))
    return failure();
  if (!options.dumpFolder.empty())
    return dump(("." + stageName(stage) + ".mlir").str(), print(module));
  return success();
}

LogicalResult Compilation::runModule(ModuleOp module) {
  Stage first = stageOf(module);
  if (failed(checkFirst(first)))
    return failure();
  if (module.getOps<FunctionOpInterface>().empty())
    return refuseEmpty("a `func.func`");
  for (Stage stage : {Stage::Tile, Stage::TileGPU, Stage::LLVM}) {
    if (stage < first || stage > options.last)
      continue;
    if (failed(runPasses(module, stage, /*lower=*/stage != first)))
      return failure();
    if (stage == options.last && stage != Stage::LLVM)
      artifact.text = print(module);
  }
  if (options.last < Stage::LLVM)
    return success();

  if (failed(readLaunches(module)))
    return failure();
  LLVMModule llvm;
  llvm.module = artifact.times.measure(stageName(Stage::LLVM), "translate",
                                       [&] { return translateToLLVM(module, *llvm.context); });
  isGenerated = true;
  return llvm.module ? runLLVM(std::move(llvm)) : failure();
}

static bool isKernel(const llvm::Function &function) {
  return function.getCallingConv() == llvm::CallingConv::PTX_Kernel && !function.isDeclaration();
}

/// Whose code LLVM gave up on for `reason`, which may say "In function: k"; empty where one cannot know.
static StringRef kernelOf(StringRef reason, const llvm::Module &module) {
  if (StringRef named = reason.split("In function: ").second.take_until(llvm::isSpace); !named.empty())
    return named;
  StringRef sole;
  for (const llvm::Function &function : module)
    if (isKernel(function))
      sole = sole.empty() ? function.getName() : " ";
  return sole.trim();
}

LogicalResult Compilation::runLLVM(LLVMModule llvm) {
  llvm::Module &module = *llvm.module;
  if (failed(checkFirst(Stage::LLVM)))
    return failure();
  if (llvm::none_of(module, isKernel))
    return refuseEmpty("a function with the calling convention `ptx_kernel`");
  auto guarded = [&](Stage stage, StringRef step, llvm::function_ref<llvm::Error()> work) -> LogicalResult {
    std::optional<llvm::Error> error;
    std::optional<std::string> reason =
        artifact.times.measure(stageName(stage), step, [&] { return runGuarded([&] { error.emplace(work()); }); });
    if (!reason)
      return *error ? report(std::move(*error)) : success();
    StringRef kernel = kernelOf(*reason, module);
    llvm.abandon();
    return emitFault(locationOf(kernel), "no code could be generated for " + titleOf(kernel), *reason);
  };
  if (failed(guarded(Stage::LLVM, "optimize", [&] { return optimizeForTarget(module, *options.target); })))
    return failure();
  if (options.last == Stage::LLVM || !options.dumpFolder.empty()) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    if (failed(dump(".ll", text)))
      return failure();
    if (options.last == Stage::LLVM) {
      artifact.text = std::move(text);
      return success();
    }
  }
  std::string ptx;
  auto generate = [&]() -> llvm::Error {
    llvm::Expected<std::string> text = emitPtx(module, *options.target);
    if (!text)
      return text.takeError();
    ptx = std::move(*text);
    return llvm::Error::success();
  };
  if (failed(guarded(Stage::Ptx, "generate", generate)) || failed(checkGenerated(ptx)))
    return failure();
  return runPtx(ptx);
}

/// Where the source has `function`, without the debug scope that each of its variants has.
static Location placeOf(LLVM::LLVMFuncOp function) {
  auto scoped = dyn_cast<FusedLoc>(function.getLoc());
  return scoped && scoped.getLocations().size() == 1 ? scoped.getLocations().front() : function.getLoc();
}

/// Notes what LLVM IR does not keep of the kernels, and checks what the assembler does not.
LogicalResult Compilation::readLaunches(ModuleOp module) {
  LogicalResult outcome = success();
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    auto integer = [&](StringRef name) {
      auto attribute = function->getAttrOfType<IntegerAttr>(name);
      return attribute ? attribute.getInt() : 0;
    };
    KernelNotes kernel{placeOf(function)};
    kernel.contract = function->getAttrOfType<DictionaryAttr>(TileDialect::kContract);
    kernel.variant = tgpu::variantOf(function);
    kernel.sharedBytes = integer(kSharedBytesAttribute);
    kernel.maxRegisters = integer(NVVM::NVVMDialect::getMaxnregAttrName());
    kernel.stages = integer(tgpu::TileGPUDialect::kStages);
    kernel.areWarpsChosen = function->hasAttr(tgpu::TileGPUDialect::kWarpsChosen);
    kernel.isBounded = function->hasAttr(NVVM::NVVMDialect::getMinctasmAttrName());
    notes.try_emplace(function.getName(), kernel);
    int64_t threads = 1;
    if (auto sizes = function->getAttrOfType<DenseI32ArrayAttr>(NVVM::NVVMDialect::getReqntidAttrName()))
      for (int32_t size : sizes.asArrayRef())
        threads *= size;

    if (threads > options.target->threadsPerBlock)
      outcome = emitError(function.getLoc())
                << titleOf(function.getName()) << " has " << threads << " threads per block; "
                << StringRef(options.target->name) << " allows " << options.target->threadsPerBlock;
    if (kernel.sharedBytes > options.target->sharedPerBlock)
      outcome = reportShared(function.getName(), kernel.sharedBytes, options.target->sharedPerBlock);
  }
  return outcome;
}

LogicalResult Compilation::reportShared(StringRef kernel, uint64_t found, uint64_t limit) {
  return emitError(locationOf(kernel)) << titleOf(kernel) << " takes " << found << " bytes of shared memory; "
                                       << StringRef(options.target->name) << " has " << limit << " per block";
}

/// What is wrong here is wrong in the compiler; the results of the kernel would be too.
LogicalResult Compilation::checkGenerated(StringRef ptx) {
  std::vector<PtxProblem> problems = checkPtx(ptx);
  if (problems.empty())
    return success();
  return emitFault(location, "the generated PTX breaks a rule",
                   "line " + std::to_string(problems.front().line) + ": " + problems.front().message);
}

LogicalResult Compilation::runPtx(StringRef ptx) {
  if (failed(checkFirst(Stage::Ptx)))
    return failure();
  if (!ptx.contains(".entry"))
    return refuseEmpty("an `.entry`");
  artifact.ptx = ptx.str();
  if (failed(dump(".ptx", ptx)))
    return failure();
  if (options.last == Stage::Ptx) {
    artifact.text = artifact.ptx;
    return success();
  }
  warnOfLength();
  FailureOr<Assembly> assembly = assembleWithoutSpills();
  if (failed(assembly))
    return failure();
  artifact.cubin = std::move(assembly->cubin);
  for (PtxKernel &code : summarizePtx(artifact.ptx)) {
    auto resources =
        llvm::find_if(assembly->kernels, [&](const KernelResources &known) { return known.name == code.name; });
    if (resources == assembly->kernels.end())
      continue;
    KernelReport &report = artifact.kernels.emplace_back(KernelReport{*resources, std::move(code)});
    report.boundSpillBytes = boundSpills.lookup(resources->name);
    if (const KernelNotes *known = notesOf(resources->name)) {
      report.dynamicSharedBytes = known->sharedBytes;
      report.stages = known->stages;
      report.areWarpsChosen = known->areWarpsChosen;
      report.parameters = parameterTexts(known->contract);
    }
  }
  artifact.remarks = std::move(assembly->remarks);
  warnOfSpills();
  warnOfSerialProducts();
  for (const AssemblerRemark &remark : artifact.remarks)
    if (remark.serial.empty()) {
      InFlightDiagnostic diagnostic = emitRemark(locationOf(remark.kernel))
                                      << "the assembler says: " << remark.text
                                      << (remark.code.empty() ? "" : " (" + remark.code + ")");
      markVariant(diagnostic, remark.kernel);
    }
  return dump(".cubin", artifact.cubin);
}

FailureOr<Assembly> Compilation::assembleOnce(StringRef ptx) {
  llvm::Expected<Assembly> assembly = artifact.times.measure(
      stageName(Stage::Cubin), "assemble", [&] { return assemble(ptx, options.assembledFor(), options.assembler); });
  if (!assembly)
    return report(assembly.takeError());
  return std::move(*assembly);
}

/// A bound of ours on registers is a guess: that a kernel with more blocks resident is faster. Where the assembler can
/// keep it only by spilling, or spills under a limit of its own, the kernel is assembled once more with all registers
/// that its threads may have.
FailureOr<Assembly> Compilation::assembleWithoutSpills() {
  FailureOr<Assembly> bounded = assembleOnce(artifact.ptx);
  if (failed(bounded))
    return failure();
  llvm::StringMap<unsigned> threads;
  for (const PtxKernel &code : summarizePtx(artifact.ptx))
    threads[code.name] = code.threads;
  llvm::StringSet<> spilling;
  for (const KernelResources &kernel : bounded->kernels) {
    const KernelNotes *known = notesOf(kernel.name);
    if (!known || known->maxRegisters || !kernel.spillStoreBytes || !threads.lookup(kernel.name))
      continue;
    unsigned most = std::min(options.assembledFor().registersPerThread,
                             options.assembledFor().registersPerProcessor / threads.lookup(kernel.name));
    if (known->isBounded || kernel.registers < most)
      spilling.insert(kernel.name);
  }
  if (spilling.empty())
    return bounded;
  std::string ptx = relaxResidencyBounds(artifact.ptx, spilling);
  FailureOr<Assembly> free = assembleOnce(ptx);
  if (failed(free))
    return failure();
  for (const KernelResources &kernel : bounded->kernels) {
    const KernelNotes *known = notesOf(kernel.name);
    if (!spilling.contains(kernel.name) || !known->isBounded)
      continue;
    boundSpills[kernel.name] = kernel.spillStoreBytes;
    std::string what = titleOf(kernel.name) + " has fewer blocks resident than would hide what its warps wait for";
    remark::missed(locationOf(kernel.name), remark::RemarkOpts::name("BoundRegisters")
                                                .category("assemble")
                                                .function(known->variant ? known->variant->name : StringRef()))
        << what.c_str()
        << remark::reason("with {0} registers per thread it would spill {1} bytes", kernel.registers,
                          kernel.spillStoreBytes);
  }
  artifact.ptx = std::move(ptx);
  return free;
}

static FailureOr<Artifact> conclude(Compilation &compilation, LogicalResult outcome) {
  if (failed(outcome))
    return failure();
  return std::move(compilation.artifact);
}

/// Fails on a `printAfter` that no pass has: a fault of the command line, which has no place in the source.
static LogicalResult checkPassNames(const CompileOptions &options, MLIRContext *context) {
  if (options.printAfter.empty())
    return success();
  std::vector<std::string> known = passNames(*context);
  for (const std::string &name : options.printAfter)
    if (!llvm::is_contained(known, name))
      return emitOptionFault(context) << "unknown pass `" << name << "`; known: " << llvm::join(known, ", ");
  return success();
}

static FailureOr<Artifact> compileModule(ModuleOp module, const CompileOptions &options, ModuleOrigin origin) {
  if (failed(checkPassNames(options, module.getContext())))
    return failure();
  Compilation compilation(options, module.getLoc(), origin);
  return conclude(compilation, compilation.runModule(module));
}

FailureOr<Artifact> compile(ModuleOp module, const CompileOptions &options) {
  return compileModule(module, options, ModuleOrigin::Generated);
}

FailureOr<Artifact> compileGiven(ModuleOp module, const CompileOptions &options) {
  return compileModule(module, options, ModuleOrigin::Given);
}

FailureOr<Artifact> compileFile(llvm::MemoryBufferRef file, MLIRContext &context, const CompileOptions &options) {
  StringRef name = file.getBufferIdentifier();
  Location location = FileLineColLoc::get(&context, name, 1, 1);
  Compilation compilation(options, location);
  if (name.ends_with(".mlir")) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(file.getBuffer(), ParserConfig(&context), name);
    if (!module)
      return failure();
    return compileGiven(*module, options);
  }
  if (name.ends_with(".ll")) {
    LLVMModule llvm;
    llvm::Expected<std::unique_ptr<llvm::Module>> module = parseLLVM(file.getBuffer(), name, *llvm.context);
    if (!module)
      return emitError(location) << llvm::toString(module.takeError());
    llvm.module = std::move(*module);
    return conclude(compilation, compilation.runLLVM(std::move(llvm)));
  }
  if (name.ends_with(".ptx"))
    return conclude(compilation, compilation.runPtx(file.getBuffer()));
  return emitError(location) << "found a name that ends in `" << llvm::sys::path::extension(name)
                             << "`; expected .mlir, .ll or .ptx";
}

} // namespace tile
