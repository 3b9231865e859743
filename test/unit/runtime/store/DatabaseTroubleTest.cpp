// The database of tuned choices where it cannot work, or finds what it did not write: one message, and then as if there
// were none.

#include "Storing.h"
#include "Tuning.h"

#include <sqlite3.h>
#include <sys/mount.h>

#include <cstring>
#include <sstream>

namespace tile {
namespace {

using Messages = std::vector<std::string>;

class DatabaseTroubleTest : public testing::Test {
protected:
  DatabaseOptions options(DatabaseAccess access = DatabaseAccess::ReadWrite) {
    return {path, access, reports.collect()};
  }
  /// Runs `statement` on the file past our own code.
  void alter(const std::string &statement) const {
    sqlite3 *handle = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }
  /// Nothing is kept in `file`, and this is the one message for it.
  std::string messageOfStore(const std::string &file) {
    Reports own;
    Database database({file, DatabaseAccess::ReadWrite, own.collect()});
    for (int i = 0; i < 2; ++i) {
      EXPECT_FALSE(database.storeChoice(keyFor("M=7"), choiceOf(64)));
      EXPECT_FALSE(database.findChoice(keyFor("M=7")));
    }
    Messages messages = own.take();
    EXPECT_EQ(messages.size(), 1u);
    return messages.empty() ? "" : messages[0];
  }
  std::string cannotWrite(const std::string &file, const std::string &why) {
    return "the tuning database `" + file + "` cannot be written: " + why +
           "; going on without keeping tuned choices: make room or give access there, or name another folder in "
           "TILE_CACHE_DIR";
  }
  std::string cannotRead(const std::string &why) {
    return "the tuning database `" + path + "` cannot be read: " + why + "; going on without its choices";
  }

  TemporaryFolder folder;
  std::string path = folder / "tuning.db";
  Reports reports;
};

//===-- Other content

TEST_F(DatabaseTroubleTest, WhatIsNoDatabaseIsRenamedAndBegunAnew) {
  for (int i = 1; i <= 2; ++i) {
    writeText(path, std::string(5000, 'x'));
    writeText(path + "-journal", std::string(8, 0));
    Database database(options());
    EXPECT_FALSE(database.findChoice(keyFor("M=1")));
    std::string aside = path + ".damaged-" + std::to_string(i);
    EXPECT_EQ(reports.take(), Messages{"the tuning database `" + path +
                                       "` is damaged: file is not a database; it is "
                                       "now `" +
                                       aside + "`, and its choices are made anew"});
    EXPECT_EQ(readText(aside), std::string(5000, 'x'));
    EXPECT_EQ(readText(aside + "-journal"), std::string(8, 0));
    EXPECT_TRUE(database.storeChoice(keyFor("M=1"), choiceOf(128)));
    EXPECT_TRUE(database.findChoice(keyFor("M=1")));
  }
}

TEST_F(DatabaseTroubleTest, AWriteFindsDamageToo) {
  writeText(path, std::string(5000, 'x'));
  Database database(options());
  EXPECT_TRUE(database.storeChoice(keyFor("M=1"), choiceOf(128)));
  EXPECT_TRUE(database.findChoice(keyFor("M=1")));
  EXPECT_EQ(reports.take().size(), 1u);
}

TEST_F(DatabaseTroubleTest, TheDatabaseOfAnotherProgramIsRenamed) {
  alter("CREATE TABLE songs (name TEXT)");
  EXPECT_FALSE(Database(options()).findChoice(keyFor("M=1")));
  EXPECT_EQ(reports.take(), Messages{"the tuning database `" + path +
                                     "` is damaged: another program made it; it is now "
                                     "`" +
                                     path + ".damaged-1`, and its choices are made anew"});
}

TEST_F(DatabaseTroubleTest, WithoutOurTablesItIsDamaged) {
  Database(options()).storeChoice(keyFor("M=1"), choiceOf(128));
  alter("DROP TABLE choices");
  EXPECT_FALSE(Database(options()).findChoice(keyFor("M=1")));
  EXPECT_EQ(reports.take(), Messages{"the tuning database `" + path +
                                     "` is damaged: no such table: choices; it is now "
                                     "`" +
                                     path + ".damaged-1`, and its choices are made anew"});
}

TEST_F(DatabaseTroubleTest, ANewerSchemaIsLeftAlone) {
  Database(options()).storeChoice(keyFor("M=1"), choiceOf(128));
  alter("PRAGMA user_version = 2");
  std::string before = readText(path);
  Database database(options());
  EXPECT_FALSE(database.findChoice(keyFor("M=1")));
  EXPECT_FALSE(database.storeChoice(keyFor("M=1"), choiceOf(64)));
  EXPECT_EQ(reports.take(),
            Messages{cannotRead("its schema is 2, of a newer version of Tile, which can read it; expected 1, as in "
                                "another folder, named in TILE_CACHE_DIR")});
  EXPECT_EQ(readText(path), before);
}

TEST_F(DatabaseTroubleTest, AnEmptyFileIsAnEmptyDatabase) {
  writeText(path, "");
  Database database(options());
  EXPECT_FALSE(database.findChoice(keyFor("M=1")));
  EXPECT_TRUE(database.storeChoice(keyFor("M=1"), choiceOf(128)));
  EXPECT_TRUE(database.findChoice(keyFor("M=1")));
  EXPECT_TRUE(reports.take().empty());
}

TEST_F(DatabaseTroubleTest, EveryCutIsAMissOrRight) {
  Database(options()).storeTrials(keyFor("M=1"), {measuredTrial(64), measuredTrial(128)}, "2026-11-30T08:15:57Z");
  Database(options()).storeChoice(keyFor("M=1"), choiceOf(128));
  std::string whole = readText(path);
  for (size_t length = 1; length < whole.size(); length += 509) {
    writeText(path, whole.substr(0, length));
    Database database(options());
    if (std::optional<TunedChoice> choice = database.findChoice(keyFor("M=1")))
      EXPECT_EQ(choice->configuration, choiceOf(128).configuration);
    else
      EXPECT_LE(reports.take().size(), 1u) << length;
    database.verify();
    reports.take();
    EXPECT_TRUE(database.storeChoice(keyFor("M=1"), choiceOf(128))) << length;
    EXPECT_TRUE(database.findChoice(keyFor("M=1")));
  }
}

TEST_F(DatabaseTroubleTest, EveryFlippedBitIsAMissOrRight) {
  Database(options()).storeTrials(keyFor("M=1"), {measuredTrial(64)}, "2026-11-30T08:15:57Z");
  Database(options()).storeChoice(keyFor("M=1"), choiceOf(128));
  std::string whole = readText(path);
  int misses = 0;
  for (size_t i = 0; i < whole.size(); i += whole[i] ? 7 : 211) {
    std::string text = whole;
    text[i] = static_cast<char>(text[i] ^ (1 << i % 8));
    writeText(path, text);
    Database database(options());
    std::optional<TunedChoice> choice = database.findChoice(keyFor("M=1"));
    if (choice) {
      EXPECT_EQ(choice->configuration, choiceOf(128).configuration) << i;
      EXPECT_EQ(choice->medianUs, 16) << i;
    }
    misses += !choice;
    for (const Trial &trial : database.findTrials(keyFor("M=1")))
      EXPECT_TRUE(isSame(trial, measuredTrial(64))) << i;
    database.verify();
    EXPECT_TRUE(database.storeChoice(keyFor("M=1"), choiceOf(128)) || !reports.take().empty()) << i;
    reports.take();
  }
  EXPECT_GT(misses, 10);
}

TEST_F(DatabaseTroubleTest, AnEntryThatIsDamagedIsAMissAndVerifyRemovesIt) {
  Database(options()).storeChoice(keyFor("M=1"), choiceOf(128));
  Database(options()).storeChoice(keyFor("M=2"), choiceOf(64));
  Database(options()).storeTrials(keyFor("M=2"), {measuredTrial(64)}, "2026-11-30T08:15:57Z");
  alter("UPDATE choices SET configuration = '{\"BM\":\"512\"}' WHERE key = 1");
  alter("UPDATE trials SET body = replace(body, '168', '167')");
  Database database(options());
  std::string damaged = "the choice of `matmul` for `M=1` in the tuning database `" + path + "` is damaged: ";
  EXPECT_FALSE(database.findChoice(keyFor("M=1")));
  EXPECT_EQ(reports.take(), Messages{damaged + "its bytes do not match its checksum; going on without it"});
  EXPECT_TRUE(database.findChoice(keyFor("M=2")));
  DatabaseVerification verification = database.verify();
  EXPECT_EQ(verification.entries, 3u);
  ASSERT_EQ(verification.damaged.size(), 2u);
  EXPECT_EQ(verification.damaged[0],
            damaged + "its bytes do not match its checksum; it is removed, and made anew when it is needed");
  EXPECT_EQ(database.verify().entries, 1u);
  EXPECT_TRUE(database.findChoice(keyFor("M=2")));
  EXPECT_TRUE(reports.take().empty());
}

TEST_F(DatabaseTroubleTest, VerifyFindsDamagedPages) {
  Database database(options());
  for (int i = 0; i < 50; ++i)
    database.storeTrials(keyFor("M=" + std::to_string(i)), {measuredTrial(64)}, "2026-11-30T08:15:57Z");
  std::string text = readText(path);
  // The middle of some page, which the choices do not touch.
  std::memset(&text[text.size() / 4096 / 2 * 4096], 0xff, 100);
  writeText(path, text);
  EXPECT_TRUE(Database(options()).verify().isSetAside);
  EXPECT_EQ(reports.take().size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(path + ".damaged-1"));
}

TEST_F(DatabaseTroubleTest, AnExportOfDamageIsNone) {
  writeText(path, std::string(5000, 'x'));
  Database database(options());
  std::ostringstream lines;
  EXPECT_FALSE(database.exportLines(lines));
  EXPECT_EQ(reports.take().size(), 1u);
  EXPECT_FALSE(Database(options(DatabaseAccess::ReadOnly)).storeChoice(keyFor("M=1"), choiceOf(128)));
  EXPECT_TRUE(Database(options()).exportLines(lines));
}

TEST_F(DatabaseTroubleTest, ReadOnlyChangesNothing) {
  EXPECT_FALSE(Database(options(DatabaseAccess::ReadOnly)).storeChoice(keyFor("M=1"), choiceOf(128)));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  writeText(path, std::string(5000, 'x'));
  EXPECT_FALSE(Database(options(DatabaseAccess::ReadOnly)).findChoice(keyFor("M=1")));
  EXPECT_EQ(reports.take(), Messages{cannotRead("file is not a database")});
  EXPECT_EQ(readText(path), std::string(5000, 'x'));
}

TEST_F(DatabaseTroubleTest, AFileThatWasReplacedIsOpenedAgain) {
  Database database(options());
  database.storeChoice(keyFor("M=1"), choiceOf(128));
  std::filesystem::rename(path, path + ".old");
  EXPECT_FALSE(database.findChoice(keyFor("M=1")));
  EXPECT_TRUE(database.storeChoice(keyFor("M=2"), choiceOf(64)));
  EXPECT_TRUE(Database(options()).findChoice(keyFor("M=2")));
  std::filesystem::rename(path + ".old", path);
  EXPECT_TRUE(database.findChoice(keyFor("M=1")));
  EXPECT_TRUE(reports.take().empty());
}

//===-- No access, no room

TEST_F(DatabaseTroubleTest, AFileInPlaceOfTheFolder) {
  writeText(folder / "file", "");
  EXPECT_EQ(messageOfStore(folder / "file/sub/tuning.db"),
            "the tuning database `" + (folder / "file/sub/tuning.db") +
                "` cannot be read: Not a directory; going on without its choices");
}

TEST_F(DatabaseTroubleTest, AFolderThatNobodyCanMake) {
  EXPECT_EQ(messageOfStore("/proc/tile/tuning.db"),
            cannotWrite("/proc/tile/tuning.db", "cannot make the folder `/proc/tile`: No such file or directory"));
}

TEST_F(DatabaseTroubleTest, NoHome) {
  Variable home("HOME", nullptr), base("XDG_CACHE_HOME", nullptr), own("TILE_CACHE_DIR", nullptr);
  EXPECT_EQ(messageOfStore(""), findStoreFolder().error().message + "; going on without tuned choices");
}

TEST_F(DatabaseTroubleTest, AReadOnlyFolderIsReadAndNotWritten) {
  Database(options()).storeChoice(keyFor("M=1"), choiceOf(128));
  std::filesystem::permissions(path, std::filesystem::perms(0444));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  EXPECT_TRUE(passesInChild([&] {
    dropRights();
    EXPECT_EQ(messageOfStore(path), cannotWrite(path, "attempt to write a readonly database"));
    EXPECT_EQ(messageOfStore(folder / "other.db"), cannotWrite(folder / "other.db", "Permission denied"));
    Database database(options());
    EXPECT_TRUE(database.findChoice(keyFor("M=1")));
    EXPECT_FALSE(database.storeChoice(keyFor("M=2"), choiceOf(64)));
    EXPECT_TRUE(database.findChoice(keyFor("M=1")));
    EXPECT_EQ(reports.take().size(), 1u);
  }));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0700));
}

TEST_F(DatabaseTroubleTest, DamageThatCannotBeRenamed) {
  writeText(path, std::string(5000, 'x'));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  EXPECT_TRUE(passesInChild([&] {
    dropRights();
    EXPECT_FALSE(Database(options()).findChoice(keyFor("M=1")));
    EXPECT_EQ(reports.take(), Messages{cannotRead("file is not a database, and it cannot be renamed: Permission "
                                                  "denied")});
  }));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0700));
}

TEST_F(DatabaseTroubleTest, ALimitOnTheSizeOfFiles) {
  Database(options()).storeChoice(keyFor("M=1"), choiceOf(128));
  EXPECT_TRUE(passesInChild([&] {
    limitFiles(std::filesystem::file_size(path));
    Database database(options());
    std::vector<Trial> trials;
    for (int i = 0; i < 200; ++i)
      trials.push_back(measuredTrial(i));
    EXPECT_FALSE(database.storeTrials(keyFor("M=2"), trials, "2026-11-30T08:15:57Z"));
    EXPECT_TRUE(database.findChoice(keyFor("M=1")));
    EXPECT_TRUE(database.findTrials(keyFor("M=2")).empty());
    EXPECT_EQ(reports.take(), Messages{cannotWrite(path, "File too large")});
  }));
  EXPECT_TRUE(Database(options()).findChoice(keyFor("M=1")));
  EXPECT_EQ(Database(options()).verify().damaged.size(), 0u);
}

TEST_F(DatabaseTroubleTest, AFullDisk) {
  if (mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=128k") != 0)
    GTEST_SKIP() << "mounting a small file system needs root"; // EFBIG is tested without, by a limit of the file's size
  Database(options()).storeChoice(keyFor("M=1"), choiceOf(128));
  std::vector<Trial> trials;
  for (int i = 0; i < 1000; ++i)
    trials.push_back(measuredTrial(i));
  {
    Database database(options());
    EXPECT_FALSE(database.storeTrials(keyFor("M=2"), trials, "2026-11-30T08:15:57Z"));
    EXPECT_TRUE(database.findChoice(keyFor("M=1")));
    EXPECT_EQ(reports.take(), Messages{cannotWrite(path, "database or disk is full")});
  }
  umount(folder.path().c_str());
}

TEST_F(DatabaseTroubleTest, AProcessThatHoldsTheFile) {
  Database(options()).storeChoice(keyFor("M=1"), choiceOf(128));
  sqlite3 *other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  Database database(options());
  EXPECT_TRUE(database.findChoice(keyFor("M=1")));
  EXPECT_FALSE(database.storeChoice(keyFor("M=1"), choiceOf(64)));
  EXPECT_TRUE(database.findChoice(keyFor("M=1")));
  EXPECT_EQ(reports.take(), Messages{cannotWrite(path, "another process has held it for 10 seconds")});
  sqlite3_close(other);
}

} // namespace
} // namespace tile
