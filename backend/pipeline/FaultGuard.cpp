/// LLVM's crash recovery leaves `work` by a jump, from a fatal error as from a signal.
#include "backend/pipeline/FaultGuard.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <atomic>
#include <csignal>
#include <cstring>
#include <mutex>

namespace tile {

/// Exit codes of shells for a process that a signal ended begin above this.
static constexpr int kSignalBase = 128;
/// Any code will do: it says only that `work` was left.
static constexpr int kLeft = 70;

/// The handlers of crash recovery run on the stack that overflowed, unless told otherwise.
static void useAlternateStack() {
  for (int signal : {SIGSEGV, SIGBUS}) {
    struct sigaction action;
    if (sigaction(signal, nullptr, &action) != 0)
      continue;
    action.sa_flags |= SA_ONSTACK;
    sigaction(signal, &action, nullptr);
  }
}

static thread_local std::string *reasonOfGuard = nullptr; // within a guard
static std::atomic<void (*)(const char *)> reportOutside{nullptr};

static void handleFatalError(void *, const char *reason, bool) {
  if (reasonOfGuard) {
    *reasonOfGuard = reason;
    llvm::CrashRecoveryContext::GetCurrent()->HandleExit(kLeft);
  }
  if (auto report = reportOutside.load())
    report(reason);
}

/// LLVM has one handler, which cannot be put aside for a while.
static void installHandler() {
  static std::once_flag once;
  std::call_once(once, [] { llvm::install_fatal_error_handler(handleFatalError, nullptr); });
}

void reportFatalErrorsTo(void (*report)(const char *reason)) {
  reportOutside = report;
  installHandler();
}

std::optional<std::string> runGuarded(llvm::function_ref<void()> work) {
  // Signal handlers are the process's.
  static std::mutex oneAtATime;
  std::lock_guard lock(oneAtATime);
  installHandler();
  std::string reason;
  llvm::CrashRecoveryContext::Enable();
  useAlternateStack();
  llvm::CrashRecoveryContext context;
  reasonOfGuard = &reason;
  bool finished = context.RunSafely(work);
  reasonOfGuard = nullptr;
  llvm::CrashRecoveryContext::Disable();
  if (finished)
    return std::nullopt;
  if (reason.empty())
    reason = context.RetCode > kSignalBase ? strsignal(context.RetCode - kSignalBase) : "it gave no reason";
  return reason;
}

} // namespace tile
