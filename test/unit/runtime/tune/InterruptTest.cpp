// The first ctrl-C stops a search, the second the program.

#include "runtime/tune/Interrupt.h"

#include "runtime/tune/Process.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tile {

TEST(Interrupt, SetsTheFlagAndEndsAWait) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Interrupt interrupt;
    EXPECT_FALSE(interrupt.flag());
    EXPECT_EQ(interrupt.exitCode(), 0);
    auto child = std::move(*Process::start({TILE_CHILD, {}}));
    pid_t self = getpid();
    std::thread sender([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      kill(self, signal);
    });
    EXPECT_FALSE(waitForAny({child.get()}, afterSeconds(1000), &interrupt.flag()));
    sender.join();
    EXPECT_TRUE(interrupt.flag());
    EXPECT_EQ(interrupt.exitCode(), 128 + signal);
    EXPECT_FALSE(child->hasEnded()) << "it is in another group";
  }
}

TEST(Interrupt, SecondOneEndsTheProgram) {
  pid_t child = fork();
  if (child == 0) {
    std::signal(SIGINT, SIG_DFL);
    Interrupt interrupt;
    raise(SIGINT);
    if (interrupt.flag())
      raise(SIGINT);
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(Interrupt, IgnoredHangupStaysIgnored) {
  std::signal(SIGHUP, SIG_IGN);
  {
    Interrupt interrupt;
    raise(SIGHUP);
    EXPECT_FALSE(interrupt.flag());
  }
  EXPECT_EQ(std::signal(SIGHUP, SIG_DFL), SIG_IGN);
}

TEST(Interrupt, LeavesTheHandlersAsTheyWere) {
  std::signal(SIGINT, SIG_IGN);
  {
    Interrupt interrupt;
  }
  EXPECT_EQ(std::signal(SIGINT, SIG_DFL), SIG_IGN);
}

} // namespace tile
