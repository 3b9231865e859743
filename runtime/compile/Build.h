/// From a source file to the self-describing cubin, or to the text of an earlier stage: the only place where frontend,
/// backend and artifact meet.
#ifndef RUNTIME_COMPILE_BUILD_H
#define RUNTIME_COMPILE_BUILD_H

#include "backend/pipeline/Compile.h"
#include "runtime/compile/Input.h"

namespace tile {

struct BuildOptions {
  IrgenOptions source;    ///< for a `.tile` file
  CompileOptions compile; ///< `target` is set
  bool fuses = true;      ///< whether `a * b + c` of a `.tile` file rounds once
  /// Gets what `--report` says of the kernels, each paragraph once; null: nobody asks.
  std::vector<std::string> *reports = nullptr;
  bool describe = false; ///< gives the manifest of PTX, too: without what only the assembler knows
};

/// Tile IR of `file`, Tile source or MLIR; what runs on any device has this meaning. Null after errors.
mlir::OwningOpRef<mlir::ModuleOp> loadKernels(Session &session, FileId file, InputKind kind,
                                              const BuildOptions &options, StepTimes &times);

/// The same of a syntax tree.
mlir::OwningOpRef<mlir::ModuleOp> loadKernels(Session &session, const ast::Module &module, const BuildOptions &options,
                                              StepTimes &times);

/// Builds `file`, which is no cubin, up to the stage that `options.compile.last` says. A cubin made from a stage that
/// has contracts holds its manifest. None after errors, which are reported.
std::optional<Artifact> build(Session &session, FileId file, InputKind kind, const BuildOptions &options);

/// The same of Tile source that is parsed. `times` are of what was done before.
std::optional<Artifact> build(Session &session, FileId file, const ast::Module &syntax, const BuildOptions &options,
                              StepTimes times);

/// The same from tile IR that is loaded; `module` is spent.
std::optional<Artifact> build(Session &session, FileId file, mlir::ModuleOp module, const BuildOptions &options);

} // namespace tile

#endif
