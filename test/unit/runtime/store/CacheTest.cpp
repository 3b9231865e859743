// The compile cache where nothing stands in its way: what is kept, what goes first, and damage of every kind.

#include "runtime/store/Cache.h"

#include "Storing.h"

#include <algorithm>
#include <ctime>

namespace tile {
namespace {

class CacheTest : public testing::Test {
protected:
  CacheOptions options(uint64_t maxBytes = 1 << 30) { return {folder.path(), maxBytes, reports.collect()}; }
  std::string pathOf(const std::string &key) const { return folder / (key + ".kept"); }
  /// Makes it look last used this long ago.
  static void age(const std::string &path, int64_t seconds) {
    timespec times[2] = {{std::time(nullptr) - seconds, 0}, {std::time(nullptr) - seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  bool isKept(const std::string &key) const { return std::filesystem::exists(pathOf(key)); }

  TemporaryFolder folder;
  Reports reports;
};

std::string keyOf(int number) { return hashParts({{"number", std::to_string(number)}}); }

TEST_F(CacheTest, ContentComesBackInAnotherCache) {
  std::string content("\x7f"
                      "ELF\0\n",
                      6);
  EXPECT_TRUE(Cache(options()).put(keyOf(1), content, {{"kernel", "softmax"}}));
  EXPECT_TRUE(Cache(options()).put(keyOf(2), "", {}));
  Cache cache(options());
  EXPECT_EQ(cache.get(keyOf(1)), content);
  EXPECT_EQ(cache.get(keyOf(2)), "");
  EXPECT_EQ(cache.get(keyOf(3)), std::nullopt);
  EXPECT_TRUE(reports.take().empty());
}

TEST_F(CacheTest, TheLastContentOfAKeyCounts) {
  Cache cache(options());
  cache.put(keyOf(1), "first", {});
  cache.put(keyOf(1), "second", {});
  EXPECT_EQ(cache.get(keyOf(1)), "second");
}

TEST_F(CacheTest, TheFileStartsWithItsContent) {
  Cache(options()).put(keyOf(1), "content", {});
  EXPECT_EQ(readText(pathOf(keyOf(1))).substr(0, 7), "content");
}

TEST_F(CacheTest, FactsAreListedWithTheDate) {
  Cache cache(options());
  cache.put(keyOf(1), "content", {{"kernel", "softmax"}, {"configuration", "BLOCK = 1024"}});
  std::vector<CacheFile> files = cache.list();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].key, keyOf(1));
  ASSERT_EQ(files[0].facts.size(), 3u);
  EXPECT_EQ(files[0].facts[0], std::pair(std::string("kernel"), std::string("softmax")));
  EXPECT_EQ(files[0].facts[1].second, "BLOCK = 1024");
  EXPECT_EQ(files[0].facts[2].first, "date");
  EXPECT_EQ(files[0].facts[2].second.size(), std::string("2026-11-30T08:15:57Z").size());
}

TEST_F(CacheTest, FactsThatAreNoTextDoNoHarm) {
  Cache cache(options());
  EXPECT_TRUE(cache.put(keyOf(1), "content", {{"kernel", "\xff\"\n"}}));
  EXPECT_EQ(cache.get(keyOf(1)), "content");
  EXPECT_EQ(cache.list()[0].facts[0].first, "kernel");
}

TEST(CacheKey, EveryPartCountsAndEveryBoundary) {
  std::string key = hashParts({{"source", "ab"}, {"arch", "c"}});
  EXPECT_TRUE(isPartsHash(key));
  EXPECT_EQ(key, hashParts({{"source", "ab"}, {"arch", "c"}}));
  EXPECT_NE(key, hashParts({{"source", "a"}, {"arch", "bc"}}));
  EXPECT_NE(key, hashParts({{"source", "ab"}, {"arc", "hc"}}));
  EXPECT_NE(key, hashParts({{"arch", "c"}, {"source", "ab"}}));
  EXPECT_NE(key, hashParts({{"source", "ab"}}));
  EXPECT_FALSE(isPartsHash(key.substr(1)));
  EXPECT_FALSE(isPartsHash(key.substr(1) + "/"));
}

//===-- Damage

/// What `get` says of an entry whose file is `text`, and that it is a miss, removed, and can be written again.
class CacheDamageTest : public CacheTest {
protected:
  void SetUp() override {
    Cache(options()).put(keyOf(1), "some content", {{"kernel", "softmax"}});
    whole = readText(pathOf(keyOf(1)));
  }
  std::string messageOf(const std::string &text) {
    writeText(pathOf(keyOf(1)), text);
    Cache cache(options());
    EXPECT_EQ(cache.get(keyOf(1)), std::nullopt);
    EXPECT_FALSE(isKept(keyOf(1)));
    std::vector<std::string> messages = reports.take();
    return messages.size() == 1 ? messages[0] : std::to_string(messages.size()) + " messages";
  }
  std::string expected(const std::string &what) {
    return "the cached file `" + pathOf(keyOf(1)) + "` is damaged: " + what +
           "; it is removed, and made again when it is needed";
  }
  std::string whole;
};

TEST_F(CacheDamageTest, EveryFlippedBitIsAMiss) {
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string text = whole;
    text[i] = static_cast<char>(text[i] ^ (1 << i % 8));
    EXPECT_NE(messageOf(text).find("is damaged: "), std::string::npos) << "byte " << i;
  }
}

TEST_F(CacheDamageTest, EveryCutIsAMiss) {
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(messageOf(whole.substr(0, length)).find("is damaged: "), std::string::npos) << "length " << length;
  EXPECT_EQ(messageOf(""), expected("it has 0 bytes; expected at least 56"));
}

TEST_F(CacheDamageTest, AForeignFileIsNamed) {
  EXPECT_EQ(messageOf(std::string(100, 'x')), expected("it does not end as an entry of the cache does"));
}

TEST_F(CacheDamageTest, TheFirstByteIsAsGoodAsTheLast) {
  std::string text = whole;
  text[0] ^= 1;
  EXPECT_EQ(messageOf(text), expected("its bytes do not match its checksum"));
  EXPECT_EQ(messageOf(whole.substr(1)),
            expected("it has " + std::to_string(whole.size() - 1) + " bytes, which its end contradicts"));
}

TEST_F(CacheDamageTest, AnotherSchemaIsNotRead) {
  std::string text = whole;
  text[text.size() - 12] = 9;
  EXPECT_EQ(messageOf(text), expected("it is of schema 9; expected 1"));
}

TEST_F(CacheDamageTest, VerifyLeavesAnotherSchemaAlone) {
  std::string text = whole;
  text[text.size() - 12] = 9;
  writeText(pathOf(keyOf(1)), text);
  CacheVerification verification = Cache(options()).verify();
  EXPECT_EQ(verification.files, 0u);
  EXPECT_TRUE(verification.damaged.empty());
  EXPECT_TRUE(isKept(keyOf(1)));
}

TEST_F(CacheDamageTest, AnEntryUnderAnotherNameIsNotBelieved) {
  Cache(options()).put(keyOf(2), "other", {});
  EXPECT_EQ(messageOf(readText(pathOf(keyOf(2)))), expected("it was written under another name"));
}

TEST_F(CacheDamageTest, AMissIsWrittenAgain) {
  messageOf("");
  Cache cache(options());
  EXPECT_TRUE(cache.put(keyOf(1), "some content", {}));
  EXPECT_EQ(cache.get(keyOf(1)), "some content");
}

TEST_F(CacheDamageTest, VerifyRemovesWhatIsDamagedAndNothingElse) {
  Cache cache(options());
  cache.put(keyOf(2), "good", {});
  writeText(pathOf(keyOf(1)), "");
  CacheVerification verification = cache.verify();
  EXPECT_EQ(verification.files, 2u);
  EXPECT_EQ(verification.damaged, std::vector<std::string>{expected("it has 0 bytes; expected at least 56")});
  EXPECT_FALSE(isKept(keyOf(1)));
  EXPECT_EQ(cache.verify().files, 1u);
  EXPECT_EQ(cache.get(keyOf(2)), "good");
}

//===-- Room

TEST_F(CacheTest, WhatWasNotUsedForLongestGoesFirst) {
  Cache cache(options());
  for (int i = 0; i < 4; ++i) {
    cache.put(keyOf(i), std::string(100, 'x'), {});
    age(pathOf(keyOf(i)), 1000 - i);
  }
  cache.get(keyOf(0));
  uint64_t bytes = cache.list()[0].bytes;
  CacheRemoval removal = cache.prune(2 * bytes);
  EXPECT_EQ(removal.files, 2u);
  EXPECT_EQ(removal.bytes, 2 * bytes);
  EXPECT_TRUE(isKept(keyOf(0)));
  EXPECT_FALSE(isKept(keyOf(1)));
  EXPECT_FALSE(isKept(keyOf(2)));
  EXPECT_TRUE(isKept(keyOf(3)));
}

TEST_F(CacheTest, PruningByAgeKeepsWhatIsYounger) {
  Cache cache(options());
  cache.put(keyOf(1), "old", {});
  cache.put(keyOf(2), "new", {});
  age(pathOf(keyOf(1)), 1000);
  EXPECT_EQ(cache.prune(UINT64_MAX, std::time(nullptr) - 500).files, 1u);
  EXPECT_FALSE(isKept(keyOf(1)));
  EXPECT_TRUE(isKept(keyOf(2)));
}

TEST_F(CacheTest, WritersKeepTheFolderWithinItsCap) {
  constexpr uint64_t kCap = 20'000;
  for (int i = 0; i < 100; ++i) {
    // A process each, as compilers are.
    Cache cache(options(kCap));
    EXPECT_TRUE(cache.put(keyOf(i), std::string(1000, 'x'), {}));
    uint64_t bytes = 0;
    for (const CacheFile &file : cache.list())
      bytes += file.bytes;
    EXPECT_LE(bytes, kCap);
    EXPECT_TRUE(isKept(keyOf(i)));
  }
  EXPECT_GT(Cache(options(kCap)).list().size(), 10u);
}

TEST_F(CacheTest, ALostCountIsFoundByLooking) {
  for (int i = 0; i < 20; ++i)
    Cache(options()).put(keyOf(i), std::string(1000, 'x'), {});
  for (const char *text : {"", "no number\n", "                   1 bytes, counted at            1\n"}) {
    writeText(folder / "total", text);
    Cache(options()).put(keyOf(100), "x", {});
    uint64_t bytes = 0;
    EXPECT_EQ(std::sscanf(readText(folder / "total").c_str(), "%lu", &bytes), 1);
    EXPECT_GT(bytes, 20'000u) << text;
  }
  Cache(options(10'000)).put(keyOf(101), "x", {});
  EXPECT_LT(Cache(options()).list().size(), 10u);
}

TEST_F(CacheTest, WhatExceedsTheCapIsNotKept) {
  EXPECT_FALSE(Cache(options(500)).put(keyOf(1), std::string(500, 'x'), {}));
  EXPECT_FALSE(Cache(options(0)).put(keyOf(1), "x", {}));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_TRUE(reports.take().empty());
}

TEST_F(CacheTest, OnlyOldFilesOfOurOwnAreCleared) {
  Cache cache(options());
  std::string old = folder / (keyOf(1) + ".123.tmp"), young = folder / (keyOf(2) + ".123.tmp");
  std::string foreign = folder / "notes.tmp", foreignEntry = folder / "notes.kept";
  for (const std::string &path : {old, young, foreign, foreignEntry})
    writeText(path, "x");
  for (const std::string &path : {old, foreign, foreignEntry})
    age(path, 2 * 60 * 60);
  cache.prune(0);
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(young));
  EXPECT_TRUE(std::filesystem::exists(foreign));
  EXPECT_TRUE(std::filesystem::exists(foreignEntry));
}

TEST_F(CacheTest, TheFirstWriteOfADayClearsWhatKilledWritersLeft) {
  std::string old = folder / (keyOf(1) + ".123.tmp");
  writeText(old, "x");
  age(old, 2 * 60 * 60);
  Cache(options()).put(keyOf(2), "x", {});
  EXPECT_FALSE(std::filesystem::exists(old));
}

} // namespace
} // namespace tile
