/// What is said when the compiler crashes: one message of ours with a request to report it, and no stack of LLVM's.
#ifndef RUNTIME_TILEC_CRASHREPORT_H
#define RUNTIME_TILEC_CRASHREPORT_H

namespace tile {

/// The exit code after a crash, BSD's "internal software error"; 1 is for what the user can mend.
constexpr int kCrashCode = 70;

/// From here on a crash signal, a fatal error of LLVM's and a lack of memory end the process with a message that holds
/// the command line, and the exit code `kCrashCode`. A closed pipe ends it in silence. `argv` must stay.
void installCrashReport(int argc, char **argv);

} // namespace tile

#endif
