// The files of a cache's folder: their names, one opened to be read, and how many bytes all have. Internal to the
// cache.

#ifndef TILE_RUNTIME_STORE_CACHEFOLDER_H
#define TILE_RUNTIME_STORE_CACHEFOLDER_H

#include "runtime/store/Cache.h"

#include <sys/stat.h>

namespace tile {

constexpr std::string_view kEntrySuffix = ".kept";
constexpr std::string_view kTemporarySuffix = ".tmp";

/// Of an entry: a file in its place that is larger is not read into memory.
constexpr uint64_t kMostEntryBytes = uint64_t(1) << 30;

/// The bytes that pruning leaves in a cache of `cap`: an eighth is free then, so that not every `put` prunes.
constexpr uint64_t roomOf(uint64_t cap) { return cap - cap / 8; }

/// An entry's file, open to be read.
class OpenEntry {
public:
  explicit OpenEntry(const std::string &path);
  ~OpenEntry();
  OpenEntry(const OpenEntry &) = delete;

  /// 0, or why it could not be opened: a number of `errno`.
  int problem() const { return reason; }
  const struct stat &status() const { return found; }
  /// Gives 0 or the reason of a failure. Content past the end of a file that shrinks is missing.
  int readWhole(std::string &content) const;
  CacheParts readFacts() const;
  /// Makes it the last used. Where that is not allowed, the age of the entry is that of the file.
  void noteUse() const;

private:
  int descriptor;
  int reason = 0;
  struct stat found{};
};

/// The entry `key` at `path`, without its facts, as the system describes the file.
CacheFile fileOf(std::string key, std::string path, const struct stat &status);

/// The bytes that all entries have, as writers count them in the file that `lock` holds, and when that was last found
/// by looking. Killed writers make it inexact, so it is looked at again every day.
struct CacheTotal {
  uint64_t bytes = 0;
  int64_t scannedAt = 0; ///< seconds since 1970; 0: never
};
CacheTotal readTotal(const FolderLock &lock);
void writeTotal(const FolderLock &lock, CacheTotal total);

/// Counts another entry of `bytes`. False if it is time to look at the folder, which may hold more than `cap`.
bool addToTotal(const FolderLock &lock, uint64_t bytes, uint64_t cap);

} // namespace tile

#endif // TILE_RUNTIME_STORE_CACHEFOLDER_H
