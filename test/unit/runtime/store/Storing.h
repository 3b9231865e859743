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

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
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
