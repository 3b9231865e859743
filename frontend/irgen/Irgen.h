/// From the AST of a file to tile IR: one function per kernel, with its launch contract.
#ifndef FRONTEND_IRGEN_IRGEN_H
#define FRONTEND_IRGEN_IRGEN_H

#include "frontend/ast/Item.h"
#include "frontend/diagnostic/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <string>
#include <vector>

namespace tile {

struct IrgenOptions {
  /// What `-D NAME=VALUE` gives: compile-time parameters, as source text; extents that heuristics need; `has(p)`.
  std::map<std::string, std::string> values;
  /// The kernel to compile; empty: all of the file.
  std::string kernel;
  /// Where `import "path"` looks besides the importing file's folder.
  std::vector<std::string> includeDirectories;
};

/// Generates a verified module, or reports and gives null. `root` must outlive nothing: the module owns what it needs.
/// Files and options that are parsed on the way are added to `sources`.
mlir::OwningOpRef<mlir::ModuleOp> generate(const ast::Module &root, SourceManager &sources, DiagnosticEngine &engine,
                                           mlir::MLIRContext &context, const IrgenOptions &options);

} // namespace tile

#endif
