#include "runtime/store/Folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace tile {

static std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

Result<std::string> findStoreFolder() {
  if (std::string folder = variable("TILE_CACHE_DIR"); !folder.empty())
    return folder;
  // The base directory specification has relative paths ignored.
  if (std::string base = variable("XDG_CACHE_HOME"); !base.empty() && base.front() == '/')
    return base + "/tile";
  if (std::string home = variable("HOME"); !home.empty())
    return home + "/.cache/tile";
  return Error{ErrorCode::File, "found no folder for compiled code and tuned choices, since HOME is not set; expected "
                                "TILE_CACHE_DIR to name one"};
}

static bool isFolder(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

Status makeStoreFolder(const std::string &folder) {
  for (size_t end = folder.find('/', 1); !isFolder(folder); end = folder.find('/', end + 1)) {
    std::string path = folder.substr(0, end);
    // Another process may make it meanwhile; what else is in the way is no folder.
    if (mkdir(path.c_str(), 0700) == 0 || isFolder(path))
      continue;
    const char *reason = std::strerror(errno == EEXIST ? ENOTDIR : errno);
    return Error{ErrorCode::File, "cannot make the folder `" + path + "`: " + reason};
  }
  return {};
}

std::optional<uint64_t> readByteCount(std::string_view text) {
  unsigned shift = 0;
  if (!text.empty())
    switch (text.back()) {
    case 'K':
      shift = 10;
      break;
    case 'M':
      shift = 20;
      break;
    case 'G':
      shift = 30;
      break;
    }
  text.remove_suffix(shift ? 1 : 0);
  uint64_t count = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (problem != std::errc() || end != text.data() + text.size() || count > (UINT64_MAX >> shift))
    return std::nullopt;
  return count << shift;
}

std::string printByteCount(uint64_t bytes) {
  if (bytes < 1024)
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  double count = static_cast<double>(bytes);
  const char *unit = "";
  for (const char *next : {"KiB", "MiB", "GiB", "TiB"})
    if (count >= 1024) {
      count /= 1024;
      unit = next;
    }
  char text[32];
  return {text, static_cast<size_t>(std::snprintf(text, sizeof(text), "%.1f %s", count, unit))};
}

std::string printDate(int64_t seconds) {
  std::time_t time = seconds;
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

static sigset_t sizeSignal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return set;
}

static bool isSizeSignalPending() {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

SizeLimitFails::SizeLimitFails() : wasPending(isSizeSignalPending()) {
  sigset_t set = sizeSignal(), before;
  wasBlocked = pthread_sigmask(SIG_BLOCK, &set, &before) != 0 || sigismember(&before, SIGXFSZ) == 1;
}

SizeLimitFails::~SizeLimitFails() {
  // The signal went to this thread; it is taken before it can be delivered.
  sigset_t set = sizeSignal();
  timespec none{};
  while (!wasPending && isSizeSignalPending() && sigtimedwait(&set, nullptr, &none) == SIGXFSZ)
    ;
  if (!wasBlocked)
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

FolderLock::FolderLock(const std::string &path) : descriptor(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  constexpr int kWaits = 2000;
  for (int i = 0; descriptor >= 0 && i < kWaits; ++i) {
    held = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    if (held || (errno != EWOULDBLOCK && errno != EINTR))
      return;
    timespec millisecond{0, 1'000'000};
    nanosleep(&millisecond, nullptr);
  }
}

FolderLock::~FolderLock() {
  if (descriptor >= 0)
    close(descriptor);
}

} // namespace tile
