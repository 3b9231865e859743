#include "runtime/store/CacheFolder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>

namespace tile {

static constexpr int64_t kSecondsBetweenScans = 24 * 60 * 60;

CacheFile fileOf(std::string key, std::string path, const struct stat &status) {
  int64_t usedNs = int64_t(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
  return {std::move(key), std::move(path), static_cast<uint64_t>(status.st_size), usedNs, status.st_ino, {}};
}

// A pipe of that name must not be waited for.
OpenEntry::OpenEntry(const std::string &path) : descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor < 0 || fstat(descriptor, &found) != 0)
    reason = errno;
  else if (!S_ISREG(found.st_mode))
    reason = S_ISDIR(found.st_mode) ? EISDIR : EINVAL;
}

OpenEntry::~OpenEntry() {
  if (descriptor >= 0)
    close(descriptor);
}

/// Reads from `offset` on until `bytes` are full or the file ends. Gives 0 or the reason of a failure.
static int readAt(int file, uint64_t offset, std::string &bytes) {
  size_t got = 0;
  while (got < bytes.size()) {
    ssize_t count = pread(file, bytes.data() + got, bytes.size() - got, static_cast<off_t>(offset + got));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errno;
    if (count == 0)
      break;
    got += static_cast<size_t>(count);
  }
  bytes.resize(got);
  return 0;
}

int OpenEntry::readWhole(std::string &content) const {
  if (static_cast<uint64_t>(found.st_size) > kMostEntryBytes)
    return EFBIG;
  content.resize(static_cast<size_t>(found.st_size));
  return readAt(descriptor, 0, content);
}

CacheParts OpenEntry::readFacts() const {
  uint64_t size = static_cast<uint64_t>(found.st_size);
  if (reason != 0 || size < kCacheTrailerBytes)
    return {};
  std::string trailer(kCacheTrailerBytes, '\0');
  if (readAt(descriptor, size - kCacheTrailerBytes, trailer) != 0)
    return {};
  uint64_t bytes = cacheFactsBytes(trailer);
  if (bytes > size - kCacheTrailerBytes)
    return {};
  std::string facts(bytes, '\0');
  readAt(descriptor, size - kCacheTrailerBytes - bytes, facts);
  return readCacheFacts(facts);
}

void OpenEntry::noteUse() const { futimens(descriptor, nullptr); }

CacheTotal readTotal(const FolderLock &lock) {
  char text[64] = {};
  unsigned long long bytes = 0;
  long long scannedAt = 0;
  if (lock.file() < 0 || pread(lock.file(), text, sizeof(text) - 1, 0) <= 0 ||
      std::sscanf(text, "%llu bytes, counted at %lld", &bytes, &scannedAt) != 2)
    return {};
  return {bytes, scannedAt};
}

void writeTotal(const FolderLock &lock, CacheTotal total) {
  // Of one length, so that one write replaces what was there.
  char text[64];
  int length = std::snprintf(text, sizeof(text), "%20llu bytes, counted at %12lld\n",
                             static_cast<unsigned long long>(total.bytes), static_cast<long long>(total.scannedAt));
  SizeLimitFails guard;
  // What is not written is found by looking.
  if (lock.file() >= 0 && pwrite(lock.file(), text, static_cast<size_t>(length), 0) != length)
    (void)!ftruncate(lock.file(), 0);
}

bool addToTotal(const FolderLock &lock, uint64_t bytes, uint64_t cap) {
  CacheTotal total = readTotal(lock);
  total.bytes += bytes;
  writeTotal(lock, total);
  int64_t age = std::time(nullptr) - total.scannedAt;
  return total.bytes <= cap && age >= 0 && age < kSecondsBetweenScans;
}

} // namespace tile
