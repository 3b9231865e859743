// What becomes of folders of searches: of one that ended, one that was killed, one that goes on.

#include "runtime/tune/ScratchFolder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tile {
namespace {

class ScratchFolderTest : public testing::Test {
protected:
  void SetUp() override {
    std::string form = testing::TempDir() + "scratch-XXXXXX";
    parent = mkdtemp(form.data());
    setenv("TMPDIR", parent.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("TMPDIR");
    std::filesystem::remove_all(parent);
  }

  std::unique_ptr<ScratchFolder> make() {
    Result<std::unique_ptr<ScratchFolder>> made = ScratchFolder::make();
    EXPECT_TRUE(made) << made.error().message;
    std::ofstream((*made)->path() + "/0.cubin") << "code";
    return std::move(*made);
  }
  size_t count() const { return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(parent), {})); }

  std::filesystem::path parent;
};

TEST_F(ScratchFolderTest, GoesWithItsSearch) {
  {
    std::unique_ptr<ScratchFolder> one = make(), other = make();
    EXPECT_EQ(count(), 2u);
  }
  EXPECT_EQ(count(), 0u);
}

TEST_F(ScratchFolderTest, OfAKilledProcessGoesWithTheNextSearch) {
  int channel[2];
  ASSERT_EQ(pipe(channel), 0);
  pid_t child = fork();
  if (child == 0) {
    std::unique_ptr<ScratchFolder> folder = make();
    (void)!write(channel[1], "x", 1);
    pause();
  }
  char made;
  ASSERT_EQ(read(channel[0], &made, 1), 1);
  make();
  EXPECT_EQ(count(), 1u) << "its process is alive";
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(count(), 1u);
  make();
  EXPECT_EQ(count(), 0u);
}

TEST_F(ScratchFolderTest, OfAProcessKilledBeforeItHadTheLockGoes) {
  for (const char *name : {"tile-tune-empty", "tile-tune-without", "tile-tune-with"})
    std::filesystem::create_directory(parent / name);
  std::ofstream(parent / "tile-tune-without" / "0.cubin");
  std::ofstream(parent / "tile-tune-with" / "lock");
  make();
  EXPECT_EQ(count(), 0u);
}

TEST_F(ScratchFolderTest, ThoseMadeAtOnceStayApart) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(fork());
    if (children.back() == 0) {
      bool isWhole = true;
      for (int turn = 0; turn < 500 && isWhole; ++turn) {
        Result<std::unique_ptr<ScratchFolder>> made = ScratchFolder::make();
        isWhole = made && std::ofstream((*made)->path() + "/0.cubin") && std::filesystem::exists((*made)->path());
      }
      _exit(isWhole ? 0 : 1);
    }
  }
  for (pid_t child : children) {
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(count(), 0u);
}

TEST_F(ScratchFolderTest, WhatIsNotKnownToBeOneStays) {
  std::filesystem::create_directory(parent / "tile-tune-unlocked");
  std::ofstream(parent / "tile-tune-unlocked" / "unlocked");
  std::filesystem::create_directory(parent / "other");
  std::ofstream(parent / "other" / "lock");
  std::filesystem::create_directory_symlink(parent / "other", parent / "tile-tune-link");
  std::ofstream(parent / "tile-tune-file");
  make();
  EXPECT_EQ(count(), 4u);
}

TEST_F(ScratchFolderTest, FolderThatIsNotThereIsNamed) {
  std::string none = parent / "none";
  setenv("TMPDIR", none.c_str(), 1);
  Result<std::unique_ptr<ScratchFolder>> made = ScratchFolder::make();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "cannot make a folder for compiled code in `" + none +
                                      "`: No such file or directory; name another folder in TMPDIR");
}

} // namespace
} // namespace tile
