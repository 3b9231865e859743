/// The handlers call nothing that may wait for a lock which the crashed code holds: they write and exit.
#include "runtime/tilec/CrashReport.h"

#include "backend/pipeline/FaultGuard.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"

#include <csignal>
#include <new>
#include <unistd.h>

namespace tile {

namespace {
struct CommandLine {
  int argc = 0;
  char **argv = nullptr;
};
} // namespace
static CommandLine commandLine;

static void write(llvm::StringRef text) {
  // Nothing can be done where standard error is closed.
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

[[noreturn]] static void finish(llvm::StringRef message, llvm::StringRef detail) {
  write(message);
  if (!detail.empty()) {
    write("\n  = note: for the report: ");
    write(detail.split('\n').first);
  }
  write("\n  = note: the command was:");
  for (int i = 0; i < commandLine.argc; ++i) {
    write(" ");
    write(commandLine.argv[i]);
  }
  write("\n");
  _exit(kCrashCode);
}

static constexpr llvm::StringLiteral kFault =
    "error[E0999]: the compiler crashed; please report it with the program that shows it";
static constexpr llvm::StringLiteral kNoMemory =
    "error[E0602]: there is no memory left; smaller tiles and arguments need less";

void installCrashReport(int argc, char **argv) {
  commandLine = {argc, argv};
  // A quit from the keyboard is no crash, and what `nohup` has ignored stays so.
  struct sigaction quit, hangup;
  sigaction(SIGQUIT, nullptr, &quit);
  sigaction(SIGHUP, nullptr, &hangup);
  // Before the other handlers: LLVM wants it so.
  llvm::sys::SetOneShotPipeSignalFunction(llvm::sys::DefaultOneShotPipeSignalHandler);
  llvm::sys::AddSignalHandler([](void *) { finish(kFault, ""); }, nullptr);
  sigaction(SIGQUIT, &quit, nullptr);
  if (hangup.sa_handler == SIG_IGN)
    sigaction(SIGHUP, &hangup, nullptr);
  reportFatalErrorsTo([](const char *reason) { finish(kFault, reason); });
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { finish(kNoMemory, ""); }, nullptr);
  std::set_new_handler([] { finish(kNoMemory, ""); });
}

} // namespace tile
