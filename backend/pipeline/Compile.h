/// Runs the stages: IR of any stage in, a cubin or an earlier stage's text out.
#ifndef BACKEND_PIPELINE_COMPILE_H
#define BACKEND_PIPELINE_COMPILE_H

#include "backend/pipeline/PassTrace.h"
#include "backend/pipeline/Pipeline.h"
#include "backend/ptx/Assemble.h"
#include "backend/ptx/PtxSummary.h"

#include "llvm/Support/MemoryBufferRef.h"

namespace tile {

struct CompileOptions : PipelineOptions {
  Stage last = Stage::Cubin;
  AssembleOptions assembler;
  const Target *assembleFor = nullptr;  ///< a later GPU that takes the PTX of `target`; null: `target` itself
  std::vector<std::string> printAfter;  ///< pass names; checked against `passNames`
  llvm::raw_ostream *printTo = nullptr; ///< where `printAfter` goes; null: stderr
  std::string dumpFolder; ///< existing folder for every stage's text, as `<dumpName>.tile.mlir` and so on; empty: none
  std::string dumpName = "kernel";

  /// The GPU that the cubin is for.
  const Target &assembledFor() const { return assembleFor ? *assembleFor : *target; }
};

/// On a kernel's `llvm.func`: the bytes of shared memory that a launch provides, an integer. Absent: none.
constexpr llvm::StringLiteral kSharedBytesAttribute = "tgpu.shared_bytes";

/// Metadata of a diagnostic that says that the compiler is wrong and not the program.
constexpr llvm::StringLiteral kCompilerFault = "compiler fault";
/// Metadata of a warning that says that code is slower than it would be if the compiler did better.
constexpr llvm::StringLiteral kMissedOptimization = "missed optimization";
/// Metadata of a warning that says why a compilation takes long.
constexpr llvm::StringLiteral kLongCompilation = "long compilation";
/// Metadata of an error that an option gives, such as a folder that cannot be written; it has no place.
constexpr llvm::StringLiteral kOptionFault = "option fault";
// A warning or remark has, beside these, the names of the variants that it is about.

/// One kernel of a cubin: what its launch needs and what it does.
struct KernelReport {
  KernelResources resources;
  PtxKernel code;
  unsigned dynamicSharedBytes = 0; ///< that a launch provides, beside `resources.staticSharedBytes`
  unsigned boundSpillBytes = 0;    ///< spilled under a bound on registers that the compiler therefore took back
  unsigned stages = 0;             ///< the most of a loop that copies ahead; 0: none does
  bool areWarpsChosen = false;     ///< by the compiler
  /// What tells it from other instances: names and values of compile-time parameters.
  std::vector<std::pair<std::string, std::string>> parameters = {};

  unsigned threads() const { return code.threads; }
  unsigned sharedBytes() const { return resources.staticSharedBytes + dynamicSharedBytes; }
};

struct Artifact {
  std::string text;                  ///< of `last`, unless that is Cubin
  std::string ptx;                   ///< once reached
  std::string cubin;                 ///< once reached
  std::string manifest;              ///< JSON, where the build was asked for one
  std::vector<KernelReport> kernels; ///< of the cubin, in the order of the PTX
  std::vector<AssemblerRemark> remarks;
  StepTimes times;
};

/// Compiles `module`, which is in any of the MLIR stages and is changed. Problems are emitted as diagnostics of its
/// context, at the kernel where they have one.
mlir::FailureOr<Artifact> compile(mlir::ModuleOp module, const CompileOptions &options);
/// The same for a module that the user wrote: what it has wrong is an error there and no fault of the compiler.
mlir::FailureOr<Artifact> compileGiven(mlir::ModuleOp module, const CompileOptions &options);

/// Compiles a file by the end of its name: `.mlir` of any stage, `.ll`, `.ptx`. Its dialects must be registered.
mlir::FailureOr<Artifact> compileFile(llvm::MemoryBufferRef file, mlir::MLIRContext &context,
                                      const CompileOptions &options);

} // namespace tile

#endif
