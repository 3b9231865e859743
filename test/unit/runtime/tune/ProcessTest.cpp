// Children that answer, crash, hang, flood and outlive: what the parent sees of them, and that nothing of them is left.

#include "runtime/tune/Process.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tile {
namespace {

std::unique_ptr<Process> startChild(std::vector<std::string> arguments = {}) {
  return std::move(*Process::start({TILE_CHILD, std::move(arguments)}));
}

/// The next line; what became of the child, in brackets, where there is none.
std::string ask(Process &child, const std::string &request, double seconds = 20) {
  child.send(request);
  if (!waitForAny({&child}, afterSeconds(seconds)))
    return "(silent)";
  std::optional<std::string> line = child.takeLine();
  return line ? *line : "(" + child.howItEnded() + ")";
}

/// Whether there is such a process, dead ones that nobody waited for among them.
bool exists(int id) { return ::kill(id, 0) == 0; }

/// Whether it runs. One whose parent died may stay unwaited for where nothing adopts.
bool isAlive(int id) {
  std::ifstream file("/proc/" + std::to_string(id) + "/stat");
  std::string number, name, state;
  return file >> number >> name >> state && state != "Z" && state != "X";
}

bool diesSoon(int id) {
  for (int i = 0; i < 200; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(10)))
    if (!isAlive(id))
      return true;
  return false;
}

size_t openFiles() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

TEST(Process, AnswersInLines) {
  auto child = startChild();
  EXPECT_EQ(ask(*child, "echo one"), "one");
  EXPECT_EQ(ask(*child, "echo " + std::string(1 << 20, 'x')).size(), size_t(1) << 20);
  child->send("echo a");
  EXPECT_EQ(ask(*child, "echo b"), "a");
  ASSERT_TRUE(waitForAny({child.get()}, afterSeconds(20)));
  EXPECT_EQ(child->takeLine(), "b");
  EXPECT_EQ(child->takeLine(), std::nullopt);
  EXPECT_FALSE(child->hasEnded());
}

TEST(Process, SaysHowItEnded) {
  EXPECT_EQ(ask(*startChild(), "crash"), "(was ended by SIGSEGV (Segmentation fault))");
  EXPECT_EQ(ask(*startChild(), "exit 3"), "(exited with code 3)");
  auto child = startChild();
  child->send("print chatter\nprint last words");
  EXPECT_EQ(ask(*child, "exit 70"), "(exited with code 70: last words)");
  EXPECT_EQ(child->printed(), "chatter\nlast words\n");
  child = startChild();
  child->send("print error: no memory\nprint   and a note");
  EXPECT_EQ(ask(*child, "exit 70"), "(exited with code 70: error: no memory)");
  child = startChild();
  ::kill(child->id(), SIGKILL);
  EXPECT_EQ(ask(*child, ""), "(was ended by SIGKILL, as the system does where memory runs out)");
  child = startChild();
  child->kill();
  EXPECT_EQ(child->howItEnded(), "was ended");
}

TEST(Process, KeepsWhatItSaidBeforeItsEnd) {
  auto child = startChild();
  child->send("echo last");
  child->send("exit 0");
  EXPECT_TRUE(diesSoon(child->id()));
  child->kill();
  EXPECT_EQ(child->takeLine(), "last");
  EXPECT_EQ(child->howItEnded(), "exited with code 0");
}

TEST(Process, ProgramThatCannotRunIsAnEarlyEnd) {
  auto child = std::move(*Process::start({"/nowhere/at/all", {}}));
  EXPECT_EQ(ask(*child, "echo"), "(exited with code 127: cannot run `/nowhere/at/all`: No such file or directory)");
  EXPECT_EQ(ask(*startChild({"exit", "5"}), "echo"), "(exited with code 5)");
}

TEST(Process, WritingToOneThatHasGoneRaisesNoSignal) {
  std::signal(SIGPIPE, SIG_DFL); // who starts tests may ignore it
  auto child = startChild({"exit", "5"});
  EXPECT_TRUE(diesSoon(child->id()));
  child->send("echo");
  EXPECT_EQ(ask(*child, "echo"), "(exited with code 5)");
}

TEST(Process, DeadlineEndsTheWaitAndKillTheChild) {
  auto child = startChild();
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(ask(*child, "sleep 1000", 0.05), "(silent)");
  int id = child->id();
  child->kill();
  EXPECT_FALSE(exists(id));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Process, OneThatIsMuteIsStillWaitedForAndKilled) {
  auto child = startChild({"mute"});
  EXPECT_EQ(ask(*child, "echo", 0.2), "(silent)");
  child->kill();
  EXPECT_EQ(child->howItEnded(), "was ended");
}

TEST(Process, GarbageIsNoLineAndAFloodIsEnded) {
  EXPECT_EQ(ask(*startChild(), "garbage", 0.2), "(silent)");
  EXPECT_EQ(ask(*startChild(), "flood"), "(was ended: it wrote more than 16777216 bytes without a line end)");
}

TEST(Process, ErrorsAreBounded) {
  auto child = startChild();
  child->send("print " + std::string(1 << 20, 'e'));
  EXPECT_EQ(ask(*child, "echo done"), "done");
  EXPECT_LE(child->printed().size(), size_t(16) << 10);
}

TEST(Process, WhatItStartedEndsWithIt) {
  for (const char *last : {"exit 0", "crash", ""}) {
    auto child = startChild();
    int grandchild = std::stoi(ask(*child, "spawn"));
    ASSERT_TRUE(isAlive(grandchild));
    if (*last)
      EXPECT_NE(ask(*child, last), "(silent)") << "an end that only the child's own status shows";
    child = nullptr;
    EXPECT_TRUE(diesSoon(grandchild)) << last;
  }
}

TEST(Process, DiesWithItsParent) {
  int channel[2];
  ASSERT_EQ(pipe(channel), 0);
  pid_t parent = fork();
  if (parent == 0) {
    auto child = startChild();
    int id = child->id();
    ask(*child, "echo ready");
    child->send("sleep 1000"); // it does not see that its input ends
    (void)!write(channel[1], &id, sizeof(id));
    while (true)
      pause();
  }
  int id = 0;
  ASSERT_EQ(read(channel[0], &id, sizeof(id)), ssize_t(sizeof(id)));
  ASSERT_TRUE(isAlive(id));
  ::kill(parent, SIGINT);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(diesSoon(id));
  close(channel[0]);
  close(channel[1]);
}

TEST(Process, SeesThreeFilesAndLeavesNone) {
  size_t before = openFiles();
  std::ofstream ours("/dev/null"); // opened without O_CLOEXEC by some libraries
  int open = dup(STDOUT_FILENO);
  {
    auto child = startChild(), other = startChild();
    EXPECT_EQ(ask(*child, "files"), "3");
    EXPECT_EQ(ask(*other, "files"), "3");
  }
  close(open);
  ours.close();
  EXPECT_EQ(openFiles(), before);
}

TEST(Process, IsInAGroupOfItsOwn) {
  auto child = startChild();
  ask(*child, "echo ready");
  EXPECT_EQ(getpgid(child->id()), child->id());
}

TEST(Process, AnyOfManyEndsTheWait) {
  auto slow = startChild(), quick = startChild();
  slow->send("sleep 1000");
  EXPECT_EQ(ask(*quick, "echo"), "");
  quick->send("echo again");
  EXPECT_TRUE(waitForAny({slow.get(), quick.get()}, afterSeconds(20)));
  EXPECT_EQ(quick->takeLine(), "again");
}

TEST(Process, CancellingEndsTheWait) {
  std::atomic<bool> cancelled = false;
  auto child = startChild();
  child->send("sleep 1000");
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancelled = true;
  });
  EXPECT_FALSE(waitForAny({child.get()}, afterSeconds(1000), &cancelled));
  other.join();
}

} // namespace
} // namespace tile
