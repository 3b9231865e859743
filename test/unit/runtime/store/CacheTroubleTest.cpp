// The compile cache where it cannot work: one message, and then as if there were none.

#include "runtime/store/Cache.h"

#include "Storing.h"

#include <sys/mount.h>

namespace tile {
namespace {

constexpr const char *kAdvice = "; going on without keeping compiled code: make room or give access there, or name "
                                "another folder in TILE_CACHE_DIR";

std::string keyOf(int number) { return hashParts({{"number", std::to_string(number)}}); }

/// That nothing is kept in `folder`, and the message for it, which comes once.
std::string messageOfPut(const std::string &folder, size_t bytes = 1) {
  Reports reports;
  Cache cache({folder, uint64_t(1) << 30, reports.collect()});
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(cache.put(keyOf(i), std::string(bytes, 'x'), {}));
    EXPECT_EQ(cache.get(keyOf(i)), std::nullopt);
  }
  std::vector<std::string> messages = reports.take();
  EXPECT_EQ(messages.size(), 1u);
  return messages.empty() ? "" : messages[0];
}

TEST(CacheTrouble, AFileInPlaceOfTheFolder) {
  TemporaryFolder folder;
  writeText(folder / "file", "");
  EXPECT_EQ(messageOfPut(folder / "file/cache"),
            "cannot make the folder `" + (folder / "file") + "`: Not a directory" + kAdvice);
  Reports reports;
  Cache cache({folder / "file", 100, reports.collect()});
  EXPECT_TRUE(cache.list().empty());
  EXPECT_EQ(reports.take(),
            std::vector<std::string>{"the cache's folder `" + (folder / "file") + "` cannot be read: Not a directory"});
}

TEST(CacheTrouble, AFolderThatNobodyCanMake) {
  EXPECT_EQ(messageOfPut("/proc/tile"),
            std::string("cannot make the folder `/proc/tile`: No such file or directory") + kAdvice);
}

TEST(CacheTrouble, NoHome) {
  Variable home("HOME", nullptr), base("XDG_CACHE_HOME", nullptr), own("TILE_CACHE_DIR", nullptr);
  EXPECT_EQ(messageOfPut(""), findStoreFolder().error().message + "; going on without compiled code kept from earlier");
  Cache cache;
  EXPECT_TRUE(cache.list().empty());
  EXPECT_EQ(cache.verify().files, 0u);
  EXPECT_EQ(cache.prune(0).files, 0u);
}

TEST(CacheTrouble, AHomeThatIsNotThere) {
  Variable home("HOME", "/proc/nonexistent"), base("XDG_CACHE_HOME", nullptr), own("TILE_CACHE_DIR", nullptr);
  EXPECT_EQ(messageOfPut(""),
            std::string("cannot make the folder `/proc/nonexistent`: No such file or directory") + kAdvice);
}

TEST(CacheTrouble, AReadOnlyFolderIsReadAndNotWritten) {
  TemporaryFolder folder;
  Cache({folder.path(), {}, {}}).put(keyOf(7), "kept", {});
  writeText(folder / (keyOf(8) + ".kept"), "damaged");
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  EXPECT_TRUE(passesInChild([&] {
    dropRights();
    EXPECT_EQ(messageOfPut(folder.path()),
              "cannot write to the cache in `" + folder.path() + "`: Permission denied" + kAdvice);
    Reports reports;
    Cache cache({folder.path(), 1000, reports.collect()});
    EXPECT_EQ(cache.get(keyOf(7)), "kept");
    EXPECT_TRUE(reports.take().empty());
    EXPECT_EQ(cache.get(keyOf(8)), std::nullopt);
    EXPECT_EQ(reports.take(), std::vector<std::string>{"the cached file `" + (folder / (keyOf(8) + ".kept")) +
                                                       "` is damaged: it has 7 bytes; expected at least 56; it cannot "
                                                       "be removed: Permission denied"});
    EXPECT_EQ(cache.prune(0).files, 0u);
    EXPECT_EQ(reports.take().size(), 1u);
  }));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0700));
}

TEST(CacheTrouble, PruningSaysWhatItCannotRemove) {
  TemporaryFolder folder;
  Cache({folder.path(), {}, {}}).put(keyOf(1), "kept", {});
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  EXPECT_TRUE(passesInChild([&] {
    dropRights();
    Reports reports;
    Cache({folder.path(), {}, reports.collect()}).prune(0);
    EXPECT_EQ(reports.take(),
              std::vector<std::string>{"cannot remove `" + (folder / (keyOf(1) + ".kept")) + "`: Permission denied"});
  }));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0700));
}

TEST(CacheTrouble, AFileThatCannotBeReadIsAMiss) {
  TemporaryFolder folder;
  std::string path = folder / (keyOf(1) + ".kept");
  std::filesystem::create_directory(path);
  Reports reports;
  Cache cache({folder.path(), {}, reports.collect()});
  EXPECT_EQ(cache.get(keyOf(1)), std::nullopt);
  EXPECT_EQ(cache.get(keyOf(1)), std::nullopt);
  EXPECT_EQ(reports.take(),
            std::vector<std::string>{"`" + path + "` cannot be read: Is a directory; going on as if it were not kept"});
  std::string huge = folder / (keyOf(3) + ".kept");
  writeText(huge, "");
  std::filesystem::resize_file(huge, uint64_t(1) << 40);
  EXPECT_EQ(Cache({folder.path(), {}, {}}).get(keyOf(3)), std::nullopt);
  EXPECT_EQ(Cache({folder.path(), {}, {}}).verify().damaged,
            std::vector<std::string>{"`" + huge + "` cannot be read: File too large"});
  std::string pipe = folder / (keyOf(2) + ".kept");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(Cache({folder.path(), {}, {}}).get(keyOf(2)), std::nullopt);
}

TEST(CacheTrouble, ALimitOnTheSizeOfFiles) {
  TemporaryFolder folder;
  EXPECT_TRUE(passesInChild([&] {
    limitFiles(1000);
    EXPECT_EQ(messageOfPut(folder.path(), 2000),
              "cannot write to the cache in `" + folder.path() + "`: File too large" + kAdvice);
    EXPECT_TRUE(Cache({folder.path(), {}, {}}).put(keyOf(1), "small", {}));
  }));
  EXPECT_EQ(Cache({folder.path(), {}, {}}).list().size(), 1u);
}

TEST(CacheTrouble, AFullDisk) {
  TemporaryFolder folder;
  if (mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0)
    GTEST_SKIP() << "mounting a small file system needs root"; // EFBIG is tested without, by a limit of the file's size
  EXPECT_EQ(messageOfPut(folder.path(), 100'000),
            "cannot write to the cache in `" + folder.path() + "`: No space left on device" + kAdvice);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  umount(folder.path().c_str());
}

TEST(CacheTrouble, ACapThatIsNoNumber) {
  TemporaryFolder folder;
  Reports reports;
  Variable cap("TILE_CACHE_MAX_BYTES", "2 GB");
  Cache cache({folder.path(), {}, reports.collect()});
  EXPECT_EQ(cache.maxBytes(), uint64_t(2) << 30);
  EXPECT_EQ(reports.take(), std::vector<std::string>{"TILE_CACHE_MAX_BYTES is `2 GB`; expected a number of bytes such "
                                                     "as 500000000 or 2G; the cache is held to 2G"});
  Variable right("TILE_CACHE_MAX_BYTES", "5M");
  EXPECT_EQ(Cache({folder.path(), {}, {}}).maxBytes(), uint64_t(5) << 20);
}

} // namespace
} // namespace tile
