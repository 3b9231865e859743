#include "runtime/store/CacheEntry.h"

#define XXH_INLINE_ALL // no library to link
#include <xxhash.h>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstring>
#include <optional>

namespace tile {

using Json = nlohmann::ordered_json;

namespace {
/// Of the layout of a file. Names are hashed with it: files of two schemas never compete for one name.
constexpr uint32_t kSchema = 1;
/// What is shown without its checksum is not trusted with the memory and the nesting that it asks for.
constexpr uint32_t kMostFactsBytes = 1 << 14;
constexpr char kMagic[8] = {'T', 'i', 'l', 'e', 'K', 'e', 'p', 't'};

/// In the byte order of the machine, which every machine with a CUDA driver shares.
struct Trailer {
  XXH128_canonical_t checksum; ///< of all other bytes of the file
  char key[16];
  uint64_t contentBytes;
  uint32_t factsBytes;
  uint32_t schema;
  char magic[8];
};
static_assert(sizeof(Trailer) == kCacheTrailerBytes);

class Hash {
public:
  Hash() : state(XXH3_createState()) { XXH3_128bits_reset(state); }
  ~Hash() { XXH3_freeState(state); }
  Hash(const Hash &) = delete;

  void add(const void *data, size_t bytes) { XXH3_128bits_update(state, data, bytes); }
  /// With its length: "ab" and "c" are not "a" and "bc".
  void addText(std::string_view text) {
    uint64_t bytes = text.size();
    add(&bytes, sizeof(bytes));
    add(text.data(), text.size());
  }
  XXH128_canonical_t get() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
    return canonical;
  }

private:
  XXH3_state_t *state;
};
} // namespace

static constexpr std::string_view kDigits = "0123456789abcdef";

std::string hashParts(const CacheParts &parts) {
  Hash hash;
  hash.add(&kSchema, sizeof(kSchema));
  for (const auto &[name, value] : parts) {
    hash.addText(name);
    hash.addText(value);
  }
  std::string text;
  for (unsigned char byte : hash.get().digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

bool isPartsHash(std::string_view text) {
  return text.size() == 2 * sizeof(Trailer::key) && text.find_first_not_of(kDigits) == std::string_view::npos;
}

static void packKey(const std::string &key, char (&bytes)[16]) {
  for (size_t i = 0; i < sizeof(bytes); ++i)
    bytes[i] = static_cast<char>(kDigits.find(key[2 * i]) << 4 | kDigits.find(key[2 * i + 1]));
}

/// Of content and facts, and of the trailer behind its own place.
static XXH128_canonical_t checksumOf(std::string_view body, const Trailer &trailer) {
  Hash hash;
  hash.add(body.data(), body.size());
  hash.add(trailer.key, sizeof(Trailer) - offsetof(Trailer, key));
  return hash.get();
}

std::string encodeCacheEntry(const std::string &key, std::string_view content, const CacheParts &facts) {
  Json json = Json::object();
  for (const auto &[name, value] : facts)
    json[name] = value;
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string file;
  file.reserve(content.size() + text.size() + sizeof(Trailer));
  file.append(content).append(text);
  Trailer trailer{{}, {}, content.size(), static_cast<uint32_t>(text.size()), kSchema, {}};
  packKey(key, trailer.key);
  std::memcpy(trailer.magic, kMagic, sizeof(kMagic));
  trailer.checksum = checksumOf(file, trailer);
  file.append(reinterpret_cast<const char *>(&trailer), sizeof(trailer));
  return file;
}

static Error damaged(std::string what) { return {ErrorCode::File, std::move(what)}; }

/// The end of `bytes`, if that is one of an entry of any schema.
static std::optional<Trailer> trailerOf(std::string_view bytes) {
  Trailer trailer;
  if (bytes.size() < sizeof(trailer))
    return std::nullopt;
  std::memcpy(&trailer, bytes.data() + bytes.size() - sizeof(trailer), sizeof(trailer));
  return std::memcmp(trailer.magic, kMagic, sizeof(kMagic)) == 0 ? std::optional(trailer) : std::nullopt;
}

Result<uint64_t> checkCacheEntry(const std::string &key, std::string_view file) {
  if (file.size() < sizeof(Trailer))
    return damaged("it has " + std::to_string(file.size()) + " bytes; expected at least " +
                   std::to_string(sizeof(Trailer)));
  std::optional<Trailer> end = trailerOf(file);
  if (!end)
    return damaged("it does not end as an entry of the cache does");
  const Trailer &trailer = *end;
  if (trailer.schema != kSchema)
    return damaged("it is of schema " + std::to_string(trailer.schema) + "; expected " + std::to_string(kSchema));
  std::string_view body = file.substr(0, file.size() - sizeof(trailer));
  if (trailer.contentBytes > body.size() || trailer.factsBytes != body.size() - trailer.contentBytes)
    return damaged("it has " + std::to_string(file.size()) + " bytes, which its end contradicts");
  XXH128_canonical_t checksum = checksumOf(body, trailer);
  if (std::memcmp(&checksum, &trailer.checksum, sizeof(checksum)) != 0)
    return damaged("its bytes do not match its checksum");
  char expected[16];
  packKey(key, expected);
  if (std::memcmp(expected, trailer.key, sizeof(expected)) != 0)
    return damaged("it was written under another name");
  return trailer.contentBytes;
}

bool isOfOtherSchema(std::string_view file) {
  std::optional<Trailer> trailer = trailerOf(file);
  return trailer && trailer->schema != kSchema;
}

uint64_t cacheFactsBytes(std::string_view bytes) {
  std::optional<Trailer> trailer = trailerOf(bytes);
  bool isOurs = trailer && trailer->schema == kSchema && trailer->factsBytes <= kMostFactsBytes;
  return isOurs ? trailer->factsBytes : 0;
}

CacheParts readCacheFacts(std::string_view facts) {
  CacheParts parts;
  Json json = Json::parse(facts.begin(), facts.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_object())
    for (const auto &[name, value] : json.items())
      if (value.is_string())
        parts.emplace_back(name, value.get<std::string>());
  return parts;
}

} // namespace tile
