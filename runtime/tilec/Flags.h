/// The options that several commands share, and how they become a build. One declaration per option: `tilec`, `tilec
/// run` and `tilec check` take the same words.
#ifndef RUNTIME_TILEC_FLAGS_H
#define RUNTIME_TILEC_FLAGS_H

#include "runtime/compile/Build.h"

#include "llvm/Support/CommandLine.h"

namespace tile {

/// The commands; `tilec FILE` without one compiles.
llvm::cl::SubCommand &runCommand();
llvm::cl::SubCommand &checkCommand();
llvm::cl::SubCommand &inspectCommand();
llvm::cl::SubCommand &explainCommand();

/// Where the options of ours are listed in `--help`.
llvm::cl::OptionCategory &compileCategory();
llvm::cl::OptionCategory &runCategory();

/// The options that say what is compiled, read into a build. None, after reporting, when one is wrong.
std::optional<BuildOptions> readCompileFlags(Session &session);

/// Whether `--arch` chose the target.
bool isTargetGiven();

/// Whether `--report` asks for what the passes could not do.
bool wantsRemarks();

/// Prints the diagnostics of `session` to stderr in the format asked for. Gives the exit code: 1 after errors.
int finish(Session &session);

/// Make the options known, after LLVM's own are forgotten.
void registerSharedFlags();
void registerCheckFlags();
void registerCompileFlags();
void registerExplainFlags();
void registerInspectFlags();
void registerRunFlags();

int compileMain();
int runMain();
int checkMain();
int inspectMain();
int explainMain();

} // namespace tile

#endif
