// What keeps a cache's folder in order: the list of its entries, pruning, the check of all.
//
// Any number of processes may prune, read and write at a time. A file is removed only if it is still the one that was
// looked at, under the lock that writers hold while they rename: neither a new entry under an old name nor one that was
// used meanwhile goes with it. Who has a removed file open reads on.

#include "runtime/store/CacheFolder.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <tuple>
#include <utility>

namespace tile {

/// No write of one entry takes so long; what is older is of a process that was killed.
static constexpr int64_t kTemporarySeconds = 60 * 60;

static bool consumeSuffix(std::string_view &name, std::string_view suffix) {
  bool has = name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix;
  if (has)
    name.remove_suffix(suffix.size());
  return has;
}

namespace {
struct Listing {
  std::vector<CacheFile> entries, temporaries;
  int problem = 0; ///< why the folder could not be read
};
} // namespace

/// What is ours in `folder`; other files there are nobody's business. A folder that is not there is empty.
static Listing scan(const std::string &folder) {
  Listing listing;
  std::unique_ptr<DIR, int (*)(DIR *)> open(opendir(folder.c_str()), closedir);
  if (!open && errno != ENOENT)
    listing.problem = errno;
  while (dirent *item = open ? readdir(open.get()) : nullptr) {
    std::string_view name = item->d_name;
    bool isEntry = consumeSuffix(name, kEntrySuffix);
    if (!isEntry && !consumeSuffix(name, kTemporarySuffix))
      continue;
    std::string_view key = isEntry ? name : name.substr(0, name.find('.'));
    std::string path = folder + "/" + item->d_name;
    struct stat status;
    if (!isPartsHash(key) || stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
      continue;
    (isEntry ? listing.entries : listing.temporaries).push_back(fileOf(std::string(key), path, status));
  }
  // Equal times, which coarse clocks give, in a fixed order.
  std::sort(listing.entries.begin(), listing.entries.end(), [](const CacheFile &a, const CacheFile &b) {
    return a.usedNs != b.usedNs ? a.usedNs > b.usedNs : a.key < b.key;
  });
  return listing;
}

void Cache::reportFolder(int problem) {
  if (problem != 0)
    reportOnce(Reading, "the cache's folder `" + place + "` cannot be read: " + std::strerror(problem));
}

std::vector<CacheFile> Cache::list() {
  Listing listing = scan(place);
  reportFolder(listing.problem);
  for (CacheFile &file : listing.entries)
    file.facts = OpenEntry(file.path).readFacts();
  return std::move(listing.entries);
}

Cache::Removed Cache::removeUnchanged(const CacheFile &file) {
  FolderLock lock(totalPath());
  struct stat status;
  if (stat(file.path.c_str(), &status) != 0)
    return {false, errno == ENOENT ? 0 : errno};
  // Times are coarse: a file and what replaces it may have one time.
  CacheFile now = fileOf(file.key, file.path, status);
  if (std::tie(now.inode, now.usedNs, now.bytes) != std::tie(file.inode, file.usedNs, file.bytes))
    return {false, 0};
  return unlink(file.path.c_str()) == 0 ? Removed{true, 0} : Removed{false, errno};
}

std::string Cache::removeDamaged(const CacheFile &file, const std::string &what) {
  std::string message = "the cached file `" + file.path + "` is damaged: " + what;
  Removed removed = removeUnchanged(file);
  if (removed.problem != 0)
    return message + "; it cannot be removed: " + std::strerror(removed.problem);
  return message + (removed.done ? "; it is removed, and made again when it is needed"
                                 : "; another process has removed or replaced it by now");
}

CacheRemoval Cache::removeOldest(std::optional<uint64_t> most, int64_t before) {
  if (place.empty())
    return {};
  uint64_t countedBefore = readTotal(FolderLock(totalPath())).bytes;
  Listing listing = scan(place);
  reportFolder(listing.problem);
  int64_t now = std::time(nullptr);
  for (const CacheFile &file : listing.temporaries)
    if (now - file.usedAt() > kTemporarySeconds)
      unlink(file.path.c_str());

  uint64_t left = 0;
  for (const CacheFile &file : listing.entries)
    left += file.bytes;
  if (!most)
    most = left > cap ? roomOf(cap) : cap;
  CacheRemoval removal;
  // The list begins with the last used.
  for (auto file = listing.entries.rbegin(); file != listing.entries.rend(); ++file) {
    if (left <= *most && file->usedAt() >= before)
      break;
    Removed removed = removeUnchanged(*file);
    if (removed.problem != 0)
      reportOnce(Writing, "cannot remove `" + file->path + "`: " + std::strerror(removed.problem));
    if (!removed.done)
      continue;
    ++removal.files;
    removal.bytes += file->bytes;
    left -= file->bytes;
  }

  FolderLock lock(totalPath());
  // What others wrote since then may be in the list or not; counted twice, it only makes the next look come sooner.
  uint64_t counted = readTotal(lock).bytes;
  writeTotal(lock, {left + (counted > countedBefore ? counted - countedBefore : 0), now});
  return removal;
}

CacheVerification Cache::verify() {
  CacheVerification result;
  Listing listing = scan(place);
  reportFolder(listing.problem);
  for (const CacheFile &file : listing.entries) {
    OpenEntry entry(file.path);
    if (entry.problem() == ENOENT) // pruned meanwhile
      continue;
    std::string content;
    int problem = entry.problem() ? entry.problem() : entry.readWhole(content);
    if (isOfOtherSchema(content))
      continue;
    ++result.files;
    if (problem != 0) {
      result.damaged.push_back("`" + file.path + "` cannot be read: " + std::strerror(problem));
      continue;
    }
    if (Result<uint64_t> bytes = checkCacheEntry(file.key, content); !bytes)
      result.damaged.push_back(removeDamaged(fileOf(file.key, file.path, entry.status()), bytes.error().message));
  }
  return result;
}

} // namespace tile
