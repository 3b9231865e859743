/// `tilec --worker`: the compiler as a process that the tuner gives jobs, and jobs as the command line's build options
/// make them. Not for people: it reads jobs from standard input, as `runtime/tune/CompileJob.h` writes them.
#ifndef RUNTIME_SEARCH_COMPILEWORKER_H
#define RUNTIME_SEARCH_COMPILEWORKER_H

#include "runtime/compile/Build.h"
#include "runtime/tune/CompileJob.h"

namespace tile {

/// The job that builds `file`, whose kernels `session` has generated, as `options` say, for one launch, into `output`.
/// The values of a configuration are added by the caller. Expressions of decorators do not travel.
CompileJob toCompileJob(const Session &session, const std::string &file, const BuildOptions &options,
                        const std::string &output);

/// Answers jobs until standard input ends; gives the exit code.
int workerMain();

} // namespace tile

#endif
