// Reading and writing entries; CacheRoom.cpp keeps the folder within its cap.

#include "runtime/store/Cache.h"

#include "runtime/store/CacheFolder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <utility>

namespace tile {

static constexpr uint64_t kDefaultMaxBytes = uint64_t(2) << 30;

Cache::Cache(CacheOptions options)
    : place(std::move(options.folder)), cap(options.maxBytes.value_or(kDefaultMaxBytes)),
      out(std::move(options.report)) {
  if (place.empty()) {
    if (Result<std::string> found = findStoreFolder()) {
      place = std::move(*found);
    } else {
      writes = false;
      report(found.error().message + "; going on without compiled code kept from earlier");
    }
  }
  const char *limit = std::getenv("TILE_CACHE_MAX_BYTES");
  if (options.maxBytes || !limit || !*limit)
    return;
  if (std::optional<uint64_t> bytes = readByteCount(limit))
    cap = *bytes;
  else
    report("TILE_CACHE_MAX_BYTES is `" + std::string(limit) +
           "`; expected a number of bytes such as 500000000 or 2G; the cache is held to 2G");
}

void Cache::report(const std::string &message) {
  std::lock_guard<std::mutex> lock(mutex);
  if (out)
    out(message);
}

void Cache::reportOnce(Trouble trouble, const std::string &message) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (std::exchange(reported[trouble], true))
      return;
  }
  report(message);
}

bool Cache::isWriting() {
  std::lock_guard<std::mutex> lock(mutex);
  return writes;
}

bool Cache::giveUpWriting(const std::string &reason) {
  reportOnce(Writing, reason + "; going on without keeping compiled code: make room or give access there, or name "
                               "another folder in TILE_CACHE_DIR");
  std::lock_guard<std::mutex> lock(mutex);
  writes = false;
  return false;
}

std::string Cache::pathOf(const std::string &key) const { return place + "/" + key + std::string(kEntrySuffix); }

std::optional<std::string> Cache::get(const std::string &key) {
  if (place.empty())
    return std::nullopt;
  std::string path = pathOf(key), content;
  OpenEntry entry(path);
  int reason = entry.problem();
  if (reason == 0)
    reason = entry.readWhole(content);
  if (reason != 0) {
    // No folder yet is no trouble, and a file in its place is said when something is to be kept.
    if (reason != ENOENT && reason != ENOTDIR)
      reportOnce(Reading,
                 "`" + path + "` cannot be read: " + std::strerror(reason) + "; going on as if it were not kept");
    return std::nullopt;
  }
  Result<uint64_t> bytes = checkCacheEntry(key, content);
  if (!bytes) {
    report(removeDamaged(fileOf(key, path, entry.status()), bytes.error().message));
    return std::nullopt;
  }
  entry.noteUse();
  content.resize(*bytes);
  return content;
}

/// Writes all of `content` to the file `path`, which must not exist yet, down to the disk. Gives 0 or the reason.
static int writeNewFile(const std::string &path, std::string_view content) {
  SizeLimitFails guard;
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0)
    return errno;
  int reason = 0;
  while (!content.empty() && reason == 0) {
    ssize_t count = write(file, content.data(), content.size());
    if (count > 0)
      content.remove_prefix(static_cast<size_t>(count));
    else if (count == 0 || errno != EINTR)
      reason = count == 0 ? ENOSPC : errno;
  }
  // A rename may reach the disk before the bytes do.
  if (reason == 0 && fsync(file) != 0)
    reason = errno;
  if (close(file) != 0 && reason == 0)
    reason = errno;
  return reason;
}

/// One that no other process on any host takes.
static std::string temporaryName(const std::string &key) {
  std::random_device random;
  uint64_t number = uint64_t(random()) << 32 | random();
  return key + "." + std::to_string(number) + std::string(kTemporarySuffix);
}

bool Cache::put(const std::string &key, std::string_view content, const CacheParts &facts) {
  assert(isPartsHash(key) && "a key is made by hashParts");
  if (!isWriting())
    return false;
  CacheParts dated = facts;
  dated.emplace_back("date", printDate(std::time(nullptr)));
  std::string entry = encodeCacheEntry(key, content, dated);
  if (entry.size() > std::min(roomOf(cap), kMostEntryBytes))
    return false;
  if (Status made = makeStoreFolder(place); !made)
    return giveUpWriting(made.error().message);
  std::string temporary = place + "/" + temporaryName(key);
  int reason = writeNewFile(temporary, entry);
  bool isFull = false;
  if (reason == 0) {
    FolderLock lock(totalPath());
    reason = rename(temporary.c_str(), pathOf(key).c_str()) == 0 ? 0 : errno;
    isFull = reason == 0 && !addToTotal(lock, entry.size(), cap);
  }
  if (reason != 0) {
    unlink(temporary.c_str());
    return giveUpWriting("cannot write to the cache in `" + place + "`: " + std::strerror(reason));
  }
  if (isFull)
    removeOldest(std::nullopt, 0);
  return true;
}

} // namespace tile
