/// The driver of the stages. Whatever fails below MLIR (LLVM, the assembler) becomes a diagnostic here.
#include "backend/pipeline/Compile.h"

#include "backend/ptx/CheckPtx.h"
#include "backend/ptx/EmitPtx.h"
#include "backend/ptx/Output.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tile {

namespace {
/// One compilation: what it gives so far, and where its problems are reported.
class Compilation {
public:
  Compilation(const CompileOptions &options, Location location) : options(options), location(location) {}

  LogicalResult runModule(ModuleOp module);
  LogicalResult runLLVM(llvm::Module &module);
  LogicalResult runPtx(StringRef ptx);

  Artifact artifact;

private:
  LogicalResult checkFirst(Stage first) const;
  LogicalResult refuseEmpty(StringRef expected) const;
  LogicalResult runPasses(ModuleOp module, Stage stage, bool lower);
  LogicalResult readLaunches(ModuleOp module);
  LogicalResult checkGenerated(StringRef ptx);
  LogicalResult dump(StringRef suffix, StringRef bytes);
  LogicalResult report(llvm::Error error);
  void remarkOnCosts() const;
  Location locationOf(StringRef kernel) const;
  LogicalResult reportShared(StringRef kernel, uint64_t found, uint64_t limit);
  void reportFault(const AssemblerFault &fault);

  const CompileOptions &options;
  Location location;
  llvm::StringMap<Location> kernelLocations;
  llvm::StringMap<unsigned> dynamicSharedBytes; // by kernel
};
} // namespace

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  module.print(stream, flags.enableDebugInfo());
  return text;
}

LogicalResult Compilation::dump(StringRef suffix, StringRef bytes) {
  if (options.dumpFolder.empty())
    return success();
  llvm::SmallString<128> path(options.dumpFolder);
  llvm::sys::path::append(path, options.dumpName + suffix);
  if (llvm::Error error = writeOutput(path, bytes))
    return emitError(location) << llvm::toString(std::move(error));
  return success();
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
  if (failed(passes.run(module)))
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
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      artifact.times.measure(stageName(Stage::LLVM), "translate", [&] { return translateToLLVM(module, context); });
  return translated ? runLLVM(*translated) : failure();
}

LogicalResult Compilation::runLLVM(llvm::Module &module) {
  if (failed(checkFirst(Stage::LLVM)))
    return failure();
  if (llvm::none_of(module, [](const llvm::Function &function) {
        return function.getCallingConv() == llvm::CallingConv::PTX_Kernel && !function.isDeclaration();
      }))
    return refuseEmpty("a function with the calling convention `ptx_kernel`");
  if (llvm::Error error = artifact.times.measure(stageName(Stage::LLVM), "optimize",
                                                 [&] { return optimizeForTarget(module, *options.target); }))
    return report(std::move(error));
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
  llvm::Expected<std::string> ptx =
      artifact.times.measure(stageName(Stage::Ptx), "generate", [&] { return emitPtx(module, *options.target); });
  if (!ptx)
    return report(ptx.takeError());
  if (failed(checkGenerated(*ptx)))
    return failure();
  return runPtx(*ptx);
}

/// Notes what LLVM IR does not keep of the kernels, and checks what the assembler does not.
LogicalResult Compilation::readLaunches(ModuleOp module) {
  LogicalResult outcome = success();
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    kernelLocations.try_emplace(function.getName(), function.getLoc());
    auto shared = function->getAttrOfType<IntegerAttr>(kSharedBytesAttribute);
    unsigned sharedBytes = shared ? shared.getInt() : 0;
    dynamicSharedBytes[function.getName()] = sharedBytes;
    int64_t threads = 1;
    if (auto sizes = function->getAttrOfType<DenseI32ArrayAttr>(NVVM::NVVMDialect::getReqntidAttrName()))
      for (int32_t size : sizes.asArrayRef())
        threads *= size;

    if (threads > options.target->threadsPerBlock)
      outcome = emitError(function.getLoc())
                << "kernel `" << function.getName() << "` has " << threads << " threads per block; "
                << StringRef(options.target->name) << " allows " << options.target->threadsPerBlock;
    if (sharedBytes > options.target->sharedPerBlock)
      outcome = reportShared(function.getName(), sharedBytes, options.target->sharedPerBlock);
  }
  return outcome;
}

LogicalResult Compilation::reportShared(StringRef kernel, uint64_t found, uint64_t limit) {
  return emitError(locationOf(kernel)) << "kernel `" << kernel << "` takes " << found << " bytes of shared memory; "
                                       << StringRef(options.target->name) << " has " << limit << " per block";
}

/// What is wrong here is wrong in the compiler; the results of the kernel would be too.
LogicalResult Compilation::checkGenerated(StringRef ptx) {
  std::vector<PtxProblem> problems = checkPtx(ptx);
  if (problems.empty())
    return success();
  return emitError(location) << "the generated PTX breaks a rule in line " << problems.front().line << ": "
                             << problems.front().message;
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
  llvm::Expected<Assembly> assembly = artifact.times.measure(
      stageName(Stage::Cubin), "assemble", [&] { return assemble(ptx, options.assembledFor(), options.assembler); });
  if (!assembly)
    return report(assembly.takeError());
  artifact.cubin = std::move(assembly->cubin);
  for (PtxKernel &code : summarizePtx(ptx)) {
    auto resources =
        llvm::find_if(assembly->kernels, [&](const KernelResources &known) { return known.name == code.name; });
    if (resources != assembly->kernels.end())
      artifact.kernels.push_back({*resources, std::move(code), dynamicSharedBytes.lookup(resources->name)});
  }
  artifact.remarks = std::move(assembly->remarks);
  remarkOnCosts();
  return dump(".cubin", artifact.cubin);
}

Location Compilation::locationOf(StringRef kernel) const {
  auto known = kernelLocations.find(kernel);
  return known == kernelLocations.end() ? location : known->second;
}

/// What costs time and is seen only after assembly.
void Compilation::remarkOnCosts() const {
  for (const KernelReport &report : artifact.kernels)
    if (const KernelResources &kernel = report.resources; kernel.spillStoreBytes)
      emitRemark(locationOf(kernel.name)) << "kernel `" << kernel.name << "` spills " << kernel.spillStoreBytes
                                          << " bytes per thread to memory: it has " << kernel.registers
                                          << " registers; more warps or smaller tiles need fewer";
  for (const AssemblerRemark &remark : artifact.remarks)
    emitRemark(location) << "the assembler says: " << remark.text
                         << (remark.code.empty() ? "" : " (" + remark.code + ")");
}

void Compilation::reportFault(const AssemblerFault &fault) {
  Location where = locationOf(fault.kernel);
  StringRef target(options.target->name);
  switch (fault.kind) {
  case AssemblerFault::Kind::SharedMemory:
    (void)reportShared(fault.kernel, fault.foundBytes, fault.limitBytes);
    return;
  case AssemblerFault::Kind::Registers:
    emitError(where) << "kernel `" << fault.kernel << "` needs more registers than " << target
                     << " gives a thread: " << fault.text;
    return;
  case AssemblerFault::Kind::Syntax:
    emitError(where) << "the assembler refuses line " << fault.line << " of the PTX: " << fault.text;
    return;
  case AssemblerFault::Kind::Other:
    emitError(where) << "the assembler refuses the PTX: " << fault.text;
    return;
  }
}

LogicalResult Compilation::report(llvm::Error error) {
  llvm::handleAllErrors(
      std::move(error),
      [&](const AssemblyError &refused) {
        llvm::for_each(refused.faults, [&](const AssemblerFault &fault) { reportFault(fault); });
      },
      [&](const llvm::ErrorInfoBase &other) { emitError(location) << other.message(); });
  return failure();
}

static FailureOr<Artifact> conclude(Compilation &compilation, LogicalResult outcome) {
  if (failed(outcome))
    return failure();
  return std::move(compilation.artifact);
}

/// Fails on a `printAfter` that no pass has.
static LogicalResult checkPassNames(const CompileOptions &options, Location location) {
  if (options.printAfter.empty())
    return success();
  std::vector<std::string> known = passNames(*location.getContext());
  for (const std::string &name : options.printAfter)
    if (!llvm::is_contained(known, name))
      return emitError(location) << "unknown pass `" << name << "`; known: " << llvm::join(known, ", ");
  return success();
}

FailureOr<Artifact> compile(ModuleOp module, const CompileOptions &options) {
  if (failed(checkPassNames(options, module.getLoc())))
    return failure();
  Compilation compilation(options, module.getLoc());
  return conclude(compilation, compilation.runModule(module));
}

FailureOr<Artifact> compileFile(llvm::MemoryBufferRef file, MLIRContext &context, const CompileOptions &options) {
  StringRef name = file.getBufferIdentifier();
  Location location = FileLineColLoc::get(&context, name, 1, 1);
  Compilation compilation(options, location);
  if (name.ends_with(".mlir")) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(file.getBuffer(), ParserConfig(&context), name);
    if (!module)
      return failure();
    return compile(*module, options);
  }
  if (name.ends_with(".ll")) {
    llvm::LLVMContext llvmContext;
    llvm::Expected<std::unique_ptr<llvm::Module>> module = parseLLVM(file.getBuffer(), name, llvmContext);
    if (!module)
      return emitError(location) << llvm::toString(module.takeError());
    return conclude(compilation, compilation.runLLVM(**module));
  }
  if (name.ends_with(".ptx"))
    return conclude(compilation, compilation.runPtx(file.getBuffer()));
  return emitError(location) << "found a name that ends in `" << llvm::sys::path::extension(name)
                             << "`; expected .mlir, .ll or .ptx";
}

} // namespace tile
