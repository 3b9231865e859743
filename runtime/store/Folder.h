// Where compiled code and tuned choices are kept, and what every part of the store does with a folder.

#ifndef TILE_RUNTIME_STORE_FOLDER_H
#define TILE_RUNTIME_STORE_FOLDER_H

#include "runtime/Result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tile {

/// Takes what the store has to say: one sentence, what was found and what to do. Never an error: what cannot be kept is
/// computed again. Called by the thread at work, by one at a time of each Cache or Database.
using StoreReport = std::function<void(const std::string &message)>;

/// The folder of this user: `TILE_CACHE_DIR`, else `XDG_CACHE_HOME/tile`, else `HOME/.cache/tile`. A variable that is
/// empty counts as absent, as does a relative XDG_CACHE_HOME. Fails where none is set.
Result<std::string> findStoreFolder();

/// Makes `folder` and what it stands in, for this user alone.
Status makeStoreFolder(const std::string &folder);

/// `2147483648`, `2G`, `512M` or `64K`, in powers of 1024. None for all else, and for what has no 64 bits.
std::optional<uint64_t> readByteCount(std::string_view text);

/// `34.5 KiB`, for people.
std::string printByteCount(uint64_t bytes);

/// Seconds since 1970 as `2026-11-30T08:15:57Z`: dates order as their texts do.
std::string printDate(int64_t seconds);

/// For as long as it lives, writing beyond the limit of a file's size (`ulimit -f`) fails in this thread with EFBIG and
/// does not end the process.
class SizeLimitFails {
public:
  SizeLimitFails();
  ~SizeLimitFails();
  SizeLimitFails(const SizeLimitFails &) = delete;

private:
  bool wasBlocked;
  bool wasPending;
};

/// One holder at a time among all processes and threads, until it goes: a lock on a file, which is made if absent and
/// given back by the system when a process dies. Waits two seconds at most, for a holder may have been stopped; whoever
/// goes on without the lock must risk no more than work done twice.
class FolderLock {
public:
  explicit FolderLock(const std::string &path);
  ~FolderLock();
  FolderLock(const FolderLock &) = delete;

  bool isHeld() const { return held; }
  /// The open file, which may hold a few bytes; -1 where it could not be made.
  int file() const { return descriptor; }

private:
  int descriptor;
  bool held = false;
};

} // namespace tile

#endif // TILE_RUNTIME_STORE_FOLDER_H
