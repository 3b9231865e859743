// Files: the round trip, and the system's reason in messages.

#include "runtime/artifact/File.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstdio>
#include <thread>

namespace tile {
namespace {

TEST(File, ContentComesBack) {
  std::string path = testing::TempDir() + "tile_file_test";
  std::string content("a\0b\n", 4);
  ASSERT_TRUE(writeFile(path, content).ok());
  Result<std::string> read = readFile(path);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, content);
}

TEST(File, APipeIsWrittenAndStays) {
  std::string path = testing::TempDir() + "tile_file_test_pipe";
  std::remove(path.c_str());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread reader([&] {
    Result<std::string> read = readFile(path);
    EXPECT_TRUE(read.ok());
    EXPECT_EQ(*read, "x");
  });
  EXPECT_TRUE(writeFile(path, "x").ok());
  reader.join();
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_TRUE(S_ISFIFO(status.st_mode));
  std::remove(path.c_str());
}

TEST(File, FailuresGiveTheSystemsReason) {
  Result<std::string> missing = readFile("/nonexistent/k.cubin");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message, "cannot open `/nonexistent/k.cubin`: No such file or directory");
  Status status = writeFile("/nonexistent/k.cubin", "x");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "cannot write `/nonexistent/k.cubin`: No such file or directory");
}

} // namespace
} // namespace tile
