/// `fork`, and files in memory for what comes back: unlike pipes they need no reader while the call runs.
#include "backend/ptx/IsolatedCall.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <cerrno>
#include <csignal>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace tile {

namespace {
/// A file without a name, closed with the object.
class MemoryFile {
public:
  MemoryFile() : descriptor(memfd_create("tile", MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile &) = delete;
  ~MemoryFile() {
    if (isOpen())
      close(descriptor);
  }
  bool isOpen() const { return descriptor >= 0; }
  /// Whether all of `text` was written.
  bool write(StringRef text) const {
    while (!text.empty()) {
      ssize_t count = ::write(descriptor, text.data(), text.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return false;
      text = text.drop_front(count);
    }
    return true;
  }
  std::string read() const {
    std::string text;
    char buffer[1 << 14];
    while (true) {
      ssize_t count = pread(descriptor, buffer, sizeof(buffer), text.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return text;
      text.append(buffer, count);
    }
  }
  const int descriptor;
};
} // namespace

static Error systemError(const char *what) {
  return createStringError(std::error_code(errno, std::generic_category()), what);
}

Expected<IsolatedCall> callIsolated(function_ref<std::string()> work) {
  MemoryFile result, printed;
  if (!result.isOpen() || !printed.isOpen())
    return systemError("no file in memory can be made");
  pid_t child = fork();
  if (child < 0)
    return systemError("no process can be made");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody takes a result whose caller is gone
    // What crashes here is the parent's to report.
    for (int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP})
      std::signal(signal, SIG_DFL);
    dup2(printed.descriptor, STDOUT_FILENO);
    dup2(printed.descriptor, STDERR_FILENO);
    bool isWritten = result.write(work());
    // Not `exit`: buffers and destructors are the parent's.
    _exit(isWritten ? 0 : 1);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return systemError("a process of ours is lost");
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) // which `work` does not raise
    return createStringError("a process of ours was ended by SIGKILL, as the system does where memory runs out");
  return IsolatedCall{result.read(), printed.read(), WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

} // namespace tile
