/// What a search of a kernel looks at for one launch: the configurations of its `@autotune`, and the text that says for
/// which launches what is found holds.
#ifndef RUNTIME_SEARCH_SPACE_H
#define RUNTIME_SEARCH_SPACE_H

#include "runtime/compile/Session.h"
#include "runtime/tune/Configuration.h"

#include <optional>
#include <string>
#include <vector>

namespace tile {

struct Space {
  bool isDeclared = false;           ///< by `@autotune`; otherwise the defaults are all there is
  std::vector<Configuration> all;    ///< at least one, in the order of the source; the first is the default
  std::vector<Configuration> pruned; ///< left out since `prune` is true of them, then those that `where` refuses
  size_t refused = 0;                ///< of `pruned`, since compile-time values alone make `where` false
  SourceRange prune;                 ///< the expression that is
  unsigned top = 0;                  ///< how many are to be measured; 0: it does not say
  /// The key of the launch after its buckets, `M=16 N=4096`: launches of one text share what is found.
  std::string sizes;
  /// Of all configurations, pruned or not, and of the compile-time values that are given: 32 hexadecimal digits.
  std::string hash;
};

/// The space of `kernel`, of `module`, for the launch that `options` describe: with the values that bindSignature adds.
/// What they give for a name stands in place of what configurations say, and those that differ in nothing else are one.
/// Where `prune` is true of all, none is left out, which a warning says unless something is given.
/// None after reporting what is wrong with the decorator, and whatever keeps the default from becoming tile IR.
std::optional<Space> readSpace(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                               IrgenOptions options);

/// Why a choice of `configuration` is not taken, where the kernel has those of `listed`; empty where it is.
std::string findChoiceProblem(const Configuration &configuration, llvm::ArrayRef<Configuration> listed);

/// What compiling `configuration` takes: its values come on top of those of `options`, and none of the first one.
IrgenOptions withConfiguration(IrgenOptions options, const Configuration &configuration);

/// Those that `kernel` lists, whatever `where` and `prune` say of them, without what `options` give; one without values
/// where it lists none.
std::vector<Configuration> configurationsOf(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                                            const IrgenOptions &options);

/// Notes of errors that compiling `kernel` in the first of `listed` reported, and that another of them does not have,
/// which configuration that is: nothing else of them says that there are several.
void noteConfiguration(Session &session, const ast::Module &module, const ast::KernelItem &kernel, IrgenOptions options,
                       llvm::ArrayRef<Configuration> listed);

} // namespace tile

#endif
