/// From the AST of a file to tile IR: one function per kernel, with its launch contract.
#ifndef FRONTEND_IRGEN_IRGEN_H
#define FRONTEND_IRGEN_IRGEN_H

#include "frontend/ast/Item.h"
#include "frontend/diagnostic/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

/// A launch that an instance was chosen for by measuring, as the contract has it.
struct ChosenLaunch {
  std::string gpu, variant;
  std::vector<int64_t> key; ///< of each expression of the kernel's tuning key
  std::string why;
};

/// An instance to compile that is not the first configuration, or is it for a reason.
struct TunedInstance {
  std::map<std::string, std::string> values; ///< of `@instances`, as `-D` takes them
  /// What heuristics are for the launch that it is compiled for, where `-D` does not describe one.
  std::map<std::string, std::string> heuristics;
  /// Instead of the first of `@autotune`, which is taken where there is none.
  std::optional<std::map<std::string, std::string>> configuration;
  std::string state = "default", why;
  std::vector<ChosenLaunch> chosen;
};

struct IrgenOptions {
  /// What `-D NAME=VALUE` gives: compile-time parameters, as source text; extents that heuristics need; `has(p)`.
  std::map<std::string, std::string> values;
  /// The same as expressions of the root file, which a decorator gives; what is wrong with one is reported there. They
  /// replace `values` of the same names.
  std::map<std::string, const ast::Expr *> expressions;
  /// `values` hold what a configuration of `@autotune` sets; what it leaves is not that of the first one.
  bool isConfigured = false;
  /// What scalar parameters will be, for host expressions that are computed now.
  std::map<std::string, const ast::Expr *> scalars;
  /// The same as source text, which arguments give.
  std::map<std::string, std::string> scalarTexts;
  /// Of specs: how many elements a raw pointer points to, a host expression. In the spec it is a tensor of that extent,
  /// `inout`.
  std::map<std::string, const ast::Expr *> pointerSizes;
  /// The shape of a decorator that describes the launch: what it lacks is reported there.
  SourceRange shape;
  /// Compile for the launch that the values describe, not for an artifact: of what `@instances` lists one is taken, the
  /// one that a heuristic computes, else the first.
  bool forOneLaunch = false;
  /// What `num_sms()` is where that launch is; none: nobody knows.
  std::optional<int64_t> numSms;
  /// The kernel to compile; empty: all of the file.
  std::string kernel;
  /// By kernel, its instances, the preferred one first; of one that is not here those of `@instances`, in the first
  /// configuration.
  std::map<std::string, std::vector<TunedInstance>> instances;
  /// Where `import "path"` looks besides the importing file's folder.
  std::vector<std::string> includeDirectories;
};

/// Generates a verified module, or reports and gives null. `root` must outlive nothing: the module owns what it needs.
/// Files and options that are parsed on the way are added to `sources`.
mlir::OwningOpRef<mlir::ModuleOp> generate(const ast::Module &root, SourceManager &sources, DiagnosticEngine &engine,
                                           mlir::MLIRContext &context, const IrgenOptions &options);

/// What each of `asked`, host expressions over extents, compile-time parameters and scalars, is for one kernel when
/// `options` gives the values of what it uses: as a literal of the language, `inf` and `nan` included. None, after
/// reporting, if one cannot be computed.
std::optional<std::vector<std::string>> evaluateFor(const ast::Module &root, SourceManager &sources,
                                                    DiagnosticEngine &engine, mlir::MLIRContext &context,
                                                    const IrgenOptions &options,
                                                    const std::vector<const ast::Expr *> &asked);

/// Values of compile-time parameters and knobs, by name, as expressions of the root file.
using Settings = std::map<std::string, const ast::Expr *>;

/// The same once for each of `settings`, configurations that replace what `options` give for their names.
std::optional<std::vector<std::vector<std::string>>>
evaluateForEach(const ast::Module &root, SourceManager &sources, DiagnosticEngine &engine, mlir::MLIRContext &context,
                const IrgenOptions &options, const std::vector<Settings> &settings,
                const std::vector<const ast::Expr *> &asked);

/// Of each of `settings`, configurations that replace what `options` give for their names, whether `where` of the
/// kernel can be true: compile-time values make no condition of it false. What is wrong with them otherwise is left to
/// compiling.
std::vector<bool> findLeftByWhere(const ast::Module &root, SourceManager &sources, DiagnosticEngine &engine,
                                  mlir::MLIRContext &context, const IrgenOptions &options,
                                  const std::vector<Settings> &settings);

/// One combination of what `@instances` lists: names, `has(p)` among them, with their values.
using Instance = std::vector<std::pair<std::string, const ast::Expr *>>;

/// Every combination, the first value of every name first; a single empty one where nothing is listed. Names that
/// `isFixed` takes are left out.
std::vector<Instance> listInstances(const ast::KernelItem &kernel,
                                    const std::function<bool(const std::string &name)> &isFixed);

/// Reports at `shape` that it gives no value for `names`, all at once. It is written as a record, or with `assigns`
/// between a name and its value.
DiagnosticBuilder reportMissing(DiagnosticEngine &engine, Code code, SourceRange shape,
                                const std::vector<std::string_view> &names, std::string_view assigns = ": ");

/// Whether a `@heuristic` of `kernel` computes `name`.
bool hasHeuristic(const ast::KernelItem &kernel, std::string_view name);

/// Whether the file has a spec of `kernel`.
bool hasSpec(const ast::Module &root, std::string_view kernel);

/// Reports each spec of the file whose kernel is not there.
void checkSpecNames(const ast::Module &root, DiagnosticEngine &engine);

/// `N + c`, `c + N`, `N - c`, `c * N` or `N * c`, from whose value that of N follows.
struct SolvableExtent {
  std::string name;
  std::string_view inverse; ///< `-`, `+` or `/`: the extent, this, `constant` is N
  int64_t constant;         ///< not 0 where it divides

  int64_t solve(int64_t extent) const;
};
std::optional<SolvableExtent> solvableExtent(const ast::Expr &extent);

/// The dims of `kernel`: names in the extents of its tensors that are no compile-time parameters, in their order.
std::vector<std::string> dimNames(const ast::KernelItem &kernel);

/// Whether `-D` may set `name` for one of `kernels`: a compile-time parameter, a dim, `has(p)` or a knob.
bool isSettable(const std::vector<const ast::KernelItem *> &kernels, const std::string &name);

/// Reports that `name`, which `given` spells as the user did, is none of those of `kernels`. It may be meant for one of
/// `missing`; where nothing is missing, for any.
void reportUnsettable(const std::vector<const ast::KernelItem *> &kernels, DiagnosticEngine &engine, SourceRange range,
                      const std::string &name, const std::string &given,
                      const std::vector<std::string_view> &missing = {});

/// Reports a decorator of `kernel` that the language does not have.
void checkDecoratorName(const ast::Decorator &decorator, DiagnosticEngine &engine);

/// Generates a module with the specs of the kernels asked for, as functions of the kernels' names that the interpreter
/// runs in one program. `options.values` gives every dim. Floats are f64, integers as in the kernel; the ABI is a
/// pointer for each tensor, dense and row-major, and the scalars.
mlir::OwningOpRef<mlir::ModuleOp> generateSpec(const ast::Module &root, SourceManager &sources,
                                               DiagnosticEngine &engine, mlir::MLIRContext &context,
                                               const IrgenOptions &options);

} // namespace tile

#endif
