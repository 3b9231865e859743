// What the tests of the store share: a folder of their own, what was reported, and children with less rights or room.
#ifndef TEST_UNIT_RUNTIME_STORE_STORING_H
#define TEST_UNIT_RUNTIME_STORE_STORING_H

#include "runtime/store/Folder.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tile {

/// A folder that goes with the test.
class TemporaryFolder {
public:
  TemporaryFolder() : name(testing::TempDir() + "tile_store_XXXXXX") {
    if (!mkdtemp(name.data()))
      std::abort();
  }
  ~TemporaryFolder() { std::filesystem::remove_all(name); }
  const std::string &path() const { return name; }
  std::string operator/(const std::string &file) const { return name + "/" + file; }

private:
  std::string name;
};

/// The messages of one Cache or Database.
class Reports {
public:
  StoreReport collect() {
    return [this](const std::string &message) { all.push_back(message); };
  }
  std::vector<std::string> take() { return std::exchange(all, {}); }

private:
  std::vector<std::string> all;
};

inline std::string readText(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void writeText(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

/// The environment variable `name` for as long as it lives; null: absent.
class Variable {
public:
  Variable(const char *name, const char *value) : name(name) {
    if (const char *old = std::getenv(name))
      before = old;
    set(value);
  }
  ~Variable() { set(before ? before->c_str() : nullptr); }

private:
  void set(const char *value) const {
    if (value)
      setenv(name, value, 1);
    else
      unsetenv(name);
  }
  const char *name;
  std::optional<std::string> before;
};

/// Runs `work`, which checks by EXPECT, in a child process. True if nothing failed there.
template <typename Work> bool passesInChild(Work work) {
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    work();
    std::fflush(nullptr);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Runs `work(number)` for 0, 1, … in a child process that is killed some time after it finished a few, as `random` has
/// it. Gives how many it finished.
template <typename Work> int countBeforeKill(std::mt19937 &random, Work work) {
  int ends[2];
  if (pipe(ends) != 0)
    std::abort();
  pid_t child = fork();
  if (child == 0) {
    // The first byte says that it has begun.
    for (int i = 0; write(ends[1], "x", 1) == 1; ++i)
      work(i);
    _exit(1);
  }
  close(ends[1]);
  char byte;
  int count = -1;
  for (int wanted = static_cast<int>(random() % 3); count < wanted && read(ends[0], &byte, 1) == 1;)
    ++count;
  std::this_thread::sleep_for(std::chrono::microseconds(random() % 5'000));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  while (read(ends[0], &byte, 1) == 1)
    ++count;
  close(ends[0]);
  return count;
}

/// Whether `work(number)` gives true in each of `count` processes, which run at one time.
template <typename Work> bool passTogether(int count, Work work) {
  std::vector<pid_t> children;
  for (int process = 0; process < count; ++process) {
    pid_t child = fork();
    if (child == 0)
      _exit(work(process) ? 0 : 1);
    children.push_back(child);
  }
  bool passes = true;
  for (pid_t child : children) {
    int status = 0;
    passes = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 && passes;
  }
  return passes;
}

/// Of a child process: permissions count, which they do not for root.
inline void dropRights() {
  constexpr uid_t kNobody = 65534;
  if (geteuid() == 0 && (setegid(kNobody) != 0 || seteuid(kNobody) != 0))
    std::abort();
}

/// Of a child process: files end at `bytes`. The signal of the limit keeps its default, which ends the process.
inline void limitFiles(rlim_t bytes) {
  rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, SIG_DFL);
}

} // namespace tile

#endif
