// The compile cache: content by the hash of what it was made from, in one folder that processes and hosts share.
//
// A file appears whole, by a rename, and is checked whole whenever it is read, so that neither a killed writer nor a
// failing disk makes a wrong answer. Whatever goes wrong is a miss or an entry that is not kept, and one sentence to
// the report: the caller computes what it would have found. Uses are noted as modification times; when the files exceed
// the cap, those not used for longest go. Limits: content is held in memory, and a folder is not meant for millions of
// files.

#ifndef TILE_RUNTIME_STORE_CACHE_H
#define TILE_RUNTIME_STORE_CACHE_H

#include "runtime/store/CacheEntry.h"
#include "runtime/store/Folder.h"

#include <mutex>
#include <optional>

namespace tile {

struct CacheOptions {
  std::string folder;               ///< empty: the one of this user, see `findStoreFolder`
  std::optional<uint64_t> maxBytes; ///< none: TILE_CACHE_MAX_BYTES, else 2 GiB; 0 keeps nothing
  StoreReport report;
};

/// One file, as `list` finds it.
struct CacheFile {
  std::string key;
  std::string path;
  uint64_t bytes = 0;
  int64_t usedNs = 0; ///< when it was last used, in nanoseconds since 1970
  uint64_t inode = 0; ///< with the two above: which file it is, whatever has its name by now
  CacheParts facts;   ///< without a check of the file

  int64_t usedAt() const { return usedNs / 1'000'000'000; }
};

/// What `prune` and `verify` take away.
struct CacheRemoval {
  uint64_t files = 0, bytes = 0;
};

struct CacheVerification {
  uint64_t files = 0; ///< looked at
  /// One sentence for each that is damaged, which names it and says what became of it.
  std::vector<std::string> damaged;
};

/// Several threads may use one.
class Cache {
public:
  explicit Cache(CacheOptions options = {});
  Cache(const Cache &) = delete;

  /// Empty where there is none.
  const std::string &folder() const { return place; }
  uint64_t maxBytes() const { return cap; }

  /// What `put` was given under `key`, which is of `hashParts`. A damaged file is reported, removed and a miss.
  std::optional<std::string> get(const std::string &key);

  /// Keeps `content`, with `facts` and the date for people to read in `tilec cache ls`. True if it is kept: after the
  /// first failure, which is reported, nothing is.
  bool put(const std::string &key, std::string_view content, const CacheParts &facts);

  /// Every entry, the last used first. Without a folder there is none.
  std::vector<CacheFile> list();

  /// Removes what was last used before `before`, in seconds since 1970, and then what was not used for longest, until
  /// at most `most` bytes are left; also what killed writers left.
  CacheRemoval prune(uint64_t most, int64_t before = 0) { return removeOldest(most, before); }

  /// Reads every file and removes those that are damaged; those of another version of the cache are left to it.
  CacheVerification verify();

private:
  /// What is said once.
  enum Trouble { Reading, Writing, kTroubles };

  void report(const std::string &message);
  void reportOnce(Trouble trouble, const std::string &message);
  bool giveUpWriting(const std::string &reason);
  bool isWriting();
  std::string pathOf(const std::string &key) const;
  std::string totalPath() const { return place + "/total"; }
  void reportFolder(int problem);

  /// Whether the file is gone by this call; otherwise why not, or 0 if another process was first or has used it.
  struct Removed {
    bool done;
    int problem;
  };
  Removed removeUnchanged(const CacheFile &file);
  std::string removeDamaged(const CacheFile &file, const std::string &what);
  /// `prune`; without `most`, to well below the cap if the files exceed it.
  CacheRemoval removeOldest(std::optional<uint64_t> most, int64_t before);

  std::string place;
  uint64_t cap;
  StoreReport out;
  std::mutex mutex; ///< of what follows, and of calls of `out`
  bool reported[kTroubles] = {};
  bool writes = true;
};

} // namespace tile

#endif // TILE_RUNTIME_STORE_CACHE_H
