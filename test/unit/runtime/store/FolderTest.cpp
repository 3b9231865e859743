// Where the store is, sizes and dates as text, and the lock.

#include "Storing.h"

namespace tile {
namespace {

TEST(StoreFolder, TheFirstVariableThatIsSetCounts) {
  Variable home("HOME", "/h"), base("XDG_CACHE_HOME", "/x"), own("TILE_CACHE_DIR", "/t");
  EXPECT_EQ(*findStoreFolder(), "/t");
  Variable none("TILE_CACHE_DIR", "");
  EXPECT_EQ(*findStoreFolder(), "/x/tile");
  Variable relative("XDG_CACHE_HOME", "x");
  EXPECT_EQ(*findStoreFolder(), "/h/.cache/tile");
}

TEST(StoreFolder, WithoutAnyTheMessageNamesTheOneToSet) {
  Variable home("HOME", nullptr), base("XDG_CACHE_HOME", nullptr), own("TILE_CACHE_DIR", nullptr);
  Result<std::string> found = findStoreFolder();
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().message, "found no folder for compiled code and tuned choices, since HOME is not set; "
                                   "expected TILE_CACHE_DIR to name one");
}

TEST(StoreFolder, FoldersAreMadeForThisUserAlone) {
  TemporaryFolder folder;
  ASSERT_TRUE(makeStoreFolder(folder / "a/b/").ok());
  ASSERT_TRUE(makeStoreFolder(folder / "a/b").ok());
  struct stat status;
  ASSERT_EQ(stat((folder / "a/b").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST(StoreFolder, AFileInTheWayIsNamed) {
  TemporaryFolder folder;
  writeText(folder / "file", "");
  for (const char *path : {"file", "file/sub"}) {
    Status made = makeStoreFolder(folder / path);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().message, "cannot make the folder `" + (folder / "file") + "`: Not a directory");
  }
}

TEST(ByteCount, HasUnitsOf1024) {
  EXPECT_EQ(readByteCount("0"), 0u);
  EXPECT_EQ(readByteCount("2048"), 2048u);
  EXPECT_EQ(readByteCount("64K"), uint64_t(64) << 10);
  EXPECT_EQ(readByteCount("3M"), uint64_t(3) << 20);
  EXPECT_EQ(readByteCount("2G"), uint64_t(2) << 30);
  for (const char *wrong : {"", "G", "-1", "1.5G", "1T", "1 G", "99999999999G", "18446744073709551616"})
    EXPECT_EQ(readByteCount(wrong), std::nullopt) << wrong;
}

TEST(ByteCount, IsPrintedShort) {
  EXPECT_EQ(printByteCount(0), "0 bytes");
  EXPECT_EQ(printByteCount(1), "1 byte");
  EXPECT_EQ(printByteCount(1023), "1023 bytes");
  EXPECT_EQ(printByteCount(35328), "34.5 KiB");
  EXPECT_EQ(printByteCount(uint64_t(2) << 30), "2.0 GiB");
  EXPECT_EQ(printByteCount(uint64_t(1) << 52), "4096.0 TiB");
}

TEST(Date, IsOfUniversalTime) { EXPECT_EQ(printDate(1'700'000'000), "2023-11-14T22:13:20Z"); }

TEST(FolderLock, HasOneHolderAndEndsWithIt) {
  TemporaryFolder folder;
  {
    FolderLock first(folder / "lock");
    EXPECT_TRUE(first.isHeld());
    // A stopped holder holds nobody up for long.
    EXPECT_FALSE(FolderLock(folder / "lock").isHeld());
  }
  EXPECT_TRUE(FolderLock(folder / "lock").isHeld());
  EXPECT_FALSE(FolderLock(folder / "none/lock").isHeld());
}

TEST(SizeLimit, FailsAndEndsNothing) {
  TemporaryFolder folder;
  EXPECT_TRUE(passesInChild([&] {
    limitFiles(4);
    int file = open((folder / "file").c_str(), O_WRONLY | O_CREAT, 0600);
    for (int i = 0; i < 2; ++i) {
      SizeLimitFails guard;
      ssize_t written = pwrite(file, "12345678", 8, 4 * i);
      EXPECT_EQ(written, i == 0 ? 4 : -1);
      EXPECT_EQ(i == 0 ? EFBIG : errno, EFBIG);
    }
  }));
}

} // namespace
} // namespace tile
