/// Launches described by their sizes, for searches without arguments at hand: from a file, or from `@bench`.
///
///   # one launch a line: dims, element types, compile-time parameters, scalars
///   M=4096 N=4096 K=4096
///   M=16 N=4096 K=4096 T=f16
///   B=1 H=16 S=4096 scale=0.088 lse=none
#ifndef RUNTIME_SEARCH_SHAPES_H
#define RUNTIME_SEARCH_SHAPES_H

#include "runtime/compile/Session.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tile {

struct LaunchShape {
  std::map<std::string, std::string> values; ///< by name, as source text; `none` for an absent optional parameter
  struct Place {
    SourceRange name, value;
  };
  std::map<std::string, Place> places; ///< of `values` that are written there
  SourceRange range;                   ///< where it stands
  std::string text;                    ///< `M=4096 N=4096 K=4096`
  const char *assigns = "=";           ///< between name and value, as it is written there
  const ast::Expr *inputs = nullptr;   ///< what `inputs` of `@bench` is, how elements are chosen; null: normal

  /// Where `name` stands; for what the command line gives, the whole of it.
  Place placeOf(const std::string &name) const;
};

/// The launches of `item` that the file at `path` lists, with the inputs of the first `@bench` that has some; none
/// after reporting a line that is none.
std::optional<std::vector<LaunchShape>> readShapeFile(Session &session, const ast::KernelItem &item,
                                                      const std::string &path);

/// What `@bench(shapes = [...])` of `item` lists, each once, with what `-D` gives, `given`, in place of what it says.
std::vector<LaunchShape> benchShapes(Session &session, const ast::KernelItem &item,
                                     const std::map<std::string, std::string> &given);

/// What a shape may give a parameter are scalars, and `none` for what is optional. False after reporting.
bool checkScalars(Session &session, const ast::KernelItem &item, const LaunchShape &shape);

/// What `shape` gives compile-time parameters and knobs of `item`.
std::map<std::string, std::string> compiledValues(const ast::KernelItem &item, const LaunchShape &shape);

/// `options` for one launch of `shape`: scalars apart from what `-D` may set.
IrgenOptions withShape(IrgenOptions options, const ast::KernelItem &item, const LaunchShape &shape);

/// One argument for each parameter that is there, as `--arg` takes them: `a=normal:bf16[4096,4096]`. Tensors have the
/// extents of the signature, rows without gaps. `options` say what `num_sms()` is. None after reporting what `shape`
/// does not say or the kernel does not have.
std::optional<std::vector<std::string>> argumentsOf(Session &session, const ast::Module &module,
                                                    const ast::KernelItem &item, const IrgenOptions &options,
                                                    const LaunchShape &shape);

/// Runs `work`. Errors that it reports without a place, and that no configuration runs, stand at `place`, that of the
/// launch: of several, each has its own.
void reportAt(Session &session, SourceRange place, llvm::function_ref<void()> work);

} // namespace tile

#endif
