#include "runtime/tune/ScratchFolder.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <functional>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tile {

static constexpr const char *kPrefix = "tile-tune-";
static constexpr const char *kLock = "/lock";
/// In place of the lock in a file system without any: nobody knows when its process has ended.
static constexpr const char *kUnlocked = "/unlocked";

static void eachEntry(const std::string &folder, const std::function<void(const std::string &name)> &visit) {
  DIR *entries = opendir(folder.c_str());
  if (!entries)
    return;
  while (dirent *entry = readdir(entries))
    visit(entry->d_name);
  closedir(entries);
}

/// Removes `folder`, the lock last, so that what is left when this is ended is removed by the next one.
static void removeFolder(const std::string &folder) {
  eachEntry(folder, [&](const std::string &name) {
    if ("/" + name != kLock)
      unlink((folder + "/" + name).c_str()); // there are no folders in it
  });
  unlink((folder + kLock).c_str());
  rmdir(folder.c_str());
}

/// Whether `descriptor` now has the lock of a file that is still there.
static bool takeLock(int descriptor) {
  struct stat status;
  return flock(descriptor, LOCK_EX | LOCK_NB) == 0 && fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

static void removeAbandoned(const std::string &parent) {
  eachEntry(parent, [&](const std::string &name) {
    std::string folder = parent + "/" + name;
    struct stat status;
    if (name.rfind(kPrefix, 0) != 0 || lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
        status.st_uid != geteuid() || access((folder + kUnlocked).c_str(), F_OK) == 0)
      return;
    // A process may have ended before it made its file, or while it removed the folder.
    int lock = open((folder + kLock).c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (lock < 0)
      return;
    if (takeLock(lock))
      removeFolder(folder);
    close(lock);
  });
}

static Error failed(const std::string &parent) {
  return {ErrorCode::File, "cannot make a folder for compiled code in `" + parent + "`: " + std::strerror(errno) +
                               "; name another folder in TMPDIR"};
}

Result<std::unique_ptr<ScratchFolder>> ScratchFolder::make() {
  const char *given = std::getenv("TMPDIR");
  const std::string parent = given && *given ? given : "/tmp";
  removeAbandoned(parent);
  while (true) {
    std::string folder = parent + "/" + kPrefix + "XXXXXX";
    if (!mkdtemp(folder.data()))
      return failed(parent);
    int lock = open((folder + kLock).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (lock < 0) {
      if (errno == ENOENT) // another one took it for abandoned
        continue;
      Error error = failed(parent);
      rmdir(folder.c_str());
      return error;
    }
    if (takeLock(lock))
      return std::unique_ptr<ScratchFolder>(new ScratchFolder(std::move(folder), lock));
    int problem = errno;
    struct stat status;
    bool isThere = fstat(lock, &status) == 0 && status.st_nlink > 0;
    close(lock);
    if (!isThere || problem == EWOULDBLOCK) // another one took it for abandoned before it was locked
      continue;
    rename((folder + kLock).c_str(), (folder + kUnlocked).c_str());
    return std::unique_ptr<ScratchFolder>(new ScratchFolder(std::move(folder), -1));
  }
}

ScratchFolder::~ScratchFolder() {
  removeFolder(folder);
  if (lock >= 0)
    close(lock);
}

} // namespace tile
