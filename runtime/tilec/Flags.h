/// The options that several commands share, and how they become a build. One declaration per option: `tilec`, `tilec
/// run` and `tilec check` take the same words.
#ifndef RUNTIME_TILEC_FLAGS_H
#define RUNTIME_TILEC_FLAGS_H

#include "runtime/compile/Build.h"
#include "runtime/tilec/CommandLine.h"

namespace tile {

/// The options that say what is compiled, read into a build. None, after reporting, when one is wrong.
std::optional<BuildOptions> readCompileFlags(Session &session);

/// Whether an option is given that says nothing to an input of this kind; reported.
bool refuseSourceOptions(Session &session, InputKind kind);

/// Whether `--arch` chose the target.
bool isTargetGiven();

/// Whether `--report` of `run` or `check` asks for what the passes could not do.
bool wantsRemarks();

/// Whether diagnostics are to be one array of JSON.
bool printsJsonDiagnostics();

/// Prints the diagnostics of `session` to stderr in the format asked for, in JSON with those of the array `more`, which
/// another process made. Gives the exit code: 1 after errors.
int finish(Session &session, llvm::StringRef more = "");

/// The same of faults that need no session.
int refuse(const std::vector<CommandLineFault> &faults);

/// The commands. Each gives the exit code; `input` is the file, for `explain` the code, or empty. `cache` is told what
/// to do, and with which file.
int compileMain(const std::string &input);
int runMain(const std::string &input);
int checkMain(const std::string &input);
int simMain(const std::string &input);
int inspectMain(const std::string &input);
int explainMain(const std::string &input);
int cacheMain(const std::string &word, const std::string &file);
int tuneMain(const std::string &input);

} // namespace tile

#endif
