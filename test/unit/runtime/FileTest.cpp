// Files: the round trip, and the system's reason in messages.

#include "runtime/artifact/File.h"

#include <gtest/gtest.h>

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
