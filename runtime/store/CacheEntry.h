// A file of the compile cache: content, facts, trailer. The content comes first, so that tools for what it is, a cubin,
// read the file as it stands; the trailer at the end makes of any damage a miss.

#ifndef TILE_RUNTIME_STORE_CACHEENTRY_H
#define TILE_RUNTIME_STORE_CACHEENTRY_H

#include "runtime/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tile {

/// Name and value, in the order in which they are given.
using CacheParts = std::vector<std::pair<std::string, std::string>>;

/// What follows from the names and values in `parts` and the schema of entries: 128 bits as 32 hexadecimal digits.
std::string hashParts(const CacheParts &parts);

/// Whether `text` could have been made by `hashParts`.
bool isPartsHash(std::string_view text);

/// The file that holds `content` under `key`, which `hashParts` made, with `facts` for people.
std::string encodeCacheEntry(const std::string &key, std::string_view content, const CacheParts &facts);

/// Bytes of content in `file`, which is the entry of `key`. Fails where a byte of it is not what was written.
Result<uint64_t> checkCacheEntry(const std::string &key, std::string_view file);

/// Whether `file` ends as an entry of another schema does: that of another version, whose names are never asked for
/// here.
bool isOfOtherSchema(std::string_view file);

/// The last bytes of an entry.
constexpr uint64_t kCacheTrailerBytes = 56;

/// Where the facts are: how far before the trailer they begin, or 0 if `trailer` is none.
uint64_t cacheFactsBytes(std::string_view trailer);
/// The facts as people read them; empty where they are damaged.
CacheParts readCacheFacts(std::string_view facts);

} // namespace tile

#endif // TILE_RUNTIME_STORE_CACHEENTRY_H
